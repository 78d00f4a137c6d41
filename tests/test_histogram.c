/* gpu_histogram: exact edges, every type, few bins and many, what lies outside. */
#include "expressions/gpu.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 exact;

/* Multiples of a quarter are exact here whatever their type. */
static exact quarters(gpu_type type, test_number v)
{
    if (type->kind == GPU_KIND_FLOATING) return (exact)(v.f * 4);
    return 4 * (type->kind == GPU_KIND_SIGNED ? (exact)v.s : (exact)v.u);
}

/* Counts in rational numbers; returns what lies outside. */
static uint64_t count_on_host(gpu_type type, const void *data, size_t n, test_number low, test_number high, size_t bins,
                              uint64_t *counts)
{
    exact from = quarters(type, low), to = quarters(type, high);
    uint64_t outside = 0;
    memset(counts, 0, bins * sizeof *counts);
    for (size_t i = 0; i < n; i++) {
        test_number v = test_get(type, data, i);
        bool is_number = type->kind != GPU_KIND_FLOATING || isfinite(v.f);
        exact x = is_number ? quarters(type, v) : to;
        if (x < from || x >= to)
            outside++;
        else
            counts[(size_t)((x - from) * (exact)bins / (to - from))]++;
    }
    return outside;
}

/* The histogram of `a` must be these counts. */
static void holds(const char *what, const gpu_array *a, const void *low, const void *high, size_t bins,
                  const uint64_t *counts, uint64_t outside)
{
    gpu_array *got = NULL, *others = NULL;
    uint64_t *read = test_alloc(bins, sizeof *read), out = 77;
    test_ok(gpu_histogram(a, low, high, bins, &got, &others));
    cr_assert(gpu_length(got) == bins && gpu_length(others) == 1, "%s: %zu counts", what, gpu_length(got));
    cr_assert(gpu_type_equal(gpu_type_of(got), GPU_ULONG) && gpu_type_equal(gpu_type_of(others), GPU_ULONG));
    test_ok(gpu_read(others, &out));
    cr_assert_eq(out, outside, "%s: %zu outside, wanted %zu", what, (size_t)out, (size_t)outside);
    test_ok(gpu_read(got, read));
    test_same(what, GPU_ULONG, bins, read, counts);
    gpu_array_free(got);
    gpu_array_free(others);
    free(read);
}

static void check_histogram(gpu *g, gpu_type type, const void *data, size_t n, test_number low, test_number high,
                            size_t bins)
{
    uint64_t *counts = test_alloc(bins, sizeof *counts), ends[2];
    uint64_t outside = count_on_host(type, data, n, low, high, bins, counts);
    test_put(type, ends, 0, low);
    test_put(type, ends, 1, high);
    char what[96];
    snprintf(what, sizeof what, "%zu bins for %zu elements of type %s", bins, n, type->name);
    gpu_array *a = gpu_array_from(g, type, data, n);
    holds(what, a, (char *)ends, (char *)ends + type->size, bins, counts, outside);
    gpu_array_free(a);
    free(counts);
}

static const size_t all_bins[] = {1, 7, 256, 65536};

/* From 30 (unsigned) or -100 on, 201 wide. */
static void every_bins(gpu *g, gpu_type type, size_t n)
{
    void *data = test_alloc(n, type->size);
    bool is_unsigned = type->kind == GPU_KIND_UNSIGNED, is_floating = type->kind == GPU_KIND_FLOATING;
    int64_t first = is_unsigned ? 30 : -100;
    uint64_t seed = 1;
    for (size_t i = 0; i < n; i++) {
        int64_t value = (int64_t)(test_random(&seed) % 256) + (is_unsigned ? 0 : -128);
        test_number v = test_whole(type, value);
        if (is_floating) v.f += (double)(test_random(&seed) % 4) / 4;
        test_put(type, data, i, v);
    }
    for (size_t b = 0; b < COUNT_OF(all_bins); b++)
        check_histogram(g, type, data, n, test_whole(type, first), test_whole(type, first + 201), all_bins[b]);
    free(data);
}

Test(histogram, takes_every_type)
{
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++)
        if (test_takes_type(t, 1)) every_bins(g, test_scalars[t], 10007);
    test_close(g);
}

Test(histogram, takes_every_length)
{
    gpu *g = test_open();
    for (size_t k = 0; k < test_size_count(785433); k++) {
        every_bins(g, GPU_UCHAR, test_sizes[k]);
        every_bins(g, GPU_FLOAT, test_sizes[k]);
    }
    every_bins(g, GPU_UCHAR, test_limit(3679636));
    test_close(g);
}

Test(histogram, bins_of_integers_have_exact_edges) /* H01, H03 */
{
    gpu *g = test_open();
    int data[] = {2, 6, 7, 2, 3, 0, 2, 2, 6, 999};
    uint64_t seven[] = {1, 5, 0, 2, 1, 0, 0}, two[] = {2, 1}, twelve[12] = {1, 0, 4, 1, 0, 0, 2, 1};
    gpu_array *x = gpu_array_of(g, data, 10);
    holds("7 bins over [0, 12)", x, &(int){0}, &(int){12}, 7, seven, 1);
    holds("12 bins over [0, 12)", x, &(int){0}, &(int){12}, 12, twelve, 1);
    holds("[0, 2)", gpu_array_of(g, (&(int[]){0, 0, 1}[0]), 3), &(int){0}, &(int){2}, 2, two, 0);
    test_close(g);
}

/* Element i stands on the lower edge of a bin, or one below it. */
Test(histogram, a_lower_edge_belongs_to_its_bin)
{
    gpu *g = test_open();
    int edges[200];
    uint64_t counts[100];
    for (int i = 0; i < 200; i++) edges[i] = -350 + 7 * (i / 2) - i % 2;
    for (int k = 0; k < 100; k++) counts[k] = k < 99 ? 2 : 1;
    holds("bins of 7", gpu_array_of(g, edges, 200), &(int){-350}, &(int){350}, 100, counts, 1);
    test_close(g);
}

Test(histogram, takes_more_bins_than_there_are_integers)
{
    gpu *g = test_open();
    static uint64_t spread[65536];
    for (int k = 0; k < 3; k++) spread[65536 * k / 3] = 1;
    holds("3 integers in 65536 bins", gpu_range(g, GPU_INT, 5), &(int){0}, &(int){3}, 65536, spread, 2);
    test_close(g);
}

static void check_extremes(gpu *g, size_t bins)
{
    int64_t data[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX, INT64_MIN / 2, INT64_MAX / 3};
    uint64_t far[] = {0, 1, UINT64_MAX / 2, UINT64_MAX / 2 + 1, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX / 3};
    uint64_t *counts = test_alloc(bins, sizeof *counts), outside;
    int64_t low = INT64_MIN, high = INT64_MAX;
    outside =
        count_on_host(GPU_LONG, data, COUNT_OF(data), (test_number){.s = low}, (test_number){.s = high}, bins, counts);
    cr_assert_eq(outside, 1);
    holds("all of long", gpu_array_of(g, data, COUNT_OF(data)), &low, &high, bins, counts, 1);
    uint64_t first = 1, last = UINT64_MAX;
    outside =
        count_on_host(GPU_ULONG, far, COUNT_OF(far), (test_number){.u = first}, (test_number){.u = last}, bins, counts);
    cr_assert_eq(outside, 2);
    holds("all of ulong", gpu_array_of(g, far, COUNT_OF(far)), &first, &last, bins, counts, 2);
    free(counts);
}

Test(histogram, takes_the_whole_range_of_64_bits)
{
    gpu *g = test_open();
    for (size_t b = 0; b < COUNT_OF(all_bins); b++) check_extremes(g, all_bins[b]);
    check_extremes(g, 10);
    test_close(g);
}

Test(histogram, takes_the_whole_range_of_char)
{
    gpu *g = test_open();
    signed char bytes[256];
    uint64_t counts[255];
    for (int i = 0; i < 256; i++) bytes[i] = (signed char)(i - 128);
    for (int i = 0; i < 255; i++) counts[i] = 1;
    holds("all of char", gpu_array_of(g, bytes, 256), &(signed char){-128}, &(signed char){127}, 255, counts, 1);
    test_close(g);
}

/* Each bin of [0, 1) has its lower edge, the number above that, and the number below the next edge. */
static void float_edges(gpu *g, size_t bins)
{
    float *data = test_alloc(3 * bins + 2, sizeof *data), high = 1, low = 0;
    double *deep = test_alloc(3 * bins + 2, sizeof *deep), deep_high = 1, deep_low = 0;
    uint64_t *counts = test_alloc(bins, sizeof *counts);
    for (size_t k = 0; k < bins; k++) {
        float edge = (float)k / (float)bins, next = (float)(k + 1) / (float)bins;
        double deep_edge = (double)k / (double)bins, deep_next = (double)(k + 1) / (double)bins;
        float three[] = {edge, nextafterf(edge, 2), nextafterf(next, -1)};
        double deep_three[] = {deep_edge, nextafter(deep_edge, 2), nextafter(deep_next, -1)};
        memcpy(data + 3 * k, three, sizeof three);
        memcpy(deep + 3 * k, deep_three, sizeof deep_three);
        counts[k] = 3;
    }
    data[3 * bins] = 1;
    data[3 * bins + 1] = -1e-30f;
    deep[3 * bins] = 1;
    deep[3 * bins + 1] = -1e-300;
    char what[64];
    snprintf(what, sizeof what, "edges of %zu bins", bins);
    holds(what, gpu_array_of(g, data, 3 * bins + 2), &low, &high, bins, counts, 2);
    holds(what, gpu_array_of(g, deep, 3 * bins + 2), &deep_low, &deep_high, bins, counts, 2);
    free(data);
    free(deep);
    free(counts);
}

Test(histogram, bins_of_floating_numbers_have_exact_edges)
{
    gpu *g = test_open();
    static const size_t bins[] = {1, 3, 7, 10, 49, 100, 256, 1000, 65535, 65536};
    for (size_t b = 0; b < COUNT_OF(bins); b++) float_edges(g, bins[b]);
    test_close(g);
}

Test(histogram, zeros_of_both_signs_fall_into_one_bin)
{
    gpu *g = test_open();
    float f[] = {-2, -1.75f, -1.5f, 0, -0.0f, 1.25f, 1.5f, 1.49999f};
    uint64_t seven[] = {2, 1, 0, 0, 2, 0, 2}, two[] = {2};
    holds("halves", gpu_array_of(g, f, 8), &(float){-2}, &(float){1.5f}, 7, seven, 1);
    holds("0 and -0 from 0 on", gpu_array_of(g, f + 3, 2), &(float){0}, &(float){1}, 1, two, 0);
    holds("0 and -0 from -0 on", gpu_array_of(g, f + 3, 2), &(float){-0.0f}, &(float){1}, 1, two, 0);
    test_close(g);
}

/* Bounds are computed as low + k * (high - low) / bins, which must not overflow. */
Test(histogram, refuses_bounds_whose_distance_overflows)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1e38f}, 10), *counts, *outside;
    uint64_t got[2];
    test_fails(GPU_E_ARGUMENT, gpu_histogram(x, &(float){-1e38f}, &(float){2e38f}, 10, &counts, &outside));
    test_has(gpu_error(), "10 bins");
    test_ok(gpu_histogram(x, &(float){-0.5e38f}, &(float){1.1e38f}, 2, &counts, &outside));
    test_ok(gpu_read(counts, got));
    cr_assert(got[0] == 0 && got[1] == 10);
    test_close(g);
}

Test(histogram, nan_and_infinities_of_float_lie_outside)
{
    gpu *g = test_open();
    float f[] = {NAN, INFINITY, -INFINITY, -NAN, 0, 3.4e38f, -3.4e38f, 0.5f, 1};
    for (size_t bins = 2; bins <= 65536; bins *= 32768) {
        uint64_t *want = test_alloc(bins, sizeof *want);
        want[0] = want[bins / 2] = 1;
        holds("floats", gpu_array_of(g, f, 9), &(float){0}, &(float){1}, bins, want, 7);
        free(want);
    }
    test_close(g);
}

Test(histogram, nan_and_infinities_of_double_lie_outside)
{
    gpu *g = test_open();
    double d[] = {NAN, INFINITY, -INFINITY, 0, 1e308, -1e308, 0.5, 1};
    holds("doubles", gpu_array_of(g, d, 8), &(double){0}, &(double){1}, 2, (uint64_t[]){1, 1}, 6);
    test_close(g);
}

Test(histogram, takes_delayed_filtered_and_sliced_inputs)
{
    gpu *g = test_open();
    uint64_t ones[] = {1, 1, 1, 1, 1};
    gpu_array *x = gpu_range(g, GPU_INT, 10);
    holds("a map", gpu_map(x, "x * 2"), &(int){0}, &(int){10}, 5, ones, 5);
    holds("a filter", gpu_filter(x, "x % 2"), &(int){0}, &(int){10}, 5, ones, 0);
    holds("a slice of a filter", gpu_slice(gpu_filter(x, "x % 2"), 1, 2), &(int){0}, &(int){10}, 5,
          (uint64_t[]){0, 1, 1, 0, 0}, 0);
    holds("a slice", gpu_slice(gpu_eval(x), 3, 5), &(int){3}, &(int){8}, 5, ones, 0);
    holds("a view", gpu_drop_while(x, "x < 4"), &(int){5}, &(int){10}, 5, ones, 1);
    test_close(g);
}

Test(histogram, counts_nothing_in_an_empty_array)
{
    gpu *g = test_open();
    uint64_t none[5] = {0};
    gpu_array *x = gpu_range(g, GPU_INT, 10);
    holds("nothing", gpu_slice(x, 0, 0), &(int){0}, &(int){10}, 5, none, 0);
    holds("nothing kept", gpu_filter(x, "x > 10"), &(int){0}, &(int){10}, 5, none, 0);
    test_close(g);
}

Test(histogram, its_counts_are_mapped_and_reduced)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10), *counts;
    uint64_t most = 77;
    test_ok(gpu_histogram(gpu_map(x, "x * x"), &(int){0}, &(int){100}, 4, &counts, NULL)); /* 5 3 1 1: 25, 50, 75 */
    test_ok(gpu_reduce(gpu_map(counts, "x * 10 + i"), "max(a, b)", &most));
    cr_assert_eq(most, 50, "%d", (int)most);
    test_close(g);
}

Test(histogram, refuses_no_bins_and_more_than_memory_holds)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10), *p = NULL, *q = NULL;
    test_fails(GPU_E_ARGUMENT, gpu_histogram(x, &(int){0}, &(int){10}, 0, &p, &q));
    test_array_fails(GPU_E_ARGUMENT, p);
    test_array_fails(GPU_E_ARGUMENT, q);
    gpu_status status =
        gpu_histogram(x, &(int){0}, &(int){10}, ((size_t)1 << 61) + 512, &p, &q); /* 2^64 bytes and more */
    cr_assert(status == GPU_E_MEMORY || status == GPU_E_ARGUMENT, "too many bins: %s", gpu_status_name(status));
    test_array_fails(status, p);
    test_close(g);
}

Test(histogram, refuses_bounds_that_are_no_interval)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10), *f = gpu_range(g, GPU_FLOAT, 10), *p = NULL, *q = NULL;
    test_fails(GPU_E_ARGUMENT, gpu_histogram(x, &(int){10}, &(int){10}, 5, &p, &q));
    test_fails(GPU_E_ARGUMENT, gpu_histogram(x, &(int){10}, &(int){0}, 5, &p, NULL));
    test_fails(GPU_E_ARGUMENT, gpu_histogram(f, &(float){NAN}, &(float){1}, 5, &p, &q));
    test_fails(GPU_E_ARGUMENT, gpu_histogram(f, &(float){0}, &(float){NAN}, 5, &p, &q));
    test_close(g);
}

Test(histogram, refuses_missing_arguments)
{
    gpu *g = test_open();
    gpu_array *f = gpu_range(g, GPU_FLOAT, 10), *p = NULL, *q = NULL;
    test_fails(GPU_E_ARGUMENT, gpu_histogram(f, (float *)NULL, &(float){1}, 5, &p, &q));
    test_fails(GPU_E_ARGUMENT, gpu_histogram(f, &(float){0}, (float *)NULL, 5, &p, &q));
    test_array_fails(GPU_E_ARGUMENT, q);
    test_fails(GPU_E_ARGUMENT, gpu_histogram(f, &(float){0}, &(float){1}, 5, NULL, &q));
    test_array_fails(GPU_E_ARGUMENT, q);
    test_close(g);
}

Test(histogram, refuses_bounds_of_another_type_and_vectors)
{
    gpu *g = test_open();
    gpu_array *f = gpu_range(g, GPU_FLOAT, 10), *p = NULL, *q = NULL;
    gpu_float2 pair = {0, 1}, more = {2, 2};
    test_fails(GPU_E_TYPE, gpu_histogram(f, &(int){0}, &(float){1}, 5, &p, &q));
    test_fails(GPU_E_TYPE, gpu_histogram(f, &(float){0}, &(double){1}, 5, &p, &q));
    test_array_fails(GPU_E_TYPE, p);
    test_fails(GPU_E_TYPE, gpu_histogram(gpu_fill(g, GPU_FLOAT2, &pair, 3), &pair, &more, 5, &p, &q));
    test_close(g);
}

Test(histogram, passes_on_the_failure_of_its_input)
{
    gpu *g = test_open();
    gpu_array *bad[] = {NULL, gpu_range(g, GPU_FLOAT4, 3), gpu_map(gpu_range(g, GPU_FLOAT, 3), "nobody")}, *p, *q;
    static const gpu_status statuses[] = {GPU_E_ARGUMENT, GPU_E_TYPE, GPU_E_SNIPPET};
    for (size_t k = 0; k < COUNT_OF(bad); k++) {
        p = q = NULL;
        test_fails(statuses[k], gpu_histogram(bad[k], &(float){0}, &(float){1}, 5, &p, &q));
        test_array_fails(statuses[k], p);
        test_array_fails(statuses[k], q);
        test_fails(statuses[k], gpu_histogram(bad[k], &(float){0}, &(float){1}, 5, &p, NULL));
    }
    test_close(g);
}

Test(histogram, passes_on_a_failure_that_only_the_device_knows)
{
    gpu *g = test_open();
    int out[3] = {77};
    uint64_t count[3] = {77};
    size_t n = 77;
    gpu_array *x = gpu_range(g, GPU_INT, 3), *astray = gpu_gather(x, gpu_map(x, "x + 1")), *p, *q;
    if (gpu_histogram(astray, &(int){0}, &(int){3}, 3, &p, &q) == GPU_OK) {
        test_fails(GPU_E_RANGE, gpu_read(q, count));
        test_fails(GPU_E_RANGE, gpu_read_n(p, count, 3, &n));
    }
    test_fails(GPU_E_RANGE, gpu_read(astray, out));
    cr_assert(out[0] == 77 && count[0] == 77 && n == 77, "an output was written");
    test_close(g);
}

/* Few bins take one launch. On GPUs the first that does not fit behind the ticket takes one more, to clear counts. */
Test(histogram, launches_one_kernel_and_on_gpus_one_more_for_many_bins)
{
    test_needs_opencl();
    if (test_eager() || test_tiny()) cr_skip_test("each step is a buffer");
    gpu *g = test_open();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 100000)), *counts, *outside;
    static const size_t bins[] = {10, 2048, 2049, 65536};
    for (size_t round = 0; round < 3 * COUNT_OF(bins); round++) {
        size_t b = round % COUNT_OF(bins);
        const bool few = b < 2 || g->policy.cpu;
        gpu_stats before = test_stats(g);
        test_ok(gpu_histogram(gpu_map(x, "x / 2"), &(int){0}, &(int){40000}, bins[b], &counts, &outside));
        gpu_stats after = test_stats(g);
        cr_assert_eq(after.kernels_launched - before.kernels_launched, few ? 1 : 2, "for %zu bins", bins[b]);
        if (round < COUNT_OF(bins)) continue; /* those that build */
        cr_assert_eq(after.waits, before.waits, "it waits");
        uint64_t out = 77;
        test_ok(gpu_read(outside, &out));
        cr_assert_eq(out, 20000, "%zu outside %zu bins", (size_t)out, bins[b]);
        if (few) cr_assert_eq(test_stats(g).kernels_launched, after.kernels_launched, "a launch for what is there");
    }
    test_close(g);
}

/* How many bins there are is no constant of the program. */
Test(histogram, builds_one_program_for_all_numbers_of_bins)
{
    gpu *g = test_open();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 1000)), *counts;
    for (size_t bins = 1; bins <= 171; bins += 85) {
        gpu_stats before = test_stats(g);
        test_ok(gpu_histogram(x, &(int){0}, &(int){(int)bins}, bins, &counts, NULL));
        gpu_stats after = test_stats(g);
        bool found = after.programs_built == before.programs_built && after.programs_loaded == before.programs_loaded;
        cr_assert(bins == 1 || found, "another program for %zu bins", bins);
    }
    test_close(g);
}

/* Counts of slices are added up. */
Test(histogram, adds_up_the_counts_of_slices)
{
    if (!test_full() || test_small() || getenv("FIREPILE_POLICY") || test_eager()) cr_skip("takes a while");
    gpu *g = test_open();
    const size_t n = ((size_t)1 << 31) + 12345;
    for (size_t bins = 2; bins <= 4000; bins *= 2000) {
        uint64_t *counts = test_alloc(bins, sizeof *counts);
        const unsigned width = UINT32_MAX / (unsigned)bins, low = 0, high = width * (unsigned)bins;
        for (size_t k = 0; k * width < n; k++) counts[k] = n - k * width < width ? n - k * width : width;
        holds("range", gpu_range(g, GPU_UINT, n), &low, &high, bins, counts, 0);
        free(counts);
    }
    test_close(g);
}

Test(histogram, equals_plain_c_at_random_lengths_and_bins)
{
    gpu *g = test_open();
    size_t most = test_limit(200000);
    unsigned *data = test_alloc(most, sizeof *data);
    test_random_fill(GPU_UINT, data, most, 3);
    for (size_t i = 0; i < most; i++) data[i] %= i % 3 ? 3 : 300; /* most of them meet in few bins */
    gpu_array *all = gpu_array_of(g, data, most);
    uint64_t seed = 4, *counts = test_alloc(20000, sizeof *counts);
    for (int round = 0; round < 200; round++) {
        gpu_scope *scope = gpu_scope_begin(g);
        size_t first = test_random(&seed) % most, n = test_random(&seed) % (most - first);
        size_t bins = 1 + test_random(&seed) % (round % 4 ? 300 : 20000);
        unsigned low = (unsigned)(test_random(&seed) % 5), high = 290;
        test_number from = {.u = low}, to = {.u = high};
        uint64_t outside = count_on_host(GPU_UINT, data + first, n, from, to, bins, counts);
        char what[96];
        snprintf(what, sizeof what, "round %d: %zu bins for %zu elements from %zu", round, bins, n, first);
        holds(what, gpu_slice(all, first, n), &low, &high, bins, counts, outside);
        gpu_scope_end(scope);
    }
    free(data);
    free(counts);
    test_close(g);
}

/* Products of differences and bins on both sides of what doubles hold exactly. */
Test(histogram, bins_of_wide_ranges_have_exact_edges)
{
    static const uint32_t bins[] = {3, 2047, 2048, 2049, 65536};
    const uint64_t low = 5, high = low + (UINT64_C(1) << 40);
    gpu *g = test_open();
    for (size_t b = 0; b < COUNT_OF(bins); b++) {
        enum { EDGES = 500 };
        uint64_t x[3 * EDGES], *want = test_alloc(bins[b], sizeof *want);
        memset(want, 0, bins[b] * sizeof *want);
        for (uint64_t e = 0; e < EDGES; e++) {
            const uint64_t edge = (e * 7919 % bins[b] * (high - low) + bins[b] - 1) / bins[b];
            for (uint64_t k = 0; k < 3; k++) x[3 * e + k] = low + edge + k - (edge > 0);
        }
        for (size_t i = 0; i < COUNT_OF(x); i++) want[(x[i] - low) * bins[b] / (high - low)]++;
        gpu_array *counts;
        gpu_histogram(gpu_array_of(g, x, COUNT_OF(x)), &low, &high, bins[b], &counts, NULL);
        test_holds("counts", counts, GPU_ULONG, bins[b], want);
        free(want);
    }
    test_close(g);
}
