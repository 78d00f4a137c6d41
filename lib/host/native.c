/* The host's own forms of operators that are texts. */
#include "host/internal.h"

#include "kernel/type.h"

#include <string.h>

/* ---- recognised operators ---- */

#define INTEGERS(X)                                                                                                    \
    X(char, signed char)                                                                                               \
    X(uchar, unsigned char)                                                                                            \
    X(short, short)                                                                                                    \
    X(ushort, unsigned short)                                                                                          \
    X(int, int)                                                                                                        \
    X(uint, unsigned int)                                                                                              \
    X(long, int64_t)                                                                                                   \
    X(ulong, uint64_t)
#define FLOATS(X) X(float, float) X(double, double)

/* clang-format off */
/* X(a name, how it is recognised, or the library's own text, the element type's name, its type, the value of a and b).
 * Integers wrap around as on a device. */
#define INTEGER_OPERATORS(X, name, T)                                                                                  \
    X(add, FP_KNOWN_ADD, NULL, name, T, (uint64_t)a + (uint64_t)b)                                                     \
    X(multiply, FP_KNOWN_MULTIPLY, NULL, name, T, (uint64_t)a * (uint64_t)b)                                           \
    X(and, FP_KNOWN_AND, NULL, name, T, a & b)                                                                         \
    X(or, FP_KNOWN_OR, NULL, name, T, a | b)                                                                           \
    X(xor, FP_KNOWN_XOR, NULL, name, T, a ^ b)                                                                         \
    X(min, FP_KNOWN_MIN, NULL, name, T, b < a ? b : a)                                                                 \
    X(max, FP_KNOWN_MAX, NULL, name, T, a < b ? b : a)
#define FLOATING_OPERATORS(X, name, T)                                                                                 \
    X(add, FP_KNOWN_ADD, NULL, name, T, a + b)                                                                         \
    X(multiply, FP_KNOWN_MULTIPLY, NULL, name, T, a * b)                                                               \
    X(min, FP_KNOWN_MIN, NULL, name, T, b < a ? b : a)                                                                 \
    X(max, FP_KNOWN_MAX, NULL, name, T, a < b ? b : a)                                                                 \
    X(fmin, FP_KNOWN_FMIN, NULL, name, T, a != a || b < a ? b : a)                                                     \
    X(fmax, FP_KNOWN_FMAX, NULL, name, T, a != a || a < b ? b : a)                                                     \
    X(least, FP_KNOWN_NONE, "a != a || a < b ? a : b", name, T, a != a || a < b ? a : b)                               \
    X(greatest, FP_KNOWN_NONE, "a != a || a > b ? a : b", name, T, a != a || a > b ? a : b)
/* clang-format on */

/* Vectors are computed by their components. */
#define DEFINE(operator, known, text, name, T, ...)                                                                    \
    static void operator##_##name(const fp_applied *applied, const fp_stretch *s)                                      \
    {                                                                                                                  \
        const size_t width = applied->result->size / sizeof(T);                                                        \
        for (size_t e = 0; e < s->count; e++) {                                                                        \
            const T *p = (const void *)(s->in[0] + e * s->stride[0]),                                                  \
                    *q = (const void *)(s->in[1] + e * s->stride[1]);                                                  \
            T *out = (void *)(s->out + e * s->out_stride);                                                             \
            for (size_t c = 0; c < width; c++) {                                                                       \
                const T a = p[c], b = q[c];                                                                            \
                out[c] = (T)(__VA_ARGS__);                                                                             \
            }                                                                                                          \
        }                                                                                                              \
    }
#define DEFINE_INTEGER(name, T) INTEGER_OPERATORS(DEFINE, name, T)
#define DEFINE_FLOATING(name, T) FLOATING_OPERATORS(DEFINE, name, T)
INTEGERS(DEFINE_INTEGER)
FLOATS(DEFINE_FLOATING)

typedef struct combiner {
    fp_known known;
    const char *own; /* instead: the library's own text */
    gpu_type type;   /* of an element or its components */
    fp_native *native;
} combiner;

static const combiner combiners[] = {
#define ROW(operator, known, text, name, T, ...) {known, text, &gpu_type_##name, operator##_##name },
#define ROW_INTEGER(name, T) INTEGER_OPERATORS(ROW, name, T)
#define ROW_FLOATING(name, T) FLOATING_OPERATORS(ROW, name, T)
    INTEGERS(ROW_INTEGER) FLOATS(ROW_FLOATING)};

static fp_native *find_combiner(const fp_applied *applied)
{
    const fp_snippet *snippet = applied->op->snippet;
    if (applied->result->kind == GPU_KIND_STRUCT) return NULL;
    gpu_type type = fp_type_scalar(applied->result);
    for (size_t k = 0; k < sizeof combiners / sizeof *combiners; k++) {
        const combiner *c = &combiners[k];
        if (c->type != type) continue;
        if (c->own ? applied->op->own && !strcmp(c->own, snippet->text) : c->known == snippet->known) return c->native;
    }
    return NULL;
}

/* ---- the library's own texts ---- */

/* An element beside its index: fp_indexed_float and its like, of argmin and argmax. */

#define INDEXED "fp_indexed_"

static gpu_type indexed_scalar(gpu_type indexed)
{
    const char *name = indexed->name + sizeof INDEXED - 1;
    return fp_type_named(name, strlen(name));
}

static void add_index(const fp_applied *applied, const fp_stretch *s)
{
    gpu_type to = applied->result;
    for (size_t e = 0; e < s->count; e++) {
        const uint64_t index = s->index + e;
        unsigned char *out = s->out + e * s->out_stride;
        memset(out, 0, to->size);
        memcpy(out, s->in[0] + e * s->stride[0], applied->types[0]->size);
        memcpy(out + to->size - sizeof index, &index, sizeof index);
    }
}

/* Does the value at `a` come before that at `b`: NaN, then the smaller one, or the larger? */
static bool comes_first(gpu_type scalar, const unsigned char *a, const unsigned char *b, bool larger)
{
#define COMPARE(name, NAME, T, kind)                                                                                   \
    if (scalar == GPU_##NAME) {                                                                                        \
        T p, q;                                                                                                        \
        memcpy(&p, a, sizeof p);                                                                                       \
        memcpy(&q, b, sizeof q);                                                                                       \
        return (p != p && q == q) || (larger ? p > q : p < q);                                                         \
    }
    GPU_SCALAR_MAP(COMPARE)
#undef COMPARE
    return false;
}

static void extreme(const fp_applied *applied, const fp_stretch *s, bool larger)
{
    gpu_type type = applied->result, scalar = indexed_scalar(type);
    for (size_t e = 0; e < s->count; e++) {
        const unsigned char *a = s->in[0] + e * s->stride[0], *b = s->in[1] + e * s->stride[1];
        uint64_t of_a, of_b;
        memcpy(&of_a, a + type->size - sizeof of_a, sizeof of_a);
        memcpy(&of_b, b + type->size - sizeof of_b, sizeof of_b);
        bool right = comes_first(scalar, b, a, larger) || (!comes_first(scalar, a, b, larger) && of_b < of_a);
        memmove(s->out + e * s->out_stride, right ? b : a, type->size);
    }
}

static void least_indexed(const fp_applied *applied, const fp_stretch *s)
{
    extreme(applied, s, false);
}

static void greatest_indexed(const fp_applied *applied, const fp_stretch *s)
{
    extreme(applied, s, true);
}

/* The first member of a struct. */
static void first_member(const fp_applied *applied, const fp_stretch *s)
{
    for (size_t e = 0; e < s->count; e++)
        memcpy(s->out + e * s->out_stride, s->in[0] + e * s->stride[0], applied->result->size);
}

static bool scalar_equal(gpu_type scalar, const unsigned char *a, const unsigned char *b)
{
#define EQUAL(name, NAME, T, kind)                                                                                     \
    if (scalar == GPU_##NAME) {                                                                                        \
        T p, q;                                                                                                        \
        memcpy(&p, a, sizeof p);                                                                                       \
        memcpy(&q, b, sizeof q);                                                                                       \
        return p == q;                                                                                                 \
    }
    GPU_SCALAR_MAP(EQUAL)
#undef EQUAL
    return false;
}

/* Scalars, and vectors in all their components. */
static bool is_equal(gpu_type type, const unsigned char *a, const unsigned char *b)
{
    gpu_type scalar = fp_type_scalar(type);
    bool equal = true;
    for (size_t c = 0; c < type->width && equal; c++)
        equal = scalar_equal(scalar, a + c * scalar->size, b + c * scalar->size);
    return equal;
}

static void put_flag(const fp_applied *applied, bool yes, unsigned char *out)
{
    bool flag = yes != applied->op->negated;
    fp_convert(&fp_type_bool, &flag, applied->result, out);
}

static void equals_captured(const fp_applied *applied, const fp_stretch *s)
{
    for (size_t e = 0; e < s->count; e++)
        put_flag(applied, is_equal(applied->types[0], s->in[0] + e * s->stride[0], applied->op->captured[0].bytes),
                 s->out + e * s->out_stride);
}

static void differs_from_before(const fp_applied *applied, const fp_stretch *s)
{
    for (size_t e = 0; e < s->count; e++) {
        const unsigned char *x = s->in[0] + e * s->stride[0], *y = s->in[1] + e * s->stride[1];
        put_flag(applied, s->index + e == 0 || !is_equal(applied->types[0], x, y), s->out + e * s->out_stride);
    }
}

/* Texts by how they begin, as far as they differ. */
static const struct {
    const char *text;
    fp_native *native;
} own_texts[] = {
    {"{ " INDEXED, add_index},
    {"{ const bool left = (a.value != a.value && b.value == b.value) || a.value < b.value;", least_indexed},
    {"{ const bool left = (a.value != a.value && b.value == b.value) || a.value > b.value;", greatest_indexed},
    {"x.v0", first_member},
    {"x == value", equals_captured},
    {"all(x == value)", equals_captured},
    {"i == 0 || x != y", differs_from_before},
    {"i == 0 || any(x != y)", differs_from_before},
};

static fp_native *find_own(const fp_applied *applied)
{
    const char *text = applied->op->snippet->text;
    for (size_t k = 0; k < sizeof own_texts / sizeof *own_texts; k++)
        if (!strncmp(text, own_texts[k].text, strlen(own_texts[k].text))) return own_texts[k].native;
    return NULL;
}

fp_native *fp_native_find(const fp_applied *applied, bool combines)
{
    fp_native *native = combines ? find_combiner(applied) : NULL;
    return native || !applied->op->own ? native : find_own(applied);
}
