/* Operations along rows and columns of matrices: reductions, scans, sorts, and outer products. Operators are functions,
 * so that the host device runs the tests too. */
#include "support/functions.h"
#include "support/host.h"
#include "support/line.h"
#include "support/reference.h"

#include <stdlib.h>
#include <string.h>

GPU_FUNCTION(int, plus, (int a, int b), { return a + b; });
GPU_FUNCTION(int, largest, (int a, int b), { return a > b ? a : b; });
GPU_FUNCTION(int, tripled, (int x), { return 3 * x; });
GPU_FUNCTION(int, paired, (int x, int y, uint64_t row, uint64_t column, int by),
             { return x * by - y + (int)(1000 * row + column); });
GPU_FUNCTION(float, scaled, (float x, int y), { return x * y; });
GPU_FUNCTION(int, weighed, (int x, int y, GPU_GLOBAL const int *table), { return x * y + table[1]; });

static const size_t shapes[][2] = {{0, 5},    {1, 1},    {3, 1},    {1, 7},    {17, 33},
                                   {100, 99}, {4, 3000}, {3000, 4}, {300, 300}};

static gpu_matrix *lines_matrix(gpu *g, const line *x, size_t rows, size_t columns)
{
    return gpu_matrix_from(gpu_array_from(g, GPU_TYPE(line), x, rows * columns), rows, columns);
}

static void check_lines(const char *what, const gpu_array *a, const line *want, size_t n)
{
    line *got = test_alloc(n, sizeof *got);
    size_t count;
    test_ok(gpu_read_n(a, got, n, &count));
    cr_assert_eq(count, n, "%s: %zu values", what, count);
    cr_assert(!memcmp(got, want, n * sizeof *got), "%s", what);
    free(got);
}

/* Lines do not commute. `scans` has the running values; the last of each row or column is its reduction. */
static void check_shape(gpu *g, size_t rows, size_t columns)
{
    const size_t n = rows * columns;
    line *x = test_alloc(n, sizeof *x), *along = test_alloc(n, sizeof *x), *down = test_alloc(n, sizeof *x);
    line *of_rows = test_alloc(rows, sizeof *x), *of_columns = test_alloc(columns, sizeof *x);
    for (size_t k = 0; k < n; k++) x[k] = line_of((int)(k % 97));
    for (size_t k = 0; k < n; k++) {
        along[k] = k % columns ? then(along[k - 1], x[k]) : x[k];
        down[k] = k >= columns ? then(down[k - columns], x[k]) : x[k];
        of_rows[k / columns] = along[k];
        of_columns[k % columns] = down[k];
    }
    gpu_matrix *m = lines_matrix(g, x, rows, columns);
    check_lines("rows", gpu_matrix_reduce_rows(m, then), of_rows, rows);
    if (rows) check_lines("columns", gpu_matrix_reduce_columns(m, then), of_columns, columns);
    check_lines("along rows", gpu_matrix_array(gpu_matrix_scan_rows(m, then)), along, n);
    check_lines("down columns", gpu_matrix_array(gpu_matrix_scan_columns(m, then)), down, n);
    free(x);
    free(along);
    free(down);
    free(of_rows);
    free(of_columns);
}

Test(matrix_rows, reductions_and_scans)
{
    gpu *g = test_open();
    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        gpu_scope *scope = gpu_scope_begin(g);
        check_shape(g, shapes[s][0], shapes[s][1]);
        gpu_scope_end(scope);
    }
    test_close(g);
}

/* Maps are fused into the reduction, and follow it. */
Test(matrix_rows, maps_are_fused_and_may_follow)
{
    gpu *g = test_open();
    const int x[] = {1, 5, 3, 4, 2, 6}, rows[] = {27, 36}, columns[] = {12, 15, 18}, scan[] = {3, 18, 27, 12, 18, 36};
    gpu_matrix *m = gpu_matrix_map(gpu_matrix_of(g, x, 2, 3), tripled), *t = gpu_matrix_transpose(m);
    test_holds("rows", gpu_matrix_reduce_rows(m, plus), GPU_INT, 2, rows);
    test_holds("columns of the transpose", gpu_matrix_reduce_columns(t, plus), GPU_INT, 2, rows);
    test_holds("columns", gpu_matrix_reduce_columns(m, largest), GPU_INT, 3, columns);
    test_holds("a scan", gpu_matrix_array(gpu_matrix_scan_rows(m, plus)), GPU_INT, 6, scan);
    const int mapped[] = {81, 108};
    test_holds("mapped", gpu_map(gpu_matrix_reduce_rows(m, plus), tripled), GPU_INT, 2, mapped);
    test_close(g);
}

/* ---- columns ---- */

enum { TALL = 900, WIDE = 70 };

static int *tall_elements(void)
{
    int *x = test_alloc(TALL * WIDE, sizeof *x);
    for (int k = 0; k < TALL * WIDE; k++) x[k] = k * 31 % 997;
    return x;
}

/* Sums of the columns from the first of `rows` rows, in which columns are from `left` on. */
static void sum_columns(const int *x, size_t left, size_t rows, size_t columns, int *sums)
{
    memset(sums, 0, columns * sizeof *sums);
    for (size_t k = 0; k < rows * columns; k++) sums[k % columns] += x[k / columns * WIDE + left + k % columns];
}

Test(matrix_rows, columns_of_a_block)
{
    gpu *g = test_open();
    int *x = tall_elements(), want[50];
    gpu_matrix *m = gpu_matrix_block(gpu_matrix_of(g, x, TALL, WIDE), 10, 20, 800, 50);
    sum_columns(x + 10 * WIDE, 20, 800, 50, want);
    test_holds("a block", gpu_matrix_reduce_columns(m, plus), GPU_INT, 50, want);
    free(x);
    test_close(g);
}

Test(matrix_rows, columns_of_a_flipped_matrix)
{
    gpu *g = test_open();
    int *x = tall_elements(), want[WIDE];
    gpu_matrix *m = gpu_matrix_flip_columns(gpu_matrix_of(g, x, TALL, WIDE));
    for (int c = 0; c < WIDE; c++) sum_columns(x, WIDE - 1 - c, TALL, 1, want + c);
    test_holds("flipped", gpu_matrix_reduce_columns(m, plus), GPU_INT, WIDE, want);
    free(x);
    test_close(g);
}

Test(matrix_rows, columns_of_a_mapped_transpose)
{
    gpu *g = test_open();
    int *x = tall_elements(), want[TALL];
    gpu_matrix *m = gpu_matrix_map(gpu_matrix_transpose(gpu_matrix_of(g, x, TALL, WIDE)), tripled);
    memset(want, 0, sizeof want);
    for (int k = 0; k < TALL * WIDE; k++) want[k / WIDE] += 3 * x[k];
    test_holds("transposed", gpu_matrix_reduce_columns(m, plus), GPU_INT, TALL, want);
    free(x);
    test_close(g);
}

/* Up to 32 rows that may round are added one after the other. */
Test(matrix_rows, few_rows_have_the_bits_of_a_loop)
{
    enum { ROWS = 32, COLUMNS = 150 };
    gpu *g = test_open();
    float x[ROWS * COLUMNS], want[COLUMNS] = {0};
    for (int k = 0; k < ROWS * COLUMNS; k++) x[k] = 1.0f / (float)(k % 89 + 1);
    for (int k = 0; k < ROWS * COLUMNS; k++) want[k % COLUMNS] += x[k];
    gpu_matrix *m = gpu_matrix_of(g, x, ROWS, COLUMNS);
    test_holds("sums", gpu_matrix_reduce_columns(m, "a + b"), GPU_FLOAT, COLUMNS, want);
    test_close(g);
}

/* Rows without elements have the identity, if it is known. */
Test(matrix_rows, no_elements)
{
    gpu *g = test_open();
    const int none[1] = {0}, zeros[4] = {0};
    gpu_matrix *m = gpu_matrix_of(g, none, 4, 0);
    gpu_array *sums = gpu_matrix_reduce_rows(m, "a + b"), *wrong = gpu_matrix_reduce_rows(m, largest);
    test_holds("sums", sums, GPU_INT, 4, zeros);
    test_holds("no columns", gpu_matrix_reduce_columns(m, largest), GPU_INT, 0, none);
    test_array_fails(GPU_E_EMPTY, wrong);
    test_has(gpu_array_error(wrong), " without elements, and the operator has no known identity");
    cr_assert_eq(gpu_matrix_rows(gpu_matrix_scan_rows(m, plus)), 4);
    cr_assert_eq(gpu_matrix_rows(gpu_matrix_sort_rows(m)), 4);
    test_close(g);
}

/* ---- sort ---- */

Test(matrix_rows, sorts_rows_of_all_types)
{
    enum { MOST = 90000 };
    static unsigned char x[MOST * 8], want[MOST * 8];
    static uint64_t order[MOST];
    gpu *g = test_open();
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        for (size_t t = 0; t < TEST_SCALARS; t++) {
            const size_t rows = shapes[s][0], columns = shapes[s][1], n = rows * columns;
            const gpu_type type = test_scalars[t];
            if (!test_takes_type(t, 0) || n > test_limit(MOST)) continue;
            gpu_scope *scope = gpu_scope_begin(g);
            test_pattern_fill(TEST_EXTREMES, type, x, n, 5);
            for (size_t r = 0; r < rows; r++) {
                test_order(type, x + r * columns * type->size, columns, test_ascending, order);
                test_gather(type, x + r * columns * type->size, order, columns, want + r * columns * type->size);
            }
            gpu_matrix *m = gpu_matrix_from(gpu_array_from(g, type, x, n), rows, columns);
            test_holds(type->name, gpu_matrix_array(gpu_matrix_sort_rows(m)), type, n, want);
            gpu_scope_end(scope);
        }
    test_close(g);
}

/* ---- outer products ---- */

Test(matrix_rows, combines_each_of_one_with_each_of_another)
{
    enum { ROWS = 21, COLUMNS = 34 };
    gpu *g = test_open();
    const int by = 5;
    int x[ROWS], y[COLUMNS], want[ROWS * COLUMNS];
    float halves[ROWS], products[ROWS * COLUMNS];
    for (int k = 0; k < ROWS; k++) x[k] = k * k;
    for (int k = 0; k < ROWS; k++) halves[k] = (float)k / 2;
    for (int k = 0; k < COLUMNS; k++) y[k] = 7 - k;
    for (int k = 0; k < ROWS * COLUMNS; k++) {
        const int row = k / COLUMNS, column = k % COLUMNS;
        want[k] = 3 * x[row] * by - 3 * y[column] + 1000 * row + column;
        products[k] = halves[row] * (float)y[column];
    }
    gpu_array *a = gpu_map(gpu_array_of(g, x, ROWS), tripled), *b = gpu_map(gpu_array_of(g, y, COLUMNS), tripled);
    gpu_matrix *m = gpu_matrix_outer(a, b, paired, GPU_ARG(by));
    cr_assert_eq(gpu_matrix_rows(m), ROWS);
    cr_assert_eq(gpu_matrix_columns(m), COLUMNS);
    test_holds("outer", gpu_matrix_array(m), GPU_INT, ROWS * COLUMNS, want);
    m = gpu_matrix_outer(gpu_array_of(g, halves, ROWS), gpu_array_of(g, y, COLUMNS), scaled);
    test_holds("two types", gpu_matrix_array(m), GPU_FLOAT, ROWS * COLUMNS, products);
    const int table[] = {0, 0, 0, 4}, few[] = {0, 1, 2, 3};
    gpu_array *even = gpu_filter(gpu_array_of(g, few, 4), is_even);
    test_holds("a selection", gpu_matrix_array(gpu_matrix_outer(even, even, "x * y")), GPU_INT, 4, table);
    cr_assert_eq(gpu_matrix_rows(gpu_matrix_outer(gpu_array_of(g, few, 0), even, "x * y")), 0);
    test_close(g);
}

/* ---- compiled, and errors ---- */

static gpu_status (*chain)(gpu_array **out, const gpu_array *x);

Test(matrix_rows, are_steps_of_a_compiled_function)
{
    gpu *g = test_open();
    gpu_array *x = gpu_symbol(g, GPU_INT), *out;
    gpu_matrix *m = gpu_matrix_scan_columns(gpu_matrix_sort_rows(gpu_matrix_from(x, 2, 3)), plus);
    test_ok(gpu_compile(&chain, gpu_matrix_reduce_columns(gpu_matrix_transpose(m), plus), x));
    const int data[] = {3, 1, 2, 6, 5, 4}, want[] = {6, 21};
    for (int round = 0; round < 2; round++) {
        test_ok(chain(&out, gpu_array_of(g, data, 6)));
        test_holds("compiled", out, GPU_INT, 2, want);
    }
    test_close(g);
}

Test(matrix_rows, refuse_wrong_arguments)
{
    gpu *g = test_open();
    gpu_matrix *pairs = gpu_matrix_from(gpu_fill(g, GPU_FLOAT2, (&(gpu_float2){1, 2}), 4), 2, 2);
    test_fails(GPU_E_TYPE, gpu_matrix_status(gpu_matrix_sort_rows(pairs)));
    gpu_array *x = gpu_symbol(g, GPU_INT);
    gpu_matrix *later = gpu_matrix_outer(x, x, "x * y");
    test_fails(GPU_E_ARGUMENT, gpu_matrix_status(later));
    test_has(gpu_matrix_error(later), "the array 'a' is a symbol");
    test_array_fails(GPU_E_ARGUMENT, gpu_matrix_reduce_rows(NULL, plus));
    test_array_fails(GPU_E_TYPE, gpu_matrix_reduce_rows(pairs, plus));
    test_close(g);
}

/* ---- faults ---- */

typedef struct results {
    int products[64], sums[8], sorted[64], table[64], weights[4];
} results;

/* A function of a symbol whose operators capture it. */
static gpu_status compiled(gpu *g, int *out)
{
    gpu_status (*f)(gpu_array * *out, const gpu_array *x) = NULL;
    gpu_array *table = gpu_symbol(g, GPU_INT), *made = NULL;
    gpu_matrix *m = gpu_matrix_from(table, 2, 2);
    const int data[] = {1, 2, 3, 4};
    gpu_status status =
        gpu_compile(&f, gpu_matrix_array(gpu_matrix_multiply_by(m, m, weighed, plus, GPU_ARG(table))), table);
    if (!status) status = f(&made, gpu_array_of(g, data, 4));
    return status ? status : gpu_read(made, out);
}

static gpu_status program(void *out)
{
    results *r = out;
    const int by = 3;
    gpu *g = gpu_open("host"); /* all that follows accepts NULL */
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *side = gpu_range(g, GPU_INT, 8);
    gpu_matrix *table = gpu_matrix_outer(side, gpu_map(side, tripled), paired, GPU_ARG(by)), *kept = NULL;
    gpu_matrix *turned = gpu_matrix_flip_rows(gpu_matrix_transpose(gpu_matrix_map_lower(table, tripled)));
    gpu_matrix_replace(
        &kept, gpu_matrix_multiply(table, gpu_matrix_map2(turned, gpu_matrix_identity(g, GPU_INT, 8), "x + y")));
    gpu_status status = gpu_matrix_read(gpu_matrix_keep(table), r->table);
    gpu_scope_end(scope);
    if (!status) status = gpu_matrix_read(kept, r->products);
    if (!status) status = gpu_read(gpu_matrix_reduce_columns(kept, plus), r->sums);
    if (!status) status = gpu_matrix_read(gpu_matrix_sort_rows(gpu_matrix_scan_columns(kept, plus)), r->sorted);
    if (!status) status = compiled(g, r->weights);
    gpu_close(g);
    return status;
}

Test(matrix_rows, each_allocation, .init = test_host_begin, .fini = test_host_end, .timeout = 120)
{
    static results want, got;
    test_host_faults(program, &want, &got, sizeof want);
}
