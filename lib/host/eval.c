#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* Note [blocks]: elements are computed FP_BLOCK at a time, node by node. So an element costs its operators, and not the
 * walk through the expression. */

/* ---- making ready ---- */

/* Waits for counts, which takes no time here. A node that is to be stored has a count that nobody has written yet. */
static gpu_status settle(fp_node *node)
{
    const bool made = node->kind == FP_NODE_BUFFER || node->kind == FP_NODE_SLICE;
    gpu_status status = fp_node_start(node) ? fp_count_wait(fp_node_start(node)) : GPU_OK;
    if (!status && node->count && made) status = fp_count_wait(node->count);
    fp_node_count(node);
    return status;
}

static unsigned find_walked(const fp_walk *walk, const fp_node *node, unsigned domain)
{
    unsigned k = 0;
    while (k < walk->count && !(walk->nodes[k].node == node && walk->nodes[k].domain == domain)) k++;
    return k;
}

/* Adds a node and what it is computed from, inputs first. */
static gpu_status add(fp_walk *walk, fp_node *node, unsigned domain, unsigned *number)
{
    *number = find_walked(walk, node, domain);
    if (*number < walk->count) return GPU_OK;
    fp_walked walked = {.node = node, .domain = domain};
    unsigned below = node->inputs[0] && !fp_node_stays(node) ? ++walk->domains : domain;
    for (int k = 0; k < FP_INPUTS && node->inputs[k]; k++) {
        gpu_status status = add(walk, node->inputs[k], below, &walked.inputs[k]);
        if (status) return status;
    }
    gpu_status status = fp_node_source(node) ? settle(fp_node_source(node)) : GPU_OK;
    if (!status) status = settle(node);
    if (status) return status;
    fp_walked *new = FP_PUSH(walk->nodes, walk->count, walk->capacity);
    if (!new) return fp_fail_memory();
    *new = walked;
    *number = (unsigned)(walk->count - 1);
    return GPU_OK;
}

/* A node whose operator the host cannot apply is in error from now on. */
static gpu_status bind(const fp_walk *walk, fp_walked *walked)
{
    fp_node *node = walked->node;
    walked->applied = fp_applied_to(node);
    if (node->kind == FP_NODE_STENCIL) walked->applied.line = walk->room + 2 * node->stencil.reach.across;
    gpu_status status = fp_apply_begin(&walked->applied);
    if (status && status != GPU_E_MEMORY) fp_fault_set(&node->fault, fp_fault_new(node->g));
    return status;
}

static gpu_status make_room(const fp_walk *walk, fp_walked *walked)
{
    const fp_node *node = walked->node;
    if (node->kind == FP_NODE_BUFFER || node->kind == FP_NODE_SLICE) return GPU_OK;
    walked->room = fp_alloc_array(walk->room, node->type->size + fp_node_filters(node));
    if (!walked->room) return fp_fail_memory();
    walked->flags = walked->room + walk->room * node->type->size;
    gpu_status status = node->op ? bind(walk, walked) : GPU_OK;
    if (!status && node->kind == FP_NODE_STENCIL) {
        walked->around = fp_alloc_array(2 * node->stencil.reach.down + 1, walked->applied.line * node->type->size);
        if (!walked->around) return fp_fail_memory();
    }
    return status;
}

gpu_status fp_walk_begin(fp_walk *walk, fp_node *node)
{
    *walk = (fp_walk){.count = 0};
    gpu_status status = add(walk, node, 0, &walk->root);
    if (status) return status;
    fp_node_count(node);
    walk->length = node->length;
    walk->room = walk->length < FP_BLOCK ? walk->length : FP_BLOCK;
    for (size_t k = 0; k < walk->count && !status; k++) status = make_room(walk, &walk->nodes[k]);
    if (status) return status;
    for (size_t k = 0; k < walk->count; k++) fp_node_mark_inputs(walk->nodes[k].node);
    if (!node->consumer) node->consumer = ++node->g->serial;
    return GPU_OK;
}

void fp_walk_end(fp_walk *walk)
{
    for (size_t k = 0; k < walk->count; k++) {
        fp_apply_end(&walk->nodes[k].applied);
        fp_free(walk->nodes[k].room);
        fp_free(walk->nodes[k].around);
    }
    fp_free(walk->nodes);
}

/* ---- computing ---- */

static fp_block compute(fp_walk *walk, unsigned number, size_t first, size_t n);

static const unsigned char *memory_of(const fp_node *node, size_t first)
{
    return (const unsigned char *)fp_node_memory(node) + first * node->type->size;
}

static void count_up(const fp_walked *w, size_t first, size_t n)
{
    uint64_t places[FP_BLOCK];
    for (size_t k = 0; k < n; k++) places[k] = first + k;
    fp_conversion_of(GPU_ULONG, w->node->type)(places, w->room, n);
}

/* The room keeps the values from block to block. */
static void repeat(const fp_walked *w, size_t n)
{
    if (n <= w->asked) return;
    const fp_node *node = w->node;
    const void *value = node->buffer ? fp_buffer_memory(node->buffer) : node->value;
    for (size_t k = 0; k < n; k++) memcpy(w->room + k * node->type->size, value, node->type->size);
}

static void reverse(fp_walk *walk, const fp_walked *w, size_t first, size_t n)
{
    size_t size = w->node->type->size;
    const fp_block in = compute(walk, w->inputs[0], w->node->inputs[0]->length - first - n, n);
    for (size_t k = 0; k < n; k++) memcpy(w->room + k * size, in.elements + (n - 1 - k) * size, size);
}

/* The elements one place earlier. The first one stands for its own predecessor. */
static void step_back(fp_walk *walk, const fp_walked *w, size_t first, size_t n)
{
    size_t size = w->node->type->size, doubled = first == 0, count = n - doubled;
    const fp_block in = compute(walk, w->inputs[0], first ? first - 1 : 0, count ? count : 1);
    if (doubled) memcpy(w->room, in.elements, size);
    memcpy(w->room + doubled * size, in.elements, count * size);
}

static void join(fp_walk *walk, const fp_walked *w, size_t first, size_t n)
{
    size_t size = w->node->type->size, length = w->node->inputs[0]->length;
    size_t left = first >= length ? 0 : length - first < n ? length - first : n;
    if (left) memcpy(w->room, compute(walk, w->inputs[0], first, left).elements, left * size);
    if (left == n) return;
    const fp_block in = compute(walk, w->inputs[1], first + left - length, n - left);
    memcpy(w->room + left * size, in.elements, in.count * size);
}

/* The elements of a view. Those of a row may be neighbours. */
static void pick(fp_walk *walk, const fp_walked *w, size_t first, size_t n)
{
    const size_t size = w->node->type->size;
    const fp_strides *s = &w->node->strides;
    for (size_t k = 0, count; k < n; k += count) {
        const size_t left = s->columns - (first + k) % s->columns, run = s->column_step == 1 ? left : 1;
        count = run < n - k ? run : n - k;
        const fp_block in = compute(walk, w->inputs[0], fp_strides_place(s, first + k), count);
        memcpy(w->room + k * size, in.elements, count * size);
    }
}

void fp_deferred_report(const fp_deferred *deferred, size_t position)
{
    fp_counter counter = fp_deferred_counter(deferred);
    uint64_t *counters = fp_buffer_memory(fp_counter_shown(counter));
    if (!counters) return; /* the device has reported it */
    uint32_t *seen = (uint32_t *)(counters + counter.index);
    uint32_t wrong = ~(uint32_t)(position < UINT32_MAX - 1 ? position : UINT32_MAX - 1);
    if (wrong > *seen) *seen = wrong;
}

/* Indices out of range are reported and give zeros. */
static void fetch(fp_walk *walk, const fp_walked *w, size_t first, size_t n)
{
    const fp_node *source = w->node->gather.source;
    gpu_type type = w->node->inputs[0]->type;
    const fp_block in = compute(walk, w->inputs[0], first, n);
    const size_t size = source->type->size;
    const unsigned char *elements = fp_node_memory(source);
    uint64_t at[FP_BLOCK];
    fp_conversion_of(type, GPU_ULONG)(in.elements, at, n);
    for (size_t k = 0; k < n; k++) {
        if (at[k] < source->length) fp_copy_element(w->room + k * size, elements + at[k] * size, size);
        if (at[k] >= source->length) memset(w->room + k * size, 0, size);
        if (at[k] >= source->length) fp_deferred_report(w->node->gather.raises, first + k);
    }
}

/* The place of an element that is equal to x, as kernels find it. */
static uint64_t place_of(const fp_walked *w, const unsigned char *x)
{
    const fp_node *source = w->node->gather.source;
    uint64_t low = 0, high = source->length;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (fp_comes_before(&w->applied, memory_of(source, middle), x))
            low = middle + 1;
        else
            high = middle;
    }
    return low < source->length && !fp_comes_before(&w->applied, x, memory_of(source, low)) ? low : FP_NOWHERE;
}

static void find(fp_walk *walk, const fp_walked *w, size_t first, size_t n)
{
    const fp_block in = compute(walk, w->inputs[0], first, n);
    for (size_t k = 0; k < n; k++) {
        const uint64_t place = place_of(w, in.elements + k * w->node->inputs[0]->type->size);
        memcpy(w->room + k * sizeof place, &place, sizeof place);
    }
}

static bool is_inside(const fp_operator *op, uint64_t i)
{
    const uint64_t columns = op->columns, row = i / columns, column = i % columns;
    switch (op->region) {
    case FP_REGION_ALL:
        return true;
    case FP_REGION_LOWER:
        return column <= row;
    case FP_REGION_UPPER:
        return column >= row;
    case FP_REGION_DIAGONAL:
        return column == row;
    case FP_REGION_ANTIDIAGONAL:
        return column + row == columns - 1;
    }
    return false;
}

/* Applies an operator to the elements of its region, run by run. The others stay. */
static void apply_inside(const fp_applied *a, const fp_stretch *all)
{
    for (size_t k = 0, count; k < all->count; k += count) {
        fp_stretch run = *all;
        const bool inside = is_inside(a->op, all->index + k);
        for (count = 1; k + count < all->count && is_inside(a->op, all->index + k + count) == inside;) count++;
        run.out += k * run.out_stride;
        run.in[0] += k * run.stride[0];
        run.index += k;
        run.count = count;
        if (inside) fp_apply(a, &run);
        if (!inside) memcpy(run.out, run.in[0], count * run.out_stride);
    }
}

/* Returns how many elements the inputs have: fewer than places where a filter came before. */
static size_t apply(fp_walk *walk, const fp_walked *w, size_t first, size_t n, unsigned char *out)
{
    fp_stretch s = {.out = out, .out_stride = w->applied.result->size, .index = first};
    for (unsigned k = 0; k < w->applied.operands; k++) {
        const fp_block in = compute(walk, w->inputs[k], first, n);
        s.in[k] = in.elements;
        s.stride[k] = w->applied.types[k]->size;
        s.count = in.count;
    }
    if (w->applied.op->region)
        apply_inside(&w->applied, &s);
    else
        fp_apply(&w->applied, &s);
    return s.count;
}

/* The place that stands for place `at` of n > 0 elements (kernels/block/edge.cl); n: none does. */
static size_t place_inside(gpu_edge_kind edge, int64_t at, size_t n)
{
    if (at >= 0 && (uint64_t)at < n) return (size_t)at;
    if (edge == GPU_EDGE_KIND_VALUE) return n;
    if (edge == GPU_EDGE_KIND_CLAMP) return at < 0 ? 0 : n - 1;
    if (edge == GPU_EDGE_KIND_REFLECT && n == 1) return 0;
    const int64_t period = (int64_t)(edge == GPU_EDGE_KIND_WRAP ? n : 2 * (n - 1)), rest = at % period;
    const size_t place = (size_t)(rest < 0 ? rest + period : rest);
    return place < n ? place : (size_t)period - place;
}

/* The elements of a row from column `first` on, `n` of them, with those outside. `start` is the place of its first one;
 * SIZE_MAX: the row itself is outside. */
static void surround_row(fp_walk *walk, const fp_walked *w, size_t start, int64_t first, size_t n, unsigned char *out)
{
    const fp_node *node = w->node;
    const size_t size = node->type->size, columns = fp_node_stencil_columns(node);
    for (size_t k = 0, count; k < n; k += count, out += count * size) {
        const int64_t at = first + (int64_t)k;
        const size_t column = start == SIZE_MAX ? columns : place_inside(node->stencil.edge, at, columns), left = n - k;
        const bool inside = (int64_t)column == at && column < columns;
        count = !inside ? 1 : left < columns - column ? left : columns - column;
        if (count > walk->room) count = walk->room;
        memcpy(out,
               column == columns ? node->stencil.outside : compute(walk, w->inputs[0], start + column, count).elements,
               count * size);
    }
}

/* The neighbourhoods of n elements in one row, as rows of applied.line elements. */
static void surround(fp_walk *walk, const fp_walked *w, size_t first, size_t n)
{
    const fp_node *node = w->node;
    const fp_reach reach = node->stencil.reach;
    const size_t columns = fp_node_stencil_columns(node), rows = node->inputs[0]->length / columns;
    for (size_t k = 0; k <= 2 * reach.down; k++) {
        const int64_t at = (int64_t)(first / columns + k) - (int64_t)reach.down;
        const size_t row = place_inside(node->stencil.edge, at, rows);
        surround_row(walk, w, row == rows ? SIZE_MAX : row * columns,
                     (int64_t)(first % columns) - (int64_t)reach.across, n + 2 * reach.across,
                     w->around + k * w->applied.line * node->type->size);
    }
}

static void apply_around(fp_walk *walk, const fp_walked *w, size_t first, size_t n)
{
    const size_t size = w->node->type->size, columns = fp_node_stencil_columns(w->node);
    const fp_reach reach = w->node->stencil.reach;
    for (size_t k = 0, count; k < n; k += count) {
        const size_t left = columns - (first + k) % columns;
        count = left < n - k ? left : n - k;
        surround(walk, w, first + k, count);
        fp_apply(&w->applied, &(fp_stretch){.out = w->room + k * size,
                                            .out_stride = size,
                                            .in = {w->around + (reach.down * w->applied.line + reach.across) * size},
                                            .stride = {size},
                                            .count = count,
                                            .index = first + k});
    }
}

static size_t filter(fp_walk *walk, const fp_walked *w, size_t first, size_t n)
{
    size_t size = w->node->type->size, kept = 0, count = apply(walk, w, first, n, w->flags);
    const unsigned char *elements = walk->nodes[w->inputs[0]].block.elements;
    for (size_t k = 0; k < count; k++) {
        const uint64_t place = first + k;
        const void *from = w->node->kind == FP_NODE_INDICES ? (const void *)&place : elements + k * size;
        if (w->flags[k]) fp_copy_element(w->room + kept++ * size, from, size);
    }
    return kept;
}

/* Computes a node at `n` > 0 places from `first` on. */
static fp_block compute_new(fp_walk *walk, const fp_walked *w, size_t first, size_t n)
{
    const fp_node *node = w->node;
    fp_block block = {w->room, n};
    switch (node->kind) {
    case FP_NODE_BUFFER:
        block.elements = memory_of(node, first);
        break;
    case FP_NODE_RANGE:
        count_up(w, first, n);
        break;
    case FP_NODE_FILL:
        repeat(w, n);
        break;
    case FP_NODE_SLICE:
        block = compute(walk, w->inputs[0], node->slice.first + first, n);
        break;
    case FP_NODE_REVERSE:
        reverse(walk, w, first, n);
        break;
    case FP_NODE_PREVIOUS:
        step_back(walk, w, first, n);
        break;
    case FP_NODE_CONCAT:
        join(walk, w, first, n);
        break;
    case FP_NODE_STRIDED:
        pick(walk, w, first, n);
        break;
    case FP_NODE_GATHER:
        fetch(walk, w, first, n);
        break;
    case FP_NODE_FIND:
        find(walk, w, first, n);
        break;
    case FP_NODE_MAP:
        block.count = apply(walk, w, first, n, w->room);
        break;
    case FP_NODE_STENCIL:
        apply_around(walk, w, first, n);
        break;
    case FP_NODE_FILTER:
    case FP_NODE_INDICES:
        block.count = filter(walk, w, first, n);
        break;
    case FP_NODE_TASK:
    case FP_NODE_SYMBOL:
        break;
    }
    return block;
}

/* Computes each place once, however often the expression names the node. A block stays until the next one of its
 * domain. */
static fp_block compute(fp_walk *walk, unsigned number, size_t first, size_t n)
{
    fp_walked *w = &walk->nodes[number];
    if (w->asked == n && w->first == first) return w->block;
    w->block = compute_new(walk, w, first, n);
    w->first = first;
    w->asked = n;
    return w->block;
}

bool fp_walk_next(fp_walk *walk, fp_block *out)
{
    size_t left = walk->length - walk->at, n = left < walk->room ? left : walk->room;
    if (!n) return false;
    *out = compute(walk, walk->root, walk->at, n);
    walk->at += n;
    return true;
}
