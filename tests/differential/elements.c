/* Sources; steps that work element by element, or select. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

/* Half of the lengths are small, many are next to where something changes. */
static size_t length(run *r, const step *s)
{
    uint64_t seed = s->shared;
    size_t most = r->most < s->most ? r->most : s->most;
    static const size_t edges[] = {31,  32,  33,   63,   64,   65,   127,  128,  129,  255,  256,   257,   511,
                                   513, 600, 1023, 1024, 1025, 2047, 2049, 4096, 6143, 6145, 16384, 16385, 65537};
    uint64_t choice = test_random(&seed) % 100, bits = test_random(&seed);
    size_t n = choice < 35   ? bits % 9
               : choice < 60 ? edges[bits % COUNT_OF(edges)]
               : choice < 85 ? bits % 1025
                             : bits % (most + 1);
    return n < most ? n : most;
}

/* All bits, few values, rising, all equal, mostly zero, small. */
static uint64_t patterned(run *r, size_t pattern, size_t i)
{
    uint64_t bits = test_random(&r->state);
    const uint64_t of[] = {bits, bits % 3, i, 7, bits % 40 ? 0 : bits >> 8, bits >> 8 & 63, i / 5, bits >> 60 ? 2 : 5};
    return of[pattern % COUNT_OF(of)];
}

/* Now and then what floating types have besides numbers. */
static void put_special(run *r, value *out, size_t i)
{
    static const double special[] = {__builtin_nan(""), __builtin_inf(), -__builtin_inf(), -0.0};
    test_number n = {.f = special[below(r, 4)]};
    test_put(out->kind->type, out->data, i, n);
}

REFER(refer_from)
{
    UNUSED;
    size_t pattern = below(r, 8);
    bool special = out[0]->kind->type->kind == GPU_KIND_FLOATING && out[0]->kind->scalar && below(r, 6) == 0;
    give(out[0], length(r, s));
    for (size_t i = 0; i < out[0]->n; i++) {
        element_of(out[0]->kind, patterned(r, pattern, i), element(out[0], i));
        if (special && below(r, 9) == 0) put_special(r, out[0], i);
    }
    r->drawn.data = out[0]->data;
    r->drawn.count = out[0]->n;
    return true;
}

MAKE(make_from)
{
    UNUSED;
    out[0] = gpu_array_from(r->g, s->to->type, r->drawn.data, r->drawn.count);
}

REFER(refer_range)
{
    UNUSED;
    give(out[0], r->drawn.count = length(r, s));
    for (size_t i = 0; i < out[0]->n; i++) test_put(s->to->type, out[0]->data, i, test_whole(s->to->type, (int64_t)i));
    return true;
}

MAKE(make_range)
{
    UNUSED;
    out[0] = gpu_range(r->g, s->to->type, r->drawn.count);
}

REFER(refer_fill)
{
    UNUSED;
    give(out[0], r->drawn.count = length(r, s));
    element_of(out[0]->kind, test_random(&r->state) >> 40, r->drawn.start);
    for (size_t i = 0; i < out[0]->n; i++) copy(out[0], i, r->drawn.start);
    return true;
}

MAKE(make_fill)
{
    UNUSED;
    gpu_value start = value_of(s->to, r->drawn.start);
    out[0] = gpu_fill_op(r->g, s->to->type, &start, r->drawn.count, GPU_HERE);
}

const operation sources[] = {
    {"array_from", 10, 0, ANY, {CHOSEN}, NO_RULE, NO_SYMBOLS, NULL, refer_from, make_from, NULL},
    {"range", 1, 0, SCALAR, {CHOSEN}, NO_RULE, NO_SYMBOLS, NULL, refer_range, make_range, NULL},
    {"fill", 1, 0, ANY, {CHOSEN}, NO_RULE, NO_SYMBOLS, NULL, refer_fill, make_fill, NULL},
    {0},
};

/* ---- maps ---- */

/* A rule for one element looks at the first operand only, which stands for those that are not there. */
REFER(refer_map)
{
    UNUSED;
    give(out[0], in[0]->n);
    for (size_t i = 0; i < in[0]->n; i++) {
        const void *const x[] = {element(in[0], i), element(in[in[1] ? 1 : 0], i), element(in[in[2] ? 2 : 0], i)};
        s->rule->run(element(out[0], i), x, i, &r->captured);
    }
    return true;
}

MAKE(make_map)
{
    UNUSED;
    out[0] = gpu_map_op(in[0], NULL, operator_of(r, s, s->rule));
}

MAKE(make_map_to_int)
{
    UNUSED;
    out[0] = gpu_map_op(in[0], GPU_INT, operator_of(r, s, s->rule));
}

MAKE(make_map_from_int)
{
    UNUSED;
    out[0] = gpu_map_op(in[0], s->to->type, operator_of(r, s, s->rule));
}

MAKE(make_map2)
{
    UNUSED;
    out[0] = gpu_map2_op(in[0], in[1], NULL, operator_of(r, s, s->rule));
}

MAKE(make_map2_to_int)
{
    UNUSED;
    out[0] = gpu_map2_op(in[0], in[1], GPU_INT, operator_of(r, s, s->rule));
}

MAKE(make_map3)
{
    UNUSED;
    out[0] = gpu_map3_op(in[0], in[1], in[2], NULL, operator_of(r, s, s->rule));
}

/* Pairs of ints, as a vector. */
REFER(refer_zip)
{
    UNUSED;
    give(out[0], in[0]->n);
    for (size_t i = 0; i < in[0]->n; i++) {
        gpu_int2 *pair = element(out[0], i);
        memcpy(&pair->x, element(in[0], i), sizeof pair->x);
        memcpy(&pair->y, element(in[1], i), sizeof pair->y);
    }
    return true;
}

MAKE(make_zip)
{
    UNUSED;
    out[0] = gpu_zip(in[0], in[1], GPU_INT2);
}

/* ---- selections ---- */

REFER(refer_filter)
{
    UNUSED;
    size_t n = 0;
    give(out[0], in[0]->n);
    for (size_t i = 0; i < in[0]->n; i++)
        if (says(r, s->rule, element(in[0], i), i)) copy(out[0], n++, element(in[0], i));
    out[0]->n = n;
    return true;
}

MAKE(make_filter)
{
    UNUSED;
    out[0] = gpu_filter_op(in[0], operator_of(r, s, s->rule));
}

REFER(refer_partition)
{
    UNUSED;
    size_t n[2] = {0, 0};
    give(out[0], in[0]->n);
    give(out[1], in[0]->n);
    for (size_t i = 0; i < in[0]->n; i++) {
        bool no = !says(r, s->rule, element(in[0], i), i);
        copy(out[no], n[no]++, element(in[0], i));
    }
    out[0]->n = n[0];
    out[1]->n = n[1];
    return true;
}

MAKE(make_partition)
{
    UNUSED;
    gpu_partition_op(in[0], operator_of(r, s, s->rule), &out[0], &out[1]);
}

static size_t prefix(run *r, const step *s, const value *v)
{
    size_t n = 0;
    while (n < v->n && says(r, s->rule, element(v, n), n)) n++;
    return n;
}

REFER(refer_span)
{
    UNUSED;
    size_t n = prefix(r, s, in[0]);
    give_part(out[0], in[0], 0, n);
    give_part(out[1], in[0], n, in[0]->n - n);
    return true;
}

MAKE(make_span)
{
    UNUSED;
    gpu_span_op(in[0], operator_of(r, s, s->rule), &out[0], &out[1]);
}

REFER(refer_take_while)
{
    UNUSED;
    give_part(out[0], in[0], 0, prefix(r, s, in[0]));
    return true;
}

MAKE(make_take_while)
{
    UNUSED;
    out[0] = gpu_take_while_op(in[0], operator_of(r, s, s->rule));
}

REFER(refer_drop_while)
{
    UNUSED;
    size_t n = prefix(r, s, in[0]);
    give_part(out[0], in[0], n, in[0]->n - n);
    return true;
}

MAKE(make_drop_while)
{
    UNUSED;
    out[0] = gpu_drop_while_op(in[0], operator_of(r, s, s->rule));
}

REFER(refer_find)
{
    UNUSED;
    size_t n = 0;
    give(out[0], in[0]->n);
    for (size_t i = 0; i < in[0]->n; i++)
        if (is_equal(in[0]->kind, element(in[0], i), r->drawn.start)) ((uint64_t *)out[0]->data)[n++] = i;
    out[0]->n = n;
    return true;
}

MAKE(make_find)
{
    UNUSED;
    gpu_value start = value_of(r->values[s->in[0]].kind, r->drawn.start);
    out[0] = gpu_find_op(in[0], &start, GPU_HERE);
}

REFER(refer_find_if)
{
    UNUSED;
    size_t n = 0;
    give(out[0], in[0]->n);
    for (size_t i = 0; i < in[0]->n; i++)
        if (says(r, s->rule, element(in[0], i), i)) ((uint64_t *)out[0]->data)[n++] = i;
    out[0]->n = n;
    return true;
}

MAKE(make_find_if)
{
    UNUSED;
    out[0] = gpu_find_if_op(in[0], operator_of(r, s, s->rule));
}

REFER(refer_unique)
{
    UNUSED;
    size_t n = 0;
    give(out[0], in[0]->n);
    for (size_t i = 0; i < in[0]->n; i++)
        if (i == 0 || !is_equal(in[0]->kind, element(in[0], i), element(in[0], i - 1)))
            copy(out[0], n++, element(in[0], i));
    out[0]->n = n;
    return true;
}

MAKE(make_unique)
{
    UNUSED;
    out[0] = gpu_unique(in[0]);
}

/* By any comparator: neighbours alone are compared. */
REFER(refer_unique_by)
{
    size_t n = 0;
    give(out[0], in[0]->n);
    for (size_t i = 0; i < in[0]->n; i++)
        if (i == 0 || !before(r, s->rule, element(in[0], i - 1), element(in[0], i)))
            copy(out[0], n++, element(in[0], i));
    out[0]->n = n;
    return true;
}

MAKE(make_unique_by)
{
    UNUSED;
    out[0] = gpu_unique_by_op(in[0], operator_of(r, s, s->rule));
}

const operation element_steps[] = {
    {"map", 24, 1, ANY, {SAME}, MAPS, KEEPS_LENGTH, NULL, refer_map, make_map, NULL},
    {"map_to_int", 3, 1, ANY, {AS_INT}, TO_INT, KEEPS_LENGTH, NULL, refer_map, make_map_to_int, NULL},
    {"map_from_int", 3, 1, ANY, {CHOSEN}, FROM_INT, KEEPS_LENGTH, NULL, refer_map, make_map_from_int, NULL},
    {"map2", 8, 2, ANY, {SAME}, MAPS2, SAME_KIND | SAME_LENGTH | KEEPS_LENGTH, NULL, refer_map, make_map2, NULL},
    {"map2_to_int",
     1,
     2,
     ANY,
     {AS_INT},
     DECISIONS,
     SAME_KIND | SAME_LENGTH | KEEPS_LENGTH,
     NULL,
     refer_map,
     make_map2_to_int,
     NULL},
    {"zip", 2, 2, INTS, {AS_INT2}, NO_RULE, SAME_KIND | SAME_LENGTH | KEEPS_LENGTH, NULL, refer_zip, make_zip, NULL},
    {"map3", 4, 3, ANY, {SAME}, MAPS3, SAME_KIND | SAME_LENGTH | KEEPS_LENGTH, NULL, refer_map, make_map3, NULL},
    {"filter", 24, 1, ANY, {SAME}, TESTS, 0, NULL, refer_filter, make_filter, NULL},
    {"partition", 4, 1, ANY, {SAME, SAME}, TESTS, 0, NULL, refer_partition, make_partition, NULL},
    {"span", 3, 1, ANY, {SAME, SAME}, TESTS, IN_PART, NULL, refer_span, make_span, NULL},
    {"take_while", 4, 1, ANY, {SAME}, TESTS, IN_PART, NULL, refer_take_while, make_take_while, NULL},
    {"drop_while", 3, 1, ANY, {SAME}, TESTS, IN_PART, NULL, refer_drop_while, make_drop_while, NULL},
    {"find", 2, 1, COMPARED, {AS_ULONG}, NO_RULE, 0, draw_element, refer_find, make_find, NULL},
    {"find_if", 4, 1, ANY, {AS_ULONG}, TESTS, 0, NULL, refer_find_if, make_find_if, NULL},
    {"unique", 3, 1, COMPARED, {SAME}, NO_RULE, 0, NULL, refer_unique, make_unique, NULL},
    {"unique_by", 2, 1, ANY, {SAME}, ORDERS, 0, NULL, refer_unique_by, make_unique_by, NULL},
    {0},
};
