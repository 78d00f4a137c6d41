/* gpu_sort_pairs, gpu_argsort, gpu_argsort_by, gpu_sort_key, gpu_top, gpu_top_pairs, gpu_is_sorted,
 * gpu_lower_bound, gpu_group_reduce. */
#include "support/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(record, int group; unsigned int rank; unsigned int index; unsigned int more;);
GPU_STRUCT(colour, unsigned char red; unsigned char green; unsigned char blue;);
GPU_STRUCT(wide, unsigned int v[64];);
GPU_STRUCT(affine, unsigned int scale; unsigned int shift;);

GPU_FUNCTION(int, ranked, (record p, record q), { return p.group % 5 < q.group % 5; });
GPU_FUNCTION(int, nearer, (int p, int q, int centre), { return abs(p - centre) < abs(q - centre); });
GPU_FUNCTION(float, half_rank, (record r), { return (float)(r.rank % 100) / 2; });
GPU_FUNCTION(affine, then, (affine p, affine q), {
    affine r = {p.scale * q.scale, p.shift * q.scale + q.shift};
    return r;
});

static bool by_group(gpu_type type, const void *p, const void *q)
{
    record a, b;
    memcpy(&a, p, type->size);
    memcpy(&b, q, type->size);
    return ranked(a, b);
}

/* Does the key of p come before that of q? One text for both sides. */
#define KEY(name, T, K, key_type, ...)                                                                                 \
    static const char name##_text[] = #__VA_ARGS__;                                                                    \
    static K key_##name(T x)                                                                                           \
    {                                                                                                                  \
        return (K)(__VA_ARGS__);                                                                                       \
    }                                                                                                                  \
    static bool by_##name(gpu_type type, const void *p, const void *q)                                                 \
    {                                                                                                                  \
        T x, y;                                                                                                        \
        memcpy(&x, p, type->size);                                                                                     \
        memcpy(&y, q, type->size);                                                                                     \
        K key_x = key_##name(x), key_y = key_##name(y);                                                                \
        return test_ascending(key_type, &key_x, &key_y);                                                               \
    }
KEY(low_byte, uint64_t, unsigned char, GPU_UCHAR, x)
KEY(negated, float, float, GPU_FLOAT, -x)
KEY(second, gpu_int4, double, GPU_DOUBLE, x.y * 0.125)
KEY(half_rank, record, float, GPU_FLOAT, half_rank(x))

static void *random_bytes(gpu_type type, size_t n, uint64_t seed)
{
    void *data = test_alloc(n, type->size);
    test_random_fill(GPU_UCHAR, data, n * type->size, seed);
    return data;
}

/* Element by element, whatever the bits. */
static void holds_at(const char *what, const gpu_array *a, gpu_type type, const void *data, const uint64_t *order,
                     size_t n)
{
    void *want = test_alloc(n, type->size);
    test_gather(type, data, order, n, want);
    if (gpu_array_status(a)) test_end_if_refused(gpu_array_error(a));
    cr_assert(gpu_type_equal(gpu_type_of(a), type), "%s: elements of another type", what);
    test_holds(what, a, test_bits(type), n, want);
    free(want);
}

/* Keys of each type, values of each other; `less` NULL: the keys' own order. */
static void check_pairs(gpu *g, gpu_type key, gpu_type value, const char *less, test_before *before, size_t n,
                        const void *keys)
{
    gpu_scope *scope = gpu_scope_begin(g);
    char what[128];
    snprintf(what, sizeof what, "%zu pairs of %s and %s by \"%s\"", n, key->name, value->name, less ? less : "");
    void *values = random_bytes(value, n, n);
    uint64_t *order = test_alloc(n, sizeof *order);
    test_order(key, keys, n, before, order);
    gpu_array *a = gpu_array_from(g, key, keys, n), *b = gpu_array_from(g, value, values, n), *k = NULL, *v = NULL;
    test_ok(less ? gpu_sort_pairs_by(a, b, less, &k, &v) : gpu_sort_pairs(a, b, &k, &v));
    holds_at(what, k, key, keys, order, n);
    holds_at(what, v, value, values, order, n);
    test_holds("the keys given", a, test_bits(key), n, keys);
    test_holds("the values given", b, test_bits(value), n, values);
    free(values);
    free(order);
    gpu_scope_end(scope);
}

/* Random bits and one other pattern. */
static void check_pair_patterns(gpu *g, gpu_type key, gpu_type value, size_t limit)
{
    for (size_t s = 0; s < test_size_count(limit) && test_sizes[s] <= limit; s++) {
        void *keys = test_alloc(test_sizes[s], key->size);
        for (unsigned p = 0; p < TEST_PATTERNS; p++) {
            if (p != TEST_BITS && p != s % TEST_PATTERNS && !test_full()) continue;
            test_pattern_fill(p, key, keys, test_sizes[s], s);
            check_pairs(g, key, value, NULL, test_ascending, test_sizes[s], keys);
        }
        free(keys);
    }
}

static void pairs_of_types_and_lengths(void)
{
    gpu *g = test_open();
    check_pair_patterns(g, GPU_UINT, GPU_UINT, 68931);
    check_pair_patterns(g, GPU_FLOAT, GPU_DOUBLE, 68931);
    check_pair_patterns(g, GPU_SHORT, GPU_TYPE(colour), 16385);
    if (test_full()) check_pair_patterns(g, GPU_UCHAR, GPU_TYPE(wide), 1025);
    for (unsigned t = 0; t < TEST_SCALARS && test_full(); t++) {
        check_pair_patterns(g, test_scalars[t], test_scalars[(t + 3) % TEST_SCALARS], 68931);
    }
    test_close(g);
}

/* Bit d of `digits`: byte d differs between keys. The other bytes are the same in all. */
static void check_digits(gpu *g, gpu_type key, unsigned digits)
{
    enum { N = 5000 };
    unsigned char *keys = random_bytes(key, N, digits);
    for (size_t k = 0; k < N * key->size; k++)
        if (!(digits >> k % key->size & 1)) keys[k] = 0x5a;
    check_pairs(g, key, GPU_UINT, NULL, test_ascending, N, keys);
    free(keys);
}

Test(pairs, of_keys_that_differ_in_some_digits)
{
    gpu *g = test_open();
    for (unsigned digits = 0; digits < 1 << 2; digits++) check_digits(g, GPU_SHORT, digits);
    for (unsigned digits = 0; digits < 1 << 4; digits++) check_digits(g, GPU_UINT, digits);
    for (unsigned digits = 0; digits < 1 << 8; digits += test_full() ? 1 : 7) check_digits(g, GPU_ULONG, digits);
    test_close(g);
}

Test(pairs, of_narrow_keys_whose_number_only_the_device_knows)
{
    enum { N = 20000, KEYS = 7 };
    static int want[N / 2], numbers[KEYS] = {1429, 1429, 1428, 1429, 1428, 1429, 1428};
    gpu *g = test_open();
    gpu_array *keys = gpu_map(gpu_filter(gpu_range(g, GPU_INT, N), "x % 2"), "x % 7"), *k, *v;
    for (int key = 0, n = 0; key < KEYS; key++)
        for (int e = 0; e < numbers[key]; e++) want[n++] = key;
    test_holds("sorted", gpu_sort(keys), GPU_INT, N / 2, want);
    test_ok(gpu_group_reduce(keys, gpu_map(keys, "1"), "a + b", &k, &v));
    test_holds("keys", k, GPU_INT, KEYS, (int[]){0, 1, 2, 3, 4, 5, 6});
    test_holds("values", v, GPU_INT, KEYS, numbers);
    test_close(g);
}

static void pairs_by_a_comparator(void) /* O05 */
{
    gpu *g = test_open();
    for (size_t s = 0; s < test_size_count(16385) && test_sizes[s] <= 16385; s++) {
        size_t n = test_sizes[s];
        void *keys = random_bytes(GPU_TYPE(record), n, s);
        check_pairs(g, GPU_UINT, GPU_UINT, "a < b", test_ascending, n, keys);
        check_pairs(g, GPU_TYPE(record), GPU_USHORT, "ranked(a, b)", by_group, n, keys);
        free(keys);
    }
    test_close(g);
}

static void few_pairs(void) /* O06, O11, O21 */
{
    gpu *g = test_open();
    gpu_array *k, *v;
    unsigned numbers[] = {3, 1, 2}, values[] = {30, 10, 20};
    test_ok(gpu_sort_pairs(gpu_array_of(g, numbers, 3), gpu_array_of(g, values, 3), &k, &v));
    test_holds("keys", k, GPU_UINT, 3, (unsigned[]){1, 2, 3});
    test_holds("values", v, GPU_UINT, 3, (unsigned[]){10, 20, 30});
    float zeros[] = {0.0f, -0.0f, 1, -1}, zeros_sorted[] = {-1, 0.0f, -0.0f, 1};
    test_ok(gpu_sort_pairs(gpu_array_of(g, zeros, 4), gpu_range(g, GPU_DOUBLE, 4), &k, &v));
    test_holds("zeros", k, GPU_UINT, 4, zeros_sorted); /* bit by bit */
    test_holds("their places", v, GPU_DOUBLE, 4, (double[]){3, 0, 1, 2});
    unsigned twos[] = {2, 2, 2};
    test_ok(gpu_sort_pairs(gpu_array_of(g, twos, 3), gpu_array_of(g, values, 3), &k, &v));
    test_holds("duplicates", k, GPU_UINT, 3, twos);
    test_holds("their values", v, GPU_UINT, 3, values);
    gpu_array *x = gpu_array_of(g, numbers, 3);
    test_ok(gpu_sort_pairs(x, x, &k, &v));
    test_holds("of itself", v, GPU_UINT, 3, (unsigned[]){1, 2, 3});
    x = gpu_array_of(g, numbers, 3);
    test_ok(gpu_sort_pairs(x, gpu_argsort(x), &x, &v)); /* an output may be where an input was */
    test_holds("in its place", x, GPU_UINT, 3, (unsigned[]){1, 2, 3});
    test_holds("indices as values", v, GPU_ULONG, 3, (uint64_t[]){2, 0, 1});
    test_close(g);
}

static void pairs_delayed_and_filtered(void)
{
    gpu *g = test_open();
    for (size_t s = 1; s < test_size_count(68931) && test_sizes[s] <= 68931; s++) {
        gpu_scope *scope = gpu_scope_begin(g);
        size_t n = test_sizes[s], kept = (n + 1) / 2;
        gpu_array *x = gpu_eval(gpu_range(g, GPU_LONG, n)), *even = gpu_filter(x, "x % 2 == 0"), *k, *v;
        test_ok(gpu_sort_pairs(gpu_map(x, "n - 1 - x", GPU_ARG(n)), gpu_map(x, "x + 0"), &k, &v));
        cr_assert_eq(test_wrong(k, "x != i"), 0, "delayed keys, n = %zu", n);
        cr_assert_eq(test_wrong(gpu_reverse(v), "x != i"), 0, "delayed values, n = %zu", n);
        test_ok(gpu_sort_pairs(gpu_map(even, "kept - 1 - x / 2", GPU_ARG(kept)), gpu_map(even, "x / 2"), &k, &v));
        cr_assert_eq(test_wrong(k, "x != i"), 0, "filtered keys, n = %zu", n);
        cr_assert_eq(test_wrong(gpu_reverse(v), "x != i"), 0, "filtered values, n = %zu", n);
        cr_assert(gpu_length(k) == kept && gpu_length(v) == kept, "n = %zu: %zu keys", n, gpu_length(k));
        gpu_scope_end(scope);
    }
    test_close(g);
}

static void argsort_of_every_type(void) /* O08 */
{
    gpu *g = test_open();
    float bits[] = {1, 0, 1, 0};
    test_holds("1 0 1 0", gpu_argsort(gpu_array_of(g, bits, 4)), GPU_ULONG, 4, (uint64_t[]){1, 3, 0, 2});
    for (unsigned t = 0; t < TEST_SCALARS; t++) {
        for (size_t s = 0; s < test_size_count(68931) && test_sizes[s] <= 68931; s++) {
            if (!test_full() && test_scalars[t] != GPU_FLOAT) continue;
            size_t n = test_sizes[s];
            void *data = test_alloc(n, test_scalars[t]->size);
            uint64_t *order = test_alloc(n, sizeof *order);
            test_pattern_fill(s % 2 ? TEST_EXTREMES : TEST_FEW, test_scalars[t], data, n, s);
            test_order(test_scalars[t], data, n, test_ascending, order);
            gpu_array *a = gpu_array_from(g, test_scalars[t], data, n), *places = gpu_argsort(a);
            test_holds(test_scalars[t]->name, places, GPU_ULONG, n, order);
            if (s % 5 == 0) holds_at("gathered", gpu_gather(a, places), test_scalars[t], data, order, n);
            gpu_array_free(a);
            gpu_array_free(places);
            free(data);
            free(order);
        }
    }
    test_close(g);
}

/* Stable: elements that are equal keep their order. */
static void check_argsort_by(gpu *g, gpu_type type, const char *text, const void *function, test_before *before,
                             size_t n)
{
    gpu_scope *scope = gpu_scope_begin(g);
    void *data = random_bytes(type, n, n);
    uint64_t *order = test_alloc(n, sizeof *order);
    test_order(type, data, n, before, order);
    const gpu_operator less = {text, function, NULL, GPU_HERE};
    gpu_array *places = gpu_argsort_by_op(gpu_array_from(g, type, data, n), &less);
    test_holds(type->name, places, GPU_ULONG, n, order);
    free(data);
    free(order);
    gpu_scope_end(scope);
}

static void argsort_by_comparators(void)
{
    gpu *g = test_open();
    for (size_t s = 0; s < test_size_count(16385) && test_sizes[s] <= 16385; s++) {
        check_argsort_by(g, GPU_UCHAR, "a < b", NULL, test_ascending, test_sizes[s]);
        check_argsort_by(g, GPU_TYPE(record), NULL, __extension__(const void *)(ranked), by_group, test_sizes[s]);
    }
    const int centre = 3, data[] = {1, 5, 2, 3, 4};
    gpu_array *x = gpu_array_of(g, data, 5);
    gpu_array *places = gpu_argsort_by(x, nearer, GPU_ARG(centre));
    test_holds("with a capture", places, GPU_ULONG, 5, (uint64_t[]){3, 2, 4, 0, 1});
    test_holds("of a filter", gpu_argsort_by(gpu_filter(x, "x > 1"), "a > b"), GPU_ULONG, 4, (uint64_t[]){0, 3, 2, 1});
    test_holds("without a comparator", gpu_argsort_by(x, (const char *)NULL), GPU_ULONG, 5,
               (uint64_t[]){0, 2, 3, 4, 1});
    test_close(g);
}

Test(pairs, own_orders)
{
    pairs_of_types_and_lengths();
    few_pairs();
    argsort_of_every_type();
}

typedef struct key_case {
    gpu_type type, key;
    const char *text;
    test_before *before;
} key_case;

static const key_case key_cases[] = {
    {GPU_FLOAT, GPU_FLOAT, negated_text, by_negated},
    {GPU_TYPE(record), GPU_FLOAT, half_rank_text, by_half_rank},
    {GPU_ULONG, GPU_UCHAR, low_byte_text, by_low_byte}, /* from here on in a full run only */
    {GPU_INT4, GPU_DOUBLE, second_text, by_second},
};

static void sort_key_of_types_and_lengths(void)
{
    gpu *g = test_open();
    size_t cases = test_full() ? COUNT_OF(key_cases) : 2;
    for (size_t k = 0; k < cases * test_size_count(16385); k++) {
        const key_case *c = &key_cases[k % cases];
        size_t n = test_sizes[k / cases];
        if (n > 68931) break;
        uint64_t *order = test_alloc(n, sizeof *order);
        void *data = random_bytes(c->type, n, k);
        if (c->type == GPU_FLOAT) test_pattern_fill(TEST_EXTREMES, c->type, data, n, k);
        test_order(c->type, data, n, c->before, order);
        gpu_array *a = gpu_array_from(g, c->type, data, n);
        holds_at(c->text, gpu_sort_key(a, c->key, c->text), c->type, data, order, n);
        test_holds("the input", a, test_bits(c->type), n, data);
        gpu_array_free(a);
        free(data);
        free(order);
    }
    test_close(g);
}

static void sort_key_of_functions_captures_and_inputs(void)
{
    gpu *g = test_open();
    enum { N = 5000 };
    record *data = random_bytes(GPU_TYPE(record), N, 1);
    static uint64_t order[N];
    test_order(GPU_TYPE(record), data, N, by_half_rank, order);
    gpu_array *records = gpu_array_from(g, GPU_TYPE(record), data, N);
    holds_at("a function", gpu_sort_key(records, GPU_FLOAT, half_rank), GPU_TYPE(record), data, order, N);
    int last = N - 1;
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, N)), *table = gpu_eval(gpu_reverse(x));
    gpu_array *sorted = gpu_sort_key(x, GPU_SHORT, "table[x] - last", GPU_ARG(table), GPU_ARG(last));
    cr_assert_eq(test_wrong(gpu_reverse(sorted), "x != i"), 0, "captures");
    sorted = gpu_sort_key(gpu_map(x, "last - x", GPU_ARG(last)), GPU_INT, "x");
    cr_assert_eq(test_wrong(sorted, "x != i"), 0, "a map");
    sorted = gpu_sort_key(gpu_filter(x, "x < 100"), GPU_LONG, "{ return -x; }");
    cr_assert_eq(test_wrong(gpu_reverse(sorted), "x != i"), 0, "a filter");
    cr_assert_eq(gpu_length(sorted), 100);
    cr_assert_eq(gpu_length(gpu_sort_key(gpu_slice(x, 3, 0), GPU_INT, "x")), 0);
    free(data);
    test_close(g);
}

Test(pairs, comparators_keys_and_inputs)
{
    pairs_by_a_comparator();
    argsort_by_comparators();
    pairs_delayed_and_filtered();
    sort_key_of_types_and_lengths();
    sort_key_of_functions_captures_and_inputs();
}

static void check_top(gpu *g, gpu_type type, test_pattern pattern, size_t n)
{
    const size_t counts[] = {0, 1, 2, 31, 100, n / 2, n - (n > 0), n, n + 1, SIZE_MAX};
    void *data = test_alloc(n, type->size), *want = test_alloc(n, type->size);
    uint64_t *order = test_alloc(n, sizeof *order);
    test_pattern_fill(pattern, type, data, n, n);
    test_order(type, data, n, test_descending, order);
    test_gather(type, data, order, n, want);
    gpu_array *a = gpu_array_from(g, type, data, n);
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        char what[96];
        snprintf(what, sizeof what, "the first %zu of %zu, pattern %d", counts[c], n, (int)pattern);
        gpu_array *top = gpu_top(a, counts[c]);
        test_holds(what, top, type, counts[c] < n ? counts[c] : n, want);
        gpu_array_free(top);
    }
    test_holds("the input", a, test_bits(type), n, data);
    gpu_array_free(a);
    free(data);
    free(want);
    free(order);
}

static void top_of_types_lengths_and_patterns(void)
{
    gpu *g = test_open();
    for (unsigned t = 0; t < TEST_SCALARS; t++) {
        if (!test_full() && test_scalars[t] != GPU_INT && test_scalars[t] != GPU_FLOAT) continue;
        for (unsigned p = 0; p < TEST_PATTERNS; p++) check_top(g, test_scalars[t], p, 1000);
    }
    for (size_t s = 0; s < test_size_count(68931) && test_sizes[s] <= 68931; s++) {
        check_top(g, GPU_INT, TEST_BITS, test_sizes[s]);
        check_top(g, GPU_FLOAT, s % TEST_PATTERNS, test_sizes[s]);
    }
    check_top(g, GPU_INT, TEST_BITS, test_limit(785433));
    test_close(g);
}

/* Equal keys keep their order, and values may be structs. */
static void check_top_pairs(gpu *g, gpu_type key, gpu_type value, test_pattern pattern, size_t n)
{
    const size_t counts[] = {0, 1, 100, n / 2, n, n + 1};
    void *keys = test_alloc(n, key->size), *values = random_bytes(value, n, n);
    uint64_t *order = test_alloc(n, sizeof *order);
    test_pattern_fill(pattern, key, keys, n, n);
    test_order(key, keys, n, test_descending, order);
    gpu_array *a = gpu_array_from(g, key, keys, n), *b = gpu_array_from(g, value, values, n), *k, *v;
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        const size_t count = counts[c] < n ? counts[c] : n;
        char what[96];
        snprintf(what, sizeof what, "the first %zu of %zu pairs, pattern %d", counts[c], n, (int)pattern);
        test_ok(gpu_top_pairs(a, b, counts[c], &k, &v));
        holds_at(what, k, key, keys, order, count);
        holds_at(what, v, value, values, order, count);
        gpu_array_free(k);
        gpu_array_free(v);
    }
    gpu_array_free(a);
    gpu_array_free(b);
    free(keys);
    free(values);
    free(order);
}

static void top_pairs_of_types_lengths_and_patterns(void)
{
    static const size_t sizes[] = {0, 1, 1000, 65536, 70000};
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++)
        if (test_takes_type(t, 1)) check_top_pairs(g, test_scalars[t], GPU_INT, TEST_EXTREMES, 1000);
    for (size_t s = 0; s < COUNT_OF(sizes); s++) check_top_pairs(g, GPU_INT, GPU_TYPE(colour), TEST_BITS, sizes[s]);
    for (unsigned p = 0; p < TEST_PATTERNS; p++) check_top_pairs(g, GPU_FLOAT, GPU_INT, p, test_limit(200000));
    gpu_array *x = gpu_range(g, GPU_INT, 50), *few = gpu_filter(x, "x % 10 == 0"), *k, *v;
    test_ok(gpu_top_pairs(few, gpu_map(few, "x / 10"), 3, &k, &v));
    test_holds("keys of a filter", k, GPU_INT, 3, (int[]){40, 30, 20});
    test_holds("values of a filter", gpu_map(v, "x + 1"), GPU_INT, 3, (int[]){5, 4, 3});
    test_close(g);
}

static void top_of_delayed_and_filtered(void)
{
    gpu *g = test_open();
    int three[] = {96, 94, 92}, all[] = {6, 4, 2, 0};
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 50)), *few = gpu_filter(gpu_map(x, "x * 2"), "x < 8");
    test_holds("a map", gpu_top(gpu_map(gpu_slice(x, 0, 49), "x * 2"), 3), GPU_INT, 3, three);
    test_holds("a filter", gpu_top(few, 3), GPU_INT, 3, all);
    test_holds("all of a filter", gpu_top(few, 5), GPU_INT, 4, all);
    test_holds("nothing kept", gpu_top(gpu_filter(few, "x > 8"), 5), GPU_INT, 0, all);
    test_holds("used further", gpu_map(gpu_top(few, 5), "x - (int)i"), GPU_INT, 4, (int[]){6, 3, 0, -3});
    test_close(g);
}

static void check_is_sorted(gpu *g, gpu_type type, const void *data, size_t n)
{
    bool want = true, got = false;
    const char *at = data;
    for (size_t i = 1; i < n; i++) want &= !test_ascending(type, at + i * type->size, at + (i - 1) * type->size);
    gpu_array *a = gpu_array_from(g, type, data, n);
    got = !want;
    test_ok(gpu_is_sorted(a, &got));
    cr_assert_eq(got, want, "%zu elements of type %s: %d", n, type->name, got);
    gpu_array_free(a);
}

static void is_sorted_at_every_place(void)
{
    gpu *g = test_open();
    float nan[] = {0, -0.0f, 0, 1, INFINITY, -NAN, NAN, 2};
    check_is_sorted(g, GPU_FLOAT, nan, 7);
    check_is_sorted(g, GPU_FLOAT, nan, 8);
    for (unsigned t = 0; t < 3 * TEST_SCALARS; t++) {
        static const test_pattern patterns[] = {TEST_RISING, TEST_FALLING, TEST_EQUAL};
        int64_t data[300];
        if (!test_full() && t / 3 % 5 != 0) continue;
        test_pattern_fill(patterns[t % 3], test_scalars[t / 3], data, 300, 1);
        check_is_sorted(g, test_scalars[t / 3], data, 300);
    }
    unsigned *data = test_alloc(test_limit(2803221), sizeof *data);
    for (size_t s = 0; s < test_size_count(2803221); s++) {
        size_t n = test_sizes[s] < 2803221 ? test_sizes[s] : 2803221, places[] = {1, 2, 32, n / 3, n / 2, n - 1};
        for (size_t i = 0; i < n; i++) data[i] = 2 * (unsigned)i + 3;
        check_is_sorted(g, GPU_UINT, data, n);
        for (size_t p = 0; p < COUNT_OF(places); p++) {
            if (places[p] < 1 || places[p] >= n) continue;
            data[places[p]] -= 3;
            check_is_sorted(g, GPU_UINT, data, n);
            data[places[p]] += 3;
        }
    }
    free(data);
    test_close(g);
}

static void is_sorted_of_delayed_and_filtered(void)
{
    gpu *g = test_open();
    bool up = false, down = true, few = false, none = false;
    gpu_array *x = gpu_range(g, GPU_INT, 10000);
    test_ok(gpu_is_sorted(gpu_map(x, "x / 3"), &up));
    test_ok(gpu_is_sorted(gpu_map(x, "-x"), &down));
    test_ok(gpu_is_sorted(gpu_filter(gpu_map(x, "x % 5000"), "x == 4999"), &few));
    test_ok(gpu_is_sorted(gpu_filter(gpu_map(x, "-x"), "x > 0"), &none));
    cr_assert(up && !down && few && none, "%d %d %d %d", up, down, few, none);
    test_ok(gpu_is_sorted(gpu_filter(gpu_map(x, "x % 5000"), "x > 4997"), &few)); /* 4998 4999 4998 4999 */
    cr_assert(!few);
    test_close(g);
}

/* Elements of a pattern in ascending order, m more of it to look up. */
static void check_lower_bound(gpu *g, gpu_type type, test_pattern pattern, size_t n, size_t m)
{
    gpu_scope *scope = gpu_scope_begin(g);
    char *data = test_alloc(n + m, type->size), *sorted = test_alloc(n, type->size), what[96];
    uint64_t *order = test_alloc(n, sizeof *order), *want = test_alloc(m, sizeof *want);
    test_pattern_fill(pattern, type, data, n + m, n);
    test_order(type, data, n, test_ascending, order);
    test_gather(type, data, order, n, sorted);
    for (size_t i = 0; i < m; i++) {
        while (want[i] < n && test_ascending(type, sorted + want[i] * type->size, data + (n + i) * type->size))
            want[i]++;
    }
    snprintf(what, sizeof what, "%zu of type %s among %zu, pattern %d", m, type->name, n, (int)pattern);
    gpu_array *values = gpu_array_from(g, type, data + n * type->size, m);
    test_holds(what, gpu_lower_bound(gpu_array_from(g, type, sorted, n), values), GPU_ULONG, m, want);
    free(data);
    free(sorted);
    free(order);
    free(want);
    gpu_scope_end(scope);
}

static void lower_bound_of_types_and_lengths(void)
{
    gpu *g = test_open();
    for (unsigned t = 0; t < TEST_SCALARS; t++) {
        if (!test_full() && t % 5 != 0) continue;
        for (unsigned p = 0; p < TEST_PATTERNS; p++) check_lower_bound(g, test_scalars[t], p, 100 + t, 70);
    }
    for (size_t s = 0; s < test_size_count(68931) && test_sizes[s] <= 68931; s++) {
        check_lower_bound(g, GPU_INT, TEST_BITS, test_sizes[s], 65);
        check_lower_bound(g, GPU_FLOAT, TEST_EXTREMES, 33, test_sizes[s]);
    }
    test_close(g);
}

Test(search, types_and_lengths)
{
    top_of_types_lengths_and_patterns();
    top_pairs_of_types_lengths_and_patterns();
    is_sorted_at_every_place();
    lower_bound_of_types_and_lengths();
}

static void lower_bound_of_small_inputs(void) /* F12 */
{
    gpu *g = test_open();
    int some[] = {500, 1000, -1}, repeats[] = {1, 1, 1, 3, 3};
    gpu_array *thousand = gpu_range(g, GPU_INT, 1000), *values = gpu_array_of(g, some, 3),
              *none = gpu_slice(values, 0, 0);
    test_holds("of 0 to 999", gpu_lower_bound(thousand, values), GPU_ULONG, 3, (uint64_t[]){500, 1000, 0});
    gpu_array *few = gpu_lower_bound(gpu_array_of(g, repeats, 5), gpu_range(g, GPU_INT, 5));
    test_holds("repeats", few, GPU_ULONG, 5, (uint64_t[]){0, 0, 3, 3, 5});
    test_holds("in nothing", gpu_lower_bound(none, values), GPU_ULONG, 3, (uint64_t[]){0, 0, 0});
    test_holds("of nothing", gpu_lower_bound(thousand, none), GPU_ULONG, 0, some);
    gpu_array *even = gpu_filter(thousand, "x % 2 == 0"), *odd = gpu_map(gpu_filter(thousand, "x < 50"), "2 * x + 1");
    gpu_array *places = gpu_lower_bound(even, odd);
    cr_assert_eq(test_wrong(gpu_map(places, "x * 2"), "x != 2 * i + 2"), 0, "in a filtered array");
    cr_assert_eq(gpu_length(places), 50);
    test_holds("in a map", gpu_lower_bound(gpu_map(thousand, "x * 10"), gpu_map(values, "x + 5")), GPU_ULONG, 3,
               (uint64_t[]){51, 101, 1});
    test_close(g);
}

/* The values of each of `kinds` keys, composed in their order. */
static void check_groups(gpu *g, gpu_type key, size_t n, size_t kinds)
{
    gpu_scope *scope = gpu_scope_begin(g);
    char what[96];
    affine *values = random_bytes(GPU_TYPE(affine), n, n), *want = test_alloc(kinds, sizeof *want);
    char *keys = test_alloc(n, key->size), *seen = test_alloc(kinds, 1), *want_keys = test_alloc(kinds, key->size);
    uint64_t seed = n + kinds;
    size_t groups = 0;
    for (size_t i = 0; i < n; i++) {
        size_t kind = test_random(&seed) % kinds;
        values[i].scale |= 1;
        test_put(key, keys, i, test_whole(key, (int64_t)kind));
        want[kind] = seen[kind]++ ? then(want[kind], values[i]) : values[i];
        seen[kind] = 1;
    }
    for (size_t kind = 0; kind < kinds; kind++) {
        if (!seen[kind]) continue;
        test_put(key, want_keys, groups, test_whole(key, (int64_t)kind));
        want[groups++] = want[kind];
    }
    snprintf(what, sizeof what, "%zu values by %zu keys of type %s", n, kinds, key->name);
    gpu_array *a = gpu_array_from(g, key, keys, n), *b = gpu_array_from(g, GPU_TYPE(affine), values, n), *k, *v;
    test_ok(gpu_group_reduce(a, b, then, &k, &v));
    test_holds(what, k, key, groups, want_keys);
    test_holds(what, v, GPU_TYPE(affine), groups, want);
    test_holds("the keys given", a, key, n, keys);
    test_holds("the values given", b, GPU_TYPE(affine), n, values);
    free(values);
    free(want);
    free(keys);
    free(seen);
    free(want_keys);
    gpu_scope_end(scope);
}

Test(group_reduce, types_and_lengths)
{
    gpu *g = test_open();
    for (size_t s = 0; s < test_size_count(68931) && test_sizes[s] <= 68931; s++) {
        check_groups(g, GPU_UINT, test_sizes[s], 7);
        check_groups(g, GPU_UINT, test_sizes[s], 5000);
        if (test_full()) check_groups(g, GPU_DOUBLE, test_sizes[s], 100);
        if (test_full()) check_groups(g, GPU_UCHAR, test_sizes[s], 100);
    }
    test_close(g);
}

static void groups_small_and_delayed(void)
{
    gpu *g = test_open();
    gpu_array *k, *v, *x = gpu_eval(gpu_range(g, GPU_INT, 1000));
    float keys[] = {2, NAN, 0.0f, 2, NAN, -0.0f}, sorted[] = {0, 2, NAN, NAN};
    test_ok(gpu_group_reduce(gpu_array_of(g, keys, 6), gpu_range(g, GPU_INT, 6), "10 * a + b", &k, &v));
    test_holds("keys", k, GPU_FLOAT, 4, sorted); /* NaN equals no key */
    test_holds("values", v, GPU_INT, 4, (int[]){25, 3, 1, 4});
    int step = 10;
    test_ok(gpu_group_reduce(gpu_map(x, "x % step", GPU_ARG(step)), gpu_map(x, "x / step", GPU_ARG(step)),
                             "a + b + step - 10", &k, &v, GPU_ARG(step)));
    test_holds("delayed keys", k, GPU_INT, 10, (int[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    cr_assert_eq(test_wrong(v, "x != 4950"), 0, "delayed values");
    gpu_array *odd = gpu_filter(x, "x % 2");
    test_ok(gpu_group_reduce(gpu_map(odd, "x % 3"), odd, "max(a, b)", &k, &v));
    test_holds("filtered keys", k, GPU_INT, 3, (int[]){0, 1, 2});
    test_holds("filtered values", v, GPU_INT, 3, (int[]){999, 997, 995});
    gpu_array *none = gpu_slice(x, 7, 0);
    test_ok(gpu_group_reduce(none, none, "a + b", &k, &v));
    test_holds("no keys", k, GPU_INT, 0, keys);
    test_holds("no values", v, GPU_INT, 0, keys);
    test_close(g);
}

Test(search, delayed_and_filtered)
{
    top_of_delayed_and_filtered();
    is_sorted_of_delayed_and_filtered();
    lower_bound_of_small_inputs();
    groups_small_and_delayed();
}

/* The maps are cut where they are too many for one kernel, and what they belong to with the values is a selection. */
Test(pairs, keys_of_long_chains_beside_what_they_are_made_of)
{
    enum { N = 3000, KEPT = 1000, MAPS = 70 };
    gpu *g = test_open();
    gpu_array *kept = gpu_filter(gpu_range(g, GPU_INT, N), "x < 1000"), *chain = kept, *keys, *values;
    for (int k = 0; k < MAPS; k++) chain = gpu_map(chain, k % 2 ? "x + 1" : "-x");
    test_ok(gpu_sort_pairs(chain, kept, &keys, &values));
    static int want[KEPT];
    for (int k = 0; k < KEPT; k++) want[k] = MAPS / 2 % 2 ? KEPT - 1 - k : k;
    test_holds("values", values, GPU_INT, KEPT, want);
    test_close(g);
}
