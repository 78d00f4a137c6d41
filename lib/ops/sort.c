/* Sort and what is made of it. */
#include "base/error.h"
#include "kernel/type.h"
#include "ops/by_key.h"
#include "ops/order.h"
#include "ops/search.h"
#include "ops/two.h"

#include <firepile/select.h>

/* ---- keys alone ---- */

static fp_node *sort(const gpu_array *a, const gpu_sort_options *options, const gpu_operator *less,
                     const char *operation)
{
    fp_order order = {.less = NULL};
    gpu_status status = fp_array_check(a, "a");
    if (!status) status = fp_order_by(a->g, a->node->type, NULL, options, less, operation, &order);
    fp_node *sorted = status ? NULL : fp_sort(a->node, &order, options ? options->algorithm : GPU_SORT_AUTO);
    fp_order_end(&order);
    return sorted;
}

gpu_array *gpu_sort_op(const gpu_array *a, const gpu_sort_options *options, const gpu_operator *less,
                       const gpu_place *place)
{
    const char *operation = options ? "gpu_sort_with" : less ? "gpu_sort_by" : "gpu_sort";
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), operation, place);
    return fp_array_end(&entry, sort(a, options, less, operation));
}

/* ---- keys with values ---- */

static gpu_status sort_keyed(fp_node *keys, fp_node *values, const gpu_operator *less, const char *operation,
                             fp_node **nodes)
{
    fp_order order;
    gpu_status status = fp_order_by(keys->g, keys->type, values->type, NULL, less, operation, &order);
    fp_node *pairs = status ? NULL : fp_pair_up(keys, values, operation);
    status = pairs ? fp_sort_pairs(pairs, &order, values->type, &nodes[0], &nodes[1]) : fp_last_status();
    fp_node_drop(pairs);
    fp_order_end(&order);
    return status;
}

gpu_status gpu_sort_pairs_op(const gpu_array *keys, const gpu_array *values, const gpu_operator *less, gpu_array **k,
                             gpu_array **v, const gpu_place *place)
{
    const char *operation = less ? "gpu_sort_pairs_by" : "gpu_sort_pairs";
    fp_node *nodes[2] = {NULL};
    fp_entry entry = fp_entry_begin(keys ? fp_array_gpu(keys) : fp_array_gpu(values), operation, place);
    gpu_status status = fp_two_check(k, v);
    if (!status) status = fp_check_keyed(keys, values);
    if (!status) status = sort_keyed(keys->node, values->node, less, operation, nodes);
    return fp_two_end(&entry, status, nodes, k, v);
}

/* Sorts values by keys; the values alone, of `type`. */
static fp_node *sort_by_keys(fp_node *keys, fp_node *values, gpu_type type, const char *operation)
{
    fp_order order;
    gpu_status status = fp_order_natural(keys->g, keys->type, values->type, false, operation, &order);
    fp_node *pairs = status ? NULL : fp_pair_up(keys, values, operation), *sorted = NULL;
    if (pairs) fp_sort_pairs(pairs, &order, type, NULL, &sorted);
    fp_node_drop(pairs);
    fp_order_end(&order);
    return sorted;
}

static fp_node *sort_key(const gpu_array *a, gpu_type type, const gpu_operator *key)
{
    static const char operation[] = "gpu_sort_key";
    fp_operator *op;
    if (fp_array_check(a, "a") || fp_gpu_check_type(a->g, type) ||
        fp_operator_bind(a->g, key, &(fp_role){operation, 1, true, false}, &op))
        return NULL;
    fp_node *keys = fp_node_map(type, op, &a->node, 1);
    fp_node *sorted = keys ? sort_by_keys(keys, a->node, a->node->type, operation) : NULL;
    fp_node_drop(keys);
    return sorted;
}

gpu_array *gpu_sort_key_op(const gpu_array *a, gpu_type type, const gpu_operator *key)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_sort_key", key ? key->place : NULL);
    return fp_array_end(&entry, sort_key(a, type, key));
}

/* Indices move as uints if they fit. */
static fp_node *argsort(const gpu_array *a)
{
    static const char operation[] = "gpu_argsort";
    fp_operator *op;
    if (fp_array_check(a, "a")) return NULL;
    fp_node_count(a->node);
    gpu_type type = a->node->length <= UINT32_MAX ? GPU_UINT : GPU_ULONG;
    if (fp_operator_bind(a->g, &(gpu_operator){.snippet = "i"}, &(fp_role){operation, 1, true, true}, &op)) return NULL;
    fp_node *indices = fp_node_map(type, op, &a->node, 1);
    fp_node *sorted = indices ? sort_by_keys(a->node, indices, GPU_ULONG, operation) : NULL;
    fp_node_drop(indices);
    return sorted;
}

gpu_array *gpu_argsort_op(const gpu_array *a, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_argsort", place);
    return fp_array_end(&entry, argsort(a));
}

/* ---- groups ---- */

static gpu_status group_reduce(fp_node *keys, fp_node *values, const gpu_operator *op, fp_node **nodes)
{
    static const char operation[] = "gpu_group_reduce";
    fp_operator *bound;
    fp_node *sorted[2] = {NULL};
    gpu_status status = fp_operator_bind(keys->g, op, &(fp_role){operation, 2, false, false}, &bound);
    if (status) return status;
    status = sort_keyed(keys, values, NULL, operation, sorted);
    if (!status) status = fp_reduce_by_key(operation, bound, sorted[0], sorted[1], NULL, nodes);
    fp_operator_free(bound);
    fp_node_drop(sorted[0]);
    fp_node_drop(sorted[1]);
    return status;
}

gpu_status gpu_group_reduce_op(const gpu_array *keys, const gpu_array *values, const gpu_operator *op, gpu_array **k,
                               gpu_array **v)
{
    fp_node *nodes[2] = {NULL};
    gpu *g = keys ? fp_array_gpu(keys) : fp_array_gpu(values);
    fp_entry entry = fp_entry_begin(g, "gpu_group_reduce", op ? op->place : NULL);
    gpu_status status = fp_two_check(k, v);
    if (!status) status = fp_check_keyed(keys, values);
    if (!status) status = group_reduce(keys->node, values->node, op, nodes);
    return fp_two_end(&entry, status, nodes, v, k);
}

/* ---- sorted arrays ---- */

static gpu_status check_scalars(const gpu_array *a, const char *which)
{
    gpu_status status = fp_array_check(a, which);
    if (status || fp_type_is_scalar(a->node->type)) return status;
    return fp_fail(GPU_E_TYPE, "the elements of '%s' must be scalars, and are %s", which, a->node->type->name);
}

/* Ones where an element belongs before the one in front of it. */
static fp_node *descents(fp_node *node)
{
    bool floating = node->type->kind == GPU_KIND_FLOATING;
    const gpu_operator op = {.snippet = floating ? "i > 0 && (x < y || (y != y && x == x))" : "i > 0 && x < y"};
    fp_node *before = fp_node_before(node);
    fp_operator *bound;
    gpu_status status =
        before ? fp_operator_bind(node->g, &op, &(fp_role){"gpu_is_sorted", 2, true, true}, &bound) : fp_last_status();
    fp_node *flags = status ? NULL : fp_node_map(GPU_UINT, bound, (fp_node *const[]){node, before}, 2);
    fp_node_drop(before);
    return flags;
}

static gpu_status is_sorted(fp_entry *entry, const gpu_array *a, bool *out)
{
    size_t index;
    gpu_status status = check_scalars(a, "a");
    if (!status && !out) status = fp_fail(GPU_E_ARGUMENT, "the output pointer is NULL");
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

/* Binary search; `less` says whether the element a belongs before x. */
#define SEARCH(less)                                                                                                   \
    "{ ulong low = 0, high = length;"                                                                                  \
    "  while (low < high) { const ulong middle = (low + high) / 2; const fp_operand a = sorted[middle];"               \
    "    if (" less ") low = middle + 1; else high = middle; } return low; }"

static fp_node *lower_bound(const gpu_array *sorted, const gpu_array *values)
{
    static const char operation[] = "gpu_lower_bound";
    if (check_scalars(sorted, "sorted") || check_scalars(values, "values") || fp_node_settle(sorted->node)) return NULL;
    gpu_type type = sorted->node->type;
    if (sorted->g != values->g) {
        fp_fail(GPU_E_ARGUMENT, "the sorted array and the values belong to different gpus");
        return NULL;
    }
    if (type != values->node->type) {
        fp_fail(GPU_E_TYPE, "the sorted elements are %s, and the values %s", type->name, values->node->type->name);
        return NULL;
    }
    const uint64_t length = sorted->node->length;
    const gpu_capture where = {"sorted", &sorted, GPU_CAPTURE_ARRAY, sizeof sorted};
    const gpu_capture many = {"length", &length, GPU_ULONG, sizeof length};
    const gpu_operator op = {.snippet = type->kind == GPU_KIND_FLOATING ? SEARCH("(a < x || (x != x && a == a))")
                                                                        : SEARCH("a < x"),
                             .captures = (const gpu_capture *const[]){&where, &many, NULL}};
    fp_operator *bound;
    if (fp_operator_bind(sorted->g, &op, &(fp_role){operation, 1, false, true}, &bound)) return NULL;
    return fp_node_map(GPU_ULONG, bound, &values->node, 1);
}

gpu_array *gpu_lower_bound_op(const gpu_array *sorted, const gpu_array *values, const gpu_place *place)
{
    gpu *g = fp_array_gpu(sorted) ? fp_array_gpu(sorted) : fp_array_gpu(values);
    fp_entry entry = fp_entry_begin(g, "gpu_lower_bound", place);
    return fp_array_end(&entry, lower_bound(sorted, values));
}
