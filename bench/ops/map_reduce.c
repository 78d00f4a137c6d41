/* The sum of a mapped array, in one kernel. */
#include "../op.h"

static gpu_status map_reduce(const gpu_array *in, void *out)
{
    gpu_array *mapped = gpu_map(in, "x * 23");
    gpu_status status = gpu_reduce(mapped, "a + b", (float *)out);
    gpu_array_free(mapped);
    return status;
}

static size_t reference(const void *elements, size_t n, void *out)
{
    const float *x = elements;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)(x[i] * 23);
    *(float *)out = (float)sum;
    return 1;
}

BENCH_OP(map_reduce_float, .name = "map_reduce", .type = GPU_FLOAT, .bytes = sizeof(float), .result = sizeof(float),
         .most_on_cpu = BENCH_FAR_ON_CPU, .generate = bench_generate_float, .value = map_reduce,
         .reference = reference);
