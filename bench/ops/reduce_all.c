/* Sum, smallest and largest in one pass: three floats. */
#include "../op.h"

static gpu_status reduce_all(const gpu_array *in, void *out)
{
    float *value = out;
    return gpu_reduce_all(in, "a + b", &value[0], "fmin(a, b)", &value[1], "fmax(a, b)", &value[2]);
}

static size_t reference(const void *elements, size_t n, void *out)
{
    const float *x = elements;
    double sum = 0;
    float least = x[0], largest = x[0];
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i];
        if (x[i] < least) least = x[i];
        if (x[i] > largest) largest = x[i];
    }
    float *value = out;
    value[0] = (float)sum;
    value[1] = least;
    value[2] = largest;
    return 1;
}

BENCH_OP(reduce_all_float, .name = "reduce_all", .type = GPU_FLOAT, .bytes = sizeof(float), .result = 3 * sizeof(float),
         .generate = bench_generate_float, .value = reduce_all, .reference = reference);
