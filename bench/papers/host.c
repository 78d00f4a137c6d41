#include "papers.h"

#include <unistd.h>

static int count(int threads)
{
    return threads ? threads : (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static float sum_of(const float *x, long n)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (long i = 0; i < n; i++) sum += x[i];
    return sum;
}

static float map_sum_of(const float *x, long n)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (long i = 0; i < n; i++) sum += x[i] * 23;
    return sum;
}

/* clang vectorises a reduction only where it is not a parallel loop too: so there are two levels. */
static double in_chunks(float (*sum_chunk)(const float *, long), const float *x, size_t n, int threads)
{
    float sum = 0;
    int chunks = count(threads);
#pragma omp parallel for reduction(+ : sum) num_threads(chunks)
    for (int c = 0; c < chunks; c++) {
        size_t first = n * (size_t)c / (size_t)chunks, end = n * ((size_t)c + 1) / (size_t)chunks;
        sum += sum_chunk(x + first, (long)(end - first));
    }
    return (double)sum;
}

double host_sum(const float *x, size_t n, int threads)
{
    return in_chunks(sum_of, x, n, threads);
}

double host_map_sum(const float *x, size_t n, int threads)
{
    return in_chunks(map_sum_of, x, n, threads);
}

void host_map(const float *x, float *y, size_t n, int threads)
{
#pragma omp parallel for simd num_threads(count(threads))
    for (size_t i = 0; i < n; i++) y[i] = x[i] * 23;
}
