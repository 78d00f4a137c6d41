/* Sums of ints and of floats in 24 bins and in 65,536. An element has a key in its low half, and a value above, 0 or 1,
 * so that sums of floats are exact. */
#include "../op.h"

#include <string.h>

/* BINS(bins, type of the values, its name, identifier) */
#define BINS(bins, T, TYPE, id)                                                                                        \
    static void generate_##id(void *elements, size_t n, uint64_t seed)                                                 \
    {                                                                                                                  \
        unsigned int *x = elements;                                                                                    \
        for (size_t i = 0; i < n; i++) x[i] = (unsigned int)((bench_random(&seed) >> 20) % (2 * bins));                \
        for (size_t i = 0; i < n; i++) x[i] = x[i] % bins | x[i] / bins << 16;                                         \
    }                                                                                                                  \
    static gpu_array *array_##id(const gpu_array *in)                                                                  \
    {                                                                                                                  \
        gpu_array *keys = gpu_map(in, "x & 0xffff"), *values = gpu_map_to(in, TYPE, "x >> 16");                        \
        gpu_array *sums = gpu_bin_reduce(keys, values, bins, &(T){0}, "a + b");                                        \
        gpu_array_free(keys);                                                                                          \
        gpu_array_free(values);                                                                                        \
        return sums;                                                                                                   \
    }                                                                                                                  \
    static size_t reference_##id(const void *elements, size_t n, void *out)                                            \
    {                                                                                                                  \
        const unsigned int *x = elements;                                                                              \
        T *sums = out;                                                                                                 \
        memset(sums, 0, bins * sizeof *sums);                                                                          \
        for (size_t i = 0; i < n; i++) sums[x[i] & 0xffff] += (T)(x[i] >> 16);                                         \
        return bins;                                                                                                   \
    }                                                                                                                  \
    BENCH_OP(op_##id, .name = #id, .type = GPU_UINT, .bytes = sizeof(unsigned int), .result = sizeof(T),               \
             .generate = generate_##id, .array = array_##id, .fixed = bins, .reference = reference_##id)

BINS(24, int, GPU_INT, bins_24);
BINS(24, float, GPU_FLOAT, bins_24_float);
BINS(65536, int, GPU_INT, bins_65536);
BINS(65536, float, GPU_FLOAT, bins_65536_float);
