/* The smallest of random floats. */
#include "../op.h"

static void generate(void *elements, size_t n, uint64_t seed)
{
    float *x = elements;
    for (size_t i = 0; i < n; i++) x[i] = (float)(bench_random(&seed) >> 40) / 256 - 30000;
}

static gpu_status smallest(const gpu_array *in, void *out)
{
    return gpu_min(in, (float *)out);
}

static size_t reference(const void *elements, size_t n, void *out)
{
    const float *x = elements;
    float least = x[0];
    for (size_t i = 1; i < n; i++) least = x[i] < least ? x[i] : least;
    *(float *)out = least;
    return 1;
}

BENCH_OP(min_float, .name = "min", .type = GPU_FLOAT, .bytes = sizeof(float), .result = sizeof(float),
         .most_on_cpu = BENCH_FAR_ON_CPU, .generate = generate, .value = smallest, .reference = reference);
