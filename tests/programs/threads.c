/* One gpu used by several threads at once: for the thread sanitizer, under which Criterion does not start. */
#include <firepile.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 50, N = 100 };

typedef struct worker {
    gpu *g;
    gpu_array *shared;  /* computed */
    gpu_array *delayed; /* shared * 2; who comes first computes it */
    int k;
    int wrong;
} worker;

static void own_value(worker *w)
{
    int got[N], k = w->k;
    gpu_scope *scope = gpu_scope_begin(w->g);
    if (gpu_read(gpu_map(w->shared, "x + k", GPU_ARG(k)), got)) {
        fprintf(stderr, "%s\n", gpu_error());
        w->wrong++;
    } else {
        for (int i = 0; i < N; i++) w->wrong += got[i] != i + k;
    }
    gpu_scope_end(scope);
}

static void own_kernel(worker *w)
{
    char snippet[32];
    int sum = 0;
    snprintf(snippet, sizeof snippet, "x * %d", w->k + 2);
    w->wrong += gpu_reduce(gpu_map(w->shared, snippet), "a + b", &sum) || sum != (w->k + 2) * N * (N - 1) / 2;
}

static void *work(void *argument)
{
    worker *w = argument;
    int sum = 0;
    own_kernel(w);
    w->wrong += gpu_reduce(w->delayed, "a + b", &sum) || sum != N * (N - 1);
    for (int round = 0; round < ROUNDS; round++) own_value(w);
    w->wrong += gpu_array_status(gpu_slice(w->shared, N, 1)) != GPU_E_RANGE;
    return NULL;
}

int main(void)
{
    gpu *g = gpu_open(NULL);
    gpu_array *shared = gpu_eval(gpu_range(g, GPU_INT, N)), *delayed = gpu_map(shared, "x * 2");
    if (gpu_array_status(delayed)) {
        fprintf(stderr, "%s\n", gpu_array_error(delayed));
        return 1;
    }
    worker workers[THREADS];
    pthread_t threads[THREADS];
    for (int k = 0; k < THREADS; k++) {
        workers[k] = (worker){g, shared, delayed, k, 0};
        if (pthread_create(&threads[k], NULL, work, &workers[k])) return 1;
    }
    int wrong = 0;
    for (int k = 0; k < THREADS; k++) {
        pthread_join(threads[k], NULL);
        wrong += workers[k].wrong;
    }
    gpu_close(g);
    if (wrong) fprintf(stderr, "%d wrong values\n", wrong);
    return wrong != 0;
}
