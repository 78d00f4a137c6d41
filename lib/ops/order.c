#include "ops/order.h"

#include "array/plan.h"
#include "base/error.h"
#include "host/host.h"
#include "kernel/type.h"

#include <string.h>

const char *fp_order_text(gpu_type type, bool descending)
{
    if (type->kind != GPU_KIND_FLOATING) return descending ? "a > b" : "a < b";
    /* NaN belongs behind all others. Two comparisons without a branch. */
    return descending ? "!(a <= b) & (a == a)" : "!(a >= b) & (a == a)";
}

gpu_status fp_order_check(gpu_type key)
{
    if (fp_type_is_scalar(key)) return GPU_OK;
    static const struct {
        const char *operation, *advice;
    } advice[] = {{"gpu_sort", "give a comparator to gpu_sort_by, or a key to gpu_sort_key"},
                  {"gpu_sort_by", "give a comparator, or a key to gpu_sort_key"},
                  {"gpu_sort_with", "give a comparator, or a key to gpu_sort_key"},
                  {"gpu_sort_pairs", "give a comparator to gpu_sort_pairs_by"},
                  {"gpu_sort_pairs_by", "give a comparator"}};
    size_t k = 0;
    while (k < sizeof advice / sizeof *advice && strcmp(advice[k].operation, fp_operation())) k++;
    return fp_fail(GPU_E_TYPE, "%s has no order of its own: %s", key->name,
                   k < sizeof advice / sizeof *advice ? advice[k].advice
                                                      : "the keys must be scalars, map them to some");
}

gpu_status fp_order_natural(gpu *g, gpu_type key, gpu_type value, bool descending, const char *operation, fp_order *out)
{
    *out = (fp_order){.key = key, .value = value, .natural = true, .descending = descending};
    gpu_status status = fp_order_check(key);
    if (status) return status;
    const gpu_operator op = {.snippet = fp_order_text(key, descending)};
    return fp_operator_bind(g, &op, &(fp_role){.operation = operation, .operands = 2, .traits = FP_ROLE_OWN},
                            &out->less);
}

gpu_status fp_order_by(gpu *g, gpu_type key, gpu_type value, const gpu_sort_options *options, const gpu_operator *less,
                       const char *operation, fp_order *out)
{
    bool descending = options && options->descending;
    if (!less || (!less->snippet && !less->function))
        return fp_order_natural(g, key, value, descending, operation, out);
    *out = (fp_order){.key = key, .value = value, .descending = descending};
    gpu_status status =
        fp_operator_bind(g, less, &(fp_role){operation, 2, FP_ROLE_LATER | FP_ROLE_DECIDES, {key}, NULL}, &out->less);
    if (!status) out->less->predicate = true;
    return status;
}

void fp_order_end(fp_order *order)
{
    fp_operator_drop(order->less);
}

void fp_order_slots(fp_plan *plan, const fp_order *order)
{
    fp_plan_compare(plan, order->less, order->key);
    fp_plan_slot(plan, "FP_KEYED", order->value != NULL);
    fp_plan_slot(plan, "FP_DESCENDING", order->descending && !order->natural);
}

static gpu_type bits_of(gpu_type key)
{
    switch (key->size) {
    case 1:
        return GPU_UCHAR;
    case 2:
        return GPU_USHORT;
    case 4:
        return GPU_UINT;
    default:
        return GPU_ULONG;
    }
}

void fp_digit_slots(fp_plan *plan, const fp_order *order)
{
    fp_plan_name(plan, "FP_KEY", order->key);
    fp_plan_name(plan, "FP_BITS", bits_of(order->key));
    fp_plan_slot(plan, "FP_KEYED", order->value != NULL);
    fp_plan_slot(plan, "FP_DESCENDING", order->descending);
    fp_plan_slot(plan, "FP_FLOATING", order->key->kind == GPU_KIND_FLOATING);
    fp_plan_slot(plan, "FP_SIGNED", order->key->kind == GPU_KIND_SIGNED);
}

fp_node *fp_pair_up(fp_node *v, fp_node *w, const char *operation)
{
    const gpu_operator op = {.snippet = "{ fp_result p; p.v0 = x; p.w0 = y; return p; }"};
    gpu_type pair = fp_pair_type(v->type, w->type, false);
    fp_operator *bound;
    if (!pair ||
        fp_operator_bind(v->g, &op, &(fp_role){.operation = operation, .operands = 2, .traits = FP_ROLE_OWN}, &bound))
        return NULL;
    return fp_node_map(pair, bound, (fp_node *const[]){v, w}, 2);
}

fp_node *fp_node_every(fp_node *node, size_t stride, size_t count)
{
    const uint64_t apart = stride;
    const gpu_capture each = {"apart", &apart, GPU_ULONG, sizeof apart};
    const gpu_operator op = {.snippet = "x * apart", .captures = (const gpu_capture *const[]){&each, NULL}};
    fp_operator *bound;
    fp_node *range = fp_node_range(node->g, GPU_ULONG, count);
    gpu_status status =
        range ? fp_operator_bind(node->g, &op,
                                 &(fp_role){.operation = fp_operation(), .operands = 1, .traits = FP_ROLE_OWN}, &bound)
              : fp_last_status();
    fp_node *places = status ? NULL : fp_node_map(GPU_ULONG, bound, &range, 1);
    fp_node *chosen = places ? fp_node_gather(node, places) : NULL;
    fp_node_drop(range);
    fp_node_drop(places);
    return chosen;
}

/* ---- what comes out ---- */

/* A new array with as many elements as the input. */
static fp_node *new_array(gpu_type type, const fp_ready *input, const fp_order *order)
{
    fp_node *from = input->node;
    fp_buffer *buffer = NULL;
    if (input->length && fp_elements_new(from->g, type, input->length, &buffer)) return NULL;
    fp_node *node = fp_node_result(type, input->length, buffer, input->count, from, order->less);
    fp_buffer_drop(buffer);
    return node;
}

gpu_status fp_sorted_new(fp_sorted *sorted, const fp_ready *input, const fp_order *order)
{
    gpu_type element = sorted->finish ? sorted->finish->type : input->node->type;
    const gpu_type types[2] = {sorted->value ? sorted->keys ? order->key : NULL : element, sorted->value};
    for (int k = 0; k < 2; k++) {
        if (!types[k]) continue;
        sorted->nodes[k] = new_array(types[k], input, order);
        if (!sorted->nodes[k]) return fp_last_status();
    }
    return GPU_OK;
}

void fp_sorted_drop(fp_sorted *sorted)
{
    for (int k = 0; k < 2; k++) {
        fp_node_drop(sorted->nodes[k]);
        sorted->nodes[k] = NULL;
    }
}

void fp_sorted_slots(fp_plan *plan, const fp_sorted *sorted)
{
    fp_plan_slot(plan, "FP_APART", sorted->value ? sorted->keys ? 1 : 2 : 0);
    if (sorted->value) fp_plan_name(plan, "FP_VALUE", sorted->value);
    if (sorted->finish) fp_plan_finish(plan, sorted->finish);
}

unsigned fp_sorted_args(const fp_sorted *sorted, fp_arg *args)
{
    unsigned count = 0;
    for (int k = 0; k < FP_SORTED_ARGS; k++)
        if (sorted->nodes[k]) args[count++] = (fp_arg){.buffer = sorted->nodes[k]->buffer};
    return count;
}

/* ---- sorting ---- */

/* Up to so many elements the launches of radix take longer than merging; and up to so many keys of 32 bits on a GPU: on
 * an H100 merging 65,536 of them takes 53 microseconds, and radix 71. */
enum { FEW = 1 << 12, FEW_KEYS_ON_GPU = 1 << 17 };

static size_t few(const gpu *g, const fp_order *order)
{
    bool keys = !order->value && order->key->size <= sizeof(uint32_t);
    return keys && !g->policy.cpu ? FEW_KEYS_ON_GPU : FEW;
}

static const fp_algorithm *choose(const gpu *g, size_t length, const fp_order *order, gpu_sort_algorithm algorithm)
{
    static const fp_algorithm *const algorithms[] = {
        [GPU_SORT_BITONIC] = &fp_sort_bitonic, [GPU_SORT_MERGE] = &fp_sort_merge, [GPU_SORT_RADIX] = &fp_sort_radix};
    if (algorithm != GPU_SORT_AUTO) return algorithms[algorithm];
    if (fp_sort_enumerates(g, length, order)) return &fp_sort_enumerate;
    return order->natural && length > few(g, order) ? &fp_sort_radix : &fp_sort_merge;
}

gpu_status fp_sort_check(gpu_sort_algorithm algorithm, const fp_order *order)
{
    if (algorithm == GPU_SORT_RADIX && !order->natural)
        return fp_fail(GPU_E_ARGUMENT,
                       "radix sort follows the elements' own order: give a key, or take GPU_SORT_MERGE");
    if ((unsigned)algorithm <= GPU_SORT_RADIX) return GPU_OK;
    return fp_fail(GPU_E_ARGUMENT, "there is no sort algorithm number %d", (int)algorithm);
}

static fp_buffer *buffer_of(const fp_node *node)
{
    return node ? node->buffer : NULL;
}

/* The host has one algorithm for each order. */
static gpu_status sort_on_host(const fp_ready *input, const fp_order *order, fp_sorted *sorted)
{
    fp_node *node = input->node;
    fp_buffer *whole;
    gpu_status status = fp_host_sort(node, order, &whole);
    if (status) return status;
    if (sorted->value) {
        status = fp_sorted_new(sorted, input, order);
        if (!status)
            fp_host_apart(node, whole, order, sorted->value, buffer_of(sorted->nodes[0]), buffer_of(sorted->nodes[1]));
    } else {
        sorted->nodes[0] = fp_node_result(node->type, input->length, whole, NULL, node, order->less);
        status = sorted->nodes[0] ? GPU_OK : fp_last_status();
    }
    fp_buffer_drop(whole);
    return status;
}

static gpu_status sort_ready(gpu_sort_algorithm algorithm, const fp_ready *input, const fp_order *order,
                             fp_sorted *sorted)
{
    fp_node *node = input->node;
    gpu *g = node->g;
    if (!input->length) return fp_sorted_new(sorted, input, order);
    if (g->host) return sort_on_host(input, order, sorted);
    const uint64_t unchecked = g->unchecked;
    gpu_status status = choose(g, input->length, order, algorithm)->sort(input, order, sorted);
    return status ? status
                  : fp_verify_sort(node, order, algorithm != GPU_SORT_BITONIC, sorted->nodes[0], sorted->nodes[1],
                                   g->unchecked - unchecked);
}

static gpu_status sort_by(gpu_sort_algorithm algorithm, fp_node *node, const fp_order *order, fp_sorted *sorted)
{
    fp_operator *less = order->less;
    fp_ready input;
    gpu_status status = fp_node_prepare(node, &less, 1, &input);
    return status ? status : sort_ready(algorithm, &input, order, sorted);
}

fp_node *fp_sort(fp_node *node, const fp_order *order, gpu_sort_algorithm algorithm)
{
    fp_sorted sorted = {.value = NULL};
    if (sort_by(algorithm, node, order, &sorted)) fp_sorted_drop(&sorted);
    return sorted.nodes[0];
}

fp_node *fp_sort_ready(const fp_ready *input, const fp_order *order, gpu_sort_algorithm algorithm, fp_node *finish)
{
    fp_sorted sorted = {.finish = finish};
    if (sort_ready(algorithm, input, order, &sorted)) fp_sorted_drop(&sorted);
    return sorted.nodes[0];
}

fp_foreseen fp_sort_foresee(fp_node *node, const fp_order *order, gpu_sort_algorithm algorithm)
{
    if (node->g->host) return (fp_foreseen){.here = true};
    const size_t length = fp_node_most(node);
    fp_foreseen seen = choose(node->g, length, order, algorithm)->foresee(node, length, order);
    seen.finishes = seen.finishes && !node->g->verify;
    seen.moves = seen.launches > 1;
    return seen;
}

gpu_status fp_sort_pairs(fp_node *pairs, const fp_order *order, gpu_type type, fp_node **keys, fp_node **values)
{
    fp_sorted sorted = {.value = type, .keys = keys != NULL};
    gpu_status status = sort_by(GPU_SORT_AUTO, pairs, order, &sorted);
    if (status) fp_sorted_drop(&sorted);
    if (!status && keys) *keys = sorted.nodes[0];
    if (!status) *values = sorted.nodes[1];
    return status;
}
