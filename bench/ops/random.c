/* Random numbers into memory. */
#include "../op.h"

#include <firepile/random.h>
#include <string.h>

/* The value is the sum of the numbers. It says that all are there, and another generator's is about the same. */
enum { FEW = 4096 };

static size_t few_of(size_t n)
{
    return n < FEW ? n : FEW;
}

static gpu_status draw(const gpu_array *in, void *out)
{
    const size_t n = gpu_length(in);
    gpu_array *x = gpu_eval(gpu_random(bench_gpu, GPU_FLOAT, n, 1)), *few = gpu_slice(x, 0, few_of(n));
    gpu_status status = gpu_reduce(few, "a + b", (float *)out);
    gpu_array_free(few);
    gpu_array_free(x);
    return status;
}

static size_t draw_reference(const void *elements, size_t n, void *out)
{
    double sum = 0;
    (void)elements;
    for (size_t i = 0; i < few_of(n); i++) {
        const gpu_uint4 words = gpu_philox(1, i / 4);
        uint32_t word;
        memcpy(&word, (const char *)&words + i % 4 * sizeof word, sizeof word);
        sum += (double)(word >> 8) * 0x1p-24;
    }
    *(float *)out = (float)sum;
    return 1;
}

/* The deviation of a sum is 0.9 % of it. */
BENCH_OP(random_float, .name = "random", .type = GPU_FLOAT, .bytes = sizeof(float), .result = sizeof(float),
         .tolerance = 0.05, .most_on_cpu = BENCH_FAR_ON_CPU, .generate = bench_generate_float, .value = draw,
         .reference = draw_reference);
