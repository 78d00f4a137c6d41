/* Filters that keep 1 %, 50 % and 99 %, and a partition into halves. */
#include "../op.h"

/* From 0 to 999999. */
static void generate(void *elements, size_t n, uint64_t seed)
{
    int *x = elements;
    for (size_t i = 0; i < n; i++) x[i] = (int)(bench_random(&seed) % 1000000);
}

static size_t keep_below(const int *x, size_t n, int limit, int *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        out[kept] = x[i];
        kept += x[i] < limit;
    }
    return kept;
}

/* Bytes for each element are rounded to the nearest number. */
#define FILTER(percent, limit)                                                                                         \
    static gpu_array *filter_##percent(const gpu_array *in)                                                            \
    {                                                                                                                  \
        return bench_await_length(gpu_filter(in, "x < " #limit));                                                      \
    }                                                                                                                  \
    static size_t reference_##percent(const void *elements, size_t n, void *out)                                       \
    {                                                                                                                  \
        return keep_below(elements, n, limit, out);                                                                    \
    }                                                                                                                  \
    BENCH_OP(filter_op_##percent, .name = "filter_" #percent, .type = GPU_INT,                                         \
             .bytes = sizeof(int) + (percent * sizeof(int) + 50) / 100, .result = sizeof(int), .generate = generate,   \
             .array = filter_##percent, .awaited = true, .reference = reference_##percent)

FILTER(1, 10000);
FILTER(50, 500000);
FILTER(99, 990000);

/* Both halves are made; the selected one is compared. */
static gpu_array *partition(const gpu_array *in)
{
    gpu_array *yes, *no;
    gpu_partition(in, "x < 500000", &yes, &no);
    gpu_array_free(no);
    return bench_await_length(yes);
}

BENCH_OP(partition_int, .name = "partition", .type = GPU_INT, .bytes = 2 * sizeof(int), .result = sizeof(int),
         .generate = generate, .array = partition, .awaited = true, .reference = reference_50);
