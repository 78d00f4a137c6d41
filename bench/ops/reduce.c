/* Sums. */
#include "../op.h"

#define SUM(T, NAME)                                                                                                   \
    static gpu_status sum_##T(const gpu_array *in, void *out)                                                          \
    {                                                                                                                  \
        return gpu_reduce(in, "a + b", (T *)out);                                                                      \
    }                                                                                                                  \
    static size_t reference_##T(const void *elements, size_t n, void *out)                                             \
    {                                                                                                                  \
        const T *x = elements;                                                                                         \
        double sum = 0;                                                                                                \
        for (size_t i = 0; i < n; i++) sum += (double)x[i];                                                            \
        *(T *)out = (T)sum;                                                                                            \
        return 1;                                                                                                      \
    }                                                                                                                  \
    BENCH_OP(reduce_##T, .name = "reduce", .type = NAME, .bytes = sizeof(T), .result = sizeof(T),                      \
             .most_on_cpu = BENCH_FAR_ON_CPU, .generate = bench_generate_##T, .value = sum_##T,                        \
             .reference = reference_##T)

SUM(float, GPU_FLOAT);
SUM(int, GPU_INT);
SUM(double, GPU_DOUBLE);
