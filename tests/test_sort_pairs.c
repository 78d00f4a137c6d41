/* gpu_sort_pairs, gpu_argsort, gpu_argsort_by, gpu_sort_key, gpu_group_reduce. */
#include "support/line.h"
#include "support/reference.h"
#include "support/wide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(record, int group; unsigned int rank; unsigned int index; unsigned int more;);
GPU_STRUCT(colour, unsigned char red; unsigned char green; unsigned char blue;);

GPU_FUNCTION(int, ranked, (record p, record q), { return p.group % 5 < q.group % 5; });
GPU_FUNCTION(int, nearer, (int p, int q, int centre), { return abs(p - centre) < abs(q - centre); });
GPU_FUNCTION(float, half_rank, (record r), { return (float)(r.rank % 100) / 2; });

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

/* Keys of each type, values of each other; `less` NULL: the keys' own order. */
static void check_pairs(gpu *g, gpu_type key, gpu_type value, const char *less, test_before *before, size_t n,
                        const void *keys)
{
    gpu_scope *scope = gpu_scope_begin(g);
    char what[128];
    snprintf(what, sizeof what, "%zu pairs of %s and %s by \"%s\"", n, key->name, value->name, less ? less : "");
    void *values = test_random_bytes(value, n, n);
    uint64_t *order = test_alloc(n, sizeof *order);
    test_order(key, keys, n, before, order);
    gpu_array *a = gpu_array_from(g, key, keys, n), *b = gpu_array_from(g, value, values, n), *k = NULL, *v = NULL;
    test_ok(less ? gpu_sort_pairs_by(a, b, less, &k, &v) : gpu_sort_pairs(a, b, &k, &v));
    test_holds_ordered(what, k, key, keys, order, n);
    test_holds_ordered(what, v, value, values, order, n);
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

Test(pairs, take_keys_and_values_of_several_types)
{
    gpu *g = test_open();
    check_pair_patterns(g, GPU_INT, GPU_INT, 68931);
    check_pair_patterns(g, GPU_FLOAT, GPU_DOUBLE, 68931);
    check_pair_patterns(g, GPU_SHORT, GPU_TYPE(colour), 16385);
    if (test_full()) check_pair_patterns(g, GPU_UCHAR, GPU_TYPE(wide), 1025);
    for (unsigned t = 0; t < TEST_SCALARS && test_full(); t++) {
        check_pair_patterns(g, test_scalars[t], test_scalars[(t + 3) % TEST_SCALARS], 68931);
    }
    test_close(g);
}

/* Bit d of `digits`: byte d differs between keys. The other bytes are the same in all. */
static void check_digits(gpu *g, gpu_type key, gpu_type value, unsigned digits)
{
    enum { N = 5000 };
    unsigned char *keys = test_random_bytes(key, N, digits);
    for (size_t k = 0; k < N * key->size; k++)
        if (!(digits >> k % key->size & 1)) keys[k] = 0x5a;
    check_pairs(g, key, value, NULL, test_ascending, N, keys);
    free(keys);
}

Test(pairs, take_keys_that_differ_in_some_digits)
{
    gpu *g = test_open();
    for (unsigned digits = 0; digits < 1 << 2; digits++) check_digits(g, GPU_SHORT, GPU_TYPE(colour), digits);
    for (unsigned digits = 0; digits < 1 << 4; digits++) check_digits(g, GPU_INT, GPU_INT, digits);
    for (unsigned digits = 0; digits < 1 << 8; digits += test_full() ? 1 : test_small() ? 85 : 7)
        check_digits(g, GPU_ULONG, GPU_INT, digits);
    test_close(g);
}

enum { SOME_KEYS = 7, SOME_PAIRS = 10000 };
static const int pairs_of_key[SOME_KEYS] = {1429, 1429, 1428, 1429, 1428, 1429, 1428};

/* Keys from 0 to 6, their number known to the device alone. */
static gpu_array *narrow_keys(gpu *g)
{
    return gpu_map(gpu_filter(gpu_range(g, GPU_INT, 2 * SOME_PAIRS), "x % 2"), "x % 7");
}

Test(sort, takes_narrow_keys_whose_number_only_the_device_knows)
{
    static int want[SOME_PAIRS];
    gpu *g = test_open();
    for (int key = 0, n = 0; key < SOME_KEYS; key++)
        for (int e = 0; e < pairs_of_key[key]; e++) want[n++] = key;
    test_holds("sorted", gpu_sort(narrow_keys(g)), GPU_INT, SOME_PAIRS, want);
    test_close(g);
}

Test(group_reduce, takes_narrow_keys_whose_number_only_the_device_knows)
{
    gpu *g = test_open();
    gpu_array *keys = narrow_keys(g), *k, *v;
    test_ok(gpu_group_reduce(keys, gpu_map(keys, "1"), "a + b", &k, &v));
    test_holds("keys", k, GPU_INT, SOME_KEYS, (int[]){0, 1, 2, 3, 4, 5, 6});
    test_holds("values", v, GPU_INT, SOME_KEYS, pairs_of_key);
    test_close(g);
}

Test(pairs, take_a_comparator) /* O05 */
{
    gpu *g = test_open();
    for (size_t s = 0; s < test_size_count(16385) && test_sizes[s] <= 16385; s++) {
        size_t n = test_sizes[s];
        void *keys = test_random_bytes(GPU_TYPE(record), n, s);
        check_pairs(g, GPU_INT, GPU_INT, "a < b", test_ascending, n, keys);
        check_pairs(g, GPU_TYPE(record), GPU_USHORT, "ranked(a, b)", by_group, n, keys);
        free(keys);
    }
    test_close(g);
}

Test(pairs, carry_values_along_with_their_keys) /* O06 */
{
    gpu *g = test_open();
    gpu_array *k, *v;
    int numbers[] = {3, 1, 2}, values[] = {30, 10, 20};
    test_ok(gpu_sort_pairs(gpu_array_of(g, numbers, 3), gpu_array_of(g, values, 3), &k, &v));
    test_holds("keys", k, GPU_INT, 3, (int[]){1, 2, 3});
    test_holds("values", v, GPU_INT, 3, (int[]){10, 20, 30});
    test_close(g);
}

Test(pairs, keep_the_order_of_equal_keys) /* O11, O21 */
{
    gpu *g = test_open();
    gpu_array *k, *v;
    float zeros[] = {0.0f, -0.0f, 1, -1}, zeros_sorted[] = {-1, 0.0f, -0.0f, 1};
    test_ok(gpu_sort_pairs(gpu_array_of(g, zeros, 4), gpu_range(g, GPU_DOUBLE, 4), &k, &v));
    test_holds("zeros", k, GPU_UINT, 4, zeros_sorted); /* bit by bit */
    test_holds("their places", v, GPU_DOUBLE, 4, (double[]){3, 0, 1, 2});
    int twos[] = {2, 2, 2}, values[] = {30, 10, 20};
    test_ok(gpu_sort_pairs(gpu_array_of(g, twos, 3), gpu_array_of(g, values, 3), &k, &v));
    test_holds("duplicates", k, GPU_INT, 3, twos);
    test_holds("their values", v, GPU_INT, 3, values);
    test_close(g);
}

Test(pairs, take_one_array_as_keys_and_values)
{
    gpu *g = test_open();
    gpu_array *k, *v, *x = gpu_array_of(g, (&(int[]){3, 1, 2}[0]), 3);
    test_ok(gpu_sort_pairs(x, x, &k, &v));
    test_holds("of itself", v, GPU_INT, 3, (int[]){1, 2, 3});
    test_close(g);
}

Test(pairs, an_output_may_be_where_an_input_was)
{
    gpu *g = test_open();
    gpu_array *v, *x = gpu_array_of(g, (&(int[]){3, 1, 2}[0]), 3);
    test_ok(gpu_sort_pairs(x, gpu_argsort(x), &x, &v));
    test_holds("in its place", x, GPU_INT, 3, (int[]){1, 2, 3});
    test_holds("indices as values", v, GPU_ULONG, 3, (uint64_t[]){2, 0, 1});
    test_close(g);
}

Test(pairs, take_delayed_and_filtered_keys_and_values)
{
    gpu *g = test_open();
    for (size_t s = 1; s < test_size_count(68931) && test_sizes[s] <= 68931; s++) {
        gpu_scope *scope = gpu_scope_begin(g);
        const size_t n = test_sizes[s], kept = (n + 1) / 2;
        const int64_t last = (int64_t)n - 1, last_kept = 2 * ((int64_t)kept - 1);
        gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, n)), *even = gpu_filter(x, "x % 2 == 0"), *k, *v;
        test_ok(gpu_sort_pairs(gpu_map(x, "-x"), gpu_map(x, "x * 2"), &k, &v));
        test_holds_steps("delayed keys", k, GPU_INT, n, -last, 1);
        test_holds_steps("delayed values", v, GPU_INT, n, 2 * last, -2);
        test_ok(gpu_sort_pairs(gpu_map(even, "-x"), gpu_map(even, "x * 2"), &k, &v));
        test_holds_steps("filtered keys", k, GPU_INT, kept, -last_kept, 2);
        test_holds_steps("filtered values", v, GPU_INT, kept, 2 * last_kept, -4);
        gpu_scope_end(scope);
    }
    test_close(g);
}

Test(argsort, takes_every_type) /* O08 */
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
            if (s % 5 == 0) test_holds_ordered("gathered", gpu_gather(a, places), test_scalars[t], data, order, n);
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
    void *data = test_random_bytes(type, n, n);
    uint64_t *order = test_alloc(n, sizeof *order);
    test_order(type, data, n, before, order);
    const gpu_operator less = {text, function, NULL, GPU_HERE};
    gpu_array *places = gpu_argsort_by_op(gpu_array_from(g, type, data, n), &less);
    test_holds(type->name, places, GPU_ULONG, n, order);
    free(data);
    free(order);
    gpu_scope_end(scope);
}

Test(argsort, takes_comparators_and_keeps_the_order_of_ties)
{
    gpu *g = test_open();
    for (size_t s = 0; s < test_size_count(16385) && test_sizes[s] <= 16385; s++) {
        check_argsort_by(g, GPU_INT, "a < b", NULL, test_ascending, test_sizes[s]);
        check_argsort_by(g, GPU_TYPE(record), NULL, __extension__(const void *)(ranked), by_group, test_sizes[s]);
    }
    test_close(g);
}

Test(argsort, its_comparator_reads_captured_values)
{
    gpu *g = test_open();
    const int centre = 3, data[] = {1, 5, 2, 3, 4};
    gpu_array *places = gpu_argsort_by(gpu_array_of(g, data, 5), nearer, GPU_ARG(centre));
    test_holds("with a capture", places, GPU_ULONG, 5, (uint64_t[]){3, 2, 4, 0, 1});
    test_close(g);
}

Test(argsort, takes_a_filter)
{
    gpu *g = test_open();
    gpu_array *x = gpu_array_of(g, (&(int[]){1, 5, 2, 3, 4}[0]), 5);
    test_holds("of a filter", gpu_argsort_by(gpu_filter(x, "x > 1"), "a > b"), GPU_ULONG, 4, (uint64_t[]){0, 3, 2, 1});
    test_close(g);
}

Test(argsort, takes_the_own_order_without_a_comparator)
{
    gpu *g = test_open();
    gpu_array *x = gpu_array_of(g, (&(int[]){1, 5, 2, 3, 4}[0]), 5);
    test_holds("no text", gpu_argsort_by(x, (const char *)NULL), GPU_ULONG, 5, (uint64_t[]){0, 2, 3, 4, 1});
    test_close(g);
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

Test(sort_key, takes_types_and_lengths)
{
    gpu *g = test_open();
    size_t cases = test_full() ? COUNT_OF(key_cases) : 2;
    for (size_t k = 0; k < cases * test_size_count(16385); k++) {
        const key_case *c = &key_cases[k % cases];
        size_t n = test_sizes[k / cases];
        if (n > 68931) break;
        if (n > 1025 && k % cases == 1 && !test_full()) continue; /* the next test has long arrays of records */
        uint64_t *order = test_alloc(n, sizeof *order);
        void *data = test_random_bytes(c->type, n, k);
        if (c->type == GPU_FLOAT) test_pattern_fill(TEST_EXTREMES, c->type, data, n, k);
        test_order(c->type, data, n, c->before, order);
        gpu_array *a = gpu_array_from(g, c->type, data, n);
        test_holds_ordered(c->text, gpu_sort_key(a, c->key, c->text), c->type, data, order, n);
        test_holds("the input", a, test_bits(c->type), n, data);
        gpu_array_free(a);
        free(data);
        free(order);
    }
    test_close(g);
}

Test(sort_key, takes_a_function)
{
    gpu *g = test_open();
    enum { N = 5000 };
    record *data = test_random_bytes(GPU_TYPE(record), N, 1);
    static uint64_t order[N];
    test_order(GPU_TYPE(record), data, N, by_half_rank, order);
    gpu_array *records = gpu_array_from(g, GPU_TYPE(record), data, N);
    test_holds_ordered("a function", gpu_sort_key(records, GPU_FLOAT, half_rank), GPU_TYPE(record), data, order, N);
    free(data);
    test_close(g);
}

Test(sort_key, its_key_reads_captured_values)
{
    gpu *g = test_open();
    enum { N = 5000 };
    int last = N - 1;
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, N)), *table = gpu_eval(gpu_reverse(x));
    gpu_array *sorted = gpu_sort_key(x, GPU_INT, "table[x] - last", GPU_ARG(table), GPU_ARG(last));
    test_holds_steps("captures", sorted, GPU_INT, N, N - 1, -1);
    test_close(g);
}

Test(sort_key, takes_delayed_filtered_and_empty_inputs)
{
    gpu *g = test_open();
    enum { N = 5000 };
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, N));
    gpu_array *sorted = gpu_sort_key(gpu_map(x, "x * 2"), GPU_INT, "-x");
    test_holds_steps("a map", sorted, GPU_INT, N, 2 * (N - 1), -2);
    sorted = gpu_sort_key(gpu_filter(x, "x < 100"), GPU_INT, "{ return -x; }");
    test_holds_steps("a filter", sorted, GPU_INT, 100, 99, -1);
    cr_assert_eq(gpu_length(gpu_sort_key(gpu_slice(x, 3, 0), GPU_INT, "x")), 0);
    test_close(g);
}

/* The values of each of `kinds` keys, composed in their order. */
static void check_groups(gpu *g, gpu_type key, size_t n, size_t kinds)
{
    gpu_scope *scope = gpu_scope_begin(g);
    char what[96];
    line *values = test_random_bytes(GPU_TYPE(line), n, n), *want = test_alloc(kinds, sizeof *want);
    char *keys = test_alloc(n, key->size), *seen = test_alloc(kinds, 1), *want_keys = test_alloc(kinds, key->size);
    uint64_t seed = n + kinds;
    size_t groups = 0;
    for (size_t i = 0; i < n; i++) {
        size_t kind = test_random(&seed) % kinds;
        values[i].m |= 1;
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
    gpu_array *a = gpu_array_from(g, key, keys, n), *b = gpu_array_from(g, GPU_TYPE(line), values, n), *k, *v;
    test_ok(gpu_group_reduce(a, b, then, &k, &v));
    test_holds(what, k, key, groups, want_keys);
    test_holds(what, v, GPU_TYPE(line), groups, want);
    test_holds("the keys given", a, key, n, keys);
    test_holds("the values given", b, GPU_TYPE(line), n, values);
    free(values);
    free(want);
    free(keys);
    free(seen);
    free(want_keys);
    gpu_scope_end(scope);
}

Test(group_reduce, combines_the_values_of_each_key_in_their_order)
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

Test(group_reduce, a_nan_is_a_group_of_its_own)
{
    gpu *g = test_open();
    gpu_array *k, *v;
    float keys[] = {2, NAN, 0.0f, 2, NAN, -0.0f}, sorted[] = {0, 2, NAN, NAN};
    test_ok(gpu_group_reduce(gpu_array_of(g, keys, 6), gpu_range(g, GPU_INT, 6), "10 * a + b", &k, &v));
    test_holds("keys", k, GPU_FLOAT, 4, sorted);
    test_holds("values", v, GPU_INT, 4, (int[]){25, 3, 1, 4});
    test_close(g);
}

Test(group_reduce, takes_delayed_inputs_and_captured_values)
{
    gpu *g = test_open();
    int step = 10;
    gpu_array *k, *v, *x = gpu_eval(gpu_range(g, GPU_INT, 1000));
    test_ok(gpu_group_reduce(gpu_map(x, "x % step", GPU_ARG(step)), gpu_map(x, "x / step", GPU_ARG(step)),
                             "a + b + step - 10", &k, &v, GPU_ARG(step)));
    test_holds("delayed keys", k, GPU_INT, 10, (int[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    test_holds_steps("delayed values", v, GPU_INT, 10, 4950, 0);
    test_close(g);
}

Test(group_reduce, takes_filtered_inputs)
{
    gpu *g = test_open();
    gpu_array *k, *v, *odd = gpu_filter(gpu_eval(gpu_range(g, GPU_INT, 1000)), "x % 2");
    test_ok(gpu_group_reduce(gpu_map(odd, "x % 3"), odd, "max(a, b)", &k, &v));
    test_holds("filtered keys", k, GPU_INT, 3, (int[]){0, 1, 2});
    test_holds("filtered values", v, GPU_INT, 3, (int[]){999, 997, 995});
    test_close(g);
}

Test(group_reduce, an_empty_input_has_no_groups)
{
    gpu *g = test_open();
    gpu_array *k, *v, *none = gpu_slice(gpu_range(g, GPU_INT, 1000), 7, 0);
    test_ok(gpu_group_reduce(none, none, "a + b", &k, &v));
    test_holds("no keys", k, GPU_INT, 0, (int[]){0});
    test_holds("no values", v, GPU_INT, 0, (int[]){0});
    test_close(g);
}

/* The maps are cut where they are too many for one kernel, and what they belong to with the values is a selection. */
Test(pairs, take_keys_of_long_chains_beside_what_they_are_made_of)
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
