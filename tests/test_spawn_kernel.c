/* GPU_KERNEL: kernels that are C too, on the device and on the host. */
#include "support/line.h"
#include "support/refusals.h"

#include <stdlib.h>
#include <string.h>

GPU_FUNCTION(float, combine, (float a, float b), { return a + b; });
GPU_CONSTANT(STEP, 3);
GPU_FUNCTION(int, twice_of_seven, (int x), { return 14 * x; });

GPU_KERNEL(add_up, (GPU_GLOBAL const float *x, uint64_t x_length, GPU_LOCAL_MEMORY float *data, GPU_GLOBAL float *part),
           {
               data[item] = i < x_length ? x[i] : 0;
               sync();
               for (unsigned k = ITEMS / 2; k > 0; k /= 2) {
                   if (item < k) data[item] = combine(data[item], data[item + k]);
                   sync();
               }
               if (item == 0) part[group] = data[0];
           });

GPU_KERNEL(scale, (GPU_GLOBAL const int *x, uint64_t x_length, int k, line l, GPU_GLOBAL int *y), {
    if (i >= x_length) return;
    y[i] = x[x_length - 1 - i] * k + STEP + (int)(l.m * (unsigned)i + l.c);
});

GPU_KERNEL(keep_sevenths,
           (GPU_GLOBAL const int *x, uint64_t x_length, GPU_GLOBAL int *kept, GPU_GLOBAL uint32_t *kept_count), {
               if (i < x_length && x[i] % 7 == 0) kept[atomic_inc(kept_count)] = x[i];
           });

GPU_KERNEL(turn,
           (GPU_GLOBAL const int *x, uint32_t rows, uint32_t columns, GPU_LOCAL_MEMORY int *tile, GPU_GLOBAL int *y), {
               const int inside = row < rows && column < columns;
               if (inside) tile[item_column * ITEM_ROWS + item_row] = x[row * columns + column];
               sync();
               if (inside) y[column * rows + row] = tile[item_column * ITEM_ROWS + item_row];
           });

GPU_KERNEL(negate_odd, (GPU_GLOBAL int *v), { v[2 * i + 1] = -v[2 * i + 1]; });

GPU_KERNEL(uneven, (GPU_LOCAL_MEMORY int *t, GPU_GLOBAL int *y), {
    t[item] = 1;
    if (item < 3) sync();
    y[i] = t[0];
});

GPU_KERNEL(leaves_early, (GPU_LOCAL_MEMORY int *t, GPU_GLOBAL int *y), {
    if (i >= 3) return;
    t[item] = 1;
    sync();
    y[i] = t[item];
});
GPU_KERNEL(barriers_by_item, (GPU_GLOBAL int *y), {
    for (unsigned k = 0; k < item; k++) sync();
    y[i] = 1;
});

GPU_KERNEL(unwritten_local, (GPU_LOCAL_MEMORY int *t, GPU_GLOBAL int *y), { y[i] = t[item]; });
GPU_KERNEL(adds_to_itself, (GPU_GLOBAL int *y), { y[i] += 1; });
GPU_KERNEL(racing, (GPU_LOCAL_MEMORY int *t, GPU_GLOBAL int *y), {
    t[item] = (int)item;
    y[i] = t[(item + 1) % ITEMS];
});
GPU_KERNEL(last_wins, (GPU_GLOBAL int *v, GPU_GLOBAL int *y), {
    y[i] = 1;
    v[3] = (int)i;
});
GPU_KERNEL(half_written, (GPU_GLOBAL int *y), {
    if (i % 2 == 0) y[i] = 1;
});

GPU_KERNEL(count_all,
           (GPU_GLOBAL const int *x, uint64_t x_length, unsigned most, GPU_GLOBAL int *kept,
            GPU_GLOBAL uint32_t *kept_count),
           {
               if (i >= x_length) return;
               const unsigned k = atomic_inc(kept_count);
               if (k < most) kept[k] = x[i];
           });
GPU_KERNEL(count_two,
           (GPU_GLOBAL int *few, GPU_GLOBAL uint32_t *few_count, GPU_GLOBAL int *many, GPU_GLOBAL uint32_t *many_count),
           {
               if (i < 5) few[atomic_inc(few_count)] = 1;
               if (atomic_add(many_count, 1) == 0) many[0] = 1;
           });

GPU_KERNEL(wrong_type, (double k, GPU_GLOBAL int *y), { y[i] = (int)k; });
GPU_KERNEL(constant_result, (GPU_GLOBAL const int *y, GPU_GLOBAL int *z), { z[i] = y[i]; });
GPU_KERNEL(word_of_devices, (GPU_GLOBAL int *y), {
    const int half = 2;
    y[i] = half;
});
GPU_KERNEL(bare_pointer, (int *y), { y[i] = 1; });
GPU_KERNEL(neighbours, (GPU_GLOBAL int *y), {
    const int column = 4, before = i > 0 ? (int)i - 1 : 0;
    y[i] = before + column;
});

GPU_KERNEL(take_lengths,
           (GPU_GLOBAL uint64_t * v, uint64_t v_length, GPU_GLOBAL uint64_t *y, uint64_t y_length,
            GPU_LOCAL_MEMORY int *t, uint64_t t_length),
           {
               if (i < v_length) v[i] += v_length;
               if (i > 0) return;
               y[0] = y_length;
               y[1] = t_length;
           });

GPU_KERNEL(without_sync, (GPU_LOCAL_MEMORY int *t, GPU_GLOBAL int *y), {
    t[item] = (int)item;
    if (item == 0)
        for (unsigned k = 1; k < ITEMS; k++) t[0] += t[k];
    if (item == 0) y[group] = t[0];
});
GPU_KERNEL(local_parameter, (GPU_GLOBAL int *t, GPU_GLOBAL int *y), { y[i] = t[0]; });
GPU_KERNEL(value_parameter, (int x, GPU_GLOBAL int *y), { y[i] = x; });

GPU_KERNEL(one_before, (GPU_GLOBAL int *y), {
    const int at = (int)i - 1;
    y[at] = y[i] = 1;
});
GPU_KERNEL(spilling, (GPU_LOCAL_MEMORY int *t, GPU_GLOBAL int *y), {
    t[item == 0 ? 40 : item] = 1;
    y[i] = 1;
});

/* ---- both sides ---- */

static void check_sum(gpu *g, size_t n)
{
    gpu_scope *scope = gpu_scope_begin(g);
    float *values = test_alloc(n + 1, sizeof *values), sum = 0, want = 0;
    for (size_t k = 0; k < n; k++) want += values[k] = (float)(k % 7);
    gpu_array *x = gpu_array_of(g, values, n), *part;
    gpu_space s = gpu_space_of(g, n);
    test_ok(gpu_spawn(g, s, add_up, GPU_ARG(x), GPU_GROUP(data, GPU_FLOAT, s.items),
                      GPU_RESULT(part, GPU_FLOAT, s.groups)));
    test_ok(gpu_sum(part, &sum));
    cr_assert_eq(sum, want, "%zu elements: %g, not %g", n, sum, want);
    free(values);
    gpu_scope_end(scope);
}

static void check_all(gpu *g)
{
    enum { N = 1000, ROWS = 19, COLUMNS = 35 };
    const size_t sizes[] = {0, 1, 2, 255, 256, 257, 3000};
    for (size_t k = 0; k < COUNT_OF(sizes); k++) check_sum(g, sizes[k]);

    int data[N], want[N];
    const int k = 5;
    const line l = {3, 4};
    for (int e = 0; e < N; e++) data[e] = e * 7 % 101;
    for (int e = 0; e < N; e++) want[e] = data[N - 1 - e] * k + 3 + (int)(l.m * (unsigned)e + l.c);
    gpu_array *x = gpu_array_of(g, data, N), *y, *kept, *count, *v;
    test_ok(gpu_spawn(g, gpu_space_of(g, N), scale, GPU_ARG(x), GPU_ARG(k), GPU_ARG_AS(l, GPU_TYPE(line), l),
                      GPU_RESULT(y, GPU_INT, N)));
    test_holds("values", y, GPU_INT, N, want);

    x = gpu_range(g, GPU_INT, N);
    test_ok(gpu_spawn(g, gpu_space_of(g, N), keep_sevenths, GPU_ARG(x), GPU_RESULT(kept, GPU_INT, N),
                      GPU_RESULT_COUNT(kept, &count)));
    for (int e = 0; e < N; e++) want[e] = 7 * e;
    test_holds("the kept", gpu_sort(kept), GPU_INT, (N + 6) / 7, want);
    test_holds("their number", count, GPU_UINT, 1, &(unsigned){(N + 6) / 7});

    test_ok(gpu_spawn(g, ((gpu_space){.groups = 1, .items = 3}), negate_odd, GPU_RESULT_FROM(v, x)));
    for (int e = 0; e < N; e++) want[e] = e < 6 && e % 2 ? -e : e;
    test_holds("the copy", v, GPU_INT, N, want);

    const uint32_t rows = ROWS, columns = COLUMNS;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) want[c * ROWS + r] = data[r * COLUMNS + c] = 100 * r + c;
    x = gpu_array_of(g, data, ROWS * COLUMNS);
    const gpu_space s = gpu_space_of_2(g, ROWS, COLUMNS);
    test_ok(gpu_spawn(g, s, turn, GPU_ARG(x), GPU_ARG(rows), GPU_ARG(columns), GPU_GROUP(tile, GPU_INT, s.items),
                      GPU_RESULT(y, GPU_INT, ROWS * COLUMNS)));
    test_holds("the transpose", y, GPU_INT, ROWS * COLUMNS, want);
}

Test(spawn_kernel, on_the_device)
{
    gpu *g = test_open();
    check_all(g);
    test_close(g);
}

Test(spawn_kernel, on_the_host)
{
    gpu *g = test_open_side(true);
    check_all(g);
    test_close(g);
}

Test(spawn_kernel, delayed_inputs_on_the_host)
{
    gpu *g = test_open_side(true);
    gpu_array *x = gpu_map(gpu_range(g, GPU_INT, 7), twice_of_seven), *kept;
    test_ok(gpu_spawn(g, gpu_space_of(g, 7), keep_sevenths, GPU_ARG(x), GPU_RESULT(kept, GPU_INT, 7),
                      GPU_RESULT_COUNT(kept, NULL)));
    cr_assert_eq(gpu_length(kept), 7);
    test_close(g);
}

Test(spawn_kernel, result_from_a_delayed_array)
{
    for (int host = 0; host < 2; host++) {
        gpu *g = test_open_side(host);
        gpu_array *x = gpu_reverse(gpu_map(gpu_range(g, GPU_INT, 6), twice_of_seven)), *v;
        test_ok(gpu_spawn(g, ((gpu_space){.groups = 1, .items = 3}), negate_odd, GPU_RESULT_FROM(v, x)));
        test_holds("the result", v, GPU_INT, 6, ((int[]){70, -56, 42, -28, 14, 0}));
        gpu_close(g);
    }
}

Test(spawn_kernel, lengths_of_results_and_local_memory)
{
    for (int host = 0; host < 2; host++) {
        gpu *g = test_open_side(host);
        gpu_array *x = gpu_filter(gpu_range(g, GPU_ULONG, 9), "x % 3 == 0"), *v, *y;
        test_ok(gpu_spawn(g, gpu_space_of(g, 9), take_lengths, GPU_RESULT_FROM(v, x), GPU_RESULT(y, GPU_ULONG, 2),
                          GPU_GROUP(t, GPU_INT, 5)));
        test_holds("a copy", v, GPU_ULONG, 3, ((uint64_t[]){3, 6, 9}));
        test_holds("other lengths", y, GPU_ULONG, 2, ((uint64_t[]){2, 5}));
        gpu_close(g);
    }
}

Test(spawn_kernel, names_of_other_dimensions_are_free)
{
    gpu *g = test_open();
    gpu_array *y;
    test_ok(gpu_spawn(g, gpu_space_of(g, 3), neighbours, GPU_RESULT(y, GPU_INT, 4)));
    test_close(g);
}

/* A kernel may be called by hand. */
Test(spawn_kernel, is_a_function)
{
    int y[2] = {7, 7};
    neighbours(y);
    cr_assert_eq(y[0], 4);
}

/* ---- mistakes ---- */

static void refuses(gpu_status wanted, const char *part, gpu_status got)
{
    cr_assert_eq(got, wanted, "%s", gpu_error());
    test_has(gpu_error(), part);
}

Test(spawn_kernel, barrier_that_some_items_miss)
{
    gpu *g = test_open_side(true);
    gpu_array *y;
    refuses(GPU_E_SNIPPET, "uneven",
            gpu_spawn(g, ((gpu_space){.groups = 3, .items = 8}), uneven, GPU_GROUP(t, GPU_INT, 8),
                      GPU_RESULT(y, GPU_INT, 24)));
    test_has(gpu_error(), "in group 0 item 2 waits at a sync(), and item 7 has ended");
    cr_assert_eq(gpu_array_status(y), GPU_E_SNIPPET);
    test_ok(gpu_spawn(g, ((gpu_space){.groups = 3, .items = 3}), uneven, GPU_GROUP(t, GPU_INT, 8),
                      GPU_RESULT(y, GPU_INT, 24)));
    test_close(g);
}

Test(spawn_kernel, item_that_leaves_before_a_barrier)
{
    gpu *g = test_open_side(true);
    gpu_array *y;
    refuses(GPU_E_SNIPPET, "leaves_early",
            gpu_spawn(g, ((gpu_space){.groups = 1, .items = 8}), leaves_early, GPU_GROUP(t, GPU_INT, 8),
                      GPU_RESULT(y, GPU_INT, 8)));
    test_has(gpu_error(), "in group 0 item 2 waits at a sync(), and item 7 has ended");
    test_close(g);
}

Test(spawn_kernel, items_with_different_numbers_of_barriers)
{
    gpu *g = test_open_side(true);
    gpu_array *y;
    refuses(GPU_E_SNIPPET, "has a barrier that not all items reach: in group 0 item 3 waits at a sync(), and item 0",
            gpu_spawn(g, ((gpu_space){.groups = 1, .items = 4}), barriers_by_item, GPU_RESULT(y, GPU_INT, 4)));
    test_close(g);
}

/* ---- counts beyond the length ---- */

static const char too_many[] = "gpu_spawn: the kernel counted 7 elements of its result 'kept', and 4 fit: give the "
                               "result a larger length";

Test(spawn_kernel, count_beyond_the_length)
{
    for (int host = 0; host < 2; host++) {
        gpu *g = test_open_side(host);
        const unsigned most = 4;
        gpu_array *x = gpu_range(g, GPU_INT, 7), *kept, *count, *v;
        test_ok(gpu_spawn(g, gpu_space_of(g, 7), count_all, GPU_ARG(x), GPU_ARG(most), GPU_RESULT(kept, GPU_INT, 4),
                          GPU_RESULT_COUNT(kept, &count), GPU_RESULT_FROM(v, x)));
        int data[7];
        unsigned number;
        test_fails(GPU_E_RANGE, gpu_read(gpu_scan(kept, "a + b"), data));
        test_has(gpu_error(), too_many);
        test_fails(GPU_E_RANGE, gpu_read(count, &number));
        test_fails(GPU_E_RANGE, gpu_read(v, data));
        gpu_close(g);
    }
}

Test(spawn_kernel, count_of_the_whole_length)
{
    for (int host = 0; host < 2; host++) {
        gpu *g = test_open_side(host);
        const unsigned most = 7;
        gpu_array *x = gpu_range(g, GPU_INT, 7), *kept;
        test_ok(gpu_spawn(g, gpu_space_of(g, 7), count_all, GPU_ARG(x), GPU_ARG(most), GPU_RESULT(kept, GPU_INT, 7),
                          GPU_RESULT_COUNT(kept, NULL)));
        test_ok(gpu_finish(g));
        cr_assert_eq(gpu_length(kept), 7);
        gpu_close(g);
    }
}

Test(spawn_kernel, finish_reports_a_count)
{
    for (int host = 0; host < 2; host++) {
        gpu *g = test_open_side(host);
        const unsigned most = 4;
        gpu_array *x = gpu_range(g, GPU_INT, 7), *kept;
        test_ok(gpu_spawn(g, gpu_space_of(g, 7), count_all, GPU_ARG(x), GPU_ARG(most), GPU_RESULT(kept, GPU_INT, 4),
                          GPU_RESULT_COUNT(kept, NULL)));
        test_fails(GPU_E_RANGE, gpu_finish(g));
        test_has(gpu_error(), too_many);
        test_ok(gpu_finish(g));
        gpu_close(g);
    }
}

Test(spawn_kernel, count_names_its_result)
{
    for (int host = 0; host < 2; host++) {
        gpu *g = test_open_side(host);
        gpu_array *few, *many;
        test_ok(gpu_spawn(g, ((gpu_space){.groups = 2, .items = 4}), count_two, GPU_RESULT(few, GPU_INT, 8),
                          GPU_RESULT(many, GPU_INT, 3), GPU_RESULT_COUNT(few, NULL), GPU_RESULT_COUNT(many, NULL)));
        test_fails(GPU_E_RANGE, gpu_finish(g));
        test_has(gpu_error(), "counted 8 elements of its result 'many', and 3 fit");
        gpu_close(g);
    }
}

/* The failure of one call is none of the next. */
Test(spawn_kernel, count_in_a_compiled_function)
{
    for (int host = 0; host < 2; host++) {
        gpu *g = test_open_side(host);
        const unsigned most = 4;
        gpu_array *x = gpu_symbol(g, GPU_INT), *kept, *made;
        test_ok(gpu_spawn(g, gpu_space_of(g, 7), count_all, GPU_ARG(x), GPU_ARG(most), GPU_RESULT(kept, GPU_INT, 4),
                          GPU_RESULT_COUNT(kept, NULL)));
        gpu_status (*function)(gpu_array * *kept, const gpu_array *x) = NULL;
        test_ok(gpu_compile(&function, kept, x));
        test_ok(function(&made, gpu_range(g, GPU_INT, 7)));
        int data[7];
        test_fails(GPU_E_RANGE, gpu_read(made, data));
        test_has(gpu_error(), too_many);
        test_ok(function(&made, gpu_range(g, GPU_INT, 3)));
        test_ok(gpu_finish(g));
        cr_assert_eq(gpu_length(made), 3);
        gpu_close(g);
    }
}

/* ---- FIREPILE_CHECK ---- */

Test(spawn_kernel, check_finds_nothing)
{
    setenv("FIREPILE_CHECK", "1", 1);
    gpu *g = test_open_side(true);
    check_all(g);
    test_close(g);
}

Test(spawn_kernel, check_finds_races)
{
    setenv("FIREPILE_CHECK", "1", 1);
    gpu *g = test_open_side(true);
    const gpu_space s = {.groups = 3, .items = 8};
    gpu_array *zeros = gpu_fill(g, GPU_INT, &(int){0}, 24), *v, *y;
    refuses(GPU_E_SNIPPET, "racing", gpu_spawn(g, s, racing, GPU_GROUP(t, GPU_INT, 8), GPU_RESULT(y, GPU_INT, 24)));
    test_has(gpu_error(), "has a race, or reads what nothing has written: element 0 of 'y' is");
    refuses(GPU_E_SNIPPET, "element 3 of 'v' is 23, and 0 when the items run in another order",
            gpu_spawn(g, s, last_wins, GPU_RESULT_FROM(v, zeros), GPU_RESULT(y, GPU_INT, 24)));
    cr_assert_eq(gpu_array_status(y), GPU_E_SNIPPET);
    test_close(g);
}

Test(spawn_kernel, check_finds_a_missing_barrier)
{
    setenv("FIREPILE_CHECK", "1", 1);
    gpu *g = test_open_side(true);
    gpu_array *y;
    refuses(GPU_E_SNIPPET, "has a race, or reads what nothing has written: element 0 of 'y' is",
            gpu_spawn(g, ((gpu_space){.groups = 3, .items = 8}), without_sync, GPU_GROUP(t, GPU_INT, 8),
                      GPU_RESULT(y, GPU_INT, 3)));
    test_close(g);
}

Test(spawn_kernel, check_finds_reads_of_undefined_memory)
{
    setenv("FIREPILE_CHECK", "1", 1);
    gpu *g = test_open_side(true);
    gpu_array *y;
    const gpu_space s = {.groups = 3, .items = 8};
    const char *const part = "has a race, or reads what nothing has written: element 0 of 'y' is";
    refuses(GPU_E_SNIPPET, part,
            gpu_spawn(g, s, unwritten_local, GPU_GROUP(t, GPU_INT, 8), GPU_RESULT(y, GPU_INT, 24)));
    refuses(GPU_E_SNIPPET, part, gpu_spawn(g, s, adds_to_itself, GPU_RESULT(y, GPU_INT, 24)));
    test_close(g);
}

Test(spawn_kernel, check_finds_what_is_never_written)
{
    for (int host = 0; host < 2; host++) {
        unsetenv("FIREPILE_CHECK");
        gpu *g = test_open_side(host);
        const gpu_space s = {.groups = 3, .items = 8};
        gpu_array *y;
        test_ok(gpu_spawn(g, s, half_written, GPU_RESULT(y, GPU_INT, 24)));
        setenv("FIREPILE_CHECK", "1", 1);
        refuses(GPU_E_SNIPPET, "FIREPILE_CHECK: the kernel half_written (",
                gpu_spawn(g, s, half_written, GPU_RESULT(y, GPU_INT, 24)));
        test_has(gpu_error(), ") never writes element 1 of its result 'y'");
        cr_assert_eq(gpu_array_status(y), GPU_E_SNIPPET);
        gpu_close(g);
    }
}

Test(spawn_kernel, check_finds_writes_behind_a_result)
{
    setenv("FIREPILE_CHECK", "1", 1);
    gpu *g = test_open_side(true);
    const gpu_space s = {.groups = 3, .items = 8};
    gpu_array *y;
    refuses(GPU_E_RANGE, "FIREPILE_CHECK: the kernel neighbours (",
            gpu_spawn(g, s, neighbours, GPU_RESULT(y, GPU_INT, 23)));
    test_has(gpu_error(), ") writes y[23], which is out of range: there are 23 elements");
    refuses(GPU_E_RANGE, "writes y[0], which is out of range: there are 0 elements",
            gpu_spawn(g, s, neighbours, GPU_RESULT(y, GPU_INT, 0)));
    test_ok(gpu_spawn(g, s, neighbours, GPU_RESULT(y, GPU_INT, 24)));
    test_close(g);
}

Test(spawn_kernel, check_finds_writes_before_a_result)
{
    setenv("FIREPILE_CHECK", "1", 1);
    gpu *g = test_open_side(true);
    gpu_array *y;
    refuses(GPU_E_RANGE, "writes y[-1], which is out of range: there are 24 elements",
            gpu_spawn(g, ((gpu_space){.groups = 3, .items = 8}), one_before, GPU_RESULT(y, GPU_INT, 24)));
    test_close(g);
}

Test(spawn_kernel, check_finds_writes_behind_local_memory)
{
    setenv("FIREPILE_CHECK", "1", 1);
    gpu *g = test_open_side(true);
    gpu_array *y;
    const gpu_space s = {.groups = 3, .items = 8};
    refuses(GPU_E_RANGE, "writes t[40], which is out of range: there are 40 elements",
            gpu_spawn(g, s, spilling, GPU_GROUP(t, GPU_INT, 40), GPU_RESULT(y, GPU_INT, 24)));
    test_ok(gpu_spawn(g, s, spilling, GPU_GROUP(t, GPU_INT, 41), GPU_RESULT(y, GPU_INT, 24)));
    test_close(g);
}

/* ---- mistakes ---- */

Test(spawn_kernel, parameters_that_do_not_fit_are_refused)
{
    for (int host = 0; host < 2; host++) {
        gpu *g = test_open_side(host);
        const gpu_space s = gpu_space_of(g, 4);
        gpu_array *y, *z;
        float k = 3;
        refuses(GPU_E_TYPE, "the parameter 'k' of the kernel wrong_type",
                gpu_spawn(g, s, wrong_type, GPU_ARG(k), GPU_RESULT(y, GPU_INT, 4)));
        test_has(gpu_error(), "declare it as float k");
        refuses(GPU_E_ARGUMENT, "the parameter 'k' of the kernel wrong_type",
                gpu_spawn(g, s, wrong_type, GPU_RESULT(y, GPU_INT, 4)));
        refuses(GPU_E_TYPE, "declare it as GPU_GLOBAL int *y",
                gpu_spawn(g, s, constant_result, GPU_RESULT(y, GPU_INT, 4), GPU_RESULT(z, GPU_INT, 4)));
        refuses(GPU_E_TYPE, "declare it as GPU_GLOBAL float *y",
                gpu_spawn(g, s, neighbours, GPU_RESULT(y, GPU_FLOAT, 4)));
        refuses(GPU_E_TYPE, "declare it as GPU_LOCAL_MEMORY int *t",
                gpu_spawn(g, s, local_parameter, GPU_GROUP(t, GPU_INT, 4), GPU_RESULT(y, GPU_INT, 4)));
        gpu_array *x = gpu_range(g, GPU_INT, 4);
        refuses(GPU_E_TYPE, "declare it as GPU_GLOBAL const int *x",
                gpu_spawn(g, s, value_parameter, GPU_ARG(x), GPU_RESULT(y, GPU_INT, 4)));
        refuses(GPU_E_ARGUMENT, "the kernel does not write its result 'z': its text does not name it",
                gpu_spawn(g, s, neighbours, GPU_RESULT(y, GPU_INT, 4), GPU_RESULT(z, GPU_INT, 4)));
        refuses(GPU_E_TYPE, "is no parameter of a kernel", gpu_spawn(g, s, bare_pointer, GPU_RESULT(y, GPU_INT, 4)));
        refuses(GPU_E_ARGUMENT, "takes no operator 'f'",
                gpu_spawn(g, s, neighbours, GPU_RESULT(y, GPU_INT, 4), GPU_ARG_OPERATOR(f, GPU_FLOAT, combine)));
        refuses(GPU_E_ARGUMENT, "combine is no kernel: define it with GPU_KERNEL",
                gpu_spawn(g, s, combine, GPU_RESULT(y, GPU_INT, 4)));
        refuses(GPU_E_SNIPPET, "'half' is a word of OpenCL C",
                gpu_spawn(g, s, word_of_devices, GPU_RESULT(y, GPU_INT, 4)));
        cr_assert_eq(gpu_array_status(gpu_map(gpu_range(g, GPU_INT, 4), neighbours)), GPU_E_ARGUMENT);
        test_has(gpu_error(), "is a GPU_KERNEL, which gpu_spawn alone takes");
        gpu_close(g);
    }
}

Test(spawn_kernel, host_runs_no_texts)
{
    gpu *g = test_open_side(true);
    gpu_array *y;
    refuses(GPU_E_DEVICE, "define it with GPU_KERNEL",
            gpu_spawn(g, gpu_space_of(g, 4), "{ y[i] = 1; }", GPU_RESULT(y, GPU_INT, 256)));
    test_close(g);
}
