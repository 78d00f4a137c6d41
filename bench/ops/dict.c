/* A dictionary of pairs, and lookups in it. sort_pairs is the sort inside. */
#include "../op.h"

#include <stdlib.h>

/* A key and a value. `bits` of a key are random: few bits, and keys are equal. */
static void generate(gpu_uint2 *p, size_t n, uint64_t seed, unsigned bits)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t r = bench_random(&seed);
        p[i] = (gpu_uint2){(unsigned int)(r >> (64 - bits)), (unsigned int)r};
    }
}

static void generate_keys(void *elements, size_t n, uint64_t seed)
{
    generate(elements, n, seed, 32);
}

static void generate_few_keys(void *elements, size_t n, uint64_t seed)
{
    generate(elements, n, seed, 16);
}

static gpu_dict *sums(const gpu_array *in, gpu_array **keys)
{
    gpu_array *values = gpu_map_to(in, GPU_UINT, "x.y");
    *keys = gpu_map_to(in, GPU_UINT, "x.x");
    gpu_dict *d = gpu_dict_of(*keys, values, "a + b");
    gpu_array_free(values);
    return d;
}

static gpu_array *build(const gpu_array *in)
{
    gpu_array *keys, *values;
    gpu_dict *d = sums(in, &keys);
    values = bench_await_length(gpu_dict_values(d));
    gpu_dict_free(d);
    gpu_array_free(keys);
    return values;
}

/* Each pair's key is looked up in the dictionary of them all. */
static gpu_array *look_up(const gpu_array *in)
{
    gpu_array *keys, *found;
    gpu_dict *d = sums(in, &keys);
    found = gpu_dict_get(d, keys, NULL);
    gpu_dict_free(d);
    gpu_array_free(keys);
    return found;
}

static uint64_t *sorted(const gpu_uint2 *p, size_t n)
{
    uint64_t *words = bench_words(n);
    for (size_t i = 0; i < n; i++) words[i] = (uint64_t)p[i].x << 32 | p[i].y;
    bench_sort(words, n, 32, 64);
    return words;
}

/* Adds the values of each key up, at its first pair, and returns the number of keys. */
static size_t combine(uint64_t *words, size_t n)
{
    size_t keys = 0;
    for (size_t i = 0; i < n; i++) {
        const bool same = keys && words[keys - 1] >> 32 == words[i] >> 32;
        if (same) words[keys - 1] = words[i] >> 32 << 32 | (uint32_t)(words[keys - 1] + words[i]);
        if (!same) words[keys++] = words[i];
    }
    return keys;
}

static size_t build_reference(const void *elements, size_t n, void *out)
{
    unsigned int *values = out;
    uint64_t *words = sorted(elements, n);
    const size_t keys = combine(words, n);
    for (size_t k = 0; k < keys; k++) values[k] = (unsigned int)words[k];
    free(words);
    return keys;
}

static size_t look_up_reference(const void *elements, size_t n, void *out)
{
    const gpu_uint2 *p = elements;
    unsigned int *values = out;
    uint64_t *words = sorted(p, n);
    const size_t keys = combine(words, n);
    for (size_t i = 0; i < n; i++) {
        size_t low = 0;
        for (size_t high = keys; low < high;) {
            const size_t middle = (low + high) / 2;
            if (words[middle] >> 32 < p[i].x)
                low = middle + 1;
            else
                high = middle;
        }
        values[i] = (unsigned int)words[low];
    }
    free(words);
    return n;
}

BENCH_OP(dict_keys, .name = "dict", .type = GPU_UINT2, .bytes = 2 * sizeof(gpu_uint2), .result = sizeof(unsigned int),
         .generate = generate_keys, .array = build, .awaited = true, .reference = build_reference);
BENCH_OP(dict_few, .name = "dict_few_keys", .type = GPU_UINT2, .bytes = sizeof(gpu_uint2),
         .result = sizeof(unsigned int), .generate = generate_few_keys, .array = build, .awaited = true,
         .reference = build_reference);
BENCH_OP(dict_lookups, .name = "dict_get", .type = GPU_UINT2, .bytes = 2 * sizeof(gpu_uint2),
         .result = sizeof(unsigned int), .generate = generate_keys, .array = look_up, .reference = look_up_reference);
