/* Reductions and scans, by key too. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

/* out = op(x, y), where out may be x. */
static void join(const run *r, const rule *op, void *out, const void *x, const void *y)
{
    char kept[MOST_BYTES];
    apply(r, op, kept, x, y, 0);
    memcpy(out, kept, r->drawn.number[3]);
}

/* What is to be known before `join`: the bytes of an element. False where the order of additions would show. */
static bool may_join(run *r, const rule *op, const value *v)
{
    r->drawn.number[3] = v->kind->type->size;
    return stays_exact(op, v);
}

static void identity(const rule *op, const kind *k, void *out)
{
    memset(out, op->identity == '~' ? 0xff : 0, k->type->size);
    if (op->identity == '1') test_put(k->type, out, 0, test_whole(k->type, 1));
}

unsigned reduce(run *r, const rule *op, const value *v, void *out)
{
    if (v->n == 0 && !op->identity) return STATUS(GPU_E_EMPTY);
    if (v->n == 0)
        identity(op, v->kind, out);
    else
        memcpy(out, v->data, v->kind->type->size);
    r->drawn.number[3] = v->kind->type->size;
    for (size_t i = 1; i < v->n; i++) join(r, op, out, out, element(v, i));
    return SOUND;
}

REFER(refer_reduced)
{
    UNUSED;
    if (!may_join(r, s->rule, in[0])) return false;
    give(out[0], 1);
    out[0]->status = reduce(r, s->rule, in[0], out[0]->data);
    return true;
}

MAKE(make_reduced)
{
    UNUSED;
    out[0] = gpu_reduced_op(in[0], operator_of(r, s, s->rule));
}

DRAW(draw_block)
{
    static const size_t blocks[] = {1, 2, 3, 7, 16, 64, 100, 256, 1000, 5000};
    (void)s;
    r->drawn.number[0] = below(r, 3) ? blocks[below(r, COUNT_OF(blocks))] : 1 + below(r, in[0]->n + 2);
}

REFER(refer_block_reduce)
{
    UNUSED;
    size_t block = r->drawn.number[0], n = (in[0]->n + block - 1) / block;
    if (!may_join(r, s->rule, in[0])) return false;
    give(out[0], n);
    for (size_t i = 0; i < in[0]->n; i++) {
        void *at = element(out[0], i / block);
        if (i % block)
            join(r, s->rule, at, at, element(in[0], i));
        else
            copy(out[0], i / block, element(in[0], i));
    }
    return true;
}

MAKE(make_block_reduce)
{
    UNUSED;
    out[0] = gpu_block_reduce_op(in[0], r->drawn.number[0], operator_of(r, s, s->rule));
}

/* Each of the windows, one by one: few if they are long. */
REFER(refer_window)
{
    UNUSED;
    size_t width = r->drawn.number[0], n = in[0]->n < width ? 0 : in[0]->n - width + 1;
    if (n * width > 300000 || !may_join(r, s->rule, in[0])) return false;
    give(out[0], n);
    for (size_t i = 0; i < n; i++) {
        copy(out[0], i, element(in[0], i));
        for (size_t k = 1; k < width; k++)
            join(r, s->rule, element(out[0], i), element(out[0], i), element(in[0], i + k));
    }
    return true;
}

MAKE(make_window)
{
    UNUSED;
    out[0] = gpu_window_reduce_op(in[0], r->drawn.number[0], operator_of(r, s, s->rule));
}

REFER(refer_scan)
{
    UNUSED;
    if (!may_join(r, s->rule, in[0])) return false;
    give(out[0], in[0]->n);
    for (size_t i = 0; i < in[0]->n; i++) {
        if (i == 0)
            copy(out[0], 0, element(in[0], 0));
        else
            join(r, s->rule, element(out[0], i), element(out[0], i - 1), element(in[0], i));
    }
    return true;
}

MAKE(make_scan)
{
    UNUSED;
    out[0] = gpu_scan_op(in[0], operator_of(r, s, s->rule));
}

DRAW(draw_start)
{
    (void)s;
    element_of(in[0]->kind, 1 + below(r, 3), r->drawn.start);
}

REFER(refer_scan_exclusive)
{
    UNUSED;
    if (!may_join(r, s->rule, in[0])) return false;
    give(out[0], in[0]->n);
    for (size_t i = 0; i < in[0]->n; i++) {
        if (i == 0)
            copy(out[0], 0, r->drawn.start);
        else
            join(r, s->rule, element(out[0], i), element(out[0], i - 1), element(in[0], i - 1));
    }
    return true;
}

MAKE(make_scan_exclusive)
{
    UNUSED;
    gpu_value start = value_of(r->values[s->in[0]].kind, r->drawn.start);
    out[0] = gpu_scan_exclusive_op(in[0], &start, operator_of(r, s, s->rule));
}

const operation reduce_steps[] = {
    {"reduced", 5, 1, ANY, {SAME}, JOINS, 0, NULL, refer_reduced, make_reduced, NULL},
    {"block_reduce", 3, 1, ANY, {SAME}, JOINS, 0, draw_block, refer_block_reduce, make_block_reduce, NULL},
    /* A window wider than the array has no place, and nothing is read. */
    {"window_reduce", 3, 1, ANY, {SAME}, JOINS, IN_PART, draw_block, refer_window, make_window, NULL},
    {"scan", 6, 1, ANY, {SAME}, JOINS, KEEPS_LENGTH, NULL, refer_scan, make_scan, NULL},
    {"scan_exclusive",
     3,
     1,
     ANY,
     {SAME},
     JOINS,
     KEEPS_LENGTH,
     draw_start,
     refer_scan_exclusive,
     make_scan_exclusive,
     NULL},
    {0},
};

/* ---- by key ---- */

/* Does a run begin at i? */
static bool begins(const value *keys, size_t i)
{
    return i == 0 || !is_equal(keys->kind, element(keys, i), element(keys, i - 1));
}

REFER(refer_runs)
{
    UNUSED;
    size_t n = 0;
    give(out[0], in[0]->n);
    give(out[1], in[0]->n);
    for (size_t i = 0; i < in[0]->n; i++) {
        if (begins(in[0], i)) copy(out[0], n++, element(in[0], i));
        ((uint64_t *)out[1]->data)[n - 1]++;
    }
    out[0]->n = out[1]->n = n;
    return true;
}

MAKE(make_runs)
{
    UNUSED;
    gpu_runs(in[0], &out[0], &out[1]);
}

REFER(refer_reduce_by_key)
{
    UNUSED;
    size_t n = 0;
    if (!may_join(r, s->rule, in[1])) return false;
    give(out[0], in[0]->n);
    give(out[1], in[0]->n);
    for (size_t i = 0; i < in[0]->n; i++) {
        if (begins(in[0], i)) {
            copy(out[0], n, element(in[0], i));
            copy(out[1], n++, element(in[1], i));
        } else {
            join(r, s->rule, element(out[1], n - 1), element(out[1], n - 1), element(in[1], i));
        }
    }
    out[0]->n = out[1]->n = n;
    return true;
}

MAKE(make_reduce_by_key)
{
    UNUSED;
    gpu_reduce_by_key_op(in[0], in[1], operator_of(r, s, s->rule), &out[0], &out[1]);
}

REFER(refer_scan_by_key)
{
    UNUSED;
    if (!may_join(r, s->rule, in[1])) return false;
    give(out[0], in[0]->n);
    for (size_t i = 0; i < in[0]->n; i++) {
        if (begins(in[0], i))
            copy(out[0], i, element(in[1], i));
        else
            join(r, s->rule, element(out[0], i), element(out[0], i - 1), element(in[1], i));
    }
    return true;
}

MAKE(make_scan_by_key)
{
    UNUSED;
    out[0] = gpu_scan_by_key_op(in[0], in[1], operator_of(r, s, s->rule));
}

/* The elements of both in the order of the first one's. */
static void in_order(const value *keys, const value *values, value *k, value *v)
{
    uint64_t *order = test_alloc(keys->n, sizeof *order);
    *k = *keys;
    *v = *values;
    test_order(keys->kind->type, keys->data, keys->n, test_ascending, order);
    give(k, keys->n);
    give(v, keys->n);
    test_gather(keys->kind->type, keys->data, order, keys->n, k->data);
    test_gather(values->kind->type, values->data, order, keys->n, v->data);
    free(order);
}

REFER(refer_group_reduce)
{
    value k, v;
    if (!may_join(r, s->rule, in[1])) return false;
    in_order(in[0], in[1], &k, &v);
    refer_reduce_by_key(r, s, (const value *const[]){&k, &v}, out);
    free(k.data);
    free(v.data);
    return true;
}

MAKE(make_group_reduce)
{
    UNUSED;
    gpu_group_reduce_op(in[0], in[1], operator_of(r, s, s->rule), &out[0], &out[1]);
}

DRAW(draw_bins)
{
    static const size_t bins[] = {1, 2, 7, 30, 100, 300, 3000};
    draw_start(r, s, in);
    r->drawn.number[0] = bins[below(r, COUNT_OF(bins))];
}

REFER(refer_bins)
{
    UNUSED;
    const size_t bins = r->drawn.number[0];
    if (!may_join(r, s->rule, in[0])) return false;
    give(out[0], bins);
    for (size_t k = 0; k < bins; k++) copy(out[0], k, r->drawn.start);
    for (size_t i = 0; i < in[0]->n; i++)
        join(r, s->rule, element(out[0], i % bins), element(out[0], i % bins), element(in[0], i));
    return true;
}

MAKE(make_bins)
{
    UNUSED;
    const size_t bins = r->drawn.number[0];
    const gpu_value start = value_of(r->values[s->in[0]].kind, r->drawn.start);
    gpu_array *keys = gpu_map_to(in[0], GPU_UINT, "i % bins", GPU_ARG(bins));
    out[0] = gpu_bin_reduce_op(keys, in[0], bins, &start, operator_of(r, s, s->rule));
}

const operation key_steps[] = {
    {"bin_reduce", 3, 1, ANY, {SAME}, JOINS, 0, draw_bins, refer_bins, make_bins, NULL},
    {"runs", 3, 1, COMPARED, {SAME, AS_ULONG}, NO_RULE, PAIRED, NULL, refer_runs, make_runs, NULL},
    {"reduce_by_key",
     4,
     2,
     COMPARED,
     {SAME, SECOND},
     JOINS,
     SAME_LENGTH | PAIRED,
     NULL,
     refer_reduce_by_key,
     make_reduce_by_key,
     NULL},
    {"scan_by_key",
     4,
     2,
     COMPARED,
     {SECOND},
     JOINS,
     SAME_LENGTH | KEEPS_LENGTH,
     NULL,
     refer_scan_by_key,
     make_scan_by_key,
     NULL},
    {"group_reduce",
     3,
     2,
     SCALAR,
     {SAME, SECOND},
     JOINS,
     SAME_LENGTH | PAIRED,
     NULL,
     refer_group_reduce,
     make_group_reduce,
     NULL},
    {0},
};
