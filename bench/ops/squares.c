/* The sum of the squares of what is positive: filter, map, reduce, in one kernel. */
#include "../op.h"

/* From -1 to 1. */
static void generate(void *elements, size_t n, uint64_t seed)
{
    float *x = elements;
    for (size_t i = 0; i < n; i++) x[i] = (float)(bench_random(&seed) >> 40) / (1 << 23) - 1;
}

static gpu_status squares(const gpu_array *in, void *out)
{
    gpu_array *positive = gpu_filter(in, "x > 0"), *squared = gpu_map(positive, "x * x");
    gpu_status status = gpu_reduce(squared, "a + b", (float *)out);
    gpu_array_free(positive);
    gpu_array_free(squared);
    return status;
}

static size_t reference(const void *elements, size_t n, void *out)
{
    const float *x = elements;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] > 0) sum += (double)x[i] * (double)x[i];
    *(float *)out = (float)sum;
    return 1;
}

/* Each of many sums of a few thousand numbers rounds. */
BENCH_OP(squares_float, .name = "squares", .type = GPU_FLOAT, .bytes = sizeof(float), .result = sizeof(float),
         .tolerance = 1e-5, .most_on_cpu = BENCH_FAR_ON_CPU, .generate = generate, .value = squares,
         .reference = reference);
