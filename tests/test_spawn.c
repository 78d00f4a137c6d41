/* gpu_spawn: kernels of the user's own. */
#include "support/line.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

GPU_FUNCTION(float, larger, (float a, float b), { return a > b ? a : b; });
GPU_FUNCTION(float, third, (float x), { return x / 3; });
GPU_CONSTANT(STEP, 3);

static const char tree[] = "{"
                           "  data[item] = i < x_length ? x[i] : 0;"
                           "  sync();"
                           "  for (uint k = ITEMS / 2; k > 0; k >>= 1) {"
                           "    if (item < k) data[item] = f(data[item], data[item + k]);"
                           "    sync();"
                           "  }"
                           "  if (item == 0) part[group] = data[0];"
                           "}";

/* 1, 2, 3, ... */
static float *numbers(size_t n)
{
    float *x = test_alloc(n + 1, sizeof *x);
    for (size_t k = 0; k < n; k++) x[k] = (float)(k % 1000 + 1);
    return x;
}

/* ---- spaces ---- */

Test(spawn, space_covers_its_elements)
{
    gpu *g = test_open();
    const size_t sizes[] = {0, 1, 2, 3, 5, 31, 32, 33, 255, 256, 257, 1000, 100000};
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        const gpu_space s = gpu_space_of(g, sizes[k]);
        cr_assert(s.groups * s.items >= sizes[k] && s.groups >= 1 && s.items >= 1);
        cr_assert((s.groups - 1) * s.items < sizes[k] || !sizes[k]);
        cr_assert_eq(s.items & (s.items - 1), 0, "%zu items are no power of two", s.items);
        cr_assert(!s.group_rows && !s.item_rows);
    }
    cr_assert_eq(gpu_space_of(NULL, 5).groups, 0);
    test_close(g);
}

Test(spawn, space_covers_a_matrix)
{
    gpu *g = test_open();
    const size_t sizes[] = {0, 1, 7, 16, 17, 100, 257};
    for (size_t a = 0; a < COUNT_OF(sizes); a++)
        for (size_t b = 0; b < COUNT_OF(sizes); b++) {
            const gpu_space s = gpu_space_of_2(g, sizes[a], sizes[b]);
            cr_assert(s.group_rows * s.item_rows >= sizes[a]);
            cr_assert(s.groups / s.group_rows * (s.items / s.item_rows) >= sizes[b]);
            cr_assert(s.groups % s.group_rows == 0 && s.items % s.item_rows == 0);
        }
    cr_assert_eq(gpu_space_of_2(NULL, 5, 5).groups, 0);
    test_close(g);
}

/* ---- the thesis's reduction ---- */

static void check_sum(gpu *g, size_t n)
{
    gpu_scope *scope = gpu_scope_begin(g);
    float *data = numbers(n), sum = 0;
    double want = 0;
    for (size_t k = 0; k < n; k++) want += data[k];
    gpu_array *x = gpu_array_of(g, data, n), *part;
    const gpu_space s = gpu_space_of(g, n);
    test_ok(gpu_spawn(g, s, tree, GPU_ARG(x), GPU_ARG_OPERATOR(f, GPU_FLOAT, "a + b"),
                      GPU_GROUP(data, GPU_FLOAT, s.items), GPU_RESULT(part, GPU_FLOAT, s.groups)));
    cr_assert_eq(gpu_length(part), s.groups);
    test_ok(gpu_sum(part, &sum));
    cr_assert_float_eq(sum, want, want * 1e-6, "%zu elements: %g, not %g", n, sum, want);
    free(data);
    gpu_scope_end(scope);
}

Test(spawn, reduction_of_the_thesis)
{
    gpu *g = test_open();
    const size_t sizes[] = {0, 1, 2, 31, 255, 256, 257, 1000, 4096, 70001};
    for (size_t k = 0; k < COUNT_OF(sizes); k++) check_sum(g, sizes[k]);
    test_close(g);
}

Test(spawn, function_as_the_operator)
{
    gpu *g = test_open();
    float *values = numbers(3000), most = 0;
    gpu_array *x = gpu_array_of(g, values, 3000), *part;
    const gpu_space s = gpu_space_of(g, 3000);
    test_ok(gpu_spawn(g, s, tree, GPU_ARG(x), GPU_ARG_OPERATOR(f, GPU_FLOAT, larger),
                      GPU_GROUP(data, GPU_FLOAT, s.items), GPU_RESULT(part, GPU_FLOAT, s.groups)));
    test_ok(gpu_max(part, &most));
    cr_assert_eq(most, 1000);
    free(values);
    test_close(g);
}

Test(spawn, second_call_builds_nothing)
{
    gpu *g = test_open();
    float *values = numbers(3000);
    gpu_array *x = gpu_array_of(g, values, 3000), *y = gpu_array_of(g, values, 2000), *part;
    gpu_space s = gpu_space_of(g, 3000);
    gpu_stats before = {0};
    for (int k = 0; k < 2; k++) {
        before = test_stats(g);
        test_ok(gpu_spawn(g, s, tree, GPU_ARG(x), GPU_ARG_OPERATOR(f, GPU_FLOAT, "a + b"),
                          GPU_GROUP(data, GPU_FLOAT, s.items), GPU_RESULT(part, GPU_FLOAT, s.groups)));
        gpu_finish(g);
        x = y;
        s.groups = 2000 / s.items + 1;
    }
    const gpu_stats after = test_stats(g);
    cr_assert_eq(after.kernels_launched - before.kernels_launched, 1);
    cr_assert_eq(after.programs_built, before.programs_built);
    free(values);
    test_close(g);
}

/* ---- captures ---- */

Test(spawn, values_arrays_and_helpers)
{
    gpu *g = test_open();
    enum { N = 1000 };
    int data[N], want[N];
    for (int k = 0; k < N; k++) data[k] = k * 7 % 101;
    const int k = 5;
    const line l = {3, 4};
    for (int i = 0; i < N; i++) want[i] = data[N - 1 - i] * k + 3 + (int)(l.m * (unsigned)i + l.c);
    gpu_array *x = gpu_array_of(g, data, N), *y;
    test_ok(gpu_spawn(g, gpu_space_of(g, N),
                      "{ if (i >= x_length) return; y[i] = x[x_length - 1 - i] * k + STEP + (int)(l.m * i + l.c); }",
                      GPU_ARG(x), GPU_ARG(k), GPU_ARG_AS(l, GPU_TYPE(line), l), GPU_RESULT(y, GPU_INT, N)));
    test_holds("a kernel", y, GPU_INT, N, want);
    test_close(g);
}

Test(spawn, every_scalar_type)
{
    gpu *g = test_open();
    enum { N = 300 };
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        if (!test_takes_type(t, 2)) continue;
        const gpu_type type = test_scalars[t];
        void *data = test_alloc(N, type->size);
        test_random_fill(type, data, N, t + 1);
        gpu_array *x = gpu_array_from(g, type, data, N), *y;
        test_ok(gpu_spawn(g, gpu_space_of(g, N),
                          "{ if (i < x_length) tile[item] = x[i]; sync(); if (i < x_length) "
                          "y[i] = tile[item]; }",
                          GPU_ARG(x), GPU_GROUP(tile, type, 256), GPU_RESULT(y, type, N)));
        test_holds(type->name, y, type, N, data);
        free(data);
    }
    test_close(g);
}

Test(spawn, structs_in_local_memory)
{
    gpu *g = test_open();
    const gpu_space s = {.groups = 3, .items = 4};
    line want[12];
    for (unsigned k = 0; k < 12; k++) want[k] = (line){k / 4, 3 - k % 4};
    gpu_array *out;
    test_ok(gpu_spawn(g, s, "{ line own; own.m = group; own.c = item; t[item] = own; sync(); out[i] = t[3 - item]; }",
                      GPU_GROUP(t, GPU_TYPE(line), 4), GPU_RESULT(out, GPU_TYPE(line), 12)));
    test_holds("structs", out, GPU_TYPE(line), 12, want);
    test_close(g);
}

Test(spawn, delayed_inputs)
{
    gpu *g = test_open();
    enum { N = 500 };
    int want[N];
    for (int k = 0; k < N; k++) want[k] = 2 * k + 2 * ((k + 1) % N);
    gpu_array *x = gpu_map(gpu_range(g, GPU_INT, N), "x * 2"), *y;
    test_ok(gpu_spawn(g, gpu_space_of(g, N), "{ if (i < x_length) y[i] = x[i] + x[(i + 1) % x_length]; }", GPU_ARG(x),
                      GPU_RESULT(y, GPU_INT, N)));
    test_holds("a delayed input", y, GPU_INT, N, want);
    test_close(g);
}

Test(spawn, lengths_that_the_device_knows)
{
    gpu *g = test_open();
    enum { N = 4000 };
    gpu_array *x = gpu_filter(gpu_range(g, GPU_INT, N), "x % 3 == 0"), *last;
    test_ok(
        gpu_spawn(g, gpu_space_of(g, 1), "{ last[0] = x[x_length - 1]; }", GPU_ARG(x), GPU_RESULT(last, GPU_INT, 1)));
    test_holds("the last", last, GPU_INT, 1, &(int){3999});
    test_close(g);
}

/* ---- results ---- */

Test(spawn, several_results)
{
    gpu *g = test_open();
    enum { N = 100 };
    float halves[N];
    int twice[N];
    for (int k = 0; k < N; k++) halves[k] = (float)k / 2, twice[k] = 2 * k;
    gpu_array *p, *q;
    test_ok(gpu_spawn(g, gpu_space_of(g, N), "{ if (i < 100) { p[i] = i * 0.5f; q[i] = 2 * i; } }",
                      GPU_RESULT(p, GPU_FLOAT, N), GPU_RESULT(q, GPU_INT, N)));
    test_holds("halves", p, GPU_FLOAT, N, halves);
    test_holds("twice", q, GPU_INT, N, twice);
    test_close(g);
}

Test(spawn, result_that_starts_as_a_copy)
{
    gpu *g = test_open();
    enum { N = 5000 };
    int data[N], want[N];
    for (int k = 0; k < N; k++) data[k] = 3 * k, want[k] = k % 2 ? -1 : 3 * k;
    gpu_array *u = gpu_array_of(g, data, N), *v = u;
    test_ok(
        gpu_spawn(g, gpu_space_of(g, N / 2), "{ if (2 * i + 1 < 5000) v[2 * i + 1] = -1; }", GPU_RESULT_FROM(v, u)));
    test_holds("the copy", v, GPU_INT, N, want);
    test_holds("the array", u, GPU_INT, N, data);
    test_ok(gpu_spawn(g, gpu_space_of(g, 1), "{ u[0] = 7; }", GPU_RESULT_FROM(u, u)));
    data[0] = 7;
    test_holds("itself", u, GPU_INT, N, data);
    test_close(g);
}

Test(spawn, copy_of_a_filtered_array)
{
    gpu *g = test_open();
    const int want[] = {0, 10, 20, 30, -40, 50, 60, 70, 80, 90};
    gpu_array *tens = gpu_filter(gpu_range(g, GPU_INT, 100), "x % 10 == 0"), *v;
    test_ok(gpu_spawn(g, gpu_space_of(g, 1), "{ v[4] = -v[4]; }", GPU_RESULT_FROM(v, tens)));
    test_holds("the copy", v, GPU_INT, 10, want);
    test_close(g);
}

Test(spawn, lengths_of_results_and_local_memory)
{
    gpu *g = test_open();
    enum { N = 3000 };
    uint64_t want[N];
    gpu_array *x = gpu_map_to(gpu_range(g, GPU_ULONG, N), GPU_ULONG, "x * 3"), *v, *y;
    gpu_array *some = gpu_filter(gpu_range(g, GPU_ULONG, N), "x % 3 == 0"), *w;
    for (uint64_t k = 0; k < N; k++) want[k] = 3 * k + N;
    test_ok(gpu_spawn(g, gpu_space_of(g, N),
                      "{ if (i < v_length) v[i] += v_length; if (i < w_length) w[i] += w_length;"
                      "  if (i == 0) { y[0] = y_length; y[1] = t_length; } }",
                      GPU_RESULT_FROM(v, x), GPU_RESULT_FROM(w, some), GPU_RESULT(y, GPU_ULONG, 2),
                      GPU_GROUP(t, GPU_INT, 5)));
    test_holds("a copy", v, GPU_ULONG, N, want);
    for (uint64_t k = 0; k < N / 3; k++) want[k] = 3 * k + N / 3;
    test_holds("a copy of a selection", w, GPU_ULONG, N / 3, want);
    test_holds("other lengths", y, GPU_ULONG, 2, ((uint64_t[]){2, 5}));
    test_close(g);
}

Test(spawn, result_that_the_kernel_shortens)
{
    gpu *g = test_open();
    const size_t lengths[] = {1, 300, 5000};
    for (size_t k = 0; k < COUNT_OF(lengths); k++) {
        const int n = (int)lengths[k];
        gpu_array *x = gpu_range(g, GPU_INT, lengths[k]), *kept, *count;
        test_ok(gpu_spawn(g, gpu_space_of(g, lengths[k]),
                          "{ if (i < n && x[i] % 7 == 0) kept[atomic_inc(kept_count)] = x[i]; }", GPU_ARG(x),
                          GPU_ARG(n), GPU_RESULT_COUNT(kept, &count), GPU_RESULT(kept, GPU_INT, lengths[k])));
        int *want = test_alloc(lengths[k], sizeof *want);
        const unsigned wanted = (unsigned)(n + 6) / 7;
        for (unsigned e = 0; e < wanted; e++) want[e] = 7 * (int)e;
        test_holds("the kept", gpu_sort(kept), GPU_INT, wanted, want);
        test_holds("their number", count, GPU_UINT, 1, &wanted);
        free(want);
    }
    test_close(g);
}

Test(spawn, count_that_the_kernel_sets)
{
    gpu *g = test_open();
    gpu_array *kept;
    test_ok(gpu_spawn(g, gpu_space_of(g, 1), "{ kept[0] = 1; kept_count[0] = 1; }", GPU_RESULT(kept, GPU_INT, 10),
                      GPU_RESULT_COUNT(kept, NULL)));
    test_holds("one", kept, GPU_INT, 1, &(int){1});
    test_close(g);
}

Test(spawn, empty_results)
{
    gpu *g = test_open();
    gpu_array *none = gpu_array_from(g, GPU_INT, NULL, 0), *y, *z;
    test_ok(gpu_spawn(g, gpu_space_of(g, 0), "{ if (i < x_length) { y[i] = x[i]; z[i] = 1; } }", GPU_ARG_NAMED(x, none),
                      GPU_RESULT(y, GPU_INT, 0), GPU_RESULT_FROM(z, none)));
    cr_assert_eq(gpu_length(y), 0);
    cr_assert_eq(gpu_length(z), 0);
    test_close(g);
}

/* ---- operators ---- */

Test(spawn, operators_of_one_and_three_values)
{
    gpu *g = test_open();
    gpu_array *y;
    const float want[] = {1 + 0 + 2, 2 + 1 + 4, 3 + 2 + 6};
    test_ok(gpu_spawn(g, ((gpu_space){.groups = 1, .items = 3}), "{ y[i] = h(f(3.0f * (i + 1)), q(2.0f), (float)i); }",
                      GPU_ARG_OPERATOR(f, GPU_FLOAT, third), GPU_ARG_OPERATOR(q, GPU_FLOAT, "x * (i + 1)"),
                      GPU_ARG_OPERATOR(h, GPU_FLOAT, "x + y + z"), GPU_RESULT(y, GPU_FLOAT, 3)));
    test_holds("operators", y, GPU_FLOAT, 3, want);
    test_close(g);
}

/* ---- two dimensions ---- */

Test(spawn, transpose_by_tiles)
{
    gpu *g = test_open();
    enum { ROWS = 45, COLUMNS = 70 };
    int data[ROWS * COLUMNS], want[ROWS * COLUMNS];
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) want[c * ROWS + r] = data[r * COLUMNS + c] = 100 * r + c;
    const unsigned rows = ROWS, columns = COLUMNS;
    gpu_array *x = gpu_array_of(g, data, ROWS * COLUMNS), *y;
    const gpu_space s = gpu_space_of_2(g, ROWS, COLUMNS);
    test_ok(gpu_spawn(g, s,
                      "{\n"
                      "  const bool inside = row < rows && column < columns;\n"
                      "  if (inside) tile[item_column * ITEM_ROWS + item_row] = x[row * columns + column];\n"
                      "  sync();\n"
                      "  if (inside) y[column * rows + row] = tile[item_column * ITEM_ROWS + item_row];\n"
                      "}",
                      GPU_ARG(x), GPU_ARG(rows), GPU_ARG(columns), GPU_GROUP(tile, GPU_INT, s.items),
                      GPU_RESULT(y, GPU_INT, ROWS * COLUMNS)));
    test_holds("the transpose", y, GPU_INT, ROWS * COLUMNS, want);
    test_close(g);
}

Test(spawn, places_in_two_dimensions)
{
    gpu *g = test_open();
    const gpu_space s = {.groups = 6, .items = 8, .group_rows = 2, .item_rows = 4};
    unsigned want[48][4];
    for (unsigned k = 0; k < 48; k++) {
        const unsigned group = k / 8, item = k % 8;
        want[k][0] = group / 3 * 4 + item / 2;
        want[k][1] = group % 3 * 2 + item % 2;
        want[k][2] = item / 2 * 10 + item % 2;
        want[k][3] = 4 * 1000 + 2 * 100 + 6 * 10 + 8;
    }
    gpu_array *y;
    test_ok(gpu_spawn(g, s,
                      "{ y[4 * i] = row; y[4 * i + 1] = column; y[4 * i + 2] = item_row * 10 + item_column;"
                      "  y[4 * i + 3] = ITEM_ROWS * 1000 + ITEM_COLUMNS * 100 + GROUPS * 10 + ITEMS; }",
                      GPU_RESULT(y, GPU_UINT, 192)));
    test_holds("places", y, GPU_UINT, 192, want);
    test_close(g);
}

/* ---- names ---- */

Test(spawn, names_of_one_dimension_are_free)
{
    gpu *g = test_open();
    gpu_array *y;
    test_ok(gpu_spawn(g, gpu_space_of(g, 1),
                      "{ int row = 1, x = 2; for (int item = 0; item < 3; item++) x += item;"
                      "  y[0] = row + x; }",
                      GPU_RESULT(y, GPU_INT, 1)));
    test_holds("names", y, GPU_INT, 1, &(int){6});
    test_close(g);
}

/* ---- fused inputs ---- */

/* The launches of a kernel that reads a delayed x so. */
static uint64_t launches(gpu *g, const char *text, const int *want, size_t n)
{
    gpu_array *x = gpu_map(gpu_map(gpu_range(g, GPU_INT, n), "x * 3"), "x + 1"), *y;
    const uint64_t before = test_stats(g).kernels_launched;
    test_ok(gpu_spawn(g, gpu_space_of(g, n), text, GPU_ARG(x), GPU_RESULT(y, GPU_INT, n)));
    const uint64_t after = test_stats(g).kernels_launched;
    test_holds(text, y, GPU_INT, n, want);
    return after - before;
}

Test(spawn, fused_inputs)
{
    gpu *g = test_open();
    enum { N = 1500 };
    int own[N], first[N];
    for (int k = 0; k < N; k++) own[k] = 3 * k + 1, first[k] = 3 * k + 1 + 1;
    const uint64_t fused = launches(g, "{ if (i < x_length) y[i] = x[i]; }", own, N);
    const uint64_t twice = launches(g, "{ if (i < x_length) y[i] = x [ i ] - x[i] / 1 + x[i]; }", own, N);
    const uint64_t other = launches(g, "{ if (i < x_length) y[i] = x[i] + x[0]; }", first, N);
    const uint64_t inner = launches(
        g, "{ if (i >= x_length) return; y[i] = x[i]; for (int i = 0; i < 1; i++) if (x[i] > 1) y[0] = 0; }", own, N);
    const uint64_t address = launches(g, "{ if (i < x_length) y[i] = *(&x[i]); }", own, N);
    if (!test_eager()) {
        cr_assert_eq(fused, 1);
        cr_assert_eq(twice, 1);
        cr_assert_eq(other, 2);
        cr_assert_eq(inner, 2);
        cr_assert_eq(address, 2);
    }
    test_close(g);
}

Test(spawn, fused_inputs_of_all_kinds)
{
    gpu *g = test_open();
    enum { N = 900 };
    int want[N], data[N], copy[N];
    for (int k = 0; k < N; k++) data[k] = k * 37 % 1009;
    for (int k = 0; k < N; k++)
        want[k] = data[N - 1 - k] + (k < N - 2 ? data[k + 2] : 0) + 5 * k + data[k] * 2 + data[data[k] % N];
    gpu_array *a = gpu_array_of(g, data, N), *p = gpu_reverse(a), *q = gpu_slice(a, 2, N - 2), *y;
    gpu_array *r = gpu_map(gpu_range(g, GPU_INT, N), "5 * x"), *s = gpu_map2(a, a, "x + y");
    gpu_array *t = gpu_gather(a, gpu_map(a, "x % 900"));
    test_ok(gpu_spawn(g, gpu_space_of(g, N),
                      "{\n"
                      "  if (i >= p_length) return;\n"
                      "  y[i] = p[i] + r[i] + s[i] + t[i];\n"
                      "  if (i < q_length) y[i] += q[i];\n"
                      "}",
                      GPU_ARG(p), GPU_ARG(q), GPU_ARG(r), GPU_ARG(s), GPU_ARG(t), GPU_RESULT(y, GPU_INT, N)));
    test_holds("all kinds", y, GPU_INT, N, want);
    for (int k = 0; k < N; k++) copy[k] = 2 * data[k];
    test_holds("read again", s, GPU_INT, N, copy);
    test_close(g);
}

Test(spawn, fused_inputs_without_elements)
{
    gpu *g = test_open();
    gpu_array *x = gpu_map(gpu_range(g, GPU_INT, 0), "x + 1"), *z = gpu_filter(gpu_range(g, GPU_INT, 9), "x > 9"), *y;
    test_ok(gpu_spawn(g, gpu_space_of(g, 9), "{ y[i] = i < x_length ? x[i] : i < z_length ? z[i] : 7; }", GPU_ARG(x),
                      GPU_ARG(z), GPU_RESULT(y, GPU_INT, 1024)));
    test_holds("nothing", gpu_slice(y, 0, 1), GPU_INT, 1, &(int){7});
    test_close(g);
}

Test(spawn, fused_selections_of_no_elements)
{
    gpu *g = test_open();
    gpu_array *none = gpu_range(g, GPU_INT, 0), *y;
    gpu_array *inputs[] = {gpu_filter(none, "x > 1"), gpu_map(gpu_filter(none, "x > 1"), "x + 1"), gpu_unique(none)};
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++) {
        gpu_array *x = inputs[k];
        test_ok(gpu_spawn(g, gpu_space_of(g, 2), "{ if (i < 2) y[i] = i < x_length ? x[i] : 7; }", GPU_ARG(x),
                          GPU_RESULT(y, GPU_INT, 2)));
        test_holds("nothing", y, GPU_INT, 2, ((int[]){7, 7}));
    }
    test_close(g);
}

/* Once as own elements, and once at any place. */
Test(spawn, one_array_under_two_names)
{
    gpu *g = test_open();
    enum { N = 2000 };
    int want[N];
    for (int k = 0; k < N; k++) want[k] = 3 * k + 3 * (N - 1 - k);
    gpu_array *x = gpu_map(gpu_range(g, GPU_INT, N), "3 * x"), *y;
    test_ok(gpu_spawn(g, gpu_space_of(g, N), "{ if (i < x_length) y[i] = x[i] + z[z_length - 1 - i]; }", GPU_ARG(x),
                      GPU_ARG_NAMED(z, x), GPU_RESULT(y, GPU_INT, N)));
    test_holds("two names", y, GPU_INT, N, want);
    test_close(g);
}

Test(spawn, fused_selection_is_computed_first)
{
    gpu *g = test_open();
    const int want[] = {0, 70, 140, 210};
    gpu_array *x = gpu_filter(gpu_range(g, GPU_INT, 28), "x % 7 == 0"), *y;
    test_ok(gpu_spawn(g, gpu_space_of(g, 28), "{ if (i < x_length) y[i] = 10 * x[i]; }", GPU_ARG(x),
                      GPU_RESULT(y, GPU_INT, 4)));
    test_holds("the selection", y, GPU_INT, 4, want);
    test_close(g);
}

Test(spawn, caret_behind_a_fused_input)
{
    gpu *g = test_open();
    gpu_array *x = gpu_map(gpu_range(g, GPU_INT, 5), "x + 1"), *y;
    test_fails(GPU_E_SNIPPET, gpu_spawn(g, gpu_space_of(g, 5), "{\n  y[i] = x[i] + missing;\n}", GPU_ARG(x),
                                        GPU_RESULT(y, GPU_INT, 5)));
    test_caret(gpu_error(), "  y[i] = x[i] + missing;", 16);
    test_close(g);
}

/* ---- results that start as delayed arrays ---- */

static const gpu_space FOUR = {.groups = 1, .items = 4};

Test(spawn, result_from_a_delayed_array)
{
    gpu *g = test_open();
    enum { N = 3000 };
    int want[N];
    for (int k = 0; k < N; k++) want[k] = k < 4 ? -1 : 3 * k + 1;
    gpu_array *x = gpu_map(gpu_map(gpu_range(g, GPU_INT, N), "x * 3"), "x + 1"), *v;
    const uint64_t before = test_stats(g).kernels_launched;
    test_ok(gpu_spawn(g, FOUR, "{ v[i] = -1; }", GPU_RESULT_FROM(v, x)));
    if (!test_eager()) cr_assert_eq(test_stats(g).kernels_launched - before, 2);
    test_holds("the result", v, GPU_INT, N, want);
    for (int k = 0; k < 4; k++) want[k] = 3 * k + 1;
    test_holds("the array", x, GPU_INT, N, want);
    test_close(g);
}

Test(spawn, result_from_a_selection)
{
    gpu *g = test_open();
    gpu_array *x = gpu_map(gpu_filter(gpu_range(g, GPU_INT, 3000), "x % 500 == 0"), "x + 1"), *v;
    test_ok(gpu_spawn(g, FOUR, "{ v[i] = -1; }", GPU_RESULT_FROM(v, x)));
    test_holds("the result", v, GPU_INT, 6, ((int[]){-1, -1, -1, -1, 2001, 2501}));
    test_close(g);
}

Test(spawn, result_from_a_task)
{
    gpu *g = test_open();
    gpu_array *x = gpu_map(gpu_scan(gpu_range(g, GPU_INT, 6), "a + b"), "2 * x"), *v;
    test_ok(gpu_spawn(g, FOUR, "{ v[i] = -1; }", GPU_RESULT_FROM(v, x)));
    test_holds("the result", v, GPU_INT, 6, ((int[]){-1, -1, -1, -1, 20, 30}));
    test_close(g);
}

/* The array is read at its own places, at any place, and copied. */
Test(spawn, results_from_an_array_that_is_read_too)
{
    gpu *g = test_open();
    gpu_array *x = gpu_map(gpu_range(g, GPU_INT, 6), "2 * x"), *v, *w;
    test_ok(gpu_spawn(g, ((gpu_space){.groups = 1, .items = 6}), "{ v[i] += x[i]; w[i] += z[5 - i]; }",
                      GPU_RESULT_FROM(v, x), GPU_ARG(x), GPU_RESULT_FROM(w, x), GPU_ARG_NAMED(z, x)));
    test_holds("one", v, GPU_INT, 6, ((int[]){0, 4, 8, 12, 16, 20}));
    test_holds("the other", w, GPU_INT, 6, ((int[]){10, 10, 10, 10, 10, 10}));
    test_close(g);
}

/* ---- functions that gpu_compile makes ---- */

Test(spawn, steps_of_a_compiled_function)
{
    gpu *g = test_open();
    enum { N = 300 };
    const gpu_space space = gpu_space_of(g, N);
    const int add = 2;
    gpu_array *x = gpu_symbol(g, GPU_INT), *k = gpu_symbol_value(g, GPU_INT), *part, *v, *kept;
    gpu_array *twice = gpu_map(x, "x * 2"), *table = gpu_range(g, GPU_INT, N);
    test_ok(gpu_spawn(g, space,
                      "{\n"
                      "  if (i >= x_length) return;\n"
                      "  v[i] += x[i] * k[0] + table[i] + add;\n"
                      "  if (x[i] % 4 == 0) kept[atomic_inc(kept_count)] = 1;\n"
                      "  if (item == 0) part[group] = i;\n"
                      "}",
                      GPU_ARG_NAMED(x, twice), GPU_ARG(k), GPU_ARG(table), GPU_ARG(add), GPU_RESULT_FROM(v, x),
                      GPU_RESULT(part, GPU_UINT, space.groups), GPU_RESULT(kept, GPU_INT, N),
                      GPU_RESULT_COUNT(kept, NULL)));
    gpu_status (*function)(int *sum, gpu_array **v, gpu_array **part, const gpu_array *x, int k) = NULL;
    test_ok(gpu_compile_all(&function, GPU_RESULTS(gpu_reduced(kept, "a + b"), v, part), x, k));
    for (int call = 1; call <= 2; call++) {
        int want[N], sum = 0;
        for (int e = 0; e < N; e++) want[e] = call * e + 2 * call * e * call + e + add;
        gpu_array *given = gpu_map(gpu_range(g, GPU_INT, N), "x * call", GPU_ARG(call)), *made, *parts;
        test_ok(function(&sum, &made, &parts, given, call));
        test_holds("a call", made, GPU_INT, N, want);
        cr_assert_eq(sum, call == 1 ? N / 2 : N);
        cr_assert_eq(gpu_length(parts), space.groups);
    }
    test_close(g);
}

Test(spawn, wrong_text_in_a_compiled_function)
{
    test_needs_opencl();
    gpu *g = test_open();
    gpu_array *x = gpu_symbol(g, GPU_INT), *y;
    gpu_status (*function)(gpu_array * *y, const gpu_array *x) = NULL;
    test_ok(gpu_spawn(g, gpu_space_of(g, 5), "{\n  y[i] = x[i] + missing;\n}", GPU_ARG(x), GPU_RESULT(y, GPU_INT, 5)));
    if (!test_verifies()) {
        test_fails(GPU_E_SNIPPET, gpu_compile(&function, y, x));
        test_caret(gpu_error(), "  y[i] = x[i] + missing;", 16);
    }
    test_close(g);
}
