/* How many numbers are even. */
#include "../op.h"

static gpu_status count(const gpu_array *in, void *out)
{
    return gpu_count(in, "x % 2 == 0", (size_t *)out);
}

static size_t reference(const void *elements, size_t n, void *out)
{
    const int *x = elements;
    size_t even = 0;
    for (size_t i = 0; i < n; i++) even += x[i] % 2 == 0;
    *(size_t *)out = even;
    return 1;
}

BENCH_OP(count_int, .name = "count", .type = GPU_INT, .bytes = sizeof(int), .result = sizeof(size_t),
         .generate = bench_generate_int, .value = count, .reference = reference);
