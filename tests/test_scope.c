/* Who owns an array, and when it goes: scopes, gpu_keep, gpu_array_free, gpu_close. */
#include "support/support.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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

Test(scope, end_frees_what_was_made)
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

Test(scope, nested)
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

Test(scope, keep_moves_out_by_one)
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

Test(scope, ended_from_the_outside_in)
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

Test(scope, arrays_in_error_are_freed_too)
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

Test(scope, one_for_each_thread)
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

Test(scope, scopes_of_two_gpus)
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

Test(scope, close_with_scopes_open)
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

Test(scope, free_early)
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

Test(scope, free_inside_a_scope)
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

/* One round of a program that runs for long. */
static void one_round(gpu *g, const int *data, int round)
{
    gpu_scope *scope = gpu_scope_begin(g);
    int got[3];
    gpu_array *a = gpu_array_of(g, data, 3);
    test_ok(gpu_read(gpu_map(a, "x + round", GPU_ARG(round)), got));
    cr_assert_eq(got[1], data[1] + round);
    int sum;
    test_ok(gpu_reduce(gpu_fill(g, GPU_INT, &round, 10), "a + b", &sum));
    cr_assert_eq(sum, 10 * round);
    gpu_scope_end(scope);
}

Test(scope, memory_stays_flat) /* C08 */
{
    gpu *g = test_open();
    int rounds = test_small() ? 100 : 10000, data[] = {5, 6, 7};
    for (int round = 0; round < 50; round++) one_round(g, data, round);
    gpu_stats warm = test_stats(g);
    size_t used = mallinfo2().uordblks;
    for (int round = 0; round < rounds; round++) one_round(g, data, round);
    gpu_stats now = test_stats(g);
    cr_assert_eq(now.live_arrays, warm.live_arrays);
    cr_assert_eq(now.live_buffers, warm.live_buffers);
    cr_assert_eq(now.buffers_created, warm.buffers_created, "%d buffers were created in %d rounds",
                 (int)(now.buffers_created - warm.buffers_created), rounds);
    cr_assert_eq(now.live_kernels, warm.live_kernels);
    cr_assert_eq(now.programs_built, warm.programs_built);
    size_t more = mallinfo2().uordblks;
    cr_assert(more < used + (1 << 20), "%zu bytes more are in use after %d rounds", more - used, rounds);
    test_close(g);
}

Test(scope, null)
{
    cr_assert_null(gpu_scope_begin(NULL));
    gpu_scope_end(NULL);
    gpu_array_free(NULL);
    gpu_close(NULL);
    gpu_array *kept = gpu_keep(NULL);
    cr_assert_neq(gpu_array_status(kept), GPU_OK);
    test_nothing_lives("with nothing open");
}
