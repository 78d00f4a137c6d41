/* Sum, sum of squares and largest in one pass: three floats. The squares of many elements add up beyond what a float
 * holds exactly. */
#include "../op.h"

static gpu_status map_reduce_all(const gpu_array *in, void *out)
{
    float *value = out;
    return gpu_map_reduce_all(in, "x", "a + b", &value[0], "x * x", "a + b", &value[1], "x", "fmax(a, b)", &value[2]);
}

static size_t reference(const void *elements, size_t n, void *out)
{
    const float *x = elements;
    double sum = 0, squares = 0;
    float largest = x[0];
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i];
        squares += (double)x[i] * (double)x[i];
        if (x[i] > largest) largest = x[i];
    }
    float *value = out;
    value[0] = (float)sum;
    value[1] = (float)squares;
    value[2] = largest;
    return 1;
}

BENCH_OP(map_reduce_all_float, .name = "map_reduce_all", .type = GPU_FLOAT, .bytes = sizeof(float),
         .result = 3 * sizeof(float), .tolerance = 1e-5, .generate = bench_generate_float, .value = map_reduce_all,
         .reference = reference);
