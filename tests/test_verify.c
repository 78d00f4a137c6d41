/* FIREPILE_VERIFY: what is computed on both sides, and a pair of sides that differ. */
#include "support/support.h"

#include "expressions/gpu.h"

#include <firepile/interop.h>
#include <firepile/math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void verify(void)
{
    test_needs_opencl();
    setenv("FIREPILE_VERIFY", "1", 1);
}

TestSuite(verify, .init = verify, .timeout = 300);

/* A name that is a macro in C and a constant on the device: the one way to write two meanings into one text. */
GPU_CONSTANT(STEP, 3);
#define STEP 2
GPU_FUNCTION(int, stepped, (int x), { return x < 40 ? x : x + STEP; });
GPU_FUNCTION(int, add_step, (int a, int b), { return a + b + (b == 70 ? STEP : 0); });
GPU_FUNCTION(bool, is_step, (int x), { return x > 5 * STEP && x < 90; });
GPU_FUNCTION(int, plus_step, (int a, int b), { return a + b + STEP; });
GPU_FUNCTION(int, flipped, (int x), { return x ^ STEP; });
GPU_FUNCTION(int, by_flipped, (int a, int b), { return (a ^ STEP) < (b ^ STEP); });
GPU_FUNCTION(int, by_difference, (int a, int b), { return a + STEP < b + 3; });
GPU_KERNEL(step_on, (GPU_GLOBAL const int *x, uint64_t x_length, GPU_LOCAL_MEMORY int *t, GPU_GLOBAL int *y), {
    t[item] = i < x_length ? x[i] : 0;
    sync();
    if (i < x_length) y[i] = t[item] + (t[item] == 90 ? STEP : 2);
});
GPU_KERNEL(steps_counted,
           (GPU_GLOBAL const int *x, uint64_t x_length, GPU_GLOBAL int *kept, GPU_GLOBAL uint32_t *kept_count), {
               if (i < x_length && x[i] >= 30 * STEP) kept[atomic_inc(kept_count)] = x[i];
           });
#undef STEP
GPU_CONSTANT(TINY, 0x1.000002p0f);
#define TINY 1.0f
GPU_FUNCTION(float, tiny, (float x), { return x == 7 ? x * TINY : x; });
GPU_FUNCTION(float, tiny_root, (float x), { return x == 7 ? sqrt(x * x) * TINY : floor(x); });
#undef TINY

/* The halves of x and the sum of all, in local memory; the place of each in an order that is open. */
GPU_KERNEL(open_order,
           (GPU_GLOBAL const int *x, uint64_t x_length, GPU_LOCAL_MEMORY int *sum, GPU_GLOBAL int *kept,
            GPU_GLOBAL uint32_t *kept_count, GPU_GLOBAL int *sums, GPU_GLOBAL float *halves),
           {
               if (item == 0) sum[0] = 0;
               sync();
               if (i < x_length) atomic_add(sum, (uint32_t)x[i]);
               if (i < x_length && x[i] % 2 == 0) kept[atomic_inc(kept_count)] = x[i];
               if (i < x_length) halves[i] = floor((float)x[i]) * 0.5f;
               sync();
               if (item == 0) sums[group] = sum[0];
           });
GPU_KERNEL(inexact, (GPU_GLOBAL const float *f, uint64_t f_length, GPU_GLOBAL float *y), {
    if (i < f_length) y[i] = exp(f[i]);
});

typedef struct program {
    gpu *g;
    int data[100], fifteenths[100];
    float floats[100];
    gpu_array *x, *f;
    gpu_array *keys; /* 0 fifteen times, 1 fifteen times ... */
} program;

static program start(void)
{
    program p = {.g = test_open()};
    for (int k = 0; k < 100; k++) p.data[k] = k;
    for (int k = 0; k < 100; k++) p.floats[k] = (float)k + 0.1f * (float)(k % 7);
    for (int k = 0; k < 100; k++) p.fifteenths[k] = k / 15;
    p.floats[7] = 7;
    p.x = gpu_array_of(p.g, p.data, 100);
    p.f = gpu_array_of(p.g, p.floats, 100);
    p.keys = gpu_array_of(p.g, p.fifteenths, 100);
    return p;
}

static void differs(gpu_array *a, const char *first, const char *second, const char *name)
{
    test_array_fails(GPU_E_SNIPPET, a);
    test_has(gpu_array_error(a), "FIREPILE_VERIFY");
    test_has(gpu_array_error(a), first);
    test_has(gpu_array_error(a), second);
    test_has(gpu_array_error(a), name);
    test_has(gpu_array_error(a), "test_verify.c");
}

Test(verify, two_meanings_are_found)
{
    program p = start();
    differs(gpu_map(p.x, stepped), "element 40 is 43 on the device", "42 on the host", "\"stepped\"");
    differs(gpu_map(p.f, tiny), "element 7 is 7.0000", "7 on the host", "\"tiny\"");
    if (p.g->capabilities->exact_division)
        differs(gpu_map(p.f, tiny_root), "element 7 is 7.0000", "7 on the host", "\"tiny_root\"");
    differs(gpu_scan(p.x, add_step), "element ", "on the host", "\"add_step\"");
    differs(gpu_filter(p.x, is_step), "the number is 74 on the device", "79 on the host", "\"is_step\"");
    int sum = -1;
    test_fails(GPU_E_SNIPPET, gpu_reduce(p.x, add_step, &sum));
    test_has(gpu_error(), "element 0 is 4953 on the device, and 4952 on the host");
    cr_assert_eq(sum, -1);
    size_t first = 99;
    test_fails(GPU_E_SNIPPET, gpu_index_if(p.x, is_step, &first));
    test_has(gpu_error(), "the number is 16 on the device, and 11 on the host");
    cr_assert_eq(first, 99);
    gpu_array *yes, *no;
    gpu_partition(p.x, is_step, &yes, &no);
    cr_assert_eq(gpu_array_status(yes), GPU_E_SNIPPET);
    differs(gpu_block_reduce(p.x, 15, plus_step), "element 0 is 147 on the device", "133 on the host", "\"plus_step\"");
    test_close(p.g);
}

Test(verify, two_meanings_are_found_by_key_and_in_sorts)
{
    program p = start();
    gpu_array *k, *v;
    gpu_reduce_by_key(p.keys, p.x, plus_step, &k, &v);
    differs(k, "element 0 is 147 on the device", "133 on the host", "\"plus_step\"");
    differs(v, "element 0 is 147 on the device", "133 on the host", "\"plus_step\"");
    differs(gpu_scan_by_key(p.keys, p.x, plus_step), "element 1 is 4 on the device", "3 on the host", "\"plus_step\"");
    differs(gpu_sort_by(p.x, by_flipped), "element 0 is 3 on the device", "2 on the host", "\"by_flipped\"");
    differs(gpu_sort_key(p.x, GPU_INT, flipped), "element 0 is 3 on the device", "2 on the host", "\"flipped\"");
    test_fails(GPU_E_SNIPPET, gpu_check_order(p.x, by_difference));
    test_has(gpu_error(), "element 0 is 0 on the device, and 4294967295 on the host");
    test_has(gpu_error(), "\"by_difference\"");
    test_close(p.g);
}

GPU_STRUCT(sample, char small; float value; double large;);
GPU_FUNCTION(sample, sample_of, (int x), {
    sample s;
    s.small = (char)x;
    s.value = (float)x * 0.3f;
    s.large = x;
    return s;
});
GPU_FUNCTION(float, add, (float a, float b), { return a + b; });
GPU_FUNCTION(float, scaled, (float x, float k), { return x * k + 1; });
GPU_FUNCTION(bool, is_large, (float x), { return x > 50; });
GPU_FUNCTION(float, smooth, (float x), { return (float)exp(-x / 10); });
GPU_FUNCTION(int, steps, (float x), { return (int)exp(x / 50); });

static void has_counts(const program *p, uint64_t operations, uint64_t launches)
{
    gpu_stats stats = test_stats(p->g);
    cr_assert(stats.operations_verified == operations && stats.launches_unverified == launches,
              "%d operations were compared, %d launches were not, wanted %d and %d", (int)stats.operations_verified,
              (int)stats.launches_unverified, (int)operations, (int)launches);
}

Test(verify, equal_sides_are_counted)
{
    test_whole_tiles();
    program p = start();
    bool has_double = test_has_double();
    uint64_t n = test_stats(p.g).operations_verified;
    float k = 1.7f, sum;
    size_t count;
    gpu_array *yes, *no;
    test_array_ok(gpu_map(p.f, scaled, GPU_ARG(k)));
    has_counts(&p, n += 1, 0);
    if (has_double) test_array_ok(gpu_map_to(p.x, GPU_TYPE(sample), sample_of));
    has_counts(&p, n += has_double, 0);
    test_ok(gpu_sum(p.f, &sum));
    test_ok(gpu_reduce(p.f, add, &sum));
    test_ok(gpu_fold(p.f, &(float){2}, add, &sum));
    has_counts(&p, n += 3, 0);
    test_ok(gpu_max(p.f, &sum));
    has_counts(&p, n += 1, 0);
    uint64_t open = test_stats(p.g).launches_unverified;
    test_array_ok(gpu_scan(p.f, add));
    has_counts(&p, n += 1, open);
    test_array_ok(gpu_filter(p.f, is_large));
    gpu_partition(p.f, is_large, &yes, &no);
    has_counts(&p, n += 2, 0);
    test_ok(gpu_sum(no, &sum));
    test_ok(gpu_count(p.f, is_large, &count));
    test_ok(gpu_index_if(p.f, is_large, &count));
    has_counts(&p, n += 3, 0);
    test_array_ok(gpu_gather(p.f, p.x));
    test_array_ok(gpu_map(p.f, smooth));
    has_counts(&p, n + 2, 0);
    test_close(p.g);
}

/* All launches since `n` were of operations that were compared, one at least. */
static void is_verified(const program *p, const char *what, uint64_t *n)
{
    gpu_stats stats = test_stats(p->g);
    cr_assert(stats.operations_verified > *n, "%s was not compared", what);
    cr_assert(!stats.launches_unverified, "%s: %d launches were not compared", what, (int)stats.launches_unverified);
    *n = stats.operations_verified;
}

static void array_is_verified(const program *p, const char *what, gpu_array *a, uint64_t *n)
{
    test_array_ok(a);
    is_verified(p, what, n);
}

static void call_is_verified(const program *p, const char *what, gpu_status status, uint64_t *n)
{
    test_ok(status);
    is_verified(p, what, n);
}

GPU_FUNCTION(int, by_last_bits, (int a, int b), { return (a & 7) < (b & 7); });

Test(verify, every_operation)
{
    test_whole_tiles();
    program p = start();
    uint64_t n = 0;
    const gpu_sort_options radix = {GPU_SORT_RADIX, false}, bitonic = {GPU_SORT_BITONIC, false};
    const float low = -0.1f, high = 77.7f;
    gpu_array *k, *v;
    array_is_verified(&p, "gpu_sort", gpu_sort(p.f), &n);
    array_is_verified(&p, "radix", gpu_sort_with(p.f, &radix, NULL), &n);
    array_is_verified(&p, "bitonic", gpu_sort_with(p.x, &bitonic, NULL), &n);
    array_is_verified(&p, "gpu_sort_by", gpu_sort_by(p.x, by_last_bits), &n);
    call_is_verified(&p, "gpu_sort_pairs", gpu_sort_pairs(p.keys, p.f, &k, &v), &n);
    array_is_verified(&p, "gpu_lower_bound", gpu_lower_bound(gpu_sort(p.f), p.f), &n);
    call_is_verified(&p, "gpu_reduce_by_key", gpu_reduce_by_key(p.keys, p.f, "a + b", &k, &v), &n);
    array_is_verified(&p, "gpu_scan_by_key", gpu_scan_by_key(p.keys, p.f, "a + b"), &n);
    call_is_verified(&p, "gpu_runs", gpu_runs(p.keys, &k, &v), &n);
    array_is_verified(&p, "gpu_block_reduce", gpu_block_reduce(p.f, 70, "a + b"), &n);
    if (p.g->capabilities->exact_division)
        call_is_verified(&p, "gpu_histogram", gpu_histogram(p.f, &low, &high, 5000, &k, &v), &n);
    array_is_verified(&p, "gpu_scatter", gpu_scatter(p.f, p.keys, p.f), &n); /* several to one place */
    call_is_verified(&p, "gpu_check_order", gpu_check_order(p.x, by_last_bits), &n);
    test_close(p.g);
}

GPU_FUNCTION(int, in_circles, (int a, int b), { return ((a - b) & 3) == 1; });
GPU_FUNCTION(float, weighed, (float x), { return x + exp(x / 100); });

/* Nothing of it is known to be a difference. */
Test(verify, what_has_no_single_outcome)
{
    program p = start();
    const gpu_sort_options bitonic = {GPU_SORT_BITONIC, false};
    test_array_ok(gpu_sort_by(p.x, in_circles)); /* no order */
    uint64_t n = test_stats(p.g).launches_unverified;
    test_array_ok(gpu_sort_with(p.f, &bitonic, NULL)); /* not stable */
    cr_assert_gt(test_stats(p.g).launches_unverified, n);
    uint64_t compared = test_stats(p.g).operations_verified;
    test_array_ok(gpu_map(p.f, weighed)); /* up to rounding */
    cr_assert_eq(test_stats(p.g).operations_verified, compared + 1);
    test_close(p.g);
}

/* Both sides combine a small array from left to right, also in long blocks. */
Test(verify, leaves_the_report_of_a_deferred_error_to_gpu_finish)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 3000);
    gpu_eval(gpu_sort(gpu_gather(x, gpu_map(x, "x + 1"))));
    test_fails(GPU_E_RANGE, gpu_finish(g));
    test_ok(gpu_finish(g));
    test_close(g);
}

Test(verify, long_blocks_of_a_small_array)
{
    enum { N = 561, BLOCK = 187 };
    gpu *g = test_open();
    float x[N], sums[N / BLOCK];
    for (int k = 0; k < N; k++) x[k] = 1.0f / (float)(k % 89 + 1);
    test_ok(gpu_read(gpu_block_reduce(gpu_array_of(g, x, N), BLOCK, "a + b"), sums));
    test_close(g);
}

Test(verify, the_host_device_has_one_side)
{
    gpu *g = gpu_open("host");
    int data[] = {3, 1, 2};
    gpu_array *x = gpu_array_of(g, data, 3), *k, *v;
    test_array_ok(gpu_sort_by(x, by_last_bits));
    test_array_ok(gpu_scatter(x, gpu_range(g, GPU_INT, 2), gpu_slice(x, 1, 2)));
    test_ok(gpu_reduce_by_key(x, x, "a + b", &k, &v));
    test_ok(gpu_check_order(x, by_last_bits));
    gpu_stats stats = test_stats(g);
    cr_assert(!stats.operations_verified && !stats.launches_unverified);
    test_close(g);
}

Test(verify, what_cannot_be_compared_is_counted)
{
    program p = start();
    uint64_t n = test_stats(p.g).operations_verified;
    test_array_ok(gpu_map(p.x, "abs(x)"));
    has_counts(&p, n, 1);
    test_array_ok(gpu_map_to(p.f, GPU_INT, steps));
    has_counts(&p, n, 2);
    float sum;
    test_ok(gpu_reduce(p.f, "fmin(a, b)", &sum));
    has_counts(&p, n + 1, 2);
    cl_mem mem = gpu_array_mem(p.f, NULL);
    cr_assert(mem);
    test_ok(gpu_sum(p.f, &sum));
    has_counts(&p, n + 1, 3);
    test_close(p.g);
}

Test(verify, trace_counts_what_was_compared)
{
    char folder[TEST_PATH], path[TEST_PATH + 8], text[8192] = "";
    test_folder_make(folder);
    snprintf(path, sizeof path, "%s/trace", folder);
    setenv("FIREPILE_TRACE", path, 1);
    program p = start();
    float sum;
    test_ok(gpu_sum(p.f, &sum));
    test_array_ok(gpu_map(p.x, "abs(x)"));
    test_close(p.g);
    unsetenv("FIREPILE_TRACE");
    FILE *file = fopen(path, "r");
    cr_assert(file);
    cr_assert(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    test_has(text, "on the host: runs 1 to compare");
    test_has(text, "FIREPILE_VERIFY: compared 1 operations, could not compare 1 launches, found 0 differences");
    test_folder_remove(folder);
}

/* ---- kernels of the user's own ---- */

Test(verify, two_meanings_are_found_in_kernels)
{
    program p = start();
    gpu_array *y;
    test_fails(GPU_E_SNIPPET, gpu_spawn(p.g, ((gpu_space){.groups = 7, .items = 16}), step_on, GPU_ARG_NAMED(x, p.x),
                                        GPU_GROUP(t, GPU_INT, 16), GPU_RESULT(y, GPU_INT, 100)));
    test_has(gpu_error(), "FIREPILE_VERIFY: element 90 is 93 on the device, and 92 on the host: the kernel step_on (");
    test_has(gpu_error(), ") does not mean the same on both sides");
    test_close(p.g);
}

Test(verify, two_counts_are_found)
{
    program p = start();
    gpu_array *kept;
    test_fails(GPU_E_SNIPPET, gpu_spawn(p.g, gpu_space_of(p.g, 100), steps_counted, GPU_ARG_NAMED(x, p.x),
                                        GPU_RESULT(kept, GPU_INT, 100), GPU_RESULT_COUNT(kept, NULL)));
    test_has(gpu_error(), "the number is 10 on the device, and 40 on the host: the kernel steps_counted (");
    test_close(p.g);
}

Test(verify, kernels_in_an_open_order)
{
    program p = start();
    gpu_array *kept, *sums, *halves, *v;
    uint64_t n = test_stats(p.g).operations_verified;
    call_is_verified(&p, "a kernel",
                     gpu_spawn(p.g, ((gpu_space){.groups = 7, .items = 16}), open_order, GPU_ARG_NAMED(x, p.x),
                               GPU_GROUP(sum, GPU_INT, 1), GPU_RESULT(kept, GPU_INT, 100), GPU_RESULT_COUNT(kept, NULL),
                               GPU_RESULT(sums, GPU_INT, 9), GPU_RESULT(halves, GPU_FLOAT, 120),
                               GPU_RESULT_FROM(v, p.x)),
                     &n);
    test_close(p.g);
}

Test(verify, kernels_that_call_inexact_functions_are_not_compared)
{
    program p = start();
    gpu_array *y;
    test_ok(gpu_spawn(p.g, gpu_space_of(p.g, 100), inexact, GPU_ARG_NAMED(f, p.f), GPU_RESULT(y, GPU_FLOAT, 100)));
    cr_assert_eq(test_stats(p.g).launches_unverified, 1);
    test_close(p.g);
}
