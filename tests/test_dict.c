/* Dictionaries: every scalar type of keys, operators that do not commute, lookups, the operations on one and on two,
 * lengths that only the device knows, compiled functions, scopes, and errors. Operators are functions, so that the host
 * device runs the tests too; texts have tests of their own. */
#include "support/functions.h"
#include "support/host.h"
#include "support/line.h"
#include "support/reference.h"

#include <firepile/interop.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(name, int group; int rank; float weight;);
GPU_STRUCT(wide, int first; int others[40];);
GPU_FUNCTION(bool, name_before, (name a, name b, int down), {
    if (a.group != b.group) return down ? a.group > b.group : a.group < b.group;
    return a.rank < b.rank;
});
GPU_FUNCTION(float, minus, (float a, float b), { return a - b; }); /* of two values: it is not associative */
GPU_FUNCTION(float, plus, (float a, float b), { return a + b; });
GPU_FUNCTION(float, scaled, (int key, float x, float by), { return x * by + key; });
GPU_FUNCTION(double, half_of, (int key, float x), { return key / 2.0 + x; });
GPU_FUNCTION(int, key_and_place, (int key, float x, uint64_t i), { return key + (int)i; });
GPU_FUNCTION(bool, is_large, (int key, float x, int least), { return x >= 20 && key >= least; });
GPU_FUNCTION(int, tens, (int x), { return x / 10; });
GPU_FUNCTION(float, widened, (int x), { return x; });
GPU_FUNCTION(int, group_of, (name x), { return x.group; });
GPU_FUNCTION(wide, wide_of, (int x), {
    wide w;
    w.first = x;
    for (int k = 0; k < 40; k++) w.others[k] = x + k;
    return w;
});
GPU_FUNCTION(int, last_of, (wide x), { return x.others[39]; });

/* ---- plain C ---- */

/* Keys in order, each once, and their values. */
typedef struct pairs {
    gpu_type type;
    unsigned char *keys;
    line *values;
    size_t n;
} pairs;

static pairs pairs_new(gpu_type type, size_t n)
{
    return (pairs){type, test_alloc(n, type->size), test_alloc(n, sizeof(line)), 0};
}

static void pairs_free(pairs p)
{
    free(p.keys);
    free(p.values);
}

static void append(pairs *p, const void *key, line value)
{
    memcpy(p->keys + p->n * p->type->size, key, p->type->size);
    p->values[p->n++] = value;
}

static bool equal(gpu_type type, const void *a, const void *b)
{
    return !test_ascending(type, a, b) && !test_ascending(type, b, a);
}

static pairs combined(gpu_type type, const unsigned char *keys, const line *values, size_t n)
{
    pairs p = pairs_new(type, n);
    uint64_t *order = test_alloc(n, sizeof *order);
    test_order(type, keys, n, test_ascending, order);
    for (size_t k = 0; k < n; k++) {
        const unsigned char *key = keys + order[k] * type->size;
        if (p.n && equal(type, p.keys + (p.n - 1) * type->size, key))
            p.values[p.n - 1] = then(p.values[p.n - 1], values[order[k]]);
        else
            append(&p, key, values[order[k]]);
    }
    free(order);
    return p;
}

/* The value of a key; NULL: it is not there. */
static const line *value_of(pairs p, const void *key)
{
    size_t low = 0, high = p.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (test_ascending(p.type, p.keys + middle * p.type->size, key))
            low = middle + 1;
        else
            high = middle;
    }
    return low < p.n && equal(p.type, p.keys + low * p.type->size, key) ? &p.values[low] : NULL;
}

/* Keys are compared bit by bit: of equal ones the first is kept. */
static void check_pairs(const char *what, const gpu_dict *d, pairs want)
{
    char of_values[160];
    snprintf(of_values, sizeof of_values, "the values: %s", what);
    test_holds(what, gpu_dict_keys(d), test_bits(want.type), want.n, want.keys);
    gpu_array *values = gpu_dict_values(d);
    line *got = test_alloc(want.n, sizeof *got);
    size_t n = 0;
    test_ok(gpu_read_n(values, got, want.n, &n));
    cr_assert_eq(n, want.n, "%s: %zu values, and %zu keys", what, n, want.n);
    for (size_t k = 0; k < n; k++)
        cr_assert(!memcmp(&got[k], &want.values[k], sizeof *got), "%s: value %zu is %u, %u, and not %u, %u", of_values,
                  k, got[k].m, got[k].c, want.values[k].m, want.values[k].c);
    free(got);
}

/* ---- every type ---- */

static line *some_lines(size_t n)
{
    line *values = test_alloc(n, sizeof *values);
    for (size_t k = 0; k < n; k++) values[k] = line_of((int)(k % 100));
    return values;
}

static gpu_array *lines_array(gpu *g, const line *values, size_t n)
{
    return gpu_array_from(g, GPU_TYPE(line), values, n);
}

static gpu_dict *dict_of(gpu *g, gpu_type type, const unsigned char *keys, const line *values, size_t n)
{
    return gpu_dict_of(gpu_array_from(g, type, keys, n), lines_array(g, values, n), then);
}

static void check_lookups(const char *what, const gpu_dict *d, pairs p, const gpu_array *wanted, const void *keys,
                          size_t n)
{
    const line none = {7, 9};
    const unsigned char *at = keys;
    line *want = test_alloc(n, sizeof *want), *got = test_alloc(n, sizeof *got);
    unsigned char *there = test_alloc(n, 1);
    for (size_t k = 0; k < n; k++) {
        const line *value = value_of(p, at + k * p.type->size);
        want[k] = value ? *value : none;
        there[k] = value != NULL;
    }
    test_ok(gpu_read(gpu_dict_get(d, wanted, &none), got));
    cr_assert(!n || !memcmp(got, want, n * sizeof *got), "%s: values that were looked up", what);
    test_holds(what, gpu_dict_has(d, wanted), GPU_UCHAR, n, there);
    free(want);
    free(got);
    free(there);
}

static void check_type(gpu *g, gpu_type type, test_pattern pattern, size_t n, size_t m)
{
    gpu_scope *scope = gpu_scope_begin(g);
    char what[120];
    unsigned char *keys = test_alloc(n, type->size), *others = test_alloc(m, type->size);
    line *values = some_lines(n);
    snprintf(what, sizeof what, "%zu keys of type %s, pattern %d, and %zu others", n, type->name, (int)pattern, m);
    test_pattern_fill(pattern, type, keys, n, 1);
    test_pattern_fill(pattern, type, others, m, 2);
    for (size_t k = 0; k < m && k < n; k += 3) memcpy(others + k * type->size, keys + k * type->size, type->size);
    pairs want = combined(type, keys, values, n);
    gpu_dict *d = dict_of(g, type, keys, values, n);
    check_pairs(what, d, want);
    check_lookups(what, d, want, gpu_array_from(g, type, others, m), others, m);
    pairs_free(want);
    free(keys);
    free(others);
    free(values);
    gpu_scope_end(scope);
}

Test(dict, holds_keys_of_all_types_and_sizes)
{
    static const size_t sizes[] = {0, 1, 2, 33, 1000, 5000, 34465};
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++)
        for (unsigned p = 0; p < TEST_PATTERNS && test_takes_type(t, 0); p++)
            check_type(g, test_scalars[t], p, 200 + t, 70);
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        check_type(g, GPU_INT, TEST_FEW, test_limit(sizes[s]), 65);
        check_type(g, sizes[s] <= 1000 ? GPU_FLOAT : GPU_INT, TEST_EXTREMES, test_limit(sizes[s]), 1);
        check_type(g, GPU_INT, TEST_BITS, 33, test_limit(sizes[s]));
        check_type(g, GPU_INT, TEST_EQUAL, test_limit(sizes[s]), 0);
    }
    test_close(g);
}

static void zeros_and_nan(void)
{
    gpu *g = test_open();
    float keys[] = {NAN, -0.0f, 1, -NAN, 0.0f, NAN}, got[6], wanted[] = {0.0f, -0.0f, NAN, 2};
    int values[] = {1, 2, 3, 4, 5, 6}, of[6];
    size_t n;
    gpu_dict *d = gpu_dict_of(gpu_array_of(g, keys, 6), gpu_array_of(g, values, 6), "b");
    test_ok(gpu_dict_read(d, got, of, 6, &n));
    cr_assert_eq(n, 3);
    cr_assert(got[0] == 0 && signbit(got[0]) && got[1] == 1 && isnan(got[2]), "%g %g %g", got[0], got[1], got[2]);
    cr_assert(of[0] == 5 && of[1] == 3 && of[2] == 6, "the last value of each key");
    test_holds("signs of zero, and NaN", gpu_dict_get(d, gpu_array_of(g, wanted, 4), &(int){-1}), GPU_INT, 4,
               (int[]){5, 5, 6, -1});
    test_close(g);
}

Test(dict, zeros_and_nan)
{
    zeros_and_nan();
}

/* ---- comparators ---- */

static void structs_as_keys(void)
{
    gpu *g = test_open();
    const name keys[] = {{1, 2, 0.5f}, {2, 1, 1}, {1, 2, 2}, {1, 1, 3}, {2, 1, 4}, {3, 0, 5}};
    const float values[] = {10, 20, 30, 40, 50, 60};
    const name wanted[] = {{2, 1, 9}, {1, 3, 0}, {3, 0, 0}};
    gpu_array *k = gpu_array_from(g, GPU_TYPE(name), keys, 6), *v = gpu_array_of(g, values, 6);
    for (int down = 0; down < 2; down++) {
        gpu_scope *scope = gpu_scope_begin(g);
        gpu_dict *d = gpu_dict_of_by(k, v, name_before, minus, GPU_ARG(down));
        gpu_array *w = gpu_array_from(g, GPU_TYPE(name), wanted, 3);
        const int up_groups[] = {1, 1, 2, 3}, down_groups[] = {3, 2, 1, 1};
        const float up_values[] = {40, -20, -30, 60}, down_values[] = {60, -30, 40, -20};
        test_holds("groups", gpu_map_to(gpu_dict_keys(d), GPU_INT, group_of), GPU_INT, 4,
                   down ? down_groups : up_groups);
        test_holds("differences", gpu_dict_values(d), GPU_FLOAT, 4, down ? down_values : up_values);
        test_holds("known structs", gpu_dict_get(d, w, &(float){-1}), GPU_FLOAT, 3, (float[]){-30, -1, 60});
        gpu_dict *rest = gpu_dict_remove(d, w);
        test_holds("without them", gpu_dict_values(rest), GPU_FLOAT, 2, down ? (float[]){40, -20} : (float[]){40, -20});
        test_holds("both", gpu_dict_values(gpu_dict_merge(rest, d, minus)), GPU_FLOAT, 4,
                   down ? (float[]){60, -30, 0, 0} : (float[]){0, 0, -30, 60});
        bool yes = false;
        test_ok(gpu_dict_contains(d, (&(name){3, 0, 7}), &yes));
        cr_assert(yes);
        gpu_scope_end(scope);
    }
    test_close(g);
}

/* The second dictionary has the opposite order. */
static void two_orders(void)
{
    gpu *g = test_open();
    const name keys[] = {{1, 2, 0.5f}, {2, 1, 1}, {3, 1, 2}}, others[] = {{3, 1, 0}, {0, 1, 0}, {2, 1, 0}};
    const float values[] = {10, 20, 30};
    gpu_array *v = gpu_array_of(g, values, 3);
    int down = 0;
    gpu_dict *up = gpu_dict_of_by(gpu_array_from(g, GPU_TYPE(name), keys, 3), v, name_before, minus, GPU_ARG(down));
    down = 1;
    gpu_dict *other =
        gpu_dict_of_by(gpu_array_from(g, GPU_TYPE(name), others, 3), v, name_before, minus, GPU_ARG(down));
    gpu_dict *both = gpu_dict_merge(up, other, minus), *common = gpu_dict_intersect(other, up, minus);
    test_holds("upwards", gpu_map_to(gpu_dict_keys(both), GPU_INT, group_of), GPU_INT, 4, (int[]){0, 1, 2, 3});
    test_holds("of both", gpu_dict_values(both), GPU_FLOAT, 4, (float[]){20, 10, -10, 20});
    test_holds("downwards", gpu_map_to(gpu_dict_keys(common), GPU_INT, group_of), GPU_INT, 2, (int[]){3, 2});
    test_holds("in common", gpu_dict_values(common), GPU_FLOAT, 2, (float[]){-20, 10});
    test_close(g);
}

Test(dict, two_orders)
{
    two_orders();
}

Test(dict, structs_as_keys)
{
    structs_as_keys();
}

static void large_values(void)
{
    gpu *g = test_open();
    const int keys[] = {5, 3, 5}, wanted[] = {3, 4, 5};
    const wide none = {.others = {[39] = -1}};
    gpu_array *k = gpu_array_of(g, keys, 3);
    gpu_dict *d = gpu_dict_of(k, gpu_map_to(k, GPU_TYPE(wide), wide_of), "a");
    gpu_array *got = gpu_dict_get(d, gpu_array_of(g, wanted, 3), &none);
    test_holds("large structs", gpu_map_to(got, GPU_INT, last_of), GPU_INT, 3, (int[]){42, -1, 44});
    test_close(g);
}

Test(dict, large_values)
{
    large_values();
}

/* ---- one dictionary ---- */

static const int days[] = {3, 1, 3, 2, 1, 7};
static const float delays[] = {10, 20, 30, 40, 50, 60};

/* 1: -30, 2: 40, 3: -20, 7: 60. */
static gpu_dict *of_days(gpu *g)
{
    return gpu_dict_of(gpu_array_of(g, days, 6), gpu_array_of(g, delays, 6), minus);
}

static void check_dict(const char *what, const gpu_dict *d, size_t n, const int *keys, const float *values)
{
    int got[8];
    float of[8];
    size_t size = 0;
    test_ok(gpu_dict_read(d, got, of, 8, &size));
    cr_assert_eq(size, n, "%s: %zu keys, and not %zu", what, size, n);
    cr_assert_eq(gpu_dict_size(d), n);
    test_same(what, GPU_INT, n, got, keys);
    test_same(what, GPU_FLOAT, n, of, values);
}

static void maps_and_filters(void)
{
    gpu *g = test_open();
    const float by = 2;
    const int least = 2;
    gpu_dict *d = of_days(g);
    check_dict("differences", d, 4, (int[]){1, 2, 3, 7}, (float[]){-30, 40, -20, 60});
    check_dict("mapped", gpu_dict_map(d, scaled, GPU_ARG(by)), 4, (int[]){1, 2, 3, 7}, (float[]){-59, 82, -37, 127});
    test_holds("of another type", gpu_dict_values(gpu_dict_map_to(d, GPU_INT, key_and_place)), GPU_INT, 4,
               (int[]){1, 3, 5, 10});
    gpu_dict *large = gpu_dict_filter(d, is_large, GPU_ARG(least));
    check_dict("filtered", large, 2, (int[]){2, 7}, (float[]){40, 60});
    check_dict("mapped then", gpu_dict_map(large, scaled, GPU_ARG(by)), 2, (int[]){2, 7}, (float[]){82, 127});
    const int none = 100;
    gpu_dict *empty = gpu_dict_filter(large, is_large, GPU_ARG_NAMED(least, none));
    check_dict("none", empty, 0, NULL, NULL);
    test_holds("among none", gpu_dict_has(empty, gpu_array_of(g, days, 6)), GPU_UCHAR, 6, (unsigned char[6]){0});
    if (test_has_double())
        test_holds("doubles", gpu_dict_values(gpu_dict_map_to(d, GPU_DOUBLE, half_of)), GPU_DOUBLE, 4,
                   (double[]){-29.5, 41, -18.5, 63.5});
    test_close(g);
}

Test(dict, maps_and_filters)
{
    maps_and_filters();
}

Test(dict, takes_texts_of_keys_and_values)
{
    gpu *g = test_open();
    int key = 3;
    test_needs_opencl();
    gpu_dict *d = of_days(g);
    check_dict("a text", gpu_dict_map(d, "x + key * (int)i"), 4, (int[]){1, 2, 3, 7}, (float[]){-30, 42, -14, 81});
    check_dict("a body", gpu_dict_map(d, "{ float y = x; return key > 2 ? y : -y; }"), 4, (int[]){1, 2, 3, 7},
               (float[]){30, -40, -20, 60});
    check_dict("a predicate", gpu_dict_filter(d, "x > 0 && key != 7"), 1, (int[]){2}, (float[]){40});
    check_dict("the key alone", gpu_dict_map(d, "key"), 4, (int[]){1, 2, 3, 7}, (float[]){1, 2, 3, 7});
    /* Elsewhere it is a name as any other. */
    test_holds("a capture called key", gpu_map(gpu_array_of(g, days, 3), "x * key", GPU_ARG(key)), GPU_INT, 3,
               (int[]){9, 3, 9});
    test_fails(GPU_E_ARGUMENT, gpu_dict_status(gpu_dict_map(d, "x * key", GPU_ARG(key))));
    test_has(gpu_error(), "gpu_dict_map: a captured value cannot be called 'key'");
    test_fails(GPU_E_SNIPPET, gpu_dict_status(gpu_dict_map(d, "{ int key = 1; return x; }")));
    test_has(gpu_error(), "'key' is an element here");
    gpu_dict *wrong = gpu_dict_eval(gpu_dict_map(d, "x + kye"));
    test_fails(GPU_E_SNIPPET, gpu_dict_status(wrong));
    test_caret(gpu_dict_error(wrong), "x + kye", 4);
    test_fails(GPU_E_SNIPPET, gpu_dict_status(gpu_dict_filter(d, "x = 3")));
    test_close(g);
}

static void values_alone(void)
{
    gpu *g = test_open();
    check_dict("the value alone", gpu_dict_map(of_days(g), "x"), 4, (int[]){1, 2, 3, 7}, (float[]){-30, 40, -20, 60});
    check_dict("the key alone", gpu_dict_map(of_days(g), "key"), 4, (int[]){1, 2, 3, 7}, (float[]){1, 2, 3, 7});
    test_close(g);
}

Test(dict, values_alone)
{
    values_alone();
}

/* x is the value in one, and the key in the other. */
Test(dict, one_text_maps_a_dictionary_and_two_arrays)
{
    setenv("FIREPILE_SMALL", "0", 1); /* kernels compute */
    gpu *g = test_open();
    const int keys[] = {1, 2, 3}, values[] = {10, 20, 30};
    gpu_dict *d = gpu_dict_eval(gpu_dict_of(gpu_array_of(g, keys, 3), gpu_array_of(g, values, 3), "b"));
    test_holds("values", gpu_dict_values(gpu_dict_map(d, "x + 1")), GPU_INT, 3, (int[]){11, 21, 31});
    test_holds("keys", gpu_map2(gpu_dict_keys(d), gpu_dict_values(d), "x + 1"), GPU_INT, 3, (int[]){2, 3, 4});
    test_close(g);
}

static void one_key(void)
{
    gpu *g = test_open();
    bool yes = false;
    gpu_dict *d = of_days(g), *empty = gpu_dict_of(gpu_array_of(g, days, 0), gpu_array_of(g, delays, 0), minus);
    test_ok(gpu_dict_contains(d, &(int){7}, &yes));
    cr_assert(yes);
    test_ok(gpu_dict_contains(d, &(int){5}, &yes));
    cr_assert(!yes);
    test_ok(gpu_dict_contains_value(d, &(float){40}, &yes));
    cr_assert(yes);
    test_ok(gpu_dict_contains_value(d, &(float){41}, &yes));
    cr_assert(!yes);
    test_ok(gpu_dict_contains(empty, &(int){7}, &yes));
    cr_assert(!yes);
    test_ok(gpu_dict_contains_value(empty, &(float){40}, &yes));
    cr_assert(!yes);
    check_dict("empty", empty, 0, NULL, NULL);
    test_close(g);
}

Test(dict, one_key)
{
    one_key();
}

static void keys_that_are_not_there(void)
{
    gpu *g = test_open();
    const int wanted[] = {3, 7, 4, 9};
    float got[4] = {-1, -1, -1, -1};
    gpu_array *keys = gpu_array_of(g, wanted, 4);
    test_ok(gpu_read(gpu_dict_get(of_days(g), gpu_slice(keys, 0, 2), NULL), got));
    cr_assert(got[0] == -20 && got[1] == 60);
    test_fails(GPU_E_RANGE, gpu_read(gpu_dict_get(of_days(g), keys, NULL), got));
    test_has(gpu_error(), "gpu_dict_get: the key at position 2 is not in the dictionary");
    cr_assert(got[0] == -20 && got[2] == -1, "nothing is written after a failure");
    test_close(g);
}

Test(dict, keys_that_are_not_there)
{
    keys_that_are_not_there();
}

/* The thesis's clbuffer. */
Test(dict, gives_its_arrays_as_clbuffers)
{
    gpu *g = test_open();
    size_t of_keys = 7, of_values = 7;
    test_needs_opencl();
    gpu_dict *d = of_days(g);
    cr_assert(gpu_array_mem(gpu_dict_keys(d), &of_keys) && !of_keys);
    cr_assert(gpu_array_mem(gpu_dict_values(d), &of_values) && !of_values);
    test_close(g);
}

/* Lookups of computed, delayed, selected and moved keys, and what follows them. */
static void keys_of_every_kind(void)
{
    gpu *g = test_open();
    gpu_dict *d = of_days(g);
    gpu_array *keys = gpu_array_of(g, days, 6), *odd = gpu_filter(keys, is_odd);
    const float sorted[] = {-30, -30, 40, -20, -20, 60}, of_odd[] = {-20, -30, -20, -30, 60};
    test_holds("sorted", gpu_dict_get(d, gpu_sort(keys), NULL), GPU_FLOAT, 6, sorted);
    test_holds("filtered", gpu_dict_get(d, odd, NULL), GPU_FLOAT, 5, of_odd);
    test_holds("reversed", gpu_dict_get(d, gpu_reverse(gpu_sort(keys)), NULL), GPU_FLOAT, 6,
               (float[]){60, -20, -20, 40, -30, -30});
    test_holds("joined", gpu_dict_get(d, gpu_concat(gpu_slice(keys, 0, 1), odd), NULL), GPU_FLOAT, 6,
               (float[]){-20, -20, -30, -20, -30, 60});
    test_holds("a part of the values", gpu_slice(gpu_dict_get(d, gpu_sort(keys), NULL), 2, 2), GPU_FLOAT, 2,
               (float[]){40, -20});
    test_holds("values in order", gpu_sort(gpu_dict_get(d, odd, NULL)), GPU_FLOAT, 5,
               (float[]){-30, -30, -20, -20, 60});
    test_holds("keys of values", gpu_dict_has(d, gpu_dict_values(gpu_dict_map_to(d, GPU_INT, key_and_place))),
               GPU_UCHAR, 4, (unsigned char[]){1, 1, 0, 0});
    float sum = 0;
    test_ok(gpu_sum(gpu_dict_get(d, odd, NULL), &sum));
    cr_assert_eq(sum, -40);
    test_close(g);
}

Test(dict, keys_of_every_kind)
{
    keys_of_every_kind();
}

/* ---- two dictionaries ---- */

static void check_two(gpu *g, gpu_type type, test_pattern pattern, size_t n, size_t m)
{
    gpu_scope *scope = gpu_scope_begin(g);
    char what[120];
    unsigned char *keys[2] = {test_alloc(n, type->size), test_alloc(m, type->size)};
    line *values[2] = {some_lines(n), some_lines(m)};
    snprintf(what, sizeof what, "%zu and %zu keys of type %s, pattern %d", n, m, type->name, (int)pattern);
    test_pattern_fill(pattern, type, keys[0], n, 1);
    test_pattern_fill(pattern, type, keys[1], m, 2);
    for (size_t k = 0; k < m && k < n; k += 3) memcpy(keys[1] + k * type->size, keys[0] + k * type->size, type->size);
    pairs a = combined(type, keys[0], values[0], n), b = combined(type, keys[1], values[1], m);
    pairs both = pairs_new(type, n), rest = pairs_new(type, n), all = pairs_new(type, n + m);
    memcpy(all.keys, a.keys, a.n * type->size);
    memcpy(all.keys + a.n * type->size, b.keys, b.n * type->size);
    memcpy(all.values, a.values, a.n * sizeof(line));
    memcpy(all.values + a.n, b.values, b.n * sizeof(line));
    pairs merged = combined(type, all.keys, all.values, a.n + b.n);
    for (size_t k = 0; k < a.n; k++) {
        const void *key = a.keys + k * type->size;
        const line *other = value_of(b, key);
        append(other ? &both : &rest, key, other ? then(a.values[k], *other) : a.values[k]);
    }
    gpu_dict *left = dict_of(g, type, keys[0], values[0], n), *right = dict_of(g, type, keys[1], values[1], m);
    check_pairs(what, gpu_dict_merge(left, right, then), merged);
    check_pairs(what, gpu_dict_intersect(left, right, then), both);
    check_pairs(what, gpu_dict_remove(left, gpu_array_from(g, type, keys[1], m)), rest);
    pairs_free(a);
    pairs_free(b);
    pairs_free(both);
    pairs_free(rest);
    pairs_free(all);
    pairs_free(merged);
    for (int k = 0; k < 2; k++) {
        free(keys[k]);
        free(values[k]);
    }
    gpu_scope_end(scope);
}

Test(dict, merges_intersects_and_removes_in_all_types)
{
    static const size_t sizes[][2] = {{0, 0}, {0, 5}, {5, 0}, {1, 1}, {1000, 33}, {33, 1000}, {3000, 5000}};
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++)
        for (unsigned p = 0; p < TEST_PATTERNS && test_takes_type(t, 0); p++)
            if (test_full() || p == t % TEST_PATTERNS || p == TEST_EXTREMES) check_two(g, test_scalars[t], p, 100, 150);
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        check_two(g, GPU_INT, TEST_BITS, test_limit(sizes[s][0]), test_limit(sizes[s][1]));
        check_two(g, GPU_INT, TEST_FEW, test_limit(sizes[s][0]), test_limit(sizes[s][1]));
    }
    test_close(g);
}

/* ---- joins ---- */

static void joins(void)
{
    gpu *g = test_open();
    const int wanted[] = {7, 4, 1, 7, 9, 3};
    const unsigned beside[] = {0, 1, 2, 3, 4, 5};
    gpu_array *keys = gpu_array_of(g, wanted, 6), *k, *left, *right;
    test_ok(gpu_dict_join(of_days(g), keys, gpu_array_of(g, beside, 6), &k, &left, &right));
    test_holds("keys", k, GPU_INT, 4, (int[]){7, 1, 7, 3});
    test_holds("values of the dictionary", left, GPU_FLOAT, 4, (float[]){60, -30, 60, -20});
    test_holds("values beside the keys", right, GPU_UINT, 4, (unsigned[]){0, 2, 3, 5});
    gpu_array *none = gpu_slice(keys, 1, 1);
    test_ok(gpu_dict_join(of_days(g), none, none, &k, &left, &right));
    test_holds("no keys", k, GPU_INT, 0, NULL);
    test_holds("no values", left, GPU_FLOAT, 0, NULL);
    test_fails(GPU_E_ARGUMENT, gpu_dict_join(of_days(g), keys, none, &k, &left, &right));
    test_has(gpu_error(), "6 keys and 1 values");
    test_array_fails(GPU_E_ARGUMENT, k);
    test_fails(GPU_E_ARGUMENT, gpu_dict_join(of_days(g), keys, keys, &k, NULL, &right));
    test_array_fails(GPU_E_ARGUMENT, right);
    test_fails(GPU_E_ARGUMENT, gpu_dict_join(NULL, keys, keys, &k, &left, &right));
    test_has(gpu_error(), "the dictionary 'd' is NULL");
    test_array_fails(GPU_E_ARGUMENT, left);
    test_close(g);
}

Test(dict, joins_rows_whose_key_is_there)
{
    joins();
}

/* ---- lengths that the device knows ---- */

/* The sums of the odd numbers up to `n`, by tens: 50 k + 25. */
static gpu_dict *of_filtered(gpu *g, size_t n)
{
    gpu_array *odd = gpu_filter(gpu_range(g, GPU_INT, n), is_odd);
    return gpu_dict_of(gpu_map(odd, tens), gpu_map_to(odd, GPU_FLOAT, widened), plus);
}

/* Makes four arrays and dictionaries of such lengths. */
typedef struct lengths {
    gpu_array *got, *has;
    gpu_dict *large, *without, *both;
} lengths;

static lengths of_unknown_lengths(gpu *g, const gpu_array *keys)
{
    const float by = 1;
    const int least = 0;
    lengths l = {.large = gpu_dict_map(of_filtered(g, 3000), scaled, GPU_ARG(by))};
    l.large = gpu_dict_filter(l.large, is_large, GPU_ARG(least));
    l.got = gpu_eval(gpu_dict_get(l.large, keys, &(float){-1}));
    l.has = gpu_eval(gpu_dict_has(l.large, keys));
    l.without = gpu_dict_eval(gpu_dict_remove(l.large, gpu_filter(gpu_range(g, GPU_INT, 100), is_odd)));
    l.both = gpu_dict_eval(gpu_dict_intersect(l.large, l.without, minus));
    return l;
}

/* The first time, kernels are built, which may take a wait. */
static void lengths_that_the_device_knows(void)
{
    gpu *g = test_open();
    const int wanted[] = {0, 5, 299, 300};
    gpu_array *keys = gpu_array_of(g, wanted, 4);
    of_unknown_lengths(g, keys);
    unsigned long waits = test_stats(g).waits;
    const lengths l = of_unknown_lengths(g, keys);
    waits = test_stats(g).waits - waits;
    cr_assert(test_verifies() || !waits, "%lu waits", waits);
    test_holds("looked up", l.got, GPU_FLOAT, 4, (float[]){25, 280, 15274, -1});
    test_holds("there", l.has, GPU_UCHAR, 4, (unsigned char[]){1, 1, 1, 0});
    cr_assert_eq(gpu_dict_size(l.without), 250);
    cr_assert_eq(gpu_dict_size(l.both), 250);
    cr_assert_eq(gpu_dict_size(gpu_dict_merge(l.without, l.large, minus)), 300);
    test_close(g);
}

Test(dict, lengths_that_the_device_knows)
{
    lengths_that_the_device_knows();
}

/* ---- fusion, plans, compiled functions ---- */

static void lookups_are_fused(void)
{
    gpu *g = test_open();
    const float by = 1;
    gpu_array *keys = gpu_map(gpu_range(g, GPU_INT, 3000), tens);
    gpu_dict *d = gpu_dict_eval(of_filtered(g, 3000));
    gpu_array *got = gpu_map2_to(keys, gpu_dict_get(d, keys, NULL), GPU_FLOAT, scaled, GPU_ARG(by));
    unsigned long before = test_stats(g).kernels_launched;
    test_has(test_eager() ? "a search" : gpu_explain(got), "a search");
    gpu_eval(got);
    unsigned long launches = test_stats(g).kernels_launched - before;
    cr_assert(test_eager() || test_tiny() || launches <= 1, "%lu launches", launches);
    test_has(test_eager() ? "gpu_dict_map" : gpu_explain(gpu_dict_values(gpu_dict_map(d, scaled, GPU_ARG(by)))),
             "gpu_dict_map");
    test_array_ok(got);
    test_close(g);
}

Test(dict, lookups_are_fused)
{
    lookups_are_fused();
}

static void compiled(void)
{
    gpu *g = test_open();
    const int wanted[] = {1, 4, 7}, few[] = {4, 4, 1};
    gpu_array *k = gpu_symbol(g, GPU_INT), *v = gpu_symbol(g, GPU_FLOAT), *w = gpu_symbol(g, GPU_INT), *out;
    gpu_dict *d = gpu_dict_of(k, v, minus);
    gpu_status (*look_up)(gpu_array * *out, const gpu_array *k, const gpu_array *v, const gpu_array *w) = NULL;
    gpu_status (*values)(gpu_array * *out, const gpu_array *k, const gpu_array *v, const gpu_array *w) = NULL;
    test_ok(gpu_compile(&look_up, gpu_dict_get(d, w, &(float){5}), k, v, w));
    test_ok(gpu_compile(&values, gpu_dict_values(gpu_dict_merge(gpu_dict_remove(d, w), d, minus)), k, v, w));
    test_has(gpu_explain(gpu_dict_values(d)), "gpu_dict_of");
    gpu_array *keys = gpu_array_of(g, days, 6), *of = gpu_array_of(g, delays, 6), *a = gpu_array_of(g, wanted, 3);
    test_ok(look_up(&out, keys, of, a));
    test_holds("a compiled lookup", out, GPU_FLOAT, 3, (float[]){-30, 5, 60});
    test_ok(look_up(&out, gpu_array_of(g, few, 3), gpu_slice(of, 0, 3), a));
    test_holds("another call", out, GPU_FLOAT, 3, (float[]){30, -10, 5});
    test_ok(values(&out, keys, of, a));
    test_holds("compiled changes", out, GPU_FLOAT, 4, (float[]){-30, 0, 0, 60});
    cr_assert_eq(gpu_dict_size(d), 0);
    test_has(gpu_error(), "symbol");
    float value[4];
    int key[4];
    size_t n;
    bool yes;
    test_fails(GPU_E_ARGUMENT, gpu_dict_read(d, key, value, 4, &n));
    test_fails(GPU_E_ARGUMENT, gpu_dict_contains(d, &(int){3}, &yes));
    test_close(g);
}

Test(dict, is_a_step_of_compiled_functions)
{
    compiled();
}

static void compiled_with_a_comparator(void)
{
    gpu *g = test_open();
    const name keys[] = {{2, 2, 0}, {1, 1, 0}, {2, 2, 1}}, wanted[] = {{2, 2, 5}, {2, 1, 5}};
    gpu_array *k = gpu_symbol(g, GPU_TYPE(name)), *w = gpu_symbol(g, GPU_TYPE(name)), *out;
    const int down = 1;
    gpu_array *values = gpu_array_of(g, delays, 3);
    gpu_dict *d = gpu_dict_of_by(k, values, name_before, minus, GPU_ARG(down));
    gpu_status (*has)(gpu_array * *out, const gpu_array *k, const gpu_array *w) = NULL;
    test_ok(gpu_compile(&has, gpu_dict_get(d, w, &(float){1}), k, w));
    test_ok(has(&out, gpu_array_from(g, GPU_TYPE(name), keys, 3), gpu_array_from(g, GPU_TYPE(name), wanted, 2)));
    test_holds("compiled structs", out, GPU_FLOAT, 2, (float[]){-20, 1});
    test_close(g);
}

Test(dict, compiled_with_a_comparator)
{
    compiled_with_a_comparator();
}

/* ---- scopes ---- */

static void scopes_and_loops(void)
{
    gpu *g = test_open();
    const float by = 2;
    gpu_scope *outer = gpu_scope_begin(g), *scope = gpu_scope_begin(g);
    gpu_dict *kept = gpu_dict_keep(of_days(g)), *freed = of_days(g);
    gpu_array *values = gpu_keep(gpu_dict_values(freed));
    gpu_dict_free(freed);
    gpu_dict_free(NULL);
    of_days(g);
    gpu_scope_end(scope);
    check_dict("kept", kept, 4, (int[]){1, 2, 3, 7}, (float[]){-30, 40, -20, 60});
    test_holds("of a freed one", values, GPU_FLOAT, 4, (float[]){-30, 40, -20, 60});
    gpu_dict *u = of_days(g);
    for (int step = 0; step < 5; step++) {
        gpu_scope *inner = gpu_scope_begin(g);
        cr_assert_eq(gpu_dict_replace(&u, gpu_dict_map(u, scaled, GPU_ARG(by))), u);
        gpu_scope_end(inner);
    }
    check_dict("after a loop", u, 4, (int[]){1, 2, 3, 7}, (float[]){-929, 1342, -547, 2137});
    cr_assert_eq(gpu_dict_replace(&u, u), u);
    gpu_dict_replace(&u, NULL);
    test_fails(GPU_E_ARGUMENT, gpu_dict_status(u));
    test_fails(GPU_E_ARGUMENT, gpu_dict_status(gpu_dict_replace(NULL, kept)));
    gpu_dict *first = NULL;
    gpu_dict_replace(&first, of_days(g));
    gpu_scope_end(outer);
    check_dict("in a NULL's place", first, 4, (int[]){1, 2, 3, 7}, (float[]){-30, 40, -20, 60});
    test_close(g);
}

Test(dict, scopes_and_loops)
{
    scopes_and_loops();
}

/* ---- errors ---- */

static void errors_of_making(void)
{
    gpu *g = test_open();
    const float both[] = {1, 2};
    const int least = 0;
    const float by = 1;
    gpu_array *keys = gpu_array_of(g, days, 6), *values = gpu_array_of(g, delays, 6);
    gpu_array *bad = gpu_array_from(g, GPU_FLOAT, NULL, 3), *structs = gpu_array_from(g, GPU_TYPE(line), both, 1);
    gpu_dict *d = gpu_dict_of(keys, bad, minus);
    test_fails(GPU_E_ARGUMENT, gpu_dict_status(d));
    test_has(gpu_dict_error(d), "gpu_array_from: the data pointer is NULL");
    test_array_fails(GPU_E_ARGUMENT, gpu_dict_keys(d));
    test_fails(GPU_E_ARGUMENT, gpu_dict_status(gpu_dict_map(gpu_dict_filter(d, "x"), "x")));
    test_fails(GPU_E_ARGUMENT, gpu_dict_status(gpu_dict_of(NULL, values, minus)));
    test_has(gpu_error(), "gpu_dict_of: the array 'keys' is NULL");
    test_fails(GPU_E_ARGUMENT, gpu_dict_status(gpu_dict_of(keys, NULL, minus)));
    test_has(gpu_error(), "the array 'values' is NULL");
    test_fails(GPU_E_ARGUMENT, gpu_dict_status(gpu_dict_of(NULL, NULL, minus)));
    test_fails(GPU_E_ARGUMENT, gpu_dict_status(gpu_dict_of(keys, gpu_slice(values, 0, 2), minus)));
    test_has(gpu_error(), "6 keys and 2 values");
    test_fails(GPU_E_TYPE, gpu_dict_status(gpu_dict_of(structs, gpu_slice(values, 0, 1), minus)));
    test_has(gpu_error(), "line has no order of its own: give a comparator to gpu_dict_of_by");
    test_fails(GPU_E_TYPE, gpu_dict_status(gpu_dict_of(keys, keys, minus)));
    test_fails(GPU_E_TYPE,
               gpu_dict_status(gpu_dict_of_by(keys, values, name_before, minus, GPU_ARG_NAMED(down, least))));
    test_fails(GPU_E_SNIPPET, gpu_dict_status(gpu_dict_of(keys, values, "a + (b")));
    test_fails(GPU_E_SNIPPET, gpu_dict_status(gpu_dict_of_by(keys, values, "a < (b", minus)));
    test_fails(GPU_E_TYPE, gpu_dict_status(gpu_dict_map_to(of_days(g), GPU_INT, scaled, GPU_ARG(by))));
    test_has(gpu_error(), "gpu_dict_map_to(..., GPU_FLOAT, scaled)");
    test_close(g);
}

Test(dict, errors_of_making)
{
    errors_of_making();
}

static void errors_of_use(void)
{
    gpu *g = test_open();
    gpu_dict *d = of_days(g);
    int key[4] = {-1, -1, -1, -1};
    float value[4] = {-1, -1, -1, -1};
    size_t n = 77;
    bool yes;
    test_fails(GPU_E_RANGE, gpu_dict_read(d, key, value, 3, &n));
    test_has(gpu_error(), "the dictionary has 4 keys, and there is room for 3");
    test_fails(GPU_E_TYPE, gpu_dict_read(d, value, value, 4, &n));
    test_fails(GPU_E_TYPE, gpu_dict_read(d, key, key, 4, &n));
    test_fails(GPU_E_ARGUMENT, gpu_dict_read(d, key, value, 4, NULL));
    test_fails(GPU_E_ARGUMENT, gpu_dict_read(NULL, key, value, 4, &n));
    test_has(gpu_error(), "gpu_dict_read: the dictionary 'd' is NULL");
    cr_assert(n == 77 && key[0] == -1 && value[0] == -1, "nothing is written after a failure");
    test_array_fails(GPU_E_TYPE, gpu_dict_get(d, gpu_array_of(g, delays, 6), NULL));
    test_has(gpu_error(), "'keys' are float, and the keys of 'd' are int");
    test_array_fails(GPU_E_TYPE, gpu_dict_get(d, gpu_array_of(g, days, 6), &(int){0}));
    test_array_fails(GPU_E_ARGUMENT, gpu_dict_has(d, NULL));
    test_has(gpu_error(), "the array 'keys' is NULL");
    test_array_fails(GPU_E_ARGUMENT, gpu_dict_has(NULL, gpu_array_of(g, days, 6)));
    test_has(gpu_error(), "the dictionary 'd' is NULL");
    test_fails(GPU_E_TYPE, gpu_dict_contains(d, &(float){0}, &yes));
    test_fails(GPU_E_ARGUMENT, gpu_dict_contains(d, &(int){0}, NULL));
    test_fails(GPU_E_TYPE, gpu_dict_contains_value(d, &(int){0}, &yes));
    gpu_dict *other = gpu_dict_of(gpu_array_of(g, days, 6), gpu_array_of(g, days, 6), "a");
    test_fails(GPU_E_TYPE, gpu_dict_status(gpu_dict_merge(d, other, minus)));
    test_has(gpu_error(), "the dictionary 'a' maps int to float, and 'b' maps int to int");
    test_fails(GPU_E_ARGUMENT, gpu_dict_status(gpu_dict_intersect(d, NULL, minus)));
    test_has(gpu_error(), "the dictionary 'b' is NULL");
    test_fails(GPU_E_ARGUMENT, gpu_dict_status(gpu_dict_merge(NULL, d, minus)));
    test_has(gpu_error(), "the dictionary 'a' is NULL");
    cr_assert_eq(gpu_dict_size(NULL), 0);
    cr_assert_eq(gpu_dict_eval(NULL), NULL);
    cr_assert_eq(gpu_dict_status(NULL), GPU_E_ARGUMENT);
    cr_assert_str_eq(gpu_dict_error(NULL), "the dictionary is NULL");
    cr_assert_str_eq(gpu_dict_error(d), "");
    test_close(g);
}

Test(dict, errors_of_use)
{
    errors_of_use();
}

/* ---- faults ---- */

typedef struct results {
    int keys[300];
    float values[300], found[100], left[100];
    size_t n;
    bool yes;
} results;

static gpu_status program(void *out)
{
    results *r = out;
    const float by = 1;
    const int least = 3;
    gpu *g = gpu_open("host"); /* all that follows accepts NULL */
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *wanted = gpu_map(gpu_range(g, GPU_INT, 100), tens), *k, *left, *right;
    gpu_dict *all = gpu_dict_of(wanted, gpu_map_to(wanted, GPU_FLOAT, widened), plus), *kept = NULL;
    gpu_dict *some = gpu_dict_remove(gpu_dict_filter(all, is_large, GPU_ARG(least)), gpu_slice(wanted, 40, 1));
    gpu_dict_replace(&kept, gpu_dict_merge(some, gpu_dict_map(all, scaled, GPU_ARG(by)), plus));
    gpu_scope_end(scope);
    gpu_array *keys = gpu_map(gpu_range(g, GPU_INT, 100), tens);
    gpu_status status = gpu_dict_read(kept, r->keys, r->values, 300, &r->n);
    if (!status) status = gpu_read(gpu_dict_get(kept, keys, NULL), r->found);
    if (!status) status = gpu_dict_join(kept, keys, keys, &k, &left, &right);
    if (!status) status = gpu_read(left, r->left);
    if (!status) status = gpu_dict_contains(gpu_dict_intersect(kept, kept, plus), &(int){7}, &r->yes);
    gpu_close(g);
    return status;
}

Test(dict, each_allocation, .init = test_host_begin, .fini = test_host_end)
{
    static results want, got;
    test_host_faults(program, &want, &got, sizeof want);
}
