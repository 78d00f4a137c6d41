/* gpu_merge: every scalar type and pattern, uneven lengths, stability, arguments, delayed inputs and results. */
#include "support/functions.h"
#include "support/reference.h"

#include <stdlib.h>
#include <string.h>

GPU_STRUCT(item, int a;);
GPU_FUNCTION(int, leaves, (int x, int remainder), { return x % 2 == remainder; });

/* The first `of_a` elements of `data`, and the others, each in order; and both merged in plain C. */
static void sort_in_place(gpu_type type, unsigned char *data, size_t n)
{
    uint64_t *order = test_alloc(n, sizeof *order);
    unsigned char *sorted = test_alloc(n, type->size);
    test_order(type, data, n, test_ascending, order);
    test_gather(type, data, order, n, sorted);
    memcpy(data, sorted, n * type->size);
    free(sorted);
    free(order);
}

static void merge(gpu_type type, const unsigned char *a, size_t of_a, const unsigned char *b, size_t of_b,
                  unsigned char *out)
{
    const unsigned char *a_end = a + of_a * type->size, *b_end = b + of_b * type->size;
    for (; a < a_end || b < b_end; out += type->size) {
        bool from_b = a == a_end || (b < b_end && test_ascending(type, b, a));
        memcpy(out, from_b ? b : a, type->size);
        *(from_b ? &b : &a) += type->size;
    }
}

/* Bits are compared: they tell -0 from 0, and so whose element came first. */
static void check_lengths(gpu *g, gpu_type type, test_pattern pattern, size_t of_a, size_t of_b)
{
    gpu_scope *scope = gpu_scope_begin(g);
    char what[120];
    const size_t n = of_a + of_b;
    unsigned char *data = test_alloc(n, type->size), *want = test_alloc(n, type->size), *b = data + of_a * type->size;
    snprintf(what, sizeof what, "%zu and %zu of type %s, pattern %d", of_a, of_b, type->name, (int)pattern);
    test_pattern_fill(pattern, type, data, n, n);
    sort_in_place(type, data, of_a);
    sort_in_place(type, b, of_b);
    merge(type, data, of_a, b, of_b, want);
    gpu_array *merged = gpu_merge(gpu_array_from(g, type, data, of_a), gpu_array_from(g, type, b, of_b));
    test_holds(what, merged, test_bits(type), n, want);
    cr_assert(gpu_type_equal(gpu_type_of(merged), type), "%s: the result has another type", what);
    free(data);
    free(want);
    gpu_scope_end(scope);
}

static const struct {
    size_t a, b;
} lengths[] = {{0, 0},    {0, 1},    {1, 0},     {1, 1},       {2, 3},       {0, 1000},    {1000, 0},
               {1, 3000}, {3000, 1}, {257, 255}, {1023, 4097}, {20000, 333}, {333, 20000}, {34465, 34466}};

Test(merge, equals_plain_c_for_every_type_length_and_pattern)
{
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        for (size_t k = 0; k < COUNT_OF(lengths); k++) {
            for (unsigned p = 0; p < TEST_PATTERNS; p++) {
                const size_t n = lengths[k].a + lengths[k].b;
                bool wanted = test_full() || n <= 5 || p == (k + t) % TEST_PATTERNS || p == TEST_EXTREMES;
                if (wanted && test_takes_type(t, 0) && n <= test_limit(n))
                    check_lengths(g, test_scalars[t], p, lengths[k].a, lengths[k].b);
            }
        }
    }
    test_close(g);
}

Test(merge, of_many_elements_keeps_the_order)
{
    gpu *g = test_open();
    const unsigned long third = test_limit(1 << 20) / 3;
    gpu_array *even = gpu_map_to(gpu_range(g, GPU_ULONG, 2 * third), GPU_ULONG, "2 * x");
    gpu_array *odd = gpu_map_to(gpu_range(g, GPU_ULONG, third), GPU_ULONG, "2 * x + 1");
    gpu_array *wrong = gpu_map(gpu_merge(even, odd), "x != (i < 2 * third ? i : 2 * (i - third))", GPU_ARG(third));
    unsigned long sum = 1;
    test_ok(gpu_sum(wrong, &sum));
    cr_assert_eq(sum, 0, "%lu elements are wrong", sum);
    test_close(g);
}

/* ---- what is fused, and what waits ---- */

static gpu_array *sequence(gpu *g, size_t n, int step)
{
    return gpu_map(gpu_range(g, GPU_INT, n), times, GPU_ARG(step));
}

Test(merge, is_one_kernel_with_the_maps_before_and_behind_it)
{
    gpu *g = test_open();
    const int want[] = {0, 0, 20, 30, 40, 60, 60, 80, 90};
    const int step = 10;
    gpu_array *merged = gpu_map(gpu_merge(sequence(g, 5, 2), sequence(g, 4, 3)), times, GPU_ARG(step));
    unsigned long before = test_stats(g).kernels_launched;
    gpu_eval(merged);
    unsigned long launches = test_stats(g).kernels_launched - before;
    cr_assert(test_eager() || test_tiny() || launches <= 1, "%lu launches", launches);
    test_holds("maps before and behind a merge", merged, GPU_INT, COUNT_OF(want), want);
    if (!test_eager()) test_has(gpu_explain(gpu_merge(sequence(g, 5000, 2), sequence(g, 4, 3))), "gpu_merge");
    test_close(g);
}

static gpu_array *odd_numbers(gpu *g)
{
    const int one = 1;
    return gpu_filter(sequence(g, 4, 1), leaves, GPU_ARG_AS(remainder, GPU_INT, one));
}

/* The lengths of filters are waited for. */
Test(merge, takes_lengths_that_the_device_knows)
{
    gpu *g = test_open();
    const int want[] = {0, 0, 1, 2, 3, 4, 4, 6, 8, 8, 10, 12, 12, 16};
    const int none = 0;
    gpu_array *a = gpu_filter(sequence(g, 14, 1), leaves, GPU_ARG_AS(remainder, GPU_INT, none));
    gpu_array *b = gpu_filter(sequence(g, 5, 4), is_at_least, GPU_ARG_AS(least, GPU_INT, none));
    test_holds("merged filters", gpu_merge(odd_numbers(g), gpu_merge(a, b)), GPU_INT, COUNT_OF(want), want);
    test_close(g);
}

Test(merge, with_a_filter_that_left_nothing_is_the_other_array)
{
    gpu *g = test_open();
    const int one = 1, much = 100, want[] = {1, 3};
    gpu_array *nothing = gpu_filter(sequence(g, 14, 1), is_at_least, GPU_ARG_AS(least, GPU_INT, much));
    gpu_array *odd = odd_numbers(g);
    test_holds("none", gpu_merge(nothing, nothing), GPU_INT, 0, NULL);
    test_holds("one of none", gpu_merge(nothing, odd), GPU_INT, 2, want);
    test_holds("a sort of none", gpu_merge(gpu_sort(nothing), gpu_sort(odd)), GPU_INT, 2, want);
    test_holds("a map of one", gpu_merge(odd, gpu_map(gpu_sort(nothing), times, GPU_ARG_NAMED(step, one))), GPU_INT, 2,
               want);
    test_close(g);
}

Test(merge, of_symbols_can_be_compiled)
{
    gpu *g = test_open();
    const int x[] = {1, 5, 9}, y[] = {2, 3, 5, 7}, want[] = {-1, -3, -5, -5, -7, -9};
    gpu_array *a = gpu_symbol(g, GPU_INT), *b = gpu_symbol(g, GPU_INT);
    const int least = 3, step = -1;
    gpu_array *result = gpu_merge(a, gpu_filter(b, is_at_least, GPU_ARG(least)));
    gpu_status (*merged)(gpu_array * *out, const gpu_array *a, const gpu_array *b) = NULL;
    test_ok(gpu_compile(&merged, gpu_map(result, times, GPU_ARG(step)), a, b));
    test_ok(merged(&result, gpu_array_of(g, x, 3), gpu_array_of(g, y, 4)));
    test_holds("a compiled merge", result, GPU_INT, COUNT_OF(want), want);
    test_close(g);
}

/* ---- arguments ---- */

Test(merge, refuses_a_missing_array)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 4);
    test_array_fails(GPU_E_ARGUMENT, gpu_merge(x, NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_merge(NULL, x));
    test_close(g);
}

Test(merge, refuses_arrays_of_two_gpus)
{
    gpu *g = test_open(), *other = gpu_open(NULL);
    test_array_fails(GPU_E_ARGUMENT, gpu_merge(gpu_range(g, GPU_INT, 4), gpu_range(other, GPU_INT, 4)));
    test_has(gpu_error(), "gpu_merge: the arrays 'a' and 'b' belong to different gpus");
    gpu_close(other);
    test_close(g);
}

Test(merge, refuses_two_types)
{
    gpu *g = test_open();
    test_array_fails(GPU_E_TYPE, gpu_merge(gpu_range(g, GPU_INT, 4), gpu_range(g, GPU_LONG, 4)));
    test_has(gpu_error(), "map one to the other's");
    test_close(g);
}

Test(merge, refuses_elements_without_an_order)
{
    gpu *g = test_open();
    gpu_array *vectors = gpu_fill(g, GPU_FLOAT4, &(gpu_float4){0}, 3);
    gpu_array *items = gpu_fill(g, GPU_TYPE(item), &(item){0}, 3);
    test_array_fails(GPU_E_TYPE, gpu_merge(vectors, vectors));
    test_has(gpu_error(), "float4 has no order of its own: the keys must be scalars");
    test_array_fails(GPU_E_TYPE, gpu_merge(items, items));
    test_close(g);
}
