/* gpu_matrix_stencil: edges and radii in both dimensions, every scalar type, structs, functions, pipelines, arguments.
 */
#include "support/functions.h"
#include "support/reference.h"

#include <stdlib.h>
#include <string.h>

GPU_STRUCT(point, int x; float y;);
GPU_FUNCTION(int, weighted, (const int *near, int stride, int w, uint64_t row, uint64_t column), {
    return near[-stride - 1] + w * near[-1] + 100 * near[0] + 1000 * near[2 * stride + 1] + (int)(7 * row + column);
});
GPU_FUNCTION(point, corners, (const point *near, size_t stride), {
    const point *above = near - stride;
    point p;
    p.x = above[-1].x - near[stride + 1].x;
    p.y = (above[1].y + near[0].y + near[stride - 1].y) / 3;
    return p;
});
GPU_FUNCTION(int, cross, (const int *near, int stride),
             { return near[-stride] + near[-1] + 10 * near[0] + near[1] + near[stride]; });
GPU_FUNCTION(int, only_this, (const int *near), { return near[0]; });
GPU_FUNCTION(int, from_table, (const int *near, int stride, GPU_GLOBAL const int *table),
             { return near[stride] + table[near[0] & 3]; });
GPU_FUNCTION(int, strided, (int x, int stride), { return x * stride; });

static const char weighted_text[] = "at(-1, -1) + w * at(0, -1) + 100 * at(0, 0) + 1000 * at(+2, 1) + "
                                    "(int)(7 * row + column)";

static const gpu_edge_kind kinds[] = {GPU_EDGE_KIND_CLAMP, GPU_EDGE_KIND_WRAP, GPU_EDGE_KIND_REFLECT,
                                      GPU_EDGE_KIND_VALUE};

static const gpu_edge *edge_of(gpu_edge_kind kind)
{
    static const int outside = -7;
    static const gpu_value value = {&outside, GPU_INT, sizeof outside};
    static const gpu_edge edges[] = {{GPU_EDGE_KIND_CLAMP, NULL},
                                     {GPU_EDGE_KIND_WRAP, NULL},
                                     {GPU_EDGE_KIND_REFLECT, NULL},
                                     {GPU_EDGE_KIND_VALUE, &value}};
    return &edges[kind];
}

/* ---- the reference ---- */

typedef struct ints {
    int *x;
    size_t rows, columns;
} ints;

static ints ints_new(size_t rows, size_t columns)
{
    ints m = {test_alloc(rows * columns, sizeof(int)), rows, columns};
    for (size_t k = 0; k < rows * columns; k++) m.x[k] = (int)(k * 7919 % 1000);
    return m;
}

/* The place of row or column `at`, step by step; -1: there is none. */
static ptrdiff_t place_of(gpu_edge_kind kind, ptrdiff_t at, ptrdiff_t n)
{
    while (at < 0 || at >= n) {
        if (kind == GPU_EDGE_KIND_VALUE) return -1;
        if (kind == GPU_EDGE_KIND_CLAMP) return at < 0 ? 0 : n - 1;
        if (kind == GPU_EDGE_KIND_WRAP) at += at < 0 ? n : -n;
        if (kind == GPU_EDGE_KIND_REFLECT) at = n == 1 ? 0 : at < 0 ? -at : 2 * (n - 1) - at;
    }
    return at;
}

static int neighbour(const ints *m, gpu_edge_kind kind, size_t row, size_t column, int dy, int dx)
{
    const ptrdiff_t y = place_of(kind, (ptrdiff_t)row + dy, (ptrdiff_t)m->rows);
    const ptrdiff_t x = place_of(kind, (ptrdiff_t)column + dx, (ptrdiff_t)m->columns);
    return y < 0 || x < 0 ? -7 : m->x[(size_t)y * m->columns + (size_t)x];
}

static int *weigh(const ints *m, gpu_edge_kind kind, int w)
{
    int *want = test_alloc(m->rows * m->columns, sizeof *want);
    for (size_t r = 0; r < m->rows; r++)
        for (size_t c = 0; c < m->columns; c++)
            want[r * m->columns + c] = neighbour(m, kind, r, c, -1, -1) + w * neighbour(m, kind, r, c, 0, -1) +
                                       100 * neighbour(m, kind, r, c, 0, 0) + 1000 * neighbour(m, kind, r, c, 2, 1) +
                                       (int)(7 * r + c);
    return want;
}

static int *cross_of(const ints *m, gpu_edge_kind kind)
{
    int *want = test_alloc(m->rows * m->columns, sizeof *want);
    for (size_t r = 0; r < m->rows; r++)
        for (size_t c = 0; c < m->columns; c++)
            want[r * m->columns + c] = neighbour(m, kind, r, c, -1, 0) + neighbour(m, kind, r, c, 0, -1) +
                                       10 * neighbour(m, kind, r, c, 0, 0) + neighbour(m, kind, r, c, 0, 1) +
                                       neighbour(m, kind, r, c, 1, 0);
    return want;
}

static void holds(const char *what, gpu_matrix *m, gpu_type type, size_t rows, size_t columns, const void *want)
{
    test_ok(gpu_matrix_status(m));
    cr_assert(gpu_matrix_rows(m) == rows && gpu_matrix_columns(m) == columns, "%s", what);
    test_holds(what, gpu_matrix_array(m), type, rows * columns, want);
}

/* ---- edges ---- */

static void check_edges(gpu *g, size_t rows, size_t columns, gpu_edge_kind kind, bool as_text)
{
    gpu_scope *scope = gpu_scope_begin(g);
    const int w = 10;
    const ints in = ints_new(rows, columns);
    int *want = weigh(&in, kind, w);
    gpu_matrix *m = gpu_matrix_of(g, in.x, rows, columns);
    gpu_matrix *got = as_text ? gpu_matrix_stencil(m, 2, edge_of(kind), weighted_text, GPU_ARG(w))
                              : gpu_matrix_stencil(m, 2, edge_of(kind), weighted, GPU_ARG(w));
    char what[80];
    snprintf(what, sizeof what, "%zu by %zu, edge %d, a %s", rows, columns, kind, as_text ? "text" : "function");
    holds(what, got, GPU_INT, rows, columns, want);
    free(want);
    free(in.x);
    gpu_scope_end(scope);
}

static void check_shapes(bool as_text)
{
    static const struct {
        size_t rows, columns;
    } shapes[] = {{0, 0},  {0, 5},    {5, 0},    {1, 1},   {1, 2},    {2, 1},    {1, 700},   {700, 1},  {2, 2},
                  {3, 3},  {4, 5},    {5, 4},    {7, 33},  {33, 7},   {31, 64},  {64, 65},   {17, 300}, {300, 17},
                  {5, 64}, {513, 12}, {12, 513}, {66, 66}, {129, 63}, {3, 4097}, {101, 203}, {4097, 3}, {259, 261}};
    gpu *g = test_open();
    for (size_t e = 0; e < COUNT_OF(kinds); e++)
        for (size_t k = 0; k < COUNT_OF(shapes); k++)
            if (shapes[k].rows * shapes[k].columns <= test_limit(70000))
                check_edges(g, shapes[k].rows, shapes[k].columns, kinds[e], as_text);
    test_close(g);
}

Test(matrix_stencil, edges_with_functions)
{
    check_shapes(false);
}

Test(matrix_stencil, edges_with_texts)
{
    check_shapes(true);
}

Test(matrix_stencil, radius_larger_than_the_matrix)
{
    enum { RADIUS = 12, MOST = 4 };
    gpu *g = test_open();
    for (size_t e = 0; e < COUNT_OF(kinds); e++)
        for (size_t n = 1; n <= MOST * MOST; n++) {
            const ints in = ints_new((n - 1) / MOST + 1, (n - 1) % MOST + 1);
            int want[MOST * MOST] = {0};
            for (size_t i = 0; i < in.rows * in.columns; i++)
                for (int y = -RADIUS; y <= RADIUS; y++)
                    for (int x = -RADIUS; x <= RADIUS; x++)
                        want[i] =
                            (3 * want[i] + neighbour(&in, kinds[e], i / in.columns, i % in.columns, y, x)) % 10007;
            gpu_matrix *got = gpu_matrix_stencil(gpu_matrix_of(g, in.x, in.rows, in.columns), RADIUS, edge_of(kinds[e]),
                                                 "{ int sum = 0; for (int y = -12; y <= 12; y++) "
                                                 "for (int x = -12; x <= 12; x++) "
                                                 "sum = (3 * sum + at(y, x)) % 10007; return sum; }");
            holds("a radius of 12", got, GPU_INT, in.rows, in.columns, want);
            free(in.x);
        }
    test_close(g);
}

Test(matrix_stencil, far_neighbours_on_the_host)
{
    enum { ROWS = 20, COLUMNS = 30 };
    gpu *g = test_open();
    const ints in = ints_new(ROWS, COLUMNS);
    for (size_t e = 0; e < COUNT_OF(kinds); e++) {
        int want[ROWS * COLUMNS];
        for (size_t i = 0; i < ROWS * COLUMNS; i++)
            want[i] = neighbour(&in, kinds[e], i / COLUMNS, i % COLUMNS, -50, 3) -
                      neighbour(&in, kinds[e], i / COLUMNS, i % COLUMNS, 1, 1000);
        gpu_matrix *m = gpu_matrix_of(g, in.x, ROWS, COLUMNS);
        holds("far", gpu_matrix_stencil(m, 2000, edge_of(kinds[e]), "at(-50, 3) - at(1, 1000)"), GPU_INT, ROWS, COLUMNS,
              want);
    }
    free(in.x);
    test_close(g);
}

Test(matrix_stencil, radius_zero)
{
    gpu *g = test_open();
    const ints in = ints_new(40, 50);
    gpu_matrix *m = gpu_matrix_of(g, in.x, 40, 50);
    holds("itself", gpu_matrix_stencil(m, 0, GPU_EDGE_CLAMP, only_this), GPU_INT, 40, 50, in.x);
    free(in.x);
    test_close(g);
}

/* ---- types ---- */

Test(matrix_stencil, every_scalar_type)
{
    enum { ROWS = 20, COLUMNS = 35, N = ROWS * COLUMNS };
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        gpu_type type = test_scalars[t];
        if (!test_takes_type(t, 1)) continue;
        unsigned char x[N * 8], want[N * 8];
        test_pattern_fill(TEST_EXTREMES, type, x, N, 5);
        for (size_t i = 0; i < N; i++) {
            const size_t above = (i / COLUMNS + ROWS - 1) % ROWS, right = (i % COLUMNS + 1) % COLUMNS;
            memcpy(want + i * type->size, x + (above * COLUMNS + right) * type->size, type->size);
        }
        gpu_matrix *m = gpu_matrix_from(gpu_array_from(g, type, x, N), ROWS, COLUMNS);
        holds(type->name, gpu_matrix_stencil(m, 1, GPU_EDGE_WRAP, "at(-1, 1)"), type, ROWS, COLUMNS, want);
    }
    test_close(g);
}

Test(matrix_stencil, takes_structs)
{
    if (test_simulated()) cr_skip_test("the simulator lacks an instruction for structs");
    enum { ROWS = 30, COLUMNS = 41, ACROSS = COLUMNS + 2 };
    gpu *g = test_open();
    static point x[(ROWS + 2) * ACROSS], inside[ROWS * COLUMNS], want[ROWS * COLUMNS];
    const point outside = {-1, 30};
    for (int k = 0; k < (ROWS + 2) * ACROSS; k++) x[k] = outside;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            const int k = r * COLUMNS + c;
            inside[k] = x[(r + 1) * ACROSS + c + 1] = (point){k * k % 91, (float)(k % 7)};
        }
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) want[r * COLUMNS + c] = corners(&x[(r + 1) * ACROSS + c + 1], ACROSS);
    gpu_matrix *m = gpu_matrix_from(gpu_array_from(g, GPU_TYPE(point), inside, ROWS * COLUMNS), ROWS, COLUMNS);
    holds("points", gpu_matrix_stencil(m, 1, GPU_EDGE_VALUE(&outside), corners), GPU_TYPE(point), ROWS, COLUMNS, want);
    test_close(g);
}

Test(matrix_stencil, captured_arrays)
{
    gpu *g = test_open();
    const int t[] = {100, 200, 300, 400};
    gpu_array *table = gpu_array_of(g, t, 4);
    gpu_matrix *m = gpu_matrix_of(g, ((int[]){0, 1, 2, 3, 4, 5}), 3, 2);
    holds("a table", gpu_matrix_stencil(m, 1, GPU_EDGE_CLAMP, from_table, GPU_ARG(table)), GPU_INT, 3, 2,
          (int[]){102, 203, 304, 405, 104, 205});
    test_close(g);
}

/* ---- pipelines ---- */

static void check_fused(size_t rows, size_t columns)
{
    gpu *g = test_open();
    const ints in = ints_new(rows, columns);
    int *want = cross_of(&in, GPU_EDGE_KIND_CLAMP);
    for (size_t k = 0; k < rows * columns; k++) want[k] *= 2;
    gpu_matrix *m = gpu_matrix_of(g, in.x, rows, columns);
    const uint64_t before = test_stats(g).kernels_launched;
    gpu_matrix *got = gpu_matrix_eval(gpu_matrix_map(gpu_matrix_stencil(m, 1, GPU_EDGE_CLAMP, cross), twice));
    const uint64_t launches = test_stats(g).kernels_launched - before;
    cr_assert(test_eager() || test_tiny() || launches <= 1, "%d launches", (int)launches);
    holds("twice the sums", got, GPU_INT, rows, columns, want);
    free(want);
    free(in.x);
    test_close(g);
}

Test(matrix_stencil, consumers_are_fused)
{
    check_fused(90, 110);
}

/* Near the edges as well, a stencil is right where its place is not that of the result. */
Test(matrix_stencil, is_right_in_views_and_of_views)
{
    enum { ROWS = 60, COLUMNS = 70, N = ROWS * COLUMNS };
    gpu *g = test_open();
    const ints in = ints_new(ROWS, COLUMNS);
    int *want = cross_of(&in, GPU_EDGE_KIND_REFLECT);
    static int turned[N], part[20 * 30];
    for (size_t i = 0; i < N; i++) turned[i % COLUMNS * ROWS + i / COLUMNS] = want[i];
    for (size_t i = 0; i < 20 * 30; i++) part[i] = want[(40 + i / 30) * COLUMNS + 40 + i % 30];
    gpu_matrix *m = gpu_matrix_of(g, in.x, ROWS, COLUMNS);
    gpu_matrix *sums = gpu_matrix_stencil(m, 1, GPU_EDGE_REFLECT, cross);
    holds("a transpose", gpu_matrix_transpose(sums), GPU_INT, COLUMNS, ROWS, turned);
    sums = gpu_matrix_stencil(m, 1, GPU_EDGE_REFLECT, cross);
    holds("a block", gpu_matrix_block(sums, 40, 40, 20, 30), GPU_INT, 20, 30, part);
    gpu_matrix *of_view = gpu_matrix_stencil(gpu_matrix_transpose(m), 1, GPU_EDGE_REFLECT, cross);
    if (!test_eager()) test_has(gpu_explain(gpu_matrix_array(of_view)), "a stencil reads its elements several times");
    holds("of a transpose", of_view, GPU_INT, COLUMNS, ROWS, turned);
    free(want);
    free(in.x);
    test_close(g);
}

/* Stencils of an array and of matrices with other shapes have other edges. */
Test(matrix_stencil, several_in_one_kernel)
{
    enum { ROWS = 48, COLUMNS = 50, N = ROWS * COLUMNS };
    gpu *g = test_open();
    const ints in = ints_new(ROWS, COLUMNS), turned = {in.x, COLUMNS, ROWS};
    int *one = cross_of(&in, GPU_EDGE_KIND_CLAMP), *two = cross_of(&turned, GPU_EDGE_KIND_WRAP);
    static int want[N], of_array[N];
    for (size_t k = 0; k < N; k++) want[k] = one[k] - two[k];
    for (size_t k = 0; k < N; k++) of_array[k] = one[k] - in.x[k ? k - 1 : 0];
    gpu_array *x = gpu_array_of(g, in.x, N);
    gpu_array *a = gpu_matrix_array(gpu_matrix_stencil(gpu_matrix_from(x, ROWS, COLUMNS), 1, GPU_EDGE_CLAMP, cross));
    gpu_array *b = gpu_matrix_array(gpu_matrix_stencil(gpu_matrix_from(x, COLUMNS, ROWS), 1, GPU_EDGE_WRAP, cross));
    test_holds("two shapes", gpu_map2(a, b, "x - y"), GPU_INT, N, want);
    a = gpu_matrix_array(gpu_matrix_stencil(gpu_matrix_from(x, ROWS, COLUMNS), 1, GPU_EDGE_CLAMP, cross));
    test_holds("an array's", gpu_map2(a, gpu_stencil(x, 1, GPU_EDGE_CLAMP, "at(-1)"), "x - y"), GPU_INT, N, of_array);
    free(one);
    free(two);
    free(in.x);
    test_close(g);
}

Test(matrix_stencil, is_fused_into_a_reduction)
{
    gpu *g = test_open();
    const ints in = ints_new(83, 61);
    int *sums = cross_of(&in, GPU_EDGE_KIND_WRAP), want = 0, got;
    for (size_t k = 0; k < 83 * 61; k++) want += sums[k];
    gpu_matrix *m = gpu_matrix_stencil(gpu_matrix_of(g, in.x, 83, 61), 1, GPU_EDGE_WRAP, cross);
    test_ok(gpu_reduce(gpu_matrix_array(m), add, &got));
    cr_assert(got == want, "%d, not %d", got, want);
    free(sums);
    free(in.x);
    test_close(g);
}

Test(matrix_stencil, inputs_are_computed_once)
{
    gpu *g = test_open();
    const ints in = ints_new(23, 37);
    int *once = cross_of(&in, GPU_EDGE_KIND_CLAMP);
    const ints between = {once, 23, 37};
    int *want = cross_of(&between, GPU_EDGE_KIND_CLAMP);
    gpu_matrix *m = gpu_matrix_stencil(gpu_matrix_of(g, in.x, 23, 37), 1, GPU_EDGE_CLAMP, cross);
    gpu_matrix *got = gpu_matrix_stencil(m, 1, GPU_EDGE_CLAMP, cross);
    if (!test_eager()) test_has(gpu_explain(gpu_matrix_array(got)), "a stencil reads its elements several times");
    holds("a stencil of a stencil", got, GPU_INT, 23, 37, want);
    free(once);
    free(want);
    free(in.x);
    test_close(g);
}

Test(matrix_stencil, one_kernel_a_step_and_flat_memory)
{
    enum { STEPS = 100 };
    gpu *g = test_open();
    const ints in = ints_new(45, 47);
    gpu_matrix *u = gpu_matrix_of(g, in.x, 45, 47);
    for (int s = 0; s < 3; s++) gpu_matrix_replace(&u, gpu_matrix_stencil(u, 1, GPU_EDGE_CLAMP, cross));
    const gpu_stats before = test_stats(g);
    for (int s = 0; s < STEPS; s++) gpu_matrix_replace(&u, gpu_matrix_stencil(u, 1, GPU_EDGE_CLAMP, cross));
    const gpu_stats after = test_stats(g);
    const uint64_t launches = after.kernels_launched - before.kernels_launched;
    cr_assert(test_verifies() || launches <= STEPS, "%d launches", (int)launches);
    cr_assert(after.live_buffers <= before.live_buffers, "%d buffers", (int)after.live_buffers);
    free(in.x);
    test_close(g);
}

Test(matrix_stencil, is_a_step_of_a_compiled_function)
{
    gpu *g = test_open();
    gpu_array *a = gpu_symbol(g, GPU_INT), *result;
    gpu_status (*step)(gpu_array * *out, const gpu_array *a) = NULL;
    {
        const int outside = -7;
        gpu_matrix *sums = gpu_matrix_stencil(gpu_matrix_from(a, 50, 41), 1, GPU_EDGE_VALUE(&outside), cross);
        test_ok(gpu_compile(&step, gpu_map(gpu_matrix_array(sums), "-x"), a));
    }
    const ints in = ints_new(50, 41);
    int *want = cross_of(&in, GPU_EDGE_KIND_VALUE);
    for (size_t k = 0; k < 50 * 41; k++) want[k] = -want[k];
    test_ok(step(&result, gpu_array_of(g, in.x, 50 * 41)));
    test_holds("compiled", result, GPU_INT, 50 * 41, want);
    free(want);
    free(in.x);
    test_close(g);
}

/* ---- arguments ---- */

Test(matrix_stencil, arguments_are_checked)
{
    gpu *g = test_open();
    gpu_matrix *m = gpu_matrix_from(gpu_range(g, GPU_INT, 6), 2, 3);
    cr_assert(gpu_matrix_status(gpu_matrix_stencil(m, 1, NULL, only_this)) == GPU_E_ARGUMENT);
    test_has(gpu_error(), "gpu_matrix_stencil: the edge is NULL: pass GPU_EDGE_CLAMP, GPU_EDGE_WRAP");
    cr_assert(gpu_matrix_status(gpu_matrix_stencil(m, 1, GPU_EDGE_VALUE(&(float){0}), only_this)) == GPU_E_TYPE);
    test_has(gpu_error(), "gpu_matrix_stencil: 'edge' points to float, and the elements are int");
    cr_assert(gpu_matrix_status(gpu_matrix_stencil(NULL, 1, GPU_EDGE_CLAMP, only_this)) == GPU_E_ARGUMENT);
    test_has(gpu_error(), "the matrix 'm' is NULL");
    test_close(g);
}

Test(matrix_stencil, radii_are_checked)
{
    gpu *g = test_open();
    gpu_matrix *m = gpu_matrix_from(gpu_range(g, GPU_INT, 6), 2, 3);
    cr_assert(gpu_matrix_status(gpu_matrix_stencil(m, SIZE_MAX, GPU_EDGE_CLAMP, only_this)) == GPU_E_ARGUMENT);
    test_has(gpu_error(), "the radius is 18446744073709551615, and may be 2147483647 at most");
    cr_assert(gpu_matrix_status(gpu_matrix_stencil(m, 16, GPU_EDGE_CLAMP, only_this)) == GPU_E_ARGUMENT);
    test_has(gpu_error(), "the neighbourhood of radius 16 has 4356 bytes, and a function's may have 4096: use a text "
                          "with at(dy, dx)");
    holds("far beyond the text", gpu_matrix_stencil(m, INT32_MAX, GPU_EDGE_CLAMP, "at(1, 1)"), GPU_INT, 2, 3,
          (int[]){4, 5, 5, 4, 5, 5});
    holds("the largest", gpu_matrix_stencil(m, 15, GPU_EDGE_CLAMP, only_this), GPU_INT, 2, 3,
          (int[]){0, 1, 2, 3, 4, 5});
    test_close(g);
}

static void refused(gpu_matrix *m, gpu_status status, const char *text)
{
    cr_assert(gpu_matrix_status(m) == status, "%s", gpu_error());
    test_has(gpu_error(), text);
}

Test(matrix_stencil, texts_are_checked)
{
    gpu *g = test_open();
    gpu_matrix *m = gpu_matrix_from(gpu_range(g, GPU_INT, 6), 2, 3);
    const int at = 3, stride = 3;
    refused(gpu_matrix_stencil(m, 1, GPU_EDGE_CLAMP, "at(1, 0) + at(0, -2)"), GPU_E_SNIPPET,
            "gpu_matrix_stencil: at(0, -2) is outside of the radius 1");
    test_caret(gpu_error(), "at(1, 0) + at(0, -2)", 11);
    refused(gpu_matrix_stencil(m, 1, GPU_EDGE_CLAMP, "at(2, 0)"), GPU_E_SNIPPET, "at(2, 0) is outside of the radius 1");
    refused(gpu_matrix_stencil(m, 1, GPU_EDGE_CLAMP, "at(1)"), GPU_E_SNIPPET,
            "at takes two numbers here: at(-1, 0) is the element above");
    refused(gpu_matrix_stencil(m, 1, GPU_EDGE_CLAMP, "at(1, 0, 1)"), GPU_E_SNIPPET, "at takes two numbers here");
    refused(gpu_matrix_stencil(m, 1, GPU_EDGE_CLAMP, "at"), GPU_E_SNIPPET,
            "at is not called: at(-1, 0) is the element above, at(0, 0) this one");
    refused(gpu_matrix_stencil(m, 1, GPU_EDGE_CLAMP, "at(0, 0)", GPU_ARG(at)), GPU_E_ARGUMENT,
            "no captured value can be called 'at' here");
    refused(gpu_matrix_stencil(m, 1, GPU_EDGE_CLAMP, cross, GPU_ARG(stride)), GPU_E_ARGUMENT,
            "a captured value cannot be called 'stride', which is a step here");
    test_close(g);
}

Test(matrix_stencil, numbers_that_are_computed)
{
    gpu *g = test_open();
    gpu_matrix *m = gpu_matrix_from(gpu_range(g, GPU_INT, 6), 2, 3);
    holds("a choice", gpu_matrix_stencil(m, 1, GPU_EDGE_WRAP, "at(min(1, 3) * 1, (max(0, 1)))"), GPU_INT, 2, 3,
          (int[]){4, 5, 3, 1, 2, 0});
    test_close(g);
}

Test(matrix_stencil, functions_are_checked)
{
    gpu *g = test_open();
    gpu_matrix *m = gpu_matrix_from(gpu_range(g, GPU_INT, 6), 2, 3);
    refused(gpu_matrix_stencil(m, 1, GPU_EDGE_CLAMP, twice), GPU_E_TYPE,
            "gets the neighbours of an element: declare it as const int *x");
    refused(gpu_matrix_map(m, strided), GPU_E_ARGUMENT, "capture a value of that name with GPU_ARG(stride)");
    test_close(g);
}

/* The name is free elsewhere. */
Test(matrix_stencil, a_captured_stride_in_a_map)
{
    gpu *g = test_open();
    const int stride = 10;
    gpu_matrix *m = gpu_matrix_from(gpu_range(g, GPU_INT, 4), 2, 2);
    holds("ten times", gpu_matrix_map(m, strided, GPU_ARG(stride)), GPU_INT, 2, 2, (int[]){0, 10, 20, 30});
    test_close(g);
}
