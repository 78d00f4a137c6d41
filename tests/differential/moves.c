/* Steps that move elements. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

REFER(refer_reverse)
{
    UNUSED;
    give(out[0], in[0]->n);
    for (size_t i = 0; i < in[0]->n; i++) copy(out[0], i, element(in[0], in[0]->n - 1 - i));
    return true;
}

MAKE(make_reverse)
{
    UNUSED;
    out[0] = gpu_reverse(in[0]);
}

/* Now and then one that goes over the end. */
DRAW(draw_slice)
{
    (void)s;
    size_t n = in[0]->n, first = below(r, 3) ? below(r, n + 1) : 0;
    r->drawn.number[0] = first;
    r->drawn.number[1] = below(r, 3) ? below(r, n - first + 1) : n - first;
    if (below(r, 40) == 0) r->drawn.number[1] = n - first + 1 + below(r, 3);
}

REFER(refer_slice)
{
    UNUSED;
    size_t first = r->drawn.number[0], n = r->drawn.number[1];
    if (first + n > in[0]->n) {
        out[0]->status = STATUS(GPU_E_RANGE);
        give(out[0], 0);
    } else {
        give_part(out[0], in[0], first, n);
    }
    return true;
}

MAKE(make_slice)
{
    UNUSED;
    out[0] = gpu_slice(in[0], r->drawn.number[0], r->drawn.number[1]);
}

REFER(refer_concat)
{
    UNUSED;
    if (in[0]->n + in[1]->n > 100000) return false;
    give(out[0], in[0]->n + in[1]->n);
    for (size_t i = 0; i < in[0]->n; i++) copy(out[0], i, element(in[0], i));
    for (size_t i = 0; i < in[1]->n; i++) copy(out[0], in[0]->n + i, element(in[1], i));
    return true;
}

MAKE(make_concat)
{
    UNUSED;
    out[0] = gpu_concat(in[0], in[1]);
}

static const gpu_type index_types[] = {&gpu_type_int, &gpu_type_uint, &gpu_type_long, &gpu_type_ulong};

/* Now and then one that is out of range. */
DRAW(draw_indices)
{
    (void)s;
    size_t n = in[0]->n, count = below(r, 4) ? below(r, n + 1) : below(r, 10);
    r->drawn.count = n ? count : 0;
    r->drawn.indices = test_alloc(count, sizeof *r->drawn.indices);
    for (size_t i = 0; i < r->drawn.count; i++) r->drawn.indices[i] = below(r, n);
    if (r->drawn.count && below(r, 3) == 0) r->drawn.indices[below(r, r->drawn.count)] = n + below(r, 100);
    r->drawn.number[0] = below(r, COUNT_OF(index_types));
}

static void gather(run *r, const value *a, size_t count, uint64_t (*index)(const void *context, size_t i),
                   const void *context, value *out)
{
    (void)r;
    give(out, count);
    for (size_t i = 0; i < count; i++) {
        uint64_t at = index(context, i);
        if (at < a->n)
            copy(out, i, element(a, at));
        else
            out->status = STATUS(GPU_E_RANGE);
    }
}

static uint64_t index_drawn(const void *context, size_t i)
{
    return ((const drawn *)context)->indices[i];
}

REFER(refer_gather)
{
    UNUSED;
    gather(r, in[0], r->drawn.count, index_drawn, &r->drawn, out[0]);
    return true;
}

static gpu_array *index_array(run *r)
{
    gpu_type type = index_types[r->drawn.number[0]];
    char *indices = test_alloc(r->drawn.count, type->size);
    for (size_t i = 0; i < r->drawn.count; i++) memcpy(indices + i * type->size, &r->drawn.indices[i], type->size);
    gpu_array *a = gpu_array_from(r->g, type, indices, r->drawn.count);
    free(indices);
    free(r->drawn.indices);
    return a;
}

MAKE(make_gather)
{
    UNUSED;
    out[0] = gpu_gather(in[0], index_array(r));
}

/* Indices that are computed from a value's elements, mostly below 16. */
typedef struct computed {
    run *r;
    const step *s;
    const value *v;
} computed;

static uint64_t index_computed(const void *context, size_t i)
{
    const computed *c = context;
    unsigned place;
    apply(c->r, c->s->rule, &place, element(c->v, i), NULL, i);
    return place;
}

REFER(refer_gather_by)
{
    UNUSED;
    const computed by = {r, s, in[1]};
    gather(r, in[0], in[1]->n, index_computed, &by, out[0]);
    return true;
}

MAKE(make_gather_by)
{
    UNUSED;
    out[0] = gpu_gather(in[0], gpu_map_op(in[1], GPU_UINT, operator_of(r, s, s->rule)));
}

GPU_FUNCTION(uint64_t, differential_back, (uint64_t x, uint64_t last), { return last - x; });

/* From the last to the first, by delayed indices. */
REFER(refer_gather_back)
{
    UNUSED;
    r->drawn.number[0] = in[0]->n;
    return refer_reverse(r, s, in, out);
}

MAKE(make_gather_back)
{
    UNUSED;
    uint64_t last = (uint64_t)r->drawn.number[0] - 1;
    gpu_array *range = gpu_range(r->g, GPU_ULONG, r->drawn.number[0]);
    out[0] = gpu_gather(in[0], gpu_map(range, differential_back, GPU_ARG(last)));
}

/* A neighbour of each element: an edge, a radius, how far away it is, and an element outside. */
enum { MOST_RADIUS = 3 };

DRAW(draw_stencil)
{
    r->drawn.number[0] = below(r, GPU_EDGE_KIND_VALUE + 1);
    r->drawn.number[1] = below(r, MOST_RADIUS + 1);
    r->drawn.number[2] = below(r, 2 * r->drawn.number[1] + 1);
    draw_element(r, s, in);
}

/* The host device has texts of scalars. */
REFER(refer_stencil)
{
    UNUSED;
    const gpu_edge_kind edge = (gpu_edge_kind)r->drawn.number[0];
    const ptrdiff_t n = (ptrdiff_t)in[0]->n, away = (ptrdiff_t)r->drawn.number[2] - (ptrdiff_t)r->drawn.number[1];
    if (r->host && !in[0]->kind->scalar) return false;
    give(out[0], in[0]->n);
    for (ptrdiff_t i = 0; i < n; i++) {
        ptrdiff_t at = i + away;
        while ((at < 0 || at >= n) && edge != GPU_EDGE_KIND_VALUE) {
            if (edge == GPU_EDGE_KIND_CLAMP) at = at < 0 ? 0 : n - 1;
            if (edge == GPU_EDGE_KIND_WRAP) at += at < 0 ? n : -n;
            if (edge == GPU_EDGE_KIND_REFLECT) at = n == 1 ? 0 : at < 0 ? -at : 2 * (n - 1) - at;
        }
        copy(out[0], (size_t)i, at < 0 || at >= n ? r->drawn.start : element(in[0], (size_t)at));
    }
    return true;
}

MAKE(make_stencil)
{
    UNUSED;
    static const char *const texts[] = {"at(-3)", "at(-2)", "at(-1)", "at(0)", "at(1)", "at(2)", "at(3)"};
    const size_t radius = r->drawn.number[1];
    const gpu_value outside = value_of(r->values[s->in[0]].kind, r->drawn.start);
    const gpu_edge edge = {(gpu_edge_kind)r->drawn.number[0], &outside};
    const gpu_operator op = {.snippet = texts[MOST_RADIUS + r->drawn.number[2] - radius], .place = GPU_HERE};
    out[0] = gpu_stencil_op(in[0], radius, &edge, &op);
}

/* Different places; now and then one of them is out of range. */
DRAW(draw_places)
{
    (void)s;
    size_t n = in[0]->n, count = in[1]->n;
    uint64_t *places = r->drawn.indices = test_alloc(n > count ? n : count, sizeof *places);
    for (size_t i = 0; i < n; i++) places[i] = i;
    for (size_t i = 0; i + 1 < n; i++) {
        size_t other = i + below(r, n - i);
        uint64_t kept = places[i];
        places[i] = places[other];
        places[other] = kept;
    }
    r->drawn.count = count;
    if (count && count <= n && below(r, 8) == 0) places[below(r, count)] = n + below(r, 5);
    r->drawn.number[0] = below(r, COUNT_OF(index_types));
}

REFER(refer_scatter)
{
    UNUSED;
    if (in[1]->n > in[0]->n) {
        free(r->drawn.indices);
        return false;
    }
    give_part(out[0], in[0], 0, in[0]->n);
    for (size_t i = 0; i < in[1]->n; i++) {
        if (r->drawn.indices[i] < in[0]->n)
            copy(out[0], r->drawn.indices[i], element(in[1], i));
        else
            out[0]->status = STATUS(GPU_E_RANGE);
    }
    return true;
}

MAKE(make_scatter)
{
    UNUSED;
    out[0] = gpu_scatter(in[0], index_array(r), in[1]);
}

/* Counts are mostly below 16. */
REFER(refer_repeat)
{
    size_t total = 0;
    for (size_t i = 0; i < in[0]->n; i++) {
        unsigned count;
        apply(r, s->rule, &count, element(in[1], i), NULL, i);
        total += count;
    }
    if (total > 100000) return false;
    give(out[0], total);
    for (size_t i = in[0]->n; i-- > 0;) {
        unsigned count;
        apply(r, s->rule, &count, element(in[1], i), NULL, i);
        while (count--) copy(out[0], --total, element(in[0], i));
    }
    return true;
}

MAKE(make_repeat)
{
    UNUSED;
    out[0] = gpu_repeat(in[0], gpu_map_op(in[1], GPU_UINT, operator_of(r, s, s->rule)));
}

const operation move_steps[] = {
    {"reverse", 4, 1, ANY, {SAME}, NO_RULE, KEEPS_LENGTH, NULL, refer_reverse, make_reverse, NULL},
    {"stencil", 4, 1, ANY, {SAME}, NO_RULE, KEEPS_LENGTH, draw_stencil, refer_stencil, make_stencil, NULL},
    {"slice", 7, 1, ANY, {SAME}, NO_RULE, IN_PART | SIZED, draw_slice, refer_slice, make_slice, NULL},
    {"concat", 4, 2, ANY, {SAME}, NO_RULE, SAME_KIND | SIZED, NULL, refer_concat, make_concat, NULL},
    {"gather", 5, 1, ANY, {SAME}, NO_RULE, IN_PART | SIZED | NO_SYMBOLS, draw_indices, refer_gather, make_gather, NULL},
    {"gather_by", 5, 2, ANY, {SAME}, PLACES, IN_PART | SIZED, NULL, refer_gather_by, make_gather_by, NULL},
    {"gather_back", 1, 1, ANY, {SAME}, NO_RULE, SIZED | NO_SYMBOLS, NULL, refer_gather_back, make_gather_back, NULL},
    {"repeat", 2, 2, ANY, {SAME}, PLACES, SAME_LENGTH | SIZED, NULL, refer_repeat, make_repeat, NULL},
    {"scatter",
     3,
     2,
     ANY,
     {SAME},
     NO_RULE,
     SAME_KIND | SIZED | NO_SYMBOLS,
     draw_places,
     refer_scatter,
     make_scatter,
     NULL},
    {0},
};
