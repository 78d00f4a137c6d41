/* Sums of windows: narrow ones, and some of many blocks. */
#include "../op.h"

static size_t sums(const int *x, size_t n, size_t width, int *out)
{
    int sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        if (i >= width) sum -= x[i - width];
        if (i + 1 >= width) out[i + 1 - width] = sum;
    }
    return n < width ? 0 : n - width + 1;
}

/* WINDOW(identifier, width) */
#define WINDOW(id, width)                                                                                              \
    static gpu_array *make_##id(const gpu_array *in)                                                                   \
    {                                                                                                                  \
        return gpu_window_reduce(in, width, "a + b");                                                                  \
    }                                                                                                                  \
    static size_t reference_##id(const void *elements, size_t n, void *out)                                            \
    {                                                                                                                  \
        return sums(elements, n, width, out);                                                                          \
    }                                                                                                                  \
    BENCH_OP(op_##id, .name = #id, .type = GPU_INT, .bytes = 2 * sizeof(int), .result = sizeof(int),                   \
             .generate = bench_generate_int, .array = make_##id, .reference = reference_##id)

WINDOW(window_7, 7);
WINDOW(window_1000, 1000);
