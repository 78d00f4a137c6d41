/* gpu_bin_reduce: few bins and many, every type of keys and values, order, range, pipelines, arguments. */
#include "support/functions.h"
#include "support/line.h"
#include "support/reference.h"

#include <stdlib.h>
#include <string.h>

GPU_STRUCT(wide, unsigned v[40];);
GPU_FUNCTION(wide, add_wide, (wide p, wide q), {
    for (int k = 0; k < 40; k++) p.v[k] += q.v[k];
    return p;
});
GPU_FUNCTION(unsigned, spread, (unsigned x, unsigned bins), { return (x * 2654435761u >> 7) % bins; });

/* Kernels for few bins have these in local memory; others are atomic, or sort. */
static const size_t bin_counts[] = {1, 2, 7, 24, 128, 200, 300, 3000, 20000, 70000};

static void fill_keys(unsigned *keys, size_t n, size_t bins)
{
    for (size_t i = 0; i < n; i++) keys[i] = (unsigned)((uint32_t)i * 2654435761u >> 7) % (unsigned)bins;
}

/* ---- ints ---- */

static void check_ints(gpu *g, const int *x, const unsigned *keys, size_t n, size_t bins, const void *function,
                       const char *text)
{
    gpu_scope *scope = gpu_scope_begin(g);
    const int start = 3;
    int *want = test_alloc(bins, sizeof *want);
    for (size_t k = 0; k < bins; k++) want[k] = start;
    for (size_t i = 0; i < n; i++) {
        int *at = &want[keys[i]];
        *at = !strcmp(text, "a ^ b")       ? *at ^ x[i]
              : !strcmp(text, "a & b")     ? *at & x[i]
              : !strcmp(text, "a | b")     ? *at | x[i]
              : !strcmp(text, "max(a, b)") ? larger(*at, x[i])
                                           : add(*at, x[i]);
    }
    gpu_array *k = gpu_array_of(g, keys, n), *a = gpu_array_of(g, x, n);
    char what[80];
    snprintf(what, sizeof what, "%zu ints in %zu bins by %s", n, bins, text);
    if (function) test_holds(what, gpu_bin_reduce(k, a, bins, &start, function), GPU_INT, bins, want);
    if (!function) test_holds(what, gpu_bin_reduce(k, a, bins, &start, text), GPU_INT, bins, want);
    free(want);
    gpu_scope_end(scope);
}

static void check_every_size(const void *function, const char *text)
{
    gpu *g = test_open();
    const size_t most = test_limit(100000), lengths[] = {0, 1, 2, 100, 1024, 1025, 9999, most};
    int *x = test_alloc(most, sizeof *x);
    unsigned *keys = test_alloc(most, sizeof *keys);
    for (size_t k = 0; k < most; k++) x[k] = (int)(k * 7919 % 1000) - 300;
    for (size_t b = 0; b < COUNT_OF(bin_counts); b++) {
        fill_keys(keys, most, bin_counts[b]);
        for (size_t k = 0; k < COUNT_OF(lengths); k++)
            if (lengths[k] <= most) check_ints(g, x, keys, lengths[k], bin_counts[b], function, text);
    }
    free(x);
    free(keys);
    test_close(g);
}

Test(bins, sums_the_values_of_each_bin_in_all_sizes)
{
    check_every_size(NULL, "a + b");
}

Test(bins, operators_without_an_identity)
{
    check_every_size(NULL, "max(a, b)");
}

Test(bins, combines_by_a_function_in_all_sizes)
{
    check_every_size(__extension__(const void *) add, "add");
}

Test(bins, atomic_operators)
{
    gpu *g = test_open();
    enum { N = 5000, BINS = 700 };
    int x[N];
    unsigned keys[N];
    for (int k = 0; k < N; k++) x[k] = k * 7919 | 1;
    fill_keys(keys, N, BINS);
    check_ints(g, x, keys, N, BINS, NULL, "a & b");
    check_ints(g, x, keys, N, BINS, NULL, "a | b");
    check_ints(g, x, keys, N, BINS, NULL, "a ^ b");
    test_close(g);
}

Test(bins, all_bits_that_the_values_share_stay)
{
    gpu *g = test_open();
    enum { N = 5000, BINS = 24 };
    int x[N], want[BINS];
    unsigned keys[N];
    fill_keys(keys, N, BINS);
    for (int k = 0; k < N; k++) x[k] = ~(1 << keys[k]);
    for (int k = 0; k < BINS; k++) want[k] = ~(1 << k);
    gpu_array *got = gpu_bin_reduce(gpu_array_of(g, keys, N), gpu_array_of(g, x, N), BINS, &(int){-1}, "a & b");
    test_holds("shared bits", got, GPU_INT, BINS, want);
    test_close(g);
}

Test(bins, vectors_are_multiplied_by_component)
{
    gpu *g = test_open();
    enum { N = 5000, BINS = 24 };
    const gpu_uint2 one = {1, 1};
    gpu_uint2 x[N], want[BINS];
    unsigned keys[N];
    fill_keys(keys, N, BINS);
    for (int k = 0; k < BINS; k++) want[k] = one;
    for (unsigned k = 0; k < N; k++) {
        x[k] = (gpu_uint2){2 * k + 1, 4 * k + 3};
        want[keys[k]].x *= x[k].x;
        want[keys[k]].y *= x[k].y;
    }
    gpu_array *got = gpu_bin_reduce(gpu_array_of(g, keys, N), gpu_array_from(g, GPU_UINT2, x, N), BINS, &one, "a * b");
    test_holds("products", got, GPU_UINT2, BINS, want);
    test_close(g);
}

/* ---- order ---- */

Test(bins, values_are_combined_in_order)
{
    enum { N = 20000 };
    gpu *g = test_open();
    line *x = test_alloc(N, sizeof *x);
    unsigned *keys = test_alloc(N, sizeof *keys);
    const line start = line_of(77);
    for (int k = 0; k < N; k++) x[k] = line_of(k * 7919);
    for (size_t b = 0; b < COUNT_OF(bin_counts); b++) {
        const size_t bins = bin_counts[b], n = b % 2 ? N : N / 7;
        fill_keys(keys, n, bins);
        line *want = test_alloc(bins, sizeof *want);
        for (size_t k = 0; k < bins; k++) want[k] = start;
        for (size_t i = 0; i < n; i++) want[keys[i]] = then(want[keys[i]], x[i]);
        gpu_array *got =
            gpu_bin_reduce(gpu_array_of(g, keys, n), gpu_array_from(g, GPU_TYPE(line), x, n), bins, &start, then);
        test_holds("lines in order", got, GPU_TYPE(line), bins, want);
        free(want);
    }
    free(x);
    free(keys);
    test_close(g);
}

Test(bins, bits_are_the_same_each_time)
{
    const size_t n = test_limit(40000);
    gpu *g = test_open();
    float *x = test_alloc(n, sizeof *x), *one = test_alloc(70000, sizeof *one), *two = test_alloc(70000, sizeof *two);
    unsigned *keys = test_alloc(n, sizeof *keys);
    for (size_t k = 0; k < n; k++) x[k] = (float)(k * 7919 % 1000) / 3;
    for (size_t b = 0; b < COUNT_OF(bin_counts); b++) {
        const size_t bins = bin_counts[b];
        fill_keys(keys, n, bins);
        gpu_array *k = gpu_array_of(g, keys, n), *a = gpu_array_of(g, x, n);
        test_ok(gpu_read(gpu_bin_reduce(k, a, bins, &(float){1}, "a + b"), one));
        test_ok(gpu_read(gpu_bin_reduce(k, a, bins, &(float){1}, "a + b"), two));
        cr_assert(!memcmp(one, two, bins * sizeof *one), "%zu bins", bins);
    }
    free(x);
    free(one);
    free(two);
    free(keys);
    test_close(g);
}

/* A loop in C has these bits. */
Test(bins, few_values_from_left_to_right)
{
    enum { N = 1000, BINS = 3 };
    gpu *g = test_open();
    float x[N], want[BINS] = {0, 0, 0};
    unsigned keys[N];
    for (int k = 0; k < N; k++) x[k] = (float)(k * 7919 % 1000) / 3;
    fill_keys(keys, N, BINS);
    for (int k = 0; k < N; k++) want[keys[k]] += x[k];
    gpu_array *got = gpu_bin_reduce(gpu_array_of(g, keys, N), gpu_array_of(g, x, N), BINS, &(float){0}, "a + b");
    if (!test_tiny()) test_holds("bits", got, GPU_FLOAT, BINS, want);
    test_close(g);
}

/* ---- types ---- */

Test(bins, every_type_of_keys)
{
    enum { N = 3000, BINS = 100 };
    gpu *g = test_open();
    unsigned keys[N];
    int ones[N], want[BINS] = {0};
    fill_keys(keys, N, BINS);
    for (int k = 0; k < N; k++) ones[k] = 1;
    for (int k = 0; k < N; k++) want[keys[k]]++;
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        gpu_type type = test_scalars[t];
        if (type->kind == GPU_KIND_FLOATING || !(test_takes_type(t, 0) || test_takes_type(t, 3))) continue;
        unsigned char typed[N * 8];
        for (int k = 0; k < N; k++) test_put(type, typed, (size_t)k, test_whole(type, keys[k]));
        gpu_array *k = gpu_array_from(g, type, typed, N);
        test_holds(type->name, gpu_bin_reduce(k, gpu_array_of(g, ones, N), BINS, &(int){0}, "a + b"), GPU_INT, BINS,
                   want);
    }
    test_close(g);
}

Test(bins, every_type_of_values)
{
    enum { N = 2000, BINS = 500 };
    gpu *g = test_open();
    unsigned keys[N];
    fill_keys(keys, N, BINS);
    gpu_array *k = gpu_array_of(g, keys, N);
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        gpu_type type = test_scalars[t];
        if (!test_takes_type(t, 1) && type != GPU_FLOAT) continue;
        unsigned char x[N * 8], want[BINS * 8], zero[8] = {0};
        test_operand_fill(TEST_ADD, type, x, N);
        for (size_t b = 0; b < BINS; b++) test_put(type, want, b, test_whole(type, 0));
        for (size_t i = 0; i < N; i++)
            test_put(type, want, keys[i],
                     test_apply(TEST_ADD, type, test_get(type, want, keys[i]), test_get(type, x, i)));
        gpu_array *a = gpu_array_from(g, type, x, N);
        const gpu_value start = {zero, type, type->size};
        const gpu_operator op = {.snippet = "a + b", .place = GPU_HERE};
        test_holds(type->name, gpu_bin_reduce_op(k, a, BINS, &start, &op), type, BINS, want);
    }
    test_close(g);
}

Test(bins, large_values)
{
    enum { N = 500, BINS = 30 };
    gpu *g = test_open();
    wide *x = test_alloc(N, sizeof *x), *want = test_alloc(BINS, sizeof *want), start = {{0}};
    unsigned keys[N];
    test_random_fill(GPU_UINT, x, N * 40, 3);
    fill_keys(keys, N, BINS);
    for (size_t i = 0; i < N; i++) want[keys[i]] = add_wide(want[keys[i]], x[i]);
    gpu_array *a = gpu_array_from(g, GPU_TYPE(wide), x, N), *k = gpu_array_of(g, keys, N);
    test_holds("large structs", gpu_bin_reduce(k, a, BINS, &start, add_wide), GPU_TYPE(wide), BINS, want);
    free(x);
    free(want);
    test_close(g);
}

/* ---- range ---- */

static void check_outside(gpu *g, gpu_array *keys, size_t bins, const char *says)
{
    gpu_array *ones = gpu_fill(g, GPU_INT, &(int){1}, gpu_length(keys));
    int *got = test_alloc(bins, sizeof *got);
    test_fails(GPU_E_RANGE, gpu_read(gpu_bin_reduce(keys, ones, bins, &(int){0}, "a + b"), got));
    test_has(gpu_error(), "gpu_bin_reduce: the key at position ");
    test_has(gpu_error(), " bins");
    free(got);
    test_has(gpu_error(), says);
}

Test(bins, keys_outside)
{
    gpu *g = test_open();
    const int low[] = {0, 1, -1, 0, -2};
    const unsigned char high[] = {0, 1, 99, 100, 5};
    for (size_t b = 0; b < COUNT_OF(bin_counts); b++) {
        const size_t bins = bin_counts[b] > 1 ? bin_counts[b] : 2;
        check_outside(g, gpu_array_of(g, low, 5), bins, "2");
    }
    check_outside(g, gpu_array_of(g, high, 5), 100, "3");
    test_close(g);
}

/* ---- pipelines ---- */

Test(bins, maps_are_fused)
{
    enum { N = 1000, BINS = 10 };
    gpu *g = test_open();
    const unsigned bins = BINS;
    int want[BINS] = {0};
    for (unsigned k = 0; k < N; k++) want[spread(k, bins)] += 2 * (int)k;
    gpu_array *keys = gpu_map(gpu_range(g, GPU_UINT, N), spread, GPU_ARG(bins));
    gpu_array *values = gpu_map(gpu_range(g, GPU_INT, N), twice);
    const uint64_t before = test_stats(g).kernels_launched;
    gpu_array *got = gpu_eval(gpu_bin_reduce(keys, values, BINS, &(int){0}, "a + b"));
    const uint64_t launches = test_stats(g).kernels_launched - before;
    cr_assert(test_eager() || test_tiny() || launches <= 2, "%d launches", (int)launches);
    test_holds("of maps", got, GPU_INT, BINS, want);
    test_close(g);
}

Test(bins, lengths_that_the_device_knows)
{
    enum { N = 3000, BINS = 7 };
    gpu *g = test_open();
    for (int least = 0; least <= N; least += 500) {
        int want[BINS] = {0};
        for (int k = least; k < N; k++) want[k % BINS] += k;
        gpu_array *some = gpu_filter(gpu_range(g, GPU_INT, N), is_at_least, GPU_ARG(least));
        gpu_array *keys = gpu_map_to(some, GPU_UINT, "x % 7");
        test_holds("kept", gpu_bin_reduce(keys, some, BINS, &(int){0}, "a + b"), GPU_INT, BINS, want);
    }
    test_close(g);
}

Test(bins, is_a_step_of_a_compiled_function)
{
    gpu *g = test_open();
    gpu_array *k = gpu_symbol(g, GPU_UINT), *v = gpu_symbol(g, GPU_INT), *got;
    gpu_status (*totals)(gpu_array * *out, const gpu_array *k, const gpu_array *v) = NULL;
    {
        const int start = 100;
        test_ok(gpu_compile(&totals, gpu_map(gpu_bin_reduce(k, v, 3, &start, add), twice), k, v));
    }
    test_ok(totals(&got, gpu_array_of(g, ((unsigned[]){2, 0, 2}), 3), gpu_array_of(g, ((int[]){1, 2, 3}), 3)));
    test_holds("compiled", got, GPU_INT, 3, (int[]){204, 200, 208});
    test_close(g);
}

/* ---- arguments ---- */

Test(bins, refuses_wrong_arguments)
{
    gpu *g = test_open();
    gpu_array *k = gpu_range(g, GPU_UINT, 4), *x = gpu_range(g, GPU_INT, 4);
    test_array_fails(GPU_E_ARGUMENT, gpu_bin_reduce(NULL, x, 4, &(int){0}, "a + b"));
    test_array_fails(GPU_E_ARGUMENT, gpu_bin_reduce(k, NULL, 4, &(int){0}, "a + b"));
    test_array_fails(GPU_E_ARGUMENT, gpu_bin_reduce(k, x, 0, &(int){0}, "a + b"));
    test_has(gpu_error(), "gpu_bin_reduce: there are no bins: keys are integers below their number");
    test_array_fails(GPU_E_ARGUMENT, gpu_bin_reduce(k, x, 4, (int *)NULL, "a + b"));
    test_array_fails(GPU_E_TYPE, gpu_bin_reduce(k, x, 4, &(float){0}, "a + b"));
    test_has(gpu_error(), "gpu_bin_reduce: 'start' points to float, and the elements are int");
    test_array_fails(GPU_E_TYPE, gpu_bin_reduce(gpu_range(g, GPU_FLOAT, 4), x, 4, &(int){0}, "a + b"));
    test_has(gpu_error(), "gpu_bin_reduce: the keys must be integers, and are float");
    test_array_fails(GPU_E_ARGUMENT, gpu_bin_reduce(gpu_range(g, GPU_UINT, 3), x, 4, &(int){0}, "a + b"));
    test_has(gpu_error(), "there are 3 keys and 4 values, and there must be equally many");
    test_close(g);
}
