/* gpu_upper_bound, gpu_contains, gpu_set_union, gpu_set_intersection, gpu_set_difference. gpu_lower_bound's are in
 * test_sort_pairs.c. */
#include "support/functions.h"
#include "support/reference.h"

#include <stdlib.h>
#include <string.h>

GPU_STRUCT(item, int a;);

/* Elements of a pattern in ascending order. */
static unsigned char *sorted_of(gpu_type type, test_pattern pattern, size_t n, unsigned seed)
{
    unsigned char *data = test_alloc(n, type->size), *sorted = test_alloc(n, type->size);
    uint64_t *order = test_alloc(n, sizeof *order);
    test_pattern_fill(pattern, type, data, n, seed);
    test_order(type, data, n, test_ascending, order);
    test_gather(type, data, order, n, sorted);
    free(data);
    free(order);
    return sorted;
}

/* How many elements come before x, or are equal to it too. */
static size_t count_before(gpu_type type, const unsigned char *data, size_t n, const unsigned char *x, bool equal)
{
    size_t k = 0;
    while (k < n &&
           (equal ? !test_ascending(type, x, data + k * type->size) : test_ascending(type, data + k * type->size, x)))
        k++;
    return k;
}

/* ---- searches ---- */

static void check_searches(gpu *g, gpu_type type, test_pattern pattern, size_t n, size_t m)
{
    gpu_scope *scope = gpu_scope_begin(g);
    char what[96];
    unsigned char *sorted = sorted_of(type, pattern, n, 1), *values = test_alloc(m, type->size);
    uint64_t *upper = test_alloc(m, sizeof *upper);
    unsigned char *known = test_alloc(m, 1);
    test_pattern_fill(pattern, type, values, m, 2);
    for (size_t i = 0; i < m && i < n; i += 3) memcpy(values + i * type->size, sorted + i * type->size, type->size);
    for (size_t i = 0; i < m; i++) {
        upper[i] = count_before(type, sorted, n, values + i * type->size, true);
        known[i] = upper[i] > count_before(type, sorted, n, values + i * type->size, false);
    }
    snprintf(what, sizeof what, "%zu of type %s among %zu, pattern %d", m, type->name, n, (int)pattern);
    gpu_array *a = gpu_array_from(g, type, sorted, n), *v = gpu_array_from(g, type, values, m);
    test_holds(what, gpu_upper_bound(a, v), GPU_ULONG, m, upper);
    test_holds(what, gpu_contains(a, v), GPU_UCHAR, m, known);
    free(sorted);
    free(values);
    free(upper);
    free(known);
    gpu_scope_end(scope);
}

Test(sorted, finds_places_and_members_in_all_types)
{
    gpu *g = test_open();
    static const size_t sizes[] = {0, 1, 2, 65, 1000};
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        for (unsigned p = 0; p < TEST_PATTERNS; p++) check_searches(g, test_scalars[t], p, 100 + t, 70);
    }
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        check_searches(g, GPU_INT, TEST_BITS, sizes[s], 65);
        check_searches(g, GPU_FLOAT, TEST_EXTREMES, 33, sizes[s]);
    }
    test_close(g);
}

/* ---- sets ---- */

typedef enum set { UNION, INTERSECTION, DIFFERENCE } set;

/* As std::set_union, std::set_intersection and std::set_difference have it. */
static size_t combine(set s, gpu_type type, const unsigned char *a, size_t of_a, const unsigned char *b, size_t of_b,
                      unsigned char *out)
{
    const unsigned char *a_end = a + of_a * type->size, *b_end = b + of_b * type->size, *begin = out;
    while (a < a_end || b < b_end) {
        bool left = b == b_end || (a < a_end && test_ascending(type, a, b)),
             right = !left && (a == a_end || test_ascending(type, b, a));
        const unsigned char *from = right ? b : a;
        if (s == UNION || (s == INTERSECTION && !left && !right) || (s == DIFFERENCE && left)) {
            memcpy(out, from, type->size);
            out += type->size;
        }
        if (!right) a += type->size;
        if (!left) b += type->size;
    }
    return (size_t)(out - begin) / type->size;
}

static gpu_array *set_of(set s, gpu_array *a, gpu_array *b)
{
    return s == UNION ? gpu_set_union(a, b) : s == INTERSECTION ? gpu_set_intersection(a, b) : gpu_set_difference(a, b);
}

/* Bits are compared: they tell -0 from 0, and so whose element it is. */
static void check_sets(gpu *g, gpu_type type, test_pattern pattern, size_t of_a, size_t of_b)
{
    gpu_scope *scope = gpu_scope_begin(g);
    char what[120];
    unsigned char *a = sorted_of(type, pattern, of_a, 1), *b = sorted_of(type, pattern, of_b, 1),
                  *want = test_alloc(of_a + of_b, type->size);
    for (set s = UNION; s <= DIFFERENCE; s++) {
        const size_t n = combine(s, type, a, of_a, b, of_b, want);
        snprintf(what, sizeof what, "set operation %d of %zu and %zu of type %s, pattern %d", (int)s, of_a, of_b,
                 type->name, (int)pattern);
        gpu_array *got = set_of(s, gpu_array_from(g, type, a, of_a), gpu_array_from(g, type, b, of_b));
        test_holds(what, got, test_bits(type), n, want);
        cr_assert(gpu_type_equal(gpu_type_of(got), type), "%s: the result has another type", what);
    }
    free(a);
    free(b);
    free(want);
    gpu_scope_end(scope);
}

Test(sorted, combines_sets_of_all_types)
{
    static const size_t lengths[][2] = {{0, 0}, {0, 3}, {3, 0}, {1, 1}, {7, 5}, {100, 1000}, {3000, 2999}};
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        for (size_t k = 0; k < COUNT_OF(lengths); k++) {
            for (unsigned p = 0; p < TEST_PATTERNS; p++) {
                const bool wanted = test_full() || p == (k + t) % TEST_PATTERNS || p == TEST_EXTREMES;
                if (wanted && test_takes_type(t, 0)) check_sets(g, test_scalars[t], p, lengths[k][0], lengths[k][1]);
            }
        }
    }
    test_close(g);
}

Test(sorted, repeated_elements)
{
    gpu *g = test_open();
    const int a[] = {1, 1, 1, 2, 4, 4}, b[] = {1, 1, 3, 4, 4, 4};
    gpu_array *x = gpu_array_of(g, a, 6), *y = gpu_array_of(g, b, 6);
    test_holds("max(m, n)", gpu_set_union(x, y), GPU_INT, 8, (int[]){1, 1, 1, 2, 3, 4, 4, 4});
    test_holds("min(m, n)", gpu_set_intersection(x, y), GPU_INT, 4, (int[]){1, 1, 4, 4});
    test_holds("m - n", gpu_set_difference(x, y), GPU_INT, 2, (int[]){1, 2});
    test_holds("of itself", gpu_set_difference(x, x), GPU_INT, 0, a);
    test_close(g);
}

Test(sorted, delayed_and_filtered)
{
    gpu *g = test_open();
    gpu_array *numbers = gpu_range(g, GPU_INT, 3000), *even = gpu_filter(numbers, is_even),
              *half = gpu_map(even, halved);
    gpu_array *high = gpu_upper_bound(half, numbers);
    test_holds_steps("in a map of a filtered array", gpu_slice(high, 0, 1500), GPU_ULONG, 1500, 1, 1);
    test_holds_steps("beyond the filtered array", gpu_slice(high, 1500, 1500), GPU_ULONG, 1500, 1500, 0);
    gpu_array *odd = gpu_set_difference(numbers, even);
    test_holds_steps("filtered elements", odd, GPU_INT, 1500, 1, 2);
    test_holds_steps("both halves", gpu_set_union(even, odd), GPU_INT, 3000, 0, 1);
    test_close(g);
}

/* The values are a part of the search's kernel, even if only the device knows how many they are. */
Test(sorted, searches_wait_for_what_is_searched_alone)
{
    test_needs_opencl();
    setenv("FIREPILE_EAGER", "0", 1);
    setenv("FIREPILE_VERIFY", "0", 1);
    gpu *g = test_open();
    gpu_array *sorted = gpu_range(g, GPU_INT, 3000), *some = gpu_filter(sorted, is_even);
    const gpu_stats before = test_stats(g);
    gpu_array *found = gpu_upper_bound(sorted, some);
    cr_assert_eq(test_stats(g).waits, before.waits, "a search waited for its values");
    cr_assert_eq(test_stats(g).kernels_launched, before.kernels_launched, "a search computed its values");
    test_holds_steps("places found", found, GPU_ULONG, 1500, 1, 2);
    test_close(g);
}

Test(sorted, is_a_step_of_a_compiled_function)
{
    gpu *g = test_open();
    gpu_array *x = gpu_symbol(g, GPU_INT), *y = gpu_symbol(g, GPU_INT);
    gpu_status (*common)(gpu_array * *out, const gpu_array *x, const gpu_array *y);
    test_ok(gpu_compile(&common, gpu_set_intersection(gpu_sort(x), gpu_sort(y)), x, y));
    for (int n = 1; n < 3000; n = 3 * n + 1) {
        gpu_array *out = NULL, *numbers = gpu_range(g, GPU_INT, (size_t)n);
        test_ok(common(&out, gpu_reverse(numbers), gpu_map(numbers, "2 * x")));
        test_holds_steps("common elements", out, GPU_INT, (size_t)(n + 1) / 2, 0, 2);
    }
    test_close(g);
}

/* ---- errors ---- */

Test(sorted, refuses_wrong_arguments)
{
    gpu *g = test_open();
    item items[] = {{1}, {2}};
    gpu_array *x = gpu_range(g, GPU_INT, 5), *real = gpu_range(g, GPU_FLOAT, 5),
              *records = gpu_array_from(g, GPU_TYPE(item), items, 2);
    test_array_fails(GPU_E_TYPE, gpu_upper_bound(x, real));
    test_has(gpu_error(), "'sorted' are int");
    test_array_fails(GPU_E_TYPE, gpu_contains(records, records));
    test_array_fails(GPU_E_TYPE, gpu_set_union(x, real));
    test_array_fails(GPU_E_TYPE, gpu_set_difference(records, records));
    test_array_fails(GPU_E_ARGUMENT, gpu_set_intersection(x, NULL));
    test_has(gpu_error(), "b");
    test_array_fails(GPU_E_ARGUMENT, gpu_contains(NULL, x));
    gpu *other = gpu_open(NULL);
    test_array_fails(GPU_E_ARGUMENT, gpu_set_union(x, gpu_range(other, GPU_INT, 5)));
    gpu_close(other);
    test_close(g);
}
