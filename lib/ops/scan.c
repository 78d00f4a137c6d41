#include "ops/scan.h"

#include "array/lookback.h"
#include "array/task.h"
#include "base/error.h"
#include "host/host.h"
#include "ops/reduce.h"

#include <firepile/scan.h>

static gpu_status launch(fp_node *node, const fp_operator *op, const void *start, const fp_lookback *lookback,
                         fp_buffer *out, unsigned sweep)
{
    gpu_type type = node->type;
    fp_plan *plan;
    fp_arg args[1 + FP_LOOKBACK_ARGS + 1];
    gpu_status status = fp_plan_begin(&plan, "scan", type, node);
    if (status) return status;
    fp_plan_combine(plan, op, type);
    if (node->g->policy.cpu) fp_reduce_slots(plan, !fp_operator_commutes(op, type), type->size);
    fp_lookback_slots(plan, lookback, start != NULL, sweep);
    unsigned count = 0;
    if (start) args[count++] = (fp_arg){.value = start, .bytes = type->size};
    count += fp_lookback_args(node->g, lookback, args + count);
    args[count++] = (fp_arg){.buffer = out};
    return fp_plan_launch(plan, args, count, lookback->tiles, lookback->group);
}

/* In which order kernels/scan.cl combines elements; false where it is not that of one tile on a GPU. */
static bool order_of(const fp_node *node, const fp_operator *op, fp_device_order *out)
{
    const gpu *g = node->g;
    fp_lookback shape;
    gpu_type type = node->type;
    fp_lookback_shape(g, node->length, type->size, true, type->size, &shape);
    bool known = fp_lookback_order(g, &shape, out);
    out->ordered = !fp_operator_commutes(op, type);
    out->lanes = fp_reduce_lanes(&g->policy, type->size);
    return known;
}

static gpu_status verify(fp_node *node, fp_operator *op, const void *start, fp_buffer *out)
{
    fp_device_order order;
    bool known = order_of(node, op, &order);
    return fp_verify_scan(node, op, start, known ? &order : NULL, fp_lookback_sweeps(node->g), out);
}

static gpu_status launch_sweeps(fp_node *node, fp_operator *op, const void *start, fp_buffer *out)
{
    const gpu *g = node->g;
    size_t size = node->type->size;
    fp_lookback lookback = {.values = NULL};
    gpu_status status = fp_lookback_begin(node->g, node->length, size, true, size, &lookback);
    for (unsigned k = 0; k < fp_lookback_sweeps(g) && !status; k++) status = launch(node, op, start, &lookback, out, k);
    fp_lookback_end(&lookback);
    return status ? status : verify(node, op, start, out);
}

static gpu_status run_on_host(fp_node *node, const fp_operator *op, const void *start, fp_buffer *out)
{
    fp_device_order order;
    order_of(node, op, &order);
    return fp_host_scan(node, op, start, node->g->facts->host ? NULL : &order, fp_buffer_memory(out));
}

static bool is_small(fp_node *node, fp_operator *op)
{
    fp_device_order order;
    return fp_host_takes(node, &op, 1) && (node->g->facts->host || order_of(node, op, &order));
}

fp_node *fp_scan(fp_node *node, fp_operator *op, const void *start)
{
    gpu *g = node->g;
    fp_buffer *out = NULL;
    fp_node_count(node);
    if (!node->length) return fp_node_buffer(g, node->type, 0, NULL, 0);
    gpu_status status = fp_node_prepare(node);
    if (!status) status = fp_operator_prepare(op);
    const bool here = !status && is_small(node, op);
    if (!status) status = fp_elements_new_at(g, here, node->type, node->length, &out);
    if (!status) status = here ? run_on_host(node, op, start, out) : launch_sweeps(node, op, start, out);
    fp_node *result = status ? NULL : fp_node_result(node->type, node->length, out, fp_node_count(node), node, op);
    fp_buffer_drop(out);
    return result;
}

static gpu_status run(const fp_task *task, fp_node **result)
{
    *result = fp_scan(task->inputs[0], task->op, task->values[0]);
    return *result ? GPU_OK : fp_last_status();
}

static gpu_array *scan_array(const gpu_array *a, const char *operation, const gpu_value *start, const gpu_operator *op)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), operation, fp_place_of(op));
    fp_task task = {.run = run};
    gpu_status status = fp_task_input(&task, a, "a");
    if (!status && start) status = fp_check_value(start, a->node->type, "start");
    if (!status) status = fp_task_bind(&task, op, &(fp_role){operation, 2, 0});
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
