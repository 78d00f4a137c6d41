#include "arrays/array.h"
#include "base/error.h"
#include "expressions/types.h"
#include "kernel/layout.h"
#include "kernel/type.h"
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
    return status ? status : fp_run_map(task, result);
}

/* The gpu of the first array that has one. The arrays may be in error or of different gpus. */
static gpu *gpu_of(const gpu_array *const *arrays, unsigned count)
{
    gpu *g = NULL;
    for (unsigned k = 0; k < count && !g; k++) g = fp_array_gpu(arrays[k]);
    return g;
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

/* The result belongs to the first gpu. */
static gpu_array *map(const gpu_array *const *arrays, unsigned count, const char *operation, gpu_type type,
                      const gpu_operator *op)
{
    gpu *g = gpu_of(arrays, count);
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

/* ---- zip ---- */

static gpu_status check_member(gpu_type pair, const char *member, gpu_type type, gpu_type element, const char *which)
{
    if (gpu_type_equal(type, element)) return GPU_OK;
    return fp_fail(GPU_E_TYPE, "the member %s of %s is %s, and the elements of '%s' are %s", member, pair->name,
                   type->name, which, element->name);
}

static bool is_member(const fp_member *m, const char *name)
{
    return m && m->type && !m->lengths.length && fp_is_named(m->name.bytes, m->name.length, name);
}

/* The types of a pair's members; NULL unless they are x, then y, and there are no others. */
static gpu_status members_of(gpu_type pair, gpu_type *members)
{
    fp_layout *layout;
    members[0] = members[1] = pair->width == 2 ? fp_type_scalar(pair) : NULL;
    gpu_status status = pair->kind == GPU_KIND_STRUCT ? fp_layout_parse(pair, &layout) : GPU_OK;
    if (status || pair->kind != GPU_KIND_STRUCT) return status;
    const fp_member *x = layout->root.first, *y = x ? x->next : NULL;
    if (is_member(x, "x") && is_member(y, "y") && !y->next) {
        members[0] = x->type;
        members[1] = y->type;
    }
    fp_layout_free(layout);
    return GPU_OK;
}

static gpu_status check_pair(const fp_task *task, gpu_type pair)
{
    gpu_type members[2];
    gpu_status status = members_of(pair, members);
    if (status) return status;
    if (!members[0])
        return fp_fail(GPU_E_TYPE,
                       "%s is no type of pairs: that is a struct of two members, x and y, or a vector such as float2",
                       pair->name);
    status = check_member(pair, "x", members[0], task->inputs[0]->type, names[0]);
    return status ? status : check_member(pair, "y", members[1], task->inputs[1]->type, names[1]);
}

gpu_array *gpu_zip_op(const gpu_array *a, const gpu_array *b, gpu_type type, const gpu_place *place)
{
    const gpu_array *const arrays[] = {a, b};
    gpu *g = gpu_of(arrays, 2);
    fp_entry entry = fp_entry_begin(g, "gpu_zip", place);
    fp_task task = {.run = run, .aligned = true};
    gpu_status status = take(&task, arrays, 2);
    if (!status) status = fp_gpu_check_type(g, &type);
    if (!status) status = check_pair(&task, type);
    if (!status) status = fp_operator_bind_own(g, "{ fp_result p; p.x = x; p.y = y; return p; }", NULL, &task.op);
    if (!status) fp_task_gives(&task, type);
    return fp_task_array(&entry, &task, status);
}
