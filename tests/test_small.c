/* Small arrays: what the host computes has the device's bits, and takes no OpenCL call. */
#include "support/reference.h"

#include "base/memory.h"
#include "cl/device.h"
#include "expressions/gpu.h"

#include <firepile/interop.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void begin(void)
{
    test_needs_opencl();
    setenv("FIREPILE_VERIFY", "0", 1); /* which leaves nothing to the host alone */
}

TestSuite(small, .init = begin, .timeout = 600);

enum { MOST = 600 };

/* The same device twice: one leaves small arrays to the host. */
typedef struct sides {
    gpu *here, *there;
} sides;

static gpu *open_with(const char *small)
{
    setenv("FIREPILE_SMALL", small, 1);
    gpu *g = gpu_open(NULL);
    cr_assert(g, "%s", gpu_error());
    return g;
}

static sides open_sides(void)
{
    return (sides){open_with("600"), open_with("0")};
}

static void close_sides(sides s)
{
    gpu_close(s.here);
    test_close(s.there);
}

static bool same_scalar(gpu_type type, const void *a, const void *b)
{
    const test_number x = test_get(type, a, 0), y = test_get(type, b, 0);
    bool nan = type->kind == GPU_KIND_FLOATING && isnan(x.f) && isnan(y.f);
    return nan || memcmp(a, b, type->size) == 0;
}

/* Bits, but for those of a NaN. */
static void same_bits(const char *what, gpu_type type, size_t n, const void *here, const void *there)
{
    for (size_t k = 0; k < n; k++) {
        const char *a = (const char *)here + k * type->size, *b = (const char *)there + k * type->size;
        bool same =
            type->kind != GPU_KIND_STRUCT && type->width == 1 ? same_scalar(type, a, b) : memcmp(a, b, type->size) == 0;
        cr_assert(same, "%s: type %s, n = %zu: element %zu differs: %.9g on the host, %.9g on the device", what,
                  type->name, n, k, test_get(GPU_FLOAT, a, 0).f, test_get(GPU_FLOAT, b, 0).f);
    }
}

/* Numbers whose sums depend on the order, zeros of both signs and subnormal ones among them. */
static void fill(gpu_type type, void *data, size_t n, uint64_t seed)
{
    for (size_t k = 0; k < n; k++) {
        uint64_t bits = test_random(&seed);
        test_number v = {.u = bits};
        if (type->kind == GPU_KIND_FLOATING) v.f = ldexp((double)(int64_t)bits, (int)(bits % 24) - 70);
        if (type->kind == GPU_KIND_FLOATING && bits % 17 == 0) v.f = bits & 32 ? -0.0 : 0.0;
        if (type == GPU_FLOAT && bits % 19 == 0) v.f = ldexp((double)(bits >> 40), -149);
        test_put(type, data, k, v);
    }
}

/* Both sides' arrays of the same elements. */
typedef struct pair {
    sides s;
    size_t n;
    gpu_array *here, *there;
    uint64_t calls; /* of OpenCL on the host's side, before */
} pair;

static pair make_pair(sides s, gpu_type type, const void *data, size_t n)
{
    pair p = {.s = s, .n = n, .calls = test_stats(s.here).driver_calls};
    p.here = gpu_array_from(s.here, type, data, n);
    p.there = gpu_array_from(s.there, type, data, n);
    return p;
}

/* All since the pair was made ran on the host. */
static void end_pair(pair *p, const char *what)
{
    uint64_t calls = test_stats(p->s.here).driver_calls - p->calls;
    cr_assert(p->n > MOST || calls == 0, "%s: %d OpenCL calls for %zu elements", what, (int)calls, p->n);
    gpu_array_free(p->here);
    gpu_array_free(p->there);
}

static void same_arrays(const char *what, gpu_array *here, gpu_array *there)
{
    size_t n = gpu_length(there), read = 0;
    gpu_type type = gpu_type_of(there);
    void *a = test_alloc(n, type->size), *b = test_alloc(n, type->size);
    test_ok(gpu_array_status(there));
    test_ok(gpu_read_n(here, a, n, &read));
    cr_assert_eq(read, n, "%s: %zu elements on the host, %zu on the device", what, read, n);
    test_ok(gpu_read(there, b));
    same_bits(what, type, n, a, b);
    free(a);
    free(b);
    gpu_array_free(here);
    gpu_array_free(there);
}

/* Few enough that all of them can be tried with every kernel. */
static const size_t sizes[] = {0,  1,  2,  3,   4,   5,   7,   8,   9,   15,  16,  17,  31,  32,  33,  63,
                               64, 65, 95, 127, 128, 129, 200, 255, 256, 257, 300, 511, 512, 513, 600, 601};

/* ---- operators ---- */

static void check_operator(sides s, const gpu_operator *op, gpu_type type, const void *data, size_t n)
{
    const char *what = op->snippet ? op->snippet : "a function";
    unsigned char here[64] = {0}, there[64] = {0}, start[64] = {0};
    const gpu_value begin = {start, type, type->size};
    memcpy(start, data, type->size);
    pair p = make_pair(s, type, data, n);
    gpu_status status = gpu_reduce_op(p.there, op, &(gpu_output){there, type, type->size});
    test_fails(status, gpu_reduce_op(p.here, op, &(gpu_output){here, type, type->size}));
    same_bits(what, type, 1, here, there);
    test_ok(gpu_fold_op(p.there, &begin, op, &(gpu_output){there, type, type->size}));
    test_ok(gpu_fold_op(p.here, &begin, op, &(gpu_output){here, type, type->size}));
    same_bits(what, type, 1, here, there);
    same_arrays(what, gpu_scan_op(p.here, op), gpu_scan_op(p.there, op));
    same_arrays(what, gpu_scan_exclusive_op(p.here, &begin, op), gpu_scan_exclusive_op(p.there, &begin, op));
    end_pair(&p, what);
}

static void check_sizes(sides s, const gpu_operator *op, gpu_type type)
{
    unsigned char *data = test_alloc(MOST + 1, type->size);
    fill(type, data, MOST + 1, 7);
    for (size_t k = 0; k < COUNT_OF(sizes); k++) check_operator(s, op, type, data, sizes[k]);
    free(data);
}

/* Those whose bits are the same on every device. */
static bool is_exact(test_operator op, gpu_type type)
{
    return type->kind != GPU_KIND_FLOATING || op == TEST_ADD || op == TEST_MULTIPLY;
}

Test(small, recognised_operators)
{
    test_whole_tiles();
    sides s = open_sides();
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        for (int op = TEST_ADD; op <= TEST_XOR; op++) {
            const char *text = test_snippet((test_operator)op, test_scalars[t]);
            bool wanted = test_full() || (t + (size_t)op) % 12 == 0;
            if (!text || !is_exact((test_operator)op, test_scalars[t]) || !wanted) continue;
            check_sizes(s, &(gpu_operator){.snippet = text}, test_scalars[t]);
        }
    }
    check_sizes(s, &(gpu_operator){.snippet = "a + b"}, GPU_FLOAT);
    close_sides(s);
}

GPU_FUNCTION(float, add, (float a, float b), { return a + b; });
GPU_FUNCTION(float, polar, (float a, float b), { return a * b + (a > b ? 0.5f : 0.25f) * a; });
GPU_FUNCTION(uint32_t, mixed, (uint32_t a, uint32_t b), { return a ^ b ^ 5; });
GPU_FUNCTION(uint64_t, thrice, (uint64_t a, uint64_t b), { return 3 * a * b; });
GPU_STRUCT(matrix, int a; int b; int c; int d;);
GPU_FUNCTION(matrix, times, (matrix a, matrix b), {
    matrix r = {a.a * b.a + a.b * b.c, a.a * b.b + a.b * b.d, a.c * b.a + a.d * b.c, a.c * b.b + a.d * b.d};
    return r;
});

/* Those of floating numbers need not even be associative: the order is the same. */
static void check_functions(sides s)
{
    check_sizes(s, &(gpu_operator){.function = __extension__(const void *) polar}, GPU_FLOAT);
    check_sizes(s, &(gpu_operator){.function = __extension__(const void *) mixed}, GPU_UINT);
    if (!test_full()) return;
    check_sizes(s, &(gpu_operator){.function = __extension__(const void *) add}, GPU_FLOAT);
    check_sizes(s, &(gpu_operator){.function = __extension__(const void *) thrice}, GPU_ULONG);
}

Test(small, functions_give_the_same_on_both_sides)
{
    test_whole_tiles();
    sides s = open_sides();
    const gpu_capture *const marks[] = {GPU_COMMUTATIVE, NULL};
    check_functions(s);
    check_sizes(s, &(gpu_operator){.function = __extension__(const void *) add, .captures = marks}, GPU_FLOAT);
    matrix data[MOST + 1];
    for (int k = 0; k <= MOST; k++) data[k] = (matrix){k % 3 - 1, k % 5, 1 - k % 2, k % 7 - 3};
    /* libffi calls it, which takes eight times as long. */
    for (size_t k = 0; k < COUNT_OF(sizes) && sizes[k] <= MOST / 8; k++)
        check_operator(s, &(gpu_operator){.function = __extension__(const void *) times}, GPU_TYPE(matrix), data,
                       sizes[k]);
    close_sides(s);
}

/* ---- expressions ---- */

static const struct {
    const char *text;
    bool of_integers; /* alone */
    gpu_type result;  /* NULL: that of the elements */
} expressions[] = {{"x * 2 + 1 - y", false, NULL},
                   {"x < 3 ? -x : y", false, NULL},
                   {"!x + (x && y) * 3 - (x != y) + (x >= 1u)", false, NULL},
                   {"1.0f / x - 0.5f * y", false, GPU_FLOAT},
                   {"(float)x * 0.1f + 0x10", false, GPU_FLOAT},
                   {"(x - y) * 0.1 + 3L", false, GPU_DOUBLE},
                   {"x / 3 + x % 7 + i % 5", true, NULL},
                   {"(x << 3) ^ (y >> 2) & ~x", true, GPU_LONG},
                   {"(x << y) + (x >> y)", true, GPU_LONG},
                   {"(char)x * (ushort)y + (short)(x - y)", true, GPU_LONG}};

static bool divides(const char *text, gpu_type result)
{
    return result->kind == GPU_KIND_FLOATING && strchr(text, '/');
}

/* Texts that the host computes as expressions. */
Test(small, texts_give_the_same_on_both_sides)
{
    enum { LENGTH = 300 };
    sides s = open_sides();
    double data[LENGTH];
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        const gpu_type type = test_scalars[t];
        fill(type, data, LENGTH, 11);
        for (size_t k = 0; k < COUNT_OF(expressions); k++) {
            const char *text = expressions[k].text;
            const gpu_type result = expressions[k].result ? expressions[k].result : type;
            if (expressions[k].of_integers && type->kind == GPU_KIND_FLOATING) continue;
            if (!(test_full() || (t + k) % 10 == 0) || (result == GPU_DOUBLE && !test_has_double())) continue;
            if (divides(text, result) && !s.here->capabilities->exact_division) continue;
            pair p = make_pair(s, type, data, LENGTH);
            same_arrays(text, gpu_map2_to(p.here, gpu_reverse(p.here), result, text),
                        gpu_map2_to(p.there, gpu_reverse(p.there), result, text));
            end_pair(&p, text);
        }
    }
    close_sides(s);
}

static const char *const policies[] = {"cpu", "cpu,tiny", "gpu", "gpu,tiny", "gpu,tiny,sweeps"};

/* Floating sums of small arrays have the bits of a loop in C. */
static void check_loop(gpu *g, const float *data, size_t n)
{
    float sum = data[0], got;
    for (size_t k = 1; k < n; k++) sum += data[k];
    test_ok(gpu_sum(gpu_array_of(g, data, n), &got));
    same_bits("a loop", GPU_FLOAT, 1, &got, &sum);
}

/* All shapes that this device's driver can run. */
Test(small, every_policy)
{
    const char *was = getenv("FIREPILE_POLICY");
    size_t count = test_runs_gpu_shapes() ? COUNT_OF(policies) : 2;
    for (size_t k = 0; k < count && !was; k += test_full() ? 1 : 2) {
        setenv("FIREPILE_POLICY", policies[k], 1);
        sides s = open_sides();
        float data[MOST];
        fill(GPU_FLOAT, data, MOST, 3);
        const size_t most = strstr(policies[k], "tiny") ? 8 : MOST; /* policy.serial */
        for (size_t z = 0; z < COUNT_OF(sizes) && sizes[z] <= most; z++) {
            float here[8] = {0}, there[8] = {0};
            gpu_array *x = gpu_array_of(s.here, data, sizes[z]), *y = gpu_array_of(s.there, data, sizes[z]);
            if (sizes[z]) check_loop(s.there, data, sizes[z]);
            uint64_t kernels = test_stats(s.here).kernels_launched;
            test_ok(gpu_sum(x, &here[0]));
            test_ok(gpu_sum(y, &there[0]));
            test_fails(gpu_reduce(y, add, &there[1]), gpu_reduce(x, add, &here[1]));
            test_fails(gpu_reduce_all(y, "a + b", &there[2], add, &there[3], "a * b", &there[4]),
                       gpu_reduce_all(x, "a + b", &here[2], add, &here[3], "a * b", &here[4]));
            same_bits(policies[k], GPU_FLOAT, 8, here, there);
            cr_assert_eq(test_stats(s.here).kernels_launched, kernels);
            same_arrays(policies[k], gpu_scan(x, "a + b"), gpu_scan(y, "a + b"));
            same_arrays(policies[k], gpu_scan_exclusive(x, &(float){0.3f}, add),
                        gpu_scan_exclusive(y, &(float){0.3f}, add));
        }
        close_sides(s);
    }
}

/* ---- other operations ---- */

GPU_FUNCTION(float, scaled, (float x, float k), { return x * k - 1; });
GPU_FUNCTION(int, rounded, (float x), { return x > 1000 ? 1000 : x < -1000 ? -1000 : (int)x; });
GPU_FUNCTION(bool, positive, (float x), { return x > 0; });
GPU_FUNCTION(bool, is_even, (int x), { return (x & 1) == 0; });

static void check_others(sides s, const float *data, size_t n)
{
    float k = 3.7f, value = n > 3 ? data[3] : 0;
    pair p = make_pair(s, GPU_FLOAT, data, n);
    gpu_array *a = p.here, *b = p.there, *yes[2], *no[2], *prefix[2], *rest[2];
    same_arrays("map", gpu_map(a, scaled, GPU_ARG(k)), gpu_map(b, scaled, GPU_ARG(k)));
    same_arrays("map_to", gpu_map_to(a, GPU_INT, rounded), gpu_map_to(b, GPU_INT, rounded));
    same_arrays("map2", gpu_map2(a, gpu_reverse(a), add), gpu_map2(b, gpu_reverse(b), add));
    same_arrays("filter", gpu_filter(a, positive), gpu_filter(b, positive));
    same_arrays("filter and map", gpu_map_to(gpu_filter(a, positive), GPU_INT, rounded),
                gpu_map_to(gpu_filter(b, positive), GPU_INT, rounded));
    same_arrays("find", gpu_find(a, &value), gpu_find(b, &value));
    same_arrays("find_if", gpu_find_if(a, positive), gpu_find_if(b, positive));
    same_arrays("unique", gpu_unique(a), gpu_unique(b));
    same_arrays("concat", gpu_concat(a, gpu_map(a, scaled, GPU_ARG(k))), gpu_concat(b, gpu_map(b, scaled, GPU_ARG(k))));
    gpu_partition(a, positive, &yes[0], &no[0]);
    gpu_partition(b, positive, &yes[1], &no[1]);
    same_arrays("partition", yes[0], yes[1]);
    same_arrays("partition, the others", no[0], no[1]);
    gpu_span(a, positive, &prefix[0], &rest[0]);
    gpu_span(b, positive, &prefix[1], &rest[1]);
    same_arrays("span", prefix[0], prefix[1]);
    same_arrays("span, the rest", rest[0], rest[1]);
    size_t here[6] = {0}, there[6] = {0};
    int sums[2] = {0};
    test_ok(gpu_count(a, positive, &here[0]));
    test_ok(gpu_count(b, positive, &there[0]));
    test_ok(gpu_index_of(a, &value, &here[1]));
    test_ok(gpu_index_of(b, &value, &there[1]));
    test_ok(gpu_index_if(a, positive, &here[2]));
    test_ok(gpu_index_if(b, positive, &there[2]));
    if (n) test_ok(gpu_argmin(a, &here[3]));
    if (n) test_ok(gpu_argmin(b, &there[3]));
    if (n) test_ok(gpu_argmax(a, &here[4]));
    if (n) test_ok(gpu_argmax(b, &there[4]));
    same_bits("counts and indices", GPU_ULONG, 6, here, there);
    test_ok(gpu_sum(gpu_filter(gpu_map_to(a, GPU_INT, rounded), is_even), &sums[0]));
    test_ok(gpu_sum(gpu_filter(gpu_map_to(b, GPU_INT, rounded), is_even), &sums[1]));
    cr_assert_eq(sums[0], sums[1], "the sum of what a filter keeps");
    float least[4] = {0};
    test_fails(n ? GPU_OK : GPU_E_EMPTY, gpu_min(a, &least[0]));
    test_fails(n ? GPU_OK : GPU_E_EMPTY, gpu_min(b, &least[1]));
    test_fails(n ? GPU_OK : GPU_E_EMPTY, gpu_max(a, &least[2]));
    test_fails(n ? GPU_OK : GPU_E_EMPTY, gpu_max(b, &least[3]));
    same_bits("min", GPU_FLOAT, 1, &least[0], &least[1]);
    same_bits("max", GPU_FLOAT, 1, &least[2], &least[3]);
    end_pair(&p, "one of the others");
}

Test(small, other_operations)
{
    test_whole_tiles();
    sides s = open_sides();
    float data[MOST + 1];
    fill(GPU_FLOAT, data, MOST + 1, 11);
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        gpu_scope *here = gpu_scope_begin(s.here), *there = gpu_scope_begin(s.there);
        if (sizes[k] * 3 <= MOST) check_others(s, data, sizes[k]);
        gpu_scope_end(there);
        gpu_scope_end(here);
    }
    close_sides(s);
}

/* ---- which side ---- */

static uint64_t calls(gpu *g)
{
    return test_stats(g).driver_calls;
}

/* 0, 1, 2 ... */
static gpu_array *rising(gpu *g, size_t n)
{
    float data[200];
    for (size_t j = 0; j < n; j++) data[j] = (float)j;
    return gpu_array_of(g, data, n);
}

static uint64_t uploaded(const gpu *g)
{
    return test_stats(g).bytes_uploaded;
}

Test(small, what_the_host_computes_takes_no_opencl_call)
{
    test_whole_tiles();
    gpu *g = open_with("100");
    float sum = 0, k = 2, got[100];
    uint64_t before = calls(g);
    gpu_array *x = rising(g, 100);
    test_ok(gpu_sum(x, &sum));
    test_ok(gpu_read(x, got));
    test_ok(gpu_read(gpu_slice(gpu_map(x, scaled, GPU_ARG(k)), 10, 20), got));
    cr_assert_eq(calls(g), before);
    gpu_stats stats = test_stats(g);
    cr_assert(stats.bytes_uploaded <= 1 << 16 && stats.waits < 4, "something was transferred all the same");
    test_close(g);
}

Test(small, a_device_that_needs_the_elements_gets_them_once)
{
    test_whole_tiles();
    gpu *g = open_with("100");
    float sum = 0, got[100];
    gpu_array *x = rising(g, 100);
    uint64_t before = uploaded(g);
    test_ok(gpu_read(gpu_map(x, "fabs(x) + 1"), got));
    cr_assert_eq(got[99], 100);
    cr_assert_eq(uploaded(g) - before, 400, "the device got %d bytes", (int)(uploaded(g) - before));
    test_ok(gpu_sum(gpu_map(x, "fabs(x) + 2"), &sum));
    cr_assert_eq(uploaded(g) - before, 400, "the device got them twice");
    test_close(g);
}

Test(small, a_result_of_the_device_stays_there)
{
    test_whole_tiles();
    gpu *g = open_with("100");
    float sum = 0, got[100];
    gpu_array *y = gpu_map(rising(g, 100), "fabs(x) + 1");
    test_ok(gpu_read(y, got));
    uint64_t kernels = test_stats(g).kernels_launched;
    test_ok(gpu_sum(y, &sum));
    cr_assert_eq(test_stats(g).kernels_launched, kernels + 1);
    cr_assert_eq(sum, 5050);
    test_close(g);
}

Test(small, one_element_more_than_the_limit_goes_to_the_device)
{
    test_whole_tiles();
    gpu *g = open_with("100");
    float sum = 0;
    uint64_t before = uploaded(g);
    test_ok(gpu_sum(rising(g, 101), &sum));
    cr_assert_eq(uploaded(g) - before, 404);
    cr_assert_eq(sum, 5050);
    test_close(g);
}

Test(small, one_map_of_two_sides)
{
    gpu *g = open_with("100");
    int small[50], sum = 0;
    for (int k = 0; k < 50; k++) small[k] = k;
    gpu_array *a = gpu_map(gpu_array_of(g, small, 50), is_even), *b = gpu_eval(gpu_map(gpu_range(g, GPU_INT, 50), "x"));
    test_ok(gpu_sum(gpu_map2(a, b, "x * y"), &sum));
    cr_assert_eq(sum, 24 * 25);
    /* What is captured goes to the device, also where it is the result of a run on the host. */
    gpu_array *table = gpu_scan(gpu_array_of(g, small, 50), "a + b");
    test_ok(gpu_sum(gpu_map(gpu_range(g, GPU_INT, 1000), "table[i % 50]", GPU_ARG(table)), &sum));
    cr_assert_eq(sum, 20 * 20825);
    int into[200] = {0}, got[200];
    gpu_array *scattered = gpu_scatter(gpu_array_of(g, into, 60), gpu_array_of(g, small, 50), table);
    test_ok(gpu_read(scattered, got));
    cr_assert(got[49] == 49 * 25 && got[50] == 0);
    test_ok(gpu_sum(scattered, &sum));
    cr_assert_eq(sum, 20825);
    test_ok(gpu_read(gpu_sort(gpu_reverse(table)), got));
    cr_assert(got[0] == 0 && got[49] == 49 * 25);
    test_close(g);
}

/* The library's words for which side ran. */
Test(small, trace_says_which_side_ran)
{
    char folder[TEST_PATH], path[TEST_PATH + 8], text[4096] = "";
    test_folder_make(folder);
    snprintf(path, sizeof path, "%s/trace", folder);
    setenv("FIREPILE_TRACE", path, 1);
    gpu *g = open_with("100");
    float data[3] = {1, 2, 3}, sum;
    test_ok(gpu_sum(gpu_array_of(g, data, 3), &sum));
    test_close(g);
    unsetenv("FIREPILE_TRACE");
    FILE *file = fopen(path, "r");
    cr_assert(file);
    cr_assert(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    const char *line = strstr(text, "gpu_sum: ");
    cr_assert(line, "%s", text);
    test_has(line, "kernels 0");
    test_has(line, "on the host: runs 1 of at most 100 elements");
    test_has(line, "up 0 B, down 0 B");
    test_folder_remove(folder);
}

Test(small, threshold_that_is_no_number_is_refused)
{
    test_whole_tiles();
    static const char *const wrong[] = {"many", "-1", "12x", " 3", "99999999999999999999", "1048577"};
    for (size_t k = 0; k < COUNT_OF(wrong); k++) {
        setenv("FIREPILE_SMALL", wrong[k], 1);
        cr_assert_null(gpu_open(NULL), "%s", wrong[k]);
        test_has(gpu_error(), "FIREPILE_SMALL=");
        test_has(gpu_error(), wrong[k]);
    }
}

Test(small, threshold_is_at_least_64_unless_it_is_set)
{
    test_whole_tiles();
    setenv("FIREPILE_SMALL", "", 1);
    gpu *g = gpu_open(NULL);
    float data[64] = {1}, sum;
    uint64_t before = calls(g);
    test_ok(gpu_sum(gpu_array_of(g, data, 64), &sum));
    cr_assert_eq(calls(g), before, "unset, the threshold is less than 64");
    test_close(g);
}

Test(small, threshold_of_0_leaves_all_to_the_device)
{
    test_whole_tiles();
    gpu *g = open_with("0");
    float data[64] = {1}, sum;
    const uint64_t before = calls(g);
    test_ok(gpu_sum(gpu_array_of(g, data, 64), &sum));
    cr_assert_gt(calls(g), before);
    test_close(g);
}

/* ---- what is not known to have the same bits ---- */

GPU_CONSTANT(HALF, 0.5f);
GPU_FUNCTION(float, square, (float x), { return x * x; });
GPU_FUNCTION(float, by_others, (float x), {
    float total = HALF;
    for (int k = 0; k < 3; k++) total += square(x) * 0x1.8p1f; /* 2.5 */
    return total > 2e3f ? -total : total;
});
GPU_FUNCTION(double, doubled, (float x), { return 0.5 * x; });
GPU_FUNCTION(float, halved, (float x), { return x / 2; });
GPU_FUNCTION(uint32_t, shifted, (uint32_t x), { return x >> 7 ^ x << 3; });
GPU_FUNCTION(float, root, (float x), { return (float)sqrt(x < 0 ? -x : x); });
GPU_FUNCTION(float, by_root, (float x), { return root(x) + 1; });
GPU_FUNCTION(int, divided, (int x), { return x / 3; });
GPU_FUNCTION(int, remainder_of, (int x), { return x % 3; });
GPU_FUNCTION(uint32_t, shifted_far, (uint32_t x, uint32_t k), { return x << k; });
GPU_FUNCTION(uint32_t, shifted_by, (uint32_t x), {
    x >>= 3;
    return x;
});

/* Is the map computed on the host? */
static bool is_on_host(gpu *g, gpu_array *y)
{
    uint64_t before = calls(g);
    test_ok(gpu_array_status(gpu_eval(y)));
    return calls(g) == before;
}

/* Calls are counted when an array is evaluated. */
static gpu *open_delaying(void)
{
    setenv("FIREPILE_EAGER", "0", 1);
    return open_with("100");
}

static const float ten_floats[10] = {1, 2, 3};
static const int ten_ints[10] = {5, 6, 7};
static const uint32_t ten_words[10] = {5, 6, 7};

Test(small, functions_that_are_exact_run_on_the_host)
{
    gpu *g = open_delaying();
    gpu_array *x = gpu_array_of(g, ten_floats, 10), *u = gpu_array_of(g, ten_words, 10);
    cr_assert_eq(is_on_host(g, gpu_map(x, by_others)), !g->capabilities->reorders_loops);
    if (test_has_double()) cr_assert(is_on_host(g, gpu_map_to(x, GPU_DOUBLE, doubled)));
    cr_assert(is_on_host(g, gpu_map(u, shifted)));
    cr_assert(is_on_host(g, gpu_map_to(x, GPU_INT, positive)));
    test_close(g);
}

/* Where the device divides as IEEE says, the host may. */
Test(small, floats_are_halved_wherever_that_is_done)
{
    gpu *g = open_delaying();
    float got[10];
    gpu_array *quotient = gpu_map(gpu_array_of(g, ten_floats, 10), halved);
    (void)is_on_host(g, quotient);
    test_ok(gpu_read(quotient, got));
    cr_assert(got[0] == 0.5f && got[2] == 1.5f);
    test_close(g);
}

Test(small, functions_that_may_divide_by_zero_or_shift_too_far_run_on_the_device)
{
    gpu *g = open_delaying();
    uint32_t k = 3;
    gpu_array *i = gpu_array_of(g, ten_ints, 10), *u = gpu_array_of(g, ten_words, 10);
    cr_assert(!is_on_host(g, gpu_map(i, divided)), "a division by zero would end the program");
    cr_assert(!is_on_host(g, gpu_map(i, remainder_of)), "a division by zero would end the program");
    cr_assert(!is_on_host(g, gpu_map(u, shifted_far, GPU_ARG(k))));
    cr_assert(!is_on_host(g, gpu_map(u, shifted_by)));
    test_close(g);
}

Test(small, texts_that_are_exact_run_on_the_host)
{
    gpu *g = open_delaying();
    gpu_array *x = gpu_array_of(g, ten_floats, 10), *i = gpu_array_of(g, ten_ints, 10);
    cr_assert(is_on_host(g, gpu_map_to(i, GPU_FLOAT, "x")));
    cr_assert(is_on_host(g, gpu_map2(x, x, "x + y")));
    cr_assert(is_on_host(g, gpu_map(x, "x * 2 + 1")));
    cr_assert(is_on_host(g, gpu_map(i, "x / 3")));
    test_close(g);
}

Test(small, texts_that_opencl_leaves_open_run_on_the_device)
{
    gpu *g = open_delaying();
    gpu_array *x = gpu_array_of(g, ten_floats, 10), *i = gpu_array_of(g, ten_ints, 10);
    cr_assert(!is_on_host(g, gpu_map(x, "fabs(x)")), "an unknown text was run on the host");
    cr_assert(!is_on_host(g, gpu_map_to(x, GPU_INT, "x")), "what becomes of 1e30f is left open");
    cr_assert(!is_on_host(g, gpu_map_to(x, GPU_INT, "(int)x")), "what becomes of 1e30f is left open");
    cr_assert(!is_on_host(g, gpu_map2(x, x, "fmax(x, y)")), "which zero fmax gives is left open");
    cr_assert(!is_on_host(g, gpu_map2(i, i, "x / y")), "what becomes of a division by zero is left open");
    float sum;
    uint64_t before = calls(g);
    test_ok(gpu_reduce(x, "fmin(a, b)", &sum));
    cr_assert_gt(calls(g), before, "which zero fmin gives is left open");
    test_close(g);
}

Test(small, a_search_runs_on_the_host_if_both_arrays_are_there)
{
    gpu *g = open_delaying();
    uint64_t found[10];
    gpu_array *i = gpu_array_of(g, ten_ints, 10);
    gpu_array *sorted = gpu_eval(gpu_sort(i)), *bounds = gpu_lower_bound(sorted, i);
    cr_assert(!is_on_host(g, gpu_gather(gpu_array_of(g, ten_floats, 10), i)));
    cr_assert(!is_on_host(g, bounds));
    test_ok(gpu_read(bounds, found));
    cr_assert(found[0] == 7 && found[2] == 9 && found[3] == 0);
    cr_assert(is_on_host(g, gpu_lower_bound(gpu_array_of(g, ten_ints, 10), i)));
    test_close(g);
}

Test(small, math_functions_are_the_devices)
{
    setenv("FIREPILE_EAGER", "0", 1);
    gpu *g = open_with("100");
    float data[10] = {1, 4, 9};
    gpu_array *x = gpu_array_of(g, data, 10);
    cr_assert(!is_on_host(g, gpu_map(x, root)));
    cr_assert(!is_on_host(g, gpu_map(x, by_root)));
    test_close(g);
}

/* ---- interop ---- */

Test(small, memory_that_the_user_was_given)
{
    gpu *g = open_with("100");
    int data[4] = {1, 2, 3, 4}, other[4] = {10, 20, 30, 40}, got[4], sum;
    gpu_array *x = gpu_array_of(g, data, 4), *doubled_sum = gpu_eval(gpu_scan(x, "a + b"));
    size_t first = 9;
    cl_mem mem = gpu_array_mem(x, &first);
    cr_assert(mem && first == 0, "%s", gpu_error());
    cr_assert_eq(clEnqueueWriteBuffer(gpu_queue(g), mem, CL_TRUE, 0, sizeof other, other, 0, NULL, NULL), CL_SUCCESS);
    test_ok(gpu_read(x, got));
    cr_assert_eq(got[3], 40, "the user's own kernels may write there");
    test_ok(gpu_sum(x, &sum));
    cr_assert_eq(sum, 100);
    test_ok(gpu_read(doubled_sum, got));
    cr_assert_eq(got[3], 10);
    test_close(g);
}

/* ---- faults ---- */

typedef struct outputs {
    float sum, least;
    float scan[20];
    int rounded[20];
    size_t count, where;
} outputs;

static gpu_status program(gpu *g, outputs *o)
{
    float data[20], k = 2;
    for (int j = 0; j < 20; j++) data[j] = (float)(j - 5);
    gpu_array *x = gpu_array_of(g, data, 20);
    gpu_status status = gpu_reduce(x, add, &o->sum);
    if (!status) status = gpu_min(gpu_map(x, scaled, GPU_ARG(k)), &o->least);
    if (!status) status = gpu_read(gpu_scan(x, "a + b"), o->scan);
    if (!status) status = gpu_read(gpu_map_to(x, GPU_INT, rounded), o->rounded);
    if (!status) status = gpu_read_n(gpu_map(gpu_filter(x, positive), "fabs(x)"), o->scan, 20, &o->count);
    if (!status) status = gpu_index_if(x, positive, &o->where);
    return status;
}

static void check_faults(unsigned long (*fail_at)(unsigned long k))
{
    outputs want = {0};
    gpu *g = open_with("100");
    test_ok(program(g, &want));
    cr_assert(want.sum == 90 && want.least == -11 && want.count == 14 && want.where == 6);
    unsigned long failures = 0;
    for (unsigned long k = 1; k < 200; k++) {
        outputs got = {0};
        gpu_scope *scope = gpu_scope_begin(g);
        fail_at(k);
        gpu_status status = program(g, &got);
        fail_at(0);
        gpu_scope_end(scope);
        cr_assert(status == GPU_OK || status == GPU_E_MEMORY || status == GPU_E_DRIVER, "%s", gpu_error());
        cr_assert(status || !memcmp(&got, &want, sizeof got), "fault %lu gave other results", k);
        failures += status != GPU_OK;
    }
    cr_assert(failures > 3, "%lu failures", failures);
    test_close(g);
}

Test(small, allocations_that_fail)
{
    check_faults(fp_memory_fail_at);
}

Test(small, calls_that_fail)
{
    check_faults(fp_cl_fail_at);
}

/* The device is still busy when the elements, which lie on the host, are read. */
Test(small, a_read_of_elements_on_the_host_waits_for_what_may_have_failed)
{
    const int data[] = {1, 2, 3, 4, 5, 6, 7, 8}, table[] = {5, 6, 7, 8};
    const unsigned wrong[] = {1, 99}, right[] = {1, 2};
    int out[8];
    gpu *g = open_with("600");
    gpu_array *x = gpu_array_of(g, data, 8), *t = gpu_array_of(g, table, 4);
    gpu_array *gathered = gpu_gather(t, gpu_array_of(g, wrong, 2));
    gpu_array *part = gpu_slice(gpu_take_while(x, "x < gathered[0] + gathered[1] * 0", GPU_ARG(gathered)), 0, 3);
    gpu_eval(gpu_map_to(gpu_range(g, GPU_UINT, test_limit(5000000)), GPU_FLOAT, "sin((float)x) * cos((float)x)"));
    test_fails(GPU_E_RANGE, gpu_read(part, out));
    test_fails(GPU_E_RANGE, gpu_read(gathered, out));
    test_array_ok(gpu_gather(t, gpu_array_of(g, right, 2)));
    test_close(g);
}
