/* Sorts, and histograms. */
#include "engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* test_order takes no context: what `by_rule` compares by. */
static const run *sorting;
static const rule *sorting_by;

static bool by_rule(gpu_type type, const void *p, const void *q)
{
    (void)type;
    return before(sorting, sorting_by, p, q);
}

static uint64_t *order_of(const run *r, const step *s, const value *v, test_before *natural)
{
    uint64_t *order = test_alloc(v->n, sizeof *order);
    sorting = r;
    sorting_by = s->rule;
    test_order(v->kind->type, v->data, v->n, s->rule ? by_rule : natural, order);
    return order;
}

/* The elements of `v` in that order. */
static void give_in_order(value *out, const value *v, const uint64_t *order, size_t n)
{
    give(out, n);
    test_gather(v->kind->type, v->data, order, n, out->data);
}

/* Without an operator the order is `natural`. */
static bool refer_order(const run *r, const step *s, const value *in, test_before *natural, value *out)
{
    uint64_t *order = order_of(r, s, in, natural);
    give_in_order(out, in, order, in->n);
    free(order);
    return true;
}

REFER(refer_sort)
{
    return refer_order(r, s, in[0], test_ascending, out[0]);
}

MAKE(make_sort)
{
    UNUSED;
    out[0] = gpu_sort(in[0]);
}

REFER(refer_sort_descending)
{
    return refer_order(r, s, in[0], test_descending, out[0]);
}

MAKE(make_sort_descending)
{
    UNUSED;
    out[0] = gpu_sort_descending(in[0]);
}

/* Both arrays, sorted together. */
REFER(refer_merge)
{
    UNUSED;
    const size_t n = in[0]->n + in[1]->n;
    value both = {.kind = in[0]->kind};
    if (n > 100000) return false;
    give(&both, n);
    for (size_t i = 0; i < n; i++) copy(&both, i, i < in[0]->n ? element(in[0], i) : element(in[1], i - in[0]->n));
    uint64_t *order = order_of(r, s, &both, test_ascending);
    give_in_order(out[0], &both, order, n);
    free(order);
    free(both.data);
    return true;
}

MAKE(make_merge)
{
    UNUSED;
    out[0] = gpu_merge(gpu_sort(in[0]), gpu_sort(in[1]));
}

MAKE(make_sort_by)
{
    UNUSED;
    out[0] = gpu_sort_op(in[0], NULL, operator_of(r, s, s->rule), GPU_HERE);
}

/* The algorithm and the direction are part of the pipeline: they are other kernels. */
static gpu_sort_options options_of(const step *s)
{
    uint64_t bits = s->shared;
    return (gpu_sort_options){(gpu_sort_algorithm)(bits % 4), bits / 4 % 2};
}

REFER(refer_sort_with)
{
    return refer_order(r, s, in[0], options_of(s).descending ? test_descending : test_ascending, out[0]);
}

MAKE(make_sort_with)
{
    UNUSED;
    gpu_sort_options options = options_of(s);
    out[0] = gpu_sort_op(in[0], &options, NULL, GPU_HERE);
}

/* Merge, or bitonic where that gives the same; a comparator takes no radix sort. */
MAKE(make_sort_with_by)
{
    UNUSED;
    gpu_sort_options options = {s->shared % 2 && s->rule->total ? GPU_SORT_BITONIC : GPU_SORT_MERGE, false};
    out[0] = gpu_sort_op(in[0], &options, operator_of(r, s, s->rule), GPU_HERE);
}

REFER(refer_sort_key)
{
    UNUSED;
    value keys = {.kind = kind_of(GPU_INT)};
    give(&keys, in[0]->n);
    for (size_t i = 0; i < in[0]->n; i++) apply(r, s->rule, element(&keys, i), element(in[0], i), NULL, i);
    uint64_t *order = test_alloc(keys.n, sizeof *order);
    test_order(GPU_INT, keys.data, keys.n, test_ascending, order);
    give_in_order(out[0], in[0], order, in[0]->n);
    free(order);
    free(keys.data);
    return true;
}

MAKE(make_sort_key)
{
    UNUSED;
    out[0] = gpu_sort_key_op(in[0], GPU_INT, operator_of(r, s, s->rule));
}

REFER(refer_argsort)
{
    UNUSED;
    uint64_t *order = order_of(r, s, in[0], test_ascending);
    give(out[0], in[0]->n);
    memcpy(out[0]->data, order, in[0]->n * sizeof *order);
    free(order);
    return true;
}

MAKE(make_argsort)
{
    UNUSED;
    out[0] = gpu_argsort(in[0]);
}

MAKE(make_argsort_by)
{
    UNUSED;
    out[0] = gpu_argsort_by_op(in[0], operator_of(r, s, s->rule));
}

REFER(refer_sort_pairs)
{
    UNUSED;
    uint64_t *order = order_of(r, s, in[0], test_ascending);
    give_in_order(out[0], in[0], order, in[0]->n);
    give_in_order(out[1], in[1], order, in[0]->n);
    free(order);
    return true;
}

MAKE(make_sort_pairs)
{
    UNUSED;
    gpu_sort_pairs(in[0], in[1], &out[0], &out[1]);
}

MAKE(make_sort_pairs_by)
{
    UNUSED;
    gpu_sort_pairs_op(in[0], in[1], operator_of(r, s, s->rule), &out[0], &out[1], GPU_HERE);
}

DRAW(draw_top)
{
    (void)s;
    r->drawn.number[0] = below(r, 2) ? below(r, 6) : below(r, in[0]->n + 3);
}

REFER(refer_top)
{
    UNUSED;
    uint64_t *order = order_of(r, s, in[0], test_descending);
    give_in_order(out[0], in[0], order, r->drawn.number[0] < in[0]->n ? r->drawn.number[0] : in[0]->n);
    free(order);
    return true;
}

MAKE(make_top)
{
    UNUSED;
    out[0] = gpu_top(in[0], r->drawn.number[0]);
}

REFER(refer_top_pairs)
{
    const size_t n = r->drawn.number[0] < in[0]->n ? r->drawn.number[0] : in[0]->n;
    uint64_t *order = order_of(r, s, in[0], test_descending);
    give_in_order(out[0], in[0], order, n);
    give_in_order(out[1], in[1], order, n);
    free(order);
    return true;
}

MAKE(make_top_pairs)
{
    UNUSED;
    gpu_top_pairs(in[0], in[1], r->drawn.number[0], &out[0], &out[1]);
}

/* Bins of whole bounds: of a power of two, exact for floating types, or any number of them for integers. */
DRAW(draw_histogram)
{
    static const size_t bins[] = {1, 2, 8, 16, 64, 4096};
    bool floating = in[0]->kind->type->kind == GPU_KIND_FLOATING,
         negative = in[0]->kind->type->kind != GPU_KIND_UNSIGNED;
    size_t width = floating ? (size_t)1 << below(r, 3) : 1 + below(r, 6);
    (void)s;
    r->drawn.number[0] = floating || below(r, 2) ? bins[below(r, COUNT_OF(bins))] : 1 + below(r, 40);
    if (in[0]->kind->type->size == 1) r->drawn.number[0] = 1 + below(r, 15);
    r->drawn.number[1] = floating ? width * r->drawn.number[0] : 1 + below(r, 90);
    int64_t low = negative ? -(int64_t)below(r, 10) : (int64_t)below(r, 10);
    test_put(in[0]->kind->type, r->drawn.k, 0, test_whole(in[0]->kind->type, low));
    test_put(in[0]->kind->type, r->drawn.start, 0, test_whole(in[0]->kind->type, low + (int64_t)r->drawn.number[1]));
}

/* The bin of an element; the number of bins if it is outside. */
static size_t bin_of(const run *r, const value *v, size_t i)
{
    size_t bins = r->drawn.number[0];
    test_number x = test_get(v->kind->type, v->data, i), low = test_get(v->kind->type, r->drawn.k, 0);
    test_number high = test_get(v->kind->type, r->drawn.start, 0);
    if (test_less(v->kind->type, x, low) || !test_less(v->kind->type, x, high)) return bins;
    if (v->kind->type->kind == GPU_KIND_FLOATING) return (size_t)((x.f - low.f) * (double)bins / (high.f - low.f));
    return (size_t)((x.u - low.u) * bins / (high.u - low.u));
}

REFER(refer_histogram)
{
    UNUSED;
    size_t bins = r->drawn.number[0];
    give(out[0], bins);
    give(out[1], 1);
    for (size_t i = 0; i < in[0]->n; i++) {
        size_t bin = bin_of(r, in[0], i);
        uint64_t *counts = (uint64_t *)out[bin == bins]->data;
        counts[bin == bins ? 0 : bin]++;
    }
    return true;
}

MAKE(make_histogram)
{
    UNUSED;
    const kind *k = r->values[s->in[0]].kind;
    gpu_value low = value_of(k, r->drawn.k), high = value_of(k, r->drawn.start);
    gpu_histogram_op(in[0], &low, &high, r->drawn.number[0], &out[0], &out[1], GPU_HERE);
}

const operation sort_steps[] = {
    {"sort", 4, 1, SCALAR, {SAME}, NO_RULE, KEEPS_LENGTH, NULL, refer_sort, make_sort, NULL},
    {"sort_descending",
     2,
     1,
     SCALAR,
     {SAME},
     NO_RULE,
     KEEPS_LENGTH,
     NULL,
     refer_sort_descending,
     make_sort_descending,
     NULL},
    {"sort_by", 3, 1, ANY, {SAME}, ORDERS, KEEPS_LENGTH | NO_NAN, NULL, refer_sort, make_sort_by, NULL},
    {"sort_with", 3, 1, SCALAR, {SAME}, NO_RULE, KEEPS_LENGTH, NULL, refer_sort_with, make_sort_with, NULL},
    {"sort_with_by", 2, 1, ANY, {SAME}, ORDERS, KEEPS_LENGTH | NO_NAN, NULL, refer_sort, make_sort_with_by, NULL},
    {"sort_key", 2, 1, ANY, {SAME}, KEYS, KEEPS_LENGTH, NULL, refer_sort_key, make_sort_key, NULL},
    {"argsort", 2, 1, SCALAR, {AS_ULONG}, NO_RULE, KEEPS_LENGTH, NULL, refer_argsort, make_argsort, NULL},
    {"argsort_by", 2, 1, ANY, {AS_ULONG}, ORDERS, KEEPS_LENGTH | NO_NAN, NULL, refer_argsort, make_argsort_by, NULL},
    {"sort_pairs",
     3,
     2,
     SCALAR,
     {SAME, SECOND},
     NO_RULE,
     SAME_LENGTH | KEEPS_LENGTH,
     NULL,
     refer_sort_pairs,
     make_sort_pairs,
     NULL},
    {"sort_pairs_by",
     2,
     2,
     ANY,
     {SAME, SECOND},
     ORDERS,
     SAME_LENGTH | KEEPS_LENGTH | NO_NAN,
     NULL,
     refer_sort_pairs,
     make_sort_pairs_by,
     NULL},
    {"merge", 2, 2, SCALAR, {SAME}, NO_RULE, SAME_KIND | SIZED, NULL, refer_merge, make_merge, NULL},
    {"top", 2, 1, SCALAR, {SAME}, NO_RULE, IN_PART, draw_top, refer_top, make_top, NULL},
    {"top_pairs",
     2,
     2,
     SCALAR,
     {SAME, SECOND},
     NO_RULE,
     SAME_LENGTH | PAIRED | IN_PART,
     draw_top,
     refer_top_pairs,
     make_top_pairs,
     NULL},
    {"histogram",
     3,
     1,
     SCALAR,
     {AS_ULONG, AS_ULONG},
     NO_RULE,
     0,
     draw_histogram,
     refer_histogram,
     make_histogram,
     NULL},
    {0},
};
