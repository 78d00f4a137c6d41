/* Values that are sorted by their keys, and sums of groups that stand anywhere. */
#include "../op.h"

#include <stdlib.h>

static void generate_pairs(void *elements, size_t n, uint64_t seed)
{
    gpu_uint2 *p = elements;
    for (size_t i = 0; i < n; i++) {
        uint64_t r = bench_random(&seed);
        p[i] = (gpu_uint2){(unsigned int)(r >> 32), (unsigned int)r};
    }
}

/* Keys and values are two arrays in what follows, as they are for the peers. Both are sorted; the values are compared,
 * which differ. */
static gpu_array *pairs(const gpu_array *in)
{
    gpu_array *keys = gpu_map_to(in, GPU_UINT, "x.x"), *values = gpu_map_to(in, GPU_UINT, "x.y"), *k, *v;
    gpu_sort_pairs(keys, values, &k, &v);
    gpu_eval(k);
    gpu_array_free(keys);
    gpu_array_free(values);
    gpu_array_free(k);
    return v;
}

static size_t pairs_reference(const void *elements, size_t n, void *out)
{
    const gpu_uint2 *p = elements;
    unsigned int *values = out;
    uint64_t *words = bench_words(n);
    for (size_t i = 0; i < n; i++) words[i] = (uint64_t)p[i].x << 32 | p[i].y;
    bench_sort(words, n, 32, 64);
    for (size_t i = 0; i < n; i++) values[i] = (unsigned int)words[i];
    free(words);
    return n;
}

enum { KEYS = 4096 };

/* A key, and a value of four bits. */
static void generate_groups(void *elements, size_t n, uint64_t seed)
{
    int *x = elements;
    for (size_t i = 0; i < n; i++) x[i] = (int)(bench_random(&seed) % (KEYS << 4));
}

/* The keys are made too; the sums are compared. */
static gpu_array *groups(const gpu_array *in)
{
    gpu_array *keys = gpu_map(in, "x >> 4"), *values = gpu_map(in, "x & 15"), *k, *sums;
    gpu_group_reduce(keys, values, "a + b", &k, &sums);
    gpu_array_free(keys);
    gpu_array_free(values);
    gpu_array_free(k);
    return bench_await_length(sums);
}

static size_t groups_reference(const void *elements, size_t n, void *out)
{
    const int *x = elements;
    int sums[KEYS] = {0}, *y = out;
    bool present[KEYS] = {false};
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        sums[x[i] >> 4] += x[i] & 15;
        present[x[i] >> 4] = true;
    }
    for (size_t k = 0; k < KEYS; k++)
        if (present[k]) y[count++] = sums[k];
    return count;
}

BENCH_OP(pairs_uint, .name = "sort_pairs", .type = GPU_UINT2, .bytes = 2 * sizeof(gpu_uint2),
         .result = sizeof(unsigned int), .generate = generate_pairs, .array = pairs, .reference = pairs_reference);
BENCH_OP(groups_int, .name = "group_sum", .type = GPU_INT, .bytes = sizeof(int), .result = sizeof(int),
         .generate = generate_groups, .array = groups, .awaited = true, .reference = groups_reference);
