#include "ops/scan.h"

#include "array/lookback.h"
#include "array/task.h"
#include "base/error.h"
#include "host/host.h"
#include "ops/reduce.h"

#include <firepile/scan.h>

/* One scan. */
typedef struct scan {
    const fp_ready *input;
    fp_operator *op;
    const void *start; /* NULL: inclusive */
    fp_node *finish;   /* maps over the result, or NULL */
    fp_buffer *out;
} scan;

static gpu_status launch(const scan *s, const fp_lookback *lookback, unsigned sweep)
{
    gpu *g = s->input->node->g;
    gpu_type type = s->input->node->type;
    fp_plan *plan;
    fp_arg args[1 + FP_LOOKBACK_ARGS + 1];
    gpu_status status = fp_plan_begin(&plan, "scan", type, s->input);
    if (status) return status;
    fp_plan_combine(plan, s->op, type);
    if (g->policy.cpu) fp_reduce_slots(plan, !fp_operator_commutes(s->op, type), type);
    fp_plan_slot(plan, "FP_SERIAL_MOST", fp_serial_most(plan, type));
    fp_lookback_slots(plan, lookback, s->start != NULL, sweep);
    if (s->finish) fp_plan_finish(plan, s->finish);
    unsigned count = 0;
    if (s->start) args[count++] = (fp_arg){.value = s->start, .bytes = type->size};
    count += fp_lookback_args(g, lookback, args + count);
    args[count++] = (fp_arg){.buffer = s->out};
    return fp_plan_launch(plan, args, count, lookback->tiles, lookback->group);
}

static gpu_status launch_sweeps(const scan *s)
{
    gpu *g = s->input->node->g;
    size_t size = s->input->node->type->size;
    fp_lookback lookback = {.values = NULL};
    gpu_status status = fp_lookback_begin(g, s->input->length, size, true, size, &lookback);
    for (unsigned k = 0; k < fp_lookback_sweeps(g) && !status; k++) status = launch(s, &lookback, k);
    fp_lookback_end(&lookback);
    return status ? status : fp_verify_scan(s->input->node, s->op, s->start, fp_lookback_sweeps(g), s->out);
}

static fp_node *compute(scan *s)
{
    fp_node *node = s->input->node;
    gpu_type type = s->finish ? s->finish->type : node->type;
    if (!s->input->length) return fp_node_result(type, 0, NULL, NULL, node, s->op);
    const bool here = fp_host_takes(node, &s->op, 1);
    gpu_status status = fp_elements_new_at(node->g, here, type, s->input->length, &s->out);
    if (!status) status = here ? fp_host_scan(node, s->op, s->start, fp_buffer_memory(s->out)) : launch_sweeps(s);
    /* Verifying may have waited for the length. */
    fp_count *count = fp_node_count(node);
    fp_node *result = status ? NULL : fp_node_result(type, fp_node_most(node), s->out, count, node, s->op);
    fp_buffer_drop(s->out);
    return result;
}

fp_node *fp_scan(fp_node *node, fp_operator *op, const void *start)
{
    fp_ready input;
    if (fp_node_prepare(node, &op, 1, &input)) return NULL;
    return compute(&(scan){.input = &input, .op = op, .start = start});
}

static gpu_status run(const fp_task *task, fp_node **result)
{
    scan s = {.input = task->ready, .op = task->op, .start = task->values[0], .finish = task->finish};
    *result = compute(&s);
    return *result ? GPU_OK : fp_last_status();
}

static fp_foreseen foresee(const fp_task *task, const fp_supposed *supposed)
{
    fp_node *node = task->inputs[0];
    fp_operator *op = task->op;
    const bool here = fp_host_would_take(node, &op, 1, supposed);
    fp_foreseen seen = {.here = here, .launches = fp_lookback_sweeps(node->g)};
    seen.finishes = !seen.here && !node->g->verify;
    return seen;
}

static gpu_array *scan_array(const gpu_array *a, const char *operation, const gpu_value *start, const gpu_operator *op)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), operation, fp_place_of(op));
    fp_task task = {.run = run, .foresee = foresee};
    gpu_status status = fp_task_input(&task, a, "a");
    if (!status && start) status = fp_check_value(start, a->node->type, "start");
    if (!status) status = fp_task_bind(&task, op, &(fp_role){operation, 2, 0, {a->node->type}, a->node->type});
    if (!status) fp_task_gives(&task, a->node->type);
    if (start) task.values[0] = start->pointer;
    return fp_array_end(&entry, fp_task_result(&task, status));
}

gpu_array *gpu_scan_op(const gpu_array *a, const gpu_operator *op)
{
    return scan_array(a, "gpu_scan", NULL, op);
}

gpu_array *gpu_scan_exclusive_op(const gpu_array *a, const gpu_value *start, const gpu_operator *op)
{
    return scan_array(a, "gpu_scan_exclusive", start ? start : &(const gpu_value){0}, op);
}
