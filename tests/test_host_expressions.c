/* Texts that the host computes as expressions, against the same expressions in C: each scalar type, and the ends of its
 * range. */
#include "support/host.h"
#include "support/reference.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(host_expressions, .init = test_host_begin, .fini = test_host_end, .timeout = 120);

/* The expressions are compiled for types that they are not meant for, and signed integers wrap around. */
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wbool-operation"
#ifndef __clang__
#pragma GCC optimize("wrapv", "fp-contract=off")
#endif

/* ---- comparing ---- */

/* An expression of x and y in C: results of `n` elements. */
typedef void in_c(const void *xs, const void *ys, void *out, size_t n);

#define IN_C(name, T, U, R, ...)                                                                                       \
    static void name(const void *xs, const void *ys, void *out, size_t n)                                              \
    {                                                                                                                  \
        for (uint64_t i = 0; i < n; i++) {                                                                             \
            const T x = ((const T *)xs)[i];                                                                            \
            const U y = ((const U *)ys)[i];                                                                            \
            (void)x, (void)y;                                                                                          \
            ((R *)out)[i] = (R)(__VA_ARGS__);                                                                          \
        }                                                                                                              \
    }

/* -0 is not 0; NaN is any NaN. */
static bool same(gpu_type type, const void *a, const void *b)
{
    const bool floating = type->kind == GPU_KIND_FLOATING;
    const double p = floating ? test_get(type, a, 0).f : 0, q = floating ? test_get(type, b, 0).f : 0;
    return !memcmp(a, b, type->size) || (p != p && q != q);
}

/* All pairs of these, more than a block of them, so that the last one is not full. */
enum { EDGES = 22, PAIRS = EDGES * EDGES };

static const double numbers[EDGES] = {0,    1,  2,  3,  5,   7,    31,   100,      0.5,       1e-40, 33,
                                      -0.0, -1, -2, -3, -33, -0.1, -100, INFINITY, -INFINITY, NAN,   1e30};

static void fill(gpu_type type, void *xs, void *ys)
{
    unsigned char edges[EDGES * 8];
    test_pattern_fill(TEST_EXTREMES, type, edges, EDGES, 3);
    for (size_t k = 0; k < EDGES; k++) {
        if (type->kind == GPU_KIND_FLOATING) test_put(type, edges, k, (test_number){.f = numbers[k]});
        if (type->kind != GPU_KIND_FLOATING && k < 16) test_put(type, edges, k, test_whole(type, (int64_t)numbers[k]));
    }
    for (size_t k = 0; k < PAIRS; k++) {
        memcpy((unsigned char *)xs + k * type->size, edges + k / EDGES * type->size, type->size);
        memcpy((unsigned char *)ys + k * type->size, edges + k % EDGES * type->size, type->size);
    }
}

typedef struct form {
    const char *text;
    gpu_type x, result;
    in_c *in_c;
} form;

static void check(const form *f, gpu_array *got, const unsigned char *want)
{
    unsigned char read[PAIRS * 8];
    cr_assert_eq(gpu_read(got, (void *)read), GPU_OK, "\"%s\" of %s: %s", f->text, f->x->name, gpu_error());
    for (size_t k = 0; k < PAIRS; k++)
        cr_assert(same(f->result, read + k * f->result->size, want + k * f->result->size),
                  "\"%s\" of %s to %s: pair %zu: %.17g, wanted %.17g", f->text, f->x->name, f->result->name, k,
                  test_get(f->result, read, k).f, test_get(f->result, want, k).f);
}

static void check_forms(const form *forms, size_t count)
{
    gpu *g = test_open_host();
    for (const form *f = forms; f < forms + count; f++) {
        unsigned char xs[PAIRS * 8], ys[PAIRS * 8], want[PAIRS * 8];
        fill(f->x, xs, ys);
        f->in_c(xs, ys, want, PAIRS);
        gpu_array *x = gpu_array_from(g, f->x, xs, PAIRS), *y = gpu_array_from(g, f->x, ys, PAIRS);
        check(f, gpu_map2_to(x, y, f->result, f->text), want);
        gpu_array_free(x);
        gpu_array_free(y);
    }
    test_close(g);
}

/* A test of forms, each of which is X(its name, the elements' type, T, the result's type, R, the expression). */
#define DEFINE(id, name, T, result, R, ...) IN_C(id##_##name##_##result, T, T, R, __VA_ARGS__)
#define ROW(id, name, T, result, R, ...) {#__VA_ARGS__, &gpu_type_##name, &gpu_type_##result, id##_##name##_##result},
#define FORMS_TEST(name, FORMS)                                                                                        \
    FORMS(DEFINE)                                                                                                      \
    Test(host_expressions, name)                                                                                       \
    {                                                                                                                  \
        static const form forms[] = {FORMS(ROW)};                                                                      \
        check_forms(forms, COUNT_OF(forms));                                                                           \
    }

#define OF_INTEGERS(F, X)                                                                                              \
    F(X, char, signed char)                                                                                            \
    F(X, uchar, unsigned char)                                                                                         \
    F(X, short, short)                                                                                                 \
    F(X, ushort, unsigned short) F(X, int, int) F(X, uint, unsigned) F(X, long, int64_t) F(X, ulong, uint64_t)
#define OF_FLOATS(F, X) F(X, float, float) F(X, double, double)
#define OF_ALL(F, X) OF_INTEGERS(F, X) OF_FLOATS(F, X)

/* ---- forms of each type ---- */

#define ARITHMETIC_OF(X, name, T)                                                                                      \
    X(sum, name, T, name, T, x + y)                                                                                    \
    X(difference, name, T, name, T, x - y)                                                                             \
    X(product, name, T, name, T, x *y)                                                                                 \
    X(negative, name, T, name, T, -x)                                                                                  \
    X(positive, name, T, name, T, +x)                                                                                  \
    X(nested, name, T, name, T, (x - y) * (x + 3) - -y * 2)                                                            \
    X(sum_to_long_width, name, T, double, double, x + y)
#define ARITHMETIC(X) OF_ALL(ARITHMETIC_OF, X)
FORMS_TEST(arithmetic_of_all_types, ARITHMETIC)

/* No unsigned char is less than -1, and no float equals the largest unsigned integers: clang says so. */
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wtautological-constant-out-of-range-compare"
#pragma clang diagnostic ignored "-Wimplicit-const-int-float-conversion"
#endif

#define COMPARISONS_OF(X, name, T)                                                                                     \
    X(less, name, T, int, int, x < y)                                                                                  \
    X(greater, name, T, int, int, x > y)                                                                               \
    X(at_most, name, T, uchar, unsigned char, x <= y)                                                                  \
    X(at_least, name, T, float, float, x >= y)                                                                         \
    X(equal, name, T, name, T, x == y)                                                                                 \
    X(different, name, T, int, int, x != y)                                                                            \
    X(above_0, name, T, int, int, x > 0)                                                                               \
    X(below_minus_1, name, T, int, int, x < -1)                                                                        \
    X(is_3, name, T, int, int, 3 == x)                                                                                 \
    X(compared_with_unsigned, name, T, int, int, x < 7u)                                                               \
    X(compared_with_long, name, T, int, int, x >= 5L)
#define COMPARISONS(X) OF_ALL(COMPARISONS_OF, X)
FORMS_TEST(comparisons_are_0_or_1, COMPARISONS)

#define LITERALS_OF(X, name, T)                                                                                        \
    X(by_int, name, T, name, T, x * 2)                                                                                 \
    X(plus_1, name, T, name, T, x + 1)                                                                                 \
    X(from_3, name, T, name, T, 3 - x)                                                                                 \
    X(by_float, name, T, float, float, 2.0f * x)                                                                       \
    X(inverse, name, T, float, float, 1.0f / x)                                                                        \
    X(less_half, name, T, float, float, x - 0.5f)                                                                      \
    X(by_double, name, T, double, double, x * 0.1)                                                                     \
    X(double_made_float, name, T, float, float, x * 0.1 + 1e-3)                                                        \
    X(with_exponent, name, T, double, double, x + 1e2f)                                                                \
    X(hexadecimal, name, T, double, double, x + 0xffffffff)                                                            \
    X(octal, name, T, double, double, x + 017)                                                                         \
    X(large, name, T, double, double, x + 4294967296)                                                                  \
    X(largest, name, T, double, double, x + 18446744073709551615u)                                                     \
    X(suffixes, name, T, double, double, x + 3u * 5L - 7UL)                                                            \
    X(hexadecimal_float, name, T, double, double, x * 0x1.8p1f)
#define LITERALS(X) OF_ALL(LITERALS_OF, X)
FORMS_TEST(literals_have_the_types_of_c, LITERALS)

#ifdef __clang__
#pragma clang diagnostic pop
#endif

#define CASTS_OF(X, name, T)                                                                                           \
    X(to_float, name, T, float, float, (float)x)                                                                       \
    X(to_double, name, T, double, double, (double)x / 3)                                                               \
    X(float_of_sum, name, T, double, double, (float)(x + y))                                                           \
    X(to_bool, name, T, int, int, (bool)x)                                                                             \
    X(binds_tighter, name, T, double, double, (float)x *y)
#define CASTS(X) OF_ALL(CASTS_OF, X)
FORMS_TEST(casts_of_all_types, CASTS)

#define INTEGER_CASTS_OF(X, name, T)                                                                                   \
    X(to_char, name, T, int, int, (char)x)                                                                             \
    X(to_uchar, name, T, long, int64_t, (unsigned char)x)                                                              \
    X(to_short, name, T, int, int, (short int)x)                                                                       \
    X(to_ushort, name, T, float, float, (uint16_t)x)                                                                   \
    X(to_int, name, T, long, int64_t, (int)x)                                                                          \
    X(to_uint, name, T, double, double, (unsigned)x)                                                                   \
    X(to_long, name, T, double, double, (long)x)                                                                       \
    X(to_ulong, name, T, double, double, (unsigned long)x)
#define INTEGER_CASTS(X) OF_INTEGERS(INTEGER_CASTS_OF, X)
FORMS_TEST(casts_of_integers_wrap_around, INTEGER_CASTS)

#define INTEGER_OPERATIONS_OF(X, name, T)                                                                              \
    X(masked, name, T, name, T, x & 7)                                                                                 \
    X(bits, name, T, long, int64_t, (x | y) ^ 5)                                                                       \
    X(inverted, name, T, long, int64_t, ~x)                                                                            \
    X(left, name, T, long, int64_t, x << 3)                                                                            \
    X(right, name, T, long, int64_t, x >> 2)                                                                           \
    X(third, name, T, long, int64_t, x / 3)                                                                            \
    X(remainder, name, T, long, int64_t, x % 7)                                                                        \
    X(parity, name, T, int, int, x % 2 == 0)                                                                           \
    X(of_index, name, T, long, int64_t, x + (long)(i % 3))
#define INTEGER_OPERATIONS(X) OF_INTEGERS(INTEGER_OPERATIONS_OF, X)
FORMS_TEST(operations_of_integers, INTEGER_OPERATIONS)

#define DIVISIONS_OF(X, name, T)                                                                                       \
    X(quotient, name, T, name, T, x / y)                                                                               \
    X(fraction, name, T, name, T, x / (y - 1) / 7)
#define DIVISIONS(X) OF_FLOATS(DIVISIONS_OF, X)
FORMS_TEST(divisions_of_floats, DIVISIONS)

#define CHOICES_OF(X, name, T)                                                                                         \
    X(smaller, name, T, name, T, x < y ? x : y)                                                                        \
    X(mixed, name, T, double, double, x > 1 ? x : 0.5f)                                                                \
    X(by_value, name, T, name, T, (bool)x ? y : 3)                                                                     \
    X(chained, name, T, int, int, x < 0 ? -1 : x == 0 ? 0 : 1)                                                         \
    X(both, name, T, int, int, x &&y)                                                                                  \
    X(either, name, T, int, int, x || y > 2)                                                                           \
    X(neither, name, T, int, int, !x && !(y > 1))                                                                      \
    X(precedence, name, T, int, int, x + 1 < y * 2 == 1 || x != y && y > 3)
#define CHOICES(X) OF_ALL(CHOICES_OF, X)
#pragma GCC diagnostic ignored "-Wparentheses"
FORMS_TEST(conditions_and_logic, CHOICES)

/* ---- operands of two types ---- */

#define MIXED(X, name, T)                                                                                              \
    X(name, T, char, signed char)                                                                                      \
    X(name, T, ushort, unsigned short)                                                                                 \
    X(name, T, int, int)                                                                                               \
    X(name, T, uint, unsigned)                                                                                         \
    X(name, T, long, int64_t)                                                                                          \
    X(name, T, ulong, uint64_t)                                                                                        \
    X(name, T, float, float)                                                                                           \
    X(name, T, double, double)
#define MIXED_IN_C(name, T, other, U) IN_C(two_types_##name##_##other, T, U, double, (x - y) * (x < y))
OF_ALL(MIXED, MIXED_IN_C)

Test(host_expressions, operands_of_two_types_convert_as_in_c)
{
    static const struct {
        gpu_type x, y;
        in_c *in_c;
    } pairs[] = {
#define MIXED_ROW(name, T, other, U) {&gpu_type_##name, &gpu_type_##other, two_types_##name##_##other},
        OF_ALL(MIXED, MIXED_ROW)};
    gpu *g = test_open_host();
    for (size_t k = 0; k < COUNT_OF(pairs); k++) {
        unsigned char xs[PAIRS * 8], ys[PAIRS * 8], other[PAIRS * 8], want[PAIRS * 8];
        const form f = {"(x - y) * (x < y)", pairs[k].x, GPU_DOUBLE, NULL};
        fill(pairs[k].x, xs, other);
        fill(pairs[k].y, other, ys);
        pairs[k].in_c(xs, ys, want, PAIRS);
        gpu_array *x = gpu_array_from(g, pairs[k].x, xs, PAIRS), *y = gpu_array_from(g, pairs[k].y, ys, PAIRS);
        check(&f, gpu_map2_to(x, y, GPU_DOUBLE, "(x - y) * (x < y)"), want);
        gpu_array_free(x);
        gpu_array_free(y);
    }
    test_close(g);
}

/* ---- integers that C leaves open ---- */

Test(host_expressions, divisions_of_integers_do_not_trap)
{
    gpu *g = test_open_host();
    int xs[] = {7, -7, INT_MIN, INT_MIN, 5}, ys[] = {0, 0, -1, 0, -1};
    gpu_array *x = gpu_array_of(g, xs, 5), *y = gpu_array_of(g, ys, 5);
    test_holds("quotients", gpu_map2(x, y, "x / y"), GPU_INT, 5, (int[]){0, 0, INT_MIN, 0, -5});
    test_holds("remainders", gpu_map2(x, y, "x % y"), GPU_INT, 5, (int[]){0, 0, 0, 0, 0});
    uint64_t wide[] = {UINT64_MAX, 9}, zero[] = {0, UINT64_MAX};
    test_holds("unsigned", gpu_map2(gpu_array_of(g, wide, 2), gpu_array_of(g, zero, 2), "x / y"), GPU_ULONG, 2,
               (uint64_t[]){0, 0});
    test_close(g);
}

/* As OpenCL C says. */
Test(host_expressions, shifts_count_modulo_the_width)
{
    gpu *g = test_open_host();
    int xs[] = {1, -8, 3}, ys[] = {33, 34, -1};
    gpu_array *x = gpu_array_of(g, xs, 3), *y = gpu_array_of(g, ys, 3);
    test_holds("left", gpu_map2(x, y, "x << y"), GPU_INT, 3, (int[]){2, -32, INT_MIN});
    test_holds("right", gpu_map2(x, y, "x >> y"), GPU_INT, 3, (int[]){0, -2, 0});
    test_holds("of longs", gpu_map2_to(x, y, GPU_LONG, "(long)x << y"), GPU_LONG, 3,
               (int64_t[]){INT64_C(1) << 33, INT64_C(-8) * (INT64_C(1) << 34), INT64_MIN});
    test_close(g);
}

Test(host_expressions, floats_become_the_nearest_integer_of_the_type)
{
    gpu *g = test_open_host();
    float xs[] = {1.9f, -1.9f, 1e30f, -1e30f, NAN};
    gpu_array *x = gpu_array_of(g, xs, 5);
    test_holds("int", gpu_map_to(x, GPU_INT, "(int)x"), GPU_INT, 5, (int[]){1, -1, INT_MAX, INT_MIN, 0});
    test_holds("uchar", gpu_map_to(x, GPU_UCHAR, "x"), GPU_UCHAR, 5, (unsigned char[]){1, 0, 255, 0, 0});
    test_close(g);
}

/* ---- captured values ---- */

GPU_CONSTANT(OFFSET, 2.5f);
GPU_ENUM(NONE, SINGLE);

Test(host_expressions, captured_scalars_and_constants)
{
    gpu *g = test_open_host();
    float xs[] = {1, -2, 3.5f}, factor = 0.3f;
    int s = 3;
    bool flag = true;
    gpu_array *x = gpu_array_of(g, xs, 3);
    test_holds("scaled", gpu_map(x, "s * x", GPU_ARG(s)), GPU_FLOAT, 3, (float[]){3, -6, 10.5f});
    const float axpy[] = {factor * 1 + 1, factor * -2 - 2, factor * 3.5f + 3.5f};
    test_holds("axpy", gpu_map2(x, x, "factor * x + y", GPU_ARG(factor)), GPU_FLOAT, 3, axpy);
    test_holds("a bool", gpu_map(x, "flag ? x : 0", GPU_ARG(flag)), GPU_FLOAT, 3, xs);
    test_holds("a constant", gpu_map(x, "x + OFFSET"), GPU_FLOAT, 3, (float[]){3.5f, 0.5f, 6});
    test_holds("an enumerator", gpu_map(x, "x + SINGLE"), GPU_FLOAT, 3, (float[]){2, -1, 4.5f});
    test_close(g);
}

Test(host_expressions, element_0_of_captured_arrays)
{
    gpu *g = test_open_host();
    float xs[] = {1, 2, 3}, total[] = {6};
    gpu_array *x = gpu_array_of(g, xs, 3), *sum = gpu_array_of(g, total, 1), *later = gpu_reduced(x, "a + b");
    const float want[] = {1.0f / 6, 2.0f / 6, 3.0f / 6};
    test_holds("stored", gpu_map(x, "x / sum[0]", GPU_ARG(sum)), GPU_FLOAT, 3, want);
    test_holds("delayed", gpu_map(x, "x / later[0]", GPU_ARG(later)), GPU_FLOAT, 3, want);
    gpu_array *value = gpu_fill(g, GPU_FLOAT, &(float){2}, 1);
    test_holds("a single value", gpu_map(x, "x * value[0]", GPU_ARG(value)), GPU_FLOAT, 3, (float[]){2, 4, 6});
    test_close(g);
}

/* ---- members ---- */

GPU_STRUCT(place, float x; double y; short n;);
GPU_STRUCT(run, place from; place to; int lengths[2];);
GPU_STRUCT(tally, double sum; int count; int more;);

static const place places[] = {{1, 2.5, 3}, {-1, 0.25, -4}, {0.5f, 8, 5}};

Test(host_expressions, members_of_structs)
{
    gpu *g = test_open_host();
    gpu_array *a = gpu_array_from(g, GPU_TYPE(place), places, 3);
    test_holds("a float", gpu_map_to(a, GPU_FLOAT, "x.x * 2"), GPU_FLOAT, 3, (float[]){2, -2, 1});
    test_holds("of three types", gpu_map_to(a, GPU_DOUBLE, "x.x + x.y * x.n"), GPU_DOUBLE, 3,
               (double[]){8.5, -2, 40.5});
    test_holds("of two arrays", gpu_map2_to(a, gpu_slice(a, 0, 3), GPU_INT, "x.n > y.x"), GPU_INT, 3, (int[]){1, 0, 1});
    test_holds("alone", gpu_map_to(a, GPU_SHORT, "x.n"), GPU_SHORT, 3, (short[]){3, -4, 5});
    test_close(g);
}

Test(host_expressions, members_of_members)
{
    gpu *g = test_open_host();
    const run runs[] = {{places[0], places[1], {7, 8}}, {places[2], places[0], {9, 10}}};
    test_holds("inner", gpu_map_to(gpu_array_from(g, GPU_TYPE(run), runs, 2), GPU_DOUBLE, "x.to.y - x.from.y"),
               GPU_DOUBLE, 2, (double[]){-2.25, -5.5});
    test_close(g);
}

Test(host_expressions, components_of_vectors)
{
    gpu *g = test_open_host();
    const gpu_float4 points[] = {{.x = 1, .y = 2, .z = 3, .w = 4}, {.x = -1, .y = 0.5f, .z = 8, .w = 2}};
    test_holds("sum", gpu_map_to(gpu_array_of(g, points, 2), GPU_FLOAT, "x.x * x.w + x.z"), GPU_FLOAT, 2,
               (float[]){7, 6});
    test_close(g);
}

Test(host_expressions, members_of_captured_structs)
{
    gpu *g = test_open_host();
    const place origin = places[0];
    const run way = {places[1], places[2], {0, 0}};
    gpu_array *x = gpu_range(g, GPU_INT, 3), *stored = gpu_array_from(g, GPU_TYPE(place), places, 3);
    test_holds("a value", gpu_map(x, "x * origin.n", GPU_ARG_AS(origin, GPU_TYPE(place), origin)), GPU_INT, 3,
               (int[]){0, 3, 6});
    test_holds("inner", gpu_map(x, "x + way.to.n", GPU_ARG_AS(way, GPU_TYPE(run), way)), GPU_INT, 3, (int[]){5, 6, 7});
    test_holds("element 0", gpu_map(x, "x - stored[0].n", GPU_ARG(stored)), GPU_INT, 3, (int[]){-3, -2, -1});
    test_close(g);
}

Test(host_expressions, structs_as_results)
{
    gpu *g = test_open_host();
    const tally want[] = {{3.5, 3, 0}, {-0.75, -4, 0}, {8.5, 5, 0}};
    gpu_array *made =
        gpu_map_to(gpu_array_from(g, GPU_TYPE(place), places, 3), GPU_TYPE(tally), "(tally){x.x + x.y, x.n}");
    test_holds("made", made, GPU_TYPE(tally), 3, want);
    test_close(g);
}

Test(host_expressions, structs_that_are_combined)
{
    enum { STRUCTS = 3000 };
    static tally given[STRUCTS];
    tally want = {0};
    gpu *g = test_open_host();
    for (int k = 0; k < STRUCTS; k++) given[k] = (tally){k % 8, 1, 0};
    for (int k = 0; k < STRUCTS; k++) want = (tally){want.sum + given[k].sum, want.count + 1, 0};
    tally got;
    gpu_array *a = gpu_array_from(g, GPU_TYPE(tally), given, STRUCTS);
    test_ok(gpu_reduce(a, "(tally){a.sum + b.sum, a.count + b.count}", (void *)&got));
    cr_assert(got.sum == want.sum && got.count == want.count, "%g and %d", got.sum, got.count);
    gpu_array *last = gpu_slice(gpu_scan(a, "(tally){a.sum + b.sum, a.count + b.count}"), STRUCTS - 1, 1);
    test_holds("scanned", last, GPU_TYPE(tally), 1, &want);
    test_close(g);
}

Test(host_expressions, orders_by_a_member)
{
    gpu *g = test_open_host();
    const place sorted[] = {places[1], places[0], places[2]};
    gpu_array *a = gpu_array_from(g, GPU_TYPE(place), places, 3);
    test_holds("sorted", gpu_sort_by(a, "a.n < b.n"), GPU_TYPE(place), 3, sorted);
    test_holds("kept", gpu_filter(a, "x.y > 1 && x.n == 5"), GPU_TYPE(place), 1, &places[2]);
    test_close(g);
}

Test(host_expressions, other_texts_of_structs_are_refused)
{
    static const char *const texts[] = {"x.m",
                                        "x.x.y",
                                        "x",
                                        "(tally){x.x, x.n",
                                        "(place){1}",
                                        "(tally){x, 1}",
                                        "(tally){x.x, 1, 2, 3}",
                                        "(tally)",
                                        "(tally){}",
                                        "(tally){1} + 1"};
    gpu *g = test_open_host();
    gpu_array *a = gpu_array_from(g, GPU_TYPE(place), places, 3);
    for (size_t k = 0; k < COUNT_OF(texts); k++) {
        gpu_array *y = gpu_map_to(a, GPU_TYPE(tally), texts[k]);
        cr_assert_eq(gpu_array_status(gpu_eval(y)), GPU_E_SNIPPET, "\"%s\": %s", texts[k], gpu_error());
    }
    test_array_fails(GPU_E_SNIPPET, gpu_map_to(a, GPU_INT, "x.m"));
    test_close(g);
}

/* ---- in operations ---- */

enum { N = 1000 };

Test(host_expressions, texts_that_say_yes_or_no)
{
    gpu *g = test_open_host();
    int kept[N], rest[N], odd = 0, even = 0;
    for (int k = 0; k < N; k++) *(k % 2 ? &kept[odd++] : &rest[even++]) = k;
    gpu_array *yes, *no, *x = gpu_range(g, GPU_INT, N);
    gpu_partition(x, "x % 2", &yes, &no);
    test_holds("kept", yes, GPU_INT, (size_t)odd, kept);
    test_holds("the rest", no, GPU_INT, (size_t)even, rest);
    test_holds("a fraction is true", gpu_filter(gpu_map_to(x, GPU_FLOAT, "x - 0.5f"), "x * (x < 0)"), GPU_FLOAT, 1,
               (float[]){-0.5f});
    size_t first = 0;
    test_ok(gpu_index_if(x, "x > 10 && i % 7 == 3", &first));
    cr_assert_eq(first, 17);
    test_close(g);
}

/* Each result is an operand of the next. */
Test(host_expressions, operators_that_combine)
{
    gpu *g = test_open_host();
    int xs[N], want[N], last = 0;
    for (int k = 0; k < N; k++) xs[k] = k * 37 % 1009;
    for (int k = 0; k < N; k++) want[k] = k ? (want[k - 1] + xs[k]) % 1009 : xs[k];
    gpu_array *x = gpu_array_of(g, xs, N), *keys = gpu_fill(g, GPU_INT, &(int){4}, N), *k, *sums;
    test_holds("scan", gpu_scan(x, "(a + b) % 1009"), GPU_INT, N, want);
    test_ok(gpu_reduce(x, "(a + b) % 1009", &last));
    cr_assert_eq(last, want[N - 1]);
    test_holds("scan by key", gpu_scan_by_key(keys, x, "(a + b) % 1009"), GPU_INT, N, want);
    test_ok(gpu_reduce_by_key(keys, x, "(a + b) % 1009", &k, &sums));
    test_holds("reduce by key", sums, GPU_INT, 1, &want[N - 1]);
    test_close(g);
}

Test(host_expressions, texts_that_compare_two_keys)
{
    gpu *g = test_open_host();
    int xs[N], want[N];
    for (int k = 0; k < N; k++) xs[k] = k;
    for (int k = 0; k < N; k++) want[k] = k * 10 % N + k / 100;
    gpu_array *x = gpu_array_of(g, xs, N);
    int last = 9;
    test_holds("by the last digit", gpu_sort_by(x, "a % 10 < b % 10"), GPU_INT, N, want);
    test_holds("to the end", gpu_slice(gpu_sort_by(x, "(a == last) < (b == last)", GPU_ARG(last)), N - 1, 1), GPU_INT,
               1, &last);
    test_close(g);
}

/* ---- texts that are no expressions of this kind ---- */

Test(host_expressions, other_texts_are_refused)
{
    static const char *const texts[] = {"sqrt(x)",
                                        "x.x",
                                        "x[0]",
                                        "(float2)(x, x)",
                                        "x + unknown",
                                        "x +",
                                        "x ++ + 1",
                                        "x-- 1",
                                        "x = 3",
                                        "x += 1",
                                        "x <<= 1",
                                        "(x",
                                        "x)",
                                        "x 2",
                                        "1.5h * x",
                                        "1LL + x",
                                        "x % 2.0f",
                                        "x & 1.0f",
                                        "~1.0f",
                                        "x << 1.0f",
                                        "09 + x",
                                        "(long long)x",
                                        "'a' + x",
                                        "x ? 1",
                                        "& x",
                                        "* x",
                                        "sizeof x",
                                        "(size_t)x",
                                        "0x1.8f + x",
                                        "x -> y",
                                        "x + 99999999999999999999",
                                        "x * 1.0f ? x : 1"};
    gpu *g = test_open_host();
    gpu_array *x = gpu_range(g, GPU_INT, 4);
    for (size_t k = 0; k < COUNT_OF(texts); k++) {
        gpu_array *y = gpu_map(x, texts[k]);
        cr_assert_eq(gpu_array_status(gpu_eval(y)), GPU_E_SNIPPET, "\"%s\": %s", texts[k], gpu_error());
    }
    test_close(g);
}

/* What no device would compile is shown with a caret, up to the first part of a text that only devices know. */
Test(host_expressions, mistakes_in_texts_are_shown)
{
    const struct {
        const char *text, *message, *caret;
    } all[] = {{"x +", "a value is missing here", "   ^"},
               {"x + ()", "a value is missing here", "     ^"},
               {"x === 2", "a value is missing here", "    ^"},
               {"x +\n  (int)", "a value is missing here\n    (int)", "       ^"},
               {"x ** 2", "there is no operator **: write x * x", "   ^"},
               {"x 2", "an operator is missing here", "  ^"},
               {"(x > 1 and x < 3)", "an operator is missing here", "       ^"},
               {"x ? 1", "a ':' is missing here, which belongs to the '?'", "     ^"},
               {"x : 1", "no '?' belongs to this ':'", "  ^"},
               {"x * 1.5f ? x : 1", "OpenCL C has no floating conditions", "         ^"},
               {"x * 1.5f % 2", "floating numbers have no such operator", "         ^"},
               {"x + 1f", "this is no number of OpenCL C", "    ^"},
               {"x.y", "a scalar has no members", " ^"},
               {"x[0]", "a scalar has no elements", " ^"},
               {"r.count + x", "the struct has no member of this name", "  ^"},
               {"x + scale", "undeclared identifier: capture a value with GPU_ARG", "    ^"}};
    gpu *g = test_open_host();
    const run r = {.lengths = {1, 2}};
    gpu_array *x = gpu_range(g, GPU_INT, 4);
    for (size_t k = 0; k < COUNT_OF(all); k++) {
        gpu_array *y = gpu_eval(gpu_map(x, all[k].text, GPU_ARG_AS(r, GPU_TYPE(run), r)));
        cr_assert_eq(gpu_array_status(y), GPU_E_SNIPPET, "\"%s\": %s", all[k].text, gpu_error());
        test_has(gpu_array_error(y), all[k].message);
        const char *caret = strrchr(gpu_array_error(y), '\n');
        cr_assert_str_eq(caret + 3, all[k].caret, "\"%s\": %s", all[k].text, gpu_array_error(y));
    }
    test_close(g);
}

/* Nor is what stands behind them looked at. */
Test(host_expressions, texts_that_devices_may_compile_are_no_mistakes)
{
    static const char *const texts[] = {"abs(x) +",     "x += 2, x + 3", "x <<= 1", "x >>= 1",     "x = 3", "x++",
                                        "table->k + x", "sizeof x",      "'a' + x", "true",        "M_PI",  "1.0h * x",
                                        "(uint4)(x).x", "as_uint(x)",    "*&x",     "x + CHAR_BIT"};
    gpu *g = test_open_host();
    const run r = {.lengths = {1, 2}};
    gpu_array *x = gpu_range(g, GPU_INT, 4), *table = gpu_array_from(g, GPU_TYPE(run), &r, 1);
    for (size_t k = 0; k < COUNT_OF(texts); k++) {
        gpu_array *y = gpu_eval(gpu_map(x, texts[k], GPU_ARG(table)));
        test_has(gpu_array_error(y), "does not run on the host");
    }
    test_close(g);
}

Test(host_expressions, long_texts_are_refused)
{
    gpu *g = test_open_host();
    enum { DEEP = 5000 };
    char *deep = test_alloc(2 * DEEP + 2, 1), *wide = test_alloc(4 * DEEP + 2, 1);
    memset(deep, '(', DEEP);
    deep[DEEP] = 'x';
    memset(deep + DEEP + 1, ')', DEEP);
    strcpy(wide, "x");
    for (int k = 0; k < DEEP; k++) memcpy(wide + 1 + 4 * k, " + x", 4);
    gpu_array *x = gpu_range(g, GPU_INT, 4);
    test_array_fails(GPU_E_SNIPPET, gpu_map(x, (const char *)deep));
    test_array_fails(GPU_E_SNIPPET, gpu_map(x, (const char *)wide));
    free(deep);
    free(wide);
    test_close(g);
}
