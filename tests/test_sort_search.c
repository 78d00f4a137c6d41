/* gpu_top, gpu_top_pairs, gpu_is_sorted, gpu_lower_bound. */
#include "support/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

GPU_STRUCT(colour, unsigned char red; unsigned char green; unsigned char blue;);

static void check_top(gpu *g, gpu_type type, test_pattern pattern, size_t n)
{
    const size_t counts[] = {0, 1, 2, 31, 100, n / 2, n - (n > 0), n, n + 1, SIZE_MAX};
    void *data = test_alloc(n, type->size), *want = test_alloc(n, type->size);
    uint64_t *order = test_alloc(n, sizeof *order);
    test_pattern_fill(pattern, type, data, n, n);
    test_order(type, data, n, test_descending, order);
    test_gather(type, data, order, n, want);
    gpu_array *a = gpu_array_from(g, type, data, n);
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        char what[96];
        snprintf(what, sizeof what, "the first %zu of %zu, pattern %d", counts[c], n, (int)pattern);
        gpu_array *top = gpu_top(a, counts[c]);
        test_holds(what, top, type, counts[c] < n ? counts[c] : n, want);
        gpu_array_free(top);
    }
    test_holds("the input", a, test_bits(type), n, data);
    gpu_array_free(a);
    free(data);
    free(want);
    free(order);
}

Test(top, takes_types_lengths_and_patterns)
{
    gpu *g = test_open();
    for (unsigned t = 0; t < TEST_SCALARS; t++) {
        if (!test_full() && test_scalars[t] != GPU_INT && test_scalars[t] != GPU_FLOAT) continue;
        for (unsigned p = 0; p < TEST_PATTERNS; p++) check_top(g, test_scalars[t], p, 1000);
    }
    for (size_t s = 0; s < test_size_count(68931) && test_sizes[s] <= 68931; s++) {
        check_top(g, GPU_INT, TEST_BITS, test_sizes[s]);
        check_top(g, GPU_FLOAT, s % TEST_PATTERNS, test_sizes[s]);
    }
    check_top(g, GPU_INT, TEST_BITS, test_limit(785433));
    test_close(g);
}

/* The bound of the candidates follows from every 24th element. Those are the largest here: too few are candidates. */
static void mislead(int *x, size_t n)
{
    for (size_t k = 0; k < n; k++) x[k] = (int)(k % 24 ? k % 1000 : 1000000 + k);
}

/* Three are larger than all others, which are equal. */
static void repeat(int *x, size_t n)
{
    for (size_t k = 0; k < n; k++) x[k] = k % 40000 == 7 ? 9 : 5;
}

static void check_many(void (*make)(int *x, size_t n))
{
    const size_t n = test_limit(100000), count = n / 20;
    gpu *g = test_open();
    int *x = test_alloc(n, sizeof *x), *want = test_alloc(n, sizeof *want);
    uint64_t *order = test_alloc(n, sizeof *order);
    make(x, n);
    test_order(GPU_INT, x, n, test_descending, order);
    test_gather(GPU_INT, x, order, n, want);
    gpu_array *a = gpu_array_of(g, x, n), *k, *v;
    test_holds("elements", gpu_top(a, count), GPU_INT, count, want);
    test_ok(gpu_top_pairs(a, gpu_range(g, GPU_ULONG, n), count, &k, &v));
    test_holds("keys", k, GPU_INT, count, want);
    test_holds("values", v, GPU_ULONG, count, order);
    free(x);
    free(want);
    free(order);
    test_close(g);
}

Test(top, takes_an_array_of_which_a_sample_misleads)
{
    check_many(mislead);
}

Test(top, takes_many_equal_elements)
{
    check_many(repeat);
}

/* Equal keys keep their order, and values may be structs. */
static void check_top_pairs(gpu *g, gpu_type key, gpu_type value, test_pattern pattern, size_t n)
{
    const size_t counts[] = {0, 1, 100, n / 2, n, n + 1};
    void *keys = test_alloc(n, key->size), *values = test_random_bytes(value, n, n);
    uint64_t *order = test_alloc(n, sizeof *order);
    test_pattern_fill(pattern, key, keys, n, n);
    test_order(key, keys, n, test_descending, order);
    gpu_array *a = gpu_array_from(g, key, keys, n), *b = gpu_array_from(g, value, values, n), *k, *v;
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        const size_t count = counts[c] < n ? counts[c] : n;
        char what[96];
        snprintf(what, sizeof what, "the first %zu of %zu pairs, pattern %d", counts[c], n, (int)pattern);
        test_ok(gpu_top_pairs(a, b, counts[c], &k, &v));
        test_holds_ordered(what, k, key, keys, order, count);
        test_holds_ordered(what, v, value, values, order, count);
        gpu_array_free(k);
        gpu_array_free(v);
    }
    gpu_array_free(a);
    gpu_array_free(b);
    free(keys);
    free(values);
    free(order);
}

Test(top_pairs, takes_types_lengths_and_patterns)
{
    const size_t sizes[] = {0, 1, 1000, test_limit(65536), test_limit(70000)};
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++)
        if (test_takes_type(t, 1)) check_top_pairs(g, test_scalars[t], GPU_INT, TEST_EXTREMES, 1000);
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        check_top_pairs(g, GPU_FLOAT, GPU_INT, TEST_BITS, sizes[s]);
        if (sizes[s] <= 1000 || test_full()) check_top_pairs(g, GPU_INT, GPU_TYPE(colour), TEST_BITS, sizes[s]);
    }
    for (unsigned p = 0; p < TEST_PATTERNS; p++) check_top_pairs(g, GPU_FLOAT, GPU_INT, p, test_limit(200000));
    test_close(g);
}

Test(top_pairs, takes_filtered_keys_and_values)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 50), *few = gpu_filter(x, "x % 10 == 0"), *k, *v;
    test_ok(gpu_top_pairs(few, gpu_map(few, "x / 10"), 3, &k, &v));
    test_holds("keys of a filter", k, GPU_INT, 3, (int[]){40, 30, 20});
    test_holds("values of a filter", gpu_map(v, "x + 1"), GPU_INT, 3, (int[]){5, 4, 3});
    test_close(g);
}

Test(top, takes_delayed_and_filtered_inputs)
{
    gpu *g = test_open();
    int three[] = {96, 94, 92}, all[] = {6, 4, 2, 0};
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 50)), *few = gpu_filter(gpu_map(x, "x * 2"), "x < 8");
    test_holds("a map", gpu_top(gpu_map(gpu_slice(x, 0, 49), "x * 2"), 3), GPU_INT, 3, three);
    test_holds("a filter", gpu_top(few, 3), GPU_INT, 3, all);
    test_holds("all of a filter", gpu_top(few, 5), GPU_INT, 4, all);
    test_holds("nothing kept", gpu_top(gpu_filter(few, "x > 8"), 5), GPU_INT, 0, all);
    test_holds("used further", gpu_map(gpu_top(few, 5), "x - (int)i"), GPU_INT, 4, (int[]){6, 3, 0, -3});
    test_close(g);
}

static void check_is_sorted(gpu *g, gpu_type type, const void *data, size_t n)
{
    bool want = true, got = false;
    const char *at = data;
    for (size_t i = 1; i < n; i++) want &= !test_ascending(type, at + i * type->size, at + (i - 1) * type->size);
    gpu_array *a = gpu_array_from(g, type, data, n);
    got = !want;
    test_ok(gpu_is_sorted(a, &got));
    cr_assert_eq(got, want, "%zu elements of type %s: %d", n, type->name, got);
    gpu_array_free(a);
}

Test(is_sorted, finds_a_fault_at_every_place)
{
    gpu *g = test_open();
    float nan[] = {0, -0.0f, 0, 1, INFINITY, -NAN, NAN, 2};
    check_is_sorted(g, GPU_FLOAT, nan, 7);
    check_is_sorted(g, GPU_FLOAT, nan, 8);
    for (unsigned t = 0; t < 3 * TEST_SCALARS; t++) {
        static const test_pattern patterns[] = {TEST_RISING, TEST_FALLING, TEST_EQUAL};
        int64_t data[300];
        if (!test_full() && t / 3 % 5 != 0) continue;
        test_pattern_fill(patterns[t % 3], test_scalars[t / 3], data, 300, 1);
        check_is_sorted(g, test_scalars[t / 3], data, 300);
    }
    unsigned *data = test_alloc(test_limit(2803221), sizeof *data);
    for (size_t s = 0; s < test_size_count(2803221); s++) {
        size_t n = test_sizes[s] < 2803221 ? test_sizes[s] : 2803221, places[] = {1, 2, 32, n / 3, n / 2, n - 1};
        for (size_t i = 0; i < n; i++) data[i] = 2 * (unsigned)i + 3;
        check_is_sorted(g, GPU_UINT, data, n);
        for (size_t p = 0; p < COUNT_OF(places); p++) {
            if (places[p] < 1 || places[p] >= n) continue;
            data[places[p]] -= 3;
            check_is_sorted(g, GPU_UINT, data, n);
            data[places[p]] += 3;
        }
    }
    free(data);
    test_close(g);
}

Test(is_sorted, takes_delayed_and_filtered_inputs)
{
    gpu *g = test_open();
    bool up = false, down = true, few = false, none = false;
    gpu_array *x = gpu_range(g, GPU_INT, 10000);
    test_ok(gpu_is_sorted(gpu_map(x, "x / 3"), &up));
    test_ok(gpu_is_sorted(gpu_map(x, "-x"), &down));
    test_ok(gpu_is_sorted(gpu_filter(gpu_map(x, "x % 5000"), "x == 4999"), &few));
    test_ok(gpu_is_sorted(gpu_filter(gpu_map(x, "-x"), "x > 0"), &none));
    cr_assert(up && !down && few && none, "%d %d %d %d", up, down, few, none);
    test_ok(gpu_is_sorted(gpu_filter(gpu_map(x, "x % 5000"), "x > 4997"), &few)); /* 4998 4999 4998 4999 */
    cr_assert(!few);
    test_close(g);
}

/* Elements of a pattern in ascending order, m more of it to look up. */
static void check_lower_bound(gpu *g, gpu_type type, test_pattern pattern, size_t n, size_t m)
{
    gpu_scope *scope = gpu_scope_begin(g);
    char *data = test_alloc(n + m, type->size), *sorted = test_alloc(n, type->size), what[96];
    uint64_t *order = test_alloc(n, sizeof *order), *want = test_alloc(m, sizeof *want);
    test_pattern_fill(pattern, type, data, n + m, n);
    test_order(type, data, n, test_ascending, order);
    test_gather(type, data, order, n, sorted);
    for (size_t i = 0; i < m; i++) {
        while (want[i] < n && test_ascending(type, sorted + want[i] * type->size, data + (n + i) * type->size))
            want[i]++;
    }
    snprintf(what, sizeof what, "%zu of type %s among %zu, pattern %d", m, type->name, n, (int)pattern);
    gpu_array *values = gpu_array_from(g, type, data + n * type->size, m);
    test_holds(what, gpu_lower_bound(gpu_array_from(g, type, sorted, n), values), GPU_ULONG, m, want);
    free(data);
    free(sorted);
    free(order);
    free(want);
    gpu_scope_end(scope);
}

Test(lower_bound, takes_types_and_lengths)
{
    gpu *g = test_open();
    for (unsigned t = 0; t < TEST_SCALARS; t++) {
        if (!test_full() && t % 5 != 0) continue;
        for (unsigned p = 0; p < TEST_PATTERNS; p++) check_lower_bound(g, test_scalars[t], p, 100 + t, 70);
    }
    for (size_t s = 0; s < test_size_count(68931) && test_sizes[s] <= 68931; s++) {
        check_lower_bound(g, GPU_INT, TEST_BITS, test_sizes[s], 65);
        check_lower_bound(g, GPU_FLOAT, TEST_EXTREMES, 33, test_sizes[s]);
    }
    test_close(g);
}

Test(lower_bound, gives_the_place_of_the_first_that_is_not_less) /* F12 */
{
    gpu *g = test_open();
    int some[] = {500, 1000, -1}, repeats[] = {1, 1, 1, 3, 3};
    gpu_array *thousand = gpu_range(g, GPU_INT, 1000), *values = gpu_array_of(g, some, 3);
    test_holds("of 0 to 999", gpu_lower_bound(thousand, values), GPU_ULONG, 3, (uint64_t[]){500, 1000, 0});
    gpu_array *few = gpu_lower_bound(gpu_array_of(g, repeats, 5), gpu_range(g, GPU_INT, 5));
    test_holds("repeats", few, GPU_ULONG, 5, (uint64_t[]){0, 0, 3, 3, 5});
    test_close(g);
}

Test(lower_bound, takes_empty_arrays)
{
    gpu *g = test_open();
    gpu_array *values = gpu_array_of(g, (&(int[]){500, 1000, -1}[0]), 3), *none = gpu_slice(values, 0, 0);
    test_holds("in nothing", gpu_lower_bound(none, values), GPU_ULONG, 3, (uint64_t[]){0, 0, 0});
    test_holds("of nothing", gpu_lower_bound(gpu_range(g, GPU_INT, 1000), none), GPU_ULONG, 0, (uint64_t[]){0});
    test_close(g);
}

Test(lower_bound, takes_delayed_and_filtered_inputs)
{
    gpu *g = test_open();
    gpu_array *thousand = gpu_range(g, GPU_INT, 1000), *values = gpu_array_of(g, (&(int[]){500, 1000, -1}[0]), 3);
    gpu_array *even = gpu_filter(thousand, "x % 2 == 0"), *odd = gpu_map(gpu_filter(thousand, "x < 50"), "2 * x + 1");
    gpu_array *places = gpu_lower_bound(even, odd);
    test_holds_steps("in a filtered array", gpu_map(places, "x * 2"), GPU_ULONG, 50, 2, 2);
    test_holds("in a map", gpu_lower_bound(gpu_map(thousand, "x * 10"), gpu_map(values, "x + 5")), GPU_ULONG, 3,
               (uint64_t[]){51, 101, 1});
    test_close(g);
}
