/* gpu_sum, gpu_product, gpu_min, gpu_max, gpu_argmin, gpu_argmax, gpu_count, gpu_any, gpu_all. */
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(pair, float value; int key;);

static bool less(gpu_type type, test_number p, test_number q)
{
    if (type->kind == GPU_KIND_FLOATING) return p.f < q.f;
    return type->kind == GPU_KIND_SIGNED ? p.s < q.s : p.u < q.u;
}

/* All of them over the first n elements of `data`, against a loop. */
static void check_type(gpu *g, gpu_type type, const void *data, size_t n)
{
    test_number sum = test_whole(type, 0), small = test_get(type, data, 0), large = small;
    size_t small_at = 0, large_at = 0, positive = 0;
    for (size_t i = 0; i < n; i++) {
        test_number v = test_get(type, data, i);
        if (type->kind == GPU_KIND_FLOATING)
            sum.f += v.f;
        else
            sum.u += v.u;
        if (less(type, v, small)) small = v, small_at = i;
        if (less(type, large, v)) large = v, large_at = i;
        positive += less(type, test_whole(type, 0), v);
    }
    int64_t want[3] = {0}, got[3] = {0};
    test_put(type, &want[0], 0, sum);
    test_put(type, &want[1], 0, small);
    test_put(type, &want[2], 0, large);
    gpu_array *a = gpu_array_from(g, type, data, n);
    size_t at[2] = {SIZE_MAX, SIZE_MAX}, count = SIZE_MAX;
    bool any = false, all = false;
    test_ok(gpu_sum(a, (void *)&got[0]));
    test_ok(gpu_min(a, (void *)&got[1]));
    test_ok(gpu_max(a, (void *)&got[2]));
    test_ok(gpu_argmin(a, &at[0]));
    test_ok(gpu_argmax(a, &at[1]));
    test_ok(gpu_count(a, "x > 0", &count));
    test_ok(gpu_any(a, "x > 0", &any));
    test_ok(gpu_all(a, "x > 0", &all));
    static const char *const names[] = {"sum", "min", "max"};
    for (size_t k = 0; k < 3; k++) test_same(names[k], type, 1, &got[k], &want[k]);
    cr_assert_eq(at[0], small_at, "argmin of %zu %s: %zu, wanted %zu", n, type->name, at[0], small_at);
    cr_assert_eq(at[1], large_at, "argmax of %zu %s: %zu, wanted %zu", n, type->name, at[1], large_at);
    cr_assert_eq(count, positive, "count of %zu %s: %zu, wanted %zu", n, type->name, count, positive);
    cr_assert_eq(any, positive > 0, "any of %zu %s", n, type->name);
    cr_assert_eq(all, positive == n, "all of %zu %s", n, type->name);
    gpu_array_free(a);
}

Test(reduce_named, reductions_of_every_type_and_length_equal_plain_c) /* R19, R20, R30 */
{
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        if (!test_takes_type(t, 0)) continue;
        size_t count = test_size_count(785433), most = test_sizes[count - 1];
        void *data = test_alloc(most, test_scalars[t]->size);
        test_random_fill(test_scalars[t], data, most, 40);
        for (size_t k = 1; k < count; k++) check_type(g, test_scalars[t], data, test_sizes[k]);
        free(data);
    }
    test_close(g);
}

Test(reduce_named, the_product_of_bytes_is_a_byte) /* R06 */
{
    gpu *g = test_open();
    unsigned char bytes[] = {1, 1, 1, 1, 1}, byte = 0;
    test_ok(gpu_product(gpu_array_of(g, bytes, 5), &byte));
    cr_assert_eq(byte, 1, "%d", byte);
    test_close(g);
}

Test(reduce_named, the_product_of_longs_has_64_bits)
{
    gpu *g = test_open();
    int64_t factorial;
    test_ok(gpu_product(gpu_map(gpu_range(g, GPU_LONG, 20), "x + 1"), &factorial));
    cr_assert_eq(factorial, 2432902008176640000);
    test_close(g);
}

Test(reduce_named, the_product_of_doubles_keeps_its_exponent)
{
    gpu *g = test_open();
    double half;
    test_ok(gpu_product(gpu_fill(g, GPU_DOUBLE, &(double){0.5}, 1000), &half));
    cr_assert_eq(half, ldexp(1, -1000));
    test_close(g);
}

Test(reduce_named, sums_products_and_counts_of_nothing_are_neutral) /* R10, R32 */
{
    gpu *g = test_open();
    gpu_array *none = gpu_range(g, GPU_FLOAT, 0);
    float sum = 7, product = 7;
    size_t count = 7;
    bool any = true, all = false;
    test_ok(gpu_sum(none, &sum));
    test_ok(gpu_product(none, &product));
    test_ok(gpu_count(none, "x > 0", &count));
    test_ok(gpu_any(none, "1", &any));
    test_ok(gpu_all(none, "0", &all));
    cr_assert(sum == 0 && product == 1 && count == 0 && !any && all, "%g %g %zu %d %d", (double)sum, (double)product,
              count, any, all);
    test_close(g);
}

Test(reduce_named, nothing_has_no_min_and_no_max)
{
    gpu *g = test_open();
    gpu_array *none = gpu_range(g, GPU_FLOAT, 0);
    float f = 7;
    size_t index = 7;
    test_fails(GPU_E_EMPTY, gpu_min(none, &f));
    test_has(gpu_error(), "gpu_min");
    test_fails(GPU_E_EMPTY, gpu_max(none, &f));
    test_fails(GPU_E_EMPTY, gpu_argmin(none, &index));
    test_fails(GPU_E_EMPTY, gpu_argmax(none, &index));
    cr_assert(f == 7 && index == 7, "an output was written");
    test_close(g);
}

static void check_extremes(gpu *g, const char *what, const double *data, size_t n, double small, double large,
                           size_t small_at, size_t large_at)
{
    double got[2] = {7, 7}, want[2] = {small, large};
    float *narrow = test_alloc(n, sizeof *narrow), narrow_got[2] = {7, 7},
          narrow_want[2] = {(float)small, (float)large};
    size_t at[4];
    for (size_t i = 0; i < n; i++) narrow[i] = (float)data[i];
    gpu_array *a = gpu_array_of(g, data, n), *b = gpu_array_of(g, narrow, n);
    test_ok(gpu_min(a, &got[0]));
    test_ok(gpu_max(a, &got[1]));
    test_ok(gpu_min(b, &narrow_got[0]));
    test_ok(gpu_max(b, &narrow_got[1]));
    test_ok(gpu_argmin(a, &at[0]));
    test_ok(gpu_argmax(a, &at[1]));
    test_ok(gpu_argmin(b, &at[2]));
    test_ok(gpu_argmax(b, &at[3]));
    test_same(what, GPU_DOUBLE, 2, got, want);
    test_same(what, GPU_FLOAT, 2, narrow_got, narrow_want);
    cr_assert(at[0] == small_at && at[2] == small_at, "%s: argmin %zu and %zu, wanted %zu", what, at[0], at[2],
              small_at);
    cr_assert(at[1] == large_at && at[3] == large_at, "%s: argmax %zu and %zu, wanted %zu", what, at[1], at[3],
              large_at);
    free(narrow);
}

Test(reduce_named, a_nan_is_both_min_and_max) /* R11, R12, R13, R15 */
{
    gpu *g = test_open();
    const double inf = (double)INFINITY, nan = (double)NAN;
    double ten[10], one[10] = {1};
    for (int i = 0; i < 10; i++) ten[i] = nan;
    for (int i = 1; i < 10; i++) one[i] = nan;
    check_extremes(g, "ten NaN", ten, 10, nan, nan, 0, 0);
    check_extremes(g, "one NaN", ten, 1, nan, nan, 0, 0);
    check_extremes(g, "1 and nine NaN", one, 10, nan, nan, 1, 1);
    check_extremes(g, "a NaN within", (double[]){0, 0.1315, 0.7556, nan, 0.5328}, 5, nan, nan, 3, 3);
    check_extremes(g, "infinity and NaN", (double[]){-inf, nan}, 2, nan, nan, 1, 1);
    check_extremes(g, "NaN and infinity", (double[]){-nan, inf}, 2, nan, nan, 0, 0);
    test_close(g);
}

Test(reduce_named, infinities_are_ordered_like_other_numbers) /* R12, R18 */
{
    gpu *g = test_open();
    const double inf = (double)INFINITY;
    double ten[10];
    check_extremes(g, "infinities of both signs", (double[]){1, inf, -inf, 0}, 4, -inf, inf, 2, 1);
    for (int i = 0; i < 10; i++) ten[i] = inf;
    check_extremes(g, "ten infinities", ten, 10, inf, inf, 0, 0);
    for (int i = 0; i < 10; i++) ten[i] = -inf;
    check_extremes(g, "ten -infinities", ten, 10, -inf, -inf, 0, 0);
    test_close(g);
}

Test(reduce_named, a_float_sum_that_is_too_large_is_infinite)
{
    gpu *g = test_open();
    float huge[] = {3e38f, 3e38f}, sum;
    test_ok(gpu_sum(gpu_array_of(g, huge, 2), &sum));
    cr_assert(isinf(sum) && sum > 0, "%g", (double)sum);
    test_close(g);
}

Test(reduce_named, min_and_max_find_a_nan_anywhere_in_a_long_array)
{
    gpu *g = test_open();
    size_t n = test_limit(100000);
    float *data = test_alloc(n, sizeof *data), got;
    for (size_t at = 0; at < n; at = at * 3 + 1) {
        size_t where[2];
        for (size_t i = 0; i < n; i++) data[i] = (float)(i % 1000);
        data[at] = NAN;
        data[n - 1] = NAN;
        gpu_array *a = gpu_array_of(g, data, n);
        test_ok(gpu_min(a, &got));
        cr_assert(isnan(got), "min is %g with a NaN at %zu of %zu", (double)got, at, n);
        test_ok(gpu_max(a, &got));
        cr_assert(isnan(got), "max is %g with a NaN at %zu of %zu", (double)got, at, n);
        test_ok(gpu_argmin(a, &where[0]));
        test_ok(gpu_argmax(a, &where[1]));
        cr_assert(where[0] == at && where[1] == at, "argmin %zu, argmax %zu with the first NaN at %zu", where[0],
                  where[1], at);
        gpu_array_free(a);
    }
    free(data);
    test_close(g);
}

Test(reduce_named, argmin_and_argmax_give_the_first_of_ties) /* R19 */
{
    gpu *g = test_open();
    size_t at;
    int ties[] = {3, 7, 7, 1, 1};
    test_ok(gpu_argmax(gpu_array_of(g, ties, 5), &at));
    cr_assert_eq(at, 1);
    test_ok(gpu_argmin(gpu_array_of(g, ties, 5), &at));
    cr_assert_eq(at, 3);
    float signs[] = {0.0f, -0.0f, 0.0f};
    test_ok(gpu_argmin(gpu_array_of(g, signs, 3), &at)); /* -0 equals +0 */
    cr_assert_eq(at, 0);
    size_t n = test_limit(100000);
    gpu_array *spikes = gpu_map_to(gpu_range(g, GPU_ULONG, n), GPU_INT, "x == 10 || x == last ? 7 : 0",
                                   GPU_ARG_AS(last, GPU_ULONG, (uint64_t){n - 10}));
    test_ok(gpu_argmax(spikes, &at));
    cr_assert_eq(at, 10, "%zu", at);
    test_close(g);
}

Test(reduce_named, argmin_and_argmax_find_the_ends_of_the_range) /* R20 */
{
    gpu *g = test_open();
    size_t at;
    unsigned zeros[] = {0, 0, 0};
    test_ok(gpu_argmax(gpu_array_of(g, zeros, 3), &at));
    cr_assert_eq(at, 0);
    test_ok(gpu_argmin(gpu_fill(g, GPU_UINT, &(unsigned){UINT32_MAX}, 3000), &at));
    cr_assert_eq(at, 0);
    test_ok(gpu_argmax(gpu_fill(g, GPU_LONG, &(int64_t){INT64_MIN}, 3000), &at));
    cr_assert_eq(at, 0);
    test_close(g);
}

Test(reduce_named, argmax_of_negative_numbers_is_the_one_nearest_to_zero) /* R30 */
{
    gpu *g = test_open();
    size_t at;
    test_ok(gpu_argmax(gpu_map(gpu_range(g, GPU_INT, 10), "-1 - x"), &at));
    cr_assert_eq(at, 0);
    test_close(g);
}

Test(reduce_named, max_and_argmax_see_the_slice_only) /* R08 */
{
    gpu *g = test_open();
    size_t at;
    int largest;
    test_ok(gpu_max(gpu_slice(gpu_range(g, GPU_INT, 32), 0, 20), &largest));
    cr_assert_eq(largest, 19);
    test_ok(gpu_argmax(gpu_slice(gpu_range(g, GPU_INT, 32), 5, 20), &at));
    cr_assert_eq(at, 19, "the index in the slice, not %zu", at);
    test_close(g);
}

Test(reduce_named, count_counts_what_is_not_zero)
{
    gpu *g = test_open();
    size_t n = test_limit(2803221), count;
    int step = 3;
    gpu_array *x = gpu_range(g, GPU_INT, n);
    test_ok(gpu_count(x, "x % step == 0", &count, GPU_ARG(step)));
    cr_assert_eq(count, (n + 2) / 3, "%zu", count);
    test_ok(gpu_count(x, "i % 2", &count));
    cr_assert_eq(count, n / 2, "%zu", count);
    test_ok(gpu_count(x, "(x & 1) ? 256 : 0", &count)); /* not zero, though its low byte is */
    cr_assert_eq(count, n / 2, "%zu", count);
    test_ok(gpu_count(gpu_map_to(x, GPU_FLOAT, "x * 0.25f"), "x - 0.5f", &count)); /* not zero, though less than 1 */
    cr_assert_eq(count, n - 1, "%zu", count);
    test_close(g);
}

/* By kernels, which differ although the text does not. */
Test(reduce_named, one_text_is_asked_of_any_and_of_all)
{
    setenv("FIREPILE_SMALL", "0", 1);
    gpu *g = test_open();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 3));
    bool any, all;
    test_ok(gpu_any(x, "x >= 0", &any));
    test_ok(gpu_all(x, "x >= 0", &all));
    cr_assert(any && all, "%d %d", any, all);
    test_close(g);
}

Test(reduce_named, one_text_is_counted_and_added_up)
{
    setenv("FIREPILE_SMALL", "0", 1);
    gpu *g = test_open();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_UINT, 5));
    size_t count;
    unsigned sum;
    test_ok(gpu_count(x, "x + 1", &count));
    test_ok(gpu_sum(gpu_map(x, "x + 1"), &sum));
    cr_assert(count == 5 && sum == 15, "%zu %u", count, sum);
    test_close(g);
}

Test(reduce_named, any_and_all_see_every_element)
{
    gpu *g = test_open();
    size_t n = test_limit(2803221);
    bool any, all;
    gpu_array *x = gpu_range(g, GPU_INT, n);
    test_ok(gpu_any(x, "x == last", &any, GPU_ARG_AS(last, GPU_INT, (int){(int)n - 1})));
    test_ok(gpu_all(x, "x >= 0", &all));
    cr_assert(any && all);
    test_ok(gpu_any(x, "x < 0", &any));
    test_ok(gpu_all(x, "x != last", &all, GPU_ARG_AS(last, GPU_INT, (int){(int)n - 1})));
    cr_assert(!any && !all);
    test_close(g);
}

Test(reduce_named, vectors_are_reduced_by_component)
{
    gpu *g = test_open();
    gpu_float4 data[] = {{1, 5, -2, 0}, {4, 2, -3, (float)NAN}, {-1, 3, 9, 1}}, got;
    gpu_array *a = gpu_array_of(g, data, 3);
    test_ok(gpu_min(a, &got));
    test_same("min by component", GPU_FLOAT4, 1, &got, &(gpu_float4){-1, 2, -3, (float)NAN});
    test_ok(gpu_max(a, &got));
    test_same("max by component", GPU_FLOAT4, 1, &got, &(gpu_float4){4, 5, 9, (float)NAN});
    test_ok(gpu_sum(a, &got));
    test_same("sum", GPU_FLOAT4, 1, &got, &(gpu_float4){4, 10, 4, (float)NAN});
    gpu_int2 whole[] = {{1, -5}, {3, 4}}, product;
    test_ok(gpu_product(gpu_array_of(g, whole, 2), &product));
    test_same("product", GPU_INT2, 1, &product, &(gpu_int2){3, -20});
    test_close(g);
}

Test(reduce_named, vectors_and_structs_have_no_order)
{
    gpu *g = test_open();
    size_t at = 7;
    pair p[2] = {{1, 2}, {3, 4}};
    gpu_array *v = gpu_fill(g, GPU_FLOAT4, (&(gpu_float4){1, 2, 3, 4}), 3);
    gpu_array *s = gpu_array_from(g, GPU_TYPE(pair), p, 2);
    test_fails(GPU_E_TYPE, gpu_argmin(v, &at));
    test_fails(GPU_E_TYPE, gpu_sum(s, &p[0]));
    test_fails(GPU_E_TYPE, gpu_min(s, &p[0]));
    test_fails(GPU_E_TYPE, gpu_argmax(s, &at));
    cr_assert(at == 7 && p[0].key == 2, "an output was written");
    test_close(g);
}

Test(reduce_named, count_reads_members_of_structs)
{
    gpu *g = test_open();
    pair p[2] = {{1, 2}, {3, 4}};
    size_t count;
    test_ok(gpu_count(gpu_array_from(g, GPU_TYPE(pair), p, 2), "x.key > 2", &count));
    cr_assert_eq(count, 1);
    test_close(g);
}

Test(reduce_named, reductions_refuse_wrong_and_missing_outputs)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    double deep = 77;
    int whole = 77;
    test_fails(GPU_E_TYPE, gpu_sum(x, &deep));
    test_fails(GPU_E_TYPE, gpu_max(x, &whole));
    test_fails(GPU_E_ARGUMENT, gpu_sum(x, (float *)NULL));
    test_fails(GPU_E_ARGUMENT, gpu_argmin(x, NULL));
    test_fails(GPU_E_ARGUMENT, gpu_count(x, "x > 0", NULL));
    test_fails(GPU_E_ARGUMENT, gpu_any(x, "x > 0", NULL));
    cr_assert(deep == 77 && whole == 77, "an output was written");
    test_close(g);
}

Test(reduce_named, a_float_sum_of_many_ones_is_exact) /* R29 */
{
    if (test_small()) cr_skip_test("not in a small run");
    gpu *g = test_open();
    size_t n = test_limit(100000000);
    float sum;
    test_ok(gpu_sum(gpu_fill(g, GPU_FLOAT, &(float){1}, n), &sum));
    cr_assert_eq(sum, (float)n, "%.9g", (double)sum);
    test_close(g);
}
