/* The shapes that this device would not choose: those of GPUs, with and without look-back, and tiny ones. The whole
 * suite runs under each in `make test-full`; here each operation with a kernel of its own does, once. */
#include "support/support.h"

#include "expressions/gpu.h"
#include "kernel/policy.h"
#include "ops/reduce.h"

#include <stdlib.h>

enum { N = 3001 };

static int data[N], got[N], want[N];

static void fill(void)
{
    uint64_t state = 7;
    for (int i = 0; i < N; i++) data[i] = (int)(test_random(&state) % 1000);
}

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void check_reduce(const gpu_array *x)
{
    int sum = 0, last, first = data[0], total = 0;
    for (int i = 0; i < N; i++) total += data[i];
    test_ok(gpu_reduce(x, "a + b", &sum));
    cr_assert_eq(sum, total);
    test_ok(gpu_reduce(x, "b", &last));
    cr_assert_eq(last, data[N - 1]);
    test_ok(gpu_reduce(gpu_block_reduce(x, 100, "a"), "a", &first));
    cr_assert_eq(first, data[0]);
}

static void check_scan(const gpu_array *x)
{
    int sum = 0;
    for (int i = 0; i < N; i++) want[i] = sum += data[i];
    test_ok(gpu_read(gpu_scan(x, "a + b"), got));
    test_same("scan", GPU_INT, N, got, want);
    sum = 5;
    for (int i = 0; i < N; sum += data[i++]) want[i] = sum;
    test_ok(gpu_read(gpu_scan_exclusive(x, &(int){5}, "a + b"), got));
    test_same("exclusive scan", GPU_INT, N, got, want);
}

static void check_select(const gpu_array *x)
{
    int kept = 0, others = 0, rest[N], sum = 0;
    for (int i = 0; i < N; i++) {
        if (data[i] % 3 == 0) want[kept++] = data[i];
        if (data[i] % 3 != 0) rest[others++] = data[i];
        if (data[i] % 3 == 0) sum += data[i];
    }
    gpu_array *yes, *no;
    size_t n;
    test_ok(gpu_partition(x, "x % 3 == 0", &yes, &no));
    test_ok(gpu_read_n(yes, got, N, &n));
    test_same("kept", GPU_INT, n, got, want);
    test_ok(gpu_read_n(no, got, N, &n));
    test_same("the others", GPU_INT, n, got, rest);
    test_ok(gpu_read_n(gpu_filter(x, "x % 3 == 0"), got, N, &n));
    cr_assert_eq(n, (size_t)kept);
    test_same("filter", GPU_INT, n, got, want);
    int added;
    test_ok(gpu_reduce(gpu_filter(x, "x % 3 == 0"), "a + b", &added));
    cr_assert_eq(added, sum);
    size_t index, first = 0;
    while (data[first] != 999 && first + 1 < N) first++;
    test_ok(gpu_index_if(x, "x == 999", &index));
    cr_assert_eq(index, data[first] == 999 ? first : GPU_NOT_FOUND);
}

static void check_by_key(const gpu_array *x)
{
    int runs = 0;
    for (int i = 0; i < N; i++) {
        if (i % 7 == 0) want[runs++] = 0;
        want[runs - 1] += data[i];
    }
    gpu_array *keys, *sums;
    test_ok(gpu_reduce_by_key(gpu_map(x, "convert_int(i) / 7"), x, "a + b", &keys, &sums));
    cr_assert_eq(gpu_length(sums), (size_t)runs);
    test_ok(gpu_read(sums, got));
    test_same("sums of runs", GPU_INT, (size_t)runs, got, want);
}

static void check_histogram(const gpu_array *x)
{
    uint64_t counts[10], wanted[10] = {0};
    for (int i = 0; i < N; i++) wanted[data[i] / 100]++;
    gpu_array *bins;
    test_ok(gpu_histogram(x, &(int){0}, &(int){1000}, 10, &bins, NULL));
    test_ok(gpu_read(bins, counts));
    test_same("histogram", GPU_ULONG, 10, counts, wanted);
}

static void check_sort(const gpu_array *x)
{
    static const gpu_sort_algorithm algorithms[] = {GPU_SORT_RADIX, GPU_SORT_MERGE, GPU_SORT_BITONIC};
    for (int i = 0; i < N; i++) want[i] = data[i];
    qsort(want, N, sizeof *want, compare);
    for (int k = 0; k < 3; k++) {
        const gpu_sort_options options = {.algorithm = algorithms[k]};
        test_ok(gpu_read(gpu_sort_with(x, &options, NULL), got));
        test_same("sort", GPU_INT, N, got, want);
    }
}

static void check_scatter(const gpu_array *x)
{
    for (int i = 0; i < N; i++) want[N - 1 - i] = data[i];
    gpu_array *places = gpu_map(x, "n - 1 - convert_int(i)", GPU_ARG_AS(n, GPU_INT, (int){N}));
    test_ok(gpu_read(gpu_scatter(x, places, x), got));
    test_same("scatter", GPU_INT, N, got, want);
}

static void check_policy(const char *policy)
{
    setenv("FIREPILE_POLICY", policy, 1);
    gpu *g = test_open();
    gpu_array *x = gpu_array_of(g, data, N);
    check_reduce(x);
    check_scan(x);
    check_select(x);
    check_by_key(x);
    check_histogram(x);
    check_sort(x);
    check_scatter(x);
    test_close(g);
}

Test(shapes, of_tiny_tiles)
{
    fill();
    check_policy("tiny");
}

Test(shapes, of_gpus)
{
    if (!test_runs_gpu_shapes()) cr_skip_test("this driver does not run the shapes of GPUs");
    fill();
    check_policy("gpu,tiny");
}

Test(shapes, without_look_back)
{
    if (!test_runs_gpu_shapes()) cr_skip_test("this driver does not run the shapes of GPUs");
    fill();
    check_policy("gpu,tiny,sweeps");
}

/* Sorts of so many ints change from one shape of tile to the next. */
Test(shapes, sort_by_a_comparator_on_both_sides_of_a_tile)
{
    if (!test_runs_gpu_shapes()) cr_skip_test("this driver does not run the shapes of GPUs");
    static const size_t tiles[] = {512 * 9, 1024 * 5, 1024 * 9};
    enum { MOST = 1024 * 9 + 1 };
    static int some[MOST], sorted[MOST];
    setenv("FIREPILE_POLICY", "gpu", 1);
    gpu *g = test_open();
    for (size_t k = 0; k < 2 * sizeof tiles / sizeof *tiles; k++) {
        const size_t n = tiles[k / 2] + k % 2;
        for (size_t i = 0; i < n; i++) some[i] = sorted[i] = (int)(i * 7919 % 1009);
        qsort(sorted, n, sizeof *sorted, compare);
        test_holds("sorted", gpu_sort_by(gpu_array_of(g, some, n), "a < b"), GPU_INT, n, sorted);
    }
    test_close(g);
}

/* ---- large elements ---- */

GPU_STRUCT(wide256, int n[64];);
GPU_STRUCT(wide500, int n[125];);
GPU_STRUCT(wide5600, int n[1400];);
GPU_STRUCT(wide12000, int n[3000];);
GPU_STRUCT(wide24000, int n[6000];);

enum { WIDE = 70 };

/* Element i has i in its last place, and i % 3 in its first. */
static void check_elements(gpu *g, gpu_type type)
{
    size_t ints = type->size / sizeof(int), n = 0, last = ints - 1, end = (WIDE - 1) * ints + last;
    int *in = test_alloc(WIDE, type->size), *out = test_alloc(WIDE, type->size);
    void *bytes = out;
    for (size_t i = 0; i < WIDE; i++) in[i * ints] = (int)i % 3, in[i * ints + last] = (int)i;
    gpu_array *x = gpu_array_from(g, type, in, WIDE), *k = gpu_map_to(x, GPU_INT, "x.n[0]"), *yes, *no;
    test_ok(gpu_reduce(x, "b", bytes));
    cr_assert_eq(out[last], WIDE - 1, "reduce of %s", type->name);
    test_ok(gpu_read(gpu_scan(x, "b"), bytes));
    cr_assert_eq(out[end], WIDE - 1, "scan of %s", type->name);
    test_ok(gpu_read_n(gpu_filter(x, "x.n[0] == 0"), bytes, WIDE, &n));
    cr_assert(n == 24 && out[23 * ints + last] == 69, "filter of %s", type->name);
    test_ok(gpu_partition(x, "x.n[0] == 0", &yes, &no));
    test_ok(gpu_read_n(no, bytes, WIDE, &n));
    cr_assert(n == 46 && out[45 * ints + last] == 68, "partition of %s", type->name);
    test_ok(gpu_read(gpu_sort_by(x, "a.n[0] > b.n[0]"), bytes));
    cr_assert(out[last] == 2 && out[end] == 69, "sort of %s", type->name);
    test_ok(gpu_reduce_by_key(k, x, "b", &yes, &no));
    test_ok(gpu_read_n(no, bytes, WIDE, &n));
    cr_assert(n == WIDE && out[last] == 0 && out[end] == 69, "reduce_by_key of %s", type->name);
    test_ok(gpu_read(gpu_block_reduce(x, 7, "b"), bytes));
    cr_assert_eq(out[9 * ints + last], 69, "block_reduce of %s", type->name);
    test_ok(gpu_read(gpu_reverse(x), bytes));
    cr_assert_eq(out[last], 69, "reverse of %s", type->name);
    free(in);
    free(out);
}

/* As much local memory as GPUs have. */
static gpu *open_wide(const char *policy)
{
    test_needs_opencl();
    if (!test_runs_gpu_shapes()) cr_skip_test("this driver does not run the shapes of GPUs");
    setenv("FIREPILE_POLICY", policy, 1);
    setenv("FIREPILE_SMALL", "0", 1);
    gpu *g = test_open();
    fp_device_limit_local(g->device, 48 << 10);
    return g;
}

static void check_wide(const char *policy)
{
    gpu *g = open_wide(policy);
    const bool cpu = g->capabilities->cpu;
    check_elements(g, GPU_TYPE(wide256));
    if (test_full() || !cpu) check_elements(g, GPU_TYPE(wide500));
    /* Groups of one item. NVIDIA's compiler takes minutes for each of these kernels. */
    if (cpu) check_elements(g, GPU_TYPE(wide5600));
    test_close(g);
}

Test(shapes, large_elements)
{
    check_wide("gpu");
}

Test(shapes, large_elements_without_look_back)
{
    check_wide("gpu,sweeps");
}

Test(shapes, elements_that_are_too_large_for_local_memory)
{
    gpu *g = open_wide("gpu");
    wide24000 *in = test_alloc(WIDE, sizeof *in);
    gpu_array *sums = gpu_scan(gpu_array_from(g, GPU_TYPE(wide24000), in, WIDE), "b");
    cr_assert_eq(gpu_array_status(gpu_eval(sums)), GPU_E_TYPE);
    test_has(gpu_array_error(sums), "gpu_scan: elements are too large");
    free(in);
    test_close(g);
}

/* Of two tiles of one element each. Every element of a row of the product is the last one of that row of the left
 * matrix. */
Test(shapes, product_of_elements_that_fill_a_quarter_of_local_memory)
{
    enum { SIDE = 3 };
    gpu *g = open_wide("gpu");
    wide12000 *in = test_alloc(SIDE * SIDE, sizeof *in), *out = test_alloc(SIDE * SIDE, sizeof *out);
    for (int k = 0; k < SIDE * SIDE; k++) in[k].n[2999] = k;
    gpu_matrix *m = gpu_matrix_from(gpu_array_from(g, GPU_TYPE(wide12000), in, SIDE * SIDE), SIDE, SIDE);
    test_ok(gpu_matrix_read(gpu_matrix_multiply_by(m, m, "x", "b"), (void *)out));
    for (int k = 0; k < SIDE * SIDE; k++) cr_assert_eq(out[k].n[2999], k / SIDE * SIDE + SIDE - 1, "element %d", k);
    free(in);
    free(out);
    test_close(g);
}

/* The compiled kernel is asked before it is launched. */
Test(shapes, kernels_that_need_too_much_local_memory)
{
    gpu *g = open_wide("gpu");
    int sum = 77;
    fp_device_limit_local(g->device, 100);
    cr_assert_eq(gpu_reduce(gpu_eval(gpu_range(g, GPU_INT, 3000)), "a + b", &sum), GPU_E_TYPE);
    test_has(gpu_error(), "bytes of local memory for a work-group, and this device has 100");
    cr_assert_eq(sum, 77);
    test_close(g);
}

/* ---- accumulators of a CPU ---- */

GPU_STRUCT(moments, float sum[3]; int count;);
GPU_FUNCTION(moments, moments_of, (int x), {
    moments m = {{(float)x, 1, (float)-x}, 1};
    return m;
});
GPU_FUNCTION(moments, add_moments, (moments a, moments b), {
    for (int k = 0; k < 3; k++) a.sum[k] += b.sum[k];
    a.count += b.count;
    return a;
});

Test(shapes, lanes_of_structs_where_they_are_known_to_work)
{
    static const struct {
        const char *platform;
        bool lanes;
    } platforms[] = {{"Portable Computing Language", true},
                     {"Intel(R) OpenCL", true},
                     {"Intel(R) CPU Runtime for OpenCL(TM) Applications", true},
                     {"rusticl", false},
                     {"", false}};
    for (size_t k = 0; k < COUNT_OF(platforms); k++) {
        fp_capabilities capabilities = {.cpu = true, .compute_units = 2};
        fp_policy policy;
        strcpy(capabilities.platform, platforms[k].platform);
        unsetenv("FIREPILE_POLICY");
        test_ok(fp_policy_choose(&capabilities, &policy));
        cr_assert_gt(fp_reduce_lanes(&policy, GPU_FLOAT, false), 1, "%s", capabilities.platform);
        cr_assert_eq(fp_reduce_lanes(&policy, GPU_TYPE(moments), false) > 1, platforms[k].lanes, "%s",
                     capabilities.platform);
    }
}

static void check_moments(const char *what, const gpu_array *x, int n)
{
    moments m = {{-1, -1, -1}, -1};
    test_ok(gpu_reduce(x, add_moments, &m, GPU_COMMUTATIVE));
    float sum = (float)(n * (n - 1) / 2);
    cr_assert(m.count == n && m.sum[0] == sum && m.sum[1] == (float)n && m.sum[2] == -sum,
              "%s: of %d elements %d are counted, the sums are %g, %g, %g", what, n, m.count, (double)m.sum[0],
              (double)m.sum[1], (double)m.sum[2]);
}

Test(shapes, structs_with_arrays_are_added_up)
{
    gpu *g = test_open();
    for (int n = 1; n <= (test_full() ? 100 : 40); n++) {
        gpu_array *x = gpu_map_to(gpu_range(g, GPU_INT, (size_t)n), GPU_TYPE(moments), moments_of);
        check_moments("computed", x, n);
        check_moments("stored", gpu_eval(gpu_map_to(gpu_range(g, GPU_INT, (size_t)n), GPU_TYPE(moments), moments_of)),
                      n);
    }
    test_close(g);
}
