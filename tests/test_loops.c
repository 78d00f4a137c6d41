/* Loops: however many steps, few programs, and a few kernels for each step. */
#include "support/support.h"

#include "cl/internal.h"
#include "expressions/gpu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Above FIREPILE_SMALL, so that all is done by kernels. */
enum { N = 3000, WIDTH = 50, FEW = 20, MANY = 200, MOST_PROGRAMS = 12 };

/* What is carried from step to step, and what stays. */
typedef struct state {
    gpu *g;
    gpu_array *u, *v, *w;
    gpu_array *table, *places;
    unsigned step;
} state;

typedef void step(state *s);

/* ---- slices ---- */

static gpu_array *inner(const gpu_array *u, const char *of_x_y_z)
{
    return gpu_map3(gpu_slice(u, 0, N - 2), gpu_slice(u, 1, N - 2), gpu_slice(u, 2, N - 2), of_x_y_z);
}

static gpu_array *with_ends(const gpu_array *u, const gpu_array *middle)
{
    return gpu_concat(gpu_concat(gpu_slice(u, 0, 1), middle), gpu_slice(u, N - 1, 1));
}

static void heat(state *s)
{
    s->u = with_ends(s->u, inner(s->u, "y + (x - 2 * y + z) / 4"));
}

static void jacobi(state *s)
{
    gpu_array *sum = gpu_map2(gpu_slice(s->u, 0, N - 2), gpu_slice(s->u, 2, N - 2), "x + y");
    s->u = with_ends(s->u, gpu_map2(sum, gpu_slice(s->table, 1, N - 2), "(x + y) / 2"));
}

static gpu_array *rolled(const gpu_array *u, size_t by)
{
    return gpu_concat(gpu_slice(u, by, N - by), gpu_slice(u, 0, by));
}

static void life(state *s)
{
    static const size_t shifts[] = {1, WIDTH - 1, WIDTH, WIDTH + 1, N - 1, N - WIDTH + 1, N - WIDTH, N - WIDTH - 1};
    gpu_array *sum = gpu_map(rolled(s->u, shifts[0]), "x & 1");
    for (size_t k = 1; k < COUNT_OF(shifts); k++) sum = gpu_map2(sum, rolled(s->u, shifts[k]), "x + (y & 1)");
    s->u = gpu_map2(s->u, sum, "(x & 1) ? y == 2 || y == 3 : y == 3");
}

static void rolled_beside_itself(state *s)
{
    s->u = gpu_map2(s->u, rolled(s->u, 1), "x - y / 2");
}

static void mirrored(state *s)
{
    s->u = gpu_map2(s->u, gpu_reverse(s->u), "x - y / 2");
}

static void differences(state *s)
{
    size_t n = N - s->step;
    s->u = gpu_map2(gpu_slice(s->u, 1, n - 1), gpu_slice(s->u, 0, n - 1), "x - y");
}

static void halves(state *s)
{
    gpu_array *low = gpu_slice(s->u, 0, N / 2), *high = gpu_slice(s->u, N / 2, N / 2);
    s->u = gpu_concat(gpu_map2(low, high, "x + y"), gpu_map2(low, high, "x - y"));
}

static void halves_of_one_map(state *s)
{
    gpu_array *sum = gpu_map2(gpu_slice(s->u, 0, N / 2), gpu_slice(s->u, N / 2, N / 2), "x + y");
    s->u = gpu_concat(gpu_map(sum, "x + 1"), gpu_map(sum, "x / 3"));
}

static void rotated_and_summed(state *s)
{
    int sum;
    s->u = rolled(s->u, 7);
    test_ok(gpu_reduce(s->u, "a + b", &sum));
}

static void sum_of_the_inner(state *s)
{
    int sum;
    s->u = gpu_map(s->u, "x * 3 + 1");
    test_ok(gpu_reduce(gpu_slice(s->u, 1, N - 2), "a + b", &sum));
}

static void summed_and_joined(state *s)
{
    int sum;
    test_ok(gpu_reduce(s->u, "a + b", &sum));
    s->u = gpu_concat(gpu_slice(s->u, 0, 1), gpu_map(gpu_slice(s->u, 1, N - 1), "x + 1"));
}

/* ---- maps ---- */

static void map_chain(state *s)
{
    s->u = gpu_map(s->u, "x * 3 + 1");
}

static void two_carried(state *s)
{
    s->u = gpu_map2(s->u, s->v, "x + y");
    s->v = gpu_map(s->v, "x * 3");
}

static void two_that_cross(state *s)
{
    gpu_array *u = gpu_map2(s->u, s->v, "x + y");
    s->v = gpu_map2(s->u, s->v, "x - y");
    s->u = u;
}

static void three_carried(state *s)
{
    gpu_array *next = gpu_map3(s->u, s->v, s->w, "x + y - z");
    s->w = s->v;
    s->v = s->u;
    s->u = next;
}

static void captured_value(state *s)
{
    int k = (int)s->step;
    s->u = gpu_map(s->u, "x * 3 + k", GPU_ARG(k));
}

static void captured_array(state *s)
{
    const gpu_array *table = s->table;
    s->u = gpu_map(s->u, "x + table[i / 2]", GPU_ARG(table));
}

static void captures_itself(state *s)
{
    const gpu_array *u = s->u;
    s->u = gpu_map(u, "x + u[i / 2]", GPU_ARG(u));
}

static void captures_a_sum(state *s)
{
    const gpu_array *sum = gpu_reduced(s->u, "a + b");
    s->u = gpu_map(s->u, "x - sum[0] / 8", GPU_ARG(sum));
}

static void gradients(state *s)
{
    const gpu_array *above = gpu_reduced(gpu_map2(s->v, s->v, "x * y"), "a + b");
    gpu_array *a = gpu_map2(s->w, gpu_gather(s->w, s->places), "4 * x - y");
    const gpu_array *below = gpu_reduced(gpu_map2(s->w, a, "x * y"), "a + b");
    s->u = gpu_map2(s->u, s->w, "x + above[0] / (below[0] | 1) * y", GPU_ARG(above), GPU_ARG(below));
    s->v = gpu_map2(s->v, a, "x - above[0] / (below[0] | 1) * y", GPU_ARG(above), GPU_ARG(below));
    const gpu_array *next = gpu_reduced(gpu_map2(s->v, s->v, "x * y"), "a + b");
    s->w = gpu_map2(s->v, s->w, "x + next[0] / (above[0] | 1) * y", GPU_ARG(next), GPU_ARG(above));
}

/* ---- other operations ---- */

static void gathered(state *s)
{
    s->u = gpu_map2(gpu_gather(s->u, s->places), s->table, "x + y");
}

static void gathered_twice(state *s)
{
    s->places = gpu_gather(s->places, s->places);
    s->u = gpu_gather(s->u, s->places);
}

static void scanned(state *s)
{
    s->u = gpu_map(gpu_scan(s->u, "max(a, b)"), "x - (int)i");
}

static void sorted(state *s)
{
    s->u = gpu_map(gpu_sort(s->u), "x ^ 5");
}

static void filtered(state *s)
{
    s->u = gpu_map(gpu_filter(s->u, "x != (int)(i * 7)"), "x + 1");
}

static void taken(state *s)
{
    s->u = gpu_map(gpu_take_while(s->u, "x < 1000000000"), "x + 1");
}

static void uniques(state *s)
{
    s->u = gpu_map(gpu_unique(s->u), "x / 2 + (int)i");
}

static void scattered(state *s)
{
    s->u = gpu_scatter(s->u, s->places, gpu_map(s->u, "x + 1"));
}

static void reversed(state *s)
{
    s->u = gpu_reverse(gpu_map(s->u, "x + 1"));
}

static void reversed_and_summed(state *s)
{
    int sum;
    s->u = gpu_reverse(s->u);
    test_ok(gpu_reduce(s->u, "a + b", &sum));
}

/* Loops, and how many kernels their steps take at most. */
typedef struct family {
    const char *name;
    step *step;
    unsigned kernels;
} family;

static state begin(gpu *g)
{
    int data[N], other[N], places[N];
    for (int k = 0; k < N; k++) data[k] = k * 7919 % 1001, other[k] = k * 31 % 257, places[k] = (k * 7 + 3) % N;
    return (state){.g = g,
                   .u = gpu_array_of(g, data, N),
                   .v = gpu_array_of(g, other, N),
                   .w = gpu_array_of(g, data, N),
                   .table = gpu_array_of(g, other, N),
                   .places = gpu_array_of(g, places, N)};
}

/* Runs a loop from the start; returns how many kernels it took. */
static uint64_t run(gpu *g, const family *f, unsigned steps, int *out, size_t *n)
{
    gpu_scope *scope = gpu_scope_begin(g);
    state s = begin(g);
    uint64_t before = test_stats(g).kernels_launched;
    for (; s.step < steps; s.step++) f->step(&s);
    test_ok(gpu_read_n(s.u, out, N, n));
    gpu_scope_end(scope);
    return test_stats(g).kernels_launched - before;
}

static uint64_t programs(const gpu *g)
{
    const gpu_stats stats = test_stats(g);
    return stats.programs_built + stats.programs_loaded;
}

static void check_bounds(gpu *g, const family *f)
{
    static int out[N];
    size_t n;
    const uint64_t before = programs(g);
    run(g, f, FEW, out, &n);
    const uint64_t few = programs(g) - before, kernels = run(g, f, MANY, out, &n), many = programs(g) - before;
    cr_assert(many <= MOST_PROGRAMS, "%s: %" PRIu64 " programs for %d steps, %" PRIu64 " for %d", f->name, few, FEW,
              many, MANY);
    cr_assert(kernels <= f->kernels * MANY + FEW, "%s: %" PRIu64 " kernels for %d steps", f->name, kernels, MANY);
}

static void check_all(const family *families, size_t count)
{
    test_needs_opencl();
    const char *policy = getenv("FIREPILE_POLICY");
    if (test_tiny()) cr_skip("chains of four operators are cut");
    if (policy && strstr(policy, "gpu")) cr_skip("PoCL takes hours for barriers behind the branches of 64 steps");
    setenv("FIREPILE_EAGER", "0", 1);
    setenv("FIREPILE_VERIFY", "0", 1);
    gpu *g = test_open();
    for (size_t k = 0; k < count; k++) check_bounds(g, &families[k]);
    /* Kernels take more arguments on NVIDIA's devices than on PoCL, so chains are cut elsewhere. These kernels are
     * long, so a short run takes every third loop. */
    g->device->capabilities.parameter_bytes = 4352;
    for (size_t k = 0; k < count; k += test_full() ? 1 : 3) check_bounds(g, &families[k]);
    test_close(g);
}

Test(loops, of_slices_build_few_programs)
{
    static const family all[] = {{"heat", heat, 1},
                                 {"jacobi", jacobi, 1},
                                 {"life", life, 1},
                                 {"rolled beside itself", rolled_beside_itself, 1},
                                 {"mirrored", mirrored, 1},
                                 {"differences", differences, 1},
                                 {"halves", halves, 1},
                                 {"halves of one map", halves_of_one_map, 1},
                                 {"rotated and summed", rotated_and_summed, 2},
                                 {"sum of the inner", sum_of_the_inner, 2},
                                 {"summed and joined", summed_and_joined, 2}};
    check_all(all, COUNT_OF(all));
}

Test(loops, of_maps_build_few_programs)
{
    static const family all[] = {{"map chain", map_chain, 1},
                                 {"two carried", two_carried, 2},
                                 {"two that cross", two_that_cross, 2},
                                 {"three carried", three_carried, 1},
                                 {"captured value", captured_value, 1},
                                 {"captured array", captured_array, 1},
                                 {"captures itself", captures_itself, 1},
                                 {"captures a sum", captures_a_sum, 2},
                                 {"gradients", gradients, 7}};
    check_all(all, COUNT_OF(all));
}

/* How many kernels a sort is depends on the device. */
Test(loops, of_other_operations_build_few_programs)
{
    static const family all[] = {{"gathered", gathered, 1}, {"gathered twice", gathered_twice, 2},
                                 {"scanned", scanned, 2},   {"sorted", sorted, 16},
                                 {"filtered", filtered, 2}, {"taken", taken, 2},
                                 {"uniques", uniques, 2},   {"scattered", scattered, 3},
                                 {"reversed", reversed, 1}, {"reversed and summed", reversed_and_summed, 2}};
    check_all(all, COUNT_OF(all));
}

/* ---- what a slice computes ---- */

/* Elements by the million million: none but those that are asked for are ever computed. */
Test(loops, pages_of_a_huge_array_compute_their_own_elements)
{
    enum { PAGE = 100, PAGES = 20 };
    setenv("FIREPILE_EAGER", "0", 1);
    setenv("FIREPILE_VERIFY", "0", 1);
    gpu *g = test_open();
    const size_t huge = (size_t)1 << 42;
    gpu_array *all = gpu_map(gpu_map(gpu_range(g, GPU_ULONG, huge), "x"), "i");
    uint64_t page[PAGE], used = 0;
    for (size_t k = 0; k < PAGES; k++) {
        const size_t first = k % 2 ? huge - k * PAGE : k * (PAGE - 10);
        test_ok(gpu_read(gpu_slice(all, first, PAGE), page));
        cr_assert(page[0] == first && page[PAGE - 1] == first + PAGE - 1, "page %zu: %" PRIu64, k, page[0]);
        used = g->device->used_bytes;
    }
    cr_assert(used < 1 << 20, "%" PRIu64 " bytes", used);
    test_close(g);
}

/* Kernels for what is made of `of` by one slice after the other. */
static uint64_t slice_and_read(gpu *g, const gpu_array *of, size_t count, const size_t *lengths)
{
    int out[N];
    const uint64_t before = test_stats(g).kernels_launched;
    for (size_t k = 0; k < count; k++) {
        test_ok(gpu_read(gpu_slice(of, 1, lengths[k]), out));
        for (size_t i = 0; i < lengths[k]; i++) cr_assert_eq(out[i], (int)i + 3, "slice %zu, element %zu", k, i);
    }
    return test_stats(g).kernels_launched - before;
}

/* The second large slice has all of it computed, and those that follow are parts of that buffer. */
Test(loops, large_slices_make_an_array_a_buffer)
{
    static const size_t large[] = {N - 1, N - 2, N - 3, N - 4}, small[] = {N / 4, N / 4, N / 4, N / 4};
    test_needs_opencl();
    if (test_eager()) cr_skip("nothing is delayed");
    setenv("FIREPILE_SMALL", "0", 1); /* kernels are counted */
    gpu *g = test_open();
    gpu_array *x = gpu_range(g, GPU_INT, N);
    cr_assert_eq(slice_and_read(g, gpu_map(x, "x + 2"), 1, large), 1);
    cr_assert_eq(slice_and_read(g, gpu_map(x, "x + 2"), 4, large), 2);
    cr_assert_eq(slice_and_read(g, gpu_map(x, "x + 2"), 4, small), 4);
    test_close(g);
}

static void slice_delayed(gpu *g)
{
    gpu_array *u = gpu_map(gpu_range(g, GPU_INT, N), "x + 2");
    for (int k = 0; k < 3; k++) u = with_ends(u, inner(u, "y + (x - 2 * y + z) / 4"));
}

/* Nor does slicing an array of which it is known that it will be a buffer. */
Test(loops, describing_a_step_launches_nothing)
{
    test_needs_opencl();
    if (test_eager() || test_tiny()) cr_skip("not all is delayed");
    gpu *g = test_open();
    slice_delayed(g);
    cr_assert_eq(test_stats(g).kernels_launched, 0);
    test_close(g);
}

/* Chains of any length: nothing is launched while they are made, and no stack ends. */
Test(loops, describing_a_long_chain_launches_nothing)
{
    enum { MANY_MAPS = 100000 };
    test_needs_opencl();
    if (test_eager()) cr_skip("nothing is delayed");
    gpu *g = test_open();
    int data[3] = {1, 2, 3}, got[3];
    gpu_array *u = gpu_array_of(g, data, 3), *unused = u;
    const uint64_t before = test_stats(g).kernels_launched;
    for (int k = 0; k < MANY_MAPS; k++) unused = gpu_map(unused, "x + 1");
    for (int k = 0; k < 1000; k++) u = gpu_map(u, "x + 1");
    cr_assert_eq(test_stats(g).kernels_launched, before);
    test_ok(gpu_read(u, got));
    cr_assert(got[0] == 1001 && got[2] == 1003);
    test_ok(gpu_read(unused, got));
    cr_assert(got[0] == MANY_MAPS + 1 && got[2] == MANY_MAPS + 3);
    test_close(g);
}

/* The values are those of plain C. */
Test(loops, heat_by_slices_is_right)
{
    int here[N], next[N], got[N];
    for (int k = 0; k < N; k++) here[k] = next[k] = k * 7919 % 1001;
    gpu *g = test_open();
    state s = begin(g);
    for (int k = 0; k < 70; k++) {
        heat(&s);
        for (int i = 1; i < N - 1; i++) next[i] = here[i] + (here[i - 1] - 2 * here[i] + here[i + 1]) / 4;
        memcpy(here, next, sizeof here);
    }
    test_ok(gpu_read(s.u, got));
    test_same("heat", GPU_INT, N, got, here);
    test_close(g);
}
