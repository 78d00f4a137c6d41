#include "ops/order.h"

#include "base/error.h"
#include "expressions/types.h"
#include "host/apply.h"
#include "kernel/type.h"
#include "ops/by_key.h"
#include "planning/eval.h"
#include "planning/execute.h"
#include "planning/plan.h"

#include <string.h>

/* "a before b" in the own order of a scalar type. */
static const char *order_text(gpu_type type, bool descending)
{
    if (type->kind != GPU_KIND_FLOATING) return descending ? "a > b" : "a < b";
    /* NaN stands behind all others. Two comparisons need no branch. */
    return descending ? "!(a <= b) & (a == a)" : "!(a >= b) & (a == a)";
}

gpu_status fp_order_check(gpu_type key)
{
    if (fp_type_is_scalar(key)) return GPU_OK;
    static const struct {
        const char *operation, *advice;
    } advice[] = {{"gpu_sort", "give a comparator to gpu_sort_by, or a key to gpu_sort_key"},
                  {"gpu_sort_descending", "give a comparator to gpu_sort_by, or a key to gpu_sort_key"},
                  {"gpu_sort_by", "give a comparator, or a key to gpu_sort_key"},
                  {"gpu_sort_with", "give a comparator, or a key to gpu_sort_key"},
                  {"gpu_argsort", "give a comparator to gpu_argsort_by"},
                  {"gpu_argsort_by", "give a comparator"},
                  {"gpu_sort_pairs", "give a comparator to gpu_sort_pairs_by"},
                  {"gpu_sort_pairs_by", "give a comparator"},
                  {"gpu_dict_of", "give a comparator to gpu_dict_of_by"},
                  {"gpu_dict_of_by", "give a comparator"}};
    size_t k = 0;
    while (k < sizeof advice / sizeof *advice && strcmp(advice[k].operation, fp_operation())) k++;
    return fp_fail(GPU_E_TYPE, "%s has no order of its own: %s", key->name,
                   k < sizeof advice / sizeof *advice ? advice[k].advice
                                                      : "the keys must be scalars, map them to some");
}

/* The ascending order on the host. */
static void comes_before(const fp_applied *applied, const fp_stretch *s)
{
    fp_ranks *ranks = fp_ranks_of(applied->types[0]);
    for (size_t e = 0; e < s->count; e++) {
        uint64_t a, b;
        ranks(s->in[0] + e * s->stride[0], 0, 1, &a);
        ranks(s->in[1] + e * s->stride[1], 0, 1, &b);
        fp_put_flag(applied, s, e, a < b);
    }
}

gpu_status fp_order_natural(gpu *g, gpu_type key, gpu_type value, bool descending, fp_order *out)
{
    const fp_builtin order = {.text = order_text(key, descending), .native = descending ? NULL : comes_before};
    *out = (fp_order){.key = key, .value = value, .natural = true, .descending = descending};
    gpu_status status = fp_order_check(key);
    return status ? status : fp_operator_builtin(g, &order, &out->less);
}

gpu_status fp_order_by(gpu *g, gpu_type key, gpu_type value, const gpu_sort_options *options, const gpu_operator *less,
                       fp_order *out)
{
    bool descending = options && options->descending;
    if (!less || (!less->snippet && !less->function)) return fp_order_natural(g, key, value, descending, out);
    const fp_operator_kind kind = {fp_operation(), 2, FP_OPERATOR_SYMBOLS | FP_OPERATOR_DECIDES, {key}, NULL};
    *out = (fp_order){.key = key, .value = value, .descending = descending};
    gpu_status status = fp_operator_bind(g, less, &kind, &out->less);
    if (!status) out->less->predicate = true;
    return status;
}

void fp_order_end(fp_order *order)
{
    fp_operator_drop(order->less);
}

fp_order fp_task_order(const fp_task *task)
{
    fp_order order = task->order;
    order.less = task->op;
    return order;
}

void fp_order_slots(fp_plan *plan, const fp_order *order)
{
    fp_plan_compare(plan, order->less, order->key);
    fp_plan_slot(plan, "FP_KEYED", order->value != NULL);
    fp_plan_slot(plan, "FP_DESCENDING", order->descending && !order->natural);
}

void fp_digit_slots(fp_plan *plan, const fp_order *order)
{
    fp_plan_name(plan, "FP_KEY", order->key);
    const size_t size = order->key->size;
    fp_plan_name(plan, "FP_BITS", size == 1 ? GPU_UCHAR : size == 2 ? GPU_USHORT : size == 4 ? GPU_UINT : GPU_ULONG);
    fp_plan_slot(plan, "FP_KEYED", order->value != NULL);
    fp_plan_slot(plan, "FP_DESCENDING", order->descending);
    fp_plan_slot(plan, "FP_FLOATING", order->key->kind == GPU_KIND_FLOATING);
    fp_plan_slot(plan, "FP_SIGNED", order->key->kind == GPU_KIND_SIGNED);
}

fp_node *fp_node_every(fp_node *node, size_t stride, size_t count)
{
    const uint64_t apart = stride;
    const gpu_capture each = {"apart", &apart, GPU_ULONG, sizeof apart};
    const gpu_capture *const captures[] = {&each, NULL};
    fp_node *range = fp_node_range(node->g, GPU_ULONG, count);
    fp_node *places = range ? fp_node_map_own(GPU_ULONG, "x * apart", captures, &range, 1) : NULL;
    fp_node *chosen = places ? fp_node_gather(node, places) : NULL;
    fp_node_drop(range);
    fp_node_drop(places);
    return chosen;
}

/* ---- what comes out ---- */

gpu_status fp_sort_step(fp_request *r, bool last, fp_node **temporary)
{
    const fp_ready *input = &r->input;
    if (last) return fp_make_outputs(r, false);
    return fp_node_give(fp_temporary(input->node->g, input->node->type, input->length, input->count), temporary);
}

/* Of a temporary for pairs: where the values go. NULL: the temporary is one buffer. */
static const fp_node *values_of(const fp_node *temporary)
{
    return temporary && temporary->kind == FP_NODE_MAP ? temporary->inputs[1] : NULL;
}

void fp_sorted_slots(fp_plan *plan, const fp_request *r, const fp_node *temporary)
{
    const fp_node *values = values_of(temporary);
    const bool unzips = temporary ? values != NULL : r->order->value != NULL;
    fp_plan_slot(plan, "FP_UNZIP", !unzips ? 0 : values || r->output_count > 1 ? 1 : 2);
    if (unzips) fp_plan_name(plan, "FP_VALUE", values ? values->type : r->outputs[r->output_count - 1].type);
    if (!temporary && r->epilogue) fp_plan_epilogue(plan, r->epilogue);
}

unsigned fp_sorted_args(const fp_request *r, const fp_node *temporary, fp_arg *args)
{
    const bool unzipped = values_of(temporary) != NULL;
    const unsigned count = !temporary ? r->output_count : unzipped ? 2 : 1;
    for (unsigned k = 0; k < count; k++)
        args[k] = (fp_arg){.buffer = !temporary ? r->outputs[k].buffer
                                     : unzipped ? temporary->inputs[k]->buffer
                                                : temporary->buffer};
    return count;
}

/* ---- sorting ---- */

/* The most elements that merging sorts faster than radix, and the most keys of 32 bits on a GPU. On an H100 merging
 * 65,536 of those takes 53 microseconds, and radix 71. */
enum { FEW = 1 << 12, FEW_KEYS_ON_GPU = 1 << 17 };

static size_t few(const gpu *g, const fp_order *order)
{
    bool keys = !order->value && order->key->size <= sizeof(uint32_t);
    return keys && !g->policy.cpu ? FEW_KEYS_ON_GPU : FEW;
}

static const fp_primitive *choose(const gpu *g, size_t length, const fp_order *order, gpu_sort_algorithm algorithm)
{
    static const fp_primitive *const algorithms[] = {
        [GPU_SORT_BITONIC] = &fp_sort_bitonic, [GPU_SORT_MERGE] = &fp_sort_merge, [GPU_SORT_RADIX] = &fp_sort_radix};
    if (algorithm != GPU_SORT_AUTO) return algorithms[algorithm];
    if (fp_sort_ranks_few(g, length, order)) return &fp_sort_rank;
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

/* `type` is that of the values of pairs, or of the elements. `keys`: keys come out too. */
static gpu_status sort_ready(const fp_ready *input, const fp_order *order, gpu_sort_algorithm algorithm,
                             fp_node *epilogue, gpu_type type, bool keys, fp_node **results)
{
    fp_operator *less = order->less;
    const fp_output all = {.type = type, .extent = FP_ALIGNED, .length = input->length};
    fp_request r = {.primitive = choose(input->node->g, input->length, order, algorithm),
                    .input = *input,
                    .ops = &less,
                    .op_count = !order->natural,
                    .operand = order->key,
                    .order = order,
                    .unstable = algorithm == GPU_SORT_BITONIC,
                    .epilogue = epilogue,
                    .outputs = {all, all},
                    .output_count = keys ? 2 : 1};
    if (keys) r.outputs[0].type = order->key;
    return fp_execute(&r, results);
}

gpu_status fp_sort_ready(const fp_ready *input, const fp_order *order, gpu_sort_algorithm algorithm, fp_node *epilogue,
                         fp_node **result)
{
    const gpu_type type = epilogue ? epilogue->type : input->node->type;
    return sort_ready(input, order, algorithm, epilogue, type, false, result);
}

fp_node *fp_sort(fp_node *node, const fp_order *order)
{
    fp_operator *less = order->less;
    fp_ready input;
    fp_node *result = NULL;
    if (!fp_node_prepare(node, &less, 1, &input)) fp_sort_ready(&input, order, GPU_SORT_AUTO, NULL, &result);
    return result;
}

fp_node *fp_pairs(fp_node *keys, fp_node *values)
{
    static const char text[] = "{ fp_result p; p.v0 = x; p.w0 = y; return p; }";
    gpu_type pair = fp_pair_type(keys->type, values->type, false);
    return pair ? fp_node_map_own(pair, text, NULL, (fp_node *const[]){keys, values}, 2) : NULL;
}

fp_node *fp_pairs_prepare(fp_node *keys, fp_node *values, const fp_order *order, fp_ready *out)
{
    fp_operator *less = order->less;
    fp_node *pairs = fp_pairs(keys, values);
    return pairs ? fp_node_unless(fp_node_prepare(pairs, &less, 1, out), pairs) : NULL;
}

gpu_status fp_sort_pairs(fp_node *keys, fp_node *values, const fp_order *order, gpu_type type, fp_node **sorted_keys,
                         fp_node **sorted_values)
{
    const bool both = sorted_keys != NULL;
    fp_node *results[2] = {NULL};
    fp_ready input;
    fp_node *pairs = fp_pairs_prepare(keys, values, order, &input);
    gpu_status status = pairs ? GPU_OK : fp_last_status();
    if (!status) status = sort_ready(&input, order, GPU_SORT_AUTO, NULL, type, both, results);
    if (!status && both) *sorted_keys = results[0];
    if (!status) *sorted_values = results[both];
    fp_node_drop(pairs);
    return status;
}

gpu_status fp_sort_by_keys(fp_node *keys, fp_node *values, bool descending, gpu_type type, fp_node **sorted_keys,
                           fp_node **sorted_values)
{
    fp_order order;
    gpu_status status = fp_order_natural(keys->g, keys->type, values->type, descending, &order);
    if (!status) status = fp_sort_pairs(keys, values, &order, type, sorted_keys, sorted_values);
    fp_order_end(&order);
    return status;
}

gpu_status fp_group_by_keys(fp_operator *op, fp_node *keys, fp_node *values, fp_node **results)
{
    fp_node *sorted[2] = {NULL};
    gpu_status status = fp_sort_by_keys(keys, values, false, values->type, &sorted[0], &sorted[1]);
    if (!status) status = fp_combine_by_key(op, sorted[0], sorted[1], NULL, values->type, false, results);
    fp_node_drop(sorted[0]);
    fp_node_drop(sorted[1]);
    return status;
}

/* An unstable sort may put equal elements in any order. Equal integers are the same. */
bool fp_sort_has_one_outcome(const fp_request *r)
{
    return !r->unstable || (r->order->natural && !fp_type_rounds(r->order->key));
}
