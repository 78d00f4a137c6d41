/* Products of matrices: shapes on both sides of a tile, types, the bits of floats, operators that do not commute, fused
 * maps and views, vectors, compiled functions, errors. Operators are functions, so that the host device runs the tests
 * too; texts have a test of their own. */
#include "support/host.h"
#include "support/line.h"
#include "support/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(wide, int first; int others[40];);
GPU_FUNCTION(float, product, (float x, float y), { return x * y; });
GPU_FUNCTION(float, negative, (float x), { return -x; });
GPU_FUNCTION(float, sum, (float a, float b), { return a + b; });
GPU_FUNCTION(float, distance, (float x, float y, float by), { return x + by * y; });
GPU_FUNCTION(float, smaller, (float a, float b), { return a < b ? a : b; });
GPU_FUNCTION(float, plus_place, (float x, uint64_t row, uint64_t column), { return x + row * 0.25f - column; });
GPU_FUNCTION(line, after, (line x, line y), { return then(x, y); });
GPU_FUNCTION(wide, widest, (wide x, wide y), {
    x.first += y.first;
    for (int k = 0; k < 40; k++) x.others[k] = x.others[k] * y.others[39 - k];
    return x;
});
GPU_FUNCTION(wide, folded, (wide a, wide b), {
    a.first = 3 * a.first + b.first;
    for (int k = 0; k < 40; k++) a.others[k] = a.others[k] - 2 * b.others[k];
    return a;
});
GPU_FUNCTION(float, chosen, (float x, float y, GPU_GLOBAL const float *table), { return x * table[0] + y * table[1]; });

/* Rows, inner dimension, columns. */
static const size_t shapes[][3] = {{0, 4, 3},    {3, 4, 0},     {1, 1, 1},     {1, 9, 1},    {5, 1, 6},
                                   {3, 2, 4},    {1, 40, 17},   {17, 33, 1},   {17, 33, 65}, {64, 16, 64},
                                   {65, 17, 63}, {100, 99, 70}, {300, 70, 290}};

static float *some_floats(size_t n, uint64_t seed)
{
    float *x = test_alloc(n, sizeof *x);
    for (size_t k = 0; k < n; k++) x[k] = (float)(test_random(&seed) % 20001) / 1000.0f - 10;
    return x;
}

/* A loop in C. */
static float *multiplied(const float *a, const float *b, const size_t *s, bool fused)
{
    float *out = test_alloc(s[0] * s[2], sizeof *out);
    for (size_t i = 0; i < s[0]; i++)
        for (size_t j = 0; j < s[2]; j++) {
            float total = 0;
            for (size_t k = 0; k < s[1]; k++) {
                const float x = a[i * s[1] + k], y = b[k * s[2] + j], term = x * y;
                total = !k ? term : fused ? fmaf(x, y, total) : total + term;
            }
            out[i * s[2] + j] = total;
        }
    return out;
}

static void check(const char *what, const gpu_matrix *m, gpu_type type, const size_t *s, const void *want)
{
    test_ok(gpu_matrix_status(m));
    cr_assert_eq(gpu_matrix_rows(m), s[0]);
    cr_assert_eq(gpu_matrix_columns(m), s[2]);
    test_holds(what, gpu_matrix_array(m), type, s[0] * s[2], want);
}

static void check_floats(gpu *g, const size_t *s)
{
    char what[80];
    snprintf(what, sizeof what, "%zu by %zu by %zu", s[0], s[1], s[2]);
    float *a = some_floats(s[0] * s[1], 3), *b = some_floats(s[1] * s[2], 4), *want = multiplied(a, b, s, true);
    float *rounded = multiplied(a, b, s, false);
    gpu_matrix *p = gpu_matrix_of(g, a, s[0], s[1]), *q = gpu_matrix_of(g, b, s[1], s[2]);
    check(what, gpu_matrix_multiply(p, q), GPU_FLOAT, s, want);
    check("functions", gpu_matrix_multiply_by(p, q, product, sum), GPU_FLOAT, s, rounded);
    gpu_matrix *t = gpu_matrix_multiply(gpu_matrix_transpose(q), gpu_matrix_transpose(p));
    check("transposed", gpu_matrix_transpose(t), GPU_FLOAT, s, want);
    free(a);
    free(b);
    free(want);
    free(rounded);
}

/* The bits of floats are those of the loop. Products by gpu_matrix_multiply are not rounded before they are added. */
Test(matrix_multiply, has_the_bits_of_the_loop_in_all_shapes)
{
    gpu *g = test_open();
    for (size_t k = 0; k < COUNT_OF(shapes); k++) {
        gpu_scope *scope = gpu_scope_begin(g);
        check_floats(g, shapes[k]);
        gpu_scope_end(scope);
    }
    test_close(g);
}

/* Sums of whole numbers are exact in any order. */
static void check_vector(gpu *g, size_t rows, size_t columns)
{
    float *x = test_alloc(rows * columns, sizeof *x), *v = test_alloc(columns, sizeof *v);
    test_random_fill(GPU_FLOAT, x, rows * columns, 11);
    test_random_fill(GPU_FLOAT, v, columns, 12);
    const size_t s[] = {rows, columns, 1};
    float *want = multiplied(x, v, s, false);
    gpu_matrix *m = gpu_matrix_of(g, x, rows, columns);
    gpu_array *a = gpu_array_of(g, v, columns);
    test_holds("a vector", gpu_matrix_apply(m, a), GPU_FLOAT, rows, want);
    gpu_array *column = gpu_matrix_column(gpu_matrix_from(gpu_map(a, negative), columns, 1), 0);
    for (size_t k = 0; k < rows; k++) want[k] = -want[k];
    test_holds("a fused one", gpu_matrix_apply(m, column), GPU_FLOAT, rows, want);
    free(x);
    free(v);
    free(want);
}

Test(matrix_multiply, multiplies_by_a_vector)
{
    static const size_t sizes[][2] = {{0, 4}, {1, 1}, {5, 33}, {33, 5}, {17, 1000}, {1000, 17}};
    gpu *g = test_open();
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        gpu_scope *scope = gpu_scope_begin(g);
        check_vector(g, sizes[k][0], sizes[k][1]);
        gpu_scope_end(scope);
    }
    test_close(g);
}

Test(matrix_multiply, every_scalar_type)
{
    enum { ROWS = 18, INNER = 21, COLUMNS = 35, N = ROWS * INNER, M = INNER * COLUMNS, R = ROWS * COLUMNS };
    static unsigned char a[N * 8], b[M * 8], want[R * 8];
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        const gpu_type type = test_scalars[t];
        if (!test_takes_type(t, 1)) continue;
        gpu_scope *scope = gpu_scope_begin(g);
        test_random_fill(type, a, N, 5);
        test_random_fill(type, b, M, 6);
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < COLUMNS; j++) {
                test_number total = test_whole(type, 0);
                for (size_t k = 0; k < INNER; k++) {
                    test_number x = test_get(type, a, i * INNER + k), y = test_get(type, b, k * COLUMNS + j);
                    total = test_apply(TEST_ADD, type, total, test_apply(TEST_MULTIPLY, type, x, y));
                }
                test_put(type, want, i * COLUMNS + j, total);
            }
        const size_t s[] = {ROWS, INNER, COLUMNS};
        gpu_matrix *p = gpu_matrix_from(gpu_array_from(g, type, a, N), ROWS, INNER);
        gpu_matrix *q = gpu_matrix_from(gpu_array_from(g, type, b, M), INNER, COLUMNS);
        check(type->name, gpu_matrix_multiply(p, q), type, s, want);
        gpu_scope_end(scope);
    }
    test_close(g);
}

/* ---- complex numbers ---- */

/* Sums of whole numbers are exact in any order. */
#define CHECK_COMPLEX(g, T, type)                                                                                      \
    {                                                                                                                  \
        static T a[ROWS * INNER], b[INNER * COLUMNS], want[ROWS * COLUMNS], of_vector[ROWS];                           \
        for (int k = 0; k < ROWS * INNER; k++) a[k] = (T){k % 7 - 3, k % 5 - 2};                                       \
        for (int k = 0; k < INNER * COLUMNS; k++) b[k] = (T){k % 9 - 4, k % 4 - 1};                                    \
        for (int e = 0; e < ROWS * COLUMNS; e++)                                                                       \
            for (int k = 0; k < INNER; k++) {                                                                          \
                const T p = a[e / COLUMNS * INNER + k], q = b[k * COLUMNS + e % COLUMNS];                              \
                want[e].x += p.x * q.x - p.y * q.y;                                                                    \
                want[e].y += p.x * q.y + p.y * q.x;                                                                    \
            }                                                                                                          \
        for (int k = 0; k < ROWS; k++) of_vector[k] = want[k * COLUMNS];                                               \
        gpu_matrix *p = gpu_matrix_of(g, a, ROWS, INNER), *q = gpu_matrix_of(g, b, INNER, COLUMNS);                    \
        const size_t s[] = {ROWS, INNER, COLUMNS};                                                                     \
        check("complex numbers", gpu_matrix_multiply(p, q), type, s, want);                                            \
        test_holds("a vector", gpu_matrix_apply(p, gpu_matrix_column(q, 0)), type, ROWS, of_vector);                   \
    }

Test(matrix_multiply, complex_numbers)
{
    enum { ROWS = 18, INNER = 35, COLUMNS = 21 };
    gpu *g = test_open();
    CHECK_COMPLEX(g, gpu_float2, GPU_FLOAT2)
    if (test_has_double()) CHECK_COMPLEX(g, gpu_double2, GPU_DOUBLE2)
    test_close(g);
}

/* ---- other operators ---- */

/* Lines do not commute: a wrong order shows. */
Test(matrix_multiply, in_order)
{
    enum { ROWS = 19, INNER = 45, COLUMNS = 37 };
    gpu *g = test_open();
    line *a = test_alloc(ROWS * INNER, sizeof *a), *b = test_alloc(INNER * COLUMNS, sizeof *b);
    line *want = test_alloc(ROWS * COLUMNS, sizeof *want), *got = test_alloc(ROWS * COLUMNS, sizeof *got);
    for (int k = 0; k < ROWS * INNER; k++) a[k] = line_of(k % 91);
    for (int k = 0; k < INNER * COLUMNS; k++) b[k] = line_of(k % 89);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++)
            for (size_t k = 0; k < INNER; k++) {
                const line term = then(a[i * INNER + k], b[k * COLUMNS + j]);
                want[i * COLUMNS + j] = k ? then(want[i * COLUMNS + j], term) : term;
            }
    gpu_matrix *p = gpu_matrix_from(gpu_array_from(g, GPU_TYPE(line), a, ROWS * INNER), ROWS, INNER);
    gpu_matrix *q = gpu_matrix_from(gpu_array_from(g, GPU_TYPE(line), b, INNER * COLUMNS), INNER, COLUMNS);
    test_ok(gpu_matrix_read(gpu_matrix_multiply_by(p, q, after, then), got));
    cr_assert(!memcmp(got, want, ROWS * COLUMNS * sizeof *got));
    free(a);
    free(b);
    free(want);
    free(got);
    test_close(g);
}

Test(matrix_multiply, large_structs)
{
    enum { N = 11 };
    static wide a[N * N], b[N * N], want[N * N], got[N * N];
    gpu *g = test_open();
    for (int e = 0; e < N * N; e++)
        for (int k = -1; k < 40; k++) {
            *(k < 0 ? &a[e].first : &a[e].others[k]) = e % 7 + k;
            *(k < 0 ? &b[e].first : &b[e].others[k]) = e % 5 - k;
        }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            for (size_t k = 0; k < N; k++) {
                const wide term = widest(a[i * N + k], b[k * N + j]);
                want[i * N + j] = k ? folded(want[i * N + j], term) : term;
            }
    gpu_matrix *p = gpu_matrix_from(gpu_array_from(g, GPU_TYPE(wide), a, N * N), N, N);
    gpu_matrix *q = gpu_matrix_from(gpu_array_from(g, GPU_TYPE(wide), b, N * N), N, N);
    test_ok(gpu_matrix_read(gpu_matrix_multiply_by(p, q, widest, folded), got));
    cr_assert(!memcmp(got, want, sizeof got));
    test_close(g);
}

/* Shortest paths, with a captured value. */
static void check_paths(gpu *g, bool as_text)
{
    enum { ROWS = 30, INNER = 20, COLUMNS = 40 };
    const size_t s[] = {ROWS, INNER, COLUMNS};
    const float by = 2;
    float *a = some_floats(ROWS * INNER, 7), *b = some_floats(INNER * COLUMNS, 8), want[ROWS * COLUMNS];
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++) {
            want[i * COLUMNS + j] = INFINITY;
            for (size_t k = 0; k < INNER; k++)
                want[i * COLUMNS + j] = fminf(want[i * COLUMNS + j], a[i * INNER + k] + by * b[k * COLUMNS + j]);
        }
    gpu_matrix *p = gpu_matrix_of(g, a, ROWS, INNER), *q = gpu_matrix_of(g, b, INNER, COLUMNS);
    check("paths",
          as_text ? gpu_matrix_multiply_by(p, q, "x + by * y", "fmin(a, b)", GPU_ARG(by))
                  : gpu_matrix_multiply_by(p, q, distance, smaller, GPU_ARG(by)),
          GPU_FLOAT, s, want);
    free(a);
    free(b);
}

Test(matrix_multiply, follows_functions)
{
    gpu *g = test_open();
    check_paths(g, false);
    test_close(g);
}

Test(matrix_multiply, follows_texts)
{
    gpu *g = test_open();
    check_paths(g, true);
    test_close(g);
}

Test(matrix_multiply, captured_arrays)
{
    gpu *g = test_open();
    const size_t s[] = {2, 3, 2};
    const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {6, 5, 4, 3, 2, 1}, factors[] = {2, -1}, want[] = {0, 3, 18, 21};
    gpu_array *table = gpu_map(gpu_array_of(g, factors, 2), "x");
    gpu_matrix *m =
        gpu_matrix_multiply_by(gpu_matrix_of(g, a, 2, 3), gpu_matrix_of(g, b, 3, 2), chosen, sum, GPU_ARG(table));
    check("captured", m, GPU_FLOAT, s, want);
    test_close(g);
}

/* ---- fused inputs ---- */

/* Maps that use places, views, and the same matrix on both sides. */
Test(matrix_multiply, reads_maps_and_views_of_both_factors)
{
    enum { N = 37 };
    const size_t s[] = {N, N, N};
    gpu *g = test_open();
    float *a = some_floats(N * N, 9), x[N * N], y[N * N];
    for (size_t k = 0; k < N * N; k++) x[k] = a[k] + (float)(k / N) * 0.25f - (float)(k % N);
    for (size_t k = 0; k < N * N; k++) y[k] = x[(N - 1 - k % N) * N + k / N];
    gpu_matrix *m = gpu_matrix_map(gpu_matrix_of(g, a, N, N), plus_place);
    gpu_matrix *v = gpu_matrix_transpose(gpu_matrix_flip_rows(gpu_matrix_map(gpu_matrix_of(g, a, N, N), plus_place)));
    float *want = multiplied(x, y, s, true), *square = multiplied(x, x, s, true);
    check("a map and a view", gpu_matrix_multiply(m, v), GPU_FLOAT, s, want);
    check("a square", gpu_matrix_multiply(m, m), GPU_FLOAT, s, square);
    free(a);
    free(want);
    free(square);
    test_close(g);
}

static gpu_status (*chain)(gpu_array **out, const gpu_array *a, const gpu_array *v);

Test(matrix_multiply, is_a_step_of_a_compiled_function)
{
    enum { N = 12 };
    gpu *g = test_open();
    gpu_array *a = gpu_symbol(g, GPU_FLOAT), *v = gpu_symbol(g, GPU_FLOAT), *out;
    gpu_matrix *m = gpu_matrix_from(a, N, N);
    test_ok(gpu_compile(&chain, gpu_matrix_apply(gpu_matrix_multiply(m, gpu_matrix_transpose(m)), v), a, v));
    const size_t s[] = {N, N, N}, column[] = {N, N, 1};
    for (uint64_t seed = 1; seed < 4; seed++) {
        float *x = some_floats(N * N, seed), *w = some_floats(N, seed + 9), t[N * N];
        for (size_t k = 0; k < N * N; k++) t[k] = x[k % N * N + k / N];
        float *square = multiplied(x, t, s, true), *want = multiplied(square, w, column, false);
        test_ok(chain(&out, gpu_array_of(g, x, N * N), gpu_array_of(g, w, N)));
        test_holds("compiled", out, GPU_FLOAT, N, want);
        test_fails(GPU_E_ARGUMENT, chain(&out, gpu_array_of(g, x, N * N), gpu_array_of(g, w, N - 1)));
        test_has(gpu_error(), "the matrix has 12 columns, and the array has 11 elements: they must be as many");
        free(x);
        free(w);
        free(square);
        free(want);
    }
    test_close(g);
}

static gpu_status (*weighted)(gpu_array **out, const gpu_array *a, const gpu_array *table);

/* The map reads a captured array that comes later, and its length. */
Test(matrix_multiply, compiled_captures)
{
    gpu *g = test_open();
    gpu_array *a = gpu_symbol(g, GPU_FLOAT), *table = gpu_symbol(g, GPU_FLOAT), *out;
    gpu_matrix *m = gpu_matrix_from(a, 2, 2);
    gpu_matrix *n = gpu_matrix_multiply_by(m, m, chosen, sum, GPU_ARG(table));
    test_ok(gpu_compile(&weighted, gpu_matrix_array(n), a, table));
    const float x[] = {1, 2, 3, 4};
    for (int round = 1; round < 4; round++) {
        const float factors[] = {(float)round, 10}, r = (float)round;
        const float want[] = {3 * r + 40, 3 * r + 60, 7 * r + 40, 7 * r + 60};
        test_ok(weighted(&out, gpu_array_of(g, x, 4), gpu_array_of(g, factors, 2)));
        test_holds("weighted", out, GPU_FLOAT, 4, want);
    }
    test_close(g);
}

/* A text may read the length of a captured array. */
Test(matrix_multiply, captured_lengths)
{
    gpu *g = test_open();
    gpu_array *a = gpu_symbol(g, GPU_FLOAT), *table = gpu_symbol(g, GPU_FLOAT), *out;
    gpu_matrix *m = gpu_matrix_from(a, 2, 2);
    gpu_matrix *n = gpu_matrix_multiply_by(m, m, "x * y + table_length", "a + b + table[0]", GPU_ARG(table));
    test_ok(gpu_compile(&weighted, gpu_matrix_array(n), a, table));
    const float x[] = {1, 2, 3, 4}, factors[] = {5, 6, 7}, want[] = {18, 21, 26, 33};
    for (int round = 0; round < 2; round++) {
        test_ok(weighted(&out, gpu_array_of(g, x, 4), gpu_array_of(g, factors, 3)));
        test_holds("lengths", out, GPU_FLOAT, 4, want);
    }
    test_close(g);
}

/* ---- no elements, and errors ---- */

Test(matrix_multiply, no_inner_dimension)
{
    gpu *g = test_open();
    const float none[1] = {0}, zeros[6] = {0};
    const size_t s[] = {2, 0, 3};
    gpu_matrix *a = gpu_matrix_of(g, none, 2, 0), *b = gpu_matrix_of(g, none, 0, 3);
    check("zeros", gpu_matrix_multiply(a, b), GPU_FLOAT, s, zeros);
    gpu_matrix *m = gpu_matrix_multiply_by(a, b, product, smaller);
    test_fails(GPU_E_EMPTY, gpu_matrix_status(m));
    test_has(gpu_matrix_error(m), "the inner dimension is 0 and the operator has no known identity");
    test_close(g);
}

static void check_error(gpu_status status, const char *text, const gpu_matrix *m)
{
    test_fails(status, gpu_matrix_status(m));
    test_has(gpu_matrix_error(m), text);
}

Test(matrix_multiply, refuses_wrong_arguments)
{
    gpu *g = test_open();
    const float x[] = {1, 2, 3, 4, 5, 6};
    const int y[] = {1, 2, 3, 4, 5, 6};
    gpu_matrix *m = gpu_matrix_of(g, x, 2, 3), *t = gpu_matrix_transpose(m);
    check_error(GPU_E_ARGUMENT, "the matrix 'a' has 3 columns, and 'b' has 2 rows: they must be as many",
                gpu_matrix_multiply(m, m));
    check_error(GPU_E_TYPE, "the elements of 'a' are float, and those of 'b' are int",
                gpu_matrix_multiply(m, gpu_matrix_of(g, y, 3, 2)));
    check_error(GPU_E_ARGUMENT, "the matrix 'b' is NULL", gpu_matrix_multiply(m, NULL));
    check_error(GPU_E_ARGUMENT, "has a parameter 'by' that is no operand", gpu_matrix_multiply_by(m, t, distance, sum));
    gpu_matrix *wide = gpu_matrix_from(gpu_fill(g, GPU_FLOAT4, (&(gpu_float4){1, 2, 3, 4}), 4), 2, 2);
    check_error(GPU_E_TYPE, "gpu_matrix_multiply takes scalars and complex numbers", gpu_matrix_multiply(wide, wide));
    gpu_array *short_one = gpu_matrix_apply(m, gpu_array_of(g, x, 2));
    test_array_fails(GPU_E_ARGUMENT, short_one);
    test_has(gpu_array_error(short_one), "the matrix has 3 columns, and the array has 2 elements");
    test_close(g);
}
