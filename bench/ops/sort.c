/* Sorts of random numbers, and what is told or taken from an order. */
#include "../op.h"

#include <stdlib.h>

enum { TOP = 100 };

/* KEYS(suffix, type, bias, random): whole random numbers, made of r. With the bias added they are words, as wide as the
 * type, that have the order of the elements. */
#define KEYS(suffix, T, bias, random)                                                                                  \
    static void generate_##suffix(void *elements, size_t n, uint64_t seed)                                             \
    {                                                                                                                  \
        T *x = elements;                                                                                               \
        for (size_t i = 0; i < n; i++) {                                                                               \
            uint64_t r = bench_random(&seed);                                                                          \
            x[i] = (T)(random);                                                                                        \
        }                                                                                                              \
    }                                                                                                                  \
    static uint64_t word_of_##suffix(T x)                                                                              \
    {                                                                                                                  \
        return (uint64_t)(int64_t)x + (bias);                                                                          \
    }                                                                                                                  \
    static size_t reference_##suffix(const void *elements, size_t n, void *out)                                        \
    {                                                                                                                  \
        const T *x = elements;                                                                                         \
        T *y = out;                                                                                                    \
        uint64_t *words = bench_words(n);                                                                              \
        for (size_t i = 0; i < n; i++) words[i] = word_of_##suffix(x[i]);                                              \
        bench_sort(words, n, 0, 8 * sizeof(T));                                                                        \
        for (size_t i = 0; i < n; i++) y[i] = (T)(int64_t)(words[i] - (bias));                                         \
        free(words);                                                                                                   \
        return n;                                                                                                      \
    }                                                                                                                  \
    extern const char keys_end_

KEYS(uint, unsigned int, 0, r >> 32);
KEYS(int, int, (uint64_t)1 << 31, (int)(r >> 32));
KEYS(float, float, (uint64_t)1 << 31, (int)(r >> 32) >> 1);
KEYS(ulong, uint64_t, 0, r);
KEYS(double, double, (uint64_t)1 << 63, (int64_t)r >> 1);

static gpu_array *sort(const gpu_array *in)
{
    return gpu_sort(in);
}

#define SORT(suffix, T, NAME, on_cpu)                                                                                  \
    BENCH_OP(sort_op_##suffix, .name = "sort", .type = NAME, .bytes = 2 * sizeof(T), .result = sizeof(T),              \
             .most_on_cpu = on_cpu, .generate = generate_##suffix, .array = sort, .reference = reference_##suffix)

SORT(uint, unsigned int, GPU_UINT, BENCH_MOST_ON_CPU);
SORT(int, int, GPU_INT, BENCH_FEW_ON_CPU);
SORT(float, float, GPU_FLOAT, BENCH_MOST_ON_CPU);
SORT(ulong, uint64_t, GPU_ULONG, BENCH_FEW_ON_CPU);
SORT(double, double, GPU_DOUBLE, BENCH_FEW_ON_CPU);

static gpu_array *sort_by(const gpu_array *in)
{
    return gpu_sort_by(in, "a < b");
}

static gpu_array *bitonic(const gpu_array *in)
{
    return gpu_sort_with(in, &(gpu_sort_options){.algorithm = GPU_SORT_BITONIC}, NULL);
}

BENCH_OP(sort_by_float, .name = "sort_by", .type = GPU_FLOAT, .bytes = 2 * sizeof(float), .result = sizeof(float),
         .generate = generate_float, .array = sort_by, .reference = reference_float);
BENCH_OP(bitonic_float, .name = "bitonic", .type = GPU_FLOAT, .bytes = 2 * sizeof(float), .result = sizeof(float),
         .most = (size_t)1 << 20, .generate = generate_float, .array = bitonic, .reference = reference_float);

static gpu_array *argsort(const gpu_array *in)
{
    return gpu_argsort(in);
}

static size_t argsort_reference(const void *elements, size_t n, void *out)
{
    const float *x = elements;
    uint64_t *words = out;
    for (size_t i = 0; i < n; i++) words[i] = word_of_float(x[i]) << 32 | i;
    bench_sort(words, n, 32, 64);
    for (size_t i = 0; i < n; i++) words[i] &= UINT32_MAX;
    return n;
}

BENCH_OP(argsort_float, .name = "argsort", .type = GPU_FLOAT, .bytes = sizeof(float) + sizeof(uint64_t),
         .result = sizeof(uint64_t), .generate = generate_float, .array = argsort, .reference = argsort_reference);

static gpu_array *top(const gpu_array *in)
{
    return gpu_top(in, TOP);
}

/* By insertion: few elements are larger than a hundred before them. */
static size_t top_reference(const void *elements, size_t n, void *out)
{
    const float *x = elements;
    float *y = out;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (count == TOP && x[i] <= y[TOP - 1]) continue;
        size_t at = count < TOP ? count++ : TOP - 1;
        for (; at > 0 && y[at - 1] < x[i]; at--) y[at] = y[at - 1];
        y[at] = x[i];
    }
    return count;
}

BENCH_OP(top_float, .name = "top_100", .type = GPU_FLOAT, .bytes = sizeof(float), .result = sizeof(float),
         .generate = generate_float, .array = top, .fixed = TOP, .reference = top_reference);

static void generate_sorted(void *elements, size_t n, uint64_t seed)
{
    (void)seed;
    int *x = elements;
    for (size_t i = 0; i < n; i++) x[i] = (int)(i / 2);
}

static gpu_status is_sorted(const gpu_array *in, void *out)
{
    return gpu_is_sorted(in, (bool *)out);
}

static size_t sorted_reference(const void *elements, size_t n, void *out)
{
    const int *x = elements;
    size_t i = 1;
    while (i < n && x[i - 1] <= x[i]) i++;
    *(bool *)out = i >= n;
    return 1;
}

BENCH_OP(is_sorted_int, .name = "is_sorted", .type = GPU_INT, .bytes = sizeof(int), .result = sizeof(bool),
         .generate = generate_sorted, .value = is_sorted, .reference = sorted_reference);
