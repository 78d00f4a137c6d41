/* The host device: every operation that it has, in a process that finds no OpenCL platform, against plain C. */
#include "support/host.h"
#include "support/line.h"
#include "support/reference.h"

#include "base/memory.h"

#include <firepile/interop.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(host, .init = test_host_begin, .fini = test_host_end, .timeout = 300);

/* ---- opening ---- */

Test(host, opens_without_a_platform)
{
    gpu_device_info info;
    if (gpu_devices(&info, 1)) cr_skip("this OpenCL loader does not look where OCL_ICD_VENDORS tells it to");
    cr_assert_null(gpu_open(NULL), "the host was picked silently");
    test_has(gpu_error(), "no OpenCL platform was found");
    test_has(gpu_error(), "\"host\" needs none");
    gpu *g = gpu_open("HOST");
    cr_assert(g, "%s", gpu_error());
    cr_assert_str_eq(gpu_device_name(g), "host");
    test_ok(gpu_finish(g));
    test_close(g);
    setenv("FIREPILE_DEVICE", "host", 1);
    g = gpu_open(NULL);
    cr_assert(g, "%s", gpu_error());
    float sum = 0, data[] = {1, 2, 3};
    test_ok(gpu_sum(gpu_array_of(g, data, 3), &sum));
    cr_assert_eq(sum, 6);
    cr_assert_eq(test_stats(g).driver_calls, 0);
    cr_assert_eq(test_stats(g).kernels_launched, 0);
    test_close(g);
}

Test(host, has_no_opencl_objects)
{
    gpu *g = test_open_host();
    size_t first = 17;
    gpu_array *x = gpu_range(g, GPU_INT, 10);
    cr_assert_null(gpu_queue(g));
    cr_assert_null(gpu_array_mem(x, &first));
    test_has(gpu_error(), "the host device has no cl_mem");
    cr_assert_eq(first, 17);
    test_array_fails(GPU_E_DEVICE, gpu_array_wrap(g, GPU_INT, (cl_mem)&first, 1));
    int got[10];
    test_ok(gpu_read(x, got));
    test_close(g);
}

/* ---- DESIGN's programs ---- */

GPU_FUNCTION(float, times23, (float x), { return x * 23; });

Test(host, sum_and_scaled_sum)
{
    gpu *g = test_open_host();
    float data[] = {1, 2, 3, 4, 5}, sum, scaled = -1;
    gpu_array *x = gpu_array_of(g, data, 5);
    test_ok(gpu_reduce(x, "a + b", &sum));
    cr_assert_eq(sum, 15);

    gpu_array *y = gpu_map(x, "rint(x) * 23");
    test_fails(GPU_E_SNIPPET, gpu_reduce(y, "a + b", &scaled));
    test_has(gpu_error(), "the operator \"rint(x) * 23\" does not run on the host");
    if (!test_eager()) test_has(gpu_error(), "in gpu_map: ");
    test_has(gpu_error(), "GPU_FUNCTION");
    test_has(gpu_error(), "test_host.c");
    cr_assert_eq(scaled, -1);
    cr_assert_eq(gpu_array_status(y), GPU_E_SNIPPET);
    test_ok(gpu_reduce(gpu_map(x, times23), "a + b", &scaled));
    cr_assert_eq(scaled, 345);
    test_close(g);
}

GPU_STRUCT(particle, float x; float y; float mass;);
GPU_FUNCTION(float, energy, (particle p), { return 0.5f * p.mass * (p.x * p.x + p.y * p.y); });
GPU_FUNCTION(float, add, (float a, float b), { return a + b; });

Test(host, one_definition_for_both_sides)
{
    gpu *g = test_open_host();
    enum { n = 500 };
    particle cloud[n];
    float want = 0, total;
    for (int i = 0; i < n; i++) {
        cloud[i] = (particle){(float)(i % 4), (float)(i % 3), (float)(i % 5)};
        want = add(want, energy(cloud[i])); /* exact in float */
    }
    gpu_array *ps = gpu_array_from(g, GPU_TYPE(particle), cloud, n);
    test_ok(gpu_reduce(gpu_map_to(ps, GPU_FLOAT, energy), add, &total));
    cr_assert_eq(total, want, "%g, wanted %g", (double)total, (double)want);
    test_close(g);
}

/* ---- operations and sizes ---- */

/* The expected results of one operator, in order. */
static void scan_reference(test_operator op, gpu_type type, const void *in, size_t n, void *out)
{
    for (size_t i = 0; i < n; i++) {
        test_number v = test_get(type, in, i);
        test_put(type, out, i, i ? test_apply(op, type, test_get(type, out, i - 1), v) : v);
    }
}

static void check_operator(gpu *g, test_operator op, gpu_type type, size_t n)
{
    const char *text = test_snippet(op, type);
    if (!text) return;
    unsigned char *data = test_alloc(n, type->size), *want = test_alloc(n, type->size);
    test_operand_fill(op, type, data, n);
    scan_reference(op, type, data, n, want);
    const gpu_operator operator= {.snippet = text};
    gpu_array *x = gpu_array_from(g, type, data, n);
    gpu_array *sums = gpu_scan_op(x, &operator);
    test_holds(text, sums, type, n, want);
    unsigned char got[8] = {0};
    gpu_status status = gpu_reduce_op(x, &operator, &(gpu_output){got, type, type->size});
    if (n) test_ok(status);
    if (n) test_same(text, type, 1, got, want + (n - 1) * type->size);
    gpu_array_free(sums);
    gpu_array_free(x);
    free(data);
    free(want);
}

Test(host, recognised_operators)
{
    gpu *g = test_open_host();
    for (size_t t = 0; t < TEST_SCALARS; t++)
        for (int op = 0; op < TEST_OPERATORS; op++)
            for (size_t s = 0; s < test_host_sizes(); s += 1 + (s > 3) * 4)
                check_operator(g, (test_operator)op, test_scalars[t], test_sizes[s]);
    test_close(g);
}

GPU_FUNCTION(int, twice_plus, (int x, int k, uint64_t i), { return 2 * x + k + (int)i; });
GPU_FUNCTION(int, mix, (int x, int y, int z), { return x - 3 * y + z; });
GPU_FUNCTION(int, less_of, (int x, int y), { return x < y ? x : y; });
GPU_FUNCTION(bool, is_odd, (int x), { return (x & 1) != 0; });
GPU_FUNCTION(int, is_late, (int x, uint64_t i), { return x > 0 && i > 40; });
GPU_FUNCTION(int, halved, (int x), { return x / 2; });

/* Ints, and room for what is expected of them. */
typedef struct sample {
    gpu *g;
    size_t n;
    int *data, *want;
    gpu_array *x, *i;
} sample;

static sample sample_of(gpu *g, size_t n)
{
    sample s = {.g = g, .n = n, .data = test_alloc(n, sizeof(int)), .want = test_alloc(n + 1, sizeof(int))};
    for (size_t j = 0; j < n; j++) s.data[j] = (int)((unsigned)j * 2654435761u >> 7) % 1000 - 300;
    s.x = gpu_array_of(g, s.data, n);
    s.i = gpu_range(g, GPU_INT, n);
    return s;
}

static void sample_free(sample *s)
{
    free(s->data);
    free(s->want);
}

static void check_maps(sample *s)
{
    int k = 7;
    for (size_t j = 0; j < s->n; j++) s->want[j] = twice_plus(s->data[j], k, j);
    gpu_array *y = gpu_map(s->x, twice_plus, GPU_ARG(k));
    k = 0;
    test_holds("a captured value and the index", y, GPU_INT, s->n, s->want);
    for (size_t j = 0; j < s->n; j++) s->want[j] = less_of(s->data[j], (int)j);
    test_holds("map2", gpu_map2(s->x, s->i, less_of), GPU_INT, s->n, s->want);
    for (size_t j = 0; j < s->n; j++) s->want[j] = mix(s->data[j], (int)j, 5);
    test_holds("map3", gpu_map3(s->x, s->i, gpu_fill(s->g, GPU_INT, &(int){5}, s->n), mix), GPU_INT, s->n, s->want);
    for (size_t j = 0; j < s->n; j++) s->want[j] = mix(s->data[j], s->data[s->n - 1 - j], s->data[j]);
    test_holds("reverse", gpu_map3(s->x, gpu_reverse(s->x), s->x, mix), GPU_INT, s->n, s->want);
    if (s->n < 3) return;
    for (size_t j = 0; j < s->n - 2; j++) s->want[j] = mix(s->data[j], halved(s->data[j + 1]), halved(s->data[j + 2]));
    gpu_array *h = gpu_map(s->x, halved);
    gpu_array *stencil =
        gpu_map3(gpu_slice(s->x, 0, s->n - 2), gpu_slice(h, 1, s->n - 2), gpu_slice(h, 2, s->n - 2), mix);
    test_holds("slices", stencil, GPU_INT, s->n - 2, s->want);
}

static void check_moves(sample *s)
{
    size_t n = s->n;
    int *twice = test_alloc(2 * n, sizeof *twice);
    for (size_t j = 0; j < n; j++) twice[j] = twice[2 * n - 1 - j] = halved(s->data[j]);
    gpu_array *h = gpu_map(s->x, halved), *there_and_back = gpu_concat(h, gpu_reverse(h));
    test_holds("concat", there_and_back, GPU_INT, 2 * n, twice);
    for (size_t j = 0; j < n; j++) s->want[j] = s->data[n - 1 - j];
    test_holds("gather", gpu_gather(s->x, gpu_reverse(s->i)), GPU_INT, n, s->want);
    free(twice);
}

static void check_selections(sample *s)
{
    size_t odd = 0, even = 0, late = 0, runs = 0;
    int *others = test_alloc(s->n, sizeof *others);
    uint64_t *places = test_alloc(s->n, sizeof *places);
    for (size_t j = 0; j < s->n; j++) {
        if (is_odd(s->data[j])) s->want[odd++] = s->data[j];
        if (!is_odd(s->data[j])) others[even++] = s->data[j];
        if (is_late(s->data[j], j)) places[late++] = j;
    }
    gpu_array *yes, *no, *kept = gpu_filter(s->x, is_odd);
    gpu_partition(s->x, is_odd, &yes, &no);
    test_holds("filter", gpu_map2(kept, kept, less_of), GPU_INT, odd, s->want);
    test_holds("partition", yes, GPU_INT, odd, s->want);
    test_holds("partition, the others", no, GPU_INT, even, others);
    test_holds("find_if", gpu_find_if(s->x, is_late), GPU_ULONG, late, places);
    size_t count = s->n + 1, first = 0, value = 0;
    bool any = false, all = false;
    test_ok(gpu_count(s->x, is_odd, &count));
    test_ok(gpu_any(s->x, is_odd, &any));
    test_ok(gpu_all(s->x, is_odd, &all));
    test_ok(gpu_index_if(s->x, is_late, &first));
    test_ok(gpu_index_of(s->i, &(int){300}, &value));
    cr_assert(count == odd && any == (odd > 0) && all == !even);
    cr_assert(first == (late ? places[0] : GPU_NOT_FOUND) && value == (s->n > 300 ? 300 : GPU_NOT_FOUND));
    uint64_t *found = value == GPU_NOT_FOUND ? NULL : &(uint64_t){value};
    test_holds("find", gpu_find(s->i, &(int){300}), GPU_ULONG, found ? 1 : 0, found ? found : places);
    size_t prefix = 0;
    while (prefix < s->n && is_odd(s->data[prefix])) prefix++;
    test_holds("take_while", gpu_take_while(s->x, is_odd), GPU_INT, prefix, s->data);
    test_holds("drop_while", gpu_drop_while(s->x, is_odd), GPU_INT, s->n - prefix, s->data + prefix);
    for (size_t j = 0; j < s->n; j++)
        if (!j || halved((int)j) != halved((int)j - 1)) s->want[runs++] = halved((int)j);
    test_holds("unique", gpu_unique(gpu_map(s->i, halved)), GPU_INT, runs, s->want);
    free(others);
    free(places);
}

static void check_order(sample *s)
{
    line *want = test_alloc(s->n + 1, sizeof *want), got = {0, 0}, start = {3, 4};
    gpu_array *lines = gpu_map_to(s->x, GPU_TYPE(line), line_of);
    want[0] = start;
    for (size_t j = 0; j < s->n; j++) want[j + 1] = then(want[j], line_of(s->data[j]));
    test_holds("scan_exclusive", gpu_scan_exclusive(lines, &start, then), GPU_TYPE(line), s->n, want);
    test_ok(gpu_fold(lines, &start, then, &got));
    test_same("fold", GPU_TYPE(line), 1, &got, &want[s->n]);
    for (size_t j = 0; j < s->n; j++) want[j] = j ? then(want[j - 1], line_of(s->data[j])) : line_of(s->data[0]);
    test_holds("scan", gpu_scan(lines, then), GPU_TYPE(line), s->n, want);
    if (s->n) test_ok(gpu_reduce(lines, then, &got));
    if (s->n) test_holds("reduced", gpu_reduced(lines, then), GPU_TYPE(line), 1, &want[s->n - 1]);
    if (s->n) test_same("reduce", GPU_TYPE(line), 1, &got, &want[s->n - 1]);
    if (!s->n) test_fails(GPU_E_EMPTY, gpu_reduce(lines, then, &got));
    if (!s->n) test_array_fails(GPU_E_EMPTY, gpu_reduced(lines, then));
    free(want);
}

Test(host, functions_in_every_operation)
{
    gpu *g = test_open_host();
    for (size_t k = 0; k < test_host_sizes(); k++) {
        gpu_scope *scope = gpu_scope_begin(g);
        sample s = sample_of(g, test_sizes[k]);
        check_maps(&s);
        check_moves(&s);
        check_selections(&s);
        check_order(&s);
        sample_free(&s);
        gpu_scope_end(scope);
    }
    test_close(g);
}

static int compare_ints(const void *p, const void *q)
{
    int a = *(const int *)p, b = *(const int *)q;
    return (a > b) - (a < b);
}

Test(host, named_reductions_equal_plain_c)
{
    gpu *g = test_open_host();
    for (size_t k = 1; k < test_host_sizes(); k++) {
        sample s = sample_of(g, test_sizes[k]);
        int sum = 0, total = 1, least = 0, most = 0, low = 0, high = 0;
        size_t where = 0, lowest = 0;
        for (size_t j = 0; j < s.n; j++) {
            total = j ? total + s.data[j] : s.data[j];
            if (s.data[j] < s.data[lowest]) lowest = j;
        }
        memcpy(s.want, s.data, s.n * sizeof(int));
        qsort(s.want, s.n, sizeof(int), compare_ints);
        test_ok(gpu_sum(s.x, &sum));
        test_ok(gpu_min(s.x, &least));
        test_ok(gpu_max(s.x, &most));
        test_ok(gpu_argmin(s.x, &where));
        test_ok(gpu_reduce_all(s.x, "min(a, b)", &low, "max(a, b)", &high));
        cr_assert(sum == total && least == s.want[0] && most == s.want[s.n - 1] && where == lowest, "n = %zu", s.n);
        cr_assert(low == least && high == most);
        test_ok(gpu_argmax(s.x, &where));
        cr_assert(s.data[where] == most);
        sample_free(&s);
    }
    test_close(g);
}

Test(host, a_nan_is_the_least_element_and_fmin_ignores_it)
{
    gpu *g = test_open_host();
    float data[] = {3, NAN, -1, NAN}, least, smallest;
    gpu_float2 pairs[] = {{1, 8}, {NAN, 2}, {-3, 4}}, low;
    size_t where;
    gpu_array *x = gpu_array_of(g, data, 4);
    test_ok(gpu_min(x, &least));
    test_ok(gpu_reduce(x, "fmin(a, b)", &smallest));
    test_ok(gpu_argmin(x, &where));
    test_ok(gpu_min(gpu_array_of(g, pairs, 3), &low));
    cr_assert(isnan(least) && smallest == -1 && where == 1 && isnan(low.x) && low.y == 2);
    test_close(g);
}

/* ---- order, fusing ---- */

/* Runs of 1024 from left to right, then as a tree: as lib/host/reduce.c says. */
static float tree_sum(const float *x, size_t n)
{
    enum { RUN = 1024 };
    if (n <= RUN) {
        float sum = x[0];
        for (size_t k = 1; k < n; k++) sum += x[k];
        return sum;
    }
    size_t left = RUN;
    while (2 * left < n) left *= 2;
    return tree_sum(x, left) + tree_sum(x + left, n - left);
}

GPU_FUNCTION(bool, is_kept, (float x), { return x < 0.7f; });

Test(host, floating_sums_have_a_fixed_order)
{
    enum { N = 70001 };
    gpu *g = test_open_host();
    static float data[N], kept[N];
    uint64_t seed = 5;
    size_t few = 0;
    for (size_t k = 0; k < N; k++) {
        data[k] = (float)(test_random(&seed) >> 40) / (1 << 24);
        if (is_kept(data[k])) kept[few++] = data[k];
    }
    gpu_array *x = gpu_array_of(g, data, N);
    static const size_t sizes[] = {1, 255, 1023, 1024, 1025, 2048, 2049, 65536, 65537, N};
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        float sum, want = tree_sum(data, sizes[k]);
        test_ok(gpu_sum(gpu_slice(x, 0, sizes[k]), &sum));
        cr_assert_eq(sum, want, "n = %zu: %.9g, wanted %.9g", sizes[k], (double)sum, (double)want);
    }
    float delayed, eager, want = tree_sum(kept, few);
    test_ok(gpu_sum(gpu_filter(x, is_kept), &delayed));
    test_ok(gpu_sum(gpu_eval(gpu_filter(x, is_kept)), &eager));
    cr_assert(delayed == want && eager == want, "%.9g, %.9g, wanted %.9g", (double)delayed, (double)eager,
              (double)want);
    test_close(g);
}

static int calls;

GPU_FUNCTION(int, plain, (int x), { return x + 1; });
GPU_FUNCTION(int, counted, (int x), { return calls++, x + 1; });

Test(host, fused_into_the_first_consumer_and_a_buffer_at_the_second)
{
    enum { N = 1000 };
    gpu *g = test_open_host();
    gpu_array *y = gpu_map(gpu_range(g, GPU_INT, N), counted);
    int sum;
    test_ok(gpu_sum(gpu_map2(y, y, less_of), &sum));
    cr_assert_eq(calls, N, "%d calls", calls);
    for (int k = 0; k < 3; k++) test_ok(gpu_sum(y, &sum));
    cr_assert_leq(calls, 2 * N, "%d calls", calls);
    cr_assert_eq(sum, N * (N + 1) / 2);
    test_close(g);
}

/* Doubled 40 times over by slices, reversals and joins, which describe and share. */
Test(host, wide_expressions_are_computed_in_parts)
{
    gpu *g = test_open_host();
    int data[8], got[8];
    for (int k = 0; k < 8; k++) data[k] = k;
    gpu_array *x = gpu_array_of(g, data, 8);
    for (int k = 0; k < 40; k++) x = gpu_slice(gpu_concat(gpu_reverse(x), x), 4, 8);
    test_ok(gpu_read(x, got));
    for (int k = 0; k < 40; k++) {
        int both[16];
        for (int j = 0; j < 8; j++) both[j] = data[7 - j], both[8 + j] = data[j];
        memcpy(data, both + 4, sizeof data);
    }
    test_same("joined", GPU_INT, 8, got, data);
    test_close(g);
}

/* ---- types ---- */

GPU_STRUCT(large, int head; int rest[60];);
GPU_FUNCTION(int, head_of, (int x, large table), { return table.head + table.rest[x]; });
GPU_FUNCTION(double, wider, (double x, float by), { return x * by; });
GPU_FUNCTION(gpu_float2, swapped, (gpu_float2 p), {
    gpu_float2 r;
    r.x = p.y;
    r.y = p.x;
    return r;
});
GPU_FUNCTION(int8_t, narrowed, (int64_t x), { return (int8_t)x; });

static large large_table(void)
{
    large table = {.head = 1000};
    for (int k = 0; k < 60; k++) table.rest[k] = k * k;
    return table;
}

Test(host, captures_a_large_struct)
{
    gpu *g = test_open_host();
    const large table = large_table();
    int heads[60];
    for (int k = 0; k < 60; k++) heads[k] = 1000 + k * k;
    gpu_array *i = gpu_range(g, GPU_INT, 60);
    test_holds("a large captured struct", gpu_map(i, head_of, GPU_ARG_AS(table, GPU_TYPE(large), table)), GPU_INT, 60,
               heads);
    test_close(g);
}

Test(host, repeats_a_large_struct)
{
    gpu *g = test_open_host();
    const large table = large_table();
    static large tables[300];
    for (int k = 0; k < 300; k++) tables[k] = table;
    test_holds("a large value", gpu_fill(g, GPU_TYPE(large), &table, 300), GPU_TYPE(large), 300, tables);
    test_close(g);
}

Test(host, converts_captured_values_and_results)
{
    gpu *g = test_open_host();
    uint16_t by = 3;
    double products[100];
    for (int k = 0; k < 100; k++) products[k] = 3 * k;
    int ends[] = {-128, 300}, narrow[] = {-128, 44};
    test_holds("narrow results", gpu_map(gpu_array_of(g, ends, 2), narrowed), GPU_INT, 2, narrow);
    test_holds("conversions", gpu_map_to(gpu_range(g, GPU_UCHAR, 100), GPU_DOUBLE, wider, GPU_ARG(by)), GPU_DOUBLE, 100,
               products);
    test_close(g);
}

Test(host, calls_functions_of_vectors)
{
    gpu *g = test_open_host();
    gpu_float2 pairs[] = {{1, 2}, {3, 4}}, other_way[] = {{2, 1}, {4, 3}};
    test_holds("vectors", gpu_map(gpu_array_of(g, pairs, 2), swapped), GPU_FLOAT2, 2, other_way);
    test_close(g);
}

/* ---- functions of every scalar type ---- */

GPU_FUNCTION(int, third, (int x), { return x / 3; });

/* Scalars of each kind of register; the index and a captured value are converted. */
#define FUNCTIONS_OF(name, NAME, T, kind)                                                                              \
    GPU_FUNCTION(T, doubled_##name, (T a, T b), { return (T)(a + a + b); });                                           \
    GPU_FUNCTION(T, weighed_##name, (T x, T y, uint64_t i, double by, GPU_GLOBAL const float *table, uint8_t k),       \
                 { return (T)((i % 2 ? x : y) * (T)by + (T)table[i % 3] + (T)k); });                                   \
    static void check_##name(gpu *g)                                                                                   \
    {                                                                                                                  \
        float by = 3, tables[] = {1, 2, 4};                                                                            \
        uint8_t k = 2;                                                                                                 \
        T xs[600], sums[600], weighed[600], last = 0;                                                                  \
        for (int e = 0; e < 600; e++) xs[e] = (T)(e % 5);                                                              \
        for (int e = 0; e < 600; e++) sums[e] = e % 3 ? doubled_##name(sums[e - 1], xs[e]) : xs[e];                    \
        for (uint64_t e = 0; e < 600; e++) weighed[e] = weighed_##name(xs[e], xs[599 - e], e, by, tables, k);          \
        gpu_array *x = gpu_array_from(g, &gpu_type_##name, (void *)xs, 600), *table = gpu_array_of(g, tables, 3),      \
                  *keys = gpu_map(gpu_range(g, GPU_INT, 600), third);                                                  \
        test_holds("a scan by key", gpu_scan_by_key(keys, x, doubled_##name), &gpu_type_##name, 600, sums);            \
        test_holds("a map of two",                                                                                     \
                   gpu_map2(x, gpu_reverse(x), weighed_##name, GPU_ARG(by), GPU_ARG(table), GPU_ARG(k)),               \
                   &gpu_type_##name, 600, weighed);                                                                    \
        test_ok(gpu_reduce(gpu_slice(x, 0, 3), doubled_##name, (void *)&last));                                        \
        test_same("a reduction", &gpu_type_##name, 1, &last, &sums[2]);                                                \
    }
GPU_SCALAR_MAP(FUNCTIONS_OF)

Test(host, functions_of_every_scalar_type)
{
    gpu *g = test_open_host();
#define CHECK(name, NAME, T, kind) check_##name(g);
    GPU_SCALAR_MAP(CHECK)
    test_close(g);
}

/* ---- failures ---- */

GPU_DEVICE_FUNCTION(float, device_only, (float x), { return native_sqrt(x); });
GPU_FUNCTION(int, of_particle, (particle p), { return (int)p.x; });

Test(host, operators_that_do_not_run_here)
{
    gpu *g = test_open_host();
    int sum = -1, table[] = {1};
    gpu_array *x = gpu_range(g, GPU_INT, 10), *f = gpu_map_to(x, GPU_FLOAT, times23);
    test_fails(GPU_E_SNIPPET, gpu_reduce(x, "abs(a - b)", &sum));
    test_has(gpu_error(), "gpu_reduce: the operator \"abs(a - b)\" does not run on the host");
    test_array_fails(GPU_E_SNIPPET, gpu_scan(f, "a & b"));
    test_array_fails(GPU_E_SNIPPET, gpu_map2(x, x, "a + b"));
    test_array_fails(GPU_E_SNIPPET, gpu_filter(x, "abs(x) > 3"));
    test_array_fails(GPU_E_SNIPPET, gpu_map(x, "x == value"));
    test_array_fails(GPU_E_ARGUMENT, gpu_map(f, device_only));
    test_has(gpu_error(), "device_only");
    test_array_fails(GPU_E_TYPE, gpu_map(x, of_particle));
    test_has(gpu_error(), "the parameter 'p' of of_particle(particle p)");
    gpu_array *k = gpu_array_of(g, table, 1);
    test_array_fails(GPU_E_TYPE, gpu_map(x, twice_plus, GPU_ARG(k)));
    test_has(gpu_error(), "the parameter 'k' of twice_plus(int x, int k, uint64_t i)");
    test_has(gpu_error(), "gets an array of int");
    test_array_fails(GPU_E_TYPE, gpu_map_to(x, GPU_TYPE(particle), halved));
    test_has(gpu_error(), "the result of halved(int x)");
    cr_assert_eq(sum, -1);
    test_ok(gpu_sum(x, &sum));
    cr_assert_eq(sum, 45);
    test_close(g);
}

Test(host, failures_that_are_found_while_it_runs)
{
    gpu *g = test_open_host();
    int table[] = {10, 20, 30}, places[] = {0, 2, -1, 3}, got[4] = {7}, value = 7;
    gpu_array *bad = gpu_gather(gpu_array_of(g, table, 3), gpu_array_of(g, places, 4));
    test_fails(GPU_E_RANGE, gpu_read(bad, got));
    test_has(gpu_error(), "the index at position 2 is out of range: there are 3 elements");
    gpu_array *none = gpu_filter(gpu_map(gpu_array_of(g, table, 3), halved), is_late);
    test_fails(GPU_E_EMPTY, gpu_reduce(none, less_of, &value));
    test_fails(GPU_E_EMPTY, gpu_read(gpu_map(gpu_reduced(gpu_eval(none), less_of), halved), got));
    test_fails(GPU_E_EMPTY, gpu_read(gpu_reduced(gpu_filter(gpu_array_of(g, table, 3), is_odd), less_of), got));
    cr_assert(got[0] == 7 && value == 7);
    test_ok(gpu_reduce(none, "a + b", &value));
    cr_assert_eq(value, 0);
    test_ok(gpu_fold(none, &(int){5}, less_of, &value));
    cr_assert_eq(value, 5);
    test_array_fails(GPU_E_MEMORY, gpu_fill(g, GPU_INT, &value, SIZE_MAX / 8));
    test_has(gpu_error(), "the device host holds");
    test_close(g);
}

/* ---- policies, trace ---- */

Test(host, policies_change_nothing)
{
    static const char *const policies[] = {"gpu", "gpu,tiny", "cpu,tiny", "sweeps"};
    for (size_t k = 0; k < COUNT_OF(policies); k++) {
        setenv("FIREPILE_POLICY", policies[k], 1);
        setenv("FIREPILE_EAGER", k % 2 ? "1" : "0", 1);
        gpu *g = test_open_host();
        sample s = sample_of(g, 1000);
        check_maps(&s);
        check_moves(&s);
        check_selections(&s);
        check_order(&s);
        sample_free(&s);
        test_close(g);
    }
}

Test(host, trace_says_that_the_host_ran_it)
{
    char folder[TEST_PATH], path[TEST_PATH + 8], text[512];
    test_folder_make(folder);
    snprintf(path, sizeof path, "%s/trace", folder);
    setenv("FIREPILE_TRACE", path, 1);
    gpu *g = test_open_host();
    int sum;
    test_ok(gpu_reduce(gpu_map(gpu_range(g, GPU_INT, 9), halved), "a + b", &sum));
    test_close(g);
    FILE *trace = fopen(path, "r");
    bool found = false;
    while (trace && fgets(text, sizeof text, trace))
        found |= strstr(text, "gpu_reduce: on the host: runs 1, driver 0.000 ms") != NULL;
    cr_assert(trace && found);
    fclose(trace);
    test_folder_remove(folder);
}

/* ---- faults, threads ---- */

typedef struct results {
    int mapped[600];
    line both;
    int sum, least;
    size_t where, kept;
    int odd[600];
    int sums[600];
} results;

static gpu_status program(void *out)
{
    results *r = out;
    int k = 7;
    gpu *g = gpu_open("host"); /* all that follows accepts NULL */
    gpu_array *i = gpu_range(g, GPU_INT, 600), *x = gpu_eval(gpu_map(i, twice_plus, GPU_ARG(k)));
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *y = gpu_keep(gpu_map3(x, gpu_reverse(i), gpu_concat(gpu_slice(i, 0, 300), gpu_slice(x, 0, 300)), mix));
    gpu_scope_end(scope);
    gpu_status status = gpu_read(y, r->mapped);
    if (!status) status = gpu_reduce(gpu_map_to(x, GPU_TYPE(line), line_of), then, &r->both);
    if (!status) status = gpu_reduce_all(y, "a + b", &r->sum, less_of, &r->least);
    if (!status) status = gpu_argmin(y, &r->where);
    if (!status) status = gpu_read_n(gpu_filter(y, is_odd), r->odd, 600, &r->kept);
    if (!status) status = gpu_read(gpu_scan_exclusive(y, &k, "a + b"), r->sums);
    gpu_close(g);
    return status;
}

Test(host, each_allocation)
{
    static results want, got;
    test_host_faults(program, &want, &got, sizeof want);
    cr_assert(want.kept > 100 && want.mapped[1] == mix(twice_plus(1, 7, 1), 598, 1));
}

/* A sort of the selection is read after a read that may fail. */
static void read_after_fault(gpu *g, const gpu_array *x, unsigned long fault, bool *left)
{
    gpu_scope *scope = gpu_scope_begin(g);
    size_t count = 0;
    int out[10];
    fp_memory_fail_at(fault);
    gpu_array *odd = gpu_filter(x, is_odd), *early = gpu_map(odd, halved), *late = gpu_map(odd, halved);
    gpu_eval(early);
    gpu_array *next = gpu_gather(early, gpu_range(g, GPU_ULONG, 0)), *sorted = gpu_sort(late);
    gpu_status status = gpu_read_n(late, out, 10, &count);
    *left = fp_memory_fail_at(0) > 0;
    if (!status) cr_assert_eq(count, 5, "allocation %lu: %zu elements", fault, count);
    if (!gpu_read_n(sorted, out, 10, &count)) cr_assert_eq(count, 5, "allocation %lu: %zu sorted", fault, count);
    gpu_array_free(next);
    gpu_scope_end(scope);
}

Test(host, a_failed_read_loses_no_length_of_a_selection)
{
    gpu *g = test_open_host();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 10));
    bool left = false;
    for (unsigned long fault = 1; !left; fault++) read_after_fault(g, x, fault, &left);
    test_close(g);
}

typedef struct worker {
    pthread_t thread;
    gpu_array *shared;
    gpu *g;
    int wrong;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    for (int round = 0; round < 50; round++) {
        int sum = 0, k = round, got[1000];
        gpu_scope *scope = gpu_scope_begin(w->g);
        gpu_array *y = gpu_map(w->shared, twice_plus, GPU_ARG(k));
        w->wrong += gpu_read(y, got) || got[999] != twice_plus(1000, k, 999);
        w->wrong += gpu_sum(gpu_filter(y, is_odd), &sum) || sum != (k % 2 ? 748500 : 750000) + 500 * (k + 2);
        gpu_scope_end(scope);
    }
    return NULL;
}

Test(host, serves_several_threads)
{
    gpu *g = test_open_host();
    worker workers[4];
    gpu_array *shared = gpu_map(gpu_range(g, GPU_INT, 1000), plain);
    for (int k = 0; k < 4; k++) workers[k] = (worker){.g = g, .shared = shared};
    for (int k = 0; k < 4; k++) cr_assert_eq(pthread_create(&workers[k].thread, NULL, work, &workers[k]), 0);
    for (int k = 0; k < 4; k++) pthread_join(workers[k].thread, NULL);
    for (int k = 0; k < 4; k++) cr_assert_eq(workers[k].wrong, 0, "thread %d: %d wrong", k, workers[k].wrong);
    test_close(g);
}
