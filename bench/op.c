#include "op.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gpu *bench_gpu;

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

bool bench_same(const bench_op *op, const void *got, const void *want, size_t results)
{
    const float *x = got, *y = want;
    const size_t bytes = results * op->result;
    if (op->tolerance == 0) return !memcmp(got, want, bytes);
    for (size_t k = 0; k < bytes / sizeof *x; k++)
        if (!(fabs((double)x[k] - (double)y[k]) <= op->tolerance * fabs((double)y[k]))) return false;
    return true;
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

uint64_t *bench_words(size_t n)
{
    uint64_t *words = malloc(n * sizeof *words);
    if (words) return words;
    fprintf(stderr, "bench: there is no memory for a reference with %zu words\n", n);
    exit(2);
}

static void move_by_digit(const uint64_t *from, uint64_t *to, size_t n, unsigned shift)
{
    size_t place[256] = {0}, total = 0;
    for (size_t i = 0; i < n; i++) place[from[i] >> shift & 255]++;
    for (size_t k = 0; k < 256; k++) {
        size_t count = place[k];
        place[k] = total;
        total += count;
    }
    for (size_t i = 0; i < n; i++) to[place[from[i] >> shift & 255]++] = from[i];
}

void bench_sort(uint64_t *words, size_t n, unsigned first, unsigned end)
{
    uint64_t *other = bench_words(n);
    for (unsigned shift = first; shift < end; shift += 16) {
        move_by_digit(words, other, n, shift);
        move_by_digit(other, words, n, shift + 8);
    }
    free(other);
}
