#include "ops/scan.h"

#include "arrays/read.h"
#include "host/host.h"
#include "ops/reduce.h"
#include "planning/eval.h"
#include "planning/execute.h"
#include "planning/lookback.h"
#include "planning/task.h"

#include <firepile/scan.h>

static gpu_status launch_pass(const fp_request *r, const fp_lookback *lookback, unsigned pass)
{
    gpu *g = r->input.node->g;
    gpu_type type = r->input.node->type;
    fp_plan *plan;
    fp_arg args[1 + FP_LOOKBACK_ARGS + 1];
    gpu_status status = fp_plan_begin(&plan, "scan", type, &r->input);
    if (status) return status;
    fp_plan_combine(plan, r->ops[0], type);
    if (g->policy.cpu) fp_reduce_slots(plan, !fp_operator_commutes(r->ops[0], type), FP_CHAINS, type, false);
    fp_plan_slot(plan, "FP_SERIAL_MOST", fp_serial_most(plan, fp_request_rounds(r)));
    fp_lookback_slots(plan, lookback, r->start != NULL, pass);
    if (r->epilogue) fp_plan_epilogue(plan, r->epilogue);
    unsigned count = 0;
    if (r->start) args[count++] = (fp_arg){.value = r->start, .bytes = type->size};
    count += fp_lookback_args(g, lookback, args + count);
    args[count++] = (fp_arg){.buffer = r->outputs[0].buffer};
    return fp_plan_launch(plan, args, count, lookback->tiles, lookback->group);
}

static gpu_status launch(fp_request *r)
{
    size_t size = r->input.node->type->size;
    return fp_lookback_run(r, size, true, size, launch_pass);
}

static const fp_primitive scan = {.name = "scan", .launch = launch, .run = fp_host_scan, .small = true};

static gpu_status scan_ready(const fp_ready *input, fp_operator *op, const void *start, fp_node *epilogue,
                             fp_node **result)
{
    const gpu_type type = epilogue ? epilogue->type : input->node->type;
    fp_request r = {.primitive = &scan,
                    .input = *input,
                    .ops = &op,
                    .op_count = 1,
                    .start = start,
                    .epilogue = epilogue,
                    .outputs = {{.type = type, .extent = FP_ALIGNED, .length = input->length}},
                    .output_count = 1};
    return fp_execute(&r, result);
}

fp_node *fp_scan(fp_node *node, fp_operator *op, const void *start)
{
    fp_ready input;
    fp_node *result = NULL;
    if (!fp_node_prepare(node, &op, 1, &input)) scan_ready(&input, op, start, NULL, &result);
    return result;
}

static gpu_status run(const fp_task *task, fp_node **result)
{
    return scan_ready(task->ready, task->op, task->values[0], task->epilogue, result);
}

static gpu_array *scan_array(const gpu_array *a, const char *operation, const gpu_value *start, const gpu_operator *op)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), operation, fp_place_of(op));
    fp_task task = {.run = run, .delayed = true};
    gpu_status status = fp_task_input(&task, a, "a");
    if (!status && start) status = fp_check_value(start, a->node->type, "start");
    if (!status) status = fp_task_bind_combiner(&task, op, a->node->type);
    if (start) task.values[0] = start->pointer;
    return fp_task_array(&entry, &task, status);
}

gpu_array *gpu_scan_op(const gpu_array *a, const gpu_operator *op)
{
    return scan_array(a, "gpu_scan", NULL, op);
}

gpu_array *gpu_scan_exclusive_op(const gpu_array *a, const gpu_value *start, const gpu_operator *op)
{
    return scan_array(a, "gpu_scan_exclusive", start ? start : &(const gpu_value){0}, op);
}
