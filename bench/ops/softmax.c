/* exp(x) / (the sum of all exp(x)), as in examples/softmax.c: three kernels, and no wait but for the finished array. */
#include "../op.h"

#include <math.h>

static void generate(void *elements, size_t n, uint64_t seed)
{
    float *x = elements;
    for (size_t i = 0; i < n; i++) x[i] = (float)(bench_random(&seed) >> 40) / (1 << 20) - 8;
}

static gpu_array *softmax(const gpu_array *in)
{
    gpu_array *largest = gpu_reduced(in, "fmax(a, b)");
    gpu_array *powers = gpu_map(in, "exp(x - largest[0])", GPU_ARG(largest)), *sum = gpu_reduced(powers, "a + b");
    gpu_array *shares = gpu_map(in, "exp(x - largest[0]) / sum[0]", GPU_ARG(largest), GPU_ARG(sum));
    gpu_array_free(largest);
    gpu_array_free(powers);
    gpu_array_free(sum);
    return shares;
}

static size_t reference(const void *elements, size_t n, void *out)
{
    const float *x = elements;
    float *y = out, largest = x[0];
    double sum = 0;
    for (size_t i = 1; i < n; i++) largest = x[i] > largest ? x[i] : largest;
    for (size_t i = 0; i < n; i++) sum += exp((double)x[i] - (double)largest);
    for (size_t i = 0; i < n; i++) y[i] = (float)(exp((double)x[i] - (double)largest) / sum);
    return n;
}

/* The difference to the largest is up to 16, and rounded; so are exp, the additions and the division. */
BENCH_OP(softmax_float, .name = "softmax", .type = GPU_FLOAT, .bytes = 4 * sizeof(float), .result = sizeof(float),
         .tolerance = 1e-4, .most_on_cpu = BENCH_FAR_ON_CPU, .generate = generate, .array = softmax,
         .reference = reference);
