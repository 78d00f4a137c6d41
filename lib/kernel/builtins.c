#include "kernel/builtins.h"

#include "kernel/lex.h"

#include <string.h>

/* Elements, in the order of the types below. */
enum { CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, FLOAT, DOUBLE, ELEMENTS };

typedef struct element {
    const char *name, *is_signed, *is_unsigned; /* the integers of the same size */
    const char *twice;                          /* of twice the size: what upsample makes */
} element;

static const element elements[ELEMENTS] = {
    [CHAR] = {"char", "char", "uchar", "short"},   [UCHAR] = {"uchar", "char", "uchar", "ushort"},
    [SHORT] = {"short", "short", "ushort", "int"}, [USHORT] = {"ushort", "short", "ushort", "uint"},
    [INT] = {"int", "int", "uint", "long"},        [UINT] = {"uint", "int", "uint", "ulong"},
    [LONG] = {"long", "long", "ulong", NULL},      [ULONG] = {"ulong", "long", "ulong", NULL},
    [FLOAT] = {"float", "int", "uint", NULL},      [DOUBLE] = {"double", "long", "ulong", NULL},
};

#define BIT(k) (1u << (k))
enum {
    ONCE = 0, /* the signature names no element */
    WORDS = BIT(INT) | BIT(UINT),
    LONGS = BIT(LONG) | BIT(ULONG),
    HALVABLE = BIT(CHAR) | BIT(UCHAR) | BIT(SHORT) | BIT(USHORT) | WORDS,
    INTEGERS = HALVABLE | LONGS,
    FLOATS = BIT(FLOAT),
    DOUBLES = BIT(DOUBLE),
    REALS = FLOATS | DOUBLES,
    ALL = INTEGERS | REALS
};

static const unsigned widths[] = {1, 2, 3, 4, 8, 16};
enum { WIDTHS = sizeof widths / sizeof *widths };
enum {
    ONE = 1,
    VECTORS = 2 + 4 + 8 + 16 + 32,
    ANY = ONE | VECTORS,
    SHORT_VECTORS = ONE + 2 + 4 + 8,
    THREE_FOUR = 4 + 8,
    SHUFFLED = 2 + 8 + 16 + 32
};

typedef enum effect { CHANGES, CONST, PURE, CONVERGENT, PRINTS } effect;

static const char *const attributes[] = {[CHANGES] = "overloadable",
                                         [CONST] = "overloadable, const",
                                         [PURE] = "overloadable, pure",
                                         [CONVERGENT] = "overloadable, convergent",
                                         [PRINTS] = "format(printf, 1, 2)"};

/* Functions of the same signatures. In these T is the element's vector of the width, and E the element itself. I is
 * int, S and U are the signed and the unsigned integer of the element's size, and D is the integer of twice the size,
 * all of the width. A space is @ (global, local or private), % (global or local) or $ (those three or constant). */
typedef struct family {
    const char *names; /* with a blank behind each */
    unsigned elements, widths;
    effect effect;
    const char *signature;
} family;

static const family families[] = {
    {"acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erf erfc exp exp10 exp2 expm1 "
     "fabs floor lgamma "
     "log log10 log1p log2 logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc degrees radians sign ",
     REALS, ANY, CONST, "T(T)"},
    {"half_cos half_exp half_exp10 half_exp2 half_log half_log10 half_log2 half_recip half_rsqrt half_sin half_sqrt "
     "half_tan native_cos "
     "native_exp native_exp10 native_exp2 native_log native_log10 native_log2 native_recip native_rsqrt native_sin "
     "native_sqrt native_tan ",
     FLOATS, ANY, CONST, "T(T)"},
    {"half_divide half_powr native_divide native_powr ", FLOATS, ANY, CONST, "T(T, T)"},
    {"atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder step max min ", REALS,
     ANY, CONST, "T(T, T)"},
    {"fmax fmin max min ", REALS, VECTORS, CONST, "T(T, E)"},
    {"step ", REALS, VECTORS, CONST, "T(E, T)"},
    {"fma mad clamp mix smoothstep ", REALS, ANY, CONST, "T(T, T, T)"},
    {"clamp ", REALS, VECTORS, CONST, "T(T, E, E)"},
    {"mix ", REALS, VECTORS, CONST, "T(T, T, E)"},
    {"smoothstep ", REALS, VECTORS, CONST, "T(E, E, T)"},
    {"fract modf sincos ", REALS, ANY, CHANGES, "T(T, @T *)"},
    {"frexp lgamma_r ", REALS, ANY, CHANGES, "T(T, @I *)"},
    {"remquo ", REALS, ANY, CHANGES, "T(T, T, @I *)"},
    {"ilogb ", REALS, ANY, CONST, "I(T)"},
    {"ldexp pown rootn ", REALS, ANY, CONST, "T(T, I)"},
    {"ldexp ", REALS, VECTORS, CONST, "T(T, int)"},
    {"nan ", REALS, ANY, CONST, "T(U)"},
    {"isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered isunordered ", REALS, ONE,
     CONST, "int(T, T)"},
    {"isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered isunordered ", REALS,
     VECTORS, CONST, "S(T, T)"},
    {"isfinite isinf isnan isnormal signbit ", REALS, ONE, CONST, "int(T)"},
    {"isfinite isinf isnan isnormal signbit ", REALS, VECTORS, CONST, "S(T)"},
    {"dot distance ", REALS, SHORT_VECTORS, CONST, "E(T, T)"},
    {"length ", REALS, SHORT_VECTORS, CONST, "E(T)"},
    {"normalize ", REALS, SHORT_VECTORS, CONST, "T(T)"},
    {"fast_distance ", FLOATS, SHORT_VECTORS, CONST, "E(T, T)"},
    {"fast_length ", FLOATS, SHORT_VECTORS, CONST, "E(T)"},
    {"fast_normalize ", FLOATS, SHORT_VECTORS, CONST, "T(T)"},
    {"cross ", REALS, THREE_FOUR, CONST, "T(T, T)"},

    {"abs ", INTEGERS, ANY, CONST, "U(T)"},
    {"abs_diff ", INTEGERS, ANY, CONST, "U(T, T)"},
    {"add_sat hadd max min mul_hi rhadd rotate sub_sat ", INTEGERS, ANY, CONST, "T(T, T)"},
    {"max min ", INTEGERS, VECTORS, CONST, "T(T, E)"},
    {"clamp mad_hi mad_sat ", INTEGERS, ANY, CONST, "T(T, T, T)"},
    {"clamp ", INTEGERS, VECTORS, CONST, "T(T, E, E)"},
    {"clz popcount ", INTEGERS, ANY, CONST, "T(T)"},
    {"mul24 ", WORDS, ANY, CONST, "T(T, T)"},
    {"mad24 ", WORDS, ANY, CONST, "T(T, T, T)"},
    {"upsample ", HALVABLE, ANY, CONST, "D(T, U)"},
    {"any all ", BIT(CHAR) | BIT(SHORT) | BIT(INT) | BIT(LONG), ANY, CONST, "int(T)"},
    {"bitselect ", ALL, ANY, CONST, "T(T, T, T)"},
    {"select ", ALL, ANY, CONST, "T(T, T, S)"},
    {"select ", ALL, ANY, CONST, "T(T, T, U)"},
    {"shuffle ", ALL, SHUFFLED, CONST, "T(E2, U)"},
    {"shuffle ", ALL, SHUFFLED, CONST, "T(E4, U)"},
    {"shuffle ", ALL, SHUFFLED, CONST, "T(E8, U)"},
    {"shuffle ", ALL, SHUFFLED, CONST, "T(E16, U)"},
    {"shuffle2 ", ALL, SHUFFLED, CONST, "T(E2, E2, U)"},
    {"shuffle2 ", ALL, SHUFFLED, CONST, "T(E4, E4, U)"},
    {"shuffle2 ", ALL, SHUFFLED, CONST, "T(E8, E8, U)"},
    {"shuffle2 ", ALL, SHUFFLED, CONST, "T(E16, E16, U)"},

    {"vload2 ", ALL, ONE, PURE, "E2(size_t, const $E *)"},
    {"vload3 ", ALL, ONE, PURE, "E3(size_t, const $E *)"},
    {"vload4 ", ALL, ONE, PURE, "E4(size_t, const $E *)"},
    {"vload8 ", ALL, ONE, PURE, "E8(size_t, const $E *)"},
    {"vload16 ", ALL, ONE, PURE, "E16(size_t, const $E *)"},
    {"vstore2 ", ALL, ONE, CHANGES, "void(E2, size_t, @E *)"},
    {"vstore3 ", ALL, ONE, CHANGES, "void(E3, size_t, @E *)"},
    {"vstore4 ", ALL, ONE, CHANGES, "void(E4, size_t, @E *)"},
    {"vstore8 ", ALL, ONE, CHANGES, "void(E8, size_t, @E *)"},
    {"vstore16 ", ALL, ONE, CHANGES, "void(E16, size_t, @E *)"},
    {"vload_half ", ONCE, ONE, PURE, "float(size_t, const $half *)"},
    {"vload_half2 vloada_half2 ", ONCE, ONE, PURE, "float2(size_t, const $half *)"},
    {"vload_half3 vloada_half3 ", ONCE, ONE, PURE, "float3(size_t, const $half *)"},
    {"vload_half4 vloada_half4 ", ONCE, ONE, PURE, "float4(size_t, const $half *)"},
    {"vload_half8 vloada_half8 ", ONCE, ONE, PURE, "float8(size_t, const $half *)"},
    {"vload_half16 vloada_half16 ", ONCE, ONE, PURE, "float16(size_t, const $half *)"},
    {"vstore_half vstore_half_rte vstore_half_rtz vstore_half_rtp vstore_half_rtn ", REALS, ONE, CHANGES,
     "void(E, size_t, @half *)"},
    {"vstore_half2 vstore_half2_rte vstore_half2_rtz vstore_half2_rtp vstore_half2_rtn vstorea_half2 vstorea_half2_rte "
     "vstorea_half2_rtz "
     "vstorea_half2_rtp vstorea_half2_rtn ",
     REALS, ONE, CHANGES, "void(E2, size_t, @half *)"},
    {"vstore_half3 vstore_half3_rte vstore_half3_rtz vstore_half3_rtp vstore_half3_rtn vstorea_half3 vstorea_half3_rte "
     "vstorea_half3_rtz "
     "vstorea_half3_rtp vstorea_half3_rtn ",
     REALS, ONE, CHANGES, "void(E3, size_t, @half *)"},
    {"vstore_half4 vstore_half4_rte vstore_half4_rtz vstore_half4_rtp vstore_half4_rtn vstorea_half4 vstorea_half4_rte "
     "vstorea_half4_rtz "
     "vstorea_half4_rtp vstorea_half4_rtn ",
     REALS, ONE, CHANGES, "void(E4, size_t, @half *)"},
    {"vstore_half8 vstore_half8_rte vstore_half8_rtz vstore_half8_rtp vstore_half8_rtn vstorea_half8 vstorea_half8_rte "
     "vstorea_half8_rtz "
     "vstorea_half8_rtp vstorea_half8_rtn ",
     REALS, ONE, CHANGES, "void(E8, size_t, @half *)"},
    {"vstore_half16 vstore_half16_rte vstore_half16_rtz vstore_half16_rtp vstore_half16_rtn vstorea_half16 "
     "vstorea_half16_rte vstorea_half16_rtz "
     "vstorea_half16_rtp vstorea_half16_rtn ",
     REALS, ONE, CHANGES, "void(E16, size_t, @half *)"},

    {"get_global_size get_global_id get_local_size get_local_id get_num_groups get_group_id get_global_offset ", ONCE,
     ONE, CONST, "size_t(uint)"},
    {"get_work_dim ", ONCE, ONE, CONST, "uint(void)"},
    {"barrier ", ONCE, ONE, CONVERGENT, "void(cl_mem_fence_flags)"},
    {"mem_fence read_mem_fence write_mem_fence ", ONCE, ONE, CHANGES, "void(cl_mem_fence_flags)"},
    {"async_work_group_copy ", ALL, ANY, CHANGES, "event_t(__local T *, const __global T *, size_t, event_t)"},
    {"async_work_group_copy ", ALL, ANY, CHANGES, "event_t(__global T *, const __local T *, size_t, event_t)"},
    {"async_work_group_strided_copy ", ALL, ANY, CHANGES,
     "event_t(__local T *, const __global T *, size_t, size_t, event_t)"},
    {"async_work_group_strided_copy ", ALL, ANY, CHANGES,
     "event_t(__global T *, const __local T *, size_t, size_t, event_t)"},
    {"printf ", ONCE, ONE, PRINTS, "int(__constant const char *, ...)"},
    {"wait_group_events ", ONCE, ONE, CHANGES, "void(int, event_t *)"},
    {"prefetch ", ALL, ANY, CHANGES, "void(const __global T *, size_t)"},

    {"atomic_add atomic_sub atomic_xchg atomic_min atomic_max atomic_and atomic_or atomic_xor ", WORDS, ONE, CHANGES,
     "T(volatile %T *, T)"},
    {"atomic_xchg ", FLOATS, ONE, CHANGES, "T(volatile %T *, T)"},
    {"atomic_inc atomic_dec ", WORDS, ONE, CHANGES, "T(volatile %T *)"},
    {"atomic_cmpxchg ", WORDS, ONE, CHANGES, "T(volatile %T *, T, T)"},
    {"atom_add atom_sub atom_xchg atom_min atom_max atom_and atom_or atom_xor ", WORDS | LONGS, ONE, CHANGES,
     "T(volatile %T *, T)"},
    {"atom_inc atom_dec ", WORDS | LONGS, ONE, CHANGES, "T(volatile %T *)"},
    {"atom_cmpxchg ", WORDS | LONGS, ONE, CHANGES, "T(volatile %T *, T, T)"},
};

/* ---- one declaration ---- */

/* A function of one element, width and space. */
typedef struct overload {
    const char *name;
    size_t length;
    const family *of;
    const element *element;
    unsigned width;
    const char *space;
} overload;

static void put_vector(const char *scalar, unsigned width, fp_text *out)
{
    fp_text_put(out, scalar);
    if (width > 1) fp_text_print(out, "%u", width);
}

static void put_letter(const overload *o, char letter, fp_text *out)
{
    const element *e = o->element;
    switch (letter) {
    case 'T':
        put_vector(e->name, o->width, out);
        break;
    case 'E':
        fp_text_put(out, e->name);
        break;
    case 'I':
        put_vector("int", o->width, out);
        break;
    case 'S':
        put_vector(e->is_signed, o->width, out);
        break;
    case 'U':
        put_vector(e->is_unsigned, o->width, out);
        break;
    case 'D':
        put_vector(e->twice, o->width, out);
        break;
    case '@':
    case '%':
    case '$':
        fp_text_print(out, "__%s ", o->space);
        break;
    default:
        fp_text_add(out, &letter, 1);
    }
}

static void put_overload(const overload *o, fp_text *out)
{
    for (const char *c = o->of->signature; *c; c++) {
        if (*c == '(')
            fp_text_print(out, " __attribute__((%s)) %.*s", attributes[o->of->effect], (int)o->length, o->name);
        put_letter(o, *c, out);
    }
    fp_text_put(out, ";\n");
}

/* ---- the overloads of a name ---- */

static void put_spaces(overload *o, fp_text *out)
{
    static const char *const spaces[] = {"global", "local", "private", "constant"};
    const char *signature = o->of->signature;
    unsigned count = strchr(signature, '$') ? 4 : strchr(signature, '@') ? 3 : strchr(signature, '%') ? 2 : 1;
    for (unsigned k = 0; k < count; k++) {
        o->space = spaces[k];
        put_overload(o, out);
    }
}

static void put_elements(overload *o, bool has_double, fp_text *out)
{
    const family *f = o->of;
    const unsigned chosen = f->elements == ONCE ? BIT(INT)
                            : has_double        ? f->elements
                                                : f->elements & ~(unsigned)DOUBLES;
    for (unsigned e = 0; e < ELEMENTS; e++) {
        for (unsigned w = 0; w < WIDTHS && chosen & BIT(e); w++) {
            o->element = &elements[e];
            o->width = widths[w];
            if (f->widths & BIT(w)) put_spaces(o, out);
        }
    }
}

static bool lists(const char *names, const char *name, size_t length)
{
    for (; *names; names += strcspn(names, " ") + 1)
        if (!strncmp(names, name, length) && names[length] == ' ') return true;
    return false;
}

/* ---- conversions ---- */

/* "convert_int4_sat_rte": to a type, with all types of that width for its argument. */
static void put_conversion(const char *name, size_t length, bool has_double, fp_text *out)
{
    static const char prefix[] = "convert_";
    const size_t start = sizeof prefix - 1;
    if (length <= start || strncmp(name, prefix, start) != 0) return;
    size_t type = strcspn(name + start, "_0123456789"), digits = strspn(name + start + type, "0123456789");
    if (type + digits > length - start) type = length - start, digits = 0;
    for (unsigned e = 0; e < ELEMENTS; e++)
        if (e != DOUBLE || has_double)
            fp_text_print(out, "%.*s __attribute__((%s)) %.*s(%s%.*s);\n", (int)(type + digits), name + start,
                          attributes[CONST], (int)length, name, elements[e].name, (int)digits, name + start + type);
}

/* ---- the program's words ---- */

static void declare(const char *name, size_t length, bool has_double, fp_text *out)
{
    for (size_t k = 0; k < sizeof families / sizeof *families; k++)
        if (lists(families[k].names, name, length))
            put_elements(&(overload){.name = name, .length = length, .of = &families[k]}, has_double, out);
    put_conversion(name, length, has_double, out);
}

/* Has the word stood before? A program has few that are not its own, and they are short. */
static bool is_new(fp_text *seen, const char *name, size_t length)
{
    fp_text word = {0};
    fp_text_print(&word, " %.*s ", (int)length, name);
    bool found = word.failed || strstr(fp_text_string(seen), word.bytes);
    if (!found) fp_text_add(seen, word.bytes, word.length);
    fp_text_free(&word);
    return !found;
}

void fp_builtins_declare(const char *program, bool has_double, fp_text *out)
{
    fp_text seen = {0};
    for (fp_token t = fp_lex(program, 0); t.kind != FP_TOKEN_END; t = fp_lex(program, t.offset + t.length)) {
        if (t.kind != FP_TOKEN_WORD || !strncmp(program + t.offset, "fp_", 3)) continue;
        if (is_new(&seen, program + t.offset, t.length)) declare(program + t.offset, t.length, has_double, out);
    }
    fp_text_free(&seen);
}
