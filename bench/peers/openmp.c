/* Plain C on all the processor's cores: a simple loop for each core's share, and a loop over the shares. */
#include "../peer.h"
#include "elements.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHARES = 1024 };

typedef void omp_function(const void *in, size_t n, void *out);

/* IN_SHARES(name, element type, result type, operator): `name` combines in order what name_share makes of the shares.
 * A reduction clause on the outer loop keeps clang from vectorising the inner one. */
#define IN_SHARES(name, T, V, op)                                                                                      \
    static void name(const void *in, size_t n, void *out)                                                              \
    {                                                                                                                  \
        V value[MOST_SHARES], total;                                                                                   \
        size_t cores = (size_t)omp_get_max_threads(), most = cores < MOST_SHARES ? cores : MOST_SHARES;                \
        size_t shares = n < most ? n : most;                                                                           \
        _Pragma("omp parallel for schedule(static)") for (size_t k = 0; k < shares; k++)                               \
        {                                                                                                              \
            size_t begin = n * k / shares, end = n * (k + 1) / shares;                                                 \
            value[k] = name##_share((const T *)in + begin, end - begin);                                               \
        }                                                                                                              \
        total = value[0];                                                                                              \
        for (size_t k = 1; k < shares; k++) total = op(total, value[k]);                                               \
        *(V *)out = total;                                                                                             \
    }                                                                                                                  \
    extern const char in_shares_ends_

#define ADD(p, q) ((p) + (q))
#define LESSER(p, q) ((p) < (q) ? (p) : (q))

#define SUM(T)                                                                                                         \
    static T sum_##T##_share(const T *x, size_t n)                                                                     \
    {                                                                                                                  \
        T sum = 0;                                                                                                     \
        _Pragma("omp simd reduction(+ : sum)") for (size_t i = 0; i < n; i++) sum += x[i];                             \
        return sum;                                                                                                    \
    }                                                                                                                  \
    IN_SHARES(sum_##T, T, T, ADD)

#define SERIAL(name, T, op)                                                                                            \
    static T name##_share(const T *x, size_t n)                                                                        \
    {                                                                                                                  \
        T total = x[0];                                                                                                \
        for (size_t i = 1; i < n; i++) total = op(total, x[i]);                                                        \
        return total;                                                                                                  \
    }                                                                                                                  \
    IN_SHARES(name, T, T, op)

SUM(float);
SUM(int);
SUM(double);
SERIAL(argmax, candidate, better);
SERIAL(product, matrix, times);
SERIAL(compose, affine, then);

static float least_share(const float *x, size_t n)
{
    float least = x[0];
#pragma omp simd reduction(min : least)
    for (size_t i = 0; i < n; i++) least = LESSER(x[i], least);
    return least;
}
IN_SHARES(least, float, float, LESSER);

static float map_sum_share(const float *x, size_t n)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) sum += x[i] * 23;
    return sum;
}
IN_SHARES(map_sum, float, float, ADD);

static size_t count_share(const int *x, size_t n)
{
    size_t even = 0;
#pragma omp simd reduction(+ : even)
    for (size_t i = 0; i < n; i++) even += x[i] % 2 == 0;
    return even;
}
IN_SHARES(count, int, size_t, ADD);

static summary summarise_share(const float *x, size_t n)
{
    float sum = 0, least = x[0], largest = x[0];
#pragma omp simd reduction(+ : sum) reduction(min : least) reduction(max : largest)
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        least = x[i] < least ? x[i] : least;
        largest = x[i] > largest ? x[i] : largest;
    }
    return (summary){sum, least, largest};
}
IN_SHARES(summarise, float, summary, join);

static void map(const void *in, size_t n, void *out)
{
    const float *x = in;
    float *restrict y = out;
#pragma omp parallel for simd
    for (size_t i = 0; i < n; i++) y[i] = x[i] * 2 + 1;
}

static const struct omp_entry {
    const char *op, *type;
    omp_function *function;
    size_t result;
    bool array;
} entries[] = {
    {"reduce", "float", sum_float, sizeof(float), false},       {"reduce", "int", sum_int, sizeof(int), false},
    {"reduce", "double", sum_double, sizeof(double), false},    {"min", "float", least, sizeof(float), false},
    {"argmax", "candidate", argmax, sizeof(candidate), false},  {"ordered", "matrix", product, sizeof(matrix), false},
    {"ordered", "affine", compose, sizeof(affine), false},      {"map", "float", map, sizeof(float), true},
    {"map_reduce", "float", map_sum, sizeof(float), false},     {"count", "int", count, sizeof(size_t), false},
    {"reduce_all", "float", summarise, sizeof(summary), false},
};

typedef struct omp_trial {
    bench_trial trial;
    omp_function *function;
    const void *in;
    void *out;
    size_t n, bytes; /* of the result */
} omp_trial;

static bool run(bench_trial *trial)
{
    omp_trial *t = (omp_trial *)trial;
    t->function(t->in, t->n, t->out);
    return true;
}

static bool read_result(bench_trial *trial, void *out)
{
    omp_trial *t = (omp_trial *)trial;
    memcpy(out, t->out, t->bytes);
    return true;
}

/* Sends the threads away: they would keep spinning for a while, beside the next to be measured. */
static void free_trial(bench_trial *trial)
{
    omp_pause_resource_all(omp_pause_soft);
    free(((omp_trial *)trial)->out);
    free(trial);
}

static bench_trial *start(const bench_job *job)
{
    for (size_t k = 0; k < sizeof entries / sizeof *entries; k++) {
        const struct omp_entry *e = &entries[k];
        if (strcmp(e->op, job->op) || strcmp(e->type, job->type)) continue;
        omp_trial *t = malloc(sizeof *t);
        size_t bytes = e->result * (e->array ? job->n : 1);
        void *out = calloc(1, bytes);
        if (t && out) {
            *t = (omp_trial){{run, read_result, free_trial}, e->function, job->elements, out, job->n, bytes};
            return &t->trial;
        }
        free(t);
        free(out);
    }
    return NULL;
}

const bench_peer bench_peers[] = {{"openmp", NULL, start}, {NULL, NULL, NULL}};
