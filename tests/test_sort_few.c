/* gpu_sort and its forms: few elements, as other libraries got them wrong; inputs of every kind. */
#include "support/support.h"

#include <math.h>

Test(sort, puts_33_numbers_into_order) /* O01 */
{
    gpu *g = test_open();
    int many[] = {7,  49, 73, 58, 30, 72, 44, 78, 23, 9,  40, 65, 92, 42, 87, 3, 27,
                  29, 40, 12, 3,  69, 9,  57, 60, 33, 99, 78, 16, 35, 97, 26, 12};
    int in_order[] = {3,  3,  7,  9,  9,  12, 12, 16, 23, 26, 27, 29, 30, 33, 35, 40, 40,
                      42, 44, 49, 57, 58, 60, 65, 69, 72, 73, 78, 78, 87, 92, 97, 99};
    test_holds("33 numbers", gpu_sort(gpu_array_of(g, many, 33)), GPU_INT, 33, in_order);
    test_holds("by a < b", gpu_sort_by(gpu_array_of(g, many, 33), "a < b"), GPU_INT, 33, in_order);
    test_close(g);
}

Test(sort, puts_nan_last_in_both_directions) /* O09, O10 */
{
    gpu *g = test_open();
    float nan[] = {3, NAN, 1, 2, -NAN, 0}, five[] = {5, 9, NAN, 5};
    gpu_array *x = gpu_array_of(g, nan, 6);
    test_holds("NaN", gpu_sort(x), GPU_FLOAT, 6, (float[]){0, 1, 2, 3, NAN, NAN});
    test_holds("one NaN", gpu_sort(gpu_array_of(g, five, 4)), GPU_FLOAT, 4, (float[]){5, 5, 9, NAN});
    test_holds("descending NaN", gpu_sort_descending(x), GPU_FLOAT, 6, (float[]){3, 2, 1, 0, NAN, NAN});
    test_close(g);
}

Test(sort, keeps_the_order_of_zeros_of_both_signs)
{
    gpu *g = test_open();
    float zeros[] = {0.0f, 1, -0.0f}, zeros_last[] = {1, 0.0f, -0.0f};
    test_holds("bit by bit", gpu_sort_descending(gpu_array_of(g, zeros, 3)), GPU_UINT, 3, zeros_last);
    test_close(g);
}

Test(sort, puts_negative_numbers_first) /* O19 */
{
    gpu *g = test_open();
    float mixed[] = {-1.5f, 2, -3, 0};
    test_holds("signs", gpu_sort(gpu_array_of(g, mixed, 4)), GPU_FLOAT, 4, (float[]){-3, -1.5f, 0, 2});
    test_close(g);
}

Test(sort, sorts_a_view_and_not_what_is_around_it) /* O15 */
{
    gpu *g = test_open();
    int nine[] = {9, 3, 1, 2, 0};
    gpu_array *x = gpu_array_of(g, nine, 5);
    test_holds("a view", gpu_sort(gpu_slice(x, 1, 3)), GPU_INT, 3, (int[]){1, 2, 3});
    test_holds("around the view", x, GPU_INT, 5, nine);
    test_close(g);
}

Test(sort, takes_equal_and_high_unsigned_numbers) /* O21 */
{
    gpu *g = test_open();
    unsigned twos[] = {2, 2, 2}, high[] = {0x80000000u, 1};
    test_holds("the same", gpu_sort(gpu_array_of(g, twos, 3)), GPU_UINT, 3, twos);
    test_holds("a high bit", gpu_sort(gpu_array_of(g, high, 2)), GPU_UINT, 2, (unsigned[]){1, 0x80000000u});
    test_close(g);
}

typedef struct kind_of_input {
    const char *what;
    gpu_array *a;
    size_t n;
    const int *sorted;
} kind_of_input;

static const int ten[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

/* Each by an algorithm of its own, in a full run by all: an array is delayed once only. */
static void check_kinds(gpu *g, unsigned round)
{
    int k = 7, falling[] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    gpu_array *down = gpu_array_of(g, falling, 10), *up = gpu_range(g, GPU_INT, 10);
    const kind_of_input kinds[] = {
        {"a range", up, 10, ten},
        {"a map", gpu_map(down, "x * k % 10 + (int)i / 10", GPU_ARG(k)), 10, ten},
        {"a slice of a map", gpu_slice(gpu_map(down, "x + 2"), 5, 4), 4, ten + 3},
        {"a view", gpu_take_while(down, "x > 3"), 6, ten + 4},
        {"a filter", gpu_filter(down, "x < 4"), 4, ten},
        {"a map of a filter", gpu_map(gpu_filter(down, "x < 4"), "x + 3"), 4, ten + 3},
        {"two arrays", gpu_concat(gpu_slice(down, 0, 5), gpu_slice(down, 5, 5)), 10, ten},
        {"a map after a sort", gpu_map(gpu_sort(down), "x + 9 - 2 * (int)i"), 10, ten},
    };
    for (unsigned m = 0; m < COUNT_OF(kinds); m++) {
        gpu_sort_options options = {(m + round) % 4, false};
        const char *less = options.algorithm == GPU_SORT_BITONIC ? "a < b" : NULL;
        test_holds(kinds[m].what, gpu_sort_with(kinds[m].a, &options, less), GPU_INT, kinds[m].n, kinds[m].sorted);
    }
    test_holds("the array behind them", down, GPU_INT, 10, falling);
}

Test(sort, takes_delayed_filtered_and_sorted_inputs)
{
    gpu *g = test_open();
    for (unsigned round = 0; round < (test_full() ? 4 : 1); round++) check_kinds(g, round);
    test_close(g);
}
