#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* The elements, and room for as many. Both are swapped after each pass. */
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

/* Constant sizes are copied through a register. */
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

/* Ranks the elements of a block from `first` on, and returns their number. NaN stays last if descending. */
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

/* Turns counts into the first place of each digit. False if all elements have the same digit. */
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
    return s->order->descending ? fp_comes_before(less, b, a) : fp_comes_before(less, a, b);
}

/* Merges two runs, the second from `middle` on. No element is lost, whatever the comparator says. */
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

/* The number of comparisons, about. */
enum { MOST_TRIED = 1 << 20 };

/* Sorted elements have numbers, and alike ones have the same. A strict weak order compares as the numbers do. */
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

static gpu_status is_order(const sorting *s, bool *out)
{
    fp_applied less = fp_applied_to_two(s->order->less, s->order->key);
    gpu_status status = fp_apply_begin(&less);
    if (status) return status;
    uint64_t *numbers = fp_alloc_array(s->count, sizeof *numbers);
    for (size_t k = 1; numbers && k < s->count; k++)
        numbers[k] = numbers[k - 1] + comes_before(s, &less, s->from + (k - 1) * s->size, s->from + k * s->size);
    if (numbers) *out = compares_as(s, &less, numbers);
    fp_free(numbers);
    fp_apply_end(&less);
    return numbers ? GPU_OK : fp_fail_memory();
}

/* The first output of pairs has the keys, by which they are sorted. */
gpu_status fp_host_reconcile_sort(const fp_request *host, unsigned output, const unsigned char *there, bool *excused)
{
    (void)output;
    (void)there;
    bool fine = true;
    const fp_output *sorted = &host->outputs[0];
    const sorting s = {.order = host->order,
                       .size = sorted->type->size,
                       .count = host->input.length,
                       .from = fp_output_memory(host, 0)};
    gpu_status status = host->order->natural ? GPU_OK : is_order(&s, &fine);
    *excused = !fine;
    return status;
}

/* ---- all ---- */

static gpu_status sort(sorting *s)
{
    if (s->order->natural) {
        sort_by_radix(s);
        return GPU_OK;
    }
    fp_applied less = fp_applied_to_two(s->order->less, s->order->key);
    gpu_status status = fp_apply_begin(&less);
    if (status) return status;
    sort_by_merging(s, &less);
    fp_apply_end(&less);
    return GPU_OK;
}

/* Splits pairs into keys, unless nobody wants them, and values, converted to the output's type. */
static void unzip(const sorting *s, const fp_request *r)
{
    const fp_output *to_values = &r->outputs[r->output_count - 1];
    const gpu_type key = s->order->key, value = s->order->value, type = to_values->type;
    const size_t second = fp_pair_second(key, value);
    const bool as_is = gpu_type_equal(value, type);
    unsigned char *keys = r->output_count > 1 ? fp_output_memory(r, 0) : NULL;
    unsigned char *values = fp_buffer_memory(to_values->buffer);
    for (size_t k = 0; k < s->count; k++) {
        const unsigned char *from = s->from + k * s->size;
        if (keys) copy(keys + k * key->size, from, key->size);
        if (as_is) copy(values + k * type->size, from + second, type->size);
        if (!as_is) fp_convert(value, from + second, type, values + k * type->size);
    }
}

/* Sorts the elements. `room` is for as many, and for a second copy of pairs. */
static gpu_status sort_in(const fp_request *r, unsigned char *room)
{
    fp_node *node = r->input.node;
    const size_t bytes = node->length * node->type->size;
    unsigned char *out = r->order->value ? room + bytes : fp_output_memory(r, 0);
    gpu_status status = fp_host_copy(node, out);
    if (status) return status;
    sorting s = {r->order, node->type->size, node->length, out, room};
    status = sort(&s);
    if (!status && r->order->value) unzip(&s, r);
    if (!status && !r->order->value && s.from != out) memcpy(out, s.from, bytes);
    return status;
}

gpu_status fp_host_sort(const fp_request *r)
{
    const fp_node *node = r->input.node;
    unsigned char *room = fp_alloc_array(node->length, node->type->size * (r->order->value ? 2 : 1));
    gpu_status status = room ? sort_in(r, room) : fp_fail_memory();
    fp_free(room);
    return status;
}
