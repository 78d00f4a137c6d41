/* gpu_window_reduce: widths and lengths, every scalar type, structs in order, bits of floats, arguments, pipelines. */
#include "support/functions.h"
#include "support/line.h"
#include "support/reference.h"

#include <stdlib.h>
#include <string.h>

GPU_STRUCT(wide, unsigned v[40];);
GPU_FUNCTION(wide, add_wide, (wide p, wide q), {
    for (int k = 0; k < 40; k++) p.v[k] += q.v[k];
    return p;
});

static const size_t widths[] = {1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 47, 48, 100, 527, 528, 1000, 8463, 8464, 30000};

static size_t results_of(size_t n, size_t width)
{
    return n < width ? 0 : n - width + 1;
}

/* ---- scalars ---- */

static void check_scalars(gpu *g, gpu_type type, test_operator kind, const void *data, size_t n, size_t width)
{
    gpu_scope *scope = gpu_scope_begin(g);
    char what[100];
    const size_t count = results_of(n, width);
    void *want = test_alloc(count, type->size);
    for (size_t i = 0; i < count; i++) {
        test_number value = test_get(type, data, i);
        for (size_t k = 1; k < width; k++) value = test_apply(kind, type, value, test_get(type, data, i + k));
        test_put(type, want, i, value);
    }
    const char *text = test_snippet(kind, type);
    snprintf(what, sizeof what, "%zu of type %s by \"%s\", windows of %zu", n, type->name, text, width);
    gpu_array *a = gpu_array_from(g, type, data, n);
    test_holds(what, gpu_window_reduce(a, width, text), type, count, want);
    free(want);
    gpu_scope_end(scope);
}

Test(window, equals_plain_c_for_every_scalar_type_length_and_width)
{
    gpu *g = test_open();
    static const size_t sizes[] = {0, 1, 16, 31, 100, 1001};
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        for (unsigned kind = 0; kind < TEST_OPERATORS; kind++) {
            bool wanted = test_full() || (test_takes_type(t, 0) && kind == t % TEST_OPERATORS);
            wanted = wanted && test_snippet(kind, test_scalars[t]);
            for (size_t k = 0; wanted && k < COUNT_OF(sizes); k++) {
                unsigned char data[1001 * 8];
                test_operand_fill(kind, test_scalars[t], data, sizes[k]);
                size_t width = widths[(t + kind + k) % 15];
                check_scalars(g, test_scalars[t], kind, data, sizes[k], 1 + k % 3);
                check_scalars(g, test_scalars[t], kind, data, sizes[k], width);
            }
        }
    }
    test_close(g);
}

/* ---- order ---- */

static void check_lines(gpu *g, const line *data, size_t n, size_t width)
{
    gpu_scope *scope = gpu_scope_begin(g);
    const size_t count = results_of(n, width);
    line *want = test_alloc(count, sizeof *want);
    for (size_t i = 0; i < count; i++) {
        want[i] = data[i];
        for (size_t k = 1; k < width; k++) want[i] = then(want[i], data[i + k]);
    }
    char what[80];
    snprintf(what, sizeof what, "%zu lines, windows of %zu", n, width);
    gpu_array *a = gpu_array_from(g, GPU_TYPE(line), data, n);
    test_holds(what, gpu_window_reduce(a, width, then), GPU_TYPE(line), count, want);
    free(want);
    gpu_scope_end(scope);
}

/* Both sides of each width, and more than a tile. */
Test(window, combines_structs_in_their_order)
{
    enum { MOST = 30200 };
    gpu *g = test_open();
    line *data = test_alloc(MOST, sizeof *data);
    for (int k = 0; k < MOST; k++) data[k] = line_of(k * 7919);
    for (size_t k = 0; k < COUNT_OF(widths); k++) {
        const size_t lengths[] = {widths[k] - 1, widths[k], widths[k] + 1, widths[k] + 200};
        for (size_t l = 0; l < COUNT_OF(lengths); l++) check_lines(g, data, lengths[l], widths[k]);
        if (widths[k] <= 1000) check_lines(g, data, test_limit(20000), widths[k]);
    }
    for (size_t width = 1; width <= 70; width++) check_lines(g, data, 150, width);
    free(data);
    test_close(g);
}

Test(window, takes_structs_of_160_bytes)
{
    enum { N = 300, WIDTH = 77 };
    gpu *g = test_open();
    wide *data = test_alloc(N, sizeof *data), *want = test_alloc(N, sizeof *want);
    test_random_fill(GPU_UINT, data, N * 40, 3);
    for (size_t i = 0; i + WIDTH <= N; i++) {
        want[i] = data[i];
        for (size_t k = 1; k < WIDTH; k++) want[i] = add_wide(want[i], data[i + k]);
    }
    gpu_array *a = gpu_array_from(g, GPU_TYPE(wide), data, N);
    test_holds("large structs", gpu_window_reduce(a, WIDTH, add_wide), GPU_TYPE(wide), N - WIDTH + 1, want);
    free(data);
    free(want);
    test_close(g);
}

/* ---- bits ---- */

enum { BLOCK = 16 };

/* The order that firepile/window.h documents. */
static void float_windows(const float *a, size_t n, size_t width, float *out)
{
    const size_t block = width < BLOCK ? width : BLOCK, whole = width / block - 1, blocks = (n + BLOCK - 1) / BLOCK;
    float *sums = test_alloc(blocks, sizeof *sums), *middle = test_alloc(blocks, sizeof *middle);
    for (size_t i = 0; i < n; i++) sums[i / BLOCK] = i % BLOCK ? sums[i / BLOCK] + a[i] : a[i];
    if (whole) float_windows(sums, blocks, whole, middle);
    for (size_t i = 0; i < results_of(n, width); i++) {
        const size_t first = i / block * block;
        float end = a[first + block - 1], rest = whole ? middle[i / block + 1] : 0;
        bool any = whole > 0;
        for (size_t k = first + block - 1; k > i; k--) end = a[k - 1] + end;
        for (size_t k = first + (1 + whole) * block; k < i + width; k++, any = true) rest = any ? rest + a[k] : a[k];
        out[i] = any ? end + rest : end;
    }
    free(sums);
    free(middle);
}

/* Sums that round, and NaN in some windows. */
Test(window, adds_floats_in_the_documented_order)
{
    enum { N = 12000 };
    gpu *g = test_open();
    float *data = test_alloc(N, sizeof *data), *want = test_alloc(N, sizeof *want);
    uint64_t seed = 5;
    for (size_t k = 0; k < N; k++) data[k] = (float)(int)(test_random(&seed) >> 40) / 3;
    memcpy(&data[N / 2], &(uint32_t){0x7fc00000}, sizeof(float));
    gpu_array *a = gpu_array_of(g, data, N);
    for (size_t k = 0; k < COUNT_OF(widths); k++) {
        char what[60];
        snprintf(what, sizeof what, "bits of windows of %zu", widths[k]);
        gpu_array *sums = gpu_window_reduce(a, widths[k], "a + b");
        float *got = test_alloc(N, sizeof *got);
        const size_t count = results_of(N, widths[k]);
        float_windows(data, N, widths[k], want);
        test_ok(gpu_read(sums, got));
        for (size_t i = 0; i < count; i++)
            cr_assert(got[i] == want[i] || (got[i] != got[i] && want[i] != want[i]), "%s: element %zu is %a, not %a",
                      what, i, (double)got[i], (double)want[i]);
        free(got);
    }
    free(data);
    free(want);
    test_close(g);
}

/* ---- pipelines ---- */

static gpu_array *sequence(gpu *g, size_t n, int step)
{
    return gpu_map(gpu_range(g, GPU_INT, n), times, GPU_ARG(step));
}

Test(window, is_one_kernel_with_the_map_before_it)
{
    gpu *g = test_open();
    const int want[] = {0 + 3 + 6, 3 + 6 + 9, 6 + 9 + 12};
    gpu_array *x = sequence(g, 5, 3);
    const uint64_t before = test_stats(g).kernels_launched;
    gpu_array *sums = gpu_eval(gpu_window_reduce(x, 3, "a + b"));
    const uint64_t launches = test_stats(g).kernels_launched - before;
    cr_assert(test_eager() || test_tiny() || launches <= 1, "%d launches", (int)launches);
    test_holds("a fused map", sums, GPU_INT, COUNT_OF(want), want);
    test_holds("maxima", gpu_window_reduce(x, 3, larger), GPU_INT, 3, (int[]){6, 9, 12});
    test_close(g);
}

/* Fewer elements than the filter might keep: more windows, one, none. */
Test(window, takes_lengths_that_the_device_knows)
{
    enum { N = 700 };
    gpu *g = test_open();
    for (int kept = 0; kept <= N; kept += 35) {
        for (size_t width = 1; width < N; width = 3 * width + 2) {
            const int least = N - kept;
            const size_t count = results_of((size_t)kept, width);
            int want[N];
            for (size_t i = 0; i < count; i++) want[i] = (int)width * (least + (int)i) + (int)(width * (width - 1) / 2);
            gpu_array *some = gpu_filter(sequence(g, N, 1), is_at_least, GPU_ARG(least));
            char what[80];
            snprintf(what, sizeof what, "%d kept, windows of %zu", kept, width);
            test_holds(what, gpu_window_reduce(some, width, "a + b"), GPU_INT, count, want);
        }
    }
    test_close(g);
}

Test(window, of_a_symbol_can_be_compiled)
{
    gpu *g = test_open();
    const int x[] = {1, 5, 9, 2}, want[] = {-6, -14, -11}, step = -1;
    gpu_array *a = gpu_symbol(g, GPU_INT), *result;
    gpu_status (*windows)(gpu_array * *out, const gpu_array *a) = NULL;
    test_ok(gpu_compile(&windows, gpu_map(gpu_window_reduce(a, 2, "a + b"), times, GPU_ARG(step)), a));
    test_ok(windows(&result, gpu_array_of(g, x, 4)));
    test_holds("compiled windows", result, GPU_INT, COUNT_OF(want), want);
    test_close(g);
}

Test(window, refuses_a_width_of_0_and_no_array)
{
    gpu *g = test_open();
    test_array_fails(GPU_E_ARGUMENT, gpu_window_reduce(gpu_range(g, GPU_INT, 4), 0, "a + b"));
    test_has(gpu_error(), "gpu_window_reduce: the width is 0: a window has at least one element");
    test_array_fails(GPU_E_ARGUMENT, gpu_window_reduce(NULL, 2, "a + b"));
    test_close(g);
}

Test(window, refuses_an_operator_of_another_type)
{
    gpu *g = test_open();
    test_array_fails(GPU_E_TYPE, gpu_window_reduce(gpu_range(g, GPU_INT, 4), 2, then));
    test_has(gpu_error(), "gpu_window_reduce: the parameter");
    test_close(g);
}

Test(window, wider_than_the_array_gives_nothing)
{
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, 4);
    test_holds("wider than all", gpu_window_reduce(x, 5, "a + b"), GPU_INT, 0, NULL);
    test_holds("as wide as can be", gpu_window_reduce(x, SIZE_MAX, "a + b"), GPU_INT, 0, NULL);
    test_close(g);
}

Test(window, tells_how_many_results_it_stores)
{
    gpu *g = test_open();
    test_has(gpu_explain(gpu_window_reduce(gpu_range(g, GPU_INT, 4), 2, "a + b")), "a buffer of 3 int");
    test_close(g);
}

Test(window, its_operator_reads_captured_values)
{
    gpu *g = test_open();
    const int modulus = 10;
    gpu_array *x = sequence(g, 6, 3);
    test_holds("a captured number", gpu_window_reduce(x, 2, "(a + b) % modulus", GPU_ARG(modulus)), GPU_INT, 5,
               (int[]){3, 9, 5, 1, 7});
    test_close(g);
}
