/* Sorts and what is made of them on the host device, in a process that finds no OpenCL platform, against plain C. */
#include "support/host.h"
#include "support/orders.h"
#include "support/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(host_sort, .init = test_host_begin, .fini = test_host_end, .timeout = 300);

GPU_STRUCT(record, int group; unsigned int rank; unsigned int index; unsigned int more;);
GPU_STRUCT(colour, unsigned char red; unsigned char green; unsigned char blue;);
GPU_STRUCT(wide, unsigned int v[64];);

/* Of the long arrays, which mean the same to all, each case tries one in four. */
static bool is_tried(size_t size, size_t k)
{
    return test_full() || test_sizes[size] <= 2000 || (size + k) % 4 == 0;
}

/* The elements of `data` in this order, stable. */
static void *sorted_of(gpu_type type, const void *data, test_before *before, size_t n)
{
    void *sorted = test_alloc(n, type->size);
    uint64_t *order = test_alloc(n, sizeof *order);
    test_order(type, data, n, before, order);
    test_gather(type, data, order, n, sorted);
    free(order);
    return sorted;
}

/* The bits of these elements, and no others. */
static void holds_elements(const char *what, const gpu_array *a, gpu_type type, const void *want, size_t n)
{
    cr_assert(gpu_type_equal(gpu_type_of(a), type), "%s: elements of another type", what);
    test_holds(what, a, test_bits(type), n, want);
}

static void holds_sorted(const char *what, const gpu_array *a, gpu_type type, const void *data, test_before *before,
                         size_t n)
{
    void *want = sorted_of(type, data, before, n);
    holds_elements(what, a, type, want, n);
    free(want);
}

/* ---- the elements' own order ---- */

static void check_own_order(gpu *g, gpu_type type, test_pattern pattern, size_t n)
{
    static const gpu_sort_options options[] = {
        {GPU_SORT_AUTO, false},   {GPU_SORT_AUTO, true},   {GPU_SORT_MERGE, false},
        {GPU_SORT_BITONIC, true}, {GPU_SORT_RADIX, false}, {GPU_SORT_RADIX, true},
    };
    gpu_scope *scope = gpu_scope_begin(g);
    char what[96];
    void *data = test_alloc(n, type->size);
    test_pattern_fill(pattern, type, data, n, n);
    void *up = sorted_of(type, data, test_ascending, n), *down = sorted_of(type, data, test_descending, n);
    gpu_array *a = gpu_array_from(g, type, data, n);
    for (size_t k = 0; k < (n <= 1025 ? COUNT_OF(options) : 2); k++) {
        snprintf(what, sizeof what, "%zu of type %s, pattern %d, options %zu", n, type->name, (int)pattern, k);
        holds_elements(what, gpu_sort_with(a, &options[k], NULL), type, options[k].descending ? down : up, n);
    }
    holds_elements(what, gpu_sort(a), type, up, n);
    test_holds("the input", a, test_bits(type), n, data);
    free(data);
    free(up);
    free(down);
    gpu_scope_end(scope);
}

Test(host_sort, every_type_pattern_and_length)
{
    gpu *g = test_open_host();
    for (size_t t = 0; t < TEST_SCALARS; t++)
        for (size_t k = 0; k < test_host_sizes(); k++)
            for (int p = 0; p < TEST_PATTERNS; p++)
                if (is_tried(k, t) && (test_sizes[k] <= 129 || p == TEST_BITS || (size_t)p == k % TEST_PATTERNS))
                    check_own_order(g, test_scalars[t], (test_pattern)p, test_sizes[k]);
    test_close(g);
}

Test(host_sort, zeros_and_nan)
{
    gpu *g = test_open_host();
    double data[] = {NAN, 0.0, -0.0, INFINITY, -NAN, -1, -INFINITY, -0.0, 0.0, 1},
           up[] = {-INFINITY, -1, 0.0, -0.0, -0.0, 0.0, 1, INFINITY, NAN, -NAN},
           down[] = {INFINITY, 1, 0.0, -0.0, -0.0, 0.0, -1, -INFINITY, NAN, -NAN};
    gpu_array *x = gpu_array_of(g, data, 10);
    test_holds("ascending", gpu_sort(x), GPU_ULONG, 10, up); /* bit by bit */
    test_holds("descending", gpu_sort_with(x, (&(gpu_sort_options){GPU_SORT_AUTO, true}), NULL), GPU_ULONG, 10, down);
    test_holds("the largest", gpu_top(x, 3), GPU_ULONG, 3, down);
    test_holds("places", gpu_argsort(x), GPU_ULONG, 10, (uint64_t[]){6, 5, 1, 2, 7, 8, 9, 3, 0, 4});
    test_close(g);
}

/* The result; the room for as many elements again is no buffer. */
Test(host_sort, takes_one_buffer)
{
    gpu *g = test_open_host();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_FLOAT, 10000));
    gpu_stats before = test_stats(g);
    test_array_ok(gpu_sort(x));
    gpu_stats after = test_stats(g);
    cr_assert_eq(after.buffers_created + after.buffers_reused - before.buffers_created - before.buffers_reused, 1);
    cr_assert_eq(after.live_buffers, before.live_buffers + 1);
    cr_assert_eq(after.driver_calls, 0);
    test_close(g);
}

/* ---- comparators ---- */

static bool smaller(gpu_type type, const void *p, const void *q)
{
    return test_less(type, test_get(type, p, 0), test_get(type, q, 0));
}

static bool larger(gpu_type type, const void *p, const void *q)
{
    return smaller(type, q, p);
}

/* Texts that are recognised, for all types; numbers that are no NaN. */
Test(host_sort, recognised_comparators)
{
    gpu *g = test_open_host();
    for (size_t t = 0; t < 2 * TEST_SCALARS * test_host_sizes(); t++) {
        size_t n = test_sizes[t / TEST_SCALARS / 2];
        gpu_type type = test_scalars[t % TEST_SCALARS];
        bool descending = t / TEST_SCALARS % 2;
        if (!is_tried(t / TEST_SCALARS / 2, t)) continue;
        gpu_sort_options options = {n % 2 ? GPU_SORT_AUTO : GPU_SORT_BITONIC, descending};
        void *data = test_alloc(n, type->size);
        test_random_fill(type, data, n, t);
        gpu_array *a = gpu_array_from(g, type, data, n), *up = gpu_sort_with(a, &options, "a < b"),
                  *down = gpu_sort_with(a, &options, " a>b /* the largest first */");
        holds_sorted("a < b", up, type, data, descending ? larger : smaller, n);
        holds_sorted("a > b", down, type, data, descending ? smaller : larger, n);
        gpu_array_free(up);
        gpu_array_free(down);
        gpu_array_free(a);
        free(data);
    }
    test_close(g);
}

GPU_FUNCTION(int, ranked, (record p, record q),
             { return p.group % 5 < q.group % 5 || (p.group % 5 == q.group % 5 && p.rank % 3 > q.rank % 3); });
GPU_FUNCTION(bool, redder, (colour p, colour q), { return p.red % 4 < q.red % 4; });
GPU_FUNCTION(uint8_t, by_ends, (wide p, wide q), { return p.v[63] % 16 < q.v[63] % 16; });
GPU_FUNCTION(float, by_z, (gpu_float4 p, gpu_float4 q), { return p.z > q.z ? 0.5f : 0; });
GPU_FUNCTION(int, nearer, (int64_t p, double q, int64_t centre),
             { return (p - centre) * (p - centre) < ((int64_t)q - centre) * ((int64_t)q - centre); });

/* The same for the reference. */
#define BEFORE(name, T, ...)                                                                                           \
    static bool name(gpu_type type, const void *p, const void *q)                                                      \
    {                                                                                                                  \
        T a, b;                                                                                                        \
        memcpy(&a, p, type->size);                                                                                     \
        memcpy(&b, q, type->size);                                                                                     \
        return __VA_ARGS__;                                                                                            \
    }
BEFORE(record_before, record, ranked(a, b))
BEFORE(record_behind, record, ranked(b, a))
BEFORE(colour_before, colour, redder(a, b))
BEFORE(wide_before, wide, by_ends(a, b))
BEFORE(vector_before, gpu_float4, by_z(a, b) != 0)
BEFORE(int_before, int, nearer(a, b, 300))

static void *random_bytes(gpu_type type, size_t n, uint64_t seed)
{
    void *data = test_alloc(n, type->size);
    test_random_fill(GPU_UCHAR, data, n * type->size, seed);
    return data;
}

static void check_functions(gpu *g, size_t n)
{
    gpu_sort_options down = {GPU_SORT_MERGE, true};
    record *records = random_bytes(GPU_TYPE(record), n, n);
    colour *colours = random_bytes(GPU_TYPE(colour), n, n);
    gpu_float4 *vectors = test_alloc(n, sizeof *vectors);
    int *ints = test_alloc(n, sizeof *ints);
    test_random_fill(GPU_FLOAT, vectors, 4 * n, n);
    for (size_t k = 0; k < n; k++) ints[k] = (int)(k * 7919 % 1000);
    int64_t centre = 300;
    gpu_array *a = gpu_array_from(g, GPU_TYPE(record), records, n);
    holds_sorted("structs", gpu_sort_by(a, ranked), GPU_TYPE(record), records, record_before, n);
    holds_sorted("descending", gpu_sort_with(a, &down, ranked), GPU_TYPE(record), records, record_behind, n);
    a = gpu_array_from(g, GPU_TYPE(colour), colours, n);
    holds_sorted("of 3 bytes", gpu_sort_by(a, redder), GPU_TYPE(colour), colours, colour_before, n);
    a = gpu_array_of(g, vectors, n);
    holds_sorted("vectors", gpu_sort_by(a, by_z), GPU_FLOAT4, vectors, vector_before, n);
    a = gpu_sort_by(gpu_array_of(g, ints, n), nearer, GPU_ARG(centre));
    holds_sorted("converted, and a captured value", a, GPU_INT, ints, int_before, n);
    free(records);
    free(colours);
    free(vectors);
    free(ints);
}

static uint64_t fickle_seed = 1;

/* Says something else each time. */
GPU_FUNCTION(int, fickle, (int p, int q), { return p != q && test_random(&fickle_seed) % 2; });

/* All of 0 to n - 1, in any order. */
static void holds_each_once(const gpu_array *a, size_t n)
{
    int *got = test_alloc(n, sizeof *got);
    char *seen = test_alloc(n, 1);
    test_ok(gpu_read(a, got));
    for (size_t k = 0; k < n; k++) {
        cr_assert(got[k] >= 0 && (size_t)got[k] < n && !seen[got[k]], "n = %zu: %d at %zu", n, got[k], k);
        seen[got[k]] = 1;
    }
    free(got);
    free(seen);
}

GPU_FUNCTION(bool, is_number, (float x), { return x == x; });

Test(host_sort, comparators_that_contradict_themselves)
{
    gpu *g = test_open_host();
    for (size_t k = 1; k < test_host_sizes(); k++) {
        size_t n = test_sizes[k];
        if (!is_tried(k, 0)) continue;
        gpu_array *x = gpu_reverse(gpu_range(g, GPU_INT, n)), *keys, *values;
        for (int kind = 0; kind < 6; kind++) {
            holds_each_once(gpu_sort_by(x, of_kind, GPU_ARG(kind)), n);
            test_ok(gpu_sort_pairs_by(x, x, of_kind, &keys, &values, GPU_ARG(kind)));
            holds_each_once(keys, n);
            holds_each_once(values, n);
        }
        holds_each_once(gpu_sort_by(x, fickle), n);
        holds_each_once(gpu_sort_by(x, "a <= b"), n);
    }
    static float nans[1000];
    size_t numbers = 0;
    for (int k = 0; k < 1000; k++) nans[k] = k % 3 ? (float)(k * 7919 % 1000) : NAN;
    test_ok(gpu_count(gpu_sort_by(gpu_array_of(g, nans, 1000), "a < b"), is_number, &numbers));
    cr_assert_eq(numbers, 666);
    test_close(g);
}

/* ---- pairs, indices, keys ---- */

static void check_pairs(gpu *g, gpu_type key, gpu_type value, test_pattern pattern, size_t n)
{
    gpu_scope *scope = gpu_scope_begin(g);
    void *keys = test_alloc(n, key->size), *values = random_bytes(value, n, n), *want = test_alloc(n, value->size);
    uint64_t *order = test_alloc(n, sizeof *order);
    gpu_array *k, *v;
    test_pattern_fill(pattern, key, keys, n, n);
    test_order(key, keys, n, test_ascending, order);
    test_gather(value, values, order, n, want);
    gpu_array *a = gpu_array_from(g, key, keys, n);
    test_ok(gpu_sort_pairs(a, gpu_array_from(g, value, values, n), &k, &v));
    holds_sorted("keys", k, key, keys, test_ascending, n);
    test_holds("values", v, test_bits(value), n, want);
    cr_assert(gpu_type_equal(gpu_type_of(v), value), "values of another type");
    test_holds("places", gpu_argsort(a), GPU_ULONG, n, order);
    free(keys);
    free(values);
    free(want);
    free(order);
    gpu_scope_end(scope);
}

Test(host_sort, pairs_and_indices)
{
    gpu *g = test_open_host();
    for (size_t k = 0; k < test_host_sizes(); k++) {
        for (size_t t = 0; t < TEST_SCALARS; t++) {
            size_t n = test_sizes[k];
            if (!is_tried(k, t)) continue;
            check_pairs(g, test_scalars[t], test_scalars[(t + 3) % TEST_SCALARS], TEST_EXTREMES, n);
            check_pairs(g, test_scalars[t], GPU_TYPE(colour), TEST_BITS, n);
            check_pairs(g, test_scalars[t], GPU_DOUBLE3, TEST_FEW, n);
        }
    }
    test_close(g);
}

GPU_FUNCTION(float, half_rank, (record r), { return (float)(r.rank % 100) / 2; });
BEFORE(half_before, record, half_rank(a) < half_rank(b))

static void check_keys(gpu *g, size_t n)
{
    gpu_array *k, *v;
    record *data = random_bytes(GPU_TYPE(record), n, n);
    uint64_t *order = test_alloc(n, sizeof *order);
    test_order(GPU_TYPE(record), data, n, record_before, order);
    gpu_array *a = gpu_array_from(g, GPU_TYPE(record), data, n);
    holds_sorted("by a key", gpu_sort_key(a, GPU_FLOAT, half_rank), GPU_TYPE(record), data, half_before, n);
    test_ok(gpu_sort_pairs_by(a, gpu_range(g, GPU_ULONG, n), ranked, &k, &v));
    holds_sorted("structs as keys", k, GPU_TYPE(record), data, record_before, n);
    test_holds("their places", v, GPU_ULONG, n, order);
    free(data);
    free(order);
}

Test(host_sort, sorts_structs_by_functions_and_keys)
{
    gpu *g = test_open_host();
    for (size_t k = 0; k < test_host_sizes(); k++) {
        gpu_scope *scope = gpu_scope_begin(g);
        if (is_tried(k, 1)) check_functions(g, test_sizes[k]);
        if (is_tried(k, 2)) check_keys(g, test_sizes[k]);
        gpu_scope_end(scope);
    }
    wide *data = random_bytes(GPU_TYPE(wide), 1000, 1);
    holds_sorted("of 256 bytes", gpu_sort_by(gpu_array_from(g, GPU_TYPE(wide), data, 1000), by_ends), GPU_TYPE(wide),
                 data, wide_before, 1000);
    free(data);
    test_close(g);
}

GPU_STRUCT(affine, unsigned int scale; unsigned int shift;);
GPU_FUNCTION(affine, then, (affine p, affine q), {
    affine r;
    r.scale = p.scale * q.scale;
    r.shift = p.shift * q.scale + q.shift;
    return r;
});

/* The values of each of `kinds` keys, composed in their order. */
static void check_groups(gpu *g, gpu_type key, size_t n, size_t kinds)
{
    affine *values = random_bytes(GPU_TYPE(affine), n, n), *want = test_alloc(kinds, sizeof *want);
    char *keys = test_alloc(n, key->size), *seen = test_alloc(kinds, 1), *want_keys = test_alloc(kinds, key->size);
    uint64_t seed = n + kinds;
    size_t groups = 0;
    for (size_t i = 0; i < n; i++) {
        size_t kind = test_random(&seed) % kinds;
        test_put(key, keys, i, test_whole(key, (int64_t)kind));
        want[kind] = seen[kind]++ ? then(want[kind], values[i]) : values[i];
        seen[kind] = 1;
    }
    for (size_t kind = 0; kind < kinds; kind++) {
        if (!seen[kind]) continue;
        test_put(key, want_keys, groups, test_whole(key, (int64_t)kind));
        want[groups++] = want[kind];
    }
    gpu_array *a = gpu_array_from(g, key, keys, n), *b = gpu_array_from(g, GPU_TYPE(affine), values, n), *k, *v;
    test_ok(gpu_group_reduce(a, b, then, &k, &v));
    test_holds("keys", k, key, groups, want_keys);
    test_holds("values", v, GPU_TYPE(affine), groups, want);
    free(values);
    free(want);
    free(keys);
    free(seen);
    free(want_keys);
}

Test(host_sort, group_reduce)
{
    gpu *g = test_open_host();
    gpu_array *k, *v;
    for (size_t s = 0; s < test_host_sizes(); s++) {
        gpu_scope *scope = gpu_scope_begin(g);
        check_groups(g, test_scalars[s % TEST_SCALARS], test_sizes[s], 7);
        check_groups(g, s % 2 ? GPU_DOUBLE : GPU_UINT, test_sizes[s], 5000);
        gpu_scope_end(scope);
    }
    float keys[] = {2, NAN, 0.0f, 2, NAN, -0.0f}, sorted[] = {0, 2, NAN, NAN};
    test_ok(gpu_group_reduce(gpu_array_of(g, keys, 6), gpu_range(g, GPU_INT, 6), "a + b", &k, &v));
    test_holds("keys", k, GPU_FLOAT, 4, sorted); /* NaN equals no key */
    test_holds("values", v, GPU_INT, 4, (int[]){7, 3, 1, 4});
    test_close(g);
}

/* ---- the first few, searches, laws ---- */

static void check_top(gpu *g, gpu_type type, test_pattern pattern, size_t n)
{
    const size_t counts[] = {0, 1, 2, 100, n / 20, n / 2, n, n + 1, SIZE_MAX};
    void *data = test_alloc(n, type->size), *want = test_alloc(n, type->size);
    uint64_t *order = test_alloc(n, sizeof *order);
    test_pattern_fill(pattern, type, data, n, n);
    test_order(type, data, n, test_descending, order);
    test_gather(type, data, order, n, want);
    gpu_array *a = gpu_array_from(g, type, data, n);
    for (size_t c = 0; c < COUNT_OF(counts); c++)
        test_holds("the first", gpu_top(a, counts[c]), type, counts[c] < n ? counts[c] : n, want);
    free(data);
    free(want);
    free(order);
}

/* From 65537 elements on, a sample tells what to sort. */
Test(host_sort, finds_the_largest_of_many_by_a_sample)
{
    gpu *g = test_open_host();
    for (size_t t = 0; t < TEST_SCALARS; t++)
        for (int p = 0; p < TEST_PATTERNS; p++) check_top(g, test_scalars[t], (test_pattern)p, 70000);
    for (size_t s = 0; s < test_host_sizes(); s++) check_top(g, GPU_FLOAT, s % TEST_PATTERNS, test_sizes[s]);
    test_close(g);
}

static void check_is_sorted(gpu *g, gpu_type type, const void *data, size_t n)
{
    bool want = true, got;
    const char *at = data;
    for (size_t i = 1; i < n; i++) want &= !test_ascending(type, at + i * type->size, at + (i - 1) * type->size);
    got = !want;
    test_ok(gpu_is_sorted(gpu_array_from(g, type, data, n), &got));
    cr_assert_eq(got, want, "%zu elements of type %s: %d", n, type->name, got);
}

Test(host_sort, is_sorted)
{
    gpu *g = test_open_host();
    float nan[] = {0, -0.0f, 0, 1, INFINITY, -NAN, NAN, 2};
    check_is_sorted(g, GPU_FLOAT, nan, 7);
    check_is_sorted(g, GPU_FLOAT, nan, 8);
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        for (size_t s = 0; s < test_host_sizes(); s++) {
            size_t n = test_sizes[s];
            void *data = test_alloc(n, test_scalars[t]->size);
            for (int p = TEST_RISING; p <= TEST_EQUAL; p++) {
                test_pattern_fill((test_pattern)p, test_scalars[t], data, n, s);
                check_is_sorted(g, test_scalars[t], data, n);
            }
            if (n) test_put(test_scalars[t], data, n - 1, test_whole(test_scalars[t], 0)); /* a descent at the end */
            check_is_sorted(g, test_scalars[t], data, n);
            free(data);
        }
    }
    test_close(g);
}

static void check_lower_bound(gpu *g, gpu_type type, test_pattern pattern, size_t n, size_t m)
{
    gpu_scope *scope = gpu_scope_begin(g);
    char *data = test_alloc(n + m, type->size), *sorted = test_alloc(n, type->size);
    uint64_t *order = test_alloc(n, sizeof *order), *want = test_alloc(m, sizeof *want);
    test_pattern_fill(pattern, type, data, n + m, n);
    test_order(type, data, n, test_ascending, order);
    test_gather(type, data, order, n, sorted);
    for (size_t i = 0; i < m; i++)
        while (want[i] < n && test_ascending(type, sorted + want[i] * type->size, data + (n + i) * type->size))
            want[i]++;
    gpu_array *a = gpu_array_from(g, type, sorted, n), *values = gpu_array_from(g, type, data + n * type->size, m);
    test_holds(type->name, gpu_lower_bound(a, values), GPU_ULONG, m, want);
    free(data);
    free(sorted);
    free(order);
    free(want);
    gpu_scope_end(scope);
}

Test(host_sort, lower_bound)
{
    gpu *g = test_open_host();
    for (size_t t = 0; t < TEST_SCALARS; t++)
        for (int p = 0; p < TEST_PATTERNS; p++) check_lower_bound(g, test_scalars[t], (test_pattern)p, 100 + t, 70);
    for (size_t s = 0; s < test_host_sizes(); s++) {
        check_lower_bound(g, GPU_INT, TEST_BITS, test_sizes[s], 65);
        check_lower_bound(g, GPU_FLOAT, TEST_EXTREMES, 33, test_sizes[s]);
    }
    gpu_array *x = gpu_slice(gpu_range(g, GPU_INT, 1000), 100, 500);
    int some[] = {0, 100, 350, 600};
    test_holds("in a slice", gpu_lower_bound(x, gpu_array_of(g, some, 4)), GPU_ULONG, 4, (uint64_t[]){0, 0, 250, 500});
    test_close(g);
}

/* The lowest triple is reported, as on other devices. */
Test(host_sort, laws_of_comparators)
{
    gpu *g = test_open_host();
    gpu_array *x = gpu_range(g, GPU_INT, 1000), *none = gpu_slice(x, 0, 0);
    float nan[] = {1, NAN, 2};
    test_ok(gpu_check_order(x, "a < b"));
    test_ok(gpu_check_order(none, "a <= b"));
    test_ok(gpu_check_order(gpu_fill(g, GPU_TYPE(record), (&(record){1, 2, 3, 4}), 70), ranked));
    test_fails(GPU_E_ARGUMENT, gpu_check_order(x, "a <= b"));
    test_has(gpu_error(), "gpu_check_order: the comparator is no strict weak order: a comes before itself; "
                          "a = 0 (element 0)");
    int kind = 4;
    test_fails(GPU_E_ARGUMENT, gpu_check_order(x, of_kind, GPU_ARG(kind)));
    test_has(gpu_error(), "a comes before b, and b before a; a = 0 (element 0), b = 15 (element 15)");
    test_fails(GPU_E_ARGUMENT, gpu_check_order(gpu_array_of(g, nan, 3), "a < b"));
    test_has(gpu_error(), "b is like a and like c, but a is not like c; "
                          "a = 1 (element 0), b = nan (element 1), c = 2 (element 2)");
    test_fails(GPU_E_SNIPPET, gpu_check_order(x, "abs(a - b)"));
    test_close(g);
}

/* ---- what is sorted ---- */

GPU_FUNCTION(int, scrambled, (int x, uint64_t i), { return (int)((unsigned)x * 7919u % 1000u) + (int)(i / 1000); });
GPU_FUNCTION(bool, is_even, (int x), { return x % 2 == 0; });
GPU_FUNCTION(int, negated, (int x), { return -x; });

Test(host_sort, delayed_filtered_and_sliced)
{
    gpu *g = test_open_host();
    enum { N = 1000 };
    int want[N], down[N], got[N];
    uint64_t places[N];
    bool sorted = false;
    gpu_array *mapped = gpu_map(gpu_range(g, GPU_INT, N), scrambled), *k, *v;
    for (int i = 0; i < N; i++) want[i] = i, down[i] = N - 2 - 2 * i, places[i] = (uint64_t)i;
    test_holds("a map", gpu_sort(mapped), GPU_INT, N, want);
    for (int i = 0; i < N / 2; i++) want[i] = 2 * i;
    gpu_array *even = gpu_filter(mapped, is_even);
    test_holds("a filter", gpu_sort(even), GPU_INT, N / 2, want);
    test_holds("by a comparator", gpu_sort_by(gpu_filter(mapped, is_even), "a > b"), GPU_INT, N / 2, down);
    test_holds("by a key", gpu_sort_key(even, GPU_LONG, negated), GPU_INT, N / 2, down);
    test_ok(gpu_sort_pairs(gpu_map(even, negated), even, &k, &v));
    test_holds("pairs", v, GPU_INT, N / 2, down);
    test_holds("the first", gpu_top(even, 10), GPU_INT, 10, down);
    test_holds("places", gpu_argsort(gpu_sort(even)), GPU_ULONG, N / 2, places);
    test_holds("nothing kept", gpu_sort(gpu_filter(gpu_fill(g, GPU_INT, &(int){1}, 9), is_even)), GPU_INT, 0, want);
    for (int i = 0; i < N / 2; i++) want[i] = -2 * i;
    test_holds("mapped further", gpu_map(gpu_sort_by(even, "a < b"), negated), GPU_INT, N / 2, want);
    test_ok(gpu_is_sorted(gpu_map(gpu_sort(even), negated), &sorted));
    cr_assert(!sorted);
    test_ok(gpu_read(gpu_sort(gpu_slice(mapped, 10, 3)), got));
    cr_assert(got[0] == scrambled(12, 2) && got[1] == scrambled(11, 1) && got[2] == scrambled(10, 0));
    test_close(g);
}

/* ---- failures ---- */

GPU_FUNCTION(int, of_particle, (record p, float x), { return p.group < (int)x; });

Test(host_sort, refusals_name_the_operation)
{
    gpu *g = test_open_host();
    int table[] = {1, 2}, got[2] = {7, 7};
    uint64_t places[2] = {7, 7};
    record r = {1, 2, 3, 4};
    gpu_sort_options radix = {GPU_SORT_RADIX, false}, unknown = {(gpu_sort_algorithm)77, false};
    gpu_array *x = gpu_array_of(g, table, 2), *records = gpu_array_from(g, GPU_TYPE(record), &r, 1), *k, *v;
    gpu_array *failed = test_array_fails(GPU_E_SNIPPET, gpu_sort_by(x, "abs(a) < abs(b)"));
    test_has(gpu_array_error(failed), "gpu_sort_by: the operator \"abs(a) < abs(b)\" does not run on the host");
    test_has(gpu_array_error(failed), "make it a GPU_FUNCTION (firepile/device.h");
    test_array_fails(GPU_E_SNIPPET, gpu_sort_by(x, "max(a, b)")); /* recognised in reductions */
    test_array_fails(GPU_E_SNIPPET, gpu_sort_by(records, "a < b"));
    test_fails(GPU_E_SNIPPET, gpu_sort_pairs_by(x, x, "abs(a)", &k, &v));
    test_has(gpu_error(), "gpu_sort_pairs_by: ");
    test_array_fails(GPU_E_SNIPPET, gpu_sort_key(x, GPU_INT, "abs(x)"));
    test_array_fails(GPU_E_SNIPPET, gpu_reduced(x, "isless(a, b)"));
    test_array_fails(GPU_E_TYPE, gpu_sort_by(x, of_particle));
    test_has(gpu_error(), "gpu_sort_by: the parameter 'p' of of_particle(record p, float x)");
    test_array_fails(GPU_E_TYPE, gpu_sort(records));
    test_array_fails(GPU_E_TYPE, gpu_top(records, 1));
    test_array_fails(GPU_E_ARGUMENT, gpu_sort_with(records, &radix, ranked));
    test_array_fails(GPU_E_ARGUMENT, gpu_sort_with(x, &unknown, NULL));
    gpu_array *kind = x;
    test_array_fails(GPU_E_TYPE, gpu_sort_by(x, of_kind, GPU_ARG(kind)));
    test_fails(GPU_E_RANGE, gpu_read(gpu_sort(gpu_gather(x, x)), got));
    test_fails(GPU_E_RANGE, gpu_read(gpu_argsort(gpu_gather(x, x)), places));
    cr_assert(got[0] == 7 && got[1] == 7 && places[0] == 7);
    test_holds("after failures", gpu_sort_by(x, "a > b"), GPU_INT, 2, (int[]){2, 1});
    test_close(g);
}

GPU_FUNCTION(int, seventh, (int x), { return x % 7; });

typedef struct results {
    int sorted[300], by_function[300], keys[300], values[300], top[5];
    uint64_t places[300], bounds[300];
    bool ascending;
    int greatest[7];
    size_t kinds;
} results;

static gpu_status program(void *out)
{
    results *r = out;
    int centre = 3, k = 0;
    gpu *g = gpu_open("host"); /* all that follows accepts NULL */
    gpu_array *x = gpu_eval(gpu_map(gpu_range(g, GPU_INT, 300), scrambled)), *sorted = gpu_sort(x), *keys, *values;
    gpu_status status = gpu_read(sorted, r->sorted);
    if (!status) status = gpu_read(gpu_sort_by(x, nearer, GPU_ARG(centre)), r->by_function);
    if (!status)
        status = gpu_sort_pairs_by(x, gpu_map(x, negated), of_kind, &keys, &values, GPU_ARG_AS(kind, GPU_INT, k));
    if (!status) status = gpu_read(keys, r->keys);
    if (!status) status = gpu_read(values, r->values);
    if (!status) status = gpu_read(gpu_argsort(x), r->places);
    if (!status) status = gpu_read(gpu_lower_bound(sorted, x), r->bounds);
    if (!status) status = gpu_read(gpu_top(x, 5), r->top);
    if (!status) status = gpu_is_sorted(sorted, &r->ascending);
    if (!status) status = gpu_check_order(x, "a < b");
    if (!status) status = gpu_group_reduce(gpu_map(x, seventh), x, "max(a, b)", &keys, &values);
    if (!status) status = gpu_read_n(values, r->greatest, 7, &r->kinds);
    gpu_close(g);
    return status;
}

Test(host_sort, each_allocation)
{
    static results want, got;
    test_host_faults(program, &want, &got, sizeof want);
    cr_assert(want.ascending && want.sorted[299] == want.top[0] && want.values[7] == -want.keys[7]);
    cr_assert(want.bounds[want.places[9]] == 9 && want.kinds == 7);
}
