/* gpu_reduce: every type, operator and length; operators that do not commute; the defects of other libraries. */
#include "support/line.h"
#include "support/reference.h"
#include "support/wide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(matrix, unsigned int a; unsigned int b; unsigned int c; unsigned int d;);
GPU_STRUCT(found, float value; unsigned int index;);
GPU_STRUCT(half_wide, int v[32];);

GPU_FUNCTION(matrix, product, (matrix p, matrix q), {
    matrix r = {p.a * q.a + p.b * q.c, p.a * q.b + p.b * q.d, p.c * q.a + p.d * q.c, p.c * q.b + p.d * q.d};
    return r;
});
GPU_FUNCTION(found, larger, (found p, found q),
             { return q.value > p.value || (q.value == p.value && q.index < p.index) ? q : p; });

static void reduce_nothing(gpu *g, test_operator op, gpu_type type)
{
    gpu_array *none = gpu_array_from(g, type, NULL, 0);
    int64_t got = 0x5a5a5a5a5a5a5a5a, untouched = got, want = 0;
    gpu_status status = gpu_reduce(none, test_snippet(op, type), (void *)&got);
    if (op == TEST_MIN || op == TEST_MAX || op == TEST_FIRST || op == TEST_LAST) {
        test_fails(GPU_E_EMPTY, status);
        cr_assert_eq(got, untouched, "%s of nothing wrote its output", test_snippet(op, type));
        return;
    }
    test_ok(status);
    test_put(type, &want, 0, op == TEST_AND ? (test_number){.s = -1} : test_whole(type, op == TEST_MULTIPLY));
    test_same("identity", type, 1, &got, &want);
}

static void reduce_lengths(gpu *g, test_operator op, gpu_type type, size_t limit)
{
    const char *snippet = test_snippet(op, type);
    size_t count = test_size_count(limit), most = test_sizes[count - 1], at = 1;
    void *data = test_alloc(most, type->size);
    test_operand_fill(op, type, data, most);
    reduce_nothing(g, op, type);
    test_number value = test_get(type, data, 0);
    for (size_t k = 1; k < count; k++) {
        size_t n = test_sizes[k];
        for (; at < n; at++) value = test_apply(op, type, value, test_get(type, data, at));
        int64_t got = 0, want = 0;
        test_put(type, &want, 0, value);
        gpu_array *a = gpu_array_from(g, type, data, n);
        test_ok(gpu_reduce(a, snippet, (void *)&got));
        gpu_array_free(a);
        char what[96];
        snprintf(what, sizeof what, "reduce \"%s\" over %zu elements", snippet, n);
        test_same(what, type, 1, &got, &want);
    }
    free(data);
}

Test(reduce, takes_every_type_operator_and_length) /* R26, R31 */
{
    gpu *g = test_open();
    for (unsigned t = 0; t < TEST_SCALARS; t++) {
        for (unsigned op = 0; op < TEST_OPERATORS; op++) {
            bool wanted = test_snippet(op, test_scalars[t]) && (test_full() || (t + op) % 12 == 0);
            if (wanted) reduce_lengths(g, op, test_scalars[t], 68931);
        }
    }
    test_close(g);
}

Test(reduce, takes_millions_of_elements)
{
    gpu *g = test_open();
    reduce_lengths(g, TEST_ADD, GPU_INT, 16777217);
    reduce_lengths(g, TEST_ADD, GPU_FLOAT, 3679636);
    reduce_lengths(g, TEST_MAX, GPU_UCHAR, 16777217);
    reduce_lengths(g, TEST_LAST, GPU_INT, 16777217);
    test_close(g);
}

/* Prefixes of random elements of a struct type made of n_words unsigned ints, under a C function. */
#define STRUCT_LENGTHS(g, type, op, limit)                                                                             \
    do {                                                                                                               \
        size_t count = test_size_count(limit), at = 1;                                                                 \
        while (test_sizes[count - 1] > (limit)) count--;                                                               \
        size_t most = test_sizes[count - 1];                                                                           \
        type *data = test_alloc(most, sizeof *data);                                                                   \
        test_random_fill(GPU_UINT, data, most * sizeof *data / 4, 12);                                                 \
        type want = data[0], got;                                                                                      \
        for (size_t k = 1; k < count; k++) {                                                                           \
            size_t n = test_sizes[k];                                                                                  \
            for (; at < n; at++) want = op(want, data[at]);                                                            \
            gpu_array *a = gpu_array_from(g, GPU_TYPE(type), data, n);                                                 \
            test_ok(gpu_reduce(a, op, &got));                                                                          \
            char what[64];                                                                                             \
            snprintf(what, sizeof what, #op " over %zu elements", n);                                                  \
            test_same(what, GPU_TYPE(type), 1, &got, &want);                                                           \
            memset(&got, 0, sizeof got);                                                                               \
            test_ok(gpu_reduce(a, #op "(a, b)", &got));                                                                \
            test_same(what, GPU_TYPE(type), 1, &got, &want);                                                           \
            gpu_array_free(a);                                                                                         \
        }                                                                                                              \
        type untouched = want;                                                                                         \
        test_fails(GPU_E_EMPTY, gpu_reduce(gpu_array_from(g, GPU_TYPE(type), NULL, 0), op, &want));                    \
        test_same("output of an empty reduce", GPU_TYPE(type), 1, &want, &untouched);                                  \
        free(data);                                                                                                    \
    } while (0)

Test(reduce, multiplies_matrices_in_their_order)
{
    gpu *g = test_open();
    STRUCT_LENGTHS(g, matrix, product, (size_t)3679636);
    test_close(g);
}

Test(reduce, composes_lines_in_their_order)
{
    gpu *g = test_open();
    STRUCT_LENGTHS(g, line, then, (size_t)3679636);
    test_close(g);
}

Test(reduce, adds_structs_of_256_bytes)
{
    gpu *g = test_open();
    STRUCT_LENGTHS(g, wide, add_wide, (size_t)65537);
    test_close(g);
}

Test(reduce, adds_structs_of_128_bytes_by_a_snippet) /* R25 */
{
    gpu *g = test_open();
    half_wide data[512], got;
    for (int i = 0; i < 512; i++) {
        for (int j = 0; j < 32; j++) data[i].v[j] = i;
    }
    gpu_array *a = gpu_array_from(g, GPU_TYPE(half_wide), data, 512);
    test_ok(gpu_reduce(a, "{ half_wide r; for (int j = 0; j < 32; j++) r.v[j] = a.v[j] + b.v[j]; return r; }", &got));
    for (int j = 0; j < 32; j++) cr_assert_eq(got.v[j], 130816, "v[%d] is %d", j, got.v[j]);
    test_close(g);
}

Test(reduce, finds_the_largest_value_and_its_index)
{
    gpu *g = test_open();
    for (size_t k = 1; k < test_size_count(785433); k++) {
        size_t n = test_sizes[k];
        float *data = test_alloc(n, sizeof *data);
        test_random_fill(GPU_FLOAT, data, n, k); /* many ties */
        found want = {data[0], 0}, got;
        for (size_t i = 1; i < n; i++) want = larger(want, (found){data[i], (unsigned)i});
        gpu_array *x = gpu_array_of(g, data, n);
        gpu_array *pairs = gpu_map_to(x, GPU_TYPE(found), "{ found f; f.value = x; f.index = i; return f; }");
        test_ok(gpu_reduce(pairs, larger, &got, GPU_COMMUTATIVE));
        cr_assert(got.value == want.value && got.index == want.index, "n = %zu: %g at %u, wanted %g at %u", n,
                  (double)got.value, got.index, (double)want.value, want.index);
        free(data);
    }
    test_close(g);
}

/* Members called as things are in kernels, a vector, and padding; and a member that is an array. */
GPU_STRUCT(awkward, double v; signed char k; gpu_float4 lanes; float name; unsigned short T;);
GPU_STRUCT(with_array, float sum[3]; int count;);

/* Accumulators lie otherwise for structs that are computed than for those that are read; the bits are the same. */
static void reduce_both_ways(const gpu_array *x, gpu_type type, const char *make, const char *add, void *computed,
                             void *stored)
{
    gpu_array *each = gpu_map_to(x, type, make);
    test_ok(gpu_read(gpu_reduced(each, add, GPU_COMMUTATIVE), computed));
    each = gpu_eval(gpu_map_to(x, type, make));
    test_ok(gpu_read(gpu_reduced(each, add, GPU_COMMUTATIVE), stored));
}

Test(reduce, structs_give_the_same_bits_computed_and_read)
{
    gpu *g = test_open();
    for (size_t k = 1; k < test_size_count(65535); k += 5) {
        size_t n = test_sizes[k];
        float *data = test_alloc(n, sizeof *data);
        uint64_t seed = k;
        for (size_t i = 0; i < n; i++) data[i] = (float)(1 + (test_random(&seed) >> 41)) / 1000; /* sums round */
        gpu_array *x = gpu_array_of(g, data, n);
        awkward p, q;
        reduce_both_ways(x, GPU_TYPE(awkward),
                         "{ awkward e; e.v = x; e.k = x / 500; e.lanes = (float4)(x, 1 / x, -x, 3); e.name = x * x; "
                         "e.T = 1; return e; }",
                         "{ a.v += b.v; a.k += b.k; a.lanes += b.lanes; a.name += b.name; a.T += b.T; return a; }", &p,
                         &q);
        cr_assert(p.T == (unsigned short)n && q.T == p.T && p.v == q.v && p.k == q.k && p.name == q.name,
                  "n = %zu: %u %u", n, p.T, q.T);
        test_same("a vector in a struct", GPU_FLOAT4, 1, &p.lanes, &q.lanes);
        with_array r, s;
        reduce_both_ways(x, GPU_TYPE(with_array),
                         "{ with_array e; for (int j = 0; j < 3; j++) e.sum[j] = x / (j + 1); e.count = 1; return e; }",
                         "{ for (int j = 0; j < 3; j++) a.sum[j] += b.sum[j]; a.count += b.count; return a; }", &r, &s);
        cr_assert_eq(r.count, (int)n, "n = %zu: %d", n, r.count);
        cr_assert(!memcmp(&r, &s, sizeof r), "n = %zu: %g %g", n, (double)r.sum[2], (double)s.sum[2]);
        free(data);
    }
    test_close(g);
}

Test(reduce, adds_vectors_by_component)
{
    gpu *g = test_open();
    for (size_t k = 1; k < test_size_count(68931); k++) {
        size_t n = test_sizes[k];
        gpu_float4 *data = test_alloc(n, sizeof *data), want = {0, 0, 0, 0}, got, last;
        test_random_fill(GPU_FLOAT, data, 4 * n, k);
        for (size_t i = 0; i < n; i++) {
            want = (gpu_float4){want.x + data[i].x, want.y + data[i].y, want.z + data[i].z, want.w + data[i].w};
        }
        gpu_array *a = gpu_array_of(g, data, n);
        test_ok(gpu_reduce(a, "a + b", &got));
        test_same("sum of float4", GPU_FLOAT4, 1, &got, &want);
        test_ok(gpu_reduce(a, "b", &last));
        test_same("last float4", GPU_FLOAT4, 1, &last, &data[n - 1]);
        free(data);
    }
    test_close(g);
}

Test(reduce, the_sum_of_no_vectors_is_zero)
{
    gpu *g = test_open();
    gpu_float4 sum = {1, 1, 1, 1}, zero = {0, 0, 0, 0};
    test_ok(gpu_reduce(gpu_array_from(g, GPU_FLOAT4, NULL, 0), "a + b", &sum));
    test_same("sum of no float4", GPU_FLOAT4, 1, &sum, &zero);
    test_close(g);
}

Test(reduce, takes_every_spelling_of_a_sum)
{
    gpu *g = test_open();
    static const char *const sums[] = {"a+b",          " a  +  b ",        "(a + b)", "b + a", "{ return a + b; }",
                                       "a + b // sum", "a /* left */ + b", "a\n+\nb"};
    size_t n = 10007;
    int64_t got, want = (int64_t)n * (int64_t)(n - 1) / 2;
    gpu_array *a = gpu_range(g, GPU_LONG, n);
    for (size_t k = 0; k < sizeof sums / sizeof sums[0]; k++) {
        got = -1;
        test_ok(gpu_reduce(a, sums[k], &got));
        cr_assert_eq(got, want, "\"%s\" gave %lld, wanted %lld", sums[k], (long long)got, (long long)want);
        got = -1;
        test_ok(gpu_reduce(a, sums[k], &got, GPU_COMMUTATIVE));
        cr_assert_eq(got, want, "\"%s\", commutative, gave %lld", sums[k], (long long)got);
    }
    test_close(g);
}

Test(reduce, its_operator_reads_captured_values)
{
    gpu *g = test_open();
    enum { N = 10007 };
    int64_t got, modulus = 1000003, factor = 1;
    gpu_array *b = gpu_map(gpu_range(g, GPU_LONG, N), "x % 1000 + 1");
    for (int i = 0; i < N; i++) factor = factor * (i % 1000 + 1) % modulus;
    test_ok(gpu_reduce(b, "a * b % modulus", &got, GPU_COMMUTATIVE, GPU_ARG(modulus)));
    cr_assert_eq(got, factor, "a capture in a reduce: %lld, wanted %lld", (long long)got, (long long)factor);
    test_ok(gpu_reduce(b, "a * b % modulus", &got, GPU_ARG(modulus)));
    cr_assert_eq(got, factor, "a capture in a reduce in order: %lld, wanted %lld", (long long)got, (long long)factor);
    test_close(g);
}

Test(reduce, combines_few_elements) /* R01, R02, R03, R22, R23, R31 */
{
    gpu *g = test_open();
    int whole, many[] = {5, 3, 3, 8, 1, 6};
    float f;
    gpu_array *six = gpu_array_of(g, many, 6);
    test_ok(gpu_reduce(six, "a + b", &whole));
    cr_assert_eq(whole, 26);
    test_ok(gpu_reduce(gpu_slice(six, 1, 2), "a * b", &whole));
    cr_assert_eq(whole, 9);
    test_ok(gpu_reduce(gpu_array_of(g, (&(int[]){1, 2}[0]), 2), "a + b", &whole));
    cr_assert_eq(whole, 3);
    test_ok(gpu_reduce(gpu_array_of(g, (&(int[]){6, 6}[0]), 2), "a & b", &whole));
    cr_assert_eq(whole, 6);
    test_ok(gpu_reduce(gpu_fill(g, GPU_INT, &(int){2}, 8), "a + b", &whole));
    cr_assert_eq(whole, 16);
    test_ok(gpu_reduce(gpu_array_of(g, (&(float[]){1.1f, 1.1f}[0]), 2), "a + b", &f));
    cr_assert_eq(f, 2.2f);
    test_ok(gpu_reduce(gpu_fill(g, GPU_FLOAT, &(float){1}, 1024), "a + b", &f));
    cr_assert_eq(f, 1024);
    test_ok(gpu_reduce(gpu_array_of(g, (&(int[]){-1, -1, -1, -1}[0]), 4), "a + b", &whole));
    cr_assert_eq(whole, -4);
    test_close(g);
}

Test(reduce, the_sum_of_a_slice_of_one_is_its_element) /* R07 */
{
    gpu *g = test_open();
    int sum, many[] = {5, 3, 3, 8, 1, 6};
    test_ok(gpu_reduce(gpu_slice(gpu_array_of(g, many, 6), 2, 1), "a + b", &sum));
    cr_assert_eq(sum, 3);
    test_close(g);
}

Test(reduce, takes_every_short_length) /* R04, R26 */
{
    gpu *g = test_open();
    size_t most = test_limit(5000);
    int *data = test_alloc(most, sizeof *data), got;
    for (size_t i = 0; i < most; i++) data[i] = (int)i + 1;
    gpu_array *a = gpu_array_of(g, data, most);
    for (size_t n = 1; n <= most; n += test_small() ? 97 : 1) {
        gpu_scope *scope = gpu_scope_begin(g);
        test_ok(gpu_reduce(gpu_slice(a, 0, n), "b", &got));
        cr_assert_eq(got, (int)n, "the last of %zu is %d", n, got);
        test_ok(gpu_reduce(gpu_slice(a, 0, n), "a", &got));
        cr_assert_eq(got, 1, "the first of %zu is %d", n, got);
        if (n <= 600) {
            test_ok(gpu_reduce(gpu_fill(g, GPU_INT, &(int){1}, n), "a + b", &got));
            cr_assert_eq(got, (int)n, "the sum of %zu ones is %d", n, got);
        }
        gpu_scope_end(scope);
    }
    free(data);
    test_close(g);
}

Test(reduce, begins_at_any_offset_of_a_slice)
{
    gpu *g = test_open();
    unsigned char bytes[3000];
    test_random_fill(GPU_UCHAR, bytes, sizeof bytes, 13);
    gpu_array *a = gpu_array_of(g, bytes, sizeof bytes);
    for (size_t first = 0; first < 20; first++) {
        for (size_t n = 1; n < sizeof bytes - first; n = n * 3 + first) {
            unsigned char want = 0, got;
            for (size_t i = first; i < first + n; i++) want = (unsigned char)(want + bytes[i]);
            test_ok(gpu_reduce(gpu_slice(a, first, n), "a + b", &got));
            cr_assert_eq(got, want, "%zu elements from %zu: %d, wanted %d", n, first, got, want);
        }
    }
    test_close(g);
}

Test(reduce, keeps_the_order_of_long_arrays) /* R24 */
{
    gpu *g = test_open();
    size_t n = test_limit((size_t)1 << 26);
    unsigned total, last;
    test_ok(gpu_reduce(gpu_fill(g, GPU_UINT, &(unsigned){1}, n), "b + a", &total));
    cr_assert_eq(total, n, "%u of %zu ones", total, n);
    test_ok(gpu_reduce(gpu_range(g, GPU_UINT, n), "b", &last));
    cr_assert_eq(last, n - 1, "the last of %zu is %u", n, last);
    test_close(g);
}

Test(reduce, gives_the_same_bits_every_time)
{
    gpu *g = test_open();
    size_t n = test_limit(1000003);
    float *data = test_alloc(n, sizeof *data), first, again;
    uint64_t seed = 14;
    for (size_t i = 0; i < n; i++) data[i] = (float)(test_random(&seed) >> 40) / 1000;
    gpu_array *a = gpu_array_of(g, data, n);
    test_ok(gpu_reduce(a, "a + b", &first));
    for (int round = 0; round < 20; round++) {
        test_ok(gpu_reduce(a, "a + b", &again));
        cr_assert_eq(memcmp(&first, &again, sizeof first), 0, "round %d: %.9g, first %.9g", round, (double)again,
                     (double)first);
    }
    free(data);
    test_close(g);
}

Test(reduce, sums_bytes_mapped_to_uint_beyond_255) /* R27 */
{
    gpu *g = test_open();
    unsigned sum;
    gpu_array *ones = gpu_fill(g, GPU_UCHAR, &(unsigned char){1}, 1000);
    test_ok(gpu_reduce(gpu_map_to(ones, GPU_UINT, "x"), "a + b", &sum));
    cr_assert_eq(sum, 1000);
    test_close(g);
}

Test(reduce, sums_products_with_a_captured_factor) /* R34 */
{
    gpu *g = test_open();
    double factor = 0.1, total;
    gpu_array *x = gpu_range(g, GPU_DOUBLE, 400);
    test_ok(gpu_reduce(gpu_map2(x, x, "factor * x * y", GPU_ARG(factor)), "a + b", &total));
    cr_assert(fabs(total - 2125340) < 2125340 * 1e-12, "%.17g", total);
    test_close(g);
}

Test(reduce, sums_products_of_long_in_64_bits) /* C15 */
{
    gpu *g = test_open();
    for (int round = 0; round < (test_small() ? 1 : 100); round++) {
        int64_t sum;
        test_ok(gpu_reduce(gpu_map(gpu_range(g, GPU_LONG, 99900), "(100 + x) * 2 * x"), "a + b", &sum));
        cr_assert_eq(sum, 665656677033300, "round %d: %lld", round, (long long)sum);
    }
    test_close(g);
}

Test(reduce, refuses_an_output_of_another_type)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    int whole = 77;
    double deep = 77;
    gpu_float2 pair = {7, 7};
    found f = {7, 7};
    test_fails(GPU_E_TYPE, gpu_reduce(x, "a + b", &whole));
    test_has(gpu_error(), "float");
    test_has(gpu_error(), "int");
    test_fails(GPU_E_TYPE, gpu_reduce(x, "a + b", &deep));
    test_fails(GPU_E_TYPE, gpu_reduce(x, "a + b", &pair));
    test_fails(GPU_E_TYPE, gpu_reduce(x, "a + b", &f));
    cr_assert(whole == 77 && deep == 77 && pair.x == 7 && f.value == 7, "an output was written");
    matrix m = {1, 2, 3, 4};
    gpu_array *pairs = gpu_array_from(g, GPU_TYPE(found), &f, 1);
    test_fails(GPU_E_TYPE, gpu_reduce(pairs, "a", &m)); /* structs by size */
    cr_assert(m.a == 1 && m.d == 4, "an output was written");
    test_fails(GPU_E_TYPE, gpu_reduce(pairs, "a", &deep)); /* as large as the struct, but a double */
    test_close(g);
}
