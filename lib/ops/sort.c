/* Sort, and the operations built on it. */
#include "base/error.h"
#include "expressions/types.h"
#include "ops/by_key.h"
#include "ops/order.h"
#include "ops/search.h"
#include "planning/eval.h"

#include <firepile/select.h>

static gpu_status take_order(fp_task *task, gpu_type value, const gpu_sort_options *options, const gpu_operator *less)
{
    gpu_status status = fp_order_by(task->g, task->inputs[0]->type, value, options, less, &task->order);
    task->op = task->order.less;
    return status;
}

/* ---- keys alone ---- */

/* numbers[0]: the algorithm. */
static gpu_status run_sort(const fp_task *task, fp_node **result)
{
    const fp_order order = fp_task_order(task);
    return fp_sort_ready(task->ready, &order, (gpu_sort_algorithm)task->numbers[0], task->epilogue, result);
}

static gpu_array *sort(const gpu_array *a, const char *operation, const gpu_sort_options *options,
                       const gpu_operator *less, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), operation, place);
    const gpu_sort_algorithm algorithm = options ? options->algorithm : GPU_SORT_AUTO;
    fp_task task = {.run = run_sort, .delayed = true, .numbers = {algorithm}};
    gpu_status status = fp_task_input(&task, a, "a");
    if (!status) status = take_order(&task, NULL, options, less);
    if (!status) status = fp_sort_check(algorithm, &task.order);
    return fp_task_array(&entry, &task, status);
}

gpu_array *gpu_sort_op(const gpu_array *a, const gpu_sort_options *options, const gpu_operator *less,
                       const gpu_place *place)
{
    return sort(a, options ? "gpu_sort_with" : less ? "gpu_sort_by" : "gpu_sort", options, less, place);
}

gpu_array *gpu_sort_descending_op(const gpu_array *a, const gpu_place *place)
{
    return sort(a, "gpu_sort_descending", &(const gpu_sort_options){.descending = true}, NULL, place);
}

/* ---- keys with values ---- */

static gpu_status run_sort_pairs(const fp_task *task, fp_node **nodes)
{
    const fp_order order = fp_task_order(task);
    gpu_status status = fp_keyed_lengths(task);
    fp_node *keys = task->inputs[0], *values = task->inputs[1];
    return status ? status : fp_sort_pairs(keys, values, &order, values->type, &nodes[0], &nodes[1]);
}

gpu_status gpu_sort_pairs_op(const gpu_array *keys, const gpu_array *values, const gpu_operator *less, gpu_array **k,
                             gpu_array **v, const gpu_place *place)
{
    const char *operation = less ? "gpu_sort_pairs_by" : "gpu_sort_pairs";
    fp_entry entry = fp_entry_begin(fp_keyed_gpu(keys, values), operation, place);
    fp_task task = {.run = run_sort_pairs};
    gpu_status status = fp_two_check(k, v);
    if (!status) status = fp_keyed_inputs(&task, keys, values);
    if (!status) status = take_order(&task, values->node->type, NULL, less);
    if (!status) fp_task_gives_two(&task, keys->node->type, values->node->type);
    return fp_two_end(&entry, &task, status, k, v);
}

/* type: of the keys. */
static gpu_status run_sort_key(const fp_task *task, fp_node **result)
{
    fp_node *node = task->inputs[0], *keys = fp_node_map(task->type, fp_operator_keep(task->op), &node, 1);
    gpu_status status = keys ? fp_sort_by_keys(keys, node, false, node->type, NULL, result) : fp_last_status();
    fp_node_drop(keys);
    return status;
}

gpu_array *gpu_sort_key_op(const gpu_array *a, gpu_type type, const gpu_operator *key)
{
    static const char operation[] = "gpu_sort_key";
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), operation, fp_place_of(key));
    fp_task task = {.run = run_sort_key};
    gpu_status status = fp_task_input(&task, a, "a");
    if (!status) status = fp_gpu_check_type(a->g, &type);
    if (!status) status = fp_order_check(type);
    task.type = type;
    if (!status)
        status = fp_task_bind(&task, key, &(fp_operator_kind){operation, 1, FP_OPERATOR_INDEX, {a->node->type}, type});
    return fp_task_array(&entry, &task, status);
}

/* Indices move as uints if they fit. */
static gpu_status run_argsort(const fp_task *task, fp_node **result)
{
    fp_node *node = task->inputs[0];
    fp_order order = fp_task_order(task);
    order.value = fp_node_most(node) <= UINT32_MAX ? GPU_UINT : GPU_ULONG;
    fp_node *indices = fp_node_map_own(order.value, "i", NULL, &node, 1);
    gpu_status status = indices ? fp_sort_pairs(node, indices, &order, GPU_ULONG, NULL, result) : fp_last_status();
    fp_node_drop(indices);
    return status;
}

static gpu_array *argsort(const gpu_array *a, const char *operation, const gpu_operator *less, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), operation, place);
    fp_task task = {.run = run_argsort, .results = {GPU_ULONG}, .result_count = 1};
    gpu_status status = fp_task_input(&task, a, "a");
    if (!status) status = take_order(&task, NULL, NULL, less);
    return fp_task_array(&entry, &task, status);
}

gpu_array *gpu_argsort_op(const gpu_array *a, const gpu_place *place)
{
    return argsort(a, "gpu_argsort", NULL, place);
}

gpu_array *gpu_argsort_by_op(const gpu_array *a, const gpu_operator *less)
{
    return argsort(a, "gpu_argsort_by", less, fp_place_of(less));
}

/* ---- groups ---- */

/* Narrow keys are sorted too, by the digits that differ. Bins would need a wait for the range of the keys, or launches
 * of both ways. They would also combine floats in another order than that of wide keys. */
static gpu_status run_group_reduce(const fp_task *task, fp_node **nodes)
{
    gpu_status status = fp_keyed_lengths(task);
    return status ? status : fp_group_by_keys(task->op, task->inputs[0], task->inputs[1], nodes);
}

gpu_status gpu_group_reduce_op(const gpu_array *keys, const gpu_array *values, const gpu_operator *op, gpu_array **k,
                               gpu_array **v)
{
    fp_entry entry = fp_entry_begin(fp_keyed_gpu(keys, values), "gpu_group_reduce", fp_place_of(op));
    fp_task task = {.run = run_group_reduce};
    gpu_status status = fp_two_check(k, v);
    if (!status) status = fp_keyed_inputs(&task, keys, values);
    if (!status) status = fp_order_check(keys->node->type);
    if (!status) status = fp_task_bind_combiner(&task, op, values->node->type);
    if (!status) fp_task_gives_two(&task, values->node->type, keys->node->type);
    return fp_two_end(&entry, &task, status, v, k);
}

/* ---- sorted arrays ---- */

/* Flags the elements that belong before their predecessor. */
static fp_node *descents(fp_node *node)
{
    bool floating = node->type->kind == GPU_KIND_FLOATING;
    const char *text = floating ? "i > 0 && (x < y || (y != y && x == x))" : "i > 0 && x < y";
    fp_node *before = fp_node_previous(node);
    fp_node *flags = before ? fp_node_map_own(GPU_UINT, text, NULL, (fp_node *const[]){node, before}, 2) : NULL;
    fp_node_drop(before);
    return flags;
}

static gpu_status is_sorted(fp_entry *entry, const gpu_array *a, bool *out)
{
    size_t index;
    gpu_status status = fp_array_check(a, "a");
    if (!status) status = fp_check_scalars_of(a, "a");
    if (!status) status = fp_check_pointer(out);
    fp_node *flags = status ? NULL : descents(a->node);
    if (!flags) return status ? status : fp_last_status();
    status = fp_search_flags(entry, flags, &index);
    if (!status) *out = index == GPU_NOT_FOUND;
    return status;
}

gpu_status gpu_is_sorted_op(const gpu_array *a, bool *out, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_is_sorted", place);
    return fp_entry_end(&entry, is_sorted(&entry, a, out));
}
