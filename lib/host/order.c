/* The order of scalars, and the host's own forms of texts that sorts and searches apply. */
#include "host/internal.h"

#include "kernel/type.h"

#include <string.h>

/* ---- ranks ---- */

#define TOP(U) ((U)1 << (8 * sizeof(U) - 1))
#define FLOATING(U) x != x ? (U)-1 : x == 0 ? TOP(U) : bits &TOP(U) ? ~bits : bits | TOP(U)

/* X(the name of a scalar type, its type, the integer of its bits, the rank of x, which has these bits) */
#define RANKS(X)                                                                                                       \
    X(char, signed char, uint8_t, bits ^ TOP(uint8_t))                                                                 \
    X(uchar, unsigned char, uint8_t, bits)                                                                             \
    X(short, short, uint16_t, bits ^ TOP(uint16_t))                                                                    \
    X(ushort, unsigned short, uint16_t, bits)                                                                          \
    X(int, int, uint32_t, bits ^ TOP(uint32_t))                                                                        \
    X(uint, unsigned int, uint32_t, bits)                                                                              \
    X(long, int64_t, uint64_t, bits ^ TOP(uint64_t))                                                                   \
    X(ulong, uint64_t, uint64_t, bits)                                                                                 \
    X(float, float, uint32_t, FLOATING(uint32_t))                                                                      \
    X(double, double, uint64_t, FLOATING(uint64_t))

#define DEFINE_RANKS(name, T, U, ...)                                                                                  \
    static void ranks_of_##name(const unsigned char *in, size_t stride, size_t count, uint64_t *out)                   \
    {                                                                                                                  \
        for (size_t k = 0; k < count; k++) {                                                                           \
            T x;                                                                                                       \
            U bits;                                                                                                    \
            memcpy(&x, in + k * stride, sizeof x);                                                                     \
            memcpy(&bits, &x, sizeof bits);                                                                            \
            out[k] = (U)(__VA_ARGS__);                                                                                 \
        }                                                                                                              \
    }
RANKS(DEFINE_RANKS)

fp_ranks *fp_ranks_of(gpu_type scalar)
{
#define FIND(name, T, U, ...)                                                                                          \
    if (scalar == &gpu_type_##name) return ranks_of_##name;
    RANKS(FIND)
#undef FIND
    return NULL;
}

/* ---- comparisons ---- */

/* X(a name, the comparator, the scalar's name, its type, the operator) */
#define COMPARISONS(X, name, T)                                                                                        \
    X(less, "a<b", name, T, <)                                                                                         \
    X(greater, "a>b", name, T, >)                                                                                      \
    X(at_most, "a<=b", name, T, <=)                                                                                    \
    X(at_least, "a>=b", name, T, >=)

#define DEFINE(comparison, comparator, name, T, operator)                                                              \
    static void comparison##_##name(const fp_applied *applied, const fp_stretch *s)                                    \
    {                                                                                                                  \
        (void)applied;                                                                                                 \
        for (size_t e = 0; e < s->count; e++) {                                                                        \
            T a, b;                                                                                                    \
            memcpy(&a, s->in[0] + e * s->stride[0], sizeof a);                                                         \
            memcpy(&b, s->in[1] + e * s->stride[1], sizeof b);                                                         \
            s->out[e * s->out_stride] = a operator b;                                                                  \
        }                                                                                                              \
    }
#define DEFINE_COMPARISONS(name, NAME, T, kind) COMPARISONS(DEFINE, name, T)
GPU_SCALAR_MAP(DEFINE_COMPARISONS)

static const struct comparison {
    const char *comparator;
    gpu_type type;
    fp_native *native;
} comparisons[] = {
#define ROW(comparison, comparator, name, T, operator) {comparator, &gpu_type_##name, comparison##_##name},
#define ROWS(name, NAME, T, kind) COMPARISONS(ROW, name, T)
    GPU_SCALAR_MAP(ROWS)};

fp_native *fp_native_find_order(const fp_applied *applied)
{
    for (size_t k = 0; k < sizeof comparisons / sizeof *comparisons && applied->combines && applied->op->predicate; k++)
        if (comparisons[k].type == applied->types[0] && fp_snippet_is(applied->op->snippet, comparisons[k].comparator))
            return comparisons[k].native;
    return NULL;
}
