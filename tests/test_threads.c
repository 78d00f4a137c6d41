/* One gpu used by several threads at once, and several gpus in one process. Threads count what went wrong; only the
 * main thread asserts. */
#include "support/support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, N = 64 };

typedef struct worker {
    pthread_t thread;
    gpu *g;
    gpu_array *shared;
    int id;
    int rounds;
    int wrong;
    char text[512]; /* of the first failure */
} worker;

static void note(worker *w, const char *what)
{
    if (!w->wrong++) snprintf(w->text, sizeof w->text, "%s: %.400s", what, gpu_error());
}

/* Runs `work` in all threads at once. */
static void in_threads(gpu *g, gpu_array *shared, int rounds, void *(*work)(void *))
{
    static worker workers[THREADS];
    for (int k = 0; k < THREADS; k++) {
        workers[k] = (worker){.g = g, .shared = shared, .id = k, .rounds = rounds};
        cr_assert_eq(pthread_create(&workers[k].thread, NULL, work, &workers[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) pthread_join(workers[k].thread, NULL);
    for (int k = 0; k < THREADS; k++) {
        if (workers[k].wrong) test_end_if_refused(workers[k].text);
        cr_assert_eq(workers[k].wrong, 0, "thread %d: %d wrong, the first: %s", k, workers[k].wrong, workers[k].text);
    }
}

static void *own_value(void *argument)
{
    worker *w = argument;
    int k = w->id, got[N];
    for (int round = 0; round < w->rounds; round++) {
        gpu_scope *scope = gpu_scope_begin(w->g);
        memset(got, 0xff, sizeof got);
        if (gpu_read(gpu_map(w->shared, "x + k", GPU_ARG(k)), got)) note(w, "gpu_read");
        for (int i = 0; i < N; i++) {
            if (got[i] != i + k) note(w, "another thread's k");
        }
        gpu_scope_end(scope);
    }
    return NULL;
}

Test(threads, each_sees_its_own_captured_values, .timeout = 300) /* C07 */
{
    gpu *g = test_open();
    gpu_array *x = test_array_ok(gpu_range(g, GPU_INT, N));
    in_threads(g, x, test_small() ? 10 : test_full() ? 10000 : 300, own_value);
    cr_assert_eq(test_stats(g).live_arrays, 1);
    test_close(g);
}

static void *own_kernel(void *argument)
{
    worker *w = argument;
    for (int round = 0; round < w->rounds; round++) {
        char snippet[64];
        int sum = -1;
        snprintf(snippet, sizeof snippet, "x * %d + %d", w->id + 2, round);
        if (gpu_reduce(gpu_map(w->shared, snippet), "a + b", &sum)) note(w, "gpu_reduce");
        if (sum != (w->id + 2) * N * (N - 1) / 2 + N * round) note(w, "another thread's kernel");
    }
    return NULL;
}

Test(threads, each_builds_a_kernel_of_its_own, .timeout = 300)
{
    gpu *g = test_open();
    in_threads(g, test_array_ok(gpu_range(g, GPU_INT, N)), test_full() ? 3 : 1, own_kernel);
    test_close(g);
}

static void *same_new_kernel(void *argument)
{
    worker *w = argument;
    int sum = -1;
    if (gpu_reduce(gpu_map(w->shared, "x * 1234567"), "a + b", &sum)) note(w, "gpu_reduce");
    if (sum != (int)(1234567u * (N * (N - 1) / 2))) note(w, "a wrong sum");
    return NULL;
}

Test(threads, all_build_one_new_kernel_once, .timeout = 300)
{
    gpu *g = test_open();
    gpu_array *x = test_array_ok(gpu_range(g, GPU_INT, N));
    in_threads(g, x, 0, same_new_kernel);
    uint64_t built = test_stats(g).programs_built + test_stats(g).programs_loaded;
    in_threads(g, x, 0, same_new_kernel);
    cr_assert_eq(test_stats(g).programs_built + test_stats(g).programs_loaded, built);
    test_close(g);
}

static void *consume(void *argument)
{
    worker *w = argument;
    int got[N], sum = -1;
    if (gpu_reduce(w->shared, "a + b", &sum) || sum != N * (N - 1)) note(w, "gpu_reduce");
    if (gpu_read(gpu_map(w->shared, "x + 1"), got) || got[N - 1] != 2 * N - 1) note(w, "gpu_read");
    if (gpu_read(w->shared, got) || got[N - 1] != 2 * N - 2) note(w, "gpu_read of the array itself");
    return NULL;
}

Test(threads, all_compute_one_delayed_array, .timeout = 300)
{
    gpu *g = test_open();
    for (int round = 0; round < (test_small() ? 5 : 100); round++) {
        gpu_scope *scope = gpu_scope_begin(g);
        in_threads(g, gpu_map(gpu_range(g, GPU_INT, N), "x * 2"), 0, consume);
        gpu_scope_end(scope);
    }
    test_close(g);
}

/* What each thread selects, scans and moves is its own, though kernels, cells and tickets are not. */
static void select_own(worker *w)
{
    int k = w->id, got[N], sum = -1;
    size_t n = 0, index = 0;
    gpu_array *mine = gpu_filter(w->shared, "x % 8 == k", GPU_ARG(k));
    if (gpu_reduce(mine, "a + b", &sum) || sum != 8 * k + 224) note(w, "another thread's elements");
    if (gpu_read_n(gpu_map(mine, "x + k", GPU_ARG(k)), got, N, &n) || n != 8) note(w, "gpu_filter");
    for (size_t i = 0; i < n; i++)
        if (got[i] != 8 * (int)i + 2 * k) note(w, "a wrong element");
    if (gpu_index_of(w->shared, &k, &index) || index != (size_t)k) note(w, "gpu_index_of");
    if (gpu_length(gpu_take_while(w->shared, "x < k", GPU_ARG(k))) != (size_t)k) note(w, "gpu_take_while");
}

static void scan_own(worker *w)
{
    int k = w->id, got[N];
    size_t n = 0;
    gpu_array *keys, *sums;
    if (gpu_read(gpu_scan(gpu_map(w->shared, "x + k", GPU_ARG(k)), "a + b"), got)) note(w, "gpu_scan");
    for (int i = 0; i < N; i++)
        if (got[i] != i * (i + 1) / 2 + (i + 1) * k) note(w, "another thread's sums");
    gpu_array *runs = gpu_map(w->shared, "x / (k + 1)", GPU_ARG(k));
    if (gpu_reduce_by_key(runs, w->shared, "b", &keys, &sums)) note(w, "gpu_reduce_by_key");
    if (gpu_read_n(sums, got, N, &n) || n != (size_t)((N + k) / (k + 1)) || got[n - 1] != N - 1) note(w, "the runs");
}

static void move_own(worker *w)
{
    int k = w->id, got[N];
    char text[64];
    gpu_array *turned = gpu_map(w->shared, "(x + k) % 64", GPU_ARG(k));
    if (gpu_read(gpu_gather(turned, turned), got)) note(w, "gpu_gather");
    for (int i = 0; i < N; i++)
        if (got[i] != (i + 2 * k) % N) note(w, "another thread's indices");
    if (gpu_read(gpu_scatter(w->shared, turned, w->shared), got)) note(w, "gpu_scatter");
    for (int i = 0; i < N; i++)
        if (got[(i + k) % N] != i) note(w, "another thread's places");
    gpu_array *astray = gpu_gather(w->shared, gpu_map(w->shared, "x == k ? -1 : x", GPU_ARG(k)));
    snprintf(text, sizeof text, "position %d ", k);
    if (gpu_read(astray, got) != GPU_E_RANGE || !strstr(gpu_error(), text)) note(w, "another thread's failure");
}

static void *own_elements(void *argument)
{
    worker *w = argument;
    for (int round = 0; round < w->rounds; round++) {
        gpu_scope *scope = gpu_scope_begin(w->g);
        select_own(w);
        scan_own(w);
        move_own(w);
        gpu_scope_end(scope);
    }
    return NULL;
}

Test(threads, each_sees_its_own_elements, .timeout = 300)
{
    gpu *g = test_open();
    gpu_array *x = test_array_ok(gpu_eval(gpu_range(g, GPU_INT, N)));
    in_threads(g, x, test_small() ? 3 : test_full() ? 1000 : 20, own_elements);
    cr_assert_eq(test_stats(g).live_arrays, 1);
    test_ok(gpu_finish(g));
    test_close(g);
}

/* Of an array whose length each may be the first to learn. */
static void *consume_selection(void *argument)
{
    worker *w = argument;
    int got[N], sum = -1;
    size_t n = 0, index = 0;
    if (gpu_reduce(w->shared, "a + b", &sum) || sum != N * N / 4) note(w, "gpu_reduce");
    if (w->id % 2 && gpu_length(w->shared) != N / 2) note(w, "gpu_length");
    if (gpu_read_n(gpu_scan(w->shared, "a + b"), got, N, &n) || n != N / 2 || got[n - 1] != sum) note(w, "gpu_scan");
    if (gpu_read(gpu_reverse(w->shared), got) || got[0] != N - 1) note(w, "gpu_reverse");
    if (gpu_read(gpu_drop_while(w->shared, "x < 11"), got) || got[0] != 11) note(w, "gpu_drop_while");
    if (gpu_index_of(gpu_map(w->shared, "x - 1"), &(int){10}, &index) || index != 5) note(w, "gpu_index_of");
    return NULL;
}

Test(threads, all_learn_the_length_of_one_selection, .timeout = 300)
{
    gpu *g = test_open();
    for (int round = 0; round < (test_small() ? 2 : 30); round++) {
        gpu_scope *scope = gpu_scope_begin(g);
        in_threads(g, gpu_filter(gpu_range(g, GPU_INT, N), "x % 2"), 0, consume_selection);
        gpu_scope_end(scope);
    }
    test_close(g);
}

static void *own_errors(void *argument)
{
    worker *w = argument;
    for (int round = 0; round < 100; round++) {
        char number[32];
        size_t first = 1000 + (size_t)w->id;
        gpu_array *bad = gpu_slice(w->shared, first, 1);
        snprintf(number, sizeof number, "%zu", first);
        if (gpu_array_status(bad) != GPU_E_RANGE || !strstr(gpu_array_error(bad), number)) note(w, "gpu_slice");
        if (!strstr(gpu_error(), number)) note(w, "another thread's error");
    }
    return NULL;
}

Test(threads, each_has_its_own_error)
{
    gpu *g = test_open();
    in_threads(g, gpu_range(g, GPU_INT, N), 0, own_errors);
    cr_assert_str_eq(gpu_error(), "", "another thread's failure: %s", gpu_error());
    test_close(g);
}

static void *leave_scope_open(void *argument)
{
    worker *w = argument;
    int got[N];
    gpu_scope_begin(w->g);
    if (gpu_read(gpu_map(w->shared, "x"), got)) note(w, "gpu_read");
    gpu_scope_begin(w->g);
    gpu_map(w->shared, "x + 2");
    return NULL;
}

Test(threads, each_may_end_with_scopes_open)
{
    gpu *g = test_open();
    in_threads(g, gpu_range(g, GPU_INT, N), 0, leave_scope_open);
    test_close(g);
}

static void *own_gpu(void *argument)
{
    worker *w = argument;
    int sum = -1;
    gpu *g = gpu_open(NULL);
    if (!g) note(w, "gpu_open");
    if (gpu_sum(gpu_map(gpu_range(g, GPU_INT, 100), "x + k", GPU_ARG_AS(k, GPU_INT, w->id)), &sum)) note(w, "gpu_sum");
    if (sum != 4950 + 100 * w->id) note(w, "a wrong sum");
    gpu_close(g);
    return NULL;
}

Test(threads, each_opens_a_gpu_of_its_own)
{
    in_threads(NULL, NULL, 0, own_gpu);
    test_nothing_lives("after eight gpus");
}

Test(gpus, two_of_one_process_compute_apart)
{
    gpu *g = gpu_open(NULL), *h = gpu_open(NULL);
    cr_assert(g && h && g != h, "%s", gpu_error());
    gpu_array *x = gpu_range(g, GPU_INT, 10), *y = gpu_range(h, GPU_INT, 10);
    int sum;
    test_ok(gpu_sum(x, &sum));
    cr_assert_eq(sum, 45);
    test_ok(gpu_sum(y, &sum));
    cr_assert_eq(sum, 45);
    gpu_close(g);
    test_ok(gpu_sum(gpu_map(y, "x * 2"), &sum));
    cr_assert_eq(sum, 90);
    test_close(h);
}

Test(gpus, arrays_of_two_do_not_mix)
{
    gpu *g = gpu_open(NULL), *h = gpu_open(NULL);
    cr_assert(g && h && g != h, "%s", gpu_error());
    gpu_array *x = gpu_range(g, GPU_INT, 10), *y = gpu_range(h, GPU_INT, 10),
              *evaluated = gpu_eval(gpu_range(h, GPU_INT, 10));
    test_array_fails(GPU_E_ARGUMENT, gpu_map2(x, y, "x + y"));
    test_array_fails(GPU_E_ARGUMENT, gpu_map3(x, x, evaluated, "x + y"));
    test_array_fails(GPU_E_ARGUMENT, gpu_map(x, "x + evaluated[0]", GPU_ARG(evaluated)));
    gpu_close(g);
    test_close(h);
}
