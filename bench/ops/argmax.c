/* The largest of structs of 16 bytes, and where it is, by an operator of the user's. */
#include "../op.h"

GPU_STRUCT(candidate, float value; unsigned int index; float x; float y;);
GPU_FUNCTION(candidate, better, (candidate p, candidate q),
             { return p.value > q.value || (p.value == q.value && p.index < q.index) ? p : q; });

/* 4096 different values: there are equal ones, and the lowest index has to win. */
static void generate(void *elements, size_t n, uint64_t seed)
{
    candidate *c = elements;
    for (size_t i = 0; i < n; i++) {
        float value = (float)(bench_random(&seed) % 4096);
        c[i] = (candidate){.value = value, .index = (unsigned int)i, .x = -value, .y = (float)(i % 1000)};
    }
}

static gpu_status largest(const gpu_array *in, void *out)
{
    return gpu_reduce(in, better, (candidate *)out, GPU_COMMUTATIVE);
}

static size_t reference(const void *elements, size_t n, void *out)
{
    const candidate *c = elements;
    candidate best = c[0];
    for (size_t i = 1; i < n; i++) best = better(best, c[i]);
    *(candidate *)out = best;
    return 1;
}

BENCH_OP(argmax_candidate, .name = "argmax", .type = GPU_TYPE(candidate), .bytes = sizeof(candidate),
         .result = sizeof(candidate), .generate = generate, .value = largest, .reference = reference);
