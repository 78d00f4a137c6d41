/* Matrices: making and reading, maps, views and views of views, triangles and diagonals, delayed inputs, compiled
 * functions, scopes, errors. Operators are functions, so that the host device runs the tests too. */
#include "support/functions.h"
#include "support/host.h"
#include "support/reference.h"

#include <firepile/interop.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(cell, int a; float b;);
GPU_FUNCTION(int, placed, (int x, uint64_t row, uint64_t column, int by),
             { return x * by + 1000 * (int)row + (int)column; });
GPU_FUNCTION(float, indexed, (float x, uint64_t column, uint64_t i), { return x + column * 0.5f + i; });
GPU_FUNCTION(double, half_of, (int x, uint64_t row), { return x / 2.0 + row; });
GPU_FUNCTION(int, mixed, (int x, int y, int row), { return x - 2 * y + row; });
GPU_FUNCTION(cell, moved, (cell x, uint64_t row, uint64_t column), {
    x.a += (int)row;
    x.b -= column;
    return x;
});
GPU_FUNCTION(int, negated, (int x), { return -x; });
GPU_FUNCTION(int, minus, (int x, int y), { return x - y; });
GPU_FUNCTION(int, tripled, (int x), { return 3 * x; });
GPU_FUNCTION(int, quotient, (int x, uint64_t row, uint64_t column), { return x / (int)(row + column - 3); });

static const size_t shapes[][2] = {{0, 5}, {5, 0}, {1, 1}, {3, 1}, {1, 7}, {2, 2}, {17, 33}, {100, 99}};

static int *some_ints(size_t n)
{
    int *x = test_alloc(n, sizeof *x);
    for (size_t k = 0; k < n; k++) x[k] = (int)(k * 7919 % 2003) - 1000;
    return x;
}

static void check_shape(const char *what, const gpu_matrix *m, size_t rows, size_t columns)
{
    test_ok(gpu_matrix_status(m));
    cr_assert_eq(gpu_matrix_rows(m), rows, "%s: %zu rows", what, gpu_matrix_rows(m));
    cr_assert_eq(gpu_matrix_columns(m), columns, "%s: %zu columns", what, gpu_matrix_columns(m));
}

static void check(const char *what, const gpu_matrix *m, gpu_type type, size_t rows, size_t columns, const void *want)
{
    check_shape(what, m, rows, columns);
    test_holds(what, gpu_matrix_array(m), type, rows * columns, want);
}

/* ---- making and reading ---- */

Test(matrix, shapes_and_types)
{
    gpu *g = test_open();
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        for (size_t t = 0; t < TEST_SCALARS; t++) {
            const size_t rows = shapes[s][0], columns = shapes[s][1], n = rows * columns;
            if (n > 1024 && !test_takes_type(t, 1)) continue;
            gpu_scope *scope = gpu_scope_begin(g);
            const gpu_type type = test_scalars[t];
            unsigned char *x = test_alloc(n, 8), *want = test_alloc(n, 8);
            test_pattern_fill(TEST_EXTREMES, type, x, n, 5);
            for (size_t r = 0; r < rows; r++)
                for (size_t c = 0; c < columns; c++)
                    memcpy(want + (c * rows + r) * type->size, x + (r * columns + c) * type->size, type->size);
            gpu_matrix *m = gpu_matrix_from(gpu_array_from(g, type, x, n), rows, columns);
            check("itself", m, type, rows, columns, x);
            check("transposed", gpu_matrix_transpose(m), type, columns, rows, want);
            check("twice", gpu_matrix_transpose(gpu_matrix_transpose(m)), type, rows, columns, x);
            free(x);
            free(want);
            gpu_scope_end(scope);
        }
    test_close(g);
}

Test(matrix, is_read_row_by_row)
{
    gpu *g = test_open();
    const float x[] = {1, 2, 3, 4, 5, 6};
    float got[6] = {0};
    gpu_matrix *m = gpu_matrix_of(g, x, 2, 3), *none = gpu_matrix_of(g, x, 0, 3);
    test_ok(gpu_matrix_read(m, got));
    test_same("read", GPU_FLOAT, 6, got, x);
    test_ok(gpu_matrix_read(none, got));
    test_close(g);
}

Test(matrix, is_not_read_as_another_type)
{
    gpu *g = test_open();
    const float x[] = {1, 2, 3, 4, 5, 6};
    int whole[6];
    test_fails(GPU_E_TYPE, gpu_matrix_read(gpu_matrix_of(g, x, 2, 3), whole));
    test_close(g);
}

Test(matrix, identity_has_ones_on_the_diagonal)
{
    gpu *g = test_open();
    for (size_t n = 0; n < 40; n += 13) {
        gpu_scope *scope = gpu_scope_begin(g);
        int *want = test_alloc(n * n, sizeof *want);
        for (size_t k = 0; k < n; k++) want[k * n + k] = 1;
        check("identity", gpu_matrix_identity(g, GPU_INT, n), GPU_INT, n, n, want);
        free(want);
        gpu_scope_end(scope);
    }
    const float one[] = {1};
    check("floats", gpu_matrix_identity(g, GPU_FLOAT, 1), GPU_FLOAT, 1, 1, one);
    test_close(g);
}

Test(matrix, identity_is_of_scalars)
{
    gpu *g = test_open();
    test_fails(GPU_E_TYPE, gpu_matrix_status(gpu_matrix_identity(g, GPU_FLOAT2, 3)));
    test_has(gpu_error(), "an identity matrix has scalars for elements, and float2 is none");
    test_close(g);
}

/* ---- maps ---- */

static void check_maps(gpu *g, size_t rows, size_t columns)
{
    const size_t n = rows * columns;
    const int by = 3;
    int *x = some_ints(n), *want = test_alloc(n, sizeof *want), *two = test_alloc(n, sizeof *two);
    double *half = test_alloc(n, sizeof *half);
    for (size_t k = 0; k < n; k++) {
        want[k] = x[k] * by + 1000 * (int)(k / columns) + (int)(k % columns);
        two[k] = x[k] - 2 * want[k] + (int)(k / columns);
        half[k] = x[k] / 2.0 + (double)(k / columns);
    }
    gpu_matrix *m = gpu_matrix_of(g, x, rows, columns);
    gpu_matrix *texts = gpu_matrix_map(m, "x * by + 1000 * (int)row + (int)column", GPU_ARG(by));
    gpu_matrix *functions = gpu_matrix_map(m, placed, GPU_ARG(by));
    check("a text", texts, GPU_INT, rows, columns, want);
    check("a function", functions, GPU_INT, rows, columns, want);
    check("two", gpu_matrix_map2(m, functions, mixed), GPU_INT, rows, columns, two);
    check("a text of two", gpu_matrix_map2(m, texts, "x - 2 * y + (int)row"), GPU_INT, rows, columns, two);
    if (test_has_double())
        check("another type", gpu_matrix_map_to(m, GPU_DOUBLE, half_of), GPU_DOUBLE, rows, columns, half);
    free(x);
    free(want);
    free(two);
    free(half);
}

Test(matrix, maps_know_row_and_column)
{
    gpu *g = test_open();
    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        gpu_scope *scope = gpu_scope_begin(g);
        check_maps(g, shapes[s][0], shapes[s][1]);
        gpu_scope_end(scope);
    }
    test_close(g);
}

Test(matrix, places_in_floats_and_structs)
{
    enum { ROWS = 17, COLUMNS = 33, N = ROWS * COLUMNS };
    gpu *g = test_open();
    float x[N], want[N];
    cell cells[N], moves[N], got[N];
    for (size_t k = 0; k < N; k++) {
        x[k] = (float)k / 4;
        want[k] = x[k] + (float)(k % COLUMNS) * 0.5f + (float)k;
        cells[k] = (cell){(int)k, (float)k / 2};
        moves[k] = (cell){(int)(k + k / COLUMNS), (float)k / 2 - (float)(k % COLUMNS)};
    }
    check("floats", gpu_matrix_map(gpu_matrix_of(g, x, ROWS, COLUMNS), indexed), GPU_FLOAT, ROWS, COLUMNS, want);
    gpu_matrix *m = gpu_matrix_from(gpu_array_from(g, GPU_TYPE(cell), cells, N), ROWS, COLUMNS);
    test_ok(gpu_matrix_read(gpu_matrix_map(m, moved), got));
    cr_assert(!memcmp(got, moves, sizeof got));
    test_close(g);
}

/* A variable, a member and a captured value of the user's own. */
Test(matrix, names_of_places)
{
    gpu *g = test_open();
    const int x[] = {1, 2, 3, 4}, row = 5, want[] = {5, 10, 16, 21}, inner[] = {7, 8, 9, 10};
    gpu_matrix *m = gpu_matrix_of(g, x, 2, 2);
    gpu_matrix *captured = gpu_matrix_map(m, "x * line + (int)row", GPU_ARG_NAMED(line, row));
    check("another name", captured, GPU_INT, 2, 2, want);
    gpu_matrix *refused = gpu_matrix_map(m, "x * row", GPU_ARG(row));
    test_fails(GPU_E_ARGUMENT, gpu_matrix_status(refused));
    test_has(gpu_matrix_error(refused), "a captured value cannot be called 'row', which is a place here");
    test_fails(GPU_E_SNIPPET, gpu_matrix_status(gpu_matrix_map(m, "{ int column = 1; return x + column; }")));
    test_has(gpu_error(), "'column' is a place here: give the variable another name");
    check("an inner one", gpu_matrix_map(m, "{ { int row = 6; return x + row; } }"), GPU_INT, 2, 2, inner);
    test_close(g);
}

/* ---- triangles and diagonals ---- */

typedef gpu_matrix *map_region(const gpu_matrix *m);

static gpu_matrix *lower(const gpu_matrix *m)
{
    return gpu_matrix_map_lower(m, negated);
}

static gpu_matrix *upper(const gpu_matrix *m)
{
    return gpu_matrix_map_upper(m, negated);
}

static gpu_matrix *diagonal(const gpu_matrix *m)
{
    return gpu_matrix_map_diagonal(m, negated);
}

static gpu_matrix *antidiagonal(const gpu_matrix *m)
{
    return gpu_matrix_map_antidiagonal(m, negated);
}

static bool is_inside(size_t region, size_t row, size_t column, size_t columns)
{
    if (region == 0) return column <= row;
    if (region == 1) return column >= row;
    return region == 2 ? column == row : row + column + 1 == columns;
}

static void check_regions(gpu *g, size_t rows, size_t columns)
{
    static map_region *const maps[] = {lower, upper, diagonal, antidiagonal};
    static const char *const names[] = {"lower", "upper", "diagonal", "antidiagonal"};
    const size_t n = rows * columns;
    int *x = some_ints(n), *want = test_alloc(n, sizeof *want);
    gpu_matrix *m = gpu_matrix_of(g, x, rows, columns);
    for (size_t k = 0; k < 4; k++) {
        for (size_t i = 0; i < n; i++) want[i] = is_inside(k, i / columns, i % columns, columns) ? -x[i] : x[i];
        check(names[k], maps[k](m), GPU_INT, rows, columns, want);
        for (size_t i = 0; i < n; i++) want[i] *= 3;
        check(names[k], gpu_matrix_map(maps[k](m), tripled), GPU_INT, rows, columns, want);
    }
    free(x);
    free(want);
}

Test(matrix, triangles_and_diagonals)
{
    gpu *g = test_open();
    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        gpu_scope *scope = gpu_scope_begin(g);
        check_regions(g, shapes[s][0], shapes[s][1]);
        gpu_scope_end(scope);
    }
    test_close(g);
}

/* The operator is not applied elsewhere: here it would divide by zero. */
Test(matrix, elements_elsewhere)
{
    gpu *g = test_open();
    const int x[] = {6, 12, 18, 24, 30, 36, 42, 48, 54}, want[] = {-2, 12, 18, 24, -30, 36, 42, 48, 54};
    check("divided", gpu_matrix_map_diagonal(gpu_matrix_of(g, x, 3, 3), quotient), GPU_INT, 3, 3, want);
    test_close(g);
}

/* ---- views ---- */

/* A view in plain C: its shape, and the place of each element. */
typedef struct places {
    size_t rows, columns, *at;
} places;

typedef enum view { TRANSPOSE, FLIP_ROWS, FLIP_COLUMNS, BLOCK, VIEWS } view;

static size_t third(size_t n)
{
    return n / 3;
}

static places see(places from, view v)
{
    const size_t rows = from.rows, columns = from.columns, top = third(rows), left = third(columns);
    places p = {rows, columns, NULL};
    if (v == TRANSPOSE) p = (places){columns, rows, NULL};
    if (v == BLOCK) p = (places){rows - top, columns - 2 * left, NULL};
    p.at = test_alloc(p.rows * p.columns, sizeof *p.at);
    for (size_t r = 0; r < p.rows; r++)
        for (size_t c = 0; c < p.columns; c++) {
            size_t row = v == FLIP_ROWS ? rows - 1 - r : v == BLOCK ? top + r : r;
            size_t column = v == FLIP_COLUMNS ? columns - 1 - c : v == BLOCK ? left + c : c;
            p.at[r * p.columns + c] = v == TRANSPOSE ? from.at[c * columns + r] : from.at[row * columns + column];
        }
    free(from.at);
    return p;
}

static gpu_matrix *viewed(const gpu_matrix *m, view v)
{
    const size_t rows = gpu_matrix_rows(m), columns = gpu_matrix_columns(m), top = third(rows), left = third(columns);
    if (v == TRANSPOSE) return gpu_matrix_transpose(m);
    if (v == FLIP_ROWS) return gpu_matrix_flip_rows(m);
    if (v == FLIP_COLUMNS) return gpu_matrix_flip_columns(m);
    return gpu_matrix_block(m, top, left, rows - top, columns - 2 * left);
}

/* Three views, one over the other, of a stored matrix or of a delayed one. */
static void check_views(gpu *g, const int *x, size_t rows, size_t columns, unsigned which, bool delayed)
{
    const size_t n = rows * columns;
    gpu_scope *scope = gpu_scope_begin(g);
    places p = {rows, columns, test_alloc(n, sizeof *p.at)};
    for (size_t k = 0; k < n; k++) p.at[k] = k;
    gpu_matrix *m = gpu_matrix_of(g, x, rows, columns);
    if (delayed) m = gpu_matrix_map(m, tripled);
    char what[120];
    snprintf(what, sizeof what, "%zu by %zu, views %u, %s", rows, columns, which, delayed ? "delayed" : "stored");
    for (unsigned k = 0; k < 3; k++, which /= VIEWS) {
        p = see(p, which % VIEWS);
        m = viewed(m, which % VIEWS);
    }
    int *want = test_alloc(p.rows * p.columns, sizeof *want);
    for (size_t k = 0; k < p.rows * p.columns; k++) want[k] = 3 * x[p.at[k]];
    if (!delayed) m = gpu_matrix_map(m, tripled);
    check(what, m, GPU_INT, p.rows, p.columns, want);
    free(want);
    free(p.at);
    gpu_scope_end(scope);
}

Test(matrix, views_of_views)
{
    gpu *g = test_open();
    int *x = some_ints(9900);
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        for (unsigned which = 0; which<VIEWS * VIEWS * VIEWS; which += shapes[s][0]> 20 ? 7 : 1) {
            check_views(g, x, shapes[s][0], shapes[s][1], which, false);
            check_views(g, x, shapes[s][0], shapes[s][1], which, true);
        }
    free(x);
    test_close(g);
}

/* A view, its elements row by row in another number of columns, and a view of that. */
static void check_reshaped(gpu *g, const int *x, size_t columns, unsigned first, unsigned second)
{
    enum { ROWS = 4, COLUMNS = 6 };
    places p = {ROWS, COLUMNS, test_alloc(ROWS * COLUMNS, sizeof *p.at)};
    for (size_t k = 0; k < ROWS * COLUMNS; k++) p.at[k] = k;
    p = see(p, first);
    const size_t n = p.rows * p.columns;
    if (n % columns == 0) {
        int want[ROWS * COLUMNS];
        char what[64];
        const gpu_matrix *m = viewed(gpu_matrix_of(g, x, ROWS, COLUMNS), first);
        p.rows = n / columns;
        p.columns = columns;
        p = see(p, second);
        for (size_t k = 0; k < p.rows * p.columns; k++) want[k] = x[p.at[k]];
        snprintf(what, sizeof what, "views %u and %u, %zu columns", first, second, columns);
        m = viewed(gpu_matrix_from(gpu_matrix_array(m), n / columns, columns), second);
        check(what, m, GPU_INT, p.rows, p.columns, want);
    }
    free(p.at);
}

Test(matrix, views_of_views_in_another_shape)
{
    gpu *g = test_open();
    int *x = some_ints(24);
    for (unsigned which = 0; which < VIEWS * VIEWS; which++)
        for (size_t columns = 1; columns <= 24; columns++) check_reshaped(g, x, columns, which / VIEWS, which % VIEWS);
    free(x);
    test_close(g);
}

Test(matrix, blocks_of_every_shape)
{
    enum { ROWS = 3, COLUMNS = 4 };
    gpu *g = test_open();
    int *x = some_ints(ROWS * COLUMNS), want[ROWS * COLUMNS];
    const gpu_matrix *m = gpu_matrix_of(g, x, ROWS, COLUMNS);
    for (size_t top = 0; top < ROWS; top++)
        for (size_t left = 0; left < COLUMNS; left++)
            for (size_t rows = 1; rows <= ROWS - top; rows++)
                for (size_t columns = 1; columns <= COLUMNS - left; columns++) {
                    char what[64];
                    snprintf(what, sizeof what, "%zu by %zu at %zu, %zu", rows, columns, top, left);
                    for (size_t k = 0; k < rows * columns; k++)
                        want[k] = x[(top + k / columns) * COLUMNS + left + k % columns];
                    check(what, gpu_matrix_block(m, top, left, rows, columns), GPU_INT, rows, columns, want);
                }
    free(x);
    test_close(g);
}

Test(matrix, rows_columns_diagonals)
{
    enum { ROWS = 17, COLUMNS = 33, N = ROWS * COLUMNS };
    gpu *g = test_open();
    int *x = some_ints(N), row[COLUMNS], column[ROWS], diagonal[ROWS], corner[6];
    gpu_matrix *m = gpu_matrix_of(g, x, ROWS, COLUMNS), *t = gpu_matrix_transpose(m);
    for (size_t k = 0; k < COLUMNS; k++) row[k] = x[5 * COLUMNS + k];
    for (size_t k = 0; k < ROWS; k++) column[k] = x[k * COLUMNS + 32];
    for (size_t k = 0; k < ROWS; k++) diagonal[k] = x[k * COLUMNS + k];
    for (size_t k = 0; k < 6; k++) corner[k] = x[(15 + k % 2) * COLUMNS + 30 + k / 2];
    test_holds("a row", gpu_matrix_row(m, 5), GPU_INT, COLUMNS, row);
    test_holds("a column", gpu_matrix_column(m, 32), GPU_INT, ROWS, column);
    test_holds("a row of the transpose", gpu_matrix_row(t, 32), GPU_INT, ROWS, column);
    test_holds("a column of the transpose", gpu_matrix_column(t, 5), GPU_INT, COLUMNS, row);
    test_holds("a diagonal", gpu_matrix_diagonal(m), GPU_INT, ROWS, diagonal);
    test_holds("that of the transpose", gpu_matrix_diagonal(t), GPU_INT, ROWS, diagonal);
    check("a corner", gpu_matrix_block(t, 30, 15, 3, 2), GPU_INT, 3, 2, corner);
    test_holds("none", gpu_matrix_diagonal(gpu_matrix_of(g, x, 0, 4)), GPU_INT, 0, x);
    free(x);
    test_close(g);
}

/* Transposes that are stored tile by tile, with maps before and behind. */
static void check_transpose(gpu *g, size_t rows, size_t columns)
{
    const size_t n = rows * columns;
    const int by = 2;
    int *x = some_ints(n), *turned = test_alloc(n, sizeof *x), *flipped = test_alloc(n, sizeof *x);
    for (size_t k = 0; k < n; k++) {
        const size_t row = k / columns, column = k % columns, to = column * rows + row;
        turned[to] = 3 * x[k] * by + 1000 * (int)column + (int)row;
        flipped[column * rows + rows - 1 - row] = 3 * x[k] - 2 * x[k] + (int)column;
    }
    gpu_matrix *m = gpu_matrix_of(g, x, rows, columns), *t = gpu_matrix_transpose(gpu_matrix_map(m, tripled));
    check("turned", gpu_matrix_map(t, placed, GPU_ARG(by)), GPU_INT, columns, rows, turned);
    gpu_matrix *flip = gpu_matrix_flip_columns(gpu_matrix_transpose(m));
    check("flipped", gpu_matrix_map2(gpu_matrix_map(flip, tripled), flip, mixed), GPU_INT, columns, rows, flipped);
    free(x);
    free(turned);
    free(flipped);
}

Test(matrix, large_transposes)
{
    static const size_t sides[][2] = {{31, 33},   {32, 32},   {33, 65},   {64, 64},
                                      {130, 200}, {1031, 40}, {40, 1031}, {2, 5000}};
    gpu *g = test_open();
    for (size_t s = 0; s < COUNT_OF(sides); s++) {
        gpu_scope *scope = gpu_scope_begin(g);
        check_transpose(g, sides[s][0], sides[s][1]);
        gpu_scope_end(scope);
    }
    test_close(g);
}

/* Views of one kernel may have rows of different lengths. */
Test(matrix, large_transposes_of_different_shapes)
{
    enum { ROWS = 40, COLUMNS = 90, N = ROWS * COLUMNS };
    gpu *g = test_open();
    int x[N], want[N];
    for (int k = 0; k < N; k++) x[k] = k * k % 1009;
    for (int k = 0; k < N; k++) want[k] = x[k % ROWS * COLUMNS + k / ROWS] - x[k % COLUMNS * ROWS + k / COLUMNS];
    gpu_array *a = gpu_array_of(g, x, N);
    gpu_array *wide = gpu_matrix_array(gpu_matrix_transpose(gpu_matrix_from(a, ROWS, COLUMNS)));
    gpu_array *tall = gpu_matrix_array(gpu_matrix_transpose(gpu_matrix_from(a, COLUMNS, ROWS)));
    test_holds("both", gpu_map2(wide, tall, minus), GPU_INT, N, want);
    test_close(g);
}

Test(matrix, large_transposes_of_structs)
{
    enum { ROWS = 45, COLUMNS = 70, N = ROWS * COLUMNS };
    static cell x[N], want[N], got[N];
    gpu *g = test_open();
    for (int k = 0; k < N; k++) x[k] = want[k % COLUMNS * ROWS + k / COLUMNS] = (cell){k, (float)k / 3};
    gpu_matrix *m = gpu_matrix_from(gpu_array_from(g, GPU_TYPE(cell), x, N), ROWS, COLUMNS);
    test_ok(gpu_matrix_read(gpu_matrix_transpose(m), got));
    cr_assert(!memcmp(got, want, sizeof got));
    test_close(g);
}

Test(matrix, gives_its_array_as_a_clbuffer)
{
    gpu *g = test_open();
    const float x[] = {1, 2, 3, 4, 5, 6};
    size_t first = 7;
    test_needs_opencl();
    cr_assert(gpu_array_mem(gpu_matrix_array(gpu_matrix_of(g, x, 2, 3)), &first) && !first);
    test_close(g);
}

/* ---- pipelines ---- */

/* A view is fused: one launch maps, transposes and maps again. */
Test(matrix, fuses_maps_and_a_view_into_one_launch)
{
    enum { ROWS = 40, COLUMNS = 50, N = ROWS * COLUMNS };
    gpu *g = test_open();
    int *x = some_ints(N), *want = test_alloc(N, sizeof *want), sum = 0, total;
    for (size_t k = 0; k < N; k++) want[k % COLUMNS * ROWS + k / COLUMNS] = -3 * x[k];
    for (size_t k = 0; k < N; k++) total = k ? total - 3 * x[k] : -3 * x[k];
    gpu_matrix *m =
        gpu_matrix_map(gpu_matrix_transpose(gpu_matrix_map(gpu_matrix_of(g, x, ROWS, COLUMNS), tripled)), negated);
    const uint64_t before = test_stats(g).kernels_launched;
    check("fused", m, GPU_INT, COLUMNS, ROWS, want);
    if (!test_eager() && !test_tiny() && test_stats(g).kernels_launched)
        cr_assert_leq(test_stats(g).kernels_launched - before, 1);
    test_ok(gpu_reduce(gpu_matrix_array(m), add, &sum));
    cr_assert_eq(sum, total);
    free(x);
    free(want);
    test_close(g);
}

/* A sort applies the map as it stores its result, and a filter reads a view. */
Test(matrix, beside_other_operations)
{
    enum { ROWS = 30, COLUMNS = 50, N = ROWS * COLUMNS };
    gpu *g = test_open();
    const int by = 2;
    int *x = some_ints(N), want[N];
    for (int k = 0; k < N; k++) x[k] = (k * 7 + 11) % N;
    for (int k = 0; k < N; k++) want[k] = k * by + 1000 * (k / COLUMNS) + k % COLUMNS;
    gpu_matrix *sorted = gpu_matrix_from(gpu_sort(gpu_array_of(g, x, N)), ROWS, COLUMNS);
    check("sorted", gpu_matrix_map(sorted, placed, GPU_ARG(by)), GPU_INT, ROWS, COLUMNS, want);
    for (int k = 0; k < N; k++) want[k] = k % COLUMNS > k / COLUMNS ? k : -k;
    sorted = gpu_matrix_from(gpu_sort(gpu_array_of(g, x, N)), ROWS, COLUMNS);
    check("its triangle", gpu_matrix_map_lower(sorted, negated), GPU_INT, ROWS, COLUMNS, want);
    gpu_array *column = gpu_matrix_column(gpu_matrix_transpose(sorted), 3), *even = gpu_filter(column, is_even);
    for (int k = 0; k < COLUMNS / 2; k++) want[k] = 3 * COLUMNS + 2 * k;
    test_holds("selected", even, GPU_INT, COLUMNS / 2, want);
    free(x);
    test_close(g);
}

/* The length of a filter's result is known to the device alone. */
Test(matrix, of_a_selection)
{
    gpu *g = test_open();
    int x[200], want[100];
    for (int k = 0; k < 200; k++) x[k] = k;
    for (int k = 0; k < 100; k++) want[k] = 2 * (k % 5 * 20 + k / 5);
    gpu_array *even = gpu_filter(gpu_array_of(g, x, 200), is_even);
    check("even", gpu_matrix_transpose(gpu_matrix_from(even, 5, 20)), GPU_INT, 20, 5, want);
    gpu_matrix *wrong = gpu_matrix_from(gpu_filter(gpu_array_of(g, x, 200), is_even), 5, 21);
    test_fails(GPU_E_ARGUMENT, gpu_matrix_status(wrong));
    test_has(gpu_matrix_error(wrong), "the array has 100 elements, and a matrix of 5 by 21 has 105");
    test_close(g);
}

static gpu_status (*transposed)(gpu_array **out, const gpu_array *x, int by);

Test(matrix, is_a_step_of_a_compiled_function)
{
    enum { ROWS = 3, COLUMNS = 5, N = ROWS * COLUMNS };
    gpu *g = test_open();
    gpu_array *x = gpu_symbol(g, GPU_INT), *out, *wrong;
    gpu_array *by = gpu_symbol_value(g, GPU_INT);
    gpu_matrix *m = gpu_matrix_from(x, ROWS, COLUMNS);
    gpu_matrix *t = gpu_matrix_transpose(gpu_matrix_map(m, "x * by[0] + 1000 * (int)row + (int)column", GPU_ARG(by)));
    gpu_matrix *both = gpu_matrix_map2(t, gpu_matrix_flip_rows(t), mixed);
    check_shape("symbols", both, COLUMNS, ROWS);
    test_ok(gpu_compile(&transposed, gpu_matrix_array(both), x, by));
    for (int round = 2; round < 4; round++) {
        int data[N], seen[N], want[N];
        for (int k = 0; k < N; k++) data[k] = round * k;
        for (int k = 0; k < N; k++)
            seen[k % COLUMNS * ROWS + k / COLUMNS] = data[k] * round + 1000 * (k / COLUMNS) + k % COLUMNS;
        for (int k = 0; k < N; k++) want[k] = seen[k] - 2 * seen[(COLUMNS - 1 - k / ROWS) * ROWS + k % ROWS] + k / ROWS;
        test_ok(transposed(&out, gpu_array_of(g, data, N), round));
        test_holds("compiled", out, GPU_INT, N, want);
        test_fails(GPU_E_ARGUMENT, transposed(&wrong, gpu_array_of(g, data, N - 1), round));
        test_has(gpu_error(), "the array has 14 elements, and a matrix of 3 by 5 has 15");
    }
    test_close(g);
}

Test(matrix, shows_a_view_in_a_plan)
{
    gpu *g = test_open();
    const int x[] = {1, 2, 3, 4, 5, 6};
    gpu_matrix *t = gpu_matrix_transpose(gpu_matrix_map(gpu_matrix_of(g, x, 2, 3), tripled));
    if (!test_eager()) test_has(gpu_explain(gpu_matrix_array(t)), "a view, 6 int");
    test_close(g);
}

Test(matrix, is_kept_and_replaced_across_scopes)
{
    gpu *g = test_open();
    const int x[] = {1, 2, 3, 4}, want[] = {81, 162, 243, 324};
    gpu_matrix *u = gpu_matrix_of(g, x, 2, 2), *kept = NULL;
    for (int step = 0; step < 4; step++) {
        gpu_scope *scope = gpu_scope_begin(g);
        gpu_matrix_replace(&u, gpu_matrix_map(u, tripled));
        if (step == 3) kept = gpu_matrix_keep(gpu_matrix_eval(gpu_matrix_map(u, tripled)));
        gpu_scope_end(scope);
    }
    check("four steps", u, GPU_INT, 2, 2, want);
    cr_assert_eq(gpu_matrix_rows(kept), 2);
    gpu_matrix_free(kept);
    gpu_matrix_free(NULL);
    test_close(g);
}

/* ---- errors ---- */

static void check_error(gpu_matrix *m, gpu_status status, const char *text)
{
    test_fails(status, gpu_matrix_status(m));
    test_has(gpu_matrix_error(m), text);
    cr_assert_eq(gpu_matrix_rows(m), 0);
}

static void check_array_error(gpu_array *a, gpu_status status, const char *text)
{
    test_array_fails(status, a);
    test_has(gpu_array_error(a), text);
}

Test(matrix, refuses_wrong_shapes_and_places)
{
    gpu *g = test_open();
    const int x[] = {1, 2, 3, 4, 5, 6};
    const float y[] = {1, 2, 3, 4, 5, 6};
    gpu_matrix *m = gpu_matrix_of(g, x, 2, 3), *t = gpu_matrix_transpose(m);
    check_error(gpu_matrix_from(gpu_array_of(g, x, 6), 4, 2), GPU_E_ARGUMENT,
                "the array has 6 elements, and a matrix of 4 by 2 has 8");
    check_error(gpu_matrix_from(gpu_array_of(g, x, 6), SIZE_MAX, 2), GPU_E_ARGUMENT,
                "has more elements than can be counted");
    check_error(gpu_matrix_map2(m, t, mixed), GPU_E_ARGUMENT,
                "the matrices 'a' and 'b' are 2 by 3 and 3 by 2: they need one shape");
    check_error(gpu_matrix_block(m, 1, 0, 2, 1), GPU_E_RANGE, "there are no 2 rows from 1 on: the matrix has 2");
    check_error(gpu_matrix_block(m, 0, 4, 1, 0), GPU_E_RANGE, "there are no 0 columns from 4 on: the matrix has 3");
    check_array_error(gpu_matrix_row(m, 2), GPU_E_RANGE, "there is no row 2: the matrix has 2");
    check_array_error(gpu_matrix_column(m, 3), GPU_E_RANGE, "there is no column 3: the matrix has 3");
    check_error(gpu_matrix_transpose(NULL), GPU_E_ARGUMENT, "NULL");
    check_error(gpu_matrix_map(gpu_matrix_block(m, 2, 0, 1, 1), tripled), GPU_E_RANGE, "there are no 1 rows");
    check_error(gpu_matrix_map(gpu_matrix_of(g, y, 2, 3), half_of), GPU_E_TYPE, "half_of");
    check_error(gpu_matrix_map(m, placed), GPU_E_ARGUMENT, "by");
    cr_assert_str_eq(gpu_matrix_error(m), "");
    test_has(gpu_matrix_error(NULL), "NULL");
    test_close(g);
}
