#include "op.h"

static bench_op *first;

void bench_register(bench_op *op)
{
    bench_op **end = &first;
    while (*end) end = &(*end)->next;
    *end = op;
}

const bench_op *bench_ops(void)
{
    return first;
}

size_t bench_results(const bench_op *op, size_t n)
{
    if (!op->array) return 1;
    return op->fixed ? op->fixed : n;
}

gpu_array *bench_await_length(gpu_array *a)
{
    gpu_length(gpu_eval(a));
    return a;
}

static int whole(uint64_t *state)
{
    return (int)(bench_random(state) % 17) - 8;
}

void bench_generate_float(void *elements, size_t n, uint64_t seed)
{
    float *x = elements;
    for (size_t i = 0; i < n; i++) x[i] = (float)whole(&seed);
}

void bench_generate_double(void *elements, size_t n, uint64_t seed)
{
    double *x = elements;
    for (size_t i = 0; i < n; i++) x[i] = whole(&seed);
}

void bench_generate_int(void *elements, size_t n, uint64_t seed)
{
    int *x = elements;
    for (size_t i = 0; i < n; i++) x[i] = whole(&seed);
}
