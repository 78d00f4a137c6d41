/* Runs of 1 to 8 equal neighbours: their lengths, and the sums of their values. */
#include "../op.h"

/* A key that differs from its neighbours', and a value of four bits. */
static int next_element(uint64_t *seed, size_t *left, int *key)
{
    uint64_t r = bench_random(seed);
    if (!*left) {
        *left = 1 + r % 8;
        *key = (*key + 1 + (int)(r >> 8 & 511)) % 1000;
    }
    --*left;
    return *key << 4 | (int)(r >> 32 & 15);
}

static void generate_pairs(void *elements, size_t n, uint64_t seed)
{
    int *x = elements, key = 0;
    size_t left = 0;
    for (size_t i = 0; i < n; i++) x[i] = next_element(&seed, &left, &key);
}

static void generate_keys(void *elements, size_t n, uint64_t seed)
{
    int *x = elements;
    generate_pairs(x, n, seed);
    for (size_t i = 0; i < n; i++) x[i] >>= 4;
}

/* The values are made too; the lengths are compared. */
static gpu_array *runs(const gpu_array *in)
{
    gpu_array *values, *lengths;
    gpu_runs(in, &values, &lengths);
    gpu_array_free(values);
    return bench_await_length(lengths);
}

static size_t runs_reference(const void *elements, size_t n, void *out)
{
    const int *x = elements;
    uint64_t *lengths = out;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || x[i] != x[i - 1]) lengths[count++] = 0;
        lengths[count - 1]++;
    }
    return count;
}

/* An element holds key and value, so that there is one input; peers take it apart in the same way, as they read it. The
 * keys are made too; the sums are compared. */
static gpu_array *reduce_by_key(const gpu_array *in)
{
    gpu_array *keys = gpu_map(in, "x >> 4"), *values = gpu_map(in, "x & 15"), *k, *sums;
    gpu_reduce_by_key(keys, values, "a + b", &k, &sums);
    gpu_array_free(keys);
    gpu_array_free(values);
    gpu_array_free(k);
    return bench_await_length(sums);
}

static size_t by_key_reference(const void *elements, size_t n, void *out)
{
    const int *x = elements;
    int *sums = out;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || x[i] >> 4 != x[i - 1] >> 4) sums[count++] = 0;
        sums[count - 1] += x[i] & 15;
    }
    return count;
}

/* A run has 4.5 elements: its 12 and 8 bytes are about 3 and 2 for each element. */
BENCH_OP(runs_int, .name = "runs", .type = GPU_INT, .bytes = sizeof(int) + 3, .result = sizeof(uint64_t),
         .generate = generate_keys, .array = runs, .awaited = true, .reference = runs_reference);
BENCH_OP(by_key_int, .name = "by_key", .type = GPU_INT, .bytes = sizeof(int) + 2, .result = sizeof(int),
         .generate = generate_pairs, .array = reduce_by_key, .awaited = true, .reference = by_key_reference);
