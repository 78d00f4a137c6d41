/* Matrices and dictionaries. A matrix has the first elements of an array. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

/* ---- matrices ---- */

enum { COLUMNS, ROWS, VARIANT };

DRAW(draw_shape)
{
    const size_t n = in[0]->n, columns = 1 + below(r, n < 80 ? n + 3 : 80);
    draw_element(r, s, in);
    r->drawn.number[COLUMNS] = columns;
    r->drawn.number[ROWS] = n / columns;
    r->drawn.number[VARIANT] = below(r, 1 << 16);
}

static gpu_matrix *matrix_of(const run *r, const gpu_array *a)
{
    const size_t rows = r->drawn.number[ROWS], columns = r->drawn.number[COLUMNS];
    return gpu_matrix_from(gpu_slice(a, 0, rows * columns), rows, columns);
}

/* A transpose, its block without the first row and column, the rows from the last to the first, and the columns. */
typedef enum view { TRANSPOSE, BLOCK, FLIP_ROWS, FLIP_COLUMNS, VIEWS } view;

static view view_of(const run *r)
{
    return r->drawn.number[ROWS] ? (view)(r->drawn.number[VARIANT] % VIEWS) : TRANSPOSE;
}

REFER(refer_view)
{
    UNUSED;
    const view view = view_of(r);
    const bool turned = view < FLIP_ROWS;
    const size_t rows = r->drawn.number[ROWS], columns = r->drawn.number[COLUMNS], skipped = view == BLOCK;
    size_t n = 0;
    give(out[0], rows * columns);
    for (size_t y = skipped; y < (turned ? columns : rows); y++)
        for (size_t x = skipped; x < (turned ? rows : columns); x++) {
            const size_t row = turned ? x : view == FLIP_ROWS ? rows - 1 - y : y;
            const size_t column = turned ? y : view == FLIP_COLUMNS ? columns - 1 - x : x;
            copy(out[0], n++, element(in[0], row * columns + column));
        }
    out[0]->n = n;
    return true;
}

MAKE(make_view)
{
    UNUSED;
    const size_t rows = r->drawn.number[ROWS], columns = r->drawn.number[COLUMNS];
    gpu_matrix *m = matrix_of(r, in[0]), *seen = NULL;
    switch (view_of(r)) {
    case FLIP_ROWS:
        seen = gpu_matrix_flip_rows(m);
        break;
    case FLIP_COLUMNS:
        seen = gpu_matrix_flip_columns(m);
        break;
    case BLOCK:
        seen = gpu_matrix_block(gpu_matrix_transpose(m), 1, 1, columns - 1, rows - 1);
        break;
    case TRANSPOSE:
    case VIEWS:
        seen = gpu_matrix_transpose(m);
    }
    out[0] = gpu_matrix_array(seen);
}

REFER(refer_map_lower)
{
    const size_t columns = r->drawn.number[COLUMNS];
    give_part(out[0], in[0], 0, r->drawn.number[ROWS] * columns);
    for (size_t i = 0; i < out[0]->n; i++)
        if (i % columns <= i / columns) apply(r, s->rule, element(out[0], i), element(in[0], i), NULL, i);
    return true;
}

MAKE(make_map_lower)
{
    out[0] = gpu_matrix_array(gpu_matrix_map_lower_op(matrix_of(r, in[0]), operator_of(r, s, s->rule)));
}

REFER(refer_columns)
{
    const size_t rows = r->drawn.number[ROWS], columns = r->drawn.number[COLUMNS];
    char joined[MOST_BYTES];
    if (!rows || !stays_exact(s->rule, in[0])) return false;
    give_part(out[0], in[0], 0, columns);
    for (size_t i = columns; i < rows * columns; i++) {
        apply(r, s->rule, joined, element(out[0], i % columns), element(in[0], i), 0);
        copy(out[0], i % columns, joined);
    }
    return true;
}

MAKE(make_columns)
{
    out[0] = gpu_matrix_reduce_columns_op(matrix_of(r, in[0]), operator_of(r, s, s->rule));
}

/* The neighbour at (dy, dx). */
typedef struct neighbour {
    gpu_edge_kind edge;
    int dy, dx;
} neighbour;

static neighbour neighbour_of(const run *r)
{
    const size_t variant = r->drawn.number[VARIANT];
    return (neighbour){(gpu_edge_kind)(variant % 4), (int)(variant / 4 % 7) - 3, (int)(variant / 28 % 7) - 3};
}

/* SIZE_MAX: it is outside. */
static size_t place_of(gpu_edge_kind edge, ptrdiff_t at, ptrdiff_t n)
{
    while (at < 0 || at >= n) {
        if (edge == GPU_EDGE_KIND_VALUE) return SIZE_MAX;
        if (edge == GPU_EDGE_KIND_CLAMP) at = at < 0 ? 0 : n - 1;
        if (edge == GPU_EDGE_KIND_WRAP) at += at < 0 ? n : -n;
        if (edge == GPU_EDGE_KIND_REFLECT) at = n == 1 ? 0 : at < 0 ? -at : 2 * (n - 1) - at;
    }
    return (size_t)at;
}

/* The host device has texts of scalars. */
REFER(refer_matrix_stencil)
{
    UNUSED;
    const size_t rows = r->drawn.number[ROWS], columns = r->drawn.number[COLUMNS];
    const neighbour k = neighbour_of(r);
    if (r->host && !in[0]->kind->scalar) return false;
    give(out[0], rows * columns);
    for (size_t i = 0; i < rows * columns; i++) {
        const size_t row = place_of(k.edge, (ptrdiff_t)(i / columns) + k.dy, (ptrdiff_t)rows);
        const size_t column = place_of(k.edge, (ptrdiff_t)(i % columns) + k.dx, (ptrdiff_t)columns);
        const bool outside = row == SIZE_MAX || column == SIZE_MAX;
        copy(out[0], i, outside ? r->drawn.start : element(in[0], row * columns + column));
    }
    return true;
}

MAKE(make_matrix_stencil)
{
    UNUSED;
    const neighbour k = neighbour_of(r);
    const gpu_value outside = value_of(r->values[s->in[0]].kind, r->drawn.start);
    const gpu_edge edge = {k.edge, &outside};
    char text[32];
    snprintf(text, sizeof text, "at(%d, %d)", k.dy, k.dx);
    const gpu_operator op = {.snippet = text, .place = GPU_HERE};
    out[0] = gpu_matrix_array(gpu_matrix_stencil_op(matrix_of(r, in[0]), 3, &edge, &op));
}

/* ---- dictionaries ---- */

/* The indices of the keys in ascending order; equal ones as they stand. */
static uint64_t *order_of(const value *keys)
{
    uint64_t *order = test_alloc(keys->n, sizeof *order);
    test_order(keys->kind->type, keys->data, keys->n, test_ascending, order);
    return order;
}

static bool is_same_key(const value *keys, uint64_t i, uint64_t j)
{
    return is_equal(keys->kind, element(keys, i), element(keys, j));
}

REFER(refer_dict)
{
    char joined[MOST_BYTES];
    size_t n = 0;
    if (has_nan(in[0]) || !stays_exact(s->rule, in[1])) return false;
    uint64_t *order = order_of(in[0]);
    give(out[0], in[0]->n);
    give(out[1], in[0]->n);
    for (size_t i = 0; i < in[0]->n; i++) {
        const void *x = element(in[1], order[i]);
        if (i && is_same_key(in[0], order[i], order[i - 1])) {
            apply(r, s->rule, joined, element(out[1], n - 1), x, 0);
            copy(out[1], n - 1, joined);
        } else {
            copy(out[0], n, element(in[0], order[i]));
            copy(out[1], n++, x);
        }
    }
    out[0]->n = out[1]->n = n;
    free(order);
    return true;
}

MAKE(make_dict)
{
    gpu_dict *d = gpu_dict_of_op(in[0], in[1], NULL, operator_of(r, s, s->rule));
    out[0] = gpu_dict_keys(d);
    out[1] = gpu_dict_values(d);
}

/* Of each key the last value that it has. */
REFER(refer_dict_get)
{
    UNUSED;
    if (has_nan(in[0])) return false;
    uint64_t *order = order_of(in[0]);
    give(out[0], in[0]->n);
    for (size_t i = in[0]->n, last = 0; i-- > 0;) {
        if (i + 1 == in[0]->n || !is_same_key(in[0], order[i], order[i + 1])) last = order[i];
        copy(out[0], order[i], element(in[1], last));
    }
    free(order);
    return true;
}

MAKE(make_dict_get)
{
    UNUSED;
    out[0] = gpu_dict_get(gpu_dict_of(in[0], in[1], "b"), in[0], NULL);
}

enum { SHAPED = IN_PART | SIZED | NO_SYMBOLS };

const operation collection_steps[] = {
    {"matrix_view", 3, 1, ANY, {SAME}, NO_RULE, SHAPED, draw_shape, refer_view, make_view, NULL},
    {"matrix_map_lower", 2, 1, ANY, {SAME}, MAPS, SHAPED, draw_shape, refer_map_lower, make_map_lower, NULL},
    {"matrix_reduce_columns", 2, 1, ANY, {SAME}, JOINS, SHAPED, draw_shape, refer_columns, make_columns, NULL},
    {"matrix_stencil", 3, 1, ANY, {SAME}, NO_RULE, SHAPED, draw_shape, refer_matrix_stencil, make_matrix_stencil, NULL},
    {"dict_of", 2, 2, SCALAR, {SAME, SECOND}, JOINS, SAME_LENGTH | PAIRED, NULL, refer_dict, make_dict, NULL},
    {"dict_get",
     2,
     2,
     SCALAR,
     {SECOND},
     NO_RULE,
     SAME_LENGTH | KEEPS_LENGTH,
     NULL,
     refer_dict_get,
     make_dict_get,
     NULL},
    {0},
};
