/* Elements combined as a device's kernels do, for the same bits: what kernels/block/reduce.cl, block/group.cl,
 * reduce.cl and scan.cl do beside each other is done in turn here. */
#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/policy.h"

#include <string.h>

typedef struct combining {
    const fp_applied *op;
    const fp_device_order *order;
    size_t size;
    const unsigned char *elements;
    unsigned char *items;  /* what the items of a group have */
    unsigned char *unit;   /* the accumulators of an item */
    unsigned char *totals; /* of warps */
} combining;

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static const unsigned char *element(const combining *c, size_t i)
{
    return c->elements + i * c->size;
}

/* a = op(a, b) for `count` values, each so many bytes apart; of a stride of 0 there is one. */
static void add(const combining *c, unsigned char *a, size_t a_stride, const unsigned char *b, size_t b_stride,
                size_t count)
{
    fp_apply(
        c->op,
        &(fp_stretch){.out = a, .out_stride = a_stride, .in = {a, b}, .stride = {a_stride, b_stride}, .count = count});
}

/* b = op(a, b) */
static void add_before(const combining *c, const unsigned char *a, unsigned char *b)
{
    fp_apply(c->op,
             &(fp_stretch){.out = b, .out_stride = c->size, .in = {a, b}, .stride = {c->size, c->size}, .count = 1});
}

/* `count` > 0 values from left to right. */
static void in_a_row(const combining *c, const unsigned char *values, size_t count, unsigned char *total)
{
    memcpy(total, values, c->size);
    add(c, total, 0, values + c->size, c->size, count - 1);
}

/* Neighbours, then neighbours of those, into the first: groups in order, and warps, whose values are a group of their
 * own. */
static void in_pairs(const combining *c, unsigned char *values, size_t count)
{
    for (size_t step = 1; step < count; step *= 2)
        add(c, values, 2 * step * c->size, values + step * c->size, 2 * step * c->size,
            fp_ceiling(count - step, 2 * step));
}

/* The upper half onto the lower one, into the first: groups in any order. */
static void in_halves(const combining *c, unsigned char *values, size_t count)
{
    for (size_t width = c->order->group / 2; width > 0; width /= 2)
        if (width < count) add(c, values, c->size, values + width * c->size, c->size, least(width, count - width));
}

/* ---- CPU ---- */

static void reduce_chunk(const combining *c, size_t first, size_t last, unsigned char *total)
{
    size_t lanes = c->order->ordered ? 1 : c->order->lanes, i = first + lanes;
    if (lanes == 1 || last - first < 2 * lanes) {
        in_a_row(c, element(c, first), last - first, total);
        return;
    }
    memcpy(c->items, element(c, first), lanes * c->size);
    for (; i + lanes <= last; i += lanes) add(c, c->items, c->size, element(c, i), c->size, lanes);
    add(c, c->items, c->size, element(c, i), c->size, last - i);
    for (size_t width = lanes / 2; width > 0; width /= 2)
        add(c, c->items, c->size, c->items + width * c->size, c->size, width);
    memcpy(total, c->items, c->size);
}

/* ---- GPU ---- */

/* An item of the launch: units a whole launch apart, then of the elements that fill no unit. */
static void reduce_item(const combining *c, size_t i, size_t n, unsigned char *total)
{
    const fp_device_order *o = c->order;
    size_t unit = o->unit, stride = o->groups * o->group, units = n / unit, rest = n - units * unit, k = i;
    if (i < units) {
        memcpy(c->unit, element(c, i * unit), unit * c->size);
        for (size_t at = i + stride; at < units; at += stride)
            add(c, c->unit, c->size, element(c, at * unit), c->size, unit);
        in_a_row(c, c->unit, unit, total);
    } else if (i < rest) {
        memcpy(total, element(c, units * unit + i), c->size);
        k += stride;
    }
    for (; k < rest; k += stride) add(c, total, 0, element(c, units * unit + k), 0, 1);
}

static void reduce_group(const combining *c, size_t group, size_t n, unsigned char *total)
{
    const fp_device_order *o = c->order;
    size_t units = n / o->unit, rest = n - units * o->unit, first = group * o->group;
    size_t items = least(o->group, (units > rest ? units : rest) - first);
    for (size_t l = 0; l < items; l++) reduce_item(c, first + l, n, c->items + l * c->size);
    if (o->warp > 1) in_pairs(c, c->items, items);
    if (o->warp == 1) in_halves(c, c->items, items);
    memcpy(total, c->items, c->size);
}

/* Tiles one after the other, each of a part for each of `items`. */
static void reduce_tiles(const combining *c, size_t first, size_t last, size_t items, unsigned char *total)
{
    size_t part = c->order->part;
    for (size_t tile = first; tile < last; tile += items * part) {
        size_t left = least(items * part, last - tile), count = fp_ceiling(left, part);
        for (size_t k = 0; k < count; k++)
            in_a_row(c, element(c, tile + k * part), least(part, left - k * part), c->items + k * c->size);
        in_pairs(c, c->items, count);
        if (tile == first) memcpy(total, c->items, c->size);
        if (tile != first) add(c, total, 0, c->items, 0, 1);
    }
}

/* The share of a group in order: warps have shares of their own. */
static void reduce_range(const combining *c, size_t first, size_t last, unsigned char *total)
{
    const fp_device_order *o = c->order;
    size_t items = o->warp > 1 ? o->warp : o->group, warps = o->group / items, tile = items * o->part, count = 0;
    size_t share = fp_ceiling(fp_ceiling(last - first, tile), warps) * tile;
    for (size_t at = first; at < last; at += share)
        reduce_tiles(c, at, least(at + share, last), items, c->totals + count++ * c->size);
    in_pairs(c, c->totals, count);
    memcpy(total, c->totals, c->size);
}

/* What the last group to finish does. */
static void reduce_partials(const combining *c, const unsigned char *partials)
{
    const fp_device_order *o = c->order;
    size_t count = o->groups, share = o->ordered ? fp_ceiling(count, o->group) : 1, size = c->size;
    size_t items = o->ordered ? fp_ceiling(count, share) : least(count, o->group);
    for (size_t l = 0; l < items; l++)
        in_a_row(c, partials + l * share * size, least(share, count - l * share), c->items + l * size);
    for (size_t k = items; k < count && !o->ordered; k += items)
        add(c, c->items, size, partials + k * size, size, least(items, count - k));
    if (o->ordered || o->warp > 1) in_pairs(c, c->items, items);
    if (!o->ordered && o->warp == 1) in_halves(c, c->items, items);
}

/* ---- reductions ---- */

static void reduce_share(const combining *c, size_t group, size_t n, unsigned char *total)
{
    const fp_device_order *o = c->order;
    size_t first = group * o->share, last = least(first + o->share, n);
    if (o->cpu) reduce_chunk(c, first, last, total);
    if (!o->cpu && o->ordered) reduce_range(c, first, last, total);
    if (!o->cpu && !o->ordered) reduce_group(c, group, n, total);
}

/* Room for the values of items, of a unit and of warps, and `more` behind them. */
static unsigned char *make_room(combining *c, size_t n, size_t more)
{
    const fp_device_order *o = c->order;
    size_t items = least(o->cpu ? o->lanes : o->group, n);
    c->items = fp_alloc_array(2 * items + o->unit + 1 + more, c->size);
    if (!c->items) return NULL;
    c->totals = c->items + items * c->size;
    c->unit = c->totals + (items + 1) * c->size;
    return c->unit + o->unit * c->size;
}

gpu_status fp_reduce_as(const fp_applied *op, const fp_device_order *order, const unsigned char *elements, size_t n,
                        unsigned char *total)
{
    combining c = {.op = op, .order = order, .size = op->result->size, .elements = elements};
    unsigned char *partials = make_room(&c, n, order->groups);
    if (!partials) return fp_fail_memory();
    for (size_t group = 0; group < order->groups; group++) reduce_share(&c, group, n, partials + group * c.size);
    if (order->groups > 1 && order->cpu) in_pairs(&c, partials, order->groups);
    if (order->groups > 1 && !order->cpu) reduce_partials(&c, partials);
    memcpy(total, order->groups > 1 && !order->cpu ? c.items : partials, c.size);
    fp_free(c.items);
    return GPU_OK;
}

/* ---- scans ---- */

/* Each of `count` <= warp values becomes that of all up to it, in order. */
static void scan_warp(const combining *c, unsigned char *values, size_t count)
{
    for (size_t distance = 1; distance < count; distance *= 2)
        for (size_t k = count - 1; k >= distance; k--)
            add_before(c, values + (k - distance) * c->size, values + k * c->size);
}

/* Warps; then each value gets those of the warps before it. */
static void scan_warps(const combining *c, unsigned char *values, size_t count)
{
    size_t warp = c->order->warp, size = c->size, of_warp = warp * size;
    unsigned char *before = c->unit;
    for (size_t first = 0; first < count; first += warp)
        scan_warp(c, values + first * size, least(warp, count - first));
    for (size_t w = 0; (w + 1) * warp <= count; w++)
        memcpy(c->totals + w * size, values + (w + 1) * of_warp - size, size);
    for (size_t first = warp; first < count; first += warp) {
        in_a_row(c, c->totals, first / warp, before);
        for (size_t k = first; k < least(first + warp, count); k++) add_before(c, before, values + k * size);
    }
}

/* Up the tree and down again. */
static void scan_tree(const combining *c, unsigned char *values, size_t count)
{
    size_t group = c->order->group, size = c->size;
    for (size_t step = 1; step < group; step *= 2)
        for (size_t right = 2 * step - 1; right < count; right += 2 * step)
            add_before(c, values + (right - step) * size, values + right * size);
    for (size_t step = group / 2; step > 0; step /= 2)
        for (size_t right = 3 * step - 1; right < count; right += 2 * step)
            add_before(c, values + (right - step) * size, values + right * size);
}

/* The results of a part, given the value of all before it, or NULL; `start` makes the scan exclusive. */
static void scan_part(const combining *c, const void *before, bool exclusive, size_t first, size_t count,
                      unsigned char *out)
{
    const unsigned char *next = element(c, first);
    memcpy(out, before ? before : next, c->size);
    if (before && !exclusive) add(c, out, 0, next, 0, 1);
    if (!exclusive) next += c->size;
    fp_apply(c->op, &(fp_stretch){.out = out + c->size,
                                  .out_stride = c->size,
                                  .in = {out, next},
                                  .stride = {c->size, c->size},
                                  .count = count - 1});
}

static void scan_tile(const combining *c, const void *start, size_t n, unsigned char *before, unsigned char *out)
{
    size_t part = c->order->part, parts = fp_ceiling(n, part), size = c->size;
    for (size_t l = 0; l < parts; l++)
        in_a_row(c, element(c, l * part), least(part, n - l * part), c->items + l * size);
    if (c->order->warp > 1) scan_warps(c, c->items, parts);
    if (c->order->warp == 1) scan_tree(c, c->items, parts);
    for (size_t l = 0; l < parts; l++) {
        if (start) memcpy(before, start, size);
        if (l > 0 && start) add(c, before, 0, c->items + (l - 1) * size, 0, 1);
        if (l > 0 && !start) memcpy(before, c->items + (l - 1) * size, size);
        scan_part(c, start || l > 0 ? before : NULL, start != NULL, l * part, least(part, n - l * part),
                  out + l * part * size);
    }
}

/* Each chunk goes on from the values of those before it, which are not its results' last. */
static void scan_chunks(const combining *c, const void *start, size_t n, unsigned char *before, unsigned char *out)
{
    unsigned char *total = before + c->size;
    bool any = start != NULL;
    if (start) memcpy(before, start, c->size);
    for (size_t first = 0; first < n; first += c->order->share) {
        size_t count = least(c->order->share, n - first);
        scan_part(c, any ? before : NULL, start != NULL, first, count, out + first * c->size);
        if (first + count == n) break;
        reduce_chunk(c, first, first + count, total);
        if (any) add(c, before, 0, total, 0, 1);
        if (!any) memcpy(before, total, c->size);
        any = true;
    }
}

gpu_status fp_scan_as(const fp_applied *op, const fp_device_order *order, const void *start,
                      const unsigned char *elements, size_t n, unsigned char *out)
{
    combining c = {.op = op, .order = order, .size = op->result->size, .elements = elements};
    unsigned char *before = make_room(&c, n, 2);
    if (!before) return fp_fail_memory();
    if (order->cpu) scan_chunks(&c, start, n, before, out);
    if (!order->cpu) scan_tile(&c, start, n, before, out);
    fp_free(c.items);
    return GPU_OK;
}
