#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* The elements, and room for as many, which change their places. */
typedef struct sorting {
    const fp_order *order;
    size_t size;
    size_t count;
    unsigned char *from, *to;
} sorting;

static void swap(sorting *s)
{
    unsigned char *from = s->from;
    s->from = s->to;
    s->to = from;
}

/* Sizes that are known when this is compiled are moved in a register. */
static void copy(unsigned char *to, const unsigned char *from, size_t size)
{
    switch (size) {
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    case 16:
        memcpy(to, from, 16);
        break;
    default:
        memcpy(to, from, size);
    }
}

/* ---- radix, for keys in their own order ---- */

enum { DIGITS = 256, DIGIT_BITS = 8, MOST_DIGITS = 8 };

/* The numbers that the first `count` elements from `first` on are sorted by. Downwards NaN stays last. */
static size_t rank_block(const sorting *s, size_t first, uint64_t *ranks)
{
    size_t left = s->count - first, count = left < FP_BLOCK ? left : FP_BLOCK;
    fp_ranks_of(s->order->key)(s->from + first * s->size, s->size, count, ranks);
    bool last = s->order->key->kind == GPU_KIND_FLOATING;
    for (size_t k = 0; s->order->descending && k < count; k++) ranks[k] = ~ranks[k] - last;
    return count;
}

static size_t digit_of(uint64_t rank, size_t digit)
{
    return rank >> DIGIT_BITS * digit & (DIGITS - 1);
}

static void count_digits(const sorting *s, size_t (*counts)[DIGITS])
{
    uint64_t ranks[FP_BLOCK];
    for (size_t first = 0; first < s->count; first += FP_BLOCK) {
        size_t count = rank_block(s, first, ranks);
        for (size_t k = 0; k < count; k++)
            for (size_t digit = 0; digit < s->order->key->size; digit++) counts[digit][digit_of(ranks[k], digit)]++;
    }
}

/* Where each digit's elements begin; false if all elements have the same one. */
static bool find_places(size_t *counts, size_t all)
{
    size_t before = 0;
    for (size_t k = 0; k < DIGITS; k++) {
        size_t count = counts[k];
        if (count == all) return false;
        counts[k] = before;
        before += count;
    }
    return true;
}

static void move(const sorting *s, size_t digit, size_t *places)
{
    uint64_t ranks[FP_BLOCK];
    for (size_t first = 0; first < s->count; first += FP_BLOCK) {
        size_t count = rank_block(s, first, ranks);
        for (size_t k = 0; k < count; k++)
            copy(s->to + places[digit_of(ranks[k], digit)]++ * s->size, s->from + (first + k) * s->size, s->size);
    }
}

static void sort_by_radix(sorting *s)
{
    size_t counts[MOST_DIGITS][DIGITS] = {{0}};
    count_digits(s, counts);
    for (size_t digit = 0; digit < s->order->key->size; digit++) {
        if (!find_places(counts[digit], s->count)) continue;
        move(s, digit, counts[digit]);
        swap(s);
    }
}

/* ---- merge, for comparators ---- */

static bool comes_before(const sorting *s, const fp_applied *less, const unsigned char *a, const unsigned char *b)
{
    unsigned char yes;
    bool down = s->order->descending;
    fp_apply(less, &(fp_stretch){.out = &yes, .in = {down ? b : a, down ? a : b}, .count = 1});
    return yes;
}

/* Two runs side by side, the second from `middle` on. All elements arrive, whatever the comparator says. */
static void merge(const sorting *s, const fp_applied *less, size_t first, size_t middle, size_t end)
{
    size_t size = s->size;
    const unsigned char *left = s->from + first * size, *right = s->from + middle * size;
    const unsigned char *const left_end = right, *const right_end = s->from + end * size;
    unsigned char *to = s->to + first * size;
    for (; left < left_end && right < right_end; to += size) {
        const unsigned char **next = comes_before(s, less, right, left) ? &right : &left;
        copy(to, *next, size);
        *next += size;
    }
    memcpy(to, left, (size_t)(left_end - left));
    memcpy(to + (left_end - left), right, (size_t)(right_end - right));
}

static void sort_by_merging(sorting *s, const fp_applied *less)
{
    for (size_t width = 1; width < s->count; width *= 2) {
        for (size_t first = 0; first < s->count; first += 2 * width) {
            size_t left = s->count - first;
            merge(s, less, first, first + (left < width ? left : width), first + (left / 2 < width ? left : 2 * width));
        }
        swap(s);
    }
}

/* ---- is it an order? ---- */

/* So many comparisons, about. */
enum { MOST_TRIED = 1 << 20 };

/* Elements in order have numbers, where alike ones have the same; a strict weak order compares as they do. */
static bool compares_as(const sorting *s, const fp_applied *less, const uint64_t *numbers)
{
    size_t step = s->count / (MOST_TRIED / s->count + 1) + 1;
    for (size_t a = 0; a < s->count; a += step) {
        for (size_t b = 0; b < s->count; b++) {
            const unsigned char *p = s->from + a * s->size, *q = s->from + b * s->size;
            if (comes_before(s, less, p, q) != (numbers[a] < numbers[b])) return false;
            if (comes_before(s, less, q, p) != (numbers[b] < numbers[a])) return false;
        }
    }
    return true;
}

gpu_status fp_host_is_order(const fp_order *order, const fp_buffer *sorted, size_t size, size_t count, bool *is_order)
{
    fp_applied less;
    const gpu_type types[] = {order->key, order->key};
    const sorting s = {.order = order, .size = size, .count = count, .from = fp_buffer_memory(sorted)};
    gpu_status status = fp_apply_begin(order->less, GPU_UCHAR, types, 2, true, &less);
    if (status) return status;
    uint64_t *numbers = fp_alloc_array(count, sizeof *numbers);
    for (size_t k = 1; numbers && k < count; k++)
        numbers[k] = numbers[k - 1] + comes_before(&s, &less, s.from + (k - 1) * size, s.from + k * size);
    if (numbers) *is_order = compares_as(&s, &less, numbers);
    fp_free(numbers);
    fp_apply_end(&less);
    return numbers ? GPU_OK : fp_fail_memory();
}

/* ---- all ---- */

static gpu_status sort(sorting *s)
{
    fp_applied less;
    const gpu_type types[] = {s->order->key, s->order->key};
    if (s->order->natural) {
        sort_by_radix(s);
        return GPU_OK;
    }
    gpu_status status = fp_apply_begin(s->order->less, GPU_UCHAR, types, 2, true, &less);
    if (status) return status;
    sort_by_merging(s, &less);
    fp_apply_end(&less);
    return GPU_OK;
}

gpu_status fp_host_sort(fp_node *node, const fp_order *order, fp_buffer **out)
{
    gpu *g = node->g;
    fp_buffer *elements, *other = NULL;
    gpu_status status = fp_elements_new_at(g, true, node->type, node->length, &elements);
    if (status) return status;
    status = fp_elements_new_at(g, true, node->type, node->length, &other);
    if (!status) status = fp_host_map(node, elements);
    if (!status) {
        sorting s = {order, node->type->size, node->length, fp_buffer_memory(elements), fp_buffer_memory(other)};
        status = sort(&s);
        if (!status) *out = fp_buffer_keep(s.from == fp_buffer_memory(other) ? other : elements);
    }
    fp_buffer_drop(elements);
    fp_buffer_drop(other);
    return status;
}

void fp_host_apart(const fp_node *pairs, const fp_buffer *sorted, const fp_order *order, gpu_type type, fp_buffer *keys,
                   fp_buffer *values)
{
    gpu_type key = order->key, value = order->value;
    size_t second = fp_pair_second(key, value);
    const unsigned char *from = fp_buffer_memory(sorted);
    unsigned char *to_keys = keys ? fp_buffer_memory(keys) : NULL, *to = fp_buffer_memory(values);
    bool as_is = gpu_type_equal(value, type);
    for (size_t k = 0; k < pairs->length; k++, from += pairs->type->size) {
        if (keys) copy(to_keys + k * key->size, from, key->size);
        if (as_is) copy(to + k * type->size, from + second, type->size);
        if (!as_is) fp_convert(value, from + second, type, to + k * type->size);
    }
}
