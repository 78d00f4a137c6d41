/* FIREPILE_CHECK: subscripts of captured arrays, results and local memory that are out of range. */
#include "support/line.h"
#include "support/support.h"

#include <stdlib.h>

GPU_FUNCTION(int, element_of, (int x, GPU_GLOBAL const int *t), { return t[x]; });

static gpu *open_checked(void)
{
    test_needs_opencl();
    setenv("FIREPILE_CHECK", "1", 1);
    return test_open();
}

/* 0, 7, 14, ... */
static gpu_array *sevens(gpu *g, size_t n)
{
    return gpu_eval(gpu_map(gpu_range(g, GPU_INT, n), "7 * x"));
}

/* Reading the array fails with this text. */
static void finds(const char *part, gpu_array *a)
{
    void *out = test_alloc(100000, 64);
    gpu_status status = gpu_read(a, out);
    cr_assert_eq(status, GPU_E_RANGE, "%d, not GPU_E_RANGE: %s", status, gpu_error());
    test_has(gpu_error(), part);
    free(out);
}

/* ---- snippets ---- */

Test(check, subscript_in_a_map)
{
    gpu *g = open_checked();
    gpu_array *t = sevens(g, 10), *x = gpu_range(g, GPU_INT, 11);
    finds("gpu_map: FIREPILE_CHECK: t[10] is out of range: there are 10 elements", gpu_map(x, "x + t[x]", GPU_ARG(t)));
    test_close(g);
}

Test(check, failure_travels)
{
    gpu *g = open_checked();
    gpu_array *t = sevens(g, 10), *x = gpu_range(g, GPU_INT, 2000);
    gpu_array *y = gpu_sort(gpu_scan(gpu_map(x, "x < 1999 ? 1 : t[12]", GPU_ARG(t)), "a + b"));
    finds("t[12] is out of range", y);
    test_close(g);
}

Test(check, finish_reports_it)
{
    gpu *g = open_checked();
    gpu_array *t = sevens(g, 10), *y = gpu_eval(gpu_map(gpu_range(g, GPU_INT, 11), "t[x]", GPU_ARG(t)));
    test_fails(GPU_E_RANGE, gpu_finish(g));
    test_has(gpu_error(), "t[10] is out of range");
    test_ok(gpu_finish(g));
    gpu_array_free(y);
    test_close(g);
}

Test(check, negative_index)
{
    gpu *g = open_checked();
    gpu_array *t = sevens(g, 10);
    finds("t[-1] is out of range: there are 10 elements", gpu_map(gpu_range(g, GPU_INT, 3), "t[x - 1]", GPU_ARG(t)));
    test_close(g);
}

Test(check, index_is_made_safe)
{
    gpu *g = open_checked();
    gpu_array *t = sevens(g, 10);
    finds("t[1000000000] is out of range", gpu_map(gpu_range(g, GPU_INT, 3), "t[x + 1000000000]", GPU_ARG(t)));
    test_close(g);
}

Test(check, array_without_elements)
{
    gpu *g = open_checked();
    gpu_array *t = gpu_array_from(g, GPU_INT, NULL, 0);
    finds("t[2] is out of range: there are 0 elements", gpu_map(gpu_range(g, GPU_INT, 1), "t[x + 2]", GPU_ARG(t)));
    test_close(g);
}

Test(check, length_that_the_device_knows)
{
    gpu *g = open_checked();
    gpu_array *t = gpu_filter(gpu_range(g, GPU_INT, 3000), "x % 3 == 0");
    finds("t[1000] is out of range: there are 1000 elements", gpu_map(gpu_range(g, GPU_INT, 1001), "t[x]", GPU_ARG(t)));
    test_close(g);
}

/* Which array is wrong, of two in one expression. */
Test(check, nested_subscripts)
{
    gpu *g = open_checked();
    gpu_array *t = sevens(g, 10), *u = sevens(g, 50), *x = gpu_range(g, GPU_INT, 10);
    finds("u[56] is out of range", gpu_map(x, "u /* here */ [ t[x] ]", GPU_ARG(t), GPU_ARG(u)));
    test_close(g);
}

Test(check, operators_of_one_expression)
{
    gpu *g = open_checked();
    gpu_array *t = sevens(g, 10), *u = sevens(g, 9);
    gpu_array *x = gpu_map(gpu_range(g, GPU_INT, 10), "t[x] / 7", GPU_ARG(t));
    finds("u[9] is out of range: there are 9 elements", gpu_map(x, "u[x]", GPU_ARG(u)));
    test_close(g);
}

Test(check, bodies_and_members)
{
    gpu *g = open_checked();
    const line lines[3] = {{1, 2}, {3, 4}, {5, 6}};
    gpu_array *t = gpu_array_from(g, GPU_TYPE(line), lines, 3), *x = gpu_range(g, GPU_UINT, 4);
    finds("t[3] is out of range",
          gpu_map(x, "{ uint t0 = 0; for (uint k = x; k < x + 1; k++) t0 += t[k].c; return t0; }", GPU_ARG(t)));
    test_close(g);
}

Test(check, right_subscripts_give_the_same)
{
    gpu *g = open_checked();
    int want[1000];
    for (int k = 0; k < 1000; k++) want[k] = 7 * k + 7 * (999 - k) + 7;
    gpu_array *t = sevens(g, 1000), *x = gpu_range(g, GPU_INT, 1000);
    test_holds("a map", gpu_map(x, "t[x] + t[t_length - 1 - x] + *(t + 1)", GPU_ARG(t)), GPU_INT, 1000, want);
    test_close(g);
}

Test(check, subscript_in_a_filter)
{
    gpu *g = open_checked();
    gpu_array *t = sevens(g, 10);
    finds("gpu_filter: FIREPILE_CHECK: t[10]", gpu_filter(gpu_range(g, GPU_INT, 11), "t[x] > 3", GPU_ARG(t)));
    test_close(g);
}

Test(check, map_of_two)
{
    gpu *g = open_checked();
    gpu_array *t = sevens(g, 10), *x = gpu_range(g, GPU_INT, 11);
    finds("gpu_map2: FIREPILE_CHECK: t[20]", gpu_map2(x, x, "x < 10 ? 0 : t[x + y]", GPU_ARG(t)));
    test_close(g);
}

Test(check, subscript_in_a_reduction)
{
    gpu *g = open_checked();
    int out = 0;
    gpu_array *t = sevens(g, 10);
    test_fails(GPU_E_RANGE, gpu_reduce(gpu_range(g, GPU_INT, 3000), "a + b + t[77]", &out, GPU_ARG(t)));
    test_has(gpu_error(), "gpu_reduce: FIREPILE_CHECK: t[77]");
    test_close(g);
}

Test(check, several_reductions)
{
    gpu *g = open_checked();
    int out = 0;
    gpu_array *t = sevens(g, 10), *x = gpu_range(g, GPU_INT, 3000);
    test_fails(GPU_E_RANGE, gpu_reduce(gpu_map(x, "t[x % 11]", GPU_ARG(t)), "max(a, b)", &out));
    test_has(gpu_error(), "gpu_map: FIREPILE_CHECK: t[10]");
    test_close(g);
}

Test(check, subscript_in_a_scan)
{
    gpu *g = open_checked();
    gpu_array *t = sevens(g, 10);
    finds("gpu_scan: FIREPILE_CHECK: t[10]", gpu_scan(gpu_range(g, GPU_INT, 3000), "a + b + 0 * t[10]", GPU_ARG(t)));
    test_close(g);
}

Test(check, subscript_in_a_comparator)
{
    gpu *g = open_checked();
    gpu_array *t = sevens(g, 2999);
    finds("t[2999]", gpu_sort_by(gpu_range(g, GPU_INT, 3000), "t[a] < t[b]", GPU_ARG(t)));
    test_close(g);
}

Test(check, subscript_in_a_search)
{
    gpu *g = open_checked();
    gpu_array *t = sevens(g, 10);
    size_t place;
    test_fails(GPU_E_RANGE, gpu_index_if(gpu_range(g, GPU_INT, 3000), "t[x] == 1", &place, GPU_ARG(t)));
    test_has(gpu_error(), "is out of range: there are 10 elements");
    test_close(g);
}

Test(check, subscript_in_a_stencil)
{
    gpu *g = open_checked();
    gpu_array *t = sevens(g, 10), *x = gpu_range(g, GPU_INT, 11);
    finds("gpu_stencil: FIREPILE_CHECK: t[10]", gpu_stencil(x, 1, GPU_EDGE_CLAMP, "t[at(0)] + at(1)", GPU_ARG(t)));
    test_close(g);
}

Test(check, subscript_in_a_product_of_matrices)
{
    gpu *g = open_checked();
    gpu_array *t = sevens(g, 10);
    gpu_matrix *m = gpu_matrix_from(gpu_range(g, GPU_INT, 36), 6, 6);
    finds("is out of range: there are 10 elements",
          gpu_matrix_array(gpu_matrix_multiply_by(m, m, "t[x] + y", "a + b", GPU_ARG(t))));
    test_close(g);
}

/* ---- subscripts that are not checked: see docs/debugging.md ---- */

/* The first of 20 elements. Those behind them are beyond its length, and in its memory. */
static gpu_array *ten_of_sevens(gpu *g)
{
    return gpu_slice(sevens(g, 20), 0, 10);
}

static void reads_beyond(const gpu_array *a)
{
    int want[20];
    for (int k = 0; k < 20; k++) want[k] = 7 * k;
    test_holds("elements beyond the length", a, GPU_INT, 20, want);
}

Test(check, not_in_functions)
{
    gpu *g = open_checked();
    gpu_array *t = ten_of_sevens(g), *x = gpu_range(g, GPU_INT, 20);
    reads_beyond(gpu_map(x, element_of, GPU_ARG(t)));
    reads_beyond(gpu_map(x, "element_of(x, t)", GPU_ARG(t)));
    finds("t[10] is out of range: there are 10 elements", gpu_map(gpu_range(g, GPU_INT, 11), "t[x]", GPU_ARG(t)));
    test_close(g);
}

Test(check, not_in_functions_that_a_kernel_calls)
{
    gpu *g = open_checked();
    gpu_array *t = ten_of_sevens(g), *y;
    test_ok(gpu_spawn(g, ((gpu_space){.groups = 5, .items = 4}), "{ y[i] = element_of(i, t); }", GPU_ARG(t),
                      GPU_RESULT(y, GPU_INT, 20)));
    reads_beyond(y);
    test_close(g);
}

Test(check, not_through_other_pointers)
{
    gpu *g = open_checked();
    gpu_array *t = ten_of_sevens(g), *x = gpu_range(g, GPU_INT, 20);
    reads_beyond(gpu_map(x, "*(t + x)", GPU_ARG(t)));
    reads_beyond(gpu_map(x, "{ GPU_GLOBAL const int *p = t; return p[x]; }", GPU_ARG(t)));
    test_close(g);
}

/* ---- kernels ---- */

Test(check, result_of_a_kernel)
{
    gpu *g = open_checked();
    gpu_array *y;
    test_ok(gpu_spawn(g, ((gpu_space){.groups = 2, .items = 4}), "{ y[i] = 1; }", GPU_RESULT(y, GPU_INT, 7)));
    finds("gpu_spawn: FIREPILE_CHECK: y[7] is out of range: there are 7 elements", y);
    test_close(g);
}

Test(check, result_that_starts_as_a_copy)
{
    gpu *g = open_checked();
    gpu_array *y, *x = gpu_filter(gpu_range(g, GPU_INT, 9), "x > 1");
    test_ok(gpu_spawn(g, ((gpu_space){.groups = 2, .items = 4}), "{ y[i] += 1; }", GPU_RESULT_FROM(y, x)));
    finds("y[7] is out of range: there are 7 elements", y);
    test_close(g);
}

Test(check, result_without_elements)
{
    gpu *g = open_checked();
    gpu_array *y;
    test_ok(gpu_spawn(g, ((gpu_space){.groups = 2, .items = 4}), "{ y[i] = 1; }", GPU_RESULT(y, GPU_INT, 0)));
    test_fails(GPU_E_RANGE, gpu_finish(g));
    test_has(gpu_error(), "is out of range: there are 0 elements");
    test_close(g);
}

Test(check, array_in_a_kernel)
{
    gpu *g = open_checked();
    gpu_array *y, *x = gpu_map(gpu_range(g, GPU_INT, 6), "x + 1");
    test_ok(gpu_spawn(g, ((gpu_space){.groups = 1, .items = 7}), "{ y[i] = x[i]; }", GPU_ARG(x),
                      GPU_RESULT(y, GPU_INT, 7)));
    finds("x[6] is out of range: there are 6 elements", y);
    test_close(g);
}

Test(check, local_memory)
{
    gpu *g = open_checked();
    gpu_array *y;
    test_ok(gpu_spawn(g, ((gpu_space){.groups = 3, .items = 4}),
                      "{ t[item] = item; sync(); y[i] = t[item < 3 || group != 1 ? item : item + 1]; }",
                      GPU_GROUP(t, GPU_INT, 4), GPU_RESULT(y, GPU_INT, 12)));
    finds("t[4] is out of range: there are 4 elements", y);
    test_close(g);
}

/* The size is a part of the kernel, the number of elements is not. */
Test(check, local_memory_of_several_sizes_with_one_text)
{
    gpu *g = open_checked();
    for (int n = 4; n <= 64; n *= 4) {
        int last = 0;
        gpu_array *y = NULL;
        test_ok(gpu_spawn(g, ((gpu_space){.groups = 1, .items = 4}),
                          "{"
                          "    for (int k = (int)item; k < n; k += 4) t[k] = k;"
                          "    sync();"
                          "    if (item == 0) y[0] = t[n - 1];"
                          "}",
                          GPU_ARG(n), GPU_GROUP(t, GPU_INT, (size_t)n), GPU_RESULT(y, GPU_INT, 1)));
        test_ok(gpu_read(y, &last));
        cr_assert_eq(last, n - 1, "%d of %d", last, n);
    }
    test_close(g);
}

Test(check, addresses_of_elements)
{
    gpu *g = open_checked();
    gpu_array *y, *zeros = gpu_fill(g, GPU_INT, &(int){0}, 3);
    test_ok(
        gpu_spawn(g, ((gpu_space){.groups = 1, .items = 4}), "{ atomic_inc(&y[item]); }", GPU_RESULT_FROM(y, zeros)));
    finds("y[3] is out of range: there are 3 elements", y);
    test_close(g);
}

/* Each value that an element may have is written once, so no byte stands for "not written". */
Test(check, element_that_a_kernel_never_writes)
{
    gpu *g = open_checked();
    const gpu_space s = {.groups = 2, .items = 128};
    gpu_array *y;
    test_ok(gpu_spawn(g, s, "{ y[i] = i; }", GPU_RESULT(y, GPU_UCHAR, 256)));
    test_ok(gpu_finish(g));
    test_fails(GPU_E_SNIPPET, gpu_spawn(g, s, "{ if (i != 90) y[i] = i; }", GPU_RESULT(y, GPU_UCHAR, 256)));
    test_has(gpu_error(), "FIREPILE_CHECK: the kernel never writes element 90 of its result 'y'");
    cr_assert_eq(gpu_array_status(y), GPU_E_SNIPPET);
    test_close(g);
}

Test(check, second_of_two_results)
{
    gpu *g = open_checked();
    gpu_array *y, *z;
    test_fails(GPU_E_SNIPPET,
               gpu_spawn(g, ((gpu_space){.groups = 1, .items = 4}), "{ line l = {1, 2}; y[i] = 1; z[i / 2] = l; }",
                         GPU_RESULT(y, GPU_INT, 4), GPU_RESULT(z, GPU_TYPE(line), 3)));
    test_has(gpu_error(), "never writes element 2 of its result 'z'");
    test_close(g);
}

/* The kernel runs twice, on the same copy. */
Test(check, copies_and_counts_begin_anew)
{
    gpu *g = open_checked();
    gpu_array *y, *v, *kept, *count, *x = sevens(g, 4);
    test_ok(gpu_spawn(g, ((gpu_space){.groups = 1, .items = 4}),
                      "{ y[i] = 1; v[i]++; kept[atomic_inc(kept_count)] = 2; }", GPU_RESULT(y, GPU_INT, 4),
                      GPU_RESULT_FROM(v, x), GPU_RESULT(kept, GPU_INT, 9), GPU_RESULT_COUNT(kept, &count)));
    test_holds("the copy", v, GPU_INT, 4, ((int[]){1, 8, 15, 22}));
    test_holds("the number", count, GPU_UINT, 1, ((unsigned[]){4}));
    test_close(g);
}

Test(check, right_kernel_gives_the_same)
{
    gpu *g = open_checked();
    gpu_array *x = gpu_map(gpu_range(g, GPU_INT, 900), "x * 3"), *y, *kept, *count;
    int want[900];
    for (int k = 0; k < 900; k++) want[k] = 3 * (899 - k) + 1;
    test_ok(gpu_spawn(g, gpu_space_of(g, 900),
                      "{\n"
                      "  if (i < x_length) y[x_length - 1 - i] = x[i] + 1;\n"
                      "  if (i < 5) kept[atomic_inc(kept_count)] = x[i] * 0;\n"
                      "}",
                      GPU_ARG(x), GPU_RESULT(y, GPU_INT, 900), GPU_RESULT(kept, GPU_INT, 900),
                      GPU_RESULT_COUNT(kept, &count)));
    test_holds("a kernel", y, GPU_INT, 900, want);
    test_holds("the kept", kept, GPU_INT, 5, ((int[]){0, 0, 0, 0, 0}));
    test_close(g);
}

Test(check, caret_in_a_checked_text)
{
    gpu *g = open_checked();
    gpu_array *x = gpu_range(g, GPU_INT, 5), *y;
    test_fails(GPU_E_SNIPPET, gpu_spawn(g, gpu_space_of(g, 5), "{\n  y[i] = x[x[i]] + missing;\n}", GPU_ARG(x),
                                        GPU_RESULT(y, GPU_INT, 5)));
    test_caret(gpu_error(), "  y[i] = x[x[i]] + missing;", 19);
    test_close(g);
}

/* ---- functions that gpu_compile makes ---- */

/* Its element is an argument of the kernel, and the array beside it is checked. */
Test(check, single_value_of_a_compiled_function)
{
    gpu *g = open_checked();
    gpu_array *x = gpu_symbol(g, GPU_INT), *cut = gpu_symbol_value(g, GPU_INT), *t = sevens(g, 10);
    gpu_status (*function)(int *out, const gpu_array *x, int cut) = NULL;
    int sum = 5;
    test_ok(gpu_compile(&function, gpu_reduced(gpu_map(x, "x > cut[0] ? t[x] : 0", GPU_ARG(cut), GPU_ARG(t)), "a + b"),
                        x, cut));
    test_ok(function(&sum, gpu_range(g, GPU_INT, 10), 7));
    cr_assert_eq(sum, 7 * (8 + 9));
    test_fails(GPU_E_RANGE, function(&sum, gpu_range(g, GPU_INT, 12), 7));
    test_has(gpu_error(), "t[10] is out of range: there are 10 elements");
    test_close(g);
}

Test(check, each_call_of_a_compiled_function)
{
    gpu *g = open_checked();
    gpu_array *x = gpu_symbol(g, GPU_INT), *t = sevens(g, 10), *y;
    gpu_status (*function)(gpu_array * *y, const gpu_array *x) = NULL;
    test_ok(gpu_compile(&function, gpu_scan(gpu_map(x, "t[x]", GPU_ARG(t)), "a + b"), x));
    test_ok(function(&y, gpu_range(g, GPU_INT, 11)));
    finds("t[10] is out of range", y);
    test_ok(function(&y, gpu_range(g, GPU_INT, 2)));
    test_holds("a later call", y, GPU_INT, 2, ((int[]){0, 7}));
    test_ok(gpu_finish(g));
    test_close(g);
}
