/* gpu_reduce_by_key, gpu_scan_by_key, gpu_runs: every type, keys in runs of all lengths, the defects of other
 * libraries. */
#include "support/line.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum operator_kind { ADD, FIRST, LAST, OPERATORS } operator_kind;
static const char *const snippets[] = {"a + b", "a", "b"};

/* Keys and values, and what becomes of them. */
typedef struct batch {
    gpu_type key, value;
    size_t n, runs;
    void *keys, *values, *run_keys, *reduced, *scanned;
    uint64_t *lengths;
} batch;

/* How long runs are: all one, each element one, 1 to 5, 7, up to 20000, thousands of short ones and then a long one. */
typedef enum pattern { SAME, DIFFERENT, SHORT, SEVENS, LONG, MIXED, PATTERNS } pattern;

static size_t run_length(pattern p, uint64_t *seed)
{
    const size_t some = 1 + test_random(seed) % 5, many = 1 + test_random(seed) % 20000;
    const size_t lengths[] = {SIZE_MAX, 1, some, 7, many, many % 4000 ? some : many};
    return lengths[p];
}

/* Neighbouring runs differ in the highest byte of an integer, in low bits of a double. */
static test_number key_of(gpu_type type, size_t run)
{
    unsigned number = (unsigned)(run % 251);
    if (type == GPU_DOUBLE) return (test_number){.f = 1 + ldexp(number, -45)};
    if (type == GPU_FLOAT) return (test_number){.f = number};
    return (test_number){.u = (uint64_t)number << 8 * (type->size - 1)};
}

/* Vectors differ in their last component only; what pads a float3 counts for nothing. */
static void put_key(gpu_type type, void *keys, size_t i, size_t run)
{
    if (type == GPU_INT4) {
        test_put(GPU_INT, keys, 4 * i + 3, key_of(GPU_INT, run));
    } else if (type == GPU_FLOAT3) {
        test_put(GPU_FLOAT, keys, 4 * i + 2, key_of(GPU_FLOAT, run));
        test_put(GPU_FLOAT, keys, 4 * i + 3, (test_number){.f = (double)i});
    } else {
        test_put(type, keys, i, key_of(type, run));
    }
}

static void combine(operator_kind kind, gpu_type type, void *left, const void *right)
{
    test_number p = test_get(type, left, 0), q = test_get(type, right, 0);
    if (type == GPU_TYPE(line))
        *(line *)left = then(*(line *)left, *(const line *)right);
    else if (kind == LAST)
        test_put(type, left, 0, q);
    else if (kind == ADD && type->kind == GPU_KIND_FLOATING)
        test_put(type, left, 0, (test_number){.f = p.f + q.f});
    else if (kind == ADD)
        test_put(type, left, 0, (test_number){.u = p.u + q.u});
}

static char *element(void *array, gpu_type type, size_t i)
{
    return (char *)array + i * type->size;
}

/* Appends element i, which opens a run or continues the last one. */
static void append(batch *b, operator_kind kind, size_t i, bool opens)
{
    if (opens) {
        memcpy(element(b->run_keys, b->key, b->runs), element(b->keys, b->key, i), b->key->size);
        memcpy(element(b->reduced, b->value, b->runs), element(b->values, b->value, i), b->value->size);
        b->lengths[b->runs++] = 0;
    } else {
        combine(kind, b->value, element(b->reduced, b->value, b->runs - 1), element(b->values, b->value, i));
    }
    b->lengths[b->runs - 1]++;
    memcpy(element(b->scanned, b->value, i), element(b->reduced, b->value, b->runs - 1), b->value->size);
}

/* Odd scales: no composition loses what came before. */
static void fill_values(gpu_type type, void *values, size_t n, uint64_t seed)
{
    if (type != GPU_TYPE(line)) {
        test_random_fill(type, values, n, seed);
        return;
    }
    line *v = values;
    test_random_fill(GPU_UINT, v, 2 * n, seed);
    for (size_t i = 0; i < n; i++) v[i].m |= 1;
}

static batch batch_make(gpu_type key, gpu_type value, operator_kind kind, pattern p, size_t n, uint64_t seed)
{
    batch b = {key, value, n, 0, test_alloc(n, key->size), test_alloc(n, value->size), NULL, NULL, NULL, NULL};
    b.run_keys = test_alloc(n, key->size);
    b.reduced = test_alloc(n, value->size);
    b.scanned = test_alloc(n, value->size);
    b.lengths = test_alloc(n, sizeof *b.lengths);
    fill_values(value, b.values, n, seed);
    for (size_t i = 0, left = 0; i < n; i++, left--) {
        bool opens = left == 0;
        if (opens) left = run_length(p, &seed);
        put_key(key, b.keys, i, opens ? b.runs : b.runs - 1);
        append(&b, kind, i, opens);
    }
    return b;
}

static void batch_free(batch *b)
{
    free(b->keys);
    free(b->values);
    free(b->run_keys);
    free(b->reduced);
    free(b->scanned);
    free(b->lengths);
}

/* The array must be `n` elements of `type`, those at `want`. */
static void check_array(const char *what, gpu_array *a, gpu_type type, size_t n, const void *want)
{
    test_array_ok(a);
    cr_assert_eq(gpu_length(a), n, "%s: %zu elements, wanted %zu", what, gpu_length(a), n);
    cr_assert(gpu_type_equal(gpu_type_of(a), type), "%s: elements of another type", what);
    void *got = test_alloc(n, type->size);
    test_ok(gpu_read(a, got));
    test_same(what, type, n, got, want);
    free(got);
}

static void check_batch(gpu *g, gpu_type key, gpu_type value, operator_kind kind, pattern p, size_t n)
{
    gpu_scope *scope = gpu_scope_begin(g);
    batch b = batch_make(key, value, kind, p, n, n + p);
    char what[96];
    snprintf(what, sizeof what, "\"%s\" by %s, n = %zu, pattern %d", snippets[kind], key->name, n, (int)p);
    gpu_array *keys = gpu_array_from(g, key, b.keys, n), *values = gpu_array_from(g, value, b.values, n), *k, *v;
    test_ok(gpu_reduce_by_key(keys, values, snippets[kind], &k, &v));
    check_array(what, k, key, b.runs, b.run_keys);
    check_array(what, v, value, b.runs, b.reduced);
    check_array(what, gpu_scan_by_key(keys, values, snippets[kind]), value, n, b.scanned);
    batch_free(&b);
    gpu_scope_end(scope);
}

static void check_patterns(gpu *g, gpu_type key, gpu_type value, operator_kind kind, size_t limit)
{
    for (size_t k = 0; k < test_size_count(limit) && test_sizes[k] <= limit; k++) {
        for (unsigned p = 0; p < PATTERNS; p++) check_batch(g, key, value, kind, p, test_sizes[k]);
    }
}

Test(by_key, takes_keys_and_values_of_every_type) /* F06 */
{
    gpu *g = test_open();
    for (unsigned t = 0; t < TEST_SCALARS; t++) {
        for (unsigned kind = 0; kind < OPERATORS; kind++) {
            bool wanted = test_full() || (test_takes_type(t, 1) && kind == t % 3);
            if (wanted) check_patterns(g, test_scalars[t], test_scalars[(t + 3) % TEST_SCALARS], kind, 16385);
        }
    }
    test_close(g);
}

Test(by_key, takes_vectors_as_keys)
{
    gpu *g = test_open();
    check_patterns(g, GPU_INT4, GPU_INT, ADD, 10000);
    check_patterns(g, GPU_FLOAT3, GPU_FLOAT, ADD, 10000);
    test_close(g);
}

Test(by_key, takes_millions_of_elements)
{
    gpu *g = test_open();
    check_patterns(g, GPU_UINT, GPU_LONG, LAST, 785433);
    size_t n = test_limit(3679636);
    check_batch(g, GPU_UINT, GPU_LONG, LAST, SHORT, n);
    check_batch(g, GPU_UINT, GPU_LONG, LAST, LONG, n);
    check_batch(g, GPU_UINT, GPU_LONG, LAST, SAME, n);
    test_close(g);
}

Test(by_key, combines_structs_by_a_function)
{
    gpu *g = test_open();
    for (size_t s = 0; s < test_size_count(68931) && test_sizes[s] <= 68931; s++) {
        for (unsigned p = 0; p < PATTERNS; p++) {
            gpu_scope *scope = gpu_scope_begin(g);
            batch b = batch_make(GPU_INT, GPU_TYPE(line), 0, p, test_sizes[s], s);
            gpu_array *keys = gpu_array_from(g, b.key, b.keys, b.n), *k, *v;
            gpu_array *values = gpu_array_from(g, b.value, b.values, b.n);
            char what[96];
            snprintf(what, sizeof what, "lines by int, n = %zu, pattern %u", b.n, p);
            test_ok(gpu_reduce_by_key(keys, values, then, &k, &v));
            check_array(what, k, b.key, b.runs, b.run_keys);
            check_array(what, v, b.value, b.runs, b.reduced);
            check_array(what, gpu_scan_by_key(keys, values, then), b.value, b.n, b.scanned);
            batch_free(&b);
            gpu_scope_end(scope);
        }
    }
    test_close(g);
}

Test(runs, lengths_of_runs_equal_plain_c) /* F08 */
{
    gpu *g = test_open();
    static const gpu_type types[] = {GPU_UCHAR, GPU_INT, GPU_DOUBLE, GPU_INT4};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        for (size_t s = 0; s < test_size_count(68931) * PATTERNS; s++) {
            size_t n = test_sizes[s / PATTERNS];
            if (n > 785433) break;
            gpu_scope *scope = gpu_scope_begin(g);
            batch b = batch_make(types[t], GPU_UCHAR, FIRST, (pattern)(s % PATTERNS), n, s);
            gpu_array *values, *lengths;
            char what[96];
            snprintf(what, sizeof what, "runs of %zu %s, pattern %d", n, types[t]->name, (int)(s % PATTERNS));
            test_ok(gpu_runs(gpu_array_from(g, types[t], b.keys, n), &values, &lengths));
            check_array(what, values, types[t], b.runs, b.run_keys);
            check_array(what, lengths, GPU_ULONG, b.runs, b.lengths);
            batch_free(&b);
            gpu_scope_end(scope);
        }
    }
    test_close(g);
}

static const float odd_keys[] = {NAN, NAN, 0.0f, -0.0f, 0.0f, NAN, -0.0f, 1};
static const float odd_heads[] = {NAN, NAN, 0, NAN, 0, 1}; /* of the six runs */

Test(by_key, a_nan_is_a_run_of_its_own_and_zeros_are_equal) /* F07 */
{
    gpu *g = test_open();
    int ones[] = {1, 1, 1, 1, 1, 1, 1, 1}, sums[] = {1, 1, 3, 1, 1, 1}, places[] = {1, 1, 1, 2, 3, 1, 1, 1};
    gpu_array *keys = gpu_array_of(g, odd_keys, 8), *values = gpu_array_of(g, ones, 8), *k, *v;
    test_ok(gpu_reduce_by_key(keys, values, "a + b", &k, &v));
    check_array("keys", k, GPU_FLOAT, 6, odd_heads);
    check_array("sums", v, GPU_INT, 6, sums);
    check_array("places", gpu_scan_by_key(keys, values, "a + b"), GPU_INT, 8, places);
    test_close(g);
}

Test(runs, a_nan_is_a_run_of_its_own_and_zeros_are_equal) /* F07 */
{
    gpu *g = test_open();
    uint64_t counts[] = {1, 1, 3, 1, 1, 1};
    gpu_array *keys = gpu_array_of(g, odd_keys, 8), *k, *v;
    test_ok(gpu_runs(keys, &k, &v));
    check_array("runs", k, GPU_FLOAT, 6, odd_heads);
    check_array("lengths of runs", v, GPU_ULONG, 6, counts);
    test_ok(gpu_runs(gpu_slice(keys, 0, 1), &k, &v));
    check_array("one NaN", k, GPU_FLOAT, 1, odd_heads);
    check_array("the length of one NaN", v, GPU_ULONG, 1, counts);
    test_close(g);
}

/* Few elements, the sums that others got wrong; empty segments have no keys. */
Test(by_key, combines_few_elements_within_their_runs) /* S14, S18, S23 */
{
    gpu *g = test_open();
    int keys[] = {0, 0, 1, 1}, values[] = {5, 2, 3, 1}, want[] = {5, 7, 3, 4};
    int counts[] = {1, 2, 3, 4}, sums[] = {1, 3, 3, 7}, sparse[] = {0, 0, 2}, rest[] = {1, 3, 3};
    gpu_array *k = gpu_array_of(g, keys, 4), *counting = gpu_array_of(g, counts, 4);
    check_array("S14", gpu_scan_by_key(k, gpu_array_of(g, values, 4), "a + b"), GPU_INT, 4, want);
    for (int round = 0; round < 100; round++) {
        check_array("S18", gpu_scan_by_key(k, counting, "a + b"), GPU_INT, 4, sums);
    }
    gpu_array *gap = gpu_array_of(g, sparse, 3);
    check_array("S23", gpu_scan_by_key(gap, gpu_slice(counting, 0, 3), "a + b"), GPU_INT, 3, rest);
    check_array("S23, nothing", gpu_scan_by_key(gpu_slice(gap, 0, 0), gpu_slice(k, 0, 0), "a + b"), GPU_INT, 0, NULL);
    test_close(g);
}

Test(by_key, leaves_its_inputs_as_they_are) /* S20 */
{
    gpu *g = test_open();
    enum { N = 41000 };
    static int zeros[N];
    static float ones[N], places[N];
    for (int i = 0; i < N; i++) ones[i] = 1;
    for (int i = 0; i < N; i++) places[i] = (float)(i + 1);
    gpu_array *keys = gpu_array_of(g, zeros, N), *values = gpu_array_of(g, ones, N), *k, *v;
    gpu_array *scanned = gpu_scan_by_key(keys, values, "a + b");
    test_ok(gpu_reduce_by_key(keys, values, "a + b", &k, &v));
    check_array("values", values, GPU_FLOAT, N, ones);
    check_array("keys", keys, GPU_INT, N, zeros);
    gpu_array_free(keys);
    gpu_array_free(values);
    check_array("the scan of freed arrays", scanned, GPU_FLOAT, N, places);
    check_array("the key of freed arrays", k, GPU_INT, 1, zeros);
    check_array("the sum of freed arrays", v, GPU_FLOAT, 1, &places[N - 1]);
    test_close(g);
}

/* Runs of three from a range; operators with a capture; slices at odd offsets. */
Test(by_key, takes_delayed_inputs_and_captured_values)
{
    gpu *g = test_open();
    int modulus = 1000003;
    for (size_t s = 1; s < test_size_count(68931) && test_sizes[s] <= 68931; s++) {
        size_t n = test_sizes[s], runs = 0;
        int *scanned = test_alloc(n, sizeof *scanned), *reduced = test_alloc(n, sizeof *reduced);
        short *heads = test_alloc(n, sizeof *heads);
        for (size_t i = 0; i < n; i++) {
            int value = (int)((i + 5) * 2);
            bool opens = i == 0 || (i + 5) % 3 == 0;
            scanned[i] = opens ? value : (scanned[i - 1] + value) % modulus;
            if (opens) heads[runs++] = (short)((i + 5) / 3);
            reduced[runs - 1] = scanned[i];
        }
        gpu_array *x = gpu_range(g, GPU_INT, n + 5), *k, *v;
        gpu_array *keys = gpu_slice(gpu_map_to(x, GPU_SHORT, "i / 3"), 5, n);
        gpu_array *values = gpu_map(gpu_slice(x, 5, n), "x * 2");
        test_ok(gpu_reduce_by_key(keys, values, "(a + b) % modulus", &k, &v, GPU_ARG(modulus)));
        check_array("keys of threes", k, GPU_SHORT, runs, heads);
        check_array("sums of threes", gpu_map(v, "x + 0"), GPU_INT, runs, reduced);
        gpu_array *sums = gpu_scan_by_key(keys, values, "(a + b) % modulus", GPU_ARG(modulus));
        check_array("scan of threes", sums, GPU_INT, n, scanned);
        free(scanned);
        free(reduced);
        free(heads);
    }
    test_close(g);
}

Test(by_key, begins_at_any_offset_of_a_slice)
{
    gpu *g = test_open();
    batch b = batch_make(GPU_UCHAR, GPU_SHORT, FIRST, SEVENS, 3000, 40);
    gpu_array *keys = gpu_array_from(g, b.key, b.keys, b.n), *values = gpu_array_from(g, b.value, b.values, b.n);
    for (size_t first = 0; first < 7 * 20; first += first < 7 ? 1 : 7) {
        for (size_t n = 7; n < b.n - first; n = n * 3 + first) {
            gpu_array *k, *lengths, *some = gpu_slice(keys, first, n);
            test_ok(gpu_runs(some, &k, &lengths));
            cr_assert_eq(gpu_length(k), (first + n + 6) / 7 - first / 7, "%zu keys from %zu", n, first);
            uint64_t head = 0, want = 7 - first % 7;
            test_ok(gpu_read(gpu_slice(lengths, 0, 1), &head));
            cr_assert_eq(head, want, "%zu keys from %zu: the first run has %d", n, first, (int)head);
            if (first % 7 != 0) continue;
            gpu_array *firsts = gpu_scan_by_key(some, gpu_slice(values, first, n), "a");
            check_array("scan of slices", firsts, b.value, n, element(b.scanned, b.value, first));
        }
    }
    batch_free(&b);
    test_close(g);
}

static void set_in_error(const char *call, gpu_status wanted, gpu_status got, gpu_array *k, gpu_array *v)
{
    cr_assert(got == wanted, "%s gave %s, wanted %s: %s", call, gpu_status_name(got), gpu_status_name(wanted),
              gpu_error());
    test_array_fails(wanted, k);
    test_array_fails(wanted, v);
}

/* The call returns the failure and leaves it in k and v. */
#define PAIR_FAILS(status, call)                                                                                       \
    do {                                                                                                               \
        k = v = NULL;                                                                                                  \
        gpu_status got = (call);                                                                                       \
        set_in_error(#call, (status), got, k, v);                                                                      \
    } while (0)

Test(by_key, refuses_structs_as_keys)
{
    gpu *g = test_open();
    line one = {1, 1};
    gpu_array *structs = gpu_array_from(g, GPU_TYPE(line), &one, 1), *first = gpu_range(g, GPU_INT, 1), *k, *v;
    PAIR_FAILS(GPU_E_TYPE, gpu_reduce_by_key(structs, first, "a + b", &k, &v));
    test_has(gpu_array_error(k), "line");
    PAIR_FAILS(GPU_E_TYPE, gpu_runs(structs, &k, &v));
    test_array_fails(GPU_E_TYPE, gpu_scan_by_key(structs, first, "a + b"));
    test_close(g);
}

Test(by_key, refuses_keys_and_values_of_unequal_lengths)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10), *nine = gpu_range(g, GPU_INT, 9), *k, *v;
    PAIR_FAILS(GPU_E_ARGUMENT, gpu_reduce_by_key(x, nine, "a + b", &k, &v));
    test_has(gpu_array_error(v), "10");
    test_has(gpu_array_error(v), "9");
    test_array_fails(GPU_E_ARGUMENT, gpu_scan_by_key(nine, x, "a + b"));
    test_close(g);
}

Test(by_key, refuses_missing_arguments)
{
    gpu *g = test_open();
    int a = 3;
    gpu_array *x = gpu_range(g, GPU_INT, 10), *k, *v;
    PAIR_FAILS(GPU_E_ARGUMENT, gpu_reduce_by_key(NULL, x, "a + b", &k, &v));
    PAIR_FAILS(GPU_E_ARGUMENT, gpu_reduce_by_key(x, NULL, "a + b", &k, &v));
    PAIR_FAILS(GPU_E_ARGUMENT, gpu_reduce_by_key_op(x, x, NULL, &k, &v));
    PAIR_FAILS(GPU_E_ARGUMENT, gpu_reduce_by_key(x, x, "a + b", &k, &v, GPU_ARG(a))); /* a is the operand */
    PAIR_FAILS(GPU_E_ARGUMENT, gpu_runs(NULL, &k, &v));
    test_array_fails(GPU_E_ARGUMENT, gpu_scan_by_key(NULL, x, "a + b"));
    test_array_fails(GPU_E_ARGUMENT, gpu_scan_by_key(x, NULL, "a + b"));
    test_array_fails(GPU_E_ARGUMENT, gpu_scan_by_key_op(x, x, NULL));
    test_close(g);
}

Test(by_key, passes_on_the_failure_of_its_inputs)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10), *broken = gpu_slice(x, 5, 6), *k, *v;
    PAIR_FAILS(GPU_E_RANGE, gpu_reduce_by_key(broken, x, "a + b", &k, &v));
    PAIR_FAILS(GPU_E_RANGE, gpu_reduce_by_key(x, broken, "a + b", &k, &v));
    PAIR_FAILS(GPU_E_RANGE, gpu_runs(broken, &k, &v));
    test_array_fails(GPU_E_RANGE, gpu_scan_by_key(broken, x, "a + b"));
    test_array_fails(GPU_E_RANGE, gpu_scan_by_key(x, broken, "a + b"));
    test_close(g);
}

Test(by_key, refuses_missing_outputs)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10), *one = NULL;
    test_fails(GPU_E_ARGUMENT, gpu_reduce_by_key(x, x, "a + b", NULL, NULL));
    test_fails(GPU_E_ARGUMENT, gpu_reduce_by_key(x, x, "a + b", &one, NULL));
    test_array_fails(GPU_E_ARGUMENT, one);
    test_fails(GPU_E_ARGUMENT, gpu_reduce_by_key(x, x, "a + b", NULL, &one));
    test_array_fails(GPU_E_ARGUMENT, one);
    test_fails(GPU_E_ARGUMENT, gpu_runs(x, NULL, NULL));
    test_fails(GPU_E_ARGUMENT, gpu_runs(x, &one, NULL));
    test_array_fails(GPU_E_ARGUMENT, one);
    test_fails(GPU_E_ARGUMENT, gpu_runs(x, NULL, &one));
    test_array_fails(GPU_E_ARGUMENT, one);
    test_close(g);
}

Test(by_key, an_error_in_its_operator_names_call_and_column)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10), *k, *v;
    char place[64];
    snprintf(place, sizeof place, "test_by_key.c:%d", __LINE__ + 1);
    PAIR_FAILS(GPU_E_SNIPPET, gpu_reduce_by_key(x, x, "a + b * frobnicate", &k, &v));
    test_has(gpu_array_error(v), place);
    test_has(gpu_array_error(v), "gpu_reduce_by_key");
    test_caret(gpu_array_error(v), "a + b * frobnicate", 8);
    gpu_array *y =
        test_array_fails(GPU_E_SNIPPET, gpu_scan_by_key(x, x, "{\n    int t = a;\n    return t + missing;\n}"));
    test_has(gpu_array_error(y), "gpu_scan_by_key");
    test_caret(gpu_array_error(y), "return t + missing;", 11);
    test_array_ok(gpu_scan_by_key(x, x, "a + b")); /* the device is as good as before */
    test_close(g);
}

Test(by_key, an_error_in_a_map_of_the_keys_shows_the_map)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10), *k, *v;
    PAIR_FAILS(GPU_E_SNIPPET, gpu_reduce_by_key(gpu_map(x, "x * nonsense"), x, "a + b", &k, &v));
    test_caret(gpu_array_error(k), "x * nonsense", 4);
    test_close(g);
}

Test(by_key, finds_an_unbalanced_parenthesis_at_the_call)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 10), *y = gpu_scan_by_key(x, x, "a + b) * 2");
    cr_assert_eq(gpu_array_status(y), GPU_E_SNIPPET, "found only when the array is needed");
    test_caret(gpu_array_error(y), "a + b) * 2", 5);
    test_close(g);
}

Test(by_key, gives_the_same_bits_every_time) /* S18 */
{
    gpu *g = test_open();
    static float data[1000003], first[1000003], again[1000003], sums[1000003], sums_again[1000003];
    size_t n = test_limit(1000003), runs, runs_again;
    uint64_t seed = 41;
    for (size_t i = 0; i < n; i++) data[i] = (float)(test_random(&seed) >> 40) / 1000;
    gpu_array *values = gpu_array_of(g, data, n), *keys = gpu_map_to(gpu_range(g, GPU_UINT, n), GPU_UINT, "x / 70000"),
              *k, *v;
    test_ok(gpu_read(gpu_scan_by_key(keys, values, "a + b"), first));
    test_ok(gpu_reduce_by_key(keys, values, "a + b", &k, &v));
    test_ok(gpu_read_n(v, sums, n, &runs));
    cr_assert_eq(runs, (n + 69999) / 70000);
    for (int round = 0; round < 20; round++) {
        gpu_scope *scope = gpu_scope_begin(g);
        test_ok(gpu_read(gpu_scan_by_key(keys, values, "a + b"), again));
        cr_assert_eq(memcmp(first, again, n * sizeof *first), 0, "round %d of the scan has other bits", round);
        test_ok(gpu_reduce_by_key(keys, values, "a + b", &k, &v));
        test_ok(gpu_read_n(v, sums_again, n, &runs_again));
        cr_assert_eq(runs_again, runs);
        cr_assert_eq(memcmp(sums, sums_again, runs * sizeof *sums), 0, "round %d of the sums has other bits", round);
        gpu_scope_end(scope);
    }
    test_close(g);
}

/* A race shows now and then only. */
Test(by_key, equals_plain_c_at_random_lengths)
{
    gpu *g = test_open();
    uint64_t seed = 42;
    for (int round = 0; round < (test_small() ? 10 : 200); round++) {
        size_t n = round % 3 == 0 ? 16 : 1 + test_random(&seed) % test_limit(60000);
        check_batch(g, GPU_UINT, GPU_LONG, LAST, (pattern)(test_random(&seed) % PATTERNS), n);
    }
    test_close(g);
}

Test(by_key, takes_one_launch_and_no_wait)
{
    gpu *g = test_open();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 5000)), *k, *v;
    uint64_t most = getenv("FIREPILE_POLICY") ? 2 : 1;
    for (int round = 0; round < 3; round++) { /* the first one builds */
        gpu_stats start = test_stats(g);
        gpu_array *keys = gpu_map(x, "x / 7"), *values = gpu_map(x, "x + 1");
        gpu_array *sums = gpu_eval(gpu_scan_by_key(keys, values, "a + b"));
        gpu_stats middle = test_stats(g);
        test_ok(gpu_reduce_by_key(gpu_map(x, "x / 7"), gpu_map(x, "x + 1"), "a + b", &k, &v));
        gpu_stats end = test_stats(g);
        cr_assert_eq(gpu_length(k), 715);
        cr_assert_eq(gpu_length(sums), 5000);
        if (round == 0 || test_eager() || test_tiny()) continue;
        cr_assert(middle.kernels_launched - start.kernels_launched <= most, "a scan by key is more than one launch");
        cr_assert(end.kernels_launched - middle.kernels_launched <= most, "a reduce by key is more than one launch");
        cr_assert_eq(end.waits, start.waits, "something waits");
    }
    test_close(g);
}

Test(by_key, takes_a_length_that_only_the_device_knows)
{
    gpu *g = test_open();
    for (size_t s = 1; s < test_size_count(68931); s++) {
        size_t n = test_sizes[s], kept = (n + 1) / 2;
        int *want = test_alloc(kept, sizeof *want);
        for (size_t i = 0; i < kept; i++) want[i] = (int)(i % 10) + 1;
        gpu_scope *scope = gpu_scope_begin(g);
        gpu_array *even = gpu_filter(gpu_eval(gpu_range(g, GPU_INT, n)), "x % 2 == 0"), *k, *v;
        gpu_array *keys = gpu_map(even, "x / 20"), *ones = gpu_map(even, "1");
        test_holds("places", gpu_scan_by_key(keys, ones, "a + b"), GPU_INT, kept, want); /* 1 to 10, again and again */
        test_ok(gpu_reduce_by_key(keys, ones, "a + b", &k, &v));
        test_holds_steps("keys", k, GPU_INT, (kept + 9) / 10, 0, 1);
        cr_assert_eq(gpu_length(v), (kept + 9) / 10, "n = %zu: %zu sums", n, gpu_length(v));
        free(want);
        gpu_scope_end(scope);
    }
    test_close(g);
}

Test(by_key, refuses_unequal_lengths_that_only_the_device_knows)
{
    gpu *g = test_open();
    int got[20] = {77};
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 20)), *half = gpu_filter(x, "x % 2 == 0"), *k, *v;
    test_fails(GPU_E_ARGUMENT, gpu_read(gpu_scan_by_key(half, x, "a + b"), got));
    (void)gpu_reduce_by_key(x, half, "a + b", &k, &v); /* nobody knows yet */
    test_fails(GPU_E_ARGUMENT, gpu_read(v, got));
    cr_assert_eq(got[0], 77, "an output was written");
    test_close(g);
}
