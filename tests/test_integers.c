/* Where C leaves open what becomes of integers, the host's side has one meaning, that of devices: overflow wraps
 * around, whatever computes. Under the undefined-behaviour sanitizer nothing may be reported. */
#include "support/functions.h"
#include "support/support.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INTEGERS = 8, LENGTH = 48, ROOM = 1 << 16 };

/* What a program of operations left. */
typedef struct results {
    size_t used;
    unsigned char bytes[ROOM];
} results;

static gpu *open_with(const char *device, const char *small)
{
    setenv("FIREPILE_SMALL", small, 1);
    gpu *g = gpu_open(device);
    cr_assert(g, "%s", gpu_error());
    return g;
}

/* The program on the host device, and on the device, if there is one: with small arrays left to the host and, in a full
 * run, without. All results are the same. */
static void run_everywhere(void (*program)(gpu *, gpu_type, results *), gpu_type type, bool devices)
{
    const char *device = getenv("FIREPILE_DEVICE"), *names[] = {"host", NULL, NULL}, *small[] = {"0", "1024", "0"};
    const bool opencl = !device || strcmp(device, "host") != 0;
    const int runs = !opencl || !devices ? 1 : test_full() ? 3 : 2;
    results *all = test_alloc(3, sizeof *all);
    for (int k = 0; k < runs; k++) {
        gpu *g = open_with(names[k], small[k]);
        program(g, type, &all[k]);
        gpu_close(g);
        bool same = all[k].used == all[0].used && !memcmp(all[k].bytes, all[0].bytes, all[0].used);
        cr_assert(same, "%s: FIREPILE_SMALL=%s: the results of the device are not the host's", type->name, small[k]);
    }
    free(all);
}

static void put(results *out, const void *bytes, size_t n)
{
    cr_assert_leq(out->used + n, (size_t)ROOM);
    memcpy(out->bytes + out->used, bytes, n);
    out->used += n;
}

static void put_array(results *out, gpu_array *a)
{
    size_t n = 0, size = gpu_type_of(a) ? gpu_type_of(a)->size : 1;
    test_ok(gpu_read_n_op(a, &(gpu_output){out->bytes + out->used, gpu_type_of(a), size}, (ROOM - out->used) / size, &n,
                          NULL));
    out->used += n * size;
}

/* The least and the greatest number, and those beside them, 0 and powers of two. */
static void fill(gpu_type type, void *data)
{
    const unsigned bits = 8 * (unsigned)type->size;
    for (unsigned k = 0; k < LENGTH; k++) {
        uint64_t power = UINT64_C(1) << (k % bits), edge = UINT64_C(1) << (bits - 1),
                 choice[] = {power, edge, edge - 1, 0, edge + 1, 3, ~power};
        test_put(type, data, k, (test_number){.u = choice[k % 7]});
    }
}

static gpu_array *extremes(gpu *g, gpu_type type)
{
    uint64_t data[LENGTH] = {0};
    fill(type, data);
    return gpu_array_from(g, type, data, LENGTH);
}

/* ---- recognised texts, and operations that compute with elements ---- */

static void put_reduced(results *out, gpu_array *x, const char *text)
{
    uint64_t value = 0, start[LENGTH];
    gpu_type type = gpu_type_of(x);
    fill(type, start);
    const gpu_operator op = {.snippet = text};
    const gpu_value from = {start, type, type->size};
    test_ok(gpu_reduce_op(x, &op, &(gpu_output){&value, type, type->size}));
    put(out, &value, type->size);
    test_ok(gpu_fold_op(x, &from, &op, &(gpu_output){&value, type, type->size}));
    put(out, &value, type->size);
    put_array(out, gpu_scan_op(x, &op));
    put_array(out, gpu_scan_exclusive_op(x, &from, &op));
    put_array(out, gpu_block_reduce_op(x, 5, &op));
}

static void put_by_key(results *out, gpu_array *x, const char *text)
{
    gpu_array *keys, *values;
    const gpu_operator op = {.snippet = text};
    gpu_reduce_by_key_op(x, x, &op, &keys, &values);
    put_array(out, keys);
    put_array(out, values);
    gpu_group_reduce_op(x, gpu_reverse(x), &op, &keys, &values);
    put_array(out, keys);
    put_array(out, values);
    put_array(out, gpu_scan_by_key_op(x, x, &op));
}

static void put_named(results *out, gpu_array *x)
{
    uint64_t value = 0;
    size_t index = 0;
    gpu_type type = gpu_type_of(x);
    const gpu_output to = {&value, type, type->size};
    gpu_status (*const calls[])(const gpu_array *, const gpu_output *, const gpu_place *) = {gpu_sum_op, gpu_product_op,
                                                                                             gpu_min_op, gpu_max_op};
    for (size_t k = 0; k < COUNT_OF(calls); k++) {
        test_ok(calls[k](x, &to, NULL));
        put(out, &value, type->size);
    }
    test_ok(gpu_argmin(x, &index));
    put(out, &index, sizeof index);
    test_ok(gpu_argmax(x, &index));
    put(out, &index, sizeof index);
}

static void put_histogram(results *out, gpu_array *x)
{
    uint64_t bounds[LENGTH];
    gpu_array *counts, *outside;
    gpu_type type = gpu_type_of(x);
    fill(type, bounds);
    unsigned char *low = (unsigned char *)bounds + (type->kind == GPU_KIND_SIGNED ? 1 : 3) * type->size,
                  *high = (unsigned char *)bounds + (type->kind == GPU_KIND_SIGNED ? 2 : 6) * type->size;
    gpu_histogram_op(x, &(gpu_value){low, type, type->size}, &(gpu_value){high, type, type->size}, 7, &counts, &outside,
                     NULL);
    put_array(out, counts);
    put_array(out, outside);
}

static void reduce_and_scan(gpu *g, gpu_type type, results *out)
{
    static const char *const texts[] = {"a + b", "a * b", "min(a, b)", "max(a, b)", "a & b", "a | b", "a ^ b"};
    gpu_array *x = extremes(g, type);
    for (size_t t = 0; t < COUNT_OF(texts); t++) put_reduced(out, x, texts[t]);
}

static void map(gpu *g, gpu_type type, results *out)
{
    static const char *const texts[] = {"x + y", "x * y", "min(x, y)", "max(x, y)", "x & y", "x | y", "x ^ y"};
    gpu_array *x = extremes(g, type), *y = gpu_reverse(x);
    for (size_t t = 0; t < COUNT_OF(texts); t++)
        put_array(out, gpu_map2_op(x, y, NULL, &(gpu_operator){.snippet = texts[t]}));
}

static void reduce_by_key(gpu *g, gpu_type type, results *out)
{
    gpu_array *x = extremes(g, type);
    put_by_key(out, x, "a + b");
    put_by_key(out, x, "a * b");
}

static void reduce_named(gpu *g, gpu_type type, results *out)
{
    put_named(out, extremes(g, type));
}

static void count_bins(gpu *g, gpu_type type, results *out)
{
    put_histogram(out, extremes(g, type));
}

static void sort_and_search(gpu *g, gpu_type type, results *out)
{
    gpu_array *x = extremes(g, type), *k, *v;
    put_array(out, gpu_sort(x));
    put_array(out, gpu_sort_by(x, "a > b"));
    put_array(out, gpu_argsort(x));
    put_array(out, gpu_top(x, 9));
    put_array(out, gpu_unique(x));
    put_array(out, gpu_lower_bound(gpu_sort(x), x));
    gpu_sort_pairs(x, gpu_reverse(x), &k, &v);
    put_array(out, k);
    put_array(out, v);
}

static void count_up(gpu *g, gpu_type type, results *out)
{
    put_array(out, gpu_range(g, type, 300));
}

/* Of every type of integers. On devices in a full run only: there are many programs. */
static void run_types(void (*program)(gpu *, gpu_type, results *))
{
    for (size_t t = 0; t < INTEGERS; t++) run_everywhere(program, test_scalars[t], test_full());
}

Test(integers, wrap_in_reductions_and_scans, .timeout = 600)
{
    run_types(reduce_and_scan);
}

Test(integers, wrap_in_maps, .timeout = 600)
{
    run_types(map);
}

Test(integers, wrap_in_reductions_and_scans_by_key, .timeout = 600)
{
    run_types(reduce_by_key);
}

Test(integers, wrap_in_named_reductions, .timeout = 600)
{
    run_types(reduce_named);
}

Test(integers, at_the_ends_of_their_range_find_their_bin, .timeout = 600)
{
    run_types(count_bins);
}

Test(integers, at_the_ends_of_their_range_are_sorted_and_found, .timeout = 600)
{
    run_types(sort_and_search);
}

Test(integers, wrap_in_ranges, .timeout = 600)
{
    run_types(count_up);
}

/* ---- functions ---- */

GPU_FUNCTION(int, scaled, (int x), { return x * -3; });
GPU_FUNCTION(int, negative, (int x), { return -x; });
GPU_FUNCTION(int, next, (int x), { return ++x; });
GPU_FUNCTION(int, moved, (int x), { return x << 5; });
GPU_FUNCTION(int, helped, (int x), { return add(scaled(x), negative(x)) - 1; });
GPU_FUNCTION(bool, grows, (int x), { return x + 1 > x; });
GPU_FUNCTION(int64_t, long_multiple, (int64_t x), { return x * 5 - 1; });
GPU_FUNCTION(int64_t, long_moved, (int64_t x), { return -(x << 3); });
GPU_FUNCTION(short, short_square, (short x), { return x * x; });
GPU_FUNCTION(unsigned short, ushort_square, (unsigned short x), { return x * x; });
GPU_FUNCTION(signed char, char_sum, (signed char x), { return x + x; });
GPU_FUNCTION(uint64_t, mixed, (int x), { return x * 7 + (uint64_t)(x - 1); });

static void put_map(results *out, gpu_array *x, gpu_type type, const void *function)
{
    put_array(out, gpu_map_op(x, type, &(gpu_operator){.function = function}));
}

static void call(gpu *g, gpu_type type, results *out)
{
    (void)type;
    const void *of_ints[] = {__extension__(const void *) scaled, __extension__(const void *) negative,
                             __extension__(const void *) next, __extension__(const void *) moved,
                             __extension__(const void *) helped};
    gpu_array *x = extremes(g, GPU_INT), *wide = extremes(g, GPU_LONG);
    for (size_t k = 0; k < COUNT_OF(of_ints); k++) put_map(out, x, NULL, of_ints[k]);
    put_map(out, x, GPU_ULONG, __extension__(const void *) mixed);
    put_map(out, wide, NULL, __extension__(const void *) long_multiple);
    put_map(out, wide, NULL, __extension__(const void *) long_moved);
    put_map(out, extremes(g, GPU_SHORT), NULL, __extension__(const void *) short_square);
    put_map(out, extremes(g, GPU_USHORT), NULL, __extension__(const void *) ushort_square);
    put_map(out, extremes(g, GPU_CHAR), NULL, __extension__(const void *) char_sum);
    put_array(out, gpu_scan(x, add));
    int sum = 0;
    test_ok(gpu_reduce(x, add, &sum));
    put(out, &sum, sizeof sum);
}

Test(integers, wrap_in_functions_on_every_device, .timeout = 120)
{
    run_everywhere(call, GPU_INT, true);
}

#ifndef __clang__ /* which promises that only with -fwrapv */
Test(integers, wrap_in_functions_that_c_calls)
{
    volatile int most = INT_MAX;
    cr_assert(add(most, 1) == INT_MIN && scaled(INT_MIN) == INT_MIN && !grows(most) && moved(-1) == -32);
}
#endif

/* ---- conversions ---- */

static const double numbers[] = {0,    -0.0,  0.99,    -0.99,  1.5,      -1.5,      127, 128,  -128, -129,
                                 255,  256,   32767.5, 40000,  -4e4,     7e4,       3e9, -3e9, 5e9,  1e19,
                                 3e19, -1e19, 1e300,   -1e300, INFINITY, -INFINITY, NAN, -NAN};
enum { NUMBERS = COUNT_OF(numbers) };

/* The nearest that there is, NaN 0. */
static test_number nearest(gpu_type type, double x)
{
    const unsigned unused = 64 - 8 * (unsigned)type->size;
    const double end = ldexp(1, 64 - (int)unused - (type->kind == GPU_KIND_SIGNED));
    test_number n = {0};
    if (type->kind == GPU_KIND_FLOATING) return (test_number){.f = x};
    if (type->kind == GPU_KIND_UNSIGNED) n.u = isnan(x) || x <= 0 ? 0 : x >= end ? UINT64_MAX >> unused : (uint64_t)x;
    if (type->kind == GPU_KIND_SIGNED)
        n.s = isnan(x) ? 0 : x >= end ? INT64_MAX >> unused : x <= -end ? -(INT64_MAX >> unused) - 1 : (int64_t)x;
    return n;
}

static void check_converted(gpu *g, gpu_type from, gpu_type to)
{
    double data[NUMBERS], want[NUMBERS];
    for (size_t k = 0; k < NUMBERS; k++) {
        test_put(from, data, k, (test_number){.f = numbers[k]});
        test_put(to, want, k, nearest(to, test_get(from, data, k).f));
    }
    gpu_array *x = gpu_array_from(g, from, data, NUMBERS);
    test_holds(from->name, gpu_map_to(x, to, "x"), to, NUMBERS, want);
}

/* Of integers to all types, as C converts them: bits are cut off. */
static void check_cut(gpu *g, gpu_type from, gpu_type to)
{
    uint64_t data[LENGTH], want[LENGTH];
    fill(from, data);
    for (size_t k = 0; k < LENGTH; k++) {
        test_number n = test_get(from, data, k);
        if (to->kind == GPU_KIND_FLOATING) n.f = from->kind == GPU_KIND_SIGNED ? (double)n.s : (double)n.u;
        if (to == GPU_FLOAT)
            n.f = from->kind == GPU_KIND_SIGNED ? (float)test_get(from, data, k).s : (float)test_get(from, data, k).u;
        test_put(to, want, k, n);
    }
    test_holds(from->name, gpu_map_to(gpu_array_from(g, from, data, LENGTH), to, "x"), to, LENGTH, want);
}

Test(integers, floats_become_the_nearest_integer_on_the_host)
{
    gpu *g = gpu_open("host");
    for (size_t to = 0; to < TEST_SCALARS; to++) {
        check_converted(g, GPU_FLOAT, test_scalars[to]);
        check_converted(g, GPU_DOUBLE, test_scalars[to]);
    }
    gpu_close(g);
}

Test(integers, are_converted_as_c_converts_them_on_the_host)
{
    gpu *g = gpu_open("host");
    for (size_t to = 0; to < TEST_SCALARS; to++)
        for (size_t from = 0; from < INTEGERS; from++) check_cut(g, test_scalars[from], test_scalars[to]);
    gpu_close(g);
}
