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

static uint64_t rank_of(fp_ranks *ranks, const unsigned char *in)
{
    uint64_t rank;
    ranks(in, 0, 1, &rank);
    return rank;
}

/* ---- comparisons ---- */

/* X(a name, a comparator, the same of an element and a captured value, the scalar's name, its type, the operator) */
#define COMPARISONS(X, name, T)                                                                                        \
    X(less, "a<b", "x < bound", name, T, <)                                                                            \
    X(greater, "a>b", "x > bound", name, T, >)                                                                         \
    X(at_most, "a<=b", "x <= bound", name, T, <=)                                                                      \
    X(at_least, "a>=b", "x >= bound", name, T, >=)

#define DEFINE(comparison, comparator, bounded, name, T, operator)                                                     \
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
    const char *bounded;
    gpu_type type;
    fp_native *native;
} comparisons[] = {
#define ROW(comparison, comparator, bounded, name, T, operator)                                                        \
    {comparator, bounded, &gpu_type_##name, comparison##_##name},
#define ROWS(name, NAME, T, kind) COMPARISONS(ROW, name, T)
    GPU_SCALAR_MAP(ROWS)};

/* Finds a comparator or, `bounded`, the library's own comparison of an element with a captured value. */
static fp_native *find_comparison(const fp_applied *applied, bool bounded)
{
    const fp_snippet *snippet = applied->op->snippet;
    for (size_t k = 0; k < sizeof comparisons / sizeof *comparisons; k++) {
        const struct comparison *c = &comparisons[k];
        if (c->type != applied->types[0]) continue;
        if (bounded ? !strcmp(snippet->text, c->bounded) : fp_snippet_is(snippet, c->comparator)) return c->native;
    }
    return NULL;
}

static void compare_with_captured(const fp_applied *applied, const fp_stretch *s)
{
    fp_stretch both = *s;
    both.in[1] = applied->op->captured[0].bytes;
    both.stride[1] = 0;
    find_comparison(applied, true)(applied, &both);
}

/* ---- the library's own texts ---- */

static void multiply_by_captured(const fp_applied *applied, const fp_stretch *s)
{
    uint64_t x, by;
    memcpy(&by, applied->op->captured[0].bytes, sizeof by);
    for (size_t e = 0; e < s->count; e++) {
        memcpy(&x, s->in[0] + e * s->stride[0], sizeof x);
        x *= by;
        memcpy(s->out + e * s->out_stride, &x, sizeof x);
    }
}

/* Flags the elements that belong before their predecessor. */
static void descend(const fp_applied *applied, const fp_stretch *s)
{
    fp_ranks *ranks = fp_ranks_of(applied->types[0]);
    for (size_t e = 0; e < s->count; e++) {
        const uint64_t rank = rank_of(ranks, s->in[0] + e * s->stride[0]);
        bool down = s->index + e > 0 && rank < rank_of(ranks, s->in[1] + e * s->stride[1]);
        fp_convert(&fp_type_bool, &down, applied->result, s->out + e * s->out_stride);
    }
}

static const fp_own_text own_texts[] = {
    {"x * apart", multiply_by_captured},
    {"i > 0 && x < y", descend},
    {"i > 0 && (x < y || (y != y && x == x))", descend},
};

fp_native *fp_native_find_order(const fp_applied *applied)
{
    const fp_operator *op = applied->op;
    if (!op->builtin) return applied->combines && op->predicate ? find_comparison(applied, false) : NULL;
    fp_native *own = fp_native_find_own(own_texts, sizeof own_texts / sizeof *own_texts, op->snippet);
    return own || !op->predicate || !find_comparison(applied, true) ? own : compare_with_captured;
}
