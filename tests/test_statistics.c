/* gpu_mean, gpu_variance, gpu_quantile, gpu_median: every scalar type, values far from zero, NaN, arguments. */
#include "support/functions.h"
#include "support/reference.h"

#include <math.h>
#include <stdlib.h>

GPU_STRUCT(item, int a;);
GPU_FUNCTION(float, far_away, (float x), { return 1000 + x; });

static int ascending(const void *p, const void *q)
{
    const double a = *(const double *)p, b = *(const double *)q;
    return (a > b) - (a < b);
}

/* NumPy's quantile, of `n` sorted numbers. */
static double quantile_of(const double *sorted, size_t n, double q)
{
    const double at = q * (double)(n - 1), part = at - floor(at);
    const size_t below = (size_t)at, above = below + 1 < n ? below + 1 : below;
    return sorted[below] + (sorted[above] - sorted[below]) * part;
}

/* Is it within `most` of what is wanted, as a share of `scale`? */
static void check_near(const char *what, size_t n, double got, double want, double scale, double most)
{
    cr_assert(fabs(got - want) <= most * scale, "%s of %zu is %.17g, and should be %.17g", what, n, got, want);
}

/* Devices compute in double, or in float where they have none. */
static double rounding(size_t n)
{
    return (test_has_double() ? 1e-15 : 1e-6) * (1 + log2((double)n));
}

static void check_all(gpu *g, gpu_type type, size_t n)
{
    gpu_scope *scope = gpu_scope_begin(g);
    unsigned char *data = test_alloc(n, type->size);
    double *numbers = test_alloc(n, sizeof *numbers), mean, same, variance, half, most, share[] = {0, 0.1, 0.37, 1};
    long double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        const test_number value = test_whole(type, (int)(i * 7919 % 101));
        test_put(type, data, i, value);
        numbers[i] = (double)(i * 7919 % 101);
        sum += numbers[i];
    }
    for (size_t i = 0; i < n; i++) squares += (numbers[i] - sum / n) * (numbers[i] - sum / n);
    gpu_array *a = gpu_array_from(g, type, data, n);
    test_ok(gpu_mean(a, &mean));
    test_ok(gpu_variance(a, &same, &variance));
    check_near("the mean", n, mean, (double)(sum / n), 100, rounding(n));
    check_near("the mean beside the variance", n, same, (double)(sum / n), 100, rounding(n));
    check_near("the variance", n, variance, (double)(squares / n), 10000, rounding(n));
    qsort(numbers, n, sizeof *numbers, ascending);
    test_ok(gpu_median(a, &half));
    check_near("the median", n, half, quantile_of(numbers, n, 0.5), 100, 1e-15);
    for (size_t k = 0; k < COUNT_OF(share); k++) {
        test_ok(gpu_quantile(a, share[k], &most));
        check_near("a quantile", n, most, quantile_of(numbers, n, share[k]), 100, 1e-15);
    }
    free(data);
    free(numbers);
    gpu_scope_end(scope);
}

Test(statistics, types_and_lengths)
{
    const size_t sizes[] = {1, 2, 3, 100, 1025, test_limit(70000)};
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++)
        if (test_takes_type(t, 0)) check_all(g, test_scalars[t], 100 + t);
    for (size_t s = 0; s < COUNT_OF(sizes); s++) check_all(g, GPU_FLOAT, sizes[s]);
    test_close(g);
}

/* A sum of squares would lose all digits of it. */
Test(statistics, variance_far_from_zero)
{
    enum { N = 100000 };
    static float data[N];
    gpu *g = test_open();
    double mean, variance;
    for (int i = 0; i < N; i++) data[i] = 16777000 + (float)(i % 2);
    test_ok(gpu_variance(gpu_array_of(g, data, N), &mean, &variance));
    check_near("the mean", N, mean, 16777000.5, 16777000, rounding(N));
    check_near("the variance", N, variance, 0.25, 1, test_has_double() ? 1e-9 : 0.1);
    test_close(g);
}

Test(statistics, delayed_and_filtered)
{
    gpu *g = test_open();
    float mean, variance, half;
    gpu_array *x = gpu_range(g, GPU_FLOAT, 5), *odd = gpu_filter(gpu_range(g, GPU_INT, 10), is_odd);
    test_ok(gpu_variance(gpu_map(x, far_away), &mean, &variance));
    cr_assert_eq(mean, 1002);
    cr_assert_eq(variance, 2);
    test_ok(gpu_mean(odd, &mean));
    cr_assert_eq(mean, 5);
    test_ok(gpu_median(odd, &half));
    cr_assert_eq(half, 5);
    test_close(g);
}

Test(statistics, a_mean_waits_once)
{
    test_needs_opencl();
    setenv("FIREPILE_EAGER", "0", 1);
    setenv("FIREPILE_VERIFY", "0", 1);
    gpu *g = test_open();
    double mean;
    unsigned long waits = 0;
    for (int round = 0; round < 2; round++) { /* the first may build kernels, and waits for each */
        gpu_array *x = gpu_range(g, GPU_INT, 3000), *odd = gpu_filter(x, is_odd);
        const unsigned long before = test_stats(g).waits;
        test_ok(gpu_mean(x, &mean));
        test_ok(gpu_mean(odd, &mean));
        waits = test_stats(g).waits - before;
    }
    cr_assert_eq(waits, 2, "two means took %lu waits", waits);
    cr_assert_eq(mean, 1500);
    test_close(g);
}

Test(statistics, not_a_number)
{
    gpu *g = test_open();
    const float data[] = {1, NAN, 3};
    float mean = 0, variance = 0, half = 0;
    gpu_array *x = gpu_array_of(g, data, 3);
    test_ok(gpu_variance(x, &mean, &variance));
    cr_assert(isnan(mean) && isnan(variance));
    test_ok(gpu_median(x, &half));
    cr_assert(isnan(half));
    test_ok(gpu_median(gpu_array_of(g, ((float[]){INFINITY, INFINITY}), 2), &half));
    cr_assert_eq(half, INFINITY, "between two infinities it is %g", half);
    test_close(g);
}

Test(statistics, refuses_wrong_arguments)
{
    gpu *g = test_open();
    const item items[] = {{1}, {2}};
    double value = 7;
    int whole;
    gpu_array *x = gpu_range(g, GPU_INT, 5), *none = gpu_slice(x, 0, 0),
              *records = gpu_array_from(g, GPU_TYPE(item), items, 2);
    test_fails(GPU_E_EMPTY, gpu_mean(none, &value));
    test_has(gpu_error(), "the array is empty, and has no mean");
    test_fails(GPU_E_EMPTY, gpu_variance(none, &value, &value));
    test_has(gpu_error(), "the array is empty, and has no variance");
    test_fails(GPU_E_EMPTY, gpu_median(none, &value));
    test_has(gpu_error(), "the array is empty, and has no median");
    test_fails(GPU_E_ARGUMENT, gpu_quantile(x, 1.5, &value));
    test_has(gpu_error(), "1.5");
    test_fails(GPU_E_ARGUMENT, gpu_quantile(x, (double)NAN, &value));
    test_fails(GPU_E_TYPE, gpu_mean(x, &whole));
    test_has(gpu_error(), "float or a double");
    test_fails(GPU_E_TYPE, gpu_mean(records, &value));
    test_fails(GPU_E_TYPE, gpu_median(records, &value));
    test_fails(GPU_E_ARGUMENT, gpu_mean(NULL, &value));
    test_fails(GPU_E_ARGUMENT, gpu_variance(x, &value, (double *)NULL));
    test_fails(GPU_E_SNIPPET, gpu_variance(gpu_map(x, "x + nobody"), &value, &value));
    cr_assert_eq(value, 7, "a failure wrote an output");
    test_close(g);
}
