#include "host/internal.h"

#include "host/numbers.h"

#include <string.h>

/* The factors of a panel, column by column, and the order of its rows. */
typedef struct panel {
    const fp_request *r;
    const fp_numbers *numbers;
    size_t rows, width, size;
    unsigned char *lu;
    uint64_t *order;
} panel;

static unsigned char *element(const panel *p, size_t row, size_t column)
{
    return p->lu + (column * p->rows + row) * p->size;
}

static void swap(unsigned char *a, unsigned char *b, size_t size)
{
    unsigned char kept[sizeof(gpu_double2)];
    memcpy(kept, a, size);
    memcpy(a, b, size);
    memcpy(b, kept, size);
}

static void swap_rows(const panel *p, size_t a, size_t b)
{
    for (size_t column = 0; column < p->width; column++) swap(element(p, a, column), element(p, b, column), p->size);
    const uint64_t kept = p->order[a];
    p->order[a] = p->order[b];
    p->order[b] = kept;
}

/* Brings the pivot of column k to row k, and eliminates the column below it. */
static void eliminate(const panel *p, size_t k)
{
    const size_t below = p->rows - k - 1;
    unsigned char *pivot = element(p, k, k), *determinant = element(p, 0, p->width);
    const size_t at = k + p->numbers->largest(pivot, p->rows - k);
    if (at != k) swap_rows(p, k, at);
    if (at != k) p->numbers->negate(determinant);
    p->numbers->multiply(determinant, pivot);
    if (p->numbers->is_zero(pivot)) {
        if (p->r->deferred) fp_deferred_report(p->r->deferred, p->r->number + k);
        return;
    }
    p->numbers->divide(pivot + p->size, pivot, below);
    for (size_t c = k + 1; c < p->width; c++)
        p->numbers->subtract(element(p, k + 1, c), pivot + p->size, element(p, k, c), below);
}

gpu_status fp_host_lu(const fp_request *r)
{
    panel p = {.r = r,
               .numbers = fp_numbers_of(r->input.node->type),
               .rows = r->shape[0],
               .width = r->shape[1],
               .size = r->input.node->type->size,
               .lu = fp_output_memory(r, 0),
               .order = fp_output_memory(r, 1)};
    gpu_status status = fp_host_copy(r->input.node, p.lu);
    if (status) return status;
    memcpy(element(&p, 0, p.width), p.numbers->one, p.size);
    for (size_t k = 0; k < p.rows; k++) p.order[k] = k;
    for (size_t k = 0; k < p.width; k++) eliminate(&p, k);
    return GPU_OK;
}

/* ---- triangles ---- */

static void substitute(const fp_numbers *numbers, const unsigned char *lu, const fp_request *r, unsigned char *row)
{
    const size_t size = numbers->type->size, width = r->shape[1], pitch = r->shape[2];
    const bool upper = r->number;
    for (size_t k = 0; k < width; k++) {
        const size_t at = upper ? width - 1 - k : k, first = upper ? 0 : at + 1;
        const unsigned char *column = lu + at * pitch * size;
        if (upper) numbers->divide(row + at * size, column + at * size, 1);
        numbers->subtract(row + first * size, column + first * size, row + at * size, width - 1 - k);
    }
}

gpu_status fp_host_triangular(const fp_request *r)
{
    const fp_node *lu = r->into.node;
    const size_t size = lu->type->size;
    const unsigned char *factors = fp_buffer_memory(lu->buffer);
    unsigned char *out = fp_output_memory(r, 0);
    gpu_status status = fp_host_copy(r->input.node, out);
    for (size_t row = 0; row < r->shape[0] && !status; row++)
        substitute(fp_numbers_of(lu->type), factors, r, out + row * r->shape[1] * size);
    return status;
}
