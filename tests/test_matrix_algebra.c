/* Conjugate transposes and cross products. */
#include "support/host.h"
#include "support/reference.h"

#include <stdlib.h>

GPU_FUNCTION(float, halved, (float x), { return x / 2; });

static void check_error(gpu_status status, const char *text, const gpu_matrix *m)
{
    test_fails(status, gpu_matrix_status(m));
    test_has(gpu_matrix_error(m), text);
}

/* ---- conjugate transposes ---- */

static void check_conjugates(gpu *g, size_t rows, size_t columns)
{
    const size_t n = rows * columns;
    gpu_float2 *x = test_alloc(n, sizeof *x), *want = test_alloc(n, sizeof *x);
    test_random_fill(GPU_FLOAT2, x, n, 3);
    for (size_t k = 0; k < n; k++) {
        want[k] = x[k % rows * columns + k / rows];
        want[k].y = -want[k].y;
    }
    gpu_matrix *m = gpu_matrix_of(g, x, rows, columns), *t = gpu_matrix_conjugate_transpose(m);
    cr_assert(gpu_matrix_rows(t) == columns && gpu_matrix_columns(t) == rows);
    test_holds("conjugates", gpu_matrix_array(t), GPU_FLOAT2, n, want);
    test_holds("twice", gpu_matrix_array(gpu_matrix_conjugate_transpose(t)), GPU_FLOAT2, n, x);
    free(x);
    free(want);
}

Test(matrix_algebra, conjugate_transposes)
{
    static const size_t shapes[][2] = {{0, 3}, {1, 1}, {3, 2}, {17, 65}, {300, 300}};
    gpu *g = test_open();
    for (size_t k = 0; k < COUNT_OF(shapes); k++) check_conjugates(g, shapes[k][0], shapes[k][1]);
    test_close(g);
}

Test(matrix_algebra, conjugate_transposes_of_doubles)
{
    gpu *g = test_open();
    if (!test_has_double()) cr_skip_test("the device has no doubles");
    const gpu_double2 x[] = {{1, 2}, {3, -4}}, want[] = {{1, -2}, {3, 4}};
    gpu_matrix *m = gpu_matrix_conjugate_transpose(gpu_matrix_of(g, x, 1, 2));
    test_holds("doubles", gpu_matrix_array(m), GPU_DOUBLE2, 2, want);
    test_close(g);
}

/* The product of a matrix and its conjugate transpose: the conjugates are fused into it. */
Test(matrix_algebra, conjugates_in_products)
{
    gpu *g = test_open();
    const gpu_float2 x[] = {{1, 2}, {3, -1}}, want[] = {{15, 0}};
    gpu_matrix *m = gpu_matrix_of(g, x, 1, 2);
    gpu_matrix *p = gpu_matrix_multiply(m, gpu_matrix_conjugate_transpose(m));
    test_holds("a product", gpu_matrix_array(p), GPU_FLOAT2, 1, want);
    test_close(g);
}

Test(matrix_algebra, conjugate_transposes_of_scalars)
{
    gpu *g = test_open();
    const int x[] = {1, 2, 3, 4, 5, 6}, want[] = {1, 4, 2, 5, 3, 6};
    gpu_matrix *m = gpu_matrix_conjugate_transpose(gpu_matrix_of(g, x, 2, 3));
    test_holds("scalars", gpu_matrix_array(m), GPU_INT, 6, want);
    test_close(g);
}

Test(matrix_algebra, conjugate_transposes_of_other_types)
{
    gpu *g = test_open();
    const gpu_int2 pairs[] = {{1, 2}};
    const gpu_float4 wide[] = {{1, 2, 3, 4}};
    const char *text = "they must be scalars or complex numbers";
    check_error(GPU_E_TYPE, text, gpu_matrix_conjugate_transpose(gpu_matrix_of(g, pairs, 1, 1)));
    check_error(GPU_E_TYPE, text, gpu_matrix_conjugate_transpose(gpu_matrix_of(g, wide, 1, 1)));
    test_fails(GPU_E_ARGUMENT, gpu_matrix_status(gpu_matrix_conjugate_transpose(NULL)));
    test_close(g);
}

/* ---- cross products ---- */

/* Numbers of 8 bits wrap around. */
static void check_cross(gpu *g, gpu_type type, size_t n)
{
    unsigned char *a = test_alloc(3 * n, type->size), *b = test_alloc(3 * n, type->size);
    unsigned char *want = test_alloc(3 * n, type->size);
    test_random_fill(type, a, 3 * n, 7);
    test_random_fill(type, b, 3 * n, 8);
    for (size_t k = 0; k < 3 * n; k++) {
        const size_t row = k / 3 * 3, next = row + (k + 1) % 3, last = row + (k + 2) % 3;
        const test_number x = test_apply(TEST_MULTIPLY, type, test_get(type, a, next), test_get(type, b, last));
        const test_number y = test_apply(TEST_MULTIPLY, type, test_get(type, a, last), test_get(type, b, next));
        const test_number minus = test_apply(TEST_MULTIPLY, type, test_whole(type, -1), y);
        test_put(type, want, k, test_apply(TEST_ADD, type, x, minus));
    }
    gpu_matrix *p = gpu_matrix_from(gpu_array_from(g, type, a, 3 * n), n, 3);
    gpu_matrix *q = gpu_matrix_from(gpu_array_from(g, type, b, 3 * n), n, 3), *c = gpu_matrix_cross(p, q);
    cr_assert(gpu_matrix_rows(c) == n && gpu_matrix_columns(c) == 3);
    test_holds(type->name, gpu_matrix_array(c), type, 3 * n, want);
    free(a);
    free(b);
    free(want);
}

Test(matrix_algebra, cross_products_of_every_type)
{
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++)
        if (test_scalars[t] != GPU_DOUBLE || test_has_double()) check_cross(g, test_scalars[t], 5);
    test_close(g);
}

Test(matrix_algebra, cross_products_of_many_vectors)
{
    static const size_t sizes[] = {0, 1, 2, 341, 342, 5000};
    gpu *g = test_open();
    for (size_t k = 0; k < COUNT_OF(sizes); k++) check_cross(g, GPU_INT, sizes[k]);
    test_close(g);
}

/* Maps and views of one matrix on both sides. */
Test(matrix_algebra, cross_products_of_views)
{
    gpu *g = test_open();
    const float x[] = {2, 4, 6, 8, 10, 14}, want[] = {-1, 5, -3, 1, -5, 3};
    gpu_matrix *m = gpu_matrix_map(gpu_matrix_of(g, x, 2, 3), halved);
    test_holds("views", gpu_matrix_array(gpu_matrix_cross(m, gpu_matrix_flip_rows(m))), GPU_FLOAT, 6, want);
    test_close(g);
}

static gpu_status (*compiled)(gpu_array **out, const gpu_array *a, const gpu_array *b);

Test(matrix_algebra, compiled_functions)
{
    gpu *g = test_open();
    const int x[] = {1, 0, 0, 0, 1, 0}, y[] = {0, 1, 0, 0, 0, 1}, want[] = {0, 0, 1, 1, 0, 0};
    gpu_array *a = gpu_symbol(g, GPU_INT), *b = gpu_symbol(g, GPU_INT), *out;
    gpu_matrix *p = gpu_matrix_from(a, 2, 3), *q = gpu_matrix_conjugate_transpose(gpu_matrix_from(b, 3, 2));
    test_ok(gpu_compile(&compiled, gpu_matrix_array(gpu_matrix_cross(p, q)), a, b));
    const int turned[] = {y[0], y[3], y[1], y[4], y[2], y[5]};
    for (int round = 0; round < 2; round++) {
        test_ok(compiled(&out, gpu_array_of(g, x, 6), gpu_array_of(g, turned, 6)));
        test_holds("compiled", out, GPU_INT, 6, want);
    }
    test_close(g);
}

Test(matrix_algebra, cross_products_that_do_not_fit)
{
    gpu *g = test_open();
    const float x[] = {1, 2, 3, 4, 5, 6};
    const int y[] = {1, 2, 3, 4, 5, 6};
    gpu_matrix *m = gpu_matrix_of(g, x, 2, 3), *t = gpu_matrix_transpose(m);
    const char *text = "they need rows of three, and as many";
    check_error(GPU_E_ARGUMENT, text, gpu_matrix_cross(t, t));
    check_error(GPU_E_ARGUMENT, "the matrices 'a' and 'b' are 2 by 3 and 1 by 3",
                gpu_matrix_cross(m, gpu_matrix_of(g, x, 1, 3)));
    check_error(GPU_E_TYPE, "the elements of 'a' are float, and those of 'b' are int",
                gpu_matrix_cross(m, gpu_matrix_of(g, y, 2, 3)));
    const gpu_float2 z[] = {{1, 0}, {2, 0}, {3, 0}};
    gpu_matrix *pairs = gpu_matrix_of(g, z, 1, 3);
    check_error(GPU_E_TYPE, "the elements are float2: they must be scalars", gpu_matrix_cross(pairs, pairs));
    check_error(GPU_E_ARGUMENT, "the matrix 'b' is NULL", gpu_matrix_cross(m, NULL));
    check_error(GPU_E_ARGUMENT, "the matrix 'a' is NULL", gpu_matrix_cross(NULL, m));
    check_error(GPU_E_RANGE, "gpu_matrix_block", gpu_matrix_cross(m, gpu_matrix_block(m, 1, 0, 2, 3)));
    test_close(g);
}
