/* gpu_scan, gpu_scan_exclusive: what they are made of and what becomes of them, what they cost, what they refuse. */
#include "expressions/gpu.h"
#include "support/line.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>

GPU_STRUCT(two_pairs, unsigned int a; unsigned int b; unsigned int c; unsigned int d;);

Test(scan, keeps_the_maps_before_and_after_it)
{
    gpu *g = test_open();
    for (size_t s = 0; s < test_size_count(785433); s++) {
        const size_t n = test_sizes[s];
        const int64_t k = 3;
        int64_t *want = test_alloc(n, sizeof *want);
        double *want_halves = test_alloc(n, sizeof *want_halves);
        for (size_t i = 0; i < n; i++) want[i] = (int64_t)((i + 1) * (2 * i + 26));
        for (size_t i = 0; i < n; i++) want_halves[i] = (double)want[i] / 2 + (double)i;
        gpu_array *x = gpu_slice(gpu_map(gpu_range(g, GPU_LONG, n + 7), "x * k + i", GPU_ARG(k)), 7, n);
        gpu_array *two = gpu_fill(g, GPU_LONG, &(int64_t){2}, n);
        gpu_array *sums = gpu_scan(gpu_map2(x, two, "x - y"), "a + b"); /* of 4 * (i + 7) - 2 */
        test_holds("a map after a scan", gpu_map_to(sums, GPU_DOUBLE, "x * 0.5 + i"), GPU_DOUBLE, n, want_halves);
        test_holds("a map before a scan", sums, GPU_LONG, n, want);
        free(want);
        free(want_halves);
    }
    test_close(g);
}

Test(scan, scans_the_result_of_a_scan)
{
    gpu *g = test_open();
    gpu_array *first = gpu_scan(gpu_fill(g, GPU_LONG, &(int64_t){1}, 4000), "a + b"); /* used three times */
    gpu_array *second = gpu_scan(first, "a + b");
    gpu_array *third = gpu_scan_exclusive(gpu_map2(second, first, "x - y"), &(int64_t){0}, "a + b");
    int64_t sums[4000], sums_of_sums[4000];
    for (int64_t i = 0; i < 4000; i++) sums[i] = (i + 1) * (i + 2) / 2, sums_of_sums[i] = (i + 1) * i / 2 * (i - 1) / 3;
    test_holds("the second", second, GPU_LONG, 4000, sums);
    test_holds("the third", third, GPU_LONG, 4000, sums_of_sums);
    gpu_array *table = gpu_map(gpu_range(g, GPU_LONG, 4000), "first[x] + x", GPU_ARG(first));
    test_holds_steps("the table", table, GPU_LONG, 4000, 1, 2);
    test_close(g);
}

Test(scan, leaves_its_input_as_it_is) /* S20 */
{
    gpu *g = test_open();
    gpu_array *a = gpu_eval(gpu_fill(g, GPU_FLOAT, &(float){1}, 41000));
    float start = 1;
    gpu_array *inclusive = gpu_scan(a, "a + b"), *exclusive = gpu_scan_exclusive(a, &start, "a + b");
    start = 77;
    test_holds_steps("the input of a scan", a, GPU_FLOAT, 41000, 1, 0);
    gpu_array_free(a);
    test_holds_steps("the scan of a freed array", inclusive, GPU_FLOAT, 41000, 1, 1);
    test_holds_steps("the exclusive scan of a freed array", exclusive, GPU_FLOAT, 41000, 1, 1);
    test_close(g);
}

Test(scan, refuses_a_start_of_another_type)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    line pair = {1, 2};
    two_pairs four = {1, 2, 3, 4};
    gpu_array *pairs = gpu_array_from(g, GPU_TYPE(line), &pair, 1);
    test_array_fails(GPU_E_TYPE, gpu_scan_exclusive(x, &(int){1}, "a + b"));
    gpu_array *deep = test_array_fails(GPU_E_TYPE, gpu_scan_exclusive(x, &(double){1}, "a + b"));
    test_has(gpu_array_error(deep), "float");
    test_array_fails(GPU_E_TYPE, gpu_scan_exclusive(pairs, &four, "a"));        /* structs by size */
    test_array_fails(GPU_E_TYPE, gpu_scan_exclusive(pairs, &(double){1}, "a")); /* as large as the struct */
    test_close(g);
}

Test(scan, refuses_missing_arguments)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    float one = 1;
    int a = 3;
    test_array_fails(GPU_E_ARGUMENT, gpu_scan_exclusive(x, (float *)NULL, "a + b"));
    test_array_fails(GPU_E_ARGUMENT, gpu_scan_exclusive_op(x, NULL, NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_scan_op(x, NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_scan(x, (const char *)NULL));
    test_array_fails(GPU_E_ARGUMENT, gpu_scan(NULL, "a + b"));
    test_array_fails(GPU_E_ARGUMENT, gpu_scan_exclusive(NULL, &one, "a + b"));
    test_array_fails(GPU_E_ARGUMENT, gpu_scan(x, "a + b", GPU_ARG(a))); /* a is the operand */
    test_close(g);
}

Test(scan, passes_on_the_failure_of_its_input)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10), *broken = gpu_slice(x, 5, 6);
    float one = 1;
    test_array_fails(GPU_E_RANGE, gpu_scan(broken, "a + b"));
    test_array_fails(GPU_E_RANGE, gpu_scan_exclusive(broken, &one, "a + b"));
    test_fails(GPU_E_RANGE, gpu_read(gpu_map(gpu_scan(broken, "a + b"), "x + 1"), &one));
    cr_assert_eq(one, 1, "an output was written");
    test_holds_steps("a scan after a failure", gpu_scan(x, "a + b"), GPU_FLOAT, 10, 1, 1);
    test_close(g);
}

Test(scan, an_error_in_its_operator_names_call_and_column)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    char place[64];
    snprintf(place, sizeof place, "test_scan_inputs.c:%d", __LINE__ + 1);
    gpu_array *y = test_array_fails(GPU_E_SNIPPET, gpu_scan(x, "a + b * frobnicate"));
    test_has(gpu_array_error(y), place);
    test_has(gpu_array_error(y), "gpu_scan");
    test_has(gpu_array_error(y), "undeclared identifier");
    test_caret(gpu_array_error(y), "a + b * frobnicate", 8);
    y = test_array_fails(GPU_E_SNIPPET,
                         gpu_scan_exclusive(x, &(float){0}, "{\n    float t = a;\n    return t + missing;\n}"));
    test_has(gpu_array_error(y), "gpu_scan_exclusive");
    test_caret(gpu_array_error(y), "return t + missing;", 11);
    test_holds_steps("a scan after a bad snippet", gpu_scan(x, "a + b"), GPU_FLOAT, 10, 1, 1);
    test_close(g);
}

Test(scan, an_error_in_a_map_before_it_names_the_map)
{
    gpu *g = test_open();
    gpu_array *x = gpu_fill(g, GPU_FLOAT, &(float){1}, 10);
    gpu_array *y = test_array_fails(GPU_E_SNIPPET, gpu_scan(gpu_map(x, "x * nonsense"), "a + b"));
    test_has(gpu_array_error(y), "gpu_map");
    test_caret(gpu_array_error(y), "x * nonsense", 4);
    test_close(g);
}

Test(scan, finds_an_unbalanced_parenthesis_at_the_call)
{
    gpu *g = test_open();
    gpu_array *y = gpu_scan(gpu_fill(g, GPU_FLOAT, &(float){1}, 10), "a + b) * 2");
    cr_assert_eq(gpu_array_status(y), GPU_E_SNIPPET, "found only when the array is needed");
    test_caret(gpu_array_error(y), "a + b) * 2", 5);
    test_close(g);
}

Test(scan, takes_one_launch_and_no_wait)
{
    gpu *g = test_open();
    static int got[5000];
    gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, 5000));
    for (int round = 0; round < 3; round++) { /* the first one builds */
        gpu_stats before = test_stats(g);
        gpu_array *sums = gpu_eval(gpu_scan(gpu_map(gpu_map(x, "x + 1"), "x * 2"), "a + b"));
        gpu_stats after = test_stats(g);
        uint64_t launches = after.kernels_launched - before.kernels_launched, most = getenv("FIREPILE_POLICY") ? 2 : 1;
        test_ok(gpu_read(sums, got));
        for (int i = 0; i < 5000; i++) cr_assert_eq(got[i], (i + 1) * (i + 2), "element %d is %d", i, got[i]);
        if (round == 0 || test_on_host() || test_eager() || test_tiny()) continue;
        cr_assert(launches >= 1 && launches <= most, "%d launches, wanted %d", (int)launches, (int)most);
        cr_assert_eq(after.waits, before.waits, "gpu_scan waits");
        cr_assert_eq(after.programs_built, before.programs_built, "built again in round %d", round);
        cr_assert_eq(test_stats(g).waits, after.waits + 1, "one read, one wait");
    }
    test_close(g);
}

/* The first scan may wait for a compiler. */
Test(scan, of_more_elements_than_any_before_does_not_wait)
{
    if (test_small()) cr_skip_test("a million elements take long in a simulator");
    gpu *g = test_open();
    unsigned long waits = 0;
    for (size_t n = 2000; n <= 1 << 20; n *= 8) {
        gpu_array *x = gpu_eval(gpu_range(g, GPU_INT, n));
        const gpu_stats before = test_stats(g);
        gpu_eval(gpu_scan(x, "max(a, b)"));
        if (n > 2000) waits += test_stats(g).waits - before.waits;
    }
    cr_assert(test_verifies() || !waits, "%lu waits", waits);
    test_close(g);
}

/* The sums of the doubled elements of 0, ..., n - 1 whose remainder is `rest`. */
static void check_filtered(gpu *g, size_t n, int64_t step, int64_t rest)
{
    char what[80];
    snprintf(what, sizeof what, "those of %zu with x %% %d == %d", n, (int)step, (int)rest);
    int64_t *want = test_alloc(n, sizeof *want), largest = 77, sum = 0;
    size_t kept = 0;
    for (int64_t x = rest; rest < step && x < (int64_t)n; x += step) want[kept++] = sum += 2 * x;
    gpu_array *x = gpu_eval(gpu_range(g, GPU_LONG, n));
    gpu_stats before = test_stats(g);
    gpu_array *some = gpu_filter(x, "x % step == rest", GPU_ARG(step), GPU_ARG(rest));
    gpu_array *sums = gpu_scan(gpu_map(some, "x * 2"), "a + b");
    test_ok(gpu_fold(sums, &(int64_t){-1}, "max(a, b)", &largest));
    gpu_stats after = test_stats(g);
    bool warm = after.programs_built == before.programs_built && after.programs_loaded == before.programs_loaded;
    cr_assert_eq(largest, kept ? sum : -1, "%s: %lld", what, (long long)largest);
    bool counted = warm && !test_on_host() && !test_eager() && !test_tiny();
    if (counted) cr_assert_eq(after.waits, before.waits + 1, "%s", what);
    test_holds(what, sums, GPU_LONG, kept, want);
    free(want);
}

Test(scan, takes_a_length_that_only_the_device_knows)
{
    gpu *g = test_open();
    if (g->capabilities->cpu) g->policy.join_after = 0; /* PoCL 3.1 loses a struct's member in a joined kernel */
    for (size_t k = 1; k < test_size_count(785433); k++) {
        gpu_scope *scope = gpu_scope_begin(g);
        size_t n = test_sizes[k];
        check_filtered(g, n, 3, 0);
        check_filtered(g, n, 1, 0);
        check_filtered(g, n, 1, 1);
        gpu_scope_end(scope);
    }
    test_close(g);
}
