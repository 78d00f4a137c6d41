/* gpu_replace: what carries an array from step to step, and memory that stays flat whatever the steps do. */
#include "support/support.h"

#include "cl/internal.h"
#include "expressions/gpu.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>

enum { N = 1100 }; /* above FIREPILE_SMALL */

GPU_STRUCT(couple, int value; int place;);
GPU_FUNCTION(int, next, (int x), { return (x * 5 + 1) & 1023; });
GPU_FUNCTION(int, mix, (int x, int y), { return (x + 3 * y) & 1023; });
GPU_FUNCTION(int, mix_three, (int x, int y, int z), { return (x + y + z) & 1023; });
GPU_FUNCTION(int, plus, (int x, int k), { return (x + k) & 1023; });
GPU_FUNCTION(int, plus_captured, (int x, uint64_t i, GPU_GLOBAL const int *table), { return (x + table[i]) & 1023; });
GPU_FUNCTION(bool, is_low, (int x), { return x < 900; });
GPU_FUNCTION(bool, is_there, (int x), { return x >= 0; });
GPU_FUNCTION(bool, descends, (int a, int b), { return a > b; });
GPU_FUNCTION(couple, pair, (int x, uint64_t i), {
    couple c = {x, (int)i};
    return c;
});
GPU_FUNCTION(couple, larger, (couple a, couple b), { return a.value < b.value ? b : a; });
GPU_FUNCTION(int, value_of, (couple c), { return c.value & 1023; });
GPU_FUNCTION(int, narrow, (ulong x), { return (int)(x & 1023); });

/* Numbers from 0 to 1023, in disorder. */
static void fill(int *data)
{
    for (int k = 0; k < N; k++) data[k] = k * 7919 % 1024;
}

static gpu_array *make(gpu *g)
{
    int data[N];
    fill(data);
    return gpu_array_of(g, data, N);
}

/* The elements, which are `steps` times the next ones of those that make gives. */
static void check_elements(const char *what, const gpu_array *u, int steps)
{
    int want[N];
    fill(want);
    for (int step = 0; step < steps; step++)
        for (int k = 0; k < N; k++) want[k] = next(want[k]);
    test_holds(what, u, GPU_INT, N, want);
}

/* ---- what it does ---- */

Test(replace, carries_an_array_through_a_loop)
{
    gpu *g = test_open();
    gpu_array *u = make(g);
    for (int step = 0; step < 50; step++) {
        gpu_scope *scope = gpu_scope_begin(g);
        gpu_array *v = gpu_map(u, next);
        cr_assert_eq(gpu_replace(&u, v), v);
        cr_assert_eq(u, v);
        gpu_scope_end(scope);
        cr_assert_eq(test_stats(g).live_arrays, 1, "step %d", step);
    }
    check_elements("carried", u, 50);
    gpu_array_free(u);
    test_close(g);
}

static void by_itself(gpu *g)
{
    gpu_array *u = gpu_map(make(g), next);
    cr_assert_eq(gpu_replace(&u, u), u);
    check_elements("by itself", u, 1);
}

/* It outlives the scope that is open, and the next one takes its place there. */
static void nothing(gpu *g)
{
    gpu_array *u = NULL;
    const uint64_t before = test_stats(g).live_arrays;
    for (int step = 1; step <= 3; step++) {
        gpu_scope *scope = gpu_scope_begin(g);
        gpu_replace(&u, gpu_map(make(g), next));
        gpu_scope_end(scope);
        cr_assert_eq(test_stats(g).live_arrays, before + 1);
    }
    check_elements("nothing", u, 1);
}

/* What is in an outer scope already stays there. */
static void nothing_by_an_outer_array(gpu *g)
{
    gpu_scope *outer = gpu_scope_begin(g);
    gpu_array *v = make(g), *u = NULL;
    const uint64_t before = test_stats(g).live_arrays;
    gpu_scope *inner = gpu_scope_begin(g);
    gpu_replace(&u, v);
    gpu_scope_end(inner);
    check_elements("an outer array", u, 0);
    gpu_scope_end(outer);
    cr_assert_eq(test_stats(g).live_arrays, before - 1);
}

/* Through several scopes at once. */
static void from_a_scope_inside_a_scope(gpu *g)
{
    gpu_array *u = make(g);
    gpu_scope *outer = gpu_scope_begin(g);
    gpu_scope_begin(g);
    gpu_replace(&u, gpu_map(u, next));
    gpu_scope_end(outer);
    check_elements("two scopes", u, 1);
}

/* Others still need the old one. */
static void while_others_are_made_of_it(gpu *g)
{
    gpu_array *u = make(g), *other = gpu_map(gpu_slice(gpu_map(u, next), 0, N), next);
    gpu_replace(&u, gpu_map(u, next));
    check_elements("others", other, 2);
    check_elements("the new one", u, 1);
}

static void of_another_gpu(gpu *g)
{
    gpu *h = gpu_open("host");
    gpu_array *u = make(g);
    const uint64_t before = test_stats(g).live_arrays;
    gpu_scope *scope = gpu_scope_begin(h);
    gpu_replace(&u, gpu_map(make(h), next));
    gpu_scope_end(scope);
    cr_assert_eq(test_stats(g).live_arrays, before - 1);
    cr_assert_eq(test_stats(h).live_arrays, 1);
    check_elements("of another gpu", u, 1);
    gpu_close(h);
}

Test(replace, takes_the_place_of)
{
    gpu *g = test_open();
    by_itself(g);
    nothing(g);
    nothing_by_an_outer_array(g);
    from_a_scope_inside_a_scope(g);
    while_others_are_made_of_it(g);
    of_another_gpu(g);
    test_close(g);
}

Test(replace, computes_and_does_not_wait)
{
    test_needs_opencl();
    if (test_eager()) cr_skip("all is computed at once");
    gpu *g = test_open();
    gpu_array *u = make(g);
    gpu_replace(&u, gpu_map(u, next)); /* which builds the kernel */
    const gpu_stats before = test_stats(g);
    gpu_replace(&u, gpu_map(u, next));
    const gpu_stats after = test_stats(g);
    cr_assert_eq(after.kernels_launched, before.kernels_launched + 1);
    cr_assert_eq(after.waits, before.waits);
    test_close(g);
}

/* ---- failures ---- */

static void by_an_array_in_error(gpu *g)
{
    gpu_array *u = make(g);
    const uint64_t before = test_stats(g).live_arrays;
    for (int step = 0; step < 3; step++) {
        gpu_scope *scope = gpu_scope_begin(g);
        gpu_replace(&u, gpu_slice(u, step ? 0 : N, 1));
        gpu_scope_end(scope);
        cr_assert_eq(gpu_array_status(u), GPU_E_RANGE);
        cr_assert_eq(test_stats(g).live_arrays, before);
    }
    test_has(gpu_array_error(u), "gpu_slice: there are no 1 elements from 1100 on");
}

static void by_one_that_cannot_be_computed(gpu *g)
{
    gpu_array *u = make(g), *v = gpu_map(u, "x + nowhere");
    cr_assert_eq(gpu_replace(&u, v), v);
    cr_assert_eq(gpu_array_status(u), GPU_E_SNIPPET);
    test_has(gpu_array_error(u), "x + nowhere");
    gpu_replace(&u, make(g)); /* and all is well again */
    check_elements("after a failure", u, 0);
}

static void by_null(gpu *g)
{
    gpu_array *u = make(g);
    const uint64_t before = test_stats(g).live_arrays;
    gpu_replace(&u, NULL);
    cr_assert_eq(gpu_array_status(u), GPU_E_ARGUMENT);
    test_has(gpu_array_error(u), "gpu_replace: the array 'v' is NULL");
    cr_assert_eq(test_stats(g).live_arrays, before);
    u = NULL;
    cr_assert_eq(gpu_array_status(gpu_replace(&u, NULL)), GPU_E_ARGUMENT);
    gpu_replace(&u, gpu_map(NULL, "x"));
    cr_assert_eq(gpu_array_status(u), GPU_E_ARGUMENT);
    gpu_replace(&u, make(g)); /* in the place of an array that no gpu has */
    check_elements("after NULL", u, 0);
}

static void without_a_variable(gpu *g)
{
    gpu_array *v = make(g), *got = gpu_replace(NULL, v);
    cr_assert_eq(gpu_array_status(got), GPU_E_ARGUMENT);
    test_has(gpu_array_error(got), "gpu_replace: u is NULL: pass the address");
    check_elements("not replaced", v, 0);
}

static void by_a_symbol(gpu *g)
{
    gpu_array *u = make(g), *symbol = gpu_symbol(g, GPU_INT);
    gpu_eval(symbol);
    test_has(gpu_error(), "gpu_eval: the array 'a' is a symbol");
    cr_assert_eq(gpu_replace(&u, symbol), symbol);
    test_has(gpu_error(), "gpu_replace: the array 'v' is a symbol");
}

Test(replace, keeps_the_variable_or_fails)
{
    gpu *g = test_open();
    by_an_array_in_error(g);
    by_null(g);
    without_a_variable(g);
    by_a_symbol(g);
    by_one_that_cannot_be_computed(g);
    test_close(g);
}

/* ---- memory ---- */

/* One step: what becomes of `u`, which has N elements from 0 to 1023, and has them afterwards too. `w` is a second
 * one. */
typedef gpu_array *step(gpu *g, const gpu_array *u, const gpu_array *w);

static gpu_array *to_length(gpu *g, gpu_array *few)
{
    return gpu_slice(gpu_concat(few, gpu_range(g, GPU_INT, N)), 0, N);
}

static gpu_array *maps(gpu *g, const gpu_array *u, const gpu_array *w)
{
    int k = 3;
    (void)g;
    return gpu_map3(gpu_map(u, next), gpu_map(u, plus, GPU_ARG(k)), gpu_map2(u, w, mix), mix_three);
}

static gpu_array *captures(gpu *g, const gpu_array *u, const gpu_array *w)
{
    const gpu_array *table = gpu_map(w, next);
    (void)g;
    return gpu_map(u, plus_captured, GPU_ARG(table));
}

static gpu_array *uploads(gpu *g, const gpu_array *u, const gpu_array *w)
{
    (void)w;
    return gpu_map2(u, make(g), mix);
}

static gpu_array *structs(gpu *g, const gpu_array *u, const gpu_array *w)
{
    (void)g, (void)w;
    gpu_array *pairs = gpu_map_to(u, GPU_TYPE(couple), pair);
    return gpu_map_to(gpu_scan(pairs, larger), GPU_INT, value_of);
}

static gpu_array *slices(gpu *g, const gpu_array *u, const gpu_array *w)
{
    (void)g, (void)w;
    gpu_array *y = gpu_map(u, next), *sums = gpu_map2(gpu_slice(y, 0, N - 1), gpu_slice(y, 1, N - 1), mix);
    return gpu_concat(gpu_reverse(sums), gpu_slice(y, 0, 1));
}

static gpu_array *scans_and_sorts(gpu *g, const gpu_array *u, const gpu_array *w)
{
    gpu_array *keys, *values;
    test_ok(gpu_sort_pairs(u, w, &keys, &values));
    gpu_array *order = gpu_map_to(gpu_argsort(gpu_scan_exclusive(u, &(int){0}, "max(a, b)")), GPU_INT, narrow);
    gpu_array *twice = gpu_concat(gpu_top(w, N / 2), gpu_map_to(gpu_lower_bound(keys, u), GPU_INT, narrow));
    gpu_array *down = gpu_map(gpu_sort_by(u, descends), next);
    return gpu_map3(gpu_map2(keys, values, mix), order, gpu_map2(down, to_length(g, twice), mix), mix_three);
}

static gpu_array *gathers(gpu *g, const gpu_array *u, const gpu_array *w)
{
    (void)g;
    return gpu_gather(gpu_map(u, next), gpu_map(w, next));
}

static gpu_array *fails_to_gather(gpu *g, const gpu_array *u, const gpu_array *w)
{
    int big = 5000, sum = 7;
    (void)g;
    test_fails(GPU_E_RANGE, gpu_sum(gpu_gather(u, gpu_fill(g, GPU_INT, &big, N)), &sum));
    return gpu_map2(u, w, mix);
}

static gpu_array *scatters(gpu *g, const gpu_array *u, const gpu_array *w)
{
    (void)g;
    return gpu_scatter(u, gpu_map(w, next), gpu_map(u, next));
}

static gpu_array *selects(gpu *g, const gpu_array *u, const gpu_array *w)
{
    gpu_array *yes, *no, *first, *rest;
    test_ok(gpu_partition(u, is_low, &yes, &no));
    test_ok(gpu_span(w, is_low, &first, &rest));
    gpu_array *low = gpu_map(gpu_filter(u, is_low), next),
              *places = gpu_map_to(gpu_find_if(w, is_low), GPU_INT, narrow);
    gpu_array *all = gpu_concat(gpu_concat(yes, no), gpu_concat(first, rest));
    return to_length(g, gpu_concat(gpu_concat(low, places), gpu_concat(gpu_take_while(gpu_unique(u), is_low), all)));
}

/* A filter whose length nobody asks for. It drops nothing. */
static gpu_array *filters(gpu *g, const gpu_array *u, const gpu_array *w)
{
    (void)g, (void)w;
    return gpu_filter(gpu_map(u, next), is_there);
}

static gpu_array *keys(gpu *g, const gpu_array *u, const gpu_array *w)
{
    gpu_array *of, *sums, *values, *lengths, *counts, *outside, *groups, *largest;
    test_ok(gpu_group_reduce(u, w, "max(a, b)", &groups, &largest));
    test_ok(gpu_reduce_by_key(gpu_sort(u), w, "max(a, b)", &of, &sums));
    test_ok(gpu_runs(gpu_sort(w), &values, &lengths));
    test_ok(gpu_histogram(u, &(int){0}, &(int){1024}, 16, &counts, &outside));
    gpu_array *few = gpu_concat(gpu_map_to(counts, GPU_INT, narrow), gpu_block_reduce(largest, 3, "max(a, b)"));
    gpu_array *scanned = gpu_scan_by_key(gpu_sort(u), w, "max(a, b)");
    return gpu_map2(to_length(g, gpu_concat(gpu_concat(sums, values), few)), scanned, mix);
}

static gpu_array *reductions(gpu *g, const gpu_array *u, const gpu_array *w)
{
    int sum, least, most;
    size_t at, count;
    bool any;
    (void)g;
    test_ok(gpu_reduce(gpu_map(u, next), "max(a, b)", &sum));
    test_ok(gpu_reduce_all(u, "min(a, b)", &least, "max(a, b)", &most));
    test_ok(gpu_argmax(u, &at));
    test_ok(gpu_count(w, is_low, &count));
    test_ok(gpu_any(w, is_low, &any));
    const gpu_array *table = gpu_concat(gpu_reduced(u, "max(a, b)"), u);
    return gpu_map(u, plus_captured, GPU_ARG(table));
}

static gpu_array *asks(gpu *g, const gpu_array *u, const gpu_array *w)
{
    gpu_array *y = gpu_map2(u, w, mix), *bad = gpu_slice(y, N, 1);
    cr_assert(*gpu_explain(y));
    cr_assert_eq(gpu_length(y), N);
    cr_assert_eq(gpu_array_status(gpu_map(bad, next)), GPU_E_RANGE);
    test_fails(GPU_E_RANGE, gpu_finish(g) ? GPU_E_DRIVER : gpu_reduce(bad, "a + b", &(int){0}));
    return y;
}

/* The function of one gpu after the other. */
static gpu_array *calls(gpu *g, const gpu_array *u, const gpu_array *w)
{
    static gpu *of;
    static gpu_status (*function)(gpu_array * *out, const gpu_array *x, const gpu_array *y);
    gpu_array *result, *x = gpu_symbol(g, GPU_INT), *y = gpu_symbol(g, GPU_INT);
    if (of != g) test_ok(gpu_compile(&function, gpu_map2(gpu_map(x, next), y, mix), x, y));
    of = g;
    test_ok(function(&result, u, w));
    return result;
}

static const struct {
    const char *name;
    step *step;
} steps[] = {{"maps", maps},
             {"captures", captures},
             {"uploads", uploads},
             {"structs", structs},
             {"slices", slices},
             {"scans and sorts", scans_and_sorts},
             {"gathers", gathers},
             {"fails to gather", fails_to_gather},
             {"scatters", scatters},
             {"selects", selects},
             {"filters", filters},
             {"keys", keys},
             {"reductions", reductions},
             {"asks", asks},
             {"calls", calls}};

typedef struct memory {
    uint64_t arrays, buffers, kernels, device, host;
} memory;

static memory memory_of(const gpu *g)
{
    const gpu_stats s = test_stats(g);
    const struct mallinfo2 m = mallinfo2();
    return (memory){s.live_arrays, s.live_buffers, s.live_kernels, g->device->used_bytes, m.uordblks + m.hblkhd};
}

static void run(gpu *g, step *step, gpu_array **u, const gpu_array *w, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        gpu_scope *scope = gpu_scope_begin(g);
        gpu_replace(u, step(g, *u, w));
        gpu_scope_end(scope);
    }
    int out[N];
    size_t n;
    test_ok(gpu_read_n(*u, out, N, &n));
}

/* Drivers allocate as they like, those of GPUs more with each launch; on the host device there is none. */
static void check_flat(const char *name, const memory *few, const memory *many, uint64_t slack)
{
    cr_assert_eq(many->arrays, few->arrays, "%s: arrays", name);
    cr_assert_eq(many->kernels, few->kernels, "%s: kernels", name);
    cr_assert_eq(many->buffers, few->buffers, "%s: %" PRIu64 " buffers, then %" PRIu64, name, few->buffers,
                 many->buffers);
    cr_assert_eq(many->device, few->device, "%s: %" PRIu64 " bytes of buffers, then %" PRIu64, name, few->device,
                 many->device);
    cr_assert(many->host <= few->host + slack, "%s: %" PRIu64 " bytes, then %" PRIu64, name, few->host, many->host);
}

static void check_step(gpu *g, size_t s, unsigned few, unsigned many, uint64_t slack)
{
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *u = make(g), *w = gpu_eval(gpu_map(u, next));
    run(g, steps[s].step, &u, w, few);
    const memory after_few = memory_of(g);
    run(g, steps[s].step, &u, w, many - few);
    const memory after_many = memory_of(g);
    check_flat(steps[s].name, &after_few, &after_many, slack);
    gpu_scope_end(scope);
}

Test(replace, memory_stays_flat_on_a_device, .timeout = 600)
{
    if (test_small()) cr_skip_test("hundreds of steps take long in a simulator");
    gpu *g = test_open();
    const uint64_t slack = g->capabilities->cpu ? 20000 : 1 << 30;
    for (size_t s = 0; s < COUNT_OF(steps); s++) check_step(g, s, 100, test_full() ? 1000 : 300, slack);
    test_close(g);
}

/* Nobody looks whether an index was out of range, so from time to time the loop itself does. */
Test(replace, a_loop_of_gathers_waits_seldom)
{
    if (test_verifies()) cr_skip("each launch is waited for");
    gpu *g = test_open();
    gpu_array *u = make(g), *w = make(g);
    run(g, gathers, &u, w, 50);
    const uint64_t before = test_stats(g).waits;
    run(g, gathers, &u, w, 300);
    const uint64_t waits = test_stats(g).waits - before;
    cr_assert(waits <= 75, "%" PRIu64 " waits", waits);
    test_close(g);
}

/* Lengths that depend on elements take a few sizes of buffers. 900 steps that leave a byte for each of ten things leave
 * more. */
Test(replace, memory_stays_flat_on_the_host)
{
    gpu *g = gpu_open("host");
    for (size_t s = 0; s < COUNT_OF(steps); s++) check_step(g, s, 300, 1200, 1 << 13);
    test_close(g);
}
