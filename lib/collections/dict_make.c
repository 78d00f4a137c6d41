/* Dictionaries of arrays and of other dictionaries. */
#include "base/error.h"
#include "collections/dict.h"
#include "expressions/types.h"
#include "ops/by_key.h"
#include "ops/merge.h"
#include "ops/move.h"
#include "ops/order.h"
#include "planning/eval.h"

/* ---- sorting and combining ---- */

/* Keys, and values beside them. */
static gpu_status run_sort(const fp_task *task, fp_node **results)
{
    const fp_order order = fp_task_order(task);
    fp_node *keys = task->inputs[0], *values = task->inputs[1];
    gpu_status status = fp_keyed_lengths(task);
    return status ? status : fp_sort_pairs(keys, values, &order, values->type, &results[0], &results[1]);
}

/* Marks the keys that come after the one before them. */
static gpu_status run_mark(const fp_task *task, fp_node **result)
{
    fp_node *keys = task->inputs[0], *before = fp_node_previous(keys);
    if (before) *result = fp_node_map(GPU_UINT, fp_operator_keep(task->op), (fp_node *const[]){before, keys}, 2);
    fp_node_drop(before);
    return *result ? GPU_OK : fp_last_status();
}

/* inputs: keys, values and, unless they differ by !=, marks. */
static gpu_status run_combine(const fp_task *task, fp_node **results)
{
    fp_node *keys = task->inputs[0], *values = task->inputs[1];
    return fp_combine_by_key(task->op, keys, values, task->inputs[2], values->type, false, results);
}

/* The dictionary of sorted keys. NaN and structs are not equal by ==, but by their order. */
static gpu_dict *combine(fp_dict_call *call, fp_node *keys, fp_node *values)
{
    if (call->status) return fp_dict_end(call, NULL, NULL);
    const bool has_equality = call->natural && keys->type->kind != GPU_KIND_FLOATING;
    const fp_task mark = {.run = run_mark, .inputs = {keys}, .op = call->less, .results = {GPU_UINT}, .aligned = true};
    fp_node *marks = has_equality ? NULL : fp_dict_step(call, mark);
    fp_node *const *combined = &call->made[call->count];
    fp_dict_step(call, (fp_task){.run = run_combine,
                                 .inputs = {keys, values, marks},
                                 .op = call->op,
                                 .results = {values->type, keys->type}});
    return fp_dict_end(call, combined[1], combined[0]);
}

/* Orders keys and values by a step, and combines them. */
static gpu_dict *make(fp_dict_call *call, fp_task task)
{
    fp_node *const *sorted = &call->made[call->count];
    if (call->status) return fp_dict_end(call, NULL, NULL);
    gpu_type key = task.inputs[0]->type, value = task.inputs[1]->type;
    task.op = call->less;
    task.order = (fp_order){.key = key, .value = value, .natural = call->natural};
    task.results[0] = key;
    task.results[1] = value;
    fp_dict_step(call, task);
    return combine(call, sorted[0], sorted[1]);
}

/* The operator also compares neighbours, in a map. */
static gpu_status bind_order(fp_dict_call *call, const gpu_array *keys, const gpu_operator *less)
{
    fp_order order;
    gpu_status status = fp_order_by(keys->g, keys->node->type, NULL, NULL, less, &order);
    if (status) return status;
    order.less->predicate = order.less->combines = true;
    call->less = order.less;
    call->natural = order.natural;
    return GPU_OK;
}

/* An operator that combines two values. */
static void bind_combiner(fp_dict_call *call, const gpu_operator *op, gpu_type type)
{
    fp_dict_bind(call, op, &(fp_operator_kind){fp_operation(), 2, 0, {type}, type});
}

gpu_dict *gpu_dict_of_op(const gpu_array *keys, const gpu_array *values, const gpu_operator *less,
                         const gpu_operator *op)
{
    const char *operation = less ? "gpu_dict_of_by" : "gpu_dict_of";
    fp_dict_call call = {.entry = fp_entry_begin(fp_keyed_gpu(keys, values), operation, fp_place_of(op))};
    call.status = fp_keyed_accept(keys, values);
    if (!call.status) call.status = bind_order(&call, keys, less);
    if (!call.status) bind_combiner(&call, op, values->node->type);
    if (call.status) return fp_dict_end(&call, NULL, NULL);
    return make(&call, (fp_task){.run = run_sort, .inputs = {keys->node, values->node}});
}

/* ---- map, filter, remove ---- */

static fp_node *map(fp_dict_call *call, fp_operator *op, gpu_type type, fp_node *a, fp_node *b)
{
    return fp_dict_step(call,
                        (fp_task){.run = fp_run_map, .inputs = {a, b}, .op = op, .results = {type}, .aligned = true});
}

static void bind_keyed(fp_dict_call *call, const gpu_dict *d, const gpu_operator *op, unsigned traits, gpu_type result)
{
    const fp_operator_kind kind = {fp_operation(),
                                   2,
                                   FP_OPERATOR_INDEX | FP_OPERATOR_KEYED | traits,
                                   {d->keys.node->type, d->values->type},
                                   result};
    fp_dict_bind(call, op, &kind);
}

gpu_dict *gpu_dict_map_op(const gpu_dict *d, gpu_type type, const gpu_operator *op)
{
    fp_dict_call call = fp_dict_begin(fp_dict_gpu(d), d, "d", "gpu_dict_map", fp_place_of(op));
    if (!call.status && !type) type = d->values->type;
    if (!call.status) call.status = fp_gpu_check_type(d->keys.g, &type);
    if (!call.status) bind_keyed(&call, d, op, 0, type);
    if (call.status) return fp_dict_end(&call, NULL, NULL);
    fp_node *values = map(&call, call.op, type, d->keys.node, d->values);
    return fp_dict_end(&call, d->keys.node, values);
}

/* The dictionary of the keys at these places. */
static gpu_dict *choose(fp_dict_call *call, const gpu_dict *d, fp_node *places)
{
    fp_node *keys = fp_dict_gather(call, d->keys.node, places, false);
    fp_node *values = fp_dict_gather(call, d->values, places, false);
    return fp_dict_end(call, keys, values);
}

gpu_dict *gpu_dict_filter_op(const gpu_dict *d, const gpu_operator *pred)
{
    fp_dict_call call = fp_dict_begin(fp_dict_gpu(d), d, "d", "gpu_dict_filter", fp_place_of(pred));
    if (!call.status) bind_keyed(&call, d, pred, FP_OPERATOR_DECIDES, NULL);
    if (call.status) return fp_dict_end(&call, NULL, NULL);
    return choose(&call, d, fp_dict_select(&call, call.op, d->keys.node, d->values));
}

static gpu_status run_sort_keys(const fp_task *task, fp_node **result)
{
    const fp_order order = fp_task_order(task);
    return fp_node_give(fp_sort(task->inputs[0], &order), result);
}

gpu_dict *gpu_dict_remove_op(const gpu_dict *d, const gpu_array *keys, const gpu_place *place)
{
    fp_dict_call call = fp_dict_begin_with(d, keys, "gpu_dict_remove", place);
    if (call.status) return fp_dict_end(&call, NULL, NULL);
    const fp_order order = {.key = keys->node->type, .natural = call.natural};
    fp_node *sorted = fp_dict_step(&call, (fp_task){.run = run_sort_keys,
                                                    .inputs = {keys->node},
                                                    .op = call.less,
                                                    .order = order,
                                                    .results = {keys->node->type}});
    fp_node *found = fp_dict_find(&call, call.less, sorted, d->keys.node);
    return choose(&call, d, fp_dict_select_found(&call, found, false));
}

/* ---- two dictionaries ---- */

static gpu_status check_two(const gpu_dict *a, const gpu_dict *b)
{
    gpu_status status = fp_dict_accept(b, "b");
    if (status) return status;
    if (a->keys.g != b->keys.g) return fp_fail(GPU_E_ARGUMENT, "the dictionaries 'a' and 'b' belong to different gpus");
    gpu_type key = a->keys.node->type, other_key = b->keys.node->type;
    gpu_type value = a->values->type, other_value = b->values->type;
    if (gpu_type_equal(key, other_key) && gpu_type_equal(value, other_value)) return GPU_OK;
    return fp_fail(GPU_E_TYPE, "the dictionary 'a' maps %s to %s, and 'b' maps %s to %s", key->name, value->name,
                   other_key->name, other_value->name);
}

/* A call on two dictionaries, in the order of the first. */
static fp_dict_call begin_two(const gpu_dict *a, const gpu_dict *b, const char *operation, const gpu_operator *op)
{
    gpu *g = fp_first_gpu(fp_dict_gpu(a), fp_dict_gpu(b));
    fp_dict_call call = fp_dict_begin(g, a, "a", operation, fp_place_of(op));
    if (!call.status) call.status = check_two(a, b);
    if (!call.status) bind_combiner(&call, op, a->values->type);
    return call;
}

static gpu_status run_join(const fp_task *task, fp_node **result)
{
    size_t of_a;
    return fp_node_give(fp_join(task->inputs[0], task->inputs[1], &of_a), result);
}

static fp_node *join(fp_dict_call *call, fp_node *a, fp_node *b)
{
    return fp_dict_step(call, (fp_task){.run = run_join, .inputs = {a, b}, .results = {a->type}});
}

/* inputs: the keys of both, their values, and the keys of the first. */
static gpu_status run_merge(const fp_task *task, fp_node **results)
{
    size_t of_a;
    const fp_order order = fp_task_order(task);
    gpu_status status = fp_node_wait_length(task->inputs[2], &of_a);
    return status ? status : fp_merge_pairs(task->inputs[0], task->inputs[1], of_a, &order, results);
}

gpu_dict *gpu_dict_merge_op(const gpu_dict *a, const gpu_dict *b, const gpu_operator *op)
{
    fp_dict_call call = begin_two(a, b, "gpu_dict_merge", op);
    if (call.status) return fp_dict_end(&call, NULL, NULL);
    const bool same_order = (a->natural && b->natural) || a->less == b->less;
    fp_node *keys = join(&call, a->keys.node, b->keys.node), *values = join(&call, a->values, b->values);
    return make(&call, (fp_task){.run = same_order ? run_merge : run_sort, .inputs = {keys, values, a->keys.node}});
}

gpu_dict *gpu_dict_intersect_op(const gpu_dict *a, const gpu_dict *b, const gpu_operator *op)
{
    fp_dict_call call = begin_two(a, b, "gpu_dict_intersect", op);
    if (call.status) return fp_dict_end(&call, NULL, NULL);
    fp_node *rows[3];
    call.op->combines = true;
    fp_dict_join(&call, b, a->keys.node, a->values, rows);
    return fp_dict_end(&call, rows[0], map(&call, call.op, a->values->type, rows[2], rows[1]));
}
