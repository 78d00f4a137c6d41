/* gpu_stencil: edges and radii, every scalar type, structs, functions, pipelines, arguments. */
#include "support/functions.h"
#include "support/line.h"
#include "support/reference.h"

#include <stdlib.h>
#include <string.h>

GPU_STRUCT(point, int x; float y;);
GPU_FUNCTION(int, weighted, (const int *near, int w, uint64_t i),
             { return near[-2] + w * near[-1] + 100 * near[0] + 1000 * near[2] + (int)i; });
GPU_FUNCTION(point, middle, (const point *near), {
    point p;
    p.x = near[1].x - near[-1].x;
    p.y = (near[-1].y + near[0].y + near[1].y) / 3;
    return p;
});
GPU_FUNCTION(int, only_this, (const int *near), { return near[0]; });
GPU_FUNCTION(int, plus_read, (const int *near, GPU_GLOBAL const int *table), { return near[0] + table[near[-1] & 3]; });
GPU_FUNCTION(int, pair_sum, (const int *near), { return near[0] + near[1]; });
GPU_FUNCTION(int, no_pointer, (int x), { return x; });

static const gpu_edge_kind kinds[] = {GPU_EDGE_KIND_CLAMP, GPU_EDGE_KIND_WRAP, GPU_EDGE_KIND_REFLECT,
                                      GPU_EDGE_KIND_VALUE};

/* The place of element `at`, step by step; -1: there is none. */
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

static int neighbour(const int *x, size_t n, gpu_edge_kind kind, size_t i, int k)
{
    const ptrdiff_t at = place_of(kind, (ptrdiff_t)i + k, (ptrdiff_t)n);
    return at < 0 ? -7 : x[at];
}

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

/* ---- edges ---- */

static void check_edges(gpu *g, const int *x, size_t n, gpu_edge_kind kind, bool as_text)
{
    gpu_scope *scope = gpu_scope_begin(g);
    const int w = 10;
    int *want = test_alloc(n, sizeof *want);
    for (size_t i = 0; i < n; i++)
        want[i] = neighbour(x, n, kind, i, -2) + w * neighbour(x, n, kind, i, -1) + 100 * x[i] +
                  1000 * neighbour(x, n, kind, i, 2) + (int)i;
    gpu_array *a = gpu_array_of(g, x, n);
    gpu_array *got = as_text ? gpu_stencil(a, 2, edge_of(kind),
                                           "at(-2) + w * at(-1) + 100 * at(0) + 1000 * at(+2) + (int)i", GPU_ARG(w))
                             : gpu_stencil(a, 2, edge_of(kind), weighted, GPU_ARG(w));
    char what[80];
    snprintf(what, sizeof what, "%zu elements, edge %d, a %s", n, kind, as_text ? "text" : "function");
    test_holds(what, got, GPU_INT, n, want);
    free(want);
    gpu_scope_end(scope);
}

static void check_lengths(bool as_text)
{
    gpu *g = test_open();
    const size_t most = test_limit(70000);
    int *x = test_alloc(most, sizeof *x);
    for (size_t k = 0; k < most; k++) x[k] = (int)(k * 7919 % 1000);
    const size_t lengths[] = {0, 1, 2, 3, 4, 5, 17, 255, 256, 257, 1023, 1024, 1025, 4096, 10001, most};
    for (size_t e = 0; e < COUNT_OF(kinds); e++)
        for (size_t k = 0; k < COUNT_OF(lengths); k++)
            if (lengths[k] <= most) check_edges(g, x, lengths[k], kinds[e], as_text);
    free(x);
    test_close(g);
}

Test(stencil, edges_with_functions)
{
    check_lengths(false);
}

Test(stencil, edges_with_texts)
{
    check_lengths(true);
}

Test(stencil, radius_larger_than_the_array)
{
    enum { RADIUS = 40, MOST = 9 };
    gpu *g = test_open();
    const int x[MOST] = {3, 1, 4, 1, 5, 9, 2, 6, 5};
    for (size_t e = 0; e < COUNT_OF(kinds); e++)
        for (size_t n = 1; n <= MOST; n++) {
            int want[MOST];
            for (size_t i = 0; i < n; i++) {
                want[i] = 0;
                for (int k = -RADIUS; k <= RADIUS; k++)
                    want[i] = (3 * want[i] + neighbour(x, n, kinds[e], i, k)) % 10007;
            }
            gpu_array *got = gpu_stencil(
                gpu_array_of(g, x, n), RADIUS, edge_of(kinds[e]),
                "{ int sum = 0; for (int k = -40; k <= 40; k++) sum = (3 * sum + at(k)) % 10007; return sum; }");
            test_holds("a radius of 40", got, GPU_INT, n, want);
        }
    test_close(g);
}

Test(stencil, radius_zero)
{
    gpu *g = test_open();
    const int x[] = {4, 5, 6};
    test_holds("itself", gpu_stencil(gpu_array_of(g, x, 3), 0, GPU_EDGE_CLAMP, only_this), GPU_INT, 3, x);
    test_close(g);
}

/* ---- types ---- */

Test(stencil, every_scalar_type)
{
    enum { N = 300 };
    gpu *g = test_open();
    for (size_t t = 0; t < TEST_SCALARS; t++) {
        gpu_type type = test_scalars[t];
        if (!test_takes_type(t, 1)) continue;
        unsigned char x[N * 8], want[N * 8];
        test_pattern_fill(TEST_EXTREMES, type, x, N, 5);
        for (size_t i = 0; i < N; i++) memcpy(want + i * type->size, x + (i + N - 1) % N * type->size, type->size);
        gpu_array *got = gpu_stencil(gpu_array_from(g, type, x, N), 1, GPU_EDGE_WRAP, "at(-1)");
        test_holds(type->name, got, type, N, want);
    }
    test_close(g);
}

Test(stencil, takes_structs)
{
    if (test_simulated()) cr_skip_test("the simulator lacks an instruction for structs");
    enum { N = 500 };
    gpu *g = test_open();
    point x[N + 2], want[N];
    for (int k = 0; k < N + 2; k++) x[k] = (point){k * k % 91, (float)(k % 7)};
    x[0] = x[N + 1] = (point){-1, 30};
    for (int k = 0; k < N; k++) want[k] = middle(&x[k + 1]);
    gpu_array *a = gpu_array_from(g, GPU_TYPE(point), x + 1, N);
    test_holds("points", gpu_stencil(a, 1, GPU_EDGE_VALUE(&x[0]), middle), GPU_TYPE(point), N, want);
    test_close(g);
}

Test(stencil, captured_arrays)
{
    gpu *g = test_open();
    const int x[] = {0, 1, 2, 3, 4}, t[] = {100, 200, 300, 400};
    gpu_array *table = gpu_array_of(g, t, 4), *a = gpu_array_of(g, x, 5);
    test_holds("a table", gpu_stencil(a, 1, GPU_EDGE_CLAMP, plus_read, GPU_ARG(table)), GPU_INT, 5,
               (int[]){100, 101, 202, 303, 404});
    test_close(g);
}

/* ---- pipelines ---- */

Test(stencil, consumers_are_fused)
{
    gpu *g = test_open();
    gpu_array *a = test_array_ok(gpu_array_of(g, ((int[]){1, 2, 3, 4}), 4));
    const uint64_t before = test_stats(g).kernels_launched;
    gpu_array *got = gpu_eval(gpu_map(gpu_stencil(a, 1, GPU_EDGE_CLAMP, pair_sum), twice));
    const uint64_t launches = test_stats(g).kernels_launched - before;
    cr_assert(test_eager() || test_tiny() || launches <= 1, "%d launches", (int)launches);
    test_holds("twice the sums", got, GPU_INT, 4, (int[]){6, 10, 14, 16});
    test_close(g);
}

/* Near the ends as well, a stencil is right where its place is not that of the result. */
Test(stencil, slices_and_reversals)
{
    enum { N = 3000 };
    gpu *g = test_open();
    int x[N], want[N];
    for (int k = 0; k < N; k++) x[k] = k * k % 1009;
    for (int k = 0; k < N; k++) want[k] = x[k] + x[k + 1 < N ? k + 1 : k];
    gpu_array *a = gpu_array_of(g, x, N);
    test_holds("a slice", gpu_slice(gpu_stencil(a, 1, GPU_EDGE_CLAMP, pair_sum), N - 1000, 1000), GPU_INT, 1000,
               want + N - 1000);
    for (int k = 0; k < N / 2; k++) {
        const int kept = want[k];
        want[k] = want[N - 1 - k];
        want[N - 1 - k] = kept;
    }
    test_holds("reversed", gpu_reverse(gpu_stencil(a, 1, GPU_EDGE_CLAMP, pair_sum)), GPU_INT, N, want);
    test_close(g);
}

Test(stencil, is_fused_into_a_reduction)
{
    enum { N = 5000 };
    gpu *g = test_open();
    int x[N], want = 0, got;
    for (int k = 0; k < N; k++) x[k] = k % 13;
    for (int k = 0; k < N; k++) want += x[k] + x[k + 1 < N ? k + 1 : 0];
    gpu_array *sums = gpu_stencil(gpu_array_of(g, x, N), 1, GPU_EDGE_WRAP, pair_sum);
    test_ok(gpu_reduce(sums, add, &got));
    cr_assert(got == want, "%d, not %d", got, want);
    test_close(g);
}

Test(stencil, inputs_are_computed_once)
{
    gpu *g = test_open();
    gpu_array *a = gpu_map(gpu_range(g, GPU_INT, 4), twice);
    gpu_array *got = gpu_stencil(gpu_stencil(a, 1, GPU_EDGE_CLAMP, pair_sum), 1, GPU_EDGE_CLAMP, pair_sum);
    if (!test_eager()) test_has(gpu_explain(got), "a stencil reads its elements several times");
    test_holds("a stencil of a stencil", got, GPU_INT, 4, (int[]){8, 16, 22, 24});
    test_close(g);
}

Test(stencil, one_kernel_a_step_and_flat_memory)
{
    enum { N = 2000, STEPS = 300 };
    gpu *g = test_open();
    gpu_array *u = gpu_eval(gpu_map(gpu_range(g, GPU_INT, N), twice));
    for (int s = 0; s < 3; s++) gpu_replace(&u, gpu_stencil(u, 1, GPU_EDGE_CLAMP, pair_sum));
    const gpu_stats before = test_stats(g);
    for (int s = 0; s < STEPS; s++) gpu_replace(&u, gpu_stencil(u, 1, GPU_EDGE_CLAMP, pair_sum));
    const gpu_stats after = test_stats(g);
    const uint64_t launches = after.kernels_launched - before.kernels_launched;
    cr_assert(test_verifies() || launches <= STEPS, "%d launches", (int)launches);
    cr_assert(after.live_buffers <= before.live_buffers, "%d buffers", (int)after.live_buffers);
    test_close(g);
}

Test(stencil, lengths_that_the_device_knows)
{
    enum { N = 700 };
    gpu *g = test_open();
    for (size_t e = 0; e < COUNT_OF(kinds); e++)
        for (int least = 0; least <= N; least += 70) {
            const size_t n = (size_t)(N - least);
            int x[N], want[N], w = 2;
            for (size_t k = 0; k < n; k++) x[k] = least + (int)k;
            for (size_t i = 0; i < n; i++)
                want[i] = neighbour(x, n, kinds[e], i, -2) + w * neighbour(x, n, kinds[e], i, -1) + 100 * x[i] +
                          1000 * neighbour(x, n, kinds[e], i, 2) + (int)i;
            gpu_array *some = gpu_filter(gpu_range(g, GPU_INT, N), is_at_least, GPU_ARG(least));
            test_holds("kept", gpu_stencil(some, 2, edge_of(kinds[e]), weighted, GPU_ARG(w)), GPU_INT, n, want);
        }
    test_close(g);
}

Test(stencil, is_a_step_of_a_compiled_function)
{
    gpu *g = test_open();
    gpu_array *a = gpu_symbol(g, GPU_INT), *result;
    gpu_status (*step)(gpu_array * *out, const gpu_array *a) = NULL;
    {
        const int outside = 50;
        test_ok(gpu_compile(&step, gpu_map(gpu_stencil(a, 1, GPU_EDGE_VALUE(&outside), pair_sum), twice), a));
    }
    test_ok(step(&result, gpu_array_of(g, ((int[]){1, 2, 3}), 3)));
    test_holds("compiled", result, GPU_INT, 3, (int[]){6, 10, 106});
    test_close(g);
}

/* ---- arguments ---- */

Test(stencil, edges_are_checked)
{
    gpu *g = test_open();
    gpu_array *a = gpu_range(g, GPU_INT, 4);
    test_array_fails(GPU_E_ARGUMENT, gpu_stencil(a, 1, NULL, only_this));
    test_has(gpu_error(), "gpu_stencil: the edge is NULL: pass GPU_EDGE_CLAMP, GPU_EDGE_WRAP");
    test_array_fails(GPU_E_TYPE, gpu_stencil(a, 1, GPU_EDGE_VALUE(&(float){0}), only_this));
    test_has(gpu_error(), "gpu_stencil: 'edge' points to float, and the elements are int");
    test_array_fails(GPU_E_ARGUMENT, gpu_stencil(a, 1, GPU_EDGE_VALUE((int *)NULL), only_this));
    const gpu_edge odd = {(gpu_edge_kind)9, NULL};
    test_array_fails(GPU_E_ARGUMENT, gpu_stencil(a, 1, &odd, only_this));
    test_has(gpu_error(), "there is no edge 9");
    test_array_fails(GPU_E_ARGUMENT, gpu_stencil(NULL, 1, GPU_EDGE_CLAMP, only_this));
    test_close(g);
}

Test(stencil, radii_are_checked)
{
    gpu *g = test_open();
    gpu_array *a = gpu_range(g, GPU_INT, 4);
    test_array_fails(GPU_E_ARGUMENT, gpu_stencil(a, SIZE_MAX, GPU_EDGE_CLAMP, "at(0)"));
    test_has(gpu_error(), "the radius is 18446744073709551615, and may be 2147483647 at most");
    test_array_fails(GPU_E_ARGUMENT, gpu_stencil(a, 512, GPU_EDGE_CLAMP, only_this));
    test_has(gpu_error(), "the neighbourhood of radius 512 has 4100 bytes, and a function's may have 4096: use a text");
    test_holds("far beyond the text", gpu_stencil(a, INT32_MAX, GPU_EDGE_CLAMP, "at(1)"), GPU_INT, 4,
               (int[]){1, 2, 3, 3});
    test_holds("the largest", gpu_stencil(a, 511, GPU_EDGE_CLAMP, only_this), GPU_INT, 4, (int[]){0, 1, 2, 3});
    test_close(g);
}

Test(stencil, texts_are_checked)
{
    gpu *g = test_open();
    gpu_array *a = gpu_range(g, GPU_INT, 4), *at = a;
    test_array_fails(GPU_E_SNIPPET, gpu_stencil(a, 1, GPU_EDGE_CLAMP, "at(1) + at(-2)"));
    test_has(gpu_error(), "gpu_stencil: at(-2) is outside of the radius 1");
    test_caret(gpu_error(), "at(1) + at(-2)", 8);
    test_array_fails(GPU_E_SNIPPET, gpu_stencil(a, 1, GPU_EDGE_CLAMP, "at(0, 1)"));
    test_has(gpu_error(), "gpu_stencil: at takes one number here: at(-1) is the element before");
    test_array_fails(GPU_E_SNIPPET, gpu_stencil(a, 1, GPU_EDGE_CLAMP, "at"));
    test_has(gpu_error(), "gpu_stencil: at is not called: at(-1) is the element before, at(0) this one");
    test_array_fails(GPU_E_SNIPPET, gpu_stencil(a, 1, GPU_EDGE_CLAMP, "{ int at = 3; return at; }"));
    test_has(gpu_error(), "'at' is the function of the neighbours here: give the variable another name");
    test_array_fails(GPU_E_ARGUMENT, gpu_stencil(a, 1, GPU_EDGE_CLAMP, "at(0)", GPU_ARG(at)));
    test_has(gpu_error(), "no captured value can be called 'at' here");
    test_array_fails(GPU_E_SNIPPET, gpu_stencil(a, 1, GPU_EDGE_CLAMP, "x + at(1)"));
    test_close(g);
}

Test(stencil, has_no_operand_on_the_host)
{
    gpu *g = test_open();
    gpu_array *small = gpu_array_of(g, ((int[]){1, 2, 3, 4}), 4);
    test_fails(GPU_E_SNIPPET, gpu_read(gpu_stencil(small, 1, GPU_EDGE_CLAMP, "x"), (int[4]){0}));
    gpu_matrix *square = gpu_matrix_from(small, 2, 2);
    test_fails(GPU_E_SNIPPET, gpu_matrix_read(gpu_matrix_stencil(square, 1, GPU_EDGE_CLAMP, "x"), (int[4]){0}));
    test_close(g);
}

Test(stencil, functions_are_checked)
{
    gpu *g = test_open();
    gpu_array *a = gpu_range(g, GPU_INT, 4);
    test_array_fails(GPU_E_TYPE, gpu_stencil(a, 1, GPU_EDGE_CLAMP, no_pointer));
    test_has(gpu_error(), "gets the neighbours of an element: declare it as const int *x");
    test_array_fails(GPU_E_TYPE, gpu_stencil(gpu_range(g, GPU_FLOAT, 4), 1, GPU_EDGE_CLAMP, only_this));
    test_has(gpu_error(), "gets the neighbours of an element: declare it as const float *near");
    test_array_fails(GPU_E_TYPE, gpu_map(a, only_this));
    test_has(gpu_error(), "is a pointer, which only stencils pass: declare it as int near, or of a captured array "
                          "as GPU_GLOBAL const int *near");
    test_close(g);
}
