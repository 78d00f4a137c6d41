#include "ops/order.h"

#include "array/plan.h"
#include "base/error.h"
#include "kernel/type.h"

const char *fp_order_text(gpu_type type, bool descending)
{
    if (type->kind != GPU_KIND_FLOATING) return descending ? "a > b" : "a < b";
    return descending ? "a > b || (b != b && a == a)" : "a < b || (b != b && a == a)";
}

gpu_status fp_order_natural(gpu *g, gpu_type key, bool keyed, bool descending, const char *operation, fp_order *out)
{
    *out = (fp_order){.key = key, .keyed = keyed, .natural = true, .descending = descending};
    if (!fp_type_is_scalar(key))
        return fp_fail(GPU_E_TYPE, "%s has no order of its own: give a comparator, or a key with gpu_sort_key",
                       key->name);
    const gpu_operator op = {.snippet = fp_order_text(key, descending)};
    return fp_operator_bind(g, &op, &(fp_role){operation, 2, false, true}, &out->less);
}

gpu_status fp_order_by(gpu *g, gpu_type key, bool keyed, const gpu_sort_options *options, const gpu_operator *less,
                       const char *operation, fp_order *out)
{
    bool descending = options && options->descending;
    if (!less || (!less->snippet && !less->function))
        return fp_order_natural(g, key, keyed, descending, operation, out);
    *out = (fp_order){.key = key, .keyed = keyed, .descending = descending};
    gpu_status status = fp_operator_bind(g, less, &(fp_role){operation, 2, false, false}, &out->less);
    if (!status) out->less->predicate = true;
    return status;
}

void fp_order_end(fp_order *order)
{
    fp_operator_free(order->less);
}

void fp_order_slots(fp_plan *plan, const fp_order *order)
{
    fp_plan_compare(plan, order->less, order->key);
    fp_plan_slot(plan, "FP_KEYED", order->keyed);
    fp_plan_slot(plan, "FP_DESCENDING", order->descending && !order->natural);
}

fp_node *fp_pair_up(fp_node *v, fp_node *w, const char *operation)
{
    const gpu_operator op = {.snippet = "{ fp_result p; p.v0 = x; p.w0 = y; return p; }"};
    gpu_type pair = fp_gpu_pair_type(v->g, v->type, w->type, false);
    fp_operator *bound;
    if (!pair || fp_operator_bind(v->g, &op, &(fp_role){operation, 2, false, true}, &bound)) return NULL;
    return fp_node_map(pair, bound, (fp_node *const[]){v, w}, 2);
}

fp_node *fp_unpair(fp_node *pairs, const char *member, gpu_type type, const char *operation)
{
    fp_operator *bound;
    if (fp_operator_bind(pairs->g, &(gpu_operator){.snippet = member}, &(fp_role){operation, 1, false, true}, &bound))
        return NULL;
    return fp_node_map(type, bound, &pairs, 1);
}

fp_node *fp_node_every(fp_node *node, size_t stride, size_t count)
{
    const uint64_t apart = stride;
    const gpu_capture each = {"apart", &apart, GPU_ULONG, sizeof apart};
    const gpu_operator op = {.snippet = "x * apart", .captures = (const gpu_capture *const[]){&each, NULL}};
    fp_operator *bound;
    fp_node *range = fp_node_range(node->g, GPU_ULONG, count);
    gpu_status status =
        range ? fp_operator_bind(node->g, &op, &(fp_role){fp_operation(), 1, false, true}, &bound) : fp_last_status();
    fp_node *places = status ? NULL : fp_node_map(GPU_ULONG, bound, &range, 1);
    fp_node *chosen = places ? fp_node_gather(node, places) : NULL;
    fp_node_drop(range);
    fp_node_drop(places);
    return chosen;
}

/* Below so many elements the launches of radix take longer than merging. */
enum { FEW = 1 << 12 };

static gpu_sort_algorithm choose(const fp_node *node, const fp_order *order)
{
    return order->natural && node->length > FEW ? GPU_SORT_RADIX : GPU_SORT_MERGE;
}

fp_node *fp_sort(fp_node *node, const fp_order *order, gpu_sort_algorithm algorithm)
{
    fp_node_count(node);
    if (!node->length) return fp_node_result(node->type, 0, NULL, NULL, node, NULL);
    if (fp_node_prepare(node) || fp_operator_prepare(order->less)) return NULL;
    switch (algorithm == GPU_SORT_AUTO ? choose(node, order) : algorithm) {
    case GPU_SORT_AUTO:
    case GPU_SORT_MERGE:
        return fp_sort_merge(node, order);
    case GPU_SORT_BITONIC:
        return fp_sort_bitonic(node, order);
    case GPU_SORT_RADIX:
        if (order->natural) return fp_sort_radix(node, order);
        fp_fail(GPU_E_ARGUMENT, "radix sort follows the elements' own order: give a key, or take GPU_SORT_MERGE");
        return NULL;
    }
    fp_fail(GPU_E_ARGUMENT, "there is no sort algorithm number %d", (int)algorithm);
    return NULL;
}
