/* The dot product of two mapped arrays, in one kernel: the elements' first and second half. */
#include "../op.h"

#include <math.h>

static gpu_status dot(const gpu_array *in, void *out)
{
    size_t half = gpu_length(in) / 2;
    gpu_array *left = gpu_slice(in, 0, half), *right = gpu_slice(in, half, half);
    gpu_array *halves = gpu_map(left, "x / 2"), *sizes = gpu_map(right, "fabs(x) + 1");
    gpu_array *products = gpu_map2(halves, sizes, "x * y");
    gpu_status status = gpu_reduce(products, "a + b", (float *)out);
    gpu_array *made[] = {left, right, halves, sizes, products};
    for (size_t k = 0; k < sizeof made / sizeof *made; k++) gpu_array_free(made[k]);
    return status;
}

/* There are as many terms above zero as below: the sum stays small, and exact. */
static size_t reference(const void *elements, size_t n, void *out)
{
    const float *x = elements, *y = x + n / 2;
    double sum = 0;
    for (size_t i = 0; i < n / 2; i++) sum += (double)(x[i] / 2 * (fabsf(y[i]) + 1));
    *(float *)out = (float)sum;
    return 1;
}

BENCH_OP(dot_float, .name = "dot", .type = GPU_FLOAT, .bytes = sizeof(float), .result = sizeof(float),
         .most_on_cpu = BENCH_FAR_ON_CPU, .generate = bench_generate_float, .value = dot, .reference = reference);
