/* Pipelines as C functions: gpu_symbol, gpu_symbol_value, gpu_compile. */
#include "support/functions.h"
#include "support/line.h"
#include "support/support.h"

#include "base/memory.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(mixed, double a; char b; short c[3];);
GPU_STRUCT(pair, float value; int place;);
GPU_STRUCT(wide, int v[100];);
GPU_FUNCTION(int, higher, (int a, int b), { return a > b ? a : b; });
GPU_FUNCTION(int, plus, (int x, GPU_GLOBAL const int *k), { return x + k[0]; });
GPU_FUNCTION(int, plus_total, (int x, GPU_GLOBAL const int *total), { return x + total[0]; });
GPU_FUNCTION(int, is_larger, (int a, int b), { return a > b; });
GPU_FUNCTION(int, low_bits, (int x), { return x & 7; });

typedef gpu_status norm_function(float *out, const gpu_array *v, float p);

static norm_function *make_norm(gpu *g)
{
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *v = gpu_symbol(g, GPU_FLOAT), *p = gpu_symbol_value(g, GPU_FLOAT);
    gpu_array *r = gpu_reduced(gpu_map(v, "pown(fabs(x), convert_int(p[0]))", GPU_ARG(p)), "a + b");
    gpu_status (*norm)(float *out, const gpu_array *v, float p) = NULL;
    test_ok(gpu_compile(&norm, r, v, p));
    gpu_scope_end(scope); /* what it was made of may go */
    return norm;
}

/* The design's example, of small whole numbers, whose sums are exact. */
static void norm_of(norm_function *norm, gpu *g, size_t n)
{
    float *data = test_alloc(n + 1, sizeof *data), got = -1;
    double squares = 0, cubes = 0;
    for (size_t k = 0; k < n; k++) {
        data[k] = (float)(int)(k * 7 % 5) - 2;
        squares += data[k] * data[k];
        cubes += fabs(data[k] * data[k] * data[k]);
    }
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *x = gpu_array_of(g, data, n);
    test_ok(norm(&got, x, 2));
    cr_assert_eq(got, (float)squares, "%zu: %g, not %g", n, (double)got, squares);
    test_ok(norm(&got, x, 3));
    cr_assert_eq(got, (float)cubes, "%zu: %g, not %g", n, (double)got, cubes);
    gpu_scope_end(scope);
    free(data);
}

/* A call builds nothing, launches what gpu_reduce would, waits once, and uploads nothing for the value. */
static void costs_its_launch(norm_function *norm, gpu *g)
{
    float got;
    gpu_array *x = gpu_eval(gpu_map_to(gpu_range(g, GPU_INT, 5000), GPU_FLOAT, "x & 3"));
    test_ok(norm(&got, x, 2));
    test_ok(gpu_finish(g));
    gpu_stats before = test_stats(g);
    for (int k = 0; k < 10; k++) test_ok(norm(&got, x, (float)k));
    gpu_stats after = test_stats(g);
    cr_assert_eq(after.programs_built, before.programs_built);
    if (test_eager()) return;
    cr_assert_eq(after.kernels_launched - before.kernels_launched, 10);
    cr_assert_eq(after.waits - before.waits, 10);
    cr_assert_eq(after.bytes_uploaded, before.bytes_uploaded);
    cr_assert_eq(after.bytes_downloaded - before.bytes_downloaded, 10 * sizeof(float));
}

Test(compile, a_norm)
{
    gpu *g = test_open();
    norm_function *norm = make_norm(g);
    for (size_t k = 0; k < test_size_count(test_limit(70000)); k++) norm_of(norm, g, test_sizes[k]);
    costs_its_launch(norm, g);
    /* Delayed arrays are fused into the call, selections too. */
    float got = 0;
    gpu_array *x = gpu_range(g, GPU_FLOAT, 100);
    test_ok(norm(&got, gpu_filter(gpu_map(x, "x + 1"), "x <= 4"), 2));
    cr_assert_eq(got, 30);
    test_close(g);
}

/* ---- each operation ---- */

enum { N = 1000 };

/* What an operation is tried with: arrays, and one value. */
typedef struct given {
    gpu_array *v, *w, *k, *few;
} given;

#define TWO(call, first, second) ((call) ? NULL : gpu_concat(first, second))

static gpu_array *apply_one(int step, const given *a)
{
    gpu_array *one = NULL, *two = NULL;
    switch (step) {
    case 0:
        return gpu_map(a->v, twice);
    case 1:
        return gpu_filter(a->v, is_odd);
    case 2:
        return gpu_find_if(a->v, is_odd);
    case 3:
        return gpu_find(a->v, &(int){3});
    case 4:
        return gpu_unique(gpu_map(a->v, low_bits));
    case 5:
        return TWO(gpu_partition(a->v, is_odd, &one, &two), one, two);
    case 6:
        return TWO(gpu_span(a->v, is_odd, &one, &two), two, one);
    case 7:
        return gpu_concat(gpu_take_while(a->v, is_odd), gpu_drop_while(a->v, is_odd));
    case 8:
        return gpu_scan(a->v, add);
    case 9:
        return gpu_scan_exclusive(a->v, &(int){5}, "a + b");
    case 10:
        return gpu_block_reduce(a->v, 10, add);
    case 11:
        return gpu_gather(a->v, gpu_map(a->v, low_bits));
    case 12:
        return gpu_scatter(a->v, a->few, gpu_slice(a->v, 3, 8));
    case 13:
        return gpu_concat(gpu_reverse(a->v), gpu_slice(a->v, 10, 100));
    case 14:
        return gpu_sort(a->v);
    case 15:
        return gpu_sort_by(a->v, is_larger);
    case 16:
        return gpu_sort_key(a->v, GPU_INT, low_bits);
    case 17:
        return gpu_argsort(a->v);
    case 18:
        return TWO(gpu_runs(gpu_map(a->v, low_bits), &one, &two), gpu_map_to(one, GPU_ULONG, "x"), two);
    case 19:
        return gpu_top(a->v, 20);
    case 20:
        return TWO(gpu_histogram(a->v, &(int){-100}, &(int){100}, 7, &one, &two), one, two);
    case 21:
        return gpu_lower_bound(a->few, a->v);
    default:
        return NULL;
    }
}

static gpu_array *apply_two(int step, const given *a)
{
    gpu_array *one = NULL, *two = NULL;
    switch (step) {
    case 0:
        return gpu_map2(a->v, a->w, "x + y");
    case 1:
        return gpu_map3(a->v, a->w, a->v, "y");
    case 2:
        return TWO(gpu_sort_pairs(a->v, a->w, &one, &two), one, two);
    case 3:
        return TWO(gpu_group_reduce(gpu_map(a->v, low_bits), a->w, add, &one, &two), one, two);
    case 4:
        return TWO(gpu_reduce_by_key(gpu_map(a->v, low_bits), a->w, add, &one, &two), one, two);
    case 5:
        return gpu_scan_by_key(gpu_map(a->v, low_bits), a->w, add);
    case 6:
        return gpu_lower_bound(gpu_sort(a->v), a->w);
    default:
        return NULL;
    }
}

static void same_arrays(const char *what, int step, const gpu_array *got, const gpu_array *want)
{
    test_ok(gpu_array_status(want));
    size_t n = gpu_length(want), size = gpu_type_of(want)->size;
    void *bytes = test_alloc(n + 1, size);
    char text[64];
    snprintf(text, sizeof text, "%s %d", what, step);
    test_ok(gpu_read(want, bytes));
    test_holds(text, got, gpu_type_of(want), n, bytes);
    free(bytes);
}

static void fill_ints(int *out, size_t n, uint64_t seed)
{
    test_random_fill(GPU_INT, out, n, seed);
    for (size_t k = 0; k < n; k++) out[k] = k < 5 ? out[k] % 1000 | 1 : out[k] % 1000;
}

/* On the host device, where no kernel has to be built: what a function repeats is the same on all devices. */
Test(compile, each_operation)
{
    int v[N], w[N];
    gpu *g = gpu_open("host");
    cr_assert(g, "%s", gpu_error());
    fill_ints(v, N, 1);
    fill_ints(w, N, 2);
    const given there = {gpu_array_of(g, v, N), gpu_array_of(g, w, N), NULL, gpu_range(g, GPU_INT, 8)};
    const given later = {gpu_symbol(g, GPU_INT), gpu_symbol(g, GPU_INT), NULL, there.few};
    gpu_array *want, *got;
    for (int step = 0; (want = apply_one(step, &there)); step++) {
        gpu_status (*f)(gpu_array * *out, const gpu_array *v);
        test_ok(gpu_compile(&f, apply_one(step, &later), later.v));
        for (int time = 0; time < 2; time++) {
            test_ok(f(&got, there.v));
            same_arrays("one array", step, got, want);
        }
        test_ok(f(&got, gpu_map(there.w, "x")));
        same_arrays("another array", step, got, apply_one(step, &(given){there.w, NULL, NULL, there.few}));
    }
    for (int step = 0; (want = apply_two(step, &there)); step++) {
        gpu_status (*f)(gpu_array * *out, const gpu_array *v, const gpu_array *w);
        test_ok(gpu_compile(&f, apply_two(step, &later), later.v, later.w));
        test_ok(f(&got, there.v, there.w));
        same_arrays("two arrays", step, got, want);
    }
    test_close(g);
}

/* ---- on a device ---- */

/* A pipeline of several launches: lengths stay on the device, and nothing is built at the second call. */
Test(compile, several_launches)
{
    gpu *g = test_open();
    gpu_array *v = gpu_symbol(g, GPU_INT), *low = gpu_symbol_value(g, GPU_INT), *out = NULL;
    gpu_array *kept = gpu_filter(v, "x > low[0]", GPU_ARG(low));
    gpu_array *sums = gpu_scan(kept, "a + b"), *all = gpu_reduced(v, "a + b");
    gpu_status (*f)(gpu_array * *out, const gpu_array *v, int low);
    test_ok(gpu_compile(&f, gpu_map(sums, "x + all[0]", GPU_ARG(all)), v, low));
    int want[3000], data[3000];
    for (int round = 0; round < 3; round++) {
        int n = 1000 * (round + 1), m = 0, total = 0, sum = 0;
        for (int k = 0; k < n; k++) total += data[k] = k % 11;
        for (int k = 0; k < n; k++)
            if (data[k] > round) want[m++] = total + (sum += data[k]);
        gpu_scope *scope = gpu_scope_begin(g);
        gpu_array *x = gpu_array_of(g, data, (size_t)n);
        gpu_stats before = test_stats(g);
        test_ok(f(&out, x, round));
        gpu_stats after = test_stats(g);
        if (round == 2) cr_assert_eq(after.programs_built, before.programs_built);
        if (round == 2 && !test_eager() && !test_tiny()) cr_assert_eq(after.waits, before.waits);
        test_holds("sums", out, GPU_INT, (size_t)m, want);
        gpu_scope_end(scope); /* the array is of the scope */
    }
    test_close(g);
}

/* There may be none, and the operator has no identity. */
Test(compile, one_of_a_filter)
{
    gpu *g = test_open();
    gpu_array *v = gpu_symbol(g, GPU_INT);
    gpu_status (*most)(int *out, const gpu_array *v);
    test_ok(gpu_compile(&most, gpu_reduced(gpu_filter(v, is_odd), higher), v));
    const int data[] = {1, 5, 9, 2};
    int out = 0;
    test_ok(most(&out, gpu_array_of(g, data, 4)));
    cr_assert_eq(out, 9, "%d", out);
    test_fails(GPU_E_EMPTY, most(&out, gpu_array_of(g, data + 3, 1)));
    test_close(g);
}

/* What is captured by functions and in large structs is in buffers; single values that are no symbols are arguments,
 * too. */
Test(compile, takes_what_functions_and_large_structs_capture)
{
    gpu *g = test_open();
    gpu_array *v = gpu_symbol(g, GPU_INT), *k = gpu_symbol_value(g, GPU_INT), *t = gpu_symbol_value(g, GPU_TYPE(wide));
    gpu_array *table = gpu_array_of(g, ((int[]){10, 20, 30}), 3);
    gpu_array *r = gpu_map(gpu_map(v, plus, GPU_ARG(k)), "x + t[0].v[i] + table[i % 3]", GPU_ARG(t), GPU_ARG(table));
    gpu_status (*f)(gpu_array * *out, const gpu_array *v, int k, wide t);
    wide values;
    int want[100];
    for (int i = 0; i < 100; i++) values.v[i] = i * i;
    for (int i = 0; i < 100; i++) want[i] = i + 7 + i * i + 10 * (i % 3 + 1);
    gpu_array *out;
    test_ok(gpu_compile(&f, r, v, k, t));
    test_ok(f(&out, gpu_range(g, GPU_INT, 100), 7, values));
    test_holds("values", out, GPU_INT, 100, want);
    int seven = 7;
    gpu_array *one = gpu_fill(g, GPU_INT, &seven, 1);
    gpu_array *sum =
        gpu_map(gpu_range(g, GPU_INT, 100), "x + one[0] + i * i + table[i % 3]", GPU_ARG(one), GPU_ARG(table));
    test_holds("a single value", sum, GPU_INT, 100, want);
    test_close(g);
}

Test(compile, values_of_all_kinds)
{
    gpu *g = test_open();
    gpu_array *c = gpu_symbol_value(g, GPU_CHAR), *f = gpu_symbol_value(g, GPU_FLOAT4);
    gpu_array *m = gpu_symbol_value(g, GPU_TYPE(mixed)), *v = gpu_symbol(g, GPU_TYPE(pair));
    gpu_array *l = gpu_symbol_value(g, GPU_ULONG);
    gpu_array *r =
        gpu_map_to(v, GPU_DOUBLE, "x.value + x.place + c[0] + f[0].w + m[0].a + m[0].b + m[0].c[2] + (double)l[0]",
                   GPU_ARG(c), GPU_ARG(f), GPU_ARG(m), GPU_ARG(l));
    gpu_status (*sum)(double *out, gpu_float4 f, const gpu_array *v, signed char c, mixed m, uint64_t l);
    test_ok(gpu_compile(&sum, gpu_reduced(r, "a + b"), f, v, c, m, l));
    pair pairs[2] = {{1, 2}, {3, 4}};
    double got = 0;
    const mixed value = {0.5, -3, {1, 2, 60}};
    test_ok(sum(&got, (gpu_float4){1, 2, 3, 100}, gpu_array_from(g, GPU_TYPE(pair), pairs, 2), -9, value, 1u << 20));
    cr_assert_eq(got, 10 + 2 * (-9 + 100 + 0.5 - 3 + 60 + (1 << 20)), "%g", got);
    /* Values alone, and a struct for a result. */
    gpu_array *both = gpu_map_to(f, GPU_TYPE(pair), "{ pair p; p.value = x.y; p.place = c[0]; return p; }", GPU_ARG(c));
    gpu_status (*make)(pair * out, signed char c, gpu_float4 f);
    pair made = {0, 0};
    test_ok(gpu_compile(&make, both, c, f));
    test_ok(make(&made, 5, (gpu_float4){1, 2, 3, 4}));
    cr_assert(made.value == 2 && made.place == 5, "%g, %d", (double)made.value, made.place);
    test_close(g);
}

/* ---- failures ---- */

/* A scalar product with a value, for functions that should not be made. */
typedef struct parts {
    gpu *g;
    gpu_array *v, *p, *r;
} parts;

static parts open_parts(void)
{
    gpu *g = gpu_open("host");
    parts s = {g, gpu_symbol(g, GPU_FLOAT), gpu_symbol_value(g, GPU_FLOAT), NULL};
    s.r = gpu_reduced(gpu_map2(s.v, gpu_map(s.p, "x"), "x * y"), "a + b");
    return s;
}

static const char declaration[] = "gpu_status (*norm)(float *out, const gpu_array *v, float p)";

Test(compile, refuses_a_symbol_that_is_not_given)
{
    parts s = open_parts();
    gpu_array *v = s.v;
    norm_function *norm = NULL;
    test_fails(GPU_E_ARGUMENT, gpu_compile(&norm, s.r, v));
    test_has(gpu_error(), "is used, and not given");
    test_has(gpu_error(), "gpu_status (*norm)(float *out, const gpu_array *v, float missing)");
    test_fails(GPU_E_ARGUMENT, gpu_compile(&norm, s.r));
    cr_assert_null(norm);
    test_close(s.g);
}

Test(compile, refuses_a_symbol_that_is_given_twice_or_not_used)
{
    parts s = open_parts();
    gpu_array *v = s.v, *p = s.p, *unused = gpu_symbol_value(s.g, GPU_UINT2);
    norm_function *norm = NULL;
    test_fails(GPU_E_ARGUMENT, gpu_compile(&norm, s.r, v, p, v));
    test_has(gpu_error(), "the symbol v of ");
    test_has(gpu_error(), "is given twice");
    test_has(gpu_error(), declaration);
    test_fails(GPU_E_ARGUMENT, gpu_compile(&norm, s.r, v, unused, p));
    test_has(gpu_error(), "the symbol unused of ");
    test_has(gpu_error(), declaration);
    test_fails(GPU_E_ARGUMENT, gpu_compile(&norm, gpu_scan(v, "a + b"), v, unused));
    test_has(gpu_error(), "gpu_status (*norm)(gpu_array **out, const gpu_array *v)");
    cr_assert_null(norm);
    test_close(s.g);
}

Test(compile, refuses_results_that_are_made_of_no_symbol)
{
    parts s = open_parts();
    gpu_array *v = s.v;
    norm_function *norm = NULL;
    test_fails(GPU_E_ARGUMENT, gpu_compile(&norm, v, v));
    test_has(gpu_error(), "bare symbol");
    test_fails(GPU_E_ARGUMENT, gpu_compile(&norm, gpu_range(s.g, GPU_FLOAT, 5), v));
    test_fails(GPU_E_ARGUMENT, gpu_compile(&norm, NULL, v));
    cr_assert_null(norm);
    test_close(s.g);
}

Test(compile, refuses_arguments_that_are_no_symbols)
{
    parts s = open_parts();
    gpu_array *v = s.v, *r = s.r, *x = gpu_range(s.g, GPU_FLOAT, 5);
    norm_function *norm = NULL;
    test_fails(GPU_E_ARGUMENT, gpu_compile(&norm, r, v, x));
    test_has(gpu_error(), "'x' is no symbol");
    test_fails(GPU_E_ARGUMENT, gpu_compile(&norm, r, v, r));
    test_fails(GPU_E_ARGUMENT, gpu_compile(&norm, r, v, NULL));
    cr_assert_null(norm);
    test_close(s.g);
}

Test(compile, refuses_symbols_of_another_gpu)
{
    parts s = open_parts();
    gpu *other = gpu_open("host");
    gpu_array *v = s.v, *foreign = gpu_symbol(other, GPU_FLOAT);
    norm_function *norm = NULL;
    test_fails(GPU_E_ARGUMENT, gpu_compile(&norm, s.r, v, foreign));
    cr_assert_null(norm);
    test_array_fails(GPU_E_ARGUMENT, gpu_map2(v, foreign, "x + y"));
    gpu_close(other);
    test_close(s.g);
}

Test(compile, refuses_to_write_no_function_pointer)
{
    parts s = open_parts();
    gpu_array *v = s.v, *p = s.p;
    test_fails(GPU_E_ARGUMENT, gpu_compile((norm_function **)NULL, s.r, v, p));
    test_fails(GPU_E_ARGUMENT, gpu_compile("norm", s.r, v, p));
    test_has(gpu_error(), "&norm");
    test_close(s.g);
}

Test(compile, makes_no_symbol_without_a_gpu_or_a_type)
{
    gpu *g = gpu_open("host");
    test_array_fails(GPU_E_ARGUMENT, gpu_symbol(NULL, GPU_FLOAT));
    test_array_fails(GPU_E_ARGUMENT, gpu_symbol_value(g, NULL));
    test_close(g);
}

/* Symbols have no elements: each way to ask for some is refused, and says so. */
Test(compile, symbols_cannot_be_read)
{
    gpu *g = gpu_open("host");
    gpu_array *v = gpu_symbol(g, GPU_INT), *made = gpu_scan(gpu_map(v, twice), add), *x = gpu_range(g, GPU_INT, 5);
    int out[5] = {1, 2, 3, 4, 5}, value = 9;
    size_t n = 77;
    bool yes = true;
    test_fails(GPU_E_ARGUMENT, gpu_read(v, out));
    test_has(gpu_error(), "gpu_compile");
    test_fails(GPU_E_ARGUMENT, gpu_read_n(made, out, 5, &n));
    test_fails(GPU_E_ARGUMENT, gpu_reduce(made, add, &value));
    test_has(gpu_error(), "gpu_reduced");
    test_fails(GPU_E_ARGUMENT, gpu_fold(v, &value, add, &value));
    test_fails(GPU_E_ARGUMENT, gpu_reduce_all(v, add, &value));
    test_fails(GPU_E_ARGUMENT, gpu_sum(v, &value));
    test_fails(GPU_E_ARGUMENT, gpu_min(v, &value));
    test_fails(GPU_E_ARGUMENT, gpu_argmax(v, &n));
    test_fails(GPU_E_ARGUMENT, gpu_count(v, is_odd, &n));
    test_fails(GPU_E_ARGUMENT, gpu_any(v, is_odd, &yes));
    test_fails(GPU_E_ARGUMENT, gpu_index_of(v, &value, &n));
    test_fails(GPU_E_ARGUMENT, gpu_index_if(v, is_odd, &n));
    test_fails(GPU_E_ARGUMENT, gpu_is_sorted(v, &yes));
    test_fails(GPU_E_ARGUMENT, gpu_check_reduce(v, add));
    test_fails(GPU_E_ARGUMENT, gpu_check_order(v, is_larger));
    test_fails(GPU_E_ARGUMENT, gpu_reduce(gpu_map(x, twice), "a + b + v[0]", &value, GPU_ARG(v)));
    cr_assert_eq(gpu_length(made), 0);
    cr_assert_eq(gpu_eval(made), made);
    cr_assert_eq(gpu_array_status(made), GPU_OK);
    cr_assert_eq(gpu_type_of(made), GPU_INT);
    test_has(gpu_explain(made), "gpu_scan: add (int)");
    cr_assert(value == 9 && n == 77 && yes && out[4] == 5);
    test_close(g);
}

Test(compile, finds_an_operator_that_does_not_compile)
{
    test_needs_opencl();
    if (test_verifies()) cr_skip("operators are compiled at calls");
    gpu *g = test_open();
    gpu_array *v = gpu_symbol(g, GPU_INT);
    gpu_status (*one)(gpu_array * *out, const gpu_array *v) = NULL;
    test_fails(GPU_E_SNIPPET, gpu_compile(&one, gpu_map(v, "x + nowhere"), v));
    test_caret(gpu_error(), "x + nowhere", 4);
    cr_assert_null(one);
    test_close(g);
}

typedef gpu_status gathers(gpu_array **out, const gpu_array *v, const gpu_array *w);

static gathers *compile_gather(gpu *g)
{
    gpu_array *v = gpu_symbol(g, GPU_INT), *w = gpu_symbol(g, GPU_INT);
    gpu_status (*two)(gpu_array * *out, const gpu_array *v, const gpu_array *w) = NULL;
    test_ok(gpu_compile(&two, gpu_gather(gpu_map2(v, w, "x + y"), w), v, w));
    return two;
}

Test(compile, a_call_finds_arrays_of_other_lengths_and_places_out_of_range)
{
    test_needs_opencl();
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 5), *longer = gpu_range(g, GPU_INT, 6), *out = NULL;
    gathers *two = compile_gather(g);
    test_ok(two(&out, x, x));
    test_holds("a gather", out, GPU_INT, 5, ((int[]){0, 2, 4, 6, 8}));
    test_fails(GPU_E_ARGUMENT, two(&out, x, longer));
    test_has(gpu_error(), "gpu_map2");
    test_has(gpu_array_error(out), "equally long");
    test_ok(two(&out, x, gpu_map(x, "x + 3")));
    int back[5] = {1, 1, 1, 1, 1};
    test_fails(GPU_E_RANGE, gpu_read(out, back));
    cr_assert_eq(back[0], 1);
    test_close(g);
}

Test(compile, a_call_refuses_wrong_arguments)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 5), *out = NULL;
    gathers *two = compile_gather(g);
    test_fails(GPU_E_ARGUMENT, two(&out, NULL, x));
    test_has(gpu_error(), "two: the array 'v' is NULL");
    test_fails(GPU_E_TYPE, two(&out, gpu_range(g, GPU_LONG, 5), x));
    test_fails(GPU_E_ARGUMENT, two(NULL, x, x));
    test_fails(GPU_E_ARGUMENT, two(&out, x, gpu_symbol(g, GPU_INT)));
    test_close(g);
}

Test(compile, a_call_that_fails_leaves_the_value_and_the_function_as_they_were)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 5), *v = gpu_symbol(g, GPU_INT);
    gpu_status (*largest)(int *out, const gpu_array *v);
    int got = 42;
    test_ok(gpu_compile(&largest, gpu_reduced(v, "max(a, b)"), v));
    test_fails(GPU_E_EMPTY, largest(&got, gpu_slice(x, 0, 0)));
    cr_assert_eq(got, 42);
    test_ok(largest(&got, x));
    cr_assert_eq(got, 4);
    test_close(g);
}

Test(compile, long_pipelines)
{
    gpu *g = gpu_open("host");
    gpu_array *v = gpu_symbol(g, GPU_INT), *chain = v;
    gpu_status (*f)(int *out, const gpu_array *v);
    for (int k = 0; k < 500; k++) chain = gpu_map2(chain, v, "x + y");
    int got = 0;
    test_ok(gpu_compile(&f, gpu_reduced(chain, "a + b"), v));
    test_ok(f(&got, gpu_range(g, GPU_INT, 4)));
    cr_assert_eq(got, 6 * 501);
    for (int k = 0; k < 5000; k++) chain = gpu_map(chain, "x");
    test_array_fails(GPU_E_ARGUMENT, chain);
    test_close(g);
}

/* ---- threads, memory ---- */

typedef struct worker {
    pthread_t thread;
    gpu *g;
    norm_function *norm;
    int id, wrong;
} worker;

static void *call_often(void *argument)
{
    worker *w = argument;
    for (int round = 0; round < 50; round++) {
        gpu_scope *scope = gpu_scope_begin(w->g);
        size_t n = (size_t)(w->id * 50 + round + 1);
        float got = 0, of = (float)w->id;
        gpu_array *x = gpu_fill(w->g, GPU_FLOAT, &of, n);
        if (w->norm(&got, x, 2) || got != (float)n * of * of) w->wrong++;
        gpu_scope_end(scope);
    }
    return NULL;
}

Test(compile, ten_threads)
{
    enum { THREADS = 10 };
    test_needs_opencl(); /* its operator is a text */
    if (!test_takes_threads()) cr_skip_test("the driver takes one thread");
    gpu *g = test_open();
    norm_function *norm = make_norm(g);
    worker workers[THREADS];
    for (int k = 0; k < THREADS; k++) {
        workers[k] = (worker){.g = g, .norm = norm, .id = k};
        cr_assert_eq(pthread_create(&workers[k].thread, NULL, call_often, &workers[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) pthread_join(workers[k].thread, NULL);
    for (int k = 0; k < THREADS; k++) cr_assert_eq(workers[k].wrong, 0, "thread %d: %d wrong", k, workers[k].wrong);
    test_close(g);
}

/* Each allocation fails once: of making the function, and of calling it. */
static gpu_status program(gpu *g, int *sum, int *wrong)
{
    int value = 5, got = -1;
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *v = gpu_symbol(g, GPU_INT), *k = gpu_symbol_value(g, GPU_INT);
    gpu_array *total = gpu_reduced(gpu_map(v, plus, GPU_ARG(k)), add), *out = NULL;
    gpu_status (*f)(int *out, const gpu_array *v, int k);
    gpu_status (*h)(gpu_array * *out, const gpu_array *v, int k);
    gpu_array *x = gpu_array_of(g, ((int[]){1, 2, 3}), 3);
    gpu_status status = gpu_compile(&f, total, v, k);
    if (!status) status = f(&got, x, value);
    *wrong += status && got != -1;
    *sum = got;
    if (!status) status = gpu_compile(&h, gpu_sort(gpu_map(v, plus_total, GPU_ARG(total))), v, k);
    if (!status) status = h(&out, x, value);
    if (!status) status = gpu_reduce(out, add, &got);
    if (!status) *sum += got;
    gpu_scope_end(scope);
    return status;
}

Test(compile, out_of_memory)
{
    int sum = 0, wrong = 0, failures = 0;
    gpu *g = gpu_open("host");
    test_ok(program(g, &sum, &wrong));
    cr_assert_eq(sum, 21 + 6 + 3 * 21);
    for (unsigned long k = 1;; k++) {
        fp_memory_fail_at(k);
        gpu_status status = program(g, &sum, &wrong);
        bool over = !status;
        fp_memory_fail_at(0);
        cr_assert(over || status == GPU_E_MEMORY || status == GPU_E_ARGUMENT, "%lu: %s", k, gpu_error());
        failures += !over;
        if (over && k > 1000) break;
        cr_assert(k < 20000);
    }
    cr_assert_gt(failures, 20);
    cr_assert_eq(wrong, 0);
    test_close(g);
}
