/* Two sorted halves become one array. */
#include "../op.h"

/* Rising by 0 to 3, with a second start in the middle. */
static void generate_halves(void *elements, size_t n, uint64_t seed)
{
    int *x = elements, last = 0;
    for (size_t i = 0; i < n; i++) x[i] = last = i == n / 2 ? 0 : last + (int)(bench_random(&seed) & 3);
}

static gpu_array *merge(const gpu_array *in)
{
    const size_t n = gpu_length(in), half = n / 2;
    gpu_array *left = gpu_slice(in, 0, half), *right = gpu_slice(in, half, n - half), *merged = gpu_merge(left, right);
    gpu_array_free(left);
    gpu_array_free(right);
    return merged;
}

static size_t reference(const void *elements, size_t n, void *out)
{
    const int *x = elements;
    int *y = out;
    for (size_t i = 0, j = n / 2, k = 0; k < n; k++) y[k] = j == n || (i < n / 2 && x[i] <= x[j]) ? x[i++] : x[j++];
    return n;
}

BENCH_OP(merge_int, .name = "merge", .type = GPU_INT, .bytes = 2 * sizeof(int), .result = sizeof(int),
         .generate = generate_halves, .array = merge, .reference = reference);
