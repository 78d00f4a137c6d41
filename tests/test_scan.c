/* gpu_scan, gpu_scan_exclusive: every type, operator and length; order; the defects of other libraries. */
#include "support/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(matrix, unsigned int a; unsigned int b; unsigned int c; unsigned int d;);
GPU_STRUCT(affine, unsigned int scale; unsigned int shift;);
GPU_STRUCT(found, float value; unsigned int index;);
GPU_STRUCT(wide, unsigned int v[64];);
GPU_STRUCT(colour, unsigned char red; unsigned char green; unsigned char blue;);

GPU_FUNCTION(matrix, product, (matrix p, matrix q), {
    matrix r = {p.a * q.a + p.b * q.c, p.a * q.b + p.b * q.d, p.c * q.a + p.d * q.c, p.c * q.b + p.d * q.d};
    return r;
});
GPU_FUNCTION(affine, then, (affine p, affine q), {
    affine r = {p.scale * q.scale, p.shift * q.scale + q.shift};
    return r;
});
GPU_FUNCTION(found, larger, (found p, found q),
             { return q.value > p.value || (q.value == p.value && q.index < p.index) ? q : p; });
GPU_FUNCTION(wide, add_wide, (wide p, wide q), {
    for (int k = 0; k < 64; k++) p.v[k] += q.v[k];
    return p;
});
GPU_FUNCTION(colour, blend, (colour p, colour q), {
    colour r = {(unsigned char)(p.red + q.red), p.green, q.blue};
    return r;
});
GPU_FUNCTION(int, product_mod, (int p, int q, int modulus), { return (int)((long)p * q % modulus); });

static gpu_float3 add_float3(gpu_float3 p, gpu_float3 q)
{
    return (gpu_float3){.x = p.x + q.x, .y = p.y + q.y, .z = p.z + q.z};
}

/* An operator over an element type: its text, its data, and the reference, left = op(left, right). */
typedef struct operation {
    gpu_type type;
    const char *snippet;
    void (*fill)(const struct operation *op, void *data, size_t n);
    void (*combine)(const struct operation *op, void *left, const void *right);
    test_operator kind; /* of scalars */
} operation;

static void combine_scalars(const operation *op, void *left, const void *right)
{
    test_number p = test_get(op->type, left, 0), q = test_get(op->type, right, 0);
    test_put(op->type, left, 0, test_apply(op->kind, op->type, p, q));
}

static void fill_scalars(const operation *op, void *data, size_t n)
{
    test_operand_fill(op->kind, op->type, data, n);
}

static operation scalar_operation(test_operator kind, gpu_type type)
{
    return (operation){type, test_snippet(kind, type), fill_scalars, combine_scalars, kind};
}

static void fill_bytes(const operation *op, void *data, size_t n)
{
    test_random_fill(GPU_UCHAR, data, n * op->type->size, 12);
}

static void fill_floats(const operation *op, void *data, size_t n)
{
    test_random_fill(GPU_FLOAT, data, n * op->type->size / sizeof(float), 13);
}

/* Odd determinants and scales: no product loses what came before. */
static void fill_matrices(const operation *op, void *data, size_t n)
{
    matrix *m = data;
    fill_bytes(op, data, n);
    for (size_t i = 0; i < n; i++) m[i] = (matrix){m[i].a | 1, m[i].b & ~1u, m[i].c, m[i].d | 1};
}

static void fill_affine(const operation *op, void *data, size_t n)
{
    affine *f = data;
    fill_bytes(op, data, n);
    for (size_t i = 0; i < n; i++) f[i].scale |= 1;
}

/* Maxima that rise slowly, with many ties. */
static void fill_found(const operation *op, void *data, size_t n)
{
    (void)op;
    uint64_t seed = 14;
    for (size_t i = 0; i < n; i++) {
        float value = (float)(i / 64) + (float)(test_random(&seed) % 8);
        ((found *)data)[i] = (found){value, (unsigned)i};
    }
}

#define COMBINE(type, function)                                                                                        \
    static void combine_##function(const operation *op, void *left, const void *right)                                 \
    {                                                                                                                  \
        (void)op;                                                                                                      \
        *(type *)left = function(*(type *)left, *(const type *)right);                                                 \
    }
COMBINE(matrix, product)
COMBINE(affine, then)
COMBINE(found, larger)
COMBINE(wide, add_wide)
COMBINE(colour, blend)
COMBINE(gpu_float3, add_float3)

static const operation matrices = {GPU_TYPE(matrix), "product(a, b)", fill_matrices, combine_product, 0};
static const operation affines = {GPU_TYPE(affine), "then(a, b)", fill_affine, combine_then, 0};
static const operation maxima = {GPU_TYPE(found), "larger(a, b)", fill_found, combine_larger, 0};
static const operation wides = {GPU_TYPE(wide), "add_wide(a, b)", fill_bytes, combine_add_wide, 0};
static const operation colours = {GPU_TYPE(colour), "blend(a, b)", fill_bytes, combine_blend, 0};
static const operation vectors = {GPU_FLOAT3, "a + b", fill_floats, combine_add_float3, 0};

/* The scan of n elements, inclusive if `start` is NULL. */
static void reference(const operation *op, const char *data, size_t n, const void *start, char *want)
{
    size_t size = op->type->size;
    if (n) memcpy(want, start ? start : data, size);
    for (size_t i = 1; i < n; i++) {
        memcpy(want + i * size, want + (i - 1) * size, size);
        op->combine(op, want + i * size, data + (start ? i - 1 : i) * size);
    }
}

/* The first `count` of test_sizes. */
static void check_sizes(gpu *g, const operation *op, bool exclusive, size_t count)
{
    size_t most = test_sizes[count - 1], all = most + count, size = op->type->size;
    char *data = test_alloc(all + 1, size), *want = test_alloc(most, size);
    void *got = test_alloc(most, size), *start = exclusive ? data + all * size : NULL;
    op->fill(op, data, all + 1);
    for (size_t k = 0; k < count; k++) {
        size_t n = test_sizes[k];
        const char *from = data + k * size; /* not the values that a buffer from the pool may still hold */
        reference(op, from, n, start, want);
        gpu_array *a = gpu_array_from(g, op->type, from, n), *scanned;
        scanned = exclusive ? gpu_scan_exclusive(a, start, op->snippet) : gpu_scan(a, op->snippet);
        char what[96];
        snprintf(what, sizeof what, "%s scan \"%s\" of %zu", exclusive ? "exclusive" : "inclusive", op->snippet, n);
        test_ok(gpu_read(scanned, got));
        cr_assert_eq(gpu_length(scanned), n, "%s has %zu elements", what, gpu_length(scanned));
        cr_assert(gpu_type_equal(gpu_type_of(scanned), op->type), "%s has another type", what);
        test_same(what, op->type, n, got, want);
        gpu_array_free(a);
        gpu_array_free(scanned);
    }
    free(data);
    free(want);
    free(got);
}

static void every_type_operator_and_length(void)
{
    gpu *g = test_open();
    for (unsigned t = 0; t < TEST_SCALARS; t++) {
        for (unsigned kind = 0; kind < TEST_OPERATORS; kind++) {
            operation op = scalar_operation(kind, test_scalars[t]);
            if (!op.snippet) continue;
            size_t count = test_size_count(68931);
            if (test_full() || (t + kind) % 10 == 0) check_sizes(g, &op, false, count);
            if (test_full() || (t + kind) % 10 == 5) check_sizes(g, &op, true, count);
        }
    }
    test_close(g);
}

static void long_arrays(void)
{
    gpu *g = test_open();
    operation whole = scalar_operation(TEST_ADD, GPU_INT), real = scalar_operation(TEST_ADD, GPU_FLOAT),
              last = scalar_operation(TEST_LAST, GPU_UCHAR);
    check_sizes(g, &whole, true, test_size_count(16777217));
    check_sizes(g, &real, false, test_size_count(3679636));
    check_sizes(g, &last, false, test_size_count(16777217));
    test_close(g);
}

static void structs_and_vectors(void)
{
    gpu *g = test_open();
    static const struct {
        const operation *op;
        size_t limit; /* in a full run too: structs are large */
    } cases[] = {{&affines, 2803221}, {&matrices, 785433}, {&maxima, 68931},
                 {&colours, 68931},   {&vectors, 68931},   {&wides, 10000}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        size_t count = test_size_count(cases[k].limit);
        while (test_sizes[count - 1] > cases[k].limit) count--;
        check_sizes(g, cases[k].op, false, count);
        if (k < 2 || test_full()) check_sizes(g, cases[k].op, true, count);
    }
    test_close(g);
}

static void sums_of_ones(void) /* S04, S09, S22 */
{
    gpu *g = test_open();
    static const size_t lengths[] = {200000, 3679636, 16777217, (size_t)1 << 26};
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        gpu_array *sums = gpu_scan(gpu_fill(g, GPU_UINT, &(unsigned){1}, test_limit(lengths[k])), "a + b");
        cr_assert_eq(test_wrong(sums, "x != i + 1"), 0, "a sum of %zu ones is wrong", lengths[k]);
        gpu_array_free(sums);
    }
    for (size_t k = 0; k < test_size_count(785433); k++) {
        gpu_array *ones = gpu_fill(g, GPU_INT, &(int){1}, test_sizes[k]);
        gpu_array *sums = gpu_scan_exclusive(ones, &(int){10}, "a + b");
        cr_assert_eq(test_wrong(sums, "x != i + 10"), 0, "with the start 10, n = %zu", test_sizes[k]);
        gpu_array_free(sums);
    }
    test_close(g);
}

static void every_short_length(void) /* S02, S08, S25 */
{
    gpu *g = test_open();
    enum { MOST = 2000 };
    static affine data[MOST], got[MOST], want[MOST];
    fill_affine(&affines, data, MOST);
    reference(&affines, (char *)data, MOST, NULL, (char *)want);
    gpu_array *a = gpu_array_from(g, GPU_TYPE(affine), data, MOST);
    for (size_t n = 1; n <= MOST; n += test_small() ? 97 : 1) {
        gpu_scope *scope = gpu_scope_begin(g);
        char what[96];
        snprintf(what, sizeof what, "affine scan of %zu", n);
        memset(got, 0, sizeof got);
        test_ok(gpu_read(gpu_scan(gpu_slice(a, 0, n), "then(a, b)"), got));
        test_same(what, GPU_TYPE(affine), n, got, want);
        gpu_array *places = gpu_scan_exclusive(gpu_fill(g, GPU_INT, &(int){1}, n), &(int){0}, "a + b");
        cr_assert_eq(test_wrong(places, "x != i"), 0, "exclusive sums of %zu ones", n);
        gpu_scope_end(scope);
    }
    test_close(g);
}

/* Few elements, the sums that others got wrong. */
static void small_inputs(void) /* S01, S06, S07, S17 */
{
    gpu *g = test_open();
    static int sparse[1024], got[1024];
    sparse[511] = sparse[599] = 1;
    test_ok(gpu_read(gpu_scan_exclusive(gpu_array_of(g, sparse, 1024), &(int){0}, "a + b"), got));
    for (int i = 0; i < 1024; i++) cr_assert_eq(got[i], (i > 511) + (i > 599), "element %d is %d", i, got[i]);
    int eight[] = {3, 1, 4, 1, 5, 9, 2, 6}, places[] = {0, 3, 4, 8, 9, 14, 23, 25};
    gpu_array *a = gpu_array_of(g, eight, 8);
    test_ok(gpu_read(gpu_scan_exclusive(a, &(int){0}, "a + b"), got));
    test_same("places of eight", GPU_INT, 8, got, places);
    int two[] = {7, 0}, four[] = {1, 10, 100, 1000};
    test_ok(gpu_read(gpu_scan_exclusive(gpu_array_of(g, two, 2), &(int){0}, "a + b"), got));
    cr_assert(got[0] == 0 && got[1] == 7, "%d %d", got[0], got[1]);
    test_ok(gpu_read(gpu_scan(gpu_array_of(g, four, 4), "a < b ? a + b : -10000"), got));
    cr_assert(got[0] == 1 && got[1] == 11 && got[2] == 111 && got[3] == 1111, "%d %d %d", got[1], got[2], got[3]);
    test_close(g);
}

static void results_as_wide_as_their_type(void) /* S10, S11, S12, S15, S26 */
{
    gpu *g = test_open();
    int64_t deep[] = {INT64_MAX - 1, 1, 0}, deep_got[3];
    test_ok(gpu_read(gpu_scan_exclusive(gpu_array_of(g, deep, 3), &(int64_t){0}, "a + b"), deep_got));
    cr_assert(deep_got[0] == 0 && deep_got[1] == INT64_MAX - 1 && deep_got[2] == INT64_MAX);
    double parts[] = {0.5, 1.25, 2.5}, parts_got[3];
    test_ok(gpu_read(gpu_scan_exclusive(gpu_array_of(g, parts, 3), &(double){0}, "a + b"), parts_got));
    cr_assert(parts_got[0] == 0 && parts_got[1] == 0.5 && parts_got[2] == 1.75, "%g %g", parts_got[1], parts_got[2]);
    gpu_array *flags = gpu_fill(g, GPU_UCHAR, &(unsigned char){1}, 300);
    cr_assert_eq(test_wrong(gpu_scan(gpu_map_to(flags, GPU_UINT, "x"), "a + b"), "x != i + 1"), 0);
    gpu_array *far = gpu_scan(gpu_range(g, GPU_LONG, test_limit(65536)), "a + b");
    cr_assert_eq(test_wrong(far, "x != i * (i + 1) / 2"), 0);
    float last;
    gpu_array *eighths = gpu_fill(g, GPU_FLOAT, &(float){1.125f}, 1000);
    test_ok(gpu_read(gpu_slice(gpu_scan_exclusive(eighths, &(float){2}, "a + b"), 999, 1), &last));
    cr_assert_eq(last, 1125.875f, "%.9g", (double)last);
    test_close(g);
}

static void operands_are_elements_only(void) /* S19, S25 */
{
    gpu *g = test_open();
    enum { MOST = 16385 };
    static int data[MOST], got[MOST], want[MOST], cayley[36];
    uint64_t seed = 15;
    for (int p = 0; p < 36; p++) cayley[p] = (p / 6 + p % 6) % 6;
    for (int i = 0; i < MOST; i++) {
        data[i] = (int)(test_random(&seed) % 6);
        want[i] = i ? cayley[want[i - 1] * 6 + data[i]] : data[i];
    }
    gpu_array *table = gpu_array_of(g, cayley, 36);
    for (size_t k = 0; k < test_size_count(MOST) && test_sizes[k] <= MOST; k++) {
        gpu_array *a = gpu_array_of(g, data, test_sizes[k]);
        memset(got, 0, sizeof got);
        test_ok(gpu_read(gpu_scan(a, "table[a * 6 + b]", GPU_ARG(table)), got));
        test_same("sums by a table", GPU_INT, test_sizes[k], got, want);
    }
    test_close(g);
}

static void functions_captures_and_marks(void)
{
    gpu *g = test_open();
    enum { N = 10007 };
    static affine data[N], got[N], want[N];
    affine start = {3, 5};
    fill_affine(&affines, data, N);
    gpu_array *a = gpu_array_from(g, GPU_TYPE(affine), data, N);
    reference(&affines, (char *)data, N, NULL, (char *)want);
    test_ok(gpu_read(gpu_scan(a, then), got));
    test_same("scan by a function", GPU_TYPE(affine), N, got, want);
    reference(&affines, (char *)data, N, &start, (char *)want);
    test_ok(gpu_read(gpu_scan_exclusive(a, &start, then), got));
    test_same("exclusive scan by a function", GPU_TYPE(affine), N, got, want);
    static int factors[N], expected[N], products[N];
    int modulus = 1000003;
    for (int i = 0; i < N; i++) factors[i] = i % 1000 + 1;
    for (int i = 0; i < N; i++) expected[i] = i ? product_mod(expected[i - 1], factors[i], modulus) : factors[i];
    gpu_array *f = gpu_array_of(g, factors, N);
    test_ok(gpu_read(gpu_scan(f, product_mod, GPU_ARG(modulus)), products));
    test_same("products by a function with a capture", GPU_INT, N, products, expected);
    test_ok(gpu_read(gpu_scan(f, "(int)((long)a * b % modulus)", GPU_ARG(modulus), GPU_COMMUTATIVE), products));
    test_same("products by a snippet with a capture", GPU_INT, N, products, expected);
    test_close(g);
}

static void slices_at_every_offset(void)
{
    gpu *g = test_open();
    static unsigned char bytes[3000], got[3000], want[3000];
    operation sum = scalar_operation(TEST_ADD, GPU_UCHAR);
    fill_scalars(&sum, bytes, sizeof bytes);
    gpu_array *a = gpu_array_of(g, bytes, sizeof bytes);
    for (size_t first = 0; first < 20; first++) {
        for (size_t n = 1; n < sizeof bytes - first; n = n * 3 + first) {
            char what[96];
            snprintf(what, sizeof what, "%zu elements from %zu", n, first);
            reference(&sum, (char *)bytes + first, n, NULL, (char *)want);
            gpu_array *scanned = gpu_scan(gpu_slice(a, first, n), "a + b");
            test_ok(gpu_read(scanned, got));
            test_same(what, GPU_UCHAR, n, got, want);
            test_ok(gpu_read(gpu_slice(scanned, n / 2, n - n / 2), got));
            test_same(what, GPU_UCHAR, n - n / 2, got, want + n / 2);
        }
    }
    test_close(g);
}

static void delayed_before_and_after(void)
{
    gpu *g = test_open();
    for (size_t s = 0; s < test_size_count(785433); s++) {
        size_t n = test_sizes[s];
        int64_t k = 3;
        gpu_array *x = gpu_slice(gpu_map(gpu_range(g, GPU_LONG, n + 7), "x * k + i", GPU_ARG(k)), 7, n);
        gpu_array *two = gpu_fill(g, GPU_LONG, &(int64_t){2}, n);
        gpu_array *sums = gpu_scan(gpu_map2(x, two, "x - y"), "a + b"); /* of 4 * (i + 7) - 2 */
        gpu_array *halves = gpu_eval(gpu_map_to(sums, GPU_DOUBLE, "x * 0.5 + i"));
        cr_assert_eq(test_wrong(halves, "x != (i + 1) * (i + 13) + i"), 0, "a map after a scan of %zu", n);
        cr_assert_eq(test_wrong(sums, "x != (i + 1) * (2 * i + 26)"), 0, "a map before a scan of %zu", n);
    }
    test_close(g);
}

static void scans_of_scans(void)
{
    gpu *g = test_open();
    gpu_array *first = gpu_scan(gpu_fill(g, GPU_LONG, &(int64_t){1}, 4000), "a + b"); /* used three times */
    gpu_array *second = gpu_scan(first, "a + b");
    gpu_array *third = gpu_scan_exclusive(gpu_map2(second, first, "x - y"), &(int64_t){0}, "a + b");
    cr_assert_eq(test_wrong(second, "x != (i + 1) * (i + 2) / 2"), 0);
    cr_assert_eq(test_wrong(third, "x != (i + 1) * i / 2 * (i - 1) / 3"), 0);
    gpu_array *table = gpu_map(gpu_range(g, GPU_LONG, 4000), "first[x] + x", GPU_ARG(first));
    cr_assert_eq(test_wrong(table, "x != 2 * i + 1"), 0);
    test_close(g);
}

static void inputs_stay(void) /* S20 */
{
    gpu *g = test_open();
    gpu_array *a = gpu_eval(gpu_fill(g, GPU_FLOAT, &(float){1}, 41000));
    float start = 1;
    gpu_array *inclusive = gpu_scan(a, "a + b"), *exclusive = gpu_scan_exclusive(a, &start, "a + b");
    start = 77;
    cr_assert_eq(test_wrong(a, "x != 1"), 0, "a scan changed its input");
    gpu_array_free(a);
    cr_assert_eq(test_wrong(inclusive, "x != i + 1"), 0, "the scan of a freed array");
    cr_assert_eq(test_wrong(exclusive, "x != i + 1"), 0, "the exclusive scan of a freed array");
    test_close(g);
}

static void nothing_and_one(void)
{
    gpu *g = test_open();
    int got = 77, five = 5;
    gpu_array *none = gpu_range(g, GPU_INT, 0), *one = gpu_array_of(g, &five, 1);
    cr_assert_eq(gpu_length(test_array_ok(gpu_scan(none, "a * b + 1000"))), 0);
    cr_assert_eq(gpu_length(test_array_ok(gpu_scan_exclusive(none, &five, "a + b"))), 0);
    cr_assert_eq(gpu_length(test_array_ok(gpu_scan(gpu_map(gpu_slice(one, 1, 0), "x + 1"), "a + b"))), 0);
    test_ok(gpu_read(gpu_scan(none, "a + b"), &got));
    cr_assert_eq(got, 77, "the scan of nothing wrote an element");
    test_ok(gpu_read(gpu_scan(one, "a * b + 1000"), &got));
    cr_assert_eq(got, 5, "one element was combined with something: %d", got);
    test_ok(gpu_read(gpu_scan_exclusive(one, &(int){9}, "a * b + 1000"), &got));
    cr_assert_eq(got, 9, "one element, exclusive: %d", got);
    test_close(g);
}

Test(scan, sums)
{
    sums_of_ones();
    small_inputs();
    results_as_wide_as_their_type();
    nothing_and_one();
}

static void wrong_arguments(void)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10), *broken = gpu_slice(x, 5, 6);
    affine pair = {1, 2};
    matrix four = {1, 2, 3, 4};
    gpu_array *pairs = gpu_array_from(g, GPU_TYPE(affine), &pair, 1);
    float one = 1;
    int a = 3;
    test_array_fails(GPU_E_TYPE, gpu_scan_exclusive(x, &(int){1}, "a + b"));
    gpu_array *deep = test_array_fails(GPU_E_TYPE, gpu_scan_exclusive(x, &(double){1}, "a + b"));
    test_has(gpu_array_error(deep), "float");
    test_array_fails(GPU_E_TYPE, gpu_scan_exclusive(pairs, &four, "a"));        /* structs by size */
    test_array_fails(GPU_E_TYPE, gpu_scan_exclusive(pairs, &(double){1}, "a")); /* as large as the struct */
    test_array_fails(GPU_E_ARGUMENT, gpu_scan_exclusive(x, (float *)NULL, "a + b"));
    test_array_fails(GPU_E_ARGUMENT, gpu_scan_exclusive_op(x, NULL, NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_scan_op(x, NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_scan(x, (const char *)NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_scan(x, "a + b", GPU_ARG(a)));
    test_array_fails(GPU_E_ARGUMENT, gpu_scan(NULL, "a + b"));
    test_array_fails(GPU_E_ARGUMENT, gpu_scan_exclusive(NULL, &one, "a + b"));
    test_array_fails(GPU_E_RANGE, gpu_scan(broken, "a + b"));
    test_array_fails(GPU_E_RANGE, gpu_scan_exclusive(broken, &one, "a + b"));
    test_fails(GPU_E_RANGE, gpu_read(gpu_map(gpu_scan(broken, "a + b"), "x + 1"), &one));
    cr_assert_eq(one, 1, "an output was written");
    cr_assert_eq(test_wrong(gpu_scan(x, "a + b"), "x != i + 1"), 0, "a failure was not the last");
    test_close(g);
}

static void bad_snippets(void)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    char place[64];
    snprintf(place, sizeof place, "test_scan.c:%d", __LINE__ + 1);
    gpu_array *y = test_array_fails(GPU_E_SNIPPET, gpu_scan(x, "a + b * frobnicate"));
    test_has(gpu_array_error(y), place);
    test_has(gpu_array_error(y), "gpu_scan");
    test_has(gpu_array_error(y), "undeclared identifier");
    test_caret(gpu_array_error(y), "a + b * frobnicate", 8);
    y = test_array_fails(GPU_E_SNIPPET,
                         gpu_scan_exclusive(x, &(float){0}, "{\n    float t = a;\n    return t + missing;\n}"));
    test_has(gpu_array_error(y), "gpu_scan_exclusive");
    test_caret(gpu_array_error(y), "return t + missing;", 11);
    y = test_array_fails(GPU_E_SNIPPET, gpu_scan(gpu_map(x, "x * nonsense"), "a + b"));
    test_has(gpu_array_error(y), "gpu_map");
    test_caret(gpu_array_error(y), "x * nonsense", 4);
    y = gpu_scan(x, "a + b) * 2");
    cr_assert_eq(gpu_array_status(y), GPU_E_SNIPPET, "found only when the array is needed");
    test_caret(gpu_array_error(y), "a + b) * 2", 5);
    cr_assert_eq(test_wrong(gpu_scan(x, "a + b"), "x != i + 1"), 0, "a bad snippet spoiled the device");
    test_close(g);
}

Test(scan, errors)
{
    wrong_arguments();
    bad_snippets();
}

static void same_bits_every_time(void)
{
    gpu *g = test_open();
    static float data[1000003], first[1000003], again[1000003];
    size_t n = test_limit(1000003);
    uint64_t seed = 16;
    for (size_t i = 0; i < n; i++) data[i] = (float)(test_random(&seed) >> 40) / 1000;
    gpu_array *a = gpu_array_of(g, data, n);
    test_ok(gpu_read(gpu_scan(a, "a + b"), first));
    for (int round = 0; round < 20; round++) {
        gpu_array *scanned = gpu_scan(a, "a + b");
        test_ok(gpu_read(scanned, again));
        cr_assert_eq(memcmp(first, again, n * sizeof *first), 0, "round %d has other bits", round);
        gpu_array_free(scanned);
    }
    test_close(g);
}

Test(scan, types_and_lengths)
{
    every_type_operator_and_length();
    long_arrays();
    slices_at_every_offset();
    same_bits_every_time();
}

/* A race shows now and then only. */
static void random_lengths_time_after_time(void) /* S28 */
{
    gpu *g = test_open();
    static affine data[200000], got[200000], want[200000];
    size_t most = test_limit(200000);
    uint64_t seed = 17;
    fill_affine(&affines, data, most);
    gpu_array *a = gpu_array_from(g, GPU_TYPE(affine), data, most), *ones = gpu_fill(g, GPU_UINT, &(unsigned){1}, most);
    for (int round = 0; round < (test_small() ? 10 : 300); round++) {
        gpu_scope *scope = gpu_scope_begin(g);
        size_t n = round % 3 == 0 ? 16 : 1 + test_random(&seed) % most, first = test_random(&seed) % (most - n + 1);
        char what[96];
        snprintf(what, sizeof what, "round %d: %zu elements from %zu", round, n, first);
        cr_assert_eq(test_wrong(gpu_scan(gpu_slice(ones, first, n), "a + b"), "x != i + 1"), 0, "%s", what);
        reference(&affines, (char *)(data + first), n, NULL, (char *)want);
        test_ok(gpu_read(gpu_scan(gpu_slice(a, first, n), "then(a, b)"), got));
        test_same(what, GPU_TYPE(affine), n, got, want);
        gpu_scope_end(scope);
    }
    test_close(g);
}

Test(scan, operators)
{
    structs_and_vectors();
    every_short_length();
    operands_are_elements_only();
    functions_captures_and_marks();
    random_lengths_time_after_time();
}

static void one_launch_and_no_wait(void)
{
    gpu *g = test_open();
    static int got[5000];
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 5000));
    for (int round = 0; round < 3; round++) { /* the first one builds */
        gpu_stats before = test_stats(g);
        gpu_array *sums = gpu_eval(gpu_scan(gpu_map(gpu_map(x, "x + 1"), "x * 2"), "a + b"));
        gpu_stats after = test_stats(g);
        uint64_t launches = after.kernels_launched - before.kernels_launched, most = getenv("FIREPILE_POLICY") ? 2 : 1;
        test_ok(gpu_read(sums, got));
        for (int i = 0; i < 5000; i++) cr_assert_eq(got[i], (i + 1) * (i + 2), "element %d is %d", i, got[i]);
        if (round == 0 || test_eager() || test_tiny()) continue;
        cr_assert(launches >= 1 && launches <= most, "%d launches, wanted %d", (int)launches, (int)most);
        cr_assert_eq(after.waits, before.waits, "gpu_scan waits");
        cr_assert_eq(after.programs_built, before.programs_built, "built again in round %d", round);
        cr_assert_eq(test_stats(g).waits, after.waits + 1, "one read, one wait");
    }
    test_close(g);
}

/* The sums of the doubled multiples of `step`, of which there are `kept`. */
static void check_filtered(gpu *g, const gpu_array *x, const char *keep, size_t kept, size_t step, const char *is_wrong)
{
    int64_t largest = 77, want = kept ? (int64_t)(step * (kept - 1) * kept) : -1;
    gpu_stats before = test_stats(g);
    gpu_array *sums = gpu_scan(gpu_map(gpu_filter(x, keep), "x * 2"), "a + b");
    test_ok(gpu_fold(sums, &(int64_t){-1}, "max(a, b)", &largest));
    gpu_stats after = test_stats(g);
    bool warm = after.programs_built == before.programs_built && after.programs_loaded == before.programs_loaded;
    cr_assert_eq(largest, want, "%zu of \"%s\": %lld, wanted %lld", kept, keep, (long long)largest, (long long)want);
    if (warm && !test_eager() && !test_tiny()) cr_assert_eq(after.waits, before.waits + 1, "%zu of \"%s\"", kept, keep);
    cr_assert_eq(gpu_length(sums), kept, "\"%s\" left %zu elements, wanted %zu", keep, gpu_length(sums), kept);
    cr_assert_eq(test_wrong(sums, is_wrong), 0, "%zu of \"%s\"", kept, keep);
}

static void lengths_that_the_device_knows(void)
{
    gpu *g = test_open();
    for (size_t k = 1; k < test_size_count(785433); k++) {
        gpu_scope *scope = gpu_scope_begin(g);
        size_t n = test_sizes[k];
        gpu_array *x = gpu_eval(gpu_range(g, GPU_LONG, n));
        check_filtered(g, x, "x % 3 == 0", (n + 2) / 3, 3, "x != 3 * i * (i + 1)");
        check_filtered(g, x, "x >= 0", n, 1, "x != i * (i + 1)");
        check_filtered(g, x, "x < 0", 0, 1, "true");
        gpu_scope_end(scope);
    }
    test_close(g);
}

Test(scan, inputs_of_every_kind)
{
    delayed_before_and_after();
    scans_of_scans();
    inputs_stay();
    one_launch_and_no_wait();
    lengths_that_the_device_knows();
}
