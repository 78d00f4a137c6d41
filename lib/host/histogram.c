#include "host/internal.h"

#include <string.h>

/* Equally wide bins from `low` to `high`. Integers are compared by their bits, extended to 64. */
typedef struct bins {
    gpu_type type;
    uint32_t count;
    double low, high;
    uint64_t first, range;
} bins;

/* ---- floating elements ---- */

/* The lower bound of a bin, rounded in the elements' type as on devices. */
static double bound(const bins *b, uint32_t k)
{
    const float low = (float)b->low, high = (float)b->high;
    if (b->type == GPU_FLOAT) return (double)(low + (float)k * (high - low) / (float)b->count);
    return b->low + (double)k * (b->high - b->low) / (double)b->count;
}

/* The bounds correct a guess. */
static uint32_t bin_of_number(const bins *b, double x)
{
    if (!(x >= b->low && x < b->high)) return b->count;
    const double guess = (x - b->low) / (b->high - b->low) * b->count;
    uint32_t k = guess < b->count - 1 ? (uint32_t)guess : b->count - 1;
    while (k > 0 && x < bound(b, k)) k--;
    while (k + 1 < b->count && x >= bound(b, k + 1)) k++;
    return k;
}

/* ---- integers ---- */

/* a * b, of 96 bits: high * 2^32 + low */
typedef struct product {
    uint64_t high;
    uint32_t low;
} product;

static product multiply(uint64_t a, uint32_t b)
{
    const uint64_t low = (a & UINT32_MAX) * b, high = (a >> 32) * b + (low >> 32);
    return (product){high, (uint32_t)low};
}

/* Is a * b below c * d? */
static bool is_below(uint64_t a, uint32_t b, uint64_t c, uint32_t d)
{
    const product p = multiply(a, b), q = multiply(c, d);
    return p.high != q.high ? p.high < q.high : p.low < q.low;
}

/* The bin at a distance from `low`. Elements outside, on either side, have at least the range as their distance. */
static uint32_t bin_of_distance(const bins *b, uint64_t distance)
{
    if (distance >= b->range) return b->count;
    const double guess = (double)distance / (double)b->range * b->count;
    uint32_t k = guess < b->count - 1 ? (uint32_t)guess : b->count - 1;
    while (k > 0 && is_below(distance, b->count, b->range, k)) k--;
    while (k + 1 < b->count && !is_below(distance, b->count, b->range, k + 1)) k++;
    return k;
}

/* ---- counting ---- */

static bins bins_of(gpu_type type, const void *low, const void *high, uint32_t count)
{
    bins b = {.type = type, .count = count};
    fp_convert(type, low, GPU_DOUBLE, &b.low);
    fp_convert(type, high, GPU_DOUBLE, &b.high);
    if (type->kind == GPU_KIND_FLOATING) return b;
    fp_convert(type, low, GPU_ULONG, &b.first);
    fp_convert(type, high, GPU_ULONG, &b.range);
    b.range -= b.first;
    return b;
}

static uint32_t bin_of(const bins *b, const void *element)
{
    double x;
    uint64_t bits;
    if (b->type->kind == GPU_KIND_FLOATING) {
        fp_convert(b->type, element, GPU_DOUBLE, &x);
        return bin_of_number(b, x);
    }
    fp_convert(b->type, element, GPU_ULONG, &bits);
    return bin_of_distance(b, bits - b->first);
}

gpu_status fp_host_histogram(const fp_request *r)
{
    fp_walk walk;
    fp_block block;
    fp_node *node = r->input.node;
    const bins b = bins_of(node->type, r->bounds[0], r->bounds[1], (uint32_t)r->number);
    const gpu_type counted = r->outputs[0].type;
    uint64_t *counts = fp_output_memory(r, 0);
    uint32_t *short_counts = fp_output_memory(r, 0);
    memset(counts, 0, (b.count + (size_t)1) * counted->size);
    gpu_status status = fp_walk_begin(&walk, node);
    while (!status && fp_walk_next(&walk, &block))
        for (size_t k = 0; k < block.count; k++) {
            const uint32_t bin = bin_of(&b, block.elements + k * node->type->size);
            if (counted == GPU_ULONG) counts[bin]++;
            if (counted == GPU_UINT) short_counts[bin]++;
        }
    fp_walk_end(&walk);
    return status;
}
