/* The host's own forms of texts. */
#include "host/internal.h"

#include "kernel/lex.h"
#include "kernel/type.h"

#include <string.h>

void fp_put_flag(const fp_applied *applied, const fp_stretch *s, size_t e, bool yes)
{
    const bool flag = yes != applied->op->negated;
    fp_convert(&fp_type_bool, &flag, applied->result, s->out + e * s->out_stride);
}

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

/* Vectors are computed component by component. */
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
    const char *own; /* or the library's own text */
    gpu_type type;   /* of an element or its components */
    fp_native *native;
} combiner;

static const combiner combiners[] = {
#define ROW(operator, known, text, name, T, ...) {known, text, &gpu_type_##name, operator##_##name },
#define ROW_INTEGER(name, T) INTEGER_OPERATORS(ROW, name, T)
#define ROW_FLOATING(name, T) FLOATING_OPERATORS(ROW, name, T)
    INTEGERS(ROW_INTEGER) FLOATS(ROW_FLOATING)};

/* Operands and result are of one type. */
static bool is_uniform(const fp_applied *applied)
{
    bool uniform = applied->operands == 2;
    for (unsigned k = 0; k < applied->operands; k++)
        uniform = uniform && gpu_type_equal(applied->types[k], applied->result);
    return uniform && applied->result->kind != GPU_KIND_STRUCT;
}

static fp_native *find_combiner(const fp_applied *applied)
{
    const fp_snippet *snippet = applied->op->snippet;
    fp_known known = applied->combines ? snippet->known : snippet->known_xy;
    if (applied->op->keyed || !is_uniform(applied)) return NULL;
    gpu_type type = fp_type_scalar(applied->result);
    for (size_t k = 0; k < sizeof combiners / sizeof *combiners; k++) {
        const combiner *c = &combiners[k];
        if (c->type != type) continue;
        if (c->own ? applied->op->builtin && !strcmp(c->own, snippet->text) : c->known == known) return c->native;
    }
    return NULL;
}

/* ---- an operand alone ---- */

static void operand_alone(const fp_applied *applied, const fp_stretch *s)
{
    const unsigned k = applied->alone;
    for (size_t e = 0; e < s->count; e++)
        memmove(s->out + e * s->out_stride, s->in[k] + e * s->stride[k], applied->result->size);
}

/* The text is the name of an operand. Stencils give theirs no name. */
static fp_native *find_operand(fp_applied *applied)
{
    const char *text = applied->op->snippet->text;
    const char *const *names = fp_operand_names(applied->op->keyed, applied->combines);
    const fp_token t = fp_lex(text, 0);
    if (fp_lex(text, t.offset + t.length).kind != FP_TOKEN_END) return NULL;
    unsigned k = 0;
    while (k < applied->operands && !fp_is_named(text + t.offset, t.length, names[k])) k++;
    if (k == applied->operands || applied->around) return NULL;
    applied->alone = k;
    return gpu_type_equal(applied->types[k], applied->result) ? operand_alone : NULL;
}

/* ---- the library's own texts ---- */

enum { LESS = 1, EQUAL = 2, GREATER = 4, A_IS_NAN = 8 };

/* The relations between the scalars at `a` and `b`. If both are NaN, there is none. */
static int compare(gpu_type scalar, const unsigned char *a, const unsigned char *b)
{
#define COMPARE(name, NAME, T, kind)                                                                                   \
    if (scalar == GPU_##NAME) {                                                                                        \
        T p, q;                                                                                                        \
        memcpy(&p, a, sizeof p);                                                                                       \
        memcpy(&q, b, sizeof q);                                                                                       \
        return (p < q) * LESS + (p == q) * EQUAL + (p > q) * GREATER + (p != p && q == q) * A_IS_NAN;                  \
    }
    GPU_SCALAR_MAP(COMPARE)
#undef COMPARE
    return 0;
}

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

/* The element that comes first: NaN, then the smaller value, or the larger, then the lower index. */
static void extreme(const fp_applied *applied, const fp_stretch *s)
{
    gpu_type type = applied->result, scalar = indexed_scalar(type);
    const bool larger = strstr(applied->op->snippet->text, "b.value > a.value");
    const int first = A_IS_NAN | (larger ? GREATER : LESS);
    for (size_t e = 0; e < s->count; e++) {
        const unsigned char *a = s->in[0] + e * s->stride[0], *b = s->in[1] + e * s->stride[1];
        uint64_t of_a, of_b;
        memcpy(&of_a, a + type->size - sizeof of_a, sizeof of_a);
        memcpy(&of_b, b + type->size - sizeof of_b, sizeof of_b);
        bool right = compare(scalar, b, a) & first || (!(compare(scalar, a, b) & first) && of_b < of_a);
        memmove(s->out + e * s->out_stride, right ? b : a, type->size);
    }
}

/* The first member of a struct. */
static void first_member(const fp_applied *applied, const fp_stretch *s)
{
    for (size_t e = 0; e < s->count; e++)
        fp_copy_element(s->out + e * s->out_stride, s->in[0] + e * s->stride[0], applied->result->size);
}

/* ---- equality ---- */

/* Vectors are equal if all their components are. */
static bool is_equal(gpu_type type, const unsigned char *a, const unsigned char *b)
{
    gpu_type scalar = fp_type_scalar(type);
    bool equal = true;
    for (size_t c = 0; c < type->width && equal; c++)
        equal = compare(scalar, a + c * scalar->size, b + c * scalar->size) & EQUAL;
    return equal;
}

static void equals_captured(const fp_applied *applied, const fp_stretch *s)
{
    for (size_t e = 0; e < s->count; e++)
        fp_put_flag(applied, s, e,
                    is_equal(applied->types[0], s->in[0] + e * s->stride[0], applied->op->captured[0].bytes));
}

static void differs_from_before(const fp_applied *applied, const fp_stretch *s)
{
    for (size_t e = 0; e < s->count; e++) {
        const unsigned char *x = s->in[0] + e * s->stride[0], *y = s->in[1] + e * s->stride[1];
        fp_put_flag(applied, s, e, s->index + e == 0 || !is_equal(applied->types[0], x, y));
    }
}

/* ---- pairs ---- */

/* Two values side by side. */
static void pair_with_second(const fp_applied *applied, const fp_stretch *s)
{
    const gpu_type v = applied->types[0], w = applied->types[1];
    const size_t second = fp_pair_second(v, w);
    for (size_t e = 0; e < s->count; e++) {
        unsigned char *out = s->out + e * s->out_stride;
        fp_copy_element(out, s->in[0] + e * s->stride[0], v->size);
        fp_copy_element(out + second, s->in[1] + e * s->stride[1], w->size);
    }
}

/* A value beside its key and a mark, which is set for the first, too. */
static void pair_with_mark(const fp_applied *applied, const fp_stretch *s)
{
    const size_t at = fp_pair_mark(applied->types[0], applied->types[1]);
    pair_with_second(applied, s);
    for (size_t e = 0; e < s->count; e++) {
        uint32_t mark;
        memcpy(&mark, s->in[2] + e * s->stride[2], sizeof mark);
        mark = mark || s->index + e == 0;
        memcpy(s->out + e * s->out_stride + at, &mark, sizeof mark);
    }
}

/* A value beside its key, and whether that differs from the key before it. */
static void pair_with_key(const fp_applied *applied, const fp_stretch *s)
{
    const gpu_type key = applied->types[1];
    const size_t at = fp_pair_mark(applied->types[0], key);
    pair_with_second(applied, s);
    for (size_t e = 0; e < s->count; e++) {
        const unsigned char *y = s->in[1] + e * s->stride[1], *z = s->in[2] + e * s->stride[2];
        const uint32_t mark = s->index + e == 0 || !is_equal(key, y, z);
        memcpy(s->out + e * s->out_stride + at, &mark, sizeof mark);
    }
}

/* A value beside its index, of any integer type. */
static void pair_with_index(const fp_applied *applied, const fp_stretch *s)
{
    const gpu_type v = applied->types[0];
    const size_t second = fp_pair_second(v, GPU_ULONG);
    fp_conversion *const to_ulong = fp_conversion_of(applied->types[1], GPU_ULONG);
    for (size_t e = 0; e < s->count; e++) {
        unsigned char *out = s->out + e * s->out_stride;
        fp_copy_element(out, s->in[0] + e * s->stride[0], v->size);
        to_ulong(s->in[1] + e * s->stride[1], out + second, 1);
    }
}

static const fp_own_text own_texts[] = {
    {"{ " INDEXED, add_index},
    {"{ const bool left = ", extreme},
    {"{ return b.value ", extreme},
    {"x.v0", first_member},
    {"all(x == value)", equals_captured},
    {"i == 0 || any(x != y)", differs_from_before},
    {"{ fp_result p; p.v0 = x; p.w0 = y; return", pair_with_second},
    {"{ fp_result p; p.x = x; p.y = y; return", pair_with_second},
    {"{ fp_result p; p.v0 = x; p.w0 = y; p.mark0 = z ||", pair_with_mark},
    {"{ fp_result p; p.v0 = x; p.w0 = y; p.mark0 = i ==", pair_with_key},
    {"{ fp_result p; p.v0 = x; p.w0 = (ulong)y;", pair_with_index},
};

fp_native *fp_native_find_own(const fp_own_text *texts, size_t count, const fp_snippet *snippet)
{
    for (const fp_own_text *t = texts; t < texts + count; t++)
        if (snippet->body ? !strncmp(snippet->text, t->text, strlen(t->text)) : !strcmp(snippet->text, t->text))
            return t->native;
    return NULL;
}

bool fp_native_find(fp_applied *applied, fp_expression *out)
{
    const fp_operator *op = applied->op;
    fp_native *native = op->native;
    if (!native && !(applied->combines && op->predicate)) native = find_combiner(applied);
    if (!native) native = fp_native_find_order(applied);
    if (!native && op->builtin)
        native = fp_native_find_own(own_texts, sizeof own_texts / sizeof *own_texts, op->snippet);
    if (!native && fp_expression_find(applied, out)) native = fp_expression_apply;
    if (!native) native = find_operand(applied);
    applied->native = !native && op->builtin ? fp_native_find_random(op) : native;
    return applied->native;
}
