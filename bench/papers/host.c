#include "papers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CHUNKS = 256 };

/* A chunk for each thread. */
static int chunks_for(int threads)
{
    long chunks = threads ? threads : sysconf(_SC_NPROCESSORS_ONLN);
    return chunks < MOST_CHUNKS ? (int)chunks : MOST_CHUNKS;
}

/* Where chunk c of n elements starts, and the one before it ends. */
static size_t start(size_t n, int c, int chunks)
{
    return n * (size_t)c / (size_t)chunks;
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
    int chunks = chunks_for(threads);
#pragma omp parallel for reduction(+ : sum) num_threads(chunks)
    for (int c = 0; c < chunks; c++) {
        size_t first = start(n, c, chunks);
        sum += sum_chunk(x + first, (long)(start(n, c + 1, chunks) - first));
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
#pragma omp parallel for simd num_threads(chunks_for(threads))
    for (size_t i = 0; i < n; i++) y[i] = x[i] * 23;
}

static void scan_of(const float *x, float *y, size_t n, float sum)
{
    for (size_t i = 0; i < n; i++) y[i] = sum += x[i];
}

/* Two sweeps, except over the last chunk, whose sum nobody needs. */
void host_scan(const float *x, float *y, size_t n, int threads)
{
    float sums[MOST_CHUNKS + 1] = {0};
    int chunks = chunks_for(threads);
#pragma omp parallel for num_threads(chunks)
    for (int c = 0; c < chunks - 1; c++)
        sums[c + 1] = sum_of(x + start(n, c, chunks), (long)(start(n, c + 1, chunks) - start(n, c, chunks)));
    for (int c = 0; c < chunks - 1; c++) sums[c + 1] += sums[c];
#pragma omp parallel for num_threads(chunks)
    for (int c = 0; c < chunks; c++) {
        size_t first = start(n, c, chunks);
        scan_of(x + first, y + first, start(n, c + 1, chunks) - first, sums[c]);
    }
}

static size_t kept_of(const float *x, size_t n)
{
    unsigned kept = 0;
#pragma omp simd reduction(+ : kept)
    for (size_t i = 0; i < n; i++) kept += x[i] > 0;
    return kept;
}

/* Without a branch, which every other element would mispredict. Ends at the last that stays: behind it lies what
 * another thread writes. */
static void filter_of(const float *x, float *y, size_t count)
{
    for (size_t kept = 0; kept < count; x++) {
        y[kept] = *x;
        kept += *x > 0;
    }
}

size_t host_filter(const float *x, float *y, size_t n, int threads)
{
    size_t places[MOST_CHUNKS + 1] = {0};
    int chunks = chunks_for(threads);
#pragma omp parallel for num_threads(chunks)
    for (int c = 0; c < chunks; c++)
        places[c + 1] = kept_of(x + start(n, c, chunks), start(n, c + 1, chunks) - start(n, c, chunks));
    for (int c = 0; c < chunks; c++) places[c + 1] += places[c];
#pragma omp parallel for num_threads(chunks)
    for (int c = 0; c < chunks; c++) filter_of(x + start(n, c, chunks), y + places[c], places[c + 1] - places[c]);
    return places[chunks];
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

void host_sort(const float *x, float *y, size_t n)
{
    memcpy(y, x, n * sizeof *y);
    qsort(y, n, sizeof *y, compare);
}
