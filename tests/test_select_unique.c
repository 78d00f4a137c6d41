/* gpu_unique, gpu_unique_by: which element of each run they keep, and what they refuse. */
#include "support/functions.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GPU_STRUCT(entry, unsigned int key; unsigned int index;);
GPU_FUNCTION(int, same_key, (entry p, entry q), { return p.key == q.key; });
GPU_FUNCTION(int, near, (int p, int q, int most), { return abs(q - p) <= most; });
GPU_FUNCTION(int, halved_is_same, (int p, int q), { return p / 2 == q / 2; });

/* Runs of `run` equal elements. */
static void check_unique(gpu *g, gpu_type type, size_t n, size_t run)
{
    char *data = test_alloc(n, type->size), *want = test_alloc(n, type->size), what[64];
    size_t runs = 0;
    for (size_t i = 0; i < n; i++) {
        test_put(type, data, i, test_whole(type, (int64_t)(i / run % 100)));
        if (i % run == 0) memcpy(want + runs++ * type->size, data + i * type->size, type->size);
    }
    snprintf(what, sizeof what, "%zu elements in runs of %zu", n, run);
    gpu_array *a = gpu_array_from(g, type, data, n);
    test_holds(what, gpu_unique(a), type, runs, want);
    gpu_array_free(a);
    free(data);
    free(want);
}

Test(unique, keeps_one_of_each_run_across_tiles)
{
    gpu *g = test_open();
    static const size_t runs[] = {1, 2, 3, 64, 1000, 30011, 100000000};
    for (size_t k = 0; k < test_size_count(785433) * COUNT_OF(runs); k++)
        check_unique(g, GPU_INT, test_sizes[k / COUNT_OF(runs)], runs[k % COUNT_OF(runs)]);
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        if (test_full() || t % 3 == 0) check_unique(g, test_scalars[t], 1000, 3);
    }
    test_close(g);
}

Test(unique, keeps_every_nan_and_the_first_zero) /* F14 */
{
    gpu *g = test_open();
    float f[] = {1, NAN, NAN, -0.0f, 0.0f, 2, 2, 1}, f_want[] = {1, NAN, NAN, -0.0f, 2, 1}, f_got[6];
    size_t n = 77;
    test_ok(gpu_read_n(gpu_unique(gpu_array_of(g, f, 8)), f_got, 6, &n));
    cr_assert_eq(n, 6, "%zu floats", n);
    test_same("floats", GPU_FLOAT, 6, f_got, f_want);
    cr_assert(signbit(f_got[3]), "of -0 and 0 the second was kept");
    test_close(g);
}

Test(unique, compares_the_components_of_vectors_without_padding)
{
    gpu *g = test_open();
    gpu_int3 v[] = {{1, 2, 3, 7}, {1, 2, 3, 8}, {1, 2, 4, 8}}, v_want[] = {{1, 2, 3, 7}, {1, 2, 4, 8}};
    test_holds("int3", gpu_unique(gpu_array_of(g, v, 3)), GPU_INT3, 2, v_want);
    test_close(g);
}

Test(unique, is_filtered_mapped_and_reduced)
{
    gpu *g = test_open();
    int data[] = {1, 0, 1, 0, 0, 2, 3, 0, 3, 2, 9}, want[] = {1, 2, 3, 2, 9}, halves[] = {0, 1, 4}, sum = 77;
    gpu_array *x = gpu_array_of(g, data, 11);
    test_holds("after a filter", gpu_unique(gpu_filter(x, "x")), GPU_INT, 5, want);
    test_holds("again", gpu_unique(gpu_unique(gpu_filter(x, "x"))), GPU_INT, 5, want);
    test_holds("of a map", gpu_unique(gpu_map(gpu_unique(gpu_filter(x, "x")), "x / 2")), GPU_INT, 3, halves);
    test_ok(gpu_reduce(gpu_map(gpu_unique(x), "x * 10"), "a + b", &sum));
    cr_assert_eq(sum, 210, "%d", sum);
    test_holds("after unique", gpu_filter(gpu_unique(x), "i < 3"), GPU_INT, 3, data);
    test_holds("a slice", gpu_unique(gpu_slice(x, 3, 2)), GPU_INT, 1, data + 3);
    test_close(g);
}

/* Groups of `run` entries with one key each; the first of each stays. */
static void check_unique_by(gpu *g, size_t n, size_t run)
{
    entry *data = test_alloc(n, sizeof *data), *want = test_alloc(n, sizeof *want);
    size_t runs = 0;
    char what[64];
    for (size_t i = 0; i < n; i++) {
        data[i] = (entry){(unsigned)(i / run % 100), (unsigned)i};
        if (i % run == 0) want[runs++] = data[i];
    }
    snprintf(what, sizeof what, "%zu structs in runs of %zu", n, run);
    gpu_array *a = gpu_array_from(g, GPU_TYPE(entry), data, n);
    test_holds(what, gpu_unique_by(a, same_key), GPU_TYPE(entry), runs, want);
    gpu_array_free(a);
    free(data);
    free(want);
}

Test(unique_by, keeps_one_of_each_run_of_equal_keys)
{
    gpu *g = test_open();
    static const size_t runs[] = {1, 3, 1000};
    for (size_t k = 0; k < test_size_count(70001) * COUNT_OF(runs); k++)
        check_unique_by(g, test_sizes[k / COUNT_OF(runs)], runs[k % COUNT_OF(runs)]);
    test_close(g);
}

Test(unique_by, compares_neighbours_by_functions_and_captured_values)
{
    gpu *g = test_open();
    int data[] = {1, 2, 3, 9, 9, 10, 5, 4}, most = 1;
    gpu_array *x = gpu_array_of(g, data, 8);
    gpu_array *steps = gpu_unique_by(x, near, GPU_ARG(most)); /* 2 is near 1, and 3 near 2, which is dropped */
    test_holds("neighbours, with a capture", steps, GPU_INT, 3, (int[]){1, 9, 5});
    test_holds("after a filter", gpu_unique_by(gpu_filter(x, is_odd), near, GPU_ARG(most)), GPU_INT, 4,
               (int[]){1, 3, 9, 5});
    test_holds("used further", gpu_map(gpu_unique_by(gpu_map(x, twice), halved_is_same), twice), GPU_INT, 7,
               (int[]){4, 8, 12, 36, 40, 20, 16});
    test_holds("one", gpu_unique_by(gpu_slice(x, 3, 1), near, GPU_ARG(most)), GPU_INT, 1, data + 3);
    test_close(g);
}

Test(unique, refuses_structs_and_names_unique_by)
{
    gpu *g = test_open();
    entry e = {1, 2};
    test_array_fails(GPU_E_TYPE, gpu_unique(gpu_array_from(g, GPU_TYPE(entry), &e, 1)));
    test_has(gpu_error(), "struct entry has no == of its own: give an operator to gpu_unique_by");
    test_close(g);
}

Test(unique_by, refuses_wrong_operators)
{
    gpu *g = test_open();
    gpu_array *x = gpu_eval(gpu_range(g, GPU_FLOAT, 10));
    entry e = {1, 2};
    test_array_fails(GPU_E_SNIPPET, gpu_unique_by(gpu_array_from(g, GPU_TYPE(entry), &e, 1), "a == b"));
    test_caret(gpu_error(), "a == b", 2);
    test_array_fails(GPU_E_SNIPPET, gpu_unique_by(x, "a = b"));
    test_has(gpu_error(), "a = b");
    test_array_fails(GPU_E_SNIPPET, gpu_unique_by(x, "x == i"));
    test_array_fails(GPU_E_TYPE, gpu_unique_by(x, same_key));
    test_has(gpu_error(), "gpu_unique_by");
    test_close(g);
}
