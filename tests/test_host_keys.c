/* The host device: by key, histograms, scatter, block reduce, captured arrays, and texts that are operands or work on
 * two arrays, against plain C. */
#include "support/host.h"
#include "support/line.h"
#include "support/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(host_keys, .init = test_host_begin, .fini = test_host_end, .timeout = 300);

GPU_FUNCTION(int, halved, (int x), { return x / 2; });
GPU_FUNCTION(int, thirds, (int x), { return x / 3; });
GPU_FUNCTION(bool, is_odd, (int x), { return (x & 1) != 0; });
GPU_FUNCTION(int, lesser, (int a, int b), { return a < b ? a : b; });

static void lines_fill(line *out, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = line_of((int)(i * 7919 % 1000));
}

/* ---- by key ---- */

/* Keys in runs of 1 to 5, and one that is longer than a block and one that ends the array; and what they have to
 * give. */
typedef struct keyed {
    size_t n, runs;
    gpu_type key;
    unsigned char *keys, *heads; /* heads: one key of each run */
    uint64_t *lengths, *begins;
} keyed;

static keyed keyed_of(gpu_type key, size_t n)
{
    keyed k = {.n = n, .key = key, .keys = test_alloc(n, key->size), .heads = test_alloc(n, key->size)};
    k.lengths = test_alloc(n, sizeof *k.lengths);
    k.begins = test_alloc(n, sizeof *k.begins);
    uint64_t seed = n;
    size_t left = 0;
    for (size_t i = 0; i < n; i++) {
        if (!left) left = k.runs == 3 ? 600 : 1 + test_random(&seed) % 5;
        bool begins = i == 0 || left-- == 1;
        if (begins) k.begins[k.runs++] = i;
        test_put(key, k.keys, i, test_whole(key, (int64_t)(k.runs * 5 % 97)));
        if (begins) memcpy(k.heads + (k.runs - 1) * key->size, k.keys + i * key->size, key->size);
        k.lengths[k.runs - 1]++;
    }
    return k;
}

static void keyed_free(keyed *k)
{
    free(k->keys);
    free(k->heads);
    free(k->lengths);
    free(k->begins);
}

static void check_keyed(gpu *g, const keyed *k, test_operator op, gpu_type type)
{
    const gpu_operator operator= {.snippet = test_snippet(op, type)};
    unsigned char *data = test_alloc(k->n, type->size), *scanned = test_alloc(k->n, type->size),
                  *reduced = test_alloc(k->n, type->size);
    test_operand_fill(op, type, data, k->n);
    for (size_t r = 0; r < k->runs; r++) {
        for (size_t i = k->begins[r]; i < k->begins[r] + k->lengths[r]; i++) {
            test_number v = test_get(type, data, i);
            if (i > k->begins[r]) v = test_apply(op, type, test_get(type, scanned, i - 1), v);
            test_put(type, scanned, i, v);
            test_put(type, reduced, r, v);
        }
    }
    gpu_array *keys = gpu_array_from(g, k->key, k->keys, k->n), *values = gpu_array_from(g, type, data, k->n), *heads,
              *sums;
    test_ok(gpu_reduce_by_key_op(keys, values, &operator, & heads, &sums));
    test_holds("keys", heads, k->key, k->runs, k->heads);
    test_holds("values", sums, type, k->runs, reduced);
    test_holds("scan", gpu_scan_by_key_op(keys, values, &operator), type, k->n, scanned);
    free(data);
    free(scanned);
    free(reduced);
}

Test(host_keys, types_of_keys_and_values)
{
    gpu *g = test_open_host();
    for (size_t s = 0; s < test_host_sizes(); s++) {
        for (size_t t = 0; t < TEST_SCALARS; t++) {
            gpu_scope *scope = gpu_scope_begin(g);
            gpu_type type = test_scalars[(t * 3 + s) % TEST_SCALARS];
            keyed k = keyed_of(test_scalars[t], test_sizes[s]);
            test_operator op = (test_operator)((t + s) % TEST_OPERATORS);
            check_keyed(g, &k, test_snippet(op, type) ? op : TEST_MAX, type);
            gpu_array *heads, *lengths;
            test_ok(gpu_runs(gpu_array_from(g, k.key, k.keys, k.n), &heads, &lengths));
            test_holds("runs", heads, k.key, k.runs, k.heads);
            test_holds("lengths", lengths, GPU_ULONG, k.runs, k.lengths);
            keyed_free(&k);
            gpu_scope_end(scope);
        }
    }
    test_close(g);
}

Test(host_keys, functions_of_structs)
{
    gpu *g = test_open_host();
    for (size_t s = 0; s < test_host_sizes(); s++) {
        keyed k = keyed_of(GPU_SHORT, test_sizes[s]);
        line *data = test_alloc(k.n, sizeof *data), *want = test_alloc(k.n, sizeof *want);
        lines_fill(data, k.n);
        gpu_array *keys = gpu_array_from(g, k.key, k.keys, k.n), *values = gpu_array_from(g, GPU_TYPE(line), data, k.n);
        gpu_array *heads, *products;
        for (size_t r = 0, i = 0; r < k.runs; r++)
            for (size_t end = i + k.lengths[r]; i < end; i++)
                want[i] = i == k.begins[r] ? data[i] : then(want[i - 1], data[i]);
        test_holds("scan", gpu_scan_by_key(keys, values, then), GPU_TYPE(line), k.n, want);
        for (size_t r = 0; r < k.runs; r++) want[r] = want[k.begins[r] + k.lengths[r] - 1];
        test_ok(gpu_reduce_by_key(keys, values, then, &heads, &products));
        test_holds("keys", heads, GPU_SHORT, k.runs, k.heads);
        test_holds("values", products, GPU_TYPE(line), k.runs, want);
        free(data);
        free(want);
        keyed_free(&k);
    }
    test_close(g);
}

Test(host_keys, vectors_and_nan_are_keys)
{
    gpu *g = test_open_host();
    gpu_int2 pairs[] = {{1, 2}, {1, 2}, {1, 3}, {2, 3}, {2, 3}, {1, 2}},
             pair_heads[] = {{1, 2}, {1, 3}, {2, 3}, {1, 2}};
    float floats[] = {NAN, NAN, -0.0f, 0, 1, 1};
    int ones[] = {1, 10, 100, 1000, 10000, 100000};
    gpu_array *k, *v, *values = gpu_array_of(g, ones, 6);
    test_ok(gpu_reduce_by_key(gpu_array_of(g, pairs, 6), values, "a + b", &k, &v));
    test_holds("vectors", k, GPU_INT2, 4, pair_heads);
    test_holds("of vectors", v, GPU_INT, 4, (int[]){11, 100, 11000, 100000});
    test_ok(gpu_runs(gpu_array_of(g, floats, 6), &k, &v));
    test_holds("of NaN and zeros", v, GPU_ULONG, 4, (uint64_t[]){1, 1, 2, 2});
    test_close(g);
}

/* Keys and values that are still to be computed: maps, slices, a reversal, selections. */
Test(host_keys, delayed_inputs)
{
    enum { N = 3000 };
    gpu *g = test_open_host();
    gpu_array *i = gpu_range(g, GPU_INT, N + 10), *x = gpu_slice(i, 10, N), *k, *v;
    static int keys[N], values[N];
    size_t n = 0;
    memset(values, 0, sizeof values);
    for (int j = 0; j < N; j++) {
        int key = thirds(halved(N + 9 - j));
        if (!n || keys[n - 1] != key) keys[n++] = key;
        values[n - 1] += j + 10;
    }
    test_ok(gpu_reduce_by_key(gpu_map(gpu_map(gpu_reverse(x), halved), thirds), x, "a + b", &k, &v));
    test_holds("keys", k, GPU_INT, n, keys);
    test_holds("values", v, GPU_INT, n, values);

    gpu_array *odd = gpu_filter(x, is_odd); /* 11, 13, 15, ... */
    n = 0;
    for (int j = 11; j < N + 10; j += 2) {
        if (!n || keys[n - 1] != thirds(j)) keys[n++] = thirds(j);
        values[n - 1] = j;
    }
    test_ok(gpu_reduce_by_key(gpu_map(odd, thirds), odd, "max(a, b)", &k, &v));
    test_holds("selected keys", k, GPU_INT, n, keys);
    test_holds("selected values", v, GPU_INT, n, values);
    gpu_array *none = gpu_eval(gpu_filter(odd, halved)), *nothing = gpu_filter(gpu_map(none, is_odd), thirds);
    test_ok(gpu_runs(nothing, &k, &v));
    test_holds("nothing selected", k, GPU_INT, 0, keys);
    test_holds("no lengths", v, GPU_ULONG, 0, keys);
    test_holds("no scan", gpu_scan_by_key(nothing, nothing, lesser), GPU_INT, 0, keys);
    test_close(g);
}

Test(host_keys, keyed_errors)
{
    gpu *g = test_open_host();
    line lines[3] = {{1, 2}};
    gpu_array *x = gpu_range(g, GPU_INT, 3), *y = gpu_range(g, GPU_INT, 4), *k, *v,
              *s = gpu_array_from(g, GPU_TYPE(line), lines, 3);
    test_fails(GPU_E_ARGUMENT, gpu_reduce_by_key(x, y, "a + b", &k, &v));
    test_has(gpu_error(), "gpu_reduce_by_key: there are 3 keys and 4 values");
    test_array_fails(GPU_E_ARGUMENT, k);
    test_array_fails(GPU_E_ARGUMENT, v);
    test_array_fails(GPU_E_TYPE, gpu_scan_by_key(s, x, "a + b"));
    test_fails(GPU_E_TYPE, gpu_runs(s, &k, &v));
    test_array_fails(GPU_E_SNIPPET, gpu_scan_by_key(x, x, "abs(a - b)"));
    test_has(gpu_error(), "gpu_scan_by_key: the operator \"abs(a - b)\" does not run on the host");
    test_fails(GPU_E_SNIPPET, gpu_reduce_by_key(x, s, "a + b", &k, &v));
    test_has(gpu_error(), "gpu_reduce_by_key: ");
    test_fails(GPU_E_TYPE, gpu_reduce_by_key(x, s, lesser, &k, &v));
    test_has(gpu_error(), "the parameter 'a' of lesser(int a, int b)");
    test_fails(GPU_E_SNIPPET, gpu_runs(gpu_map(x, "abs(x)"), &k, &v));
    if (!test_eager()) test_has(gpu_error(), "in gpu_map: ");
    test_close(g);
}

/* ---- histogram ---- */

__extension__ typedef __int128 exact;

/* The bin of an element, found from the first on, by bounds as the documentation has them. */
static size_t bin_of(gpu_type type, test_number x, test_number low, test_number high, size_t bins)
{
    size_t k = 0;
    if (type->kind == GPU_KIND_FLOATING) {
        if (!(x.f >= low.f && x.f < high.f)) return bins;
        float l = (float)low.f, h = (float)high.f;
        for (double bound; k + 1 < bins; k++) {
            bound = low.f + (double)(k + 1) * (high.f - low.f) / (double)bins;
            if (type == GPU_FLOAT) bound = (double)(l + (float)(k + 1) * (h - l) / (float)bins);
            if (x.f < bound) break;
        }
        return k;
    }
    bool is_signed = type->kind == GPU_KIND_SIGNED;
    exact v = is_signed ? (exact)x.s : (exact)x.u, from = is_signed ? (exact)low.s : (exact)low.u,
          to = is_signed ? (exact)high.s : (exact)high.u;
    return v < from || v >= to ? bins : (size_t)((v - from) * (exact)bins / (to - from));
}

static test_number number_of(gpu_type type, const void *value)
{
    test_number v = test_get(type, value, 0);
    if (type == GPU_DOUBLE) memcpy(&v.f, value, sizeof v.f);
    return v;
}

static void check_histogram(gpu *g, gpu_type type, const void *data, size_t n, const void *low, const void *high,
                            size_t bins)
{
    uint64_t *want = test_alloc(bins + 1, sizeof *want);
    for (size_t i = 0; i < n; i++)
        want[bin_of(type, number_of(type, (const char *)data + i * type->size), number_of(type, low),
                    number_of(type, high), bins)]++;
    gpu_array *counts, *outside, *a = gpu_array_from(g, type, data, n);
    const gpu_value from = {low, type, type->size}, to = {high, type, type->size};
    test_ok(gpu_histogram_op(a, &from, &to, bins, &counts, &outside, NULL));
    test_holds("counts", counts, GPU_ULONG, bins, want);
    test_holds("outside", outside, GPU_ULONG, 1, want + bins);
    gpu_array_free(a);
    gpu_array_free(counts);
    gpu_array_free(outside);
    free(want);
}

/* Bounds that are elements, so that some lie on the edges; and the type's extremes. */
Test(host_keys, counts_elements_at_the_edges_of_bins)
{
    static const size_t bins[] = {1, 2, 3, 10, 97, 3000};
    gpu *g = test_open_host();
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        gpu_type type = test_scalars[t];
        for (size_t s = 0; s < test_host_sizes() && test_sizes[s] <= 6145; s++) {
            size_t n = test_sizes[s];
            unsigned char *data = test_alloc(n, type->size), low[8], high[8];
            test_pattern_fill(s % 2 ? TEST_EXTREMES : TEST_RISING, type, data, n, s);
            test_put(type, low, 0, test_whole(type, s % 3 ? 5 : 0));
            test_put(type, high, 0, test_whole(type, 5 + (int64_t)(s % 5) * 17 + 13));
            check_histogram(g, type, data, n, low, high, bins[s % COUNT_OF(bins)]);
            free(data);
        }
    }
    test_close(g);
}

Test(host_keys, histograms_of_the_widest_ranges)
{
    gpu *g = test_open_host();
    int64_t longs[] = {INT64_MIN, -1, 0, 1, INT64_MAX, INT64_MAX - 1, INT64_MIN + 1, 1 << 20};
    uint64_t ulongs[] = {0, 1, UINT64_MAX, UINT64_MAX / 3, UINT64_MAX / 3 + 1, UINT64_MAX / 3 * 2, UINT64_MAX - 1};
    signed char chars[] = {-128, -127, -1, 0, 1, 126, 127};
    for (size_t bins = 1; bins <= 3000; bins = bins * 3 + 1) {
        check_histogram(g, GPU_LONG, longs, 8, &(int64_t){INT64_MIN}, &(int64_t){INT64_MAX}, bins);
        check_histogram(g, GPU_ULONG, ulongs, 7, &(uint64_t){0}, &(uint64_t){UINT64_MAX}, bins);
        check_histogram(g, GPU_CHAR, chars, 7, &(signed char){-128}, &(signed char){127}, bins);
        /* Bounds so near that bins share them once rounded. */
        float near[] = {1e8f, 1e8f + 8, 1e8f + 16, 1e8f + 24, 1e8f + 32, 1e8f - 8, NAN, INFINITY, -INFINITY};
        check_histogram(g, GPU_FLOAT, near, 9, &(float){1e8f}, &(float){1e8f + 32}, bins);
        double tenths[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, -1e-300, NAN};
        check_histogram(g, GPU_DOUBLE, tenths, 13, &(double){0}, &(double){1}, bins);
    }
    test_close(g);
}

Test(host_keys, histogram_of_delayed_arrays_and_errors)
{
    enum { N = 5000 };
    gpu *g = test_open_host();
    gpu_array *counts, *outside, *odd = gpu_filter(gpu_map(gpu_range(g, GPU_INT, N), halved), is_odd);
    test_ok(gpu_histogram(odd, &(int){100}, &(int){200}, 4, &counts, NULL));
    test_holds("of what a filter keeps", counts, GPU_ULONG, 4, (uint64_t[]){24, 26, 24, 26});
    gpu_array *x = gpu_range(g, GPU_FLOAT, 3);
    test_fails(GPU_E_ARGUMENT, gpu_histogram(x, &(float){1}, &(float){1}, 4, &counts, &outside));
    test_has(gpu_error(), "gpu_histogram: the bounds are 1 and 1");
    test_array_fails(GPU_E_ARGUMENT, counts);
    test_array_fails(GPU_E_ARGUMENT, outside);
    test_fails(GPU_E_ARGUMENT, gpu_histogram(x, &(float){0}, &(float){1}, 0, &counts, &outside));
    test_fails(GPU_E_TYPE, gpu_histogram(x, &(int){0}, &(int){1}, 4, &counts, &outside));
    test_fails(GPU_E_MEMORY, gpu_histogram(x, &(float){0}, &(float){1}, UINT32_MAX, &counts, &outside));
    test_close(g);
}

/* ---- scatter ---- */

Test(host_keys, scatter_by_every_type_of_index)
{
    static const gpu_type indices[] = {GPU_CHAR, GPU_UCHAR, GPU_SHORT, GPU_USHORT,
                                       GPU_INT,  GPU_UINT,  GPU_LONG,  GPU_ULONG};
    gpu *g = test_open_host();
    for (size_t s = 0; s < test_host_sizes(); s++) {
        gpu_type type = indices[s % COUNT_OF(indices)], element = test_scalars[s % TEST_SCALARS];
        size_t n = test_sizes[s], most = type->size == 1 ? 120 : type->size == 2 ? 30000 : n;
        if (n > most) n = most;
        unsigned char *at = test_alloc(n, type->size), *data = test_alloc(n, element->size),
                      *want = test_alloc(2 * n, element->size), *into = test_alloc(2 * n, element->size);
        test_random_fill(element, data, n, s);
        test_random_fill(element, into, 2 * n, s + 1);
        memcpy(want, into, 2 * n * element->size);
        for (size_t i = 0; i < n; i++) {
            size_t place = n - 1 - i; /* of 2 n */
            test_put(type, at, i, test_whole(type, (int64_t)place));
            memcpy(want + place * element->size, data + i * element->size, element->size);
        }
        gpu_array *whole = gpu_array_from(g, element, into, 2 * n), *a = gpu_array_from(g, element, data, n);
        test_holds("scattered", gpu_scatter(whole, gpu_array_from(g, type, at, n), a), element, 2 * n, want);
        test_holds("the old one", whole, element, 2 * n, into);
        free(at);
        free(data);
        free(want);
        free(into);
    }
    test_close(g);
}

Test(host_keys, scatter_of_structs_and_delayed_arrays)
{
    enum { N = 1000 };
    gpu *g = test_open_host();
    static line want[N], got[N];
    gpu_array *i = gpu_range(g, GPU_INT, N), *lines = gpu_map_to(i, GPU_TYPE(line), line_of);
    for (int k = 0; k < N; k++) want[k] = line_of(N - 1 - k);
    test_ok(gpu_read(gpu_scatter(gpu_reverse(lines), gpu_reverse(i), lines), got));
    test_same("reversed", GPU_TYPE(line), N, got, want);
    gpu_array *odd = gpu_filter(i, is_odd);
    int numbers[N];
    test_ok(gpu_read(gpu_scatter(gpu_fill(g, GPU_INT, &(int){-1}, N), odd, gpu_map(odd, halved)), numbers));
    for (int k = 0; k < N; k++) cr_assert_eq(numbers[k], k % 2 ? k / 2 : -1);
    test_close(g);
}

Test(host_keys, scatter_out_of_range)
{
    gpu *g = test_open_host();
    int numbers[600], got[4] = {7, 7, 7, 7}, kept[] = {1, 2, 3, 4};
    for (int k = 0; k < 600; k++) numbers[k] = k % 4;
    numbers[300] = -1;
    numbers[400] = 4;
    gpu_array *into = gpu_array_of(g, kept, 4), *at = gpu_array_of(g, numbers, 600), *a = gpu_range(g, GPU_INT, 600);
    gpu_array *bad = gpu_scatter(into, at, a);
    test_fails(GPU_E_RANGE, gpu_read(bad, got));
    test_has(gpu_error(), "gpu_scatter: the index at position 300 is out of range: there are 4 elements");
    cr_assert(got[0] == 7 && got[3] == 7);
    test_holds("what it was a copy of", into, GPU_INT, 4, kept);
    test_fails(GPU_E_RANGE, gpu_read(gpu_scatter(gpu_slice(into, 0, 0), at, a), got));
    test_has(gpu_error(), "position 0 ");
    test_holds("nothing to place", gpu_scatter(into, gpu_slice(at, 0, 0), gpu_slice(a, 0, 0)), GPU_INT, 4, kept);
    test_array_fails(GPU_E_ARGUMENT, gpu_scatter(into, at, gpu_slice(a, 1, 10)));
    test_array_fails(GPU_E_TYPE, gpu_scatter(into, gpu_range(g, GPU_FLOAT, 4), into));
    test_array_fails(GPU_E_TYPE, gpu_scatter(into, at, gpu_range(g, GPU_FLOAT, 600)));
    test_close(g);
}

/* ---- block reduce ---- */

static void check_blocks(gpu *g, size_t n, size_t block)
{
    size_t count = n / block + (n % block != 0);
    line *data = test_alloc(n, sizeof *data), *want = test_alloc(count, sizeof *want);
    int64_t *sums = test_alloc(count, sizeof *sums);
    lines_fill(data, n);
    for (size_t i = 0; i < n; i++) {
        sums[i / block] += (int64_t)i;
        want[i / block] = i % block ? then(want[i / block], data[i]) : data[i];
    }
    gpu_array *x = gpu_array_from(g, GPU_TYPE(line), data, n), *i = gpu_range(g, GPU_LONG, n);
    test_holds("products", gpu_block_reduce(x, block, then), GPU_TYPE(line), count, want);
    test_holds("sums", gpu_block_reduce(i, block, "a + b"), GPU_LONG, count, sums);
    free(data);
    free(want);
    free(sums);
}

Test(host_keys, reduces_blocks_of_all_sizes)
{
    static const size_t blocks[] = {1, 2, 3, 32, 255, 256, 257, 512, 1000, 5000, 100000, SIZE_MAX};
    gpu *g = test_open_host();
    for (size_t s = 0; s < test_host_sizes(); s++)
        for (size_t b = s % 3; b < COUNT_OF(blocks); b += 3) {
            gpu_scope *scope = gpu_scope_begin(g);
            check_blocks(g, test_sizes[s], blocks[b]);
            gpu_scope_end(scope);
        }
    gpu_array *odd = gpu_filter(gpu_range(g, GPU_INT, 20), is_odd);
    test_holds("of what a filter keeps", gpu_block_reduce(odd, 4, lesser), GPU_INT, 3, (int[]){1, 9, 17});
    test_close(g);
}

Test(host_keys, refuses_blocks_of_no_elements_and_texts_for_devices)
{
    gpu *g = test_open_host();
    gpu_array *odd = gpu_filter(gpu_range(g, GPU_INT, 20), is_odd);
    test_array_fails(GPU_E_ARGUMENT, gpu_block_reduce(odd, 0, lesser));
    test_array_fails(GPU_E_SNIPPET, gpu_block_reduce(odd, 4, "abs(a - b)"));
    test_has(gpu_error(), "gpu_block_reduce: the operator \"abs(a - b)\" does not run on the host");
    test_close(g);
}

/* ---- captured arrays ---- */

GPU_STRUCT(weighted, int value; float weight; gpu_float2 at;);
GPU_FUNCTION(int, looked_up, (int x, GPU_GLOBAL const int *table, int k), { return table[x % k] + x; });
GPU_FUNCTION(float, weight_at, (uint64_t x, const GPU_GLOBAL weighted *const table, uint64_t i),
             { return table[x].weight + table[i].at.y; });
GPU_FUNCTION(bool, is_listed, (int x, GPU_GLOBAL int const *restrict table), { return table[x] != 0; });
GPU_FUNCTION(int, capped, (int a, int b, GPU_GLOBAL const int *most), {
    int sum = a + b;
    return sum < most[0] ? sum : most[0];
});
GPU_FUNCTION(int, by_value, (int x, int table), { return x + table; });
GPU_FUNCTION(int, of_shorts, (int x, GPU_GLOBAL const short *table), { return x + table[0]; });
GPU_FUNCTION(int, from_const, (int x, const int *table), { return x + table[0]; });
GPU_FUNCTION(int, writes, (int x, GPU_GLOBAL int *table), { return table[0] = x; });
GPU_FUNCTION(int, not_first, (GPU_GLOBAL const int *x), { return x[0]; });
GPU_FUNCTION(int, never_reads, (int x, GPU_GLOBAL const int *table), { return x < 0 ? table[0] : x; });

Test(host_keys, a_captured_array_may_be_delayed_and_freed_before_it_is_read)
{
    enum { N = 1000 };
    gpu *g = test_open_host();
    int numbers[20], k = 7, want[N];
    for (int j = 0; j < 20; j++) numbers[j] = j * j;
    gpu_array *x = gpu_range(g, GPU_INT, N), *whole = gpu_array_of(g, numbers, 20);
    gpu_array *table = gpu_map(gpu_slice(whole, 3, 10), halved);
    for (int j = 0; j < N; j++) want[j] = numbers[3 + j % 7] / 2 + j;
    gpu_array *y = gpu_map(x, looked_up, GPU_ARG(table), GPU_ARG(k));
    gpu_array_free(table);
    gpu_array_free(whole);
    test_holds("map", y, GPU_INT, N, want);
    test_close(g);
}

Test(host_keys, a_captured_array_may_have_structs)
{
    gpu *g = test_open_host();
    weighted structs[50];
    float weights[50];
    for (int j = 0; j < 50; j++) structs[j] = (weighted){j, (float)j / 4, {0, (float)j}};
    for (int j = 0; j < 50; j++) weights[j] = (float)(49 - j) / 4 + (float)j;
    gpu_array *table = gpu_array_from(g, GPU_TYPE(weighted), structs, 50);
    gpu_array *back = gpu_reverse(gpu_range(g, GPU_ULONG, 50));
    test_holds("structs", gpu_map_to(back, GPU_FLOAT, weight_at, GPU_ARG(table)), GPU_FLOAT, 50, weights);
    test_close(g);
}

Test(host_keys, predicates_read_captured_arrays)
{
    enum { N = 1000 };
    gpu *g = test_open_host();
    int flags[N] = {[3] = 1, [500] = 1, [999] = 1};
    size_t count;
    gpu_array *x = gpu_range(g, GPU_INT, N), *table = gpu_array_of(g, flags, N);
    test_holds("filter", gpu_filter(x, is_listed, GPU_ARG(table)), GPU_INT, 3, (int[]){3, 500, 999});
    test_ok(gpu_count(x, is_listed, &count, GPU_ARG(table)));
    cr_assert_eq(count, 3);
    test_close(g);
}

Test(host_keys, operators_of_reductions_and_scans_read_captured_arrays)
{
    gpu *g = test_open_host();
    int limit = 1000, sum;
    gpu_array *x = gpu_range(g, GPU_INT, 1000), *most = gpu_array_of(g, &limit, 1), *keys, *sums;
    test_ok(gpu_reduce(x, capped, &sum, GPU_ARG(most)));
    cr_assert_eq(sum, 1000);
    test_holds("scan", gpu_scan(gpu_slice(x, 499, 4), capped, GPU_ARG(most)), GPU_INT, 4,
               (int[]){499, 999, 1000, 1000});
    test_ok(gpu_reduce_by_key(gpu_map(gpu_slice(x, 400, 4), halved), gpu_slice(x, 400, 4), capped, &keys, &sums,
                              GPU_ARG(most)));
    test_holds("by key", sums, GPU_INT, 2, (int[]){801, 805});
    test_close(g);
}

Test(host_keys, a_captured_array_may_be_empty)
{
    gpu *g = test_open_host();
    gpu_array *x = gpu_range(g, GPU_INT, 3), *table = gpu_slice(x, 2, 0);
    test_holds("an empty one", gpu_map(x, never_reads, GPU_ARG(table)), GPU_INT, 3, (int[]){0, 1, 2});
    test_close(g);
}

Test(host_keys, captured_arrays_that_do_not_fit)
{
    gpu *g = test_open_host();
    int k = 3;
    gpu_array *x = gpu_range(g, GPU_INT, 3), *table = x;
    test_array_fails(GPU_E_TYPE, gpu_map(x, by_value, GPU_ARG(table)));
    test_has(gpu_error(), "the parameter 'table' of by_value(int x, int table)");
    test_has(gpu_error(), "is of type int, and gets an array of int");
    test_array_fails(GPU_E_TYPE, gpu_map(x, of_shorts, GPU_ARG(table)));
    test_has(gpu_error(), "is an array of short, and gets an array of int");
    test_array_fails(GPU_E_TYPE, gpu_map(x, looked_up, GPU_ARG_AS(table, GPU_INT, k), GPU_ARG(k)));
    test_has(gpu_error(), "is an array of int, and gets int");
    test_array_fails(GPU_E_TYPE, gpu_map(x, not_first));
    test_has(gpu_error(), "the parameter 'x' of not_first");
    test_array_fails(GPU_E_TYPE, gpu_map(x, from_const, GPU_ARG(table)));
    test_has(gpu_error(), "GPU_GLOBAL const float *name");
    test_array_fails(GPU_E_TYPE, gpu_map(x, writes, GPU_ARG(table)));
    test_has(gpu_error(), "GPU_GLOBAL const float *name");
    test_close(g);
}

/* ---- texts ---- */

Test(host_keys, operands_alone_and_pairs)
{
    gpu *g = test_open_host();
    int data[] = {3, 0, -7, 300}, first, last;
    unsigned char narrow[] = {3, 0, 249, 44};
    gpu_array *x = gpu_array_of(g, data, 4), *y = gpu_reverse(x);
    test_holds("x", gpu_map_to(x, GPU_UCHAR, " x /* as it is */"), GPU_UCHAR, 4, narrow);
    test_holds("i", gpu_map_to(x, GPU_SHORT, "i"), GPU_SHORT, 4, (short[]){0, 1, 2, 3});
    test_holds("y", gpu_map2(x, y, "y"), GPU_INT, 4, (int[]){300, -7, 0, 3});
    test_holds("z", gpu_map3(x, y, y, "z"), GPU_INT, 4, (int[]){300, -7, 0, 3});
    test_holds("filtered by x", gpu_filter(x, "x"), GPU_INT, 3, (int[]){3, -7, 300});
    test_ok(gpu_reduce(x, "a", &first));
    test_ok(gpu_reduce(x, "b", &last));
    cr_assert(first == 3 && last == 300);
    test_holds("x + y", gpu_map2(x, y, "x + y"), GPU_INT, 4, (int[]){303, -7, -7, 303});
    test_holds("min(x, y)", gpu_map2(x, y, "min(x,y)"), GPU_INT, 4, (int[]){3, -7, -7, 3});
    line lines[2] = {{1, 2}, {3, 4}}, one;
    gpu_array *s = gpu_array_from(g, GPU_TYPE(line), lines, 2);
    test_holds("structs", gpu_map(s, "x"), GPU_TYPE(line), 2, lines);
    test_ok(gpu_reduce(s, "b", &one));
    test_same("the last", GPU_TYPE(line), 1, &one, &lines[1]);
    /* Other types; names that are no operands there. */
    test_array_fails(GPU_E_SNIPPET, gpu_map2(s, s, "x + y"));
    test_array_fails(GPU_E_SNIPPET, gpu_map(x, "y"));
    test_array_fails(GPU_E_SNIPPET, gpu_map(x, "a"));
    test_array_fails(GPU_E_SNIPPET, gpu_scan(x, "x"));
    test_array_fails(GPU_E_SNIPPET, gpu_scan(x, "i"));
    test_array_fails(GPU_E_SNIPPET, gpu_map_to(s, GPU_INT, "x"));
    test_array_fails(GPU_E_SNIPPET, gpu_map_to(x, GPU_TYPE(line), "i"));
    test_array_fails(GPU_E_SNIPPET, gpu_map(x, "x;"));
    test_close(g);
}

/* ---- faults ---- */

typedef struct results {
    int keys[300], least[300], scanned[600], placed[600], looked[600];
    uint64_t lengths[300], counts[10], outside;
    line blocks[6];
} results;

static gpu_status program(void *out)
{
    results *r = out;
    int k = 7;
    gpu *g = gpu_open("host"); /* all that follows accepts NULL */
    gpu_array *i = gpu_range(g, GPU_INT, 600), *h = gpu_map(i, halved), *keys, *least, *lengths, *counts, *outside;
    gpu_status status = gpu_reduce_by_key(h, i, lesser, &keys, &least);
    if (!status) status = gpu_read(keys, r->keys);
    if (!status) status = gpu_read(least, r->least);
    if (!status) status = gpu_runs(h, &keys, &lengths);
    if (!status) status = gpu_read(lengths, r->lengths);
    if (!status) status = gpu_read(gpu_scan_by_key(h, i, "a + b"), r->scanned);
    if (!status) status = gpu_histogram(h, &(int){10}, &(int){200}, 10, &counts, &outside);
    if (!status) status = gpu_read(counts, r->counts);
    if (!status) status = gpu_read(outside, &r->outside);
    if (!status) status = gpu_read(gpu_scatter(i, gpu_reverse(i), h), r->placed);
    if (!status) status = gpu_read(gpu_block_reduce(gpu_map_to(i, GPU_TYPE(line), line_of), 100, then), r->blocks);
    if (!status)
        status = gpu_read(gpu_map(i, looked_up, GPU_ARG_AS(table, GPU_CAPTURE_ARRAY, h), GPU_ARG(k)), r->looked);
    gpu_close(g);
    return status;
}

Test(host_keys, each_allocation)
{
    static results want, got;
    test_host_faults(program, &want, &got, sizeof want);
    cr_assert(want.least[299] == 598 && want.lengths[7] == 2 && want.placed[0] == 299 && want.counts[0] == 38);
}
