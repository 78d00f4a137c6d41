/* The first of the numbers that equals a given one: at the start, in the middle, at the end, nowhere. */
#include "../op.h"

/* Each element is its index: so the same elements do for all sizes, and n is nowhere. */
static void generate(void *elements, size_t n, uint64_t seed)
{
    (void)seed;
    int *x = elements;
    for (size_t i = 0; i < n; i++) x[i] = (int)i;
}

enum where { START, MIDDLE, END, NOWHERE };

static size_t position(enum where where, size_t n)
{
    const size_t positions[] = {0, n / 2, n - 1, n};
    return positions[where];
}

static gpu_status find(const gpu_array *in, enum where where, size_t *out)
{
    int value = (int)position(where, gpu_length(in));
    return gpu_index_of(in, &value, out);
}

/* FIND(suffix of the name, where, bytes for each element: those up to the number have to be read) */
#define FIND(suffix, where, share)                                                                                     \
    static gpu_status find_##suffix(const gpu_array *in, void *out)                                                    \
    {                                                                                                                  \
        return find(in, where, out);                                                                                   \
    }                                                                                                                  \
    static size_t reference_##suffix(const void *elements, size_t n, void *out)                                        \
    {                                                                                                                  \
        (void)elements;                                                                                                \
        *(size_t *)out = where == NOWHERE ? GPU_NOT_FOUND : position(where, n);                                        \
        return 1;                                                                                                      \
    }                                                                                                                  \
    BENCH_OP(find_op_##suffix, .name = "find_" #suffix, .type = GPU_INT, .bytes = share, .result = sizeof(size_t),     \
             .generate = generate, .value = find_##suffix, .reference = reference_##suffix)

FIND(start, START, 0);
FIND(middle, MIDDLE, sizeof(int) / 2);
FIND(end, END, sizeof(int));
FIND(none, NOWHERE, sizeof(int));
