/* Square matrices of the first elements: products by two kinds of operators, a transpose, sums of rows and columns, a
 * stencil. n elements make a matrix with the square root of n, rounded down, for its side. */
#include "../op.h"

#include <math.h>
#include <string.h>

size_t bench_side(size_t n)
{
    size_t side = (size_t)sqrt((double)n);
    while (side * side > n) side--;
    while ((side + 1) * (side + 1) <= n) side++;
    return side;
}

static gpu_matrix *square(const gpu_array *in)
{
    const size_t side = bench_side(gpu_length(in));
    gpu_array *first = gpu_slice(in, 0, side * side);
    gpu_matrix *m = gpu_matrix_from(first, side, side);
    gpu_array_free(first);
    return m;
}

/* The elements of `made`, which is made of m. */
static gpu_array *elements_of(gpu_matrix *made, gpu_matrix *m)
{
    gpu_array *a = gpu_matrix_array(made);
    gpu_matrix_free(made);
    gpu_matrix_free(m);
    return a;
}

/* ---- products of a matrix with itself ---- */

/* PRODUCT(name, value at first, next value): row by row, so that compilers vectorise the inner loop. */
#define PRODUCT(name, start, next)                                                                                     \
    size_t name(const void *elements, size_t n, void *out)                                                             \
    {                                                                                                                  \
        const size_t side = bench_side(n);                                                                             \
        const float *a = elements;                                                                                     \
        float *c = out;                                                                                                \
        for (size_t i = 0; i < side * side; i++) c[i] = start;                                                         \
        for (size_t i = 0; i < side; i++)                                                                              \
            for (size_t k = 0; k < side; k++)                                                                          \
                for (size_t j = 0; j < side; j++) {                                                                    \
                    const float x = a[i * side + k], y = a[k * side + j], before = c[i * side + j];                    \
                    c[i * side + j] = next;                                                                            \
                }                                                                                                      \
        return side * side;                                                                                            \
    }                                                                                                                  \
    extern const char product_ends_

PRODUCT(bench_multiply, 0, before + x * y);
static PRODUCT(min_plus_reference, INFINITY, x + y < before ? x + y : before);

static gpu_array *multiply(const gpu_array *in)
{
    gpu_matrix *m = square(in);
    return elements_of(gpu_matrix_multiply(m, m), m);
}

static gpu_array *min_plus(const gpu_array *in)
{
    gpu_matrix *m = square(in);
    return elements_of(gpu_matrix_multiply_by(m, m, "x + y", "fmin(a, b)"), m);
}

/* ---- rows and columns ---- */

static gpu_array *transpose(const gpu_array *in)
{
    gpu_matrix *m = square(in);
    return elements_of(gpu_matrix_transpose(m), m);
}

static size_t transpose_reference(const void *elements, size_t n, void *out)
{
    const size_t side = bench_side(n);
    const float *x = elements;
    float *y = out;
    for (size_t i = 0; i < side * side; i++) y[i % side * side + i / side] = x[i];
    return side * side;
}

static gpu_array *add_rows(const gpu_array *in)
{
    gpu_matrix *m = square(in);
    gpu_array *sums = gpu_matrix_reduce_rows(m, "a + b");
    gpu_matrix_free(m);
    return sums;
}

static gpu_array *add_columns(const gpu_array *in)
{
    gpu_matrix *m = square(in);
    gpu_array *sums = gpu_matrix_reduce_columns(m, "a + b");
    gpu_matrix_free(m);
    return sums;
}

static size_t add_up(const float *x, size_t side, size_t row_step, size_t column_step, float *sums)
{
    memset(sums, 0, side * sizeof *sums);
    for (size_t i = 0; i < side * side; i++) sums[i / side * row_step + i % side * column_step] += x[i];
    return side;
}

static size_t rows_reference(const void *elements, size_t n, void *out)
{
    return add_up(elements, bench_side(n), 1, 0, out);
}

static size_t columns_reference(const void *elements, size_t n, void *out)
{
    return add_up(elements, bench_side(n), 0, 1, out);
}

/* ---- neighbours ---- */

static gpu_array *diffuse(const gpu_array *in)
{
    gpu_matrix *m = square(in);
    const char *text = "at(0, 0) + 0.25f * (at(-1, 0) + at(0, -1) + at(0, 1) + at(1, 0) - 4 * at(0, 0))";
    return elements_of(gpu_matrix_stencil(m, 1, GPU_EDGE_CLAMP, text), m);
}

static size_t diffuse_reference(const void *elements, size_t n, void *out)
{
    const size_t side = bench_side(n), last = side - 1;
    const float *x = elements;
    float *y = out;
    for (size_t i = 0; i < side * side; i++) {
        const size_t row = i / side, column = i % side;
        const float above = x[row ? i - side : i], below = x[row < last ? i + side : i];
        const float left = x[column ? i - 1 : i], right = x[column < last ? i + 1 : i];
        y[i] = x[i] + 0.25f * (above + left + right + below - 4 * x[i]);
    }
    return side * side;
}

/* ---- all of them ---- */

/* A product of 2048 rows takes plain C several seconds. */
enum { MOST = 1 << 22, MOST_ON_CPU = 1 << 20 };

#define FLOATS .type = GPU_FLOAT, .result = sizeof(float), .generate = bench_generate_float

BENCH_OP(op_multiply, FLOATS, .name = "multiply", .bytes = 2 * sizeof(float), .array = multiply,
         .reference = bench_multiply, .most = MOST, .most_on_cpu = MOST_ON_CPU);
BENCH_OP(op_min_plus, FLOATS, .name = "min_plus", .bytes = 2 * sizeof(float), .array = min_plus,
         .reference = min_plus_reference, .most = MOST, .most_on_cpu = MOST_ON_CPU);
BENCH_OP(op_transpose, FLOATS, .name = "transpose", .bytes = 2 * sizeof(float), .array = transpose,
         .reference = transpose_reference);
BENCH_OP(op_reduce_rows, FLOATS, .name = "reduce_rows", .bytes = sizeof(float), .array = add_rows,
         .reference = rows_reference);
BENCH_OP(op_reduce_columns, FLOATS, .name = "reduce_columns", .bytes = sizeof(float), .array = add_columns,
         .reference = columns_reference);
BENCH_OP(op_matrix_stencil, FLOATS, .name = "matrix_stencil", .bytes = 2 * sizeof(float), .array = diffuse,
         .reference = diffuse_reference);
