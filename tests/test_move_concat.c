/* gpu_reverse, gpu_concat against plain C. */
#include "support/support.h"
#include "support/wide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const gpu_type moved_types[] = {GPU_USHORT, GPU_FLOAT4, GPU_TYPE(wide)};

static void check_reverse(gpu *g, gpu_type type, size_t n)
{
    char *data = test_random_bytes(type, n, 5), *want = test_alloc(n, type->size), what[64];
    for (size_t i = 0; i < n; i++) memcpy(want + (n - 1 - i) * type->size, data + i * type->size, type->size);
    snprintf(what, sizeof what, "%zu elements in reverse", n);
    gpu_array *a = gpu_array_from(g, type, data, n);
    test_holds(what, gpu_reverse(a), type, n, want);
    gpu_array_free(a);
    free(data);
    free(want);
}

Test(reverse, takes_types_and_lengths)
{
    gpu *g = test_open();
    for (size_t k = 0; k < test_size_count(785433); k++) check_reverse(g, GPU_FLOAT, test_sizes[k]);
    for (size_t t = 0; t < COUNT_OF(moved_types); t++) check_reverse(g, moved_types[t], 1025);
    test_close(g);
}

static const int falling[] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};

Test(reverse, takes_ranges_views_and_reversed_arrays)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10), *down = gpu_reverse(x);
    test_holds("a range", down, GPU_INT, 10, falling);
    test_holds("twice", gpu_slice(gpu_reverse(gpu_reverse(gpu_slice(down, 2, 8))), 1, 3), GPU_INT, 3, falling + 3);
    test_holds("a view", gpu_reverse(gpu_take_while(x, "x < 4")), GPU_INT, 4, falling + 6);
    test_close(g);
}

Test(reverse, keeps_the_maps_before_and_after_it)
{
    gpu *g = test_open();
    int sum = 77;
    gpu_array *x = gpu_range(g, GPU_INT, 10);
    test_holds("i", gpu_map(gpu_reverse(gpu_map(x, "x * 10 + (int)i")), "x - (int)i"), GPU_INT, 10,
               (int[]){99, 87, 75, 63, 51, 39, 27, 15, 3, -9});
    test_ok(gpu_reduce(gpu_map2(x, gpu_reverse(x), "x * y"), "a + b", &sum));
    cr_assert_eq(sum, 120, "%d", sum);
    test_close(g);
}

Test(reverse, takes_filters_and_is_filtered)
{
    gpu *g = test_open();
    int last = 77;
    gpu_array *x = gpu_range(g, GPU_INT, 10);
    test_holds("a filter", gpu_reverse(gpu_filter(x, "x % 3 == 0")), GPU_INT, 4, (int[]){9, 6, 3, 0});
    test_holds("filtered", gpu_filter(gpu_reverse(x), "x % 3 == 0"), GPU_INT, 4, (int[]){9, 6, 3, 0});
    test_holds("nothing kept", gpu_reverse(gpu_filter(x, "x > 10")), GPU_INT, 0, falling);
    test_ok(gpu_reduce(gpu_reverse(gpu_filter(x, "x < 6")), "b", &last));
    cr_assert_eq(last, 0, "the last is %d", last);
    test_close(g);
}

static void check_concat(gpu *g, gpu_type type, size_t n, size_t m)
{
    char *data = test_random_bytes(type, n + m, 6), what[64];
    snprintf(what, sizeof what, "%zu and %zu elements", n, m);
    gpu_array *a = gpu_array_from(g, type, data, n), *b = gpu_array_from(g, type, data + n * type->size, m);
    test_holds(what, gpu_concat(a, b), type, n + m, data);
    gpu_array_free(a);
    gpu_array_free(b);
    free(data);
}

Test(concat, takes_types_and_lengths)
{
    gpu *g = test_open();
    static const size_t others[] = {0, 1, 63, 1000, 65537};
    for (size_t k = 0; k < test_size_count(785433); k++) {
        for (size_t o = 0; o < COUNT_OF(others); o++) {
            check_concat(g, GPU_FLOAT, test_sizes[k], others[o]);
            check_concat(g, GPU_FLOAT, others[o], test_sizes[k]);
        }
    }
    for (size_t t = 0; t < COUNT_OF(moved_types); t++) check_concat(g, moved_types[t], 700, 333);
    test_close(g);
}

Test(concat, takes_slices_and_one_array_twice)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 6);
    test_holds("with itself", gpu_concat(x, x), GPU_INT, 12, (int[]){0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
    test_holds("slices", gpu_concat(gpu_slice(x, 2, 3), gpu_slice(x, 1, 2)), GPU_INT, 5, (int[]){2, 3, 4, 1, 2});
    test_close(g);
}

Test(concat, keeps_the_maps_before_and_after_it)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 6);
    test_holds("maps", gpu_map(gpu_concat(gpu_map(x, "x + 1"), gpu_map(x, "x * (int)i")), "x + 100 * (int)i"), GPU_INT,
               12, (int[]){1, 102, 203, 304, 405, 506, 600, 701, 804, 909, 1016, 1125});
    test_close(g);
}

Test(concat, takes_filters_and_is_filtered)
{
    gpu *g = test_open();
    int sum = 77;
    gpu_array *x = gpu_range(g, GPU_INT, 6), *odd = gpu_filter(x, "x % 2"), *none = gpu_filter(x, "x > 9");
    test_holds("filters", gpu_concat(odd, gpu_map(odd, "x * 2")), GPU_INT, 6, (int[]){1, 3, 5, 2, 6, 10});
    test_holds("a filter with itself", gpu_concat(odd, odd), GPU_INT, 6, (int[]){1, 3, 5, 1, 3, 5});
    test_holds("there and back", gpu_concat(odd, gpu_reverse(odd)), GPU_INT, 6, (int[]){1, 3, 5, 5, 3, 1});
    test_holds("filtered", gpu_filter(gpu_concat(x, gpu_reverse(x)), "x > 3"), GPU_INT, 4, (int[]){4, 5, 5, 4});
    test_ok(gpu_reduce(gpu_map2(gpu_concat(odd, odd), gpu_concat(none, x), "x * y"), "a + b", &sum));
    cr_assert_eq(sum, 0 + 3 + 10 + 3 + 12 + 25, "%d", sum);
    test_close(g);
}

Test(concat, takes_arrays_of_which_nothing_was_kept)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 6), *none = gpu_filter(x, "x > 9");
    int out[] = {0, 1, 2, 3, 4, 5};
    test_holds("nothing kept", gpu_concat(none, gpu_concat(x, none)), GPU_INT, 6, out);
    test_holds("nothing sorted", gpu_concat(gpu_sort(none), gpu_concat(x, gpu_scan(none, "a + b"))), GPU_INT, 6, out);
    test_close(g);
}

Test(concat, joins_two_single_elements) /* F15 */
{
    gpu *g = test_open();
    float one = 0.3990f, two = 0.6720f, both[] = {one, two};
    test_holds("two single ones", gpu_unique(gpu_concat(gpu_array_of(g, &one, 1), gpu_array_of(g, &two, 1))), GPU_FLOAT,
               2, both);
    test_close(g);
}

Test(concat, joins_a_hundred_pieces)
{
    gpu *g = test_open();
    enum { N = 100 };
    int want[3 * N], part[3];
    gpu_array *a = gpu_array_from(g, GPU_INT, NULL, 0);
    for (int i = 0; i < 3 * N; i++) want[i] = i * i;
    for (int k = 0; k < N; k++) {
        memcpy(part, want + 3 * k, sizeof part);
        a = gpu_concat(a, gpu_array_of(g, part, 3));
    }
    test_holds("a hundred pieces", a, GPU_INT, 3 * N, want);
    test_close(g);
}

Test(concat, joins_an_array_with_itself_fifteen_times)
{
    gpu *g = test_open();
    gpu_array *doubled = gpu_array_of(g, (&(int[]){0, 1, 4}[0]), 3);
    for (int k = 0; k < 15; k++) doubled = gpu_concat(doubled, doubled);
    int64_t sum = 77;
    test_ok(gpu_reduce(gpu_map_to(doubled, GPU_LONG, "x * (long)(i % 3 + 1)"), "a + b", &sum));
    cr_assert_eq(sum, (int64_t)14 << 15, "%lld", (long long)sum);
    test_close(g);
}
