/* A step of diffusion: each element and its two neighbours. */
#include "../op.h"

GPU_FUNCTION(float, diffuse, (const float *near), { return near[0] + 0.25f * (near[-1] - 2 * near[0] + near[1]); });

static size_t reference(const void *elements, size_t n, void *out)
{
    const float *x = elements;
    float *y = out;
    for (size_t i = 0; i < n; i++) {
        const float left = x[i ? i - 1 : 0], right = x[i + 1 < n ? i + 1 : i];
        y[i] = x[i] + 0.25f * (left - 2 * x[i] + right);
    }
    return n;
}

static gpu_array *by_text(const gpu_array *in)
{
    return gpu_stencil(in, 1, GPU_EDGE_CLAMP, "at(0) + 0.25f * (at(-1) - 2 * at(0) + at(1))");
}

static gpu_array *by_function(const gpu_array *in)
{
    return gpu_stencil(in, 1, GPU_EDGE_CLAMP, diffuse);
}

BENCH_OP(op_stencil, .name = "stencil", .type = GPU_FLOAT, .bytes = 2 * sizeof(float), .result = sizeof(float),
         .generate = bench_generate_float, .array = by_text, .reference = reference);
BENCH_OP(op_stencil_function, .name = "stencil_function", .type = GPU_FLOAT, .bytes = 2 * sizeof(float),
         .result = sizeof(float), .generate = bench_generate_float, .array = by_function, .reference = reference);
