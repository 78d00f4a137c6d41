/* Who owns an array, and when it goes: scopes, gpu_keep, gpu_array_free, gpu_close. */
#include "support/functions.h"
#include "support/support.h"

#include "cl/internal.h"
#include "expressions/gpu.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t live(const gpu *g)
{
    return test_stats(g).live_arrays;
}

/* Three arrays, one of them delayed; returns the delayed one: 2, 4, 6. */
static gpu_array *make_some(gpu *g)
{
    static const int data[] = {1, 2, 3};
    gpu_array *a = gpu_array_of(g, data, 3);
    gpu_array *b = gpu_map(a, "x + x");
    gpu_slice(b, 1, 2);
    return b;
}

static void check_some(gpu_array *b)
{
    int got[3] = {0};
    test_ok(gpu_read(b, got));
    cr_assert(got[0] == 2 && got[1] == 4 && got[2] == 6, "%d %d %d", got[0], got[1], got[2]);
}

Test(scope, its_end_frees_what_was_made_in_it)
{
    gpu *g = test_open();
    gpu_array *outside = make_some(g);
    uint64_t before = live(g);
    for (int round = 0; round < 10; round++) {
        gpu_scope *scope = gpu_scope_begin(g);
        cr_assert(scope, "%s", gpu_error());
        check_some(make_some(g));
        cr_assert_gt(live(g), before);
        gpu_scope_end(scope);
        cr_assert_eq(live(g), before, "%d arrays survived their scope", (int)(live(g) - before));
    }
    check_some(outside);
    test_close(g);
}

Test(scope, an_inner_scope_frees_its_own_arrays_only)
{
    gpu *g = test_open();
    uint64_t zero = live(g);
    gpu_scope *outer = gpu_scope_begin(g);
    gpu_array *in_outer = make_some(g);
    uint64_t with_outer = live(g);
    gpu_scope *inner = gpu_scope_begin(g);
    make_some(g);
    gpu_scope_end(inner);
    cr_assert_eq(live(g), with_outer);
    check_some(in_outer);
    make_some(g); /* in the outer one again */
    gpu_scope_end(outer);
    cr_assert_eq(live(g), zero);
    test_close(g);
}

Test(scope, keep_moves_an_array_to_the_scope_around_it)
{
    gpu *g = test_open();
    uint64_t zero = live(g);
    gpu_scope *outer = gpu_scope_begin(g);
    gpu_scope *inner = gpu_scope_begin(g);
    gpu_array *once = gpu_keep(make_some(g)), *twice = gpu_keep(gpu_keep(gpu_eval(make_some(g))));
    cr_assert_eq(gpu_array_status(once), GPU_OK);
    gpu_scope_end(inner);
    check_some(once); /* delayed: what it needs is still there */
    check_some(twice);
    gpu_scope_end(outer);
    check_some(twice);
    check_some(gpu_keep(twice)); /* not in a scope: nothing to move */
    gpu_array_free(twice);
    cr_assert_eq(live(g), zero);
    test_close(g);
}

Test(scope, its_end_ends_the_scopes_inside_it)
{
    gpu *g = test_open();
    uint64_t zero = live(g);
    gpu_scope *outer = gpu_scope_begin(g);
    make_some(g);
    gpu_scope_begin(g);
    make_some(g);
    gpu_scope_begin(g);
    make_some(g);
    gpu_scope_end(outer); /* and the two inside it */
    cr_assert_eq(live(g), zero);
    gpu_array *after = make_some(g);
    gpu_scope *next = gpu_scope_begin(g);
    make_some(g);
    gpu_scope_end(next);
    check_some(after);
    test_close(g);
}

Test(scope, its_end_frees_arrays_in_error)
{
    gpu *g = test_open();
    uint64_t zero = live(g);
    gpu_scope *scope = gpu_scope_begin(g);
    for (int k = 0; k < 100; k++) {
        gpu_array *bad = gpu_slice(gpu_range(g, GPU_INT, 3), 2, 2);
        cr_assert_eq(gpu_array_status(gpu_map(bad, "x + 1")), GPU_E_RANGE);
    }
    gpu_scope_end(scope);
    cr_assert_eq(live(g), zero);
    test_close(g);
}

typedef struct worker {
    gpu *g;
    gpu_array *made;
    gpu_status status;
} worker;

static void *make_in_thread(void *argument)
{
    worker *w = argument;
    w->made = make_some(w->g);
    gpu_scope *scope = gpu_scope_begin(w->g);
    int got[3];
    w->status = gpu_read(make_some(w->g), got);
    gpu_scope_end(scope);
    return NULL;
}

Test(scope, each_thread_has_scopes_of_its_own)
{
    gpu *g = test_open();
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *mine = make_some(g);
    uint64_t before = live(g);
    worker w = {.g = g};
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, make_in_thread, &w), 0);
    pthread_join(thread, NULL);
    check_some(mine); /* not the other thread's scope's */
    cr_assert_eq(w.status, GPU_OK);
    cr_assert_gt(live(g), before);
    gpu_scope_end(scope);
    check_some(w.made); /* not this thread's scope's */
    test_close(g);
}

Test(scope, each_gpu_has_scopes_of_its_own)
{
    gpu *g = gpu_open(NULL), *h = gpu_open(NULL);
    cr_assert(g && h, "%s", gpu_error());
    gpu_scope *on_g = gpu_scope_begin(g);
    gpu_array *of_h = make_some(h), *of_g = make_some(g);
    gpu_scope *on_h = gpu_scope_begin(h);
    gpu_array *also_of_g = make_some(g);
    gpu_scope_end(on_h);
    check_some(also_of_g);
    check_some(of_g);
    gpu_scope_end(on_g);
    check_some(of_h);
    cr_assert_eq(live(g), 0);
    gpu_close(g);
    test_close(h);
}

Test(scope, gpu_close_ends_open_scopes)
{
    for (int round = 0; round < 3; round++) {
        gpu *g = test_open();
        gpu_scope_begin(g);
        make_some(g);
        gpu_scope_begin(g);
        gpu_keep(make_some(g));
        test_close(g);
    }
    gpu *g = test_open(); /* what is made now belongs to no scope of a closed gpu */
    check_some(make_some(g));
    test_close(g);
}

Test(scope, an_array_freed_early_serves_what_was_made_of_it)
{
    gpu *g = test_open();
    uint64_t zero = live(g);
    int data[] = {1, 2, 3}, got[3], whole = 0;
    gpu_array *a = gpu_array_of(g, data, 3), *table = gpu_array_of(g, data, 3);
    gpu_array *y = gpu_map(a, "x * 10 + table[2 - i]", GPU_ARG(table));
    gpu_array *part = gpu_slice(y, 1, 2), *deep = gpu_map(part, "x + 1");
    gpu_array_free(a);
    gpu_array_free(table);
    gpu_array_free(y);
    gpu_array_free(part);
    test_ok(gpu_read(deep, got));
    cr_assert(got[0] == 23 && got[1] == 32, "%d %d", got[0], got[1]);
    test_ok(gpu_reduce(deep, "a + b", &whole));
    cr_assert_eq(whole, 55);
    gpu_array_free(deep);
    cr_assert_eq(live(g), zero);
    gpu_array_free(NULL);
    gpu_scope_end(NULL);
    test_close(g);
}

Test(scope, an_array_may_be_freed_inside_its_scope)
{
    gpu *g = test_open();
    uint64_t zero = live(g);
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *first = make_some(g), *second = make_some(g), *third = make_some(g);
    gpu_array_free(second);
    gpu_array_free(first);
    check_some(third);
    gpu_array_free(gpu_keep(third));
    gpu_scope_end(scope);
    cr_assert_eq(live(g), zero);
    test_close(g);
}

/* ---- a program that runs for long ---- */

GPU_FUNCTION(int, plus, (int x, int k), { return x + k; });
GPU_FUNCTION(bool, at_least, (int x, int k), { return x >= k; });
GPU_FUNCTION(int, distance, (int x, GPU_GLOBAL const int *largest, int k), { return largest[0] - x + k; });

/* Pipelines over x = 0, 1, ..., n - 1, with `k` captured. */

static void map_filter_reduce(gpu_array *x, int n, int k)
{
    int sum, want = 0;
    for (int i = k; i < n; i++) want += 2 * i;
    test_ok(gpu_reduce(gpu_map(gpu_filter(x, at_least, GPU_ARG(k)), twice), "a + b", &sum));
    cr_assert_eq(sum, want, "n = %d, k = %d: %d", n, k, sum);
}

static void read_map(gpu_array *x, int n, int k)
{
    int *got = test_alloc((size_t)n, sizeof *got);
    test_ok(gpu_read(gpu_map(x, plus, GPU_ARG(k)), got));
    cr_assert_eq(got[n - 1], n - 1 + k);
    free(got);
}

static void capture_value(gpu_array *x, int n, int k)
{
    int sum;
    gpu_array *largest = gpu_reduced(x, "max(a, b)");
    test_ok(gpu_reduce(gpu_map(x, distance, GPU_ARG(largest), GPU_ARG(k)), "a + b", &sum));
    cr_assert_eq(sum, n * (n - 1) / 2 + n * k, "n = %d, k = %d: %d", n, k, sum);
}

static void scan_filter_length(gpu_array *x, int n, int k)
{
    gpu_array *even = gpu_filter(gpu_scan(x, "a + b"), is_even);
    size_t want = 0;
    for (int i = 0; i < n; i++) want += i * (i + 1) / 2 % 2 == 0;
    cr_assert_eq(gpu_length(even), want, "n = %d, k = %d", n, k);
}

static void gather_reverse(gpu_array *x, int n, int k)
{
    int *got = test_alloc((size_t)n, sizeof *got);
    test_ok(gpu_read(gpu_gather(gpu_map(x, plus, GPU_ARG(k)), gpu_reverse(x)), got));
    cr_assert_eq(got[0], n - 1 + k);
    free(got);
}

static void fail_to_gather(gpu_array *x, int n, int k)
{
    int got = n;
    k++;
    test_fails(GPU_E_RANGE, gpu_reduce(gpu_gather(x, gpu_map(x, plus, GPU_ARG(k))), "a + b", &got));
    cr_assert_eq(got, n);
}

static void one_pipeline(gpu *g, unsigned round)
{
    static void (*const pipelines[])(gpu_array * x, int n, int k) = {
        map_filter_reduce, read_map, capture_value, scan_filter_length, gather_reverse, fail_to_gather};
    int data[1000], n = 1 + (int)(round * 7919 % 1000), k = (int)(round % 17);
    for (int i = 0; i < n; i++) data[i] = i;
    gpu_scope *scope = gpu_scope_begin(g);
    pipelines[round % COUNT_OF(pipelines)](gpu_array_of(g, data, (size_t)n), n, k);
    gpu_scope_end(scope);
}

typedef struct memory {
    size_t host, device, allocated; /* bytes: resident, of all buffers, what malloc has given */
} memory;

static memory memory_of(const gpu *g)
{
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    cr_assert(file && fscanf(file, "%*s %zu", &pages) == 1, "/proc/self/statm cannot be read");
    fclose(file);
    return (memory){pages * (size_t)sysconf(_SC_PAGESIZE), g->device->used_bytes, mallinfo2().uordblks};
}

static void check_flat(const char *what, size_t before, size_t now, size_t allowed)
{
    cr_assert(now <= before + allowed, "%s: %zu bytes, and %zu at the end", what, before, now);
}

Test(scope, memory_stays_flat_over_thousands_of_scopes, .timeout = 600) /* C08 */
{
    gpu *g = test_open();
    unsigned rounds = test_full() ? 100000 : 5000, warm_ups = 1000;
    rounds = test_small() ? 600 : rounds;
    for (unsigned round = 0; round < warm_ups; round++) one_pipeline(g, round);
    gpu_stats warm = test_stats(g);
    memory before = memory_of(g);
    for (unsigned round = 0; round < rounds; round++) one_pipeline(g, round);
    gpu_stats now = test_stats(g);
    memory after = memory_of(g);
    cr_assert_eq(now.live_arrays, warm.live_arrays);
    cr_assert_eq(now.live_kernels, warm.live_kernels);
    cr_assert_eq(now.programs_built, warm.programs_built);
    check_flat("buffers", before.device, after.device, 1 << 18);
    check_flat("malloc", before.allocated, after.allocated, 1 << 20);
#ifndef __SANITIZE_ADDRESS__ /* it keeps what was freed */
    check_flat("resident", before.host, after.host, 4 << 20);
#endif
    test_close(g);
}

Test(scope, calls_with_null_do_nothing)
{
    cr_assert_null(gpu_scope_begin(NULL));
    gpu_scope_end(NULL);
    gpu_array_free(NULL);
    gpu_close(NULL);
    gpu_array *kept = gpu_keep(NULL);
    cr_assert_neq(gpu_array_status(kept), GPU_OK);
    test_nothing_lives("with nothing open");
}
