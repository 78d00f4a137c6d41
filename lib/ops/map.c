#include "arrays/array.h"
#include "base/error.h"
#include "expressions/types.h"
#include "planning/eval.h"
#include "planning/task.h"

#include <firepile/map.h>

static const char *const names[FP_INPUTS] = {"a", "b", "c"};

/* Arrays that are mapped together must be equally long. */
static gpu_status check_lengths(const fp_task *task)
{
    fp_node *const *nodes = task->inputs;
    for (unsigned k = 1; k < task->input_count; k++) {
        if (fp_node_same_extent(nodes[0], nodes[k])) continue;
        size_t first, other;
        gpu_status status = fp_node_wait_length(nodes[0], &first);
        if (!status) status = fp_node_wait_length(nodes[k], &other);
        if (status) return status;
        if (first != other)
            return fp_fail(GPU_E_ARGUMENT,
                           "the arrays 'a' and '%s' have %zu and %zu elements, and must be equally long", names[k],
                           first, other);
    }
    return GPU_OK;
}

static gpu_status run(const fp_task *task, fp_node **result)
{
    gpu_status status = check_lengths(task);
    if (status) return status;
    *result = fp_node_map(task->results[0], fp_operator_keep(task->op), task->inputs, task->input_count);
    return *result ? GPU_OK : fp_last_status();
}

static gpu_status take(fp_task *task, const gpu_array *const *arrays, unsigned count)
{
    gpu_status status = GPU_OK;
    for (unsigned k = 0; k < count && !status; k++) status = fp_task_input(task, arrays[k], names[k]);
    for (unsigned k = 1; k < count && !status; k++)
        if (arrays[k]->g != arrays[0]->g)
            status = fp_fail(GPU_E_ARGUMENT, "the arrays 'a' and '%s' belong to different gpus", names[k]);
    return status;
}

/* The arrays may be in error or of different gpus. The result belongs to the first gpu. */
static gpu_array *map(const gpu_array *const *arrays, unsigned count, const char *operation, gpu_type type,
                      const gpu_operator *op)
{
    gpu *g = NULL;
    for (unsigned k = 0; k < count && !g; k++) g = fp_array_gpu(arrays[k]);
    fp_entry entry = fp_entry_begin(g, operation, fp_place_of(op));
    fp_task task = {.run = run, .aligned = true};
    gpu_status status = take(&task, arrays, count);
    if (!status && !type) type = task.inputs[0]->type;
    if (!status) status = fp_gpu_check_type(g, &type);
    fp_operator_kind kind = {operation, count, FP_OPERATOR_INDEX, {NULL}, type};
    for (unsigned k = 0; k < count && !status; k++) kind.types[k] = task.inputs[k]->type;
    if (!status) status = fp_task_bind(&task, op, &kind);
    if (!status) fp_task_gives(&task, type);
    return fp_task_array(&entry, &task, status);
}

gpu_array *gpu_map_op(const gpu_array *a, gpu_type type, const gpu_operator *op)
{
    return map(&a, 1, "gpu_map", type, op);
}

gpu_array *gpu_map2_op(const gpu_array *a, const gpu_array *b, gpu_type type, const gpu_operator *op)
{
    return map((const gpu_array *const[]){a, b}, 2, "gpu_map2", type, op);
}

gpu_array *gpu_map3_op(const gpu_array *a, const gpu_array *b, const gpu_array *c, gpu_type type,
                       const gpu_operator *op)
{
    return map((const gpu_array *const[]){a, b, c}, 3, "gpu_map3", type, op);
}
