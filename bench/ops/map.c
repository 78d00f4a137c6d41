/* One array to another. */
#include "../op.h"

static gpu_array *map(const gpu_array *in)
{
    return gpu_map(in, "x * 2 + 1");
}

static size_t reference(const void *elements, size_t n, void *out)
{
    const float *x = elements;
    float *y = out;
    for (size_t i = 0; i < n; i++) y[i] = x[i] * 2 + 1;
    return n;
}

BENCH_OP(map_float, .name = "map", .type = GPU_FLOAT, .bytes = 2 * sizeof(float), .result = sizeof(float),
         .most_on_cpu = BENCH_FAR_ON_CPU, .generate = bench_generate_float, .array = map, .reference = reference);
