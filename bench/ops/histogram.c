/* Counts of numbers in 256 and in 65536 bins of equal width. */
#include "../op.h"

#include <string.h>

enum { RANGE = 65536 };

static void generate(void *elements, size_t n, uint64_t seed)
{
    unsigned int *x = elements;
    for (size_t i = 0; i < n; i++) x[i] = (unsigned int)(bench_random(&seed) % RANGE);
}

static gpu_array *count_in(const gpu_array *in, size_t bins)
{
    gpu_array *counts;
    gpu_histogram(in, &(unsigned int){0}, &(unsigned int){RANGE}, bins, &counts, NULL);
    return counts;
}

#define HISTOGRAM(bins)                                                                                                \
    static gpu_array *histogram_##bins(const gpu_array *in)                                                            \
    {                                                                                                                  \
        return count_in(in, bins);                                                                                     \
    }                                                                                                                  \
    static size_t reference_##bins(const void *elements, size_t n, void *out)                                          \
    {                                                                                                                  \
        const unsigned int *x = elements;                                                                              \
        uint64_t *counts = out;                                                                                        \
        memset(counts, 0, bins * sizeof *counts);                                                                      \
        for (size_t i = 0; i < n; i++) counts[x[i] / (RANGE / bins)]++;                                                \
        return bins;                                                                                                   \
    }                                                                                                                  \
    BENCH_OP(histogram_op_##bins, .name = "hist_" #bins, .type = GPU_UINT, .bytes = sizeof(unsigned int),              \
             .result = sizeof(uint64_t), .generate = generate, .array = histogram_##bins, .fixed = bins,               \
             .reference = reference_##bins)

HISTOGRAM(256);
HISTOGRAM(65536);
