/* map, filter, map, reduce: one kernel. */
#include "../op.h"

#include <math.h>

static gpu_status chain(const gpu_array *in, void *out)
{
    gpu_array *halves = gpu_map(in, "x / 2"), *kept = gpu_filter(halves, "fabs(x) > 2");
    gpu_array *mapped = gpu_map(kept, "x * 6");
    gpu_status status = gpu_reduce(mapped, "a + b", (float *)out);
    gpu_array_free(halves);
    gpu_array_free(kept);
    gpu_array_free(mapped);
    return status;
}

/* 8 of 17 elements are kept, as many above zero as below: the sum stays small, and exact. */
static size_t reference(const void *elements, size_t n, void *out)
{
    const float *x = elements;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if (fabsf(x[i] / 2) > 2) sum += (double)(x[i] / 2 * 6);
    *(float *)out = (float)sum;
    return 1;
}

BENCH_OP(chain_float, .name = "chain", .type = GPU_FLOAT, .bytes = sizeof(float), .result = sizeof(float),
         .generate = bench_generate_float, .value = chain, .reference = reference);
