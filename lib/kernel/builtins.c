#include "kernel/builtins.h"

#include "kernel/lex.h"
#include "kernel/template.h"

#include <string.h>

/* Elements, in the order of the types below. */
enum { CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, FLOAT, DOUBLE, ELEMENTS };

typedef struct element {
    const char *name, *is_signed, *is_unsigned; /* the integers of the same size */
    const char *twice;                          /* the integer of twice the size, which upsample makes */
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

static const char *const widths[] = {"", "2", "3", "4", "8", "16"};
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
 * all of the width. M is the element's vector of any of the widths that can be shuffled. A space is @ (global, local or
 * private), % (global or local) or $ (those three or constant). */
typedef struct family {
    const char *names; /* with a blank behind each; # is the width if that is not 1, ~ a rounding mode or nothing */
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
    {"shuffle ", ALL, SHUFFLED, CONST, "T(M, U)"},
    {"shuffle2 ", ALL, SHUFFLED, CONST, "T(M, M, U)"},

    {"vload# ", ALL, VECTORS, PURE, "T(size_t, const $E *)"},
    {"vstore# ", ALL, VECTORS, CHANGES, "void(T, size_t, @E *)"},
    {"vload_half# ", FLOATS, ANY, PURE, "T(size_t, const $half *)"},
    {"vloada_half# ", FLOATS, VECTORS, PURE, "T(size_t, const $half *)"},
    {"vstore_half#~ ", REALS, ANY, CHANGES, "void(T, size_t, @half *)"},
    {"vstorea_half#~ ", REALS, VECTORS, CHANGES, "void(T, size_t, @half *)"},

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

/* A function of one element and width. The variant is a space, or the width of M. */
typedef struct overload {
    const char *name;
    size_t length;
    const family *of;
    const element *element;
    const char *width;
    unsigned variant;
} overload;

static void put_letter(const overload *o, char letter, fp_text *out)
{
    static const char *const spaces[] = {"global", "local", "private", "constant"};
    static const char *const shuffled[] = {"2", "4", "8", "16"};
    static const char letters[] = "TISUD";
    const element *e = o->element;
    const char *const types[] = {e->name, "int", e->is_signed, e->is_unsigned, e->twice}, *at = strchr(letters, letter);
    if (at)
        fp_text_print(out, "%s%s", types[at - letters], o->width);
    else if (letter == 'E')
        fp_text_put(out, e->name);
    else if (letter == 'M')
        fp_text_print(out, "%s%s", e->name, shuffled[o->variant]);
    else if (strchr("@%$", letter))
        fp_text_print(out, "__%s ", spaces[o->variant]);
    else
        fp_text_add(out, &letter, 1);
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

static void put_variants(overload *o, fp_text *out)
{
    const char *signature = o->of->signature;
    unsigned count = strpbrk(signature, "$M") ? 4 : strchr(signature, '@') ? 3 : strchr(signature, '%') ? 2 : 1;
    for (o->variant = 0; o->variant < count; o->variant++) put_overload(o, out);
}

static void put_elements(overload *o, unsigned chosen_widths, bool has_double, fp_text *out)
{
    unsigned chosen = o->of->elements == ONCE ? BIT(INT) : o->of->elements;
    if (!has_double) chosen &= ~(unsigned)DOUBLES;
    for (unsigned e = 0; e < ELEMENTS; e++) {
        for (unsigned w = 0; w < WIDTHS && chosen & BIT(e); w++) {
            o->element = &elements[e];
            o->width = widths[w];
            if (chosen_widths & BIT(w)) put_variants(o, out);
        }
    }
}

/* The widths for which a name fits a pattern of a family. */
static unsigned fit(const char *pattern, const char *name, size_t length)
{
    const char *end = name + length;
    size_t stem = strcspn(pattern, "#~ "), digits = 0;
    unsigned fitting = pattern[stem] == '#' ? 0 : ANY;
    if (length < stem || strncmp(pattern, name, stem) != 0) return 0;
    pattern += stem;
    name += stem;
    if (*pattern == '#') digits = strspn(name, "0123456789");
    for (unsigned w = 0; w < WIDTHS && *pattern == '#'; w++)
        if (strlen(widths[w]) == digits && !memcmp(widths[w], name, digits)) fitting = BIT(w);
    pattern += *pattern == '#';
    name += digits;
    if (*pattern == '~' && end - name == 4 && !memcmp(name, "_rt", 3) && strchr("eznp", name[3])) name = end;
    return name == end ? fitting : 0;
}

/* ---- conversions ---- */

/* Declares "convert_int4_sat_rte" with all types of its width for the argument. */
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

static void declare(const char *name, size_t length, unsigned wanted, bool has_double, fp_text *out)
{
    for (size_t k = 0; k < sizeof families / sizeof *families; k++) {
        const family *f = &families[k];
        unsigned fitting = 0;
        for (const char *p = f->names; *p; p += strcspn(p, " ") + 1)
            if (*p == *name) fitting |= fit(p, name, length);
        put_elements(&(overload){.name = name, .length = length, .of = f}, fitting & f->widths & wanted, has_double,
                     out);
    }
    put_conversion(name, length, has_double, out);
}

/* Adds a word that is not there yet. A program calls few words, and they are short. */
static void add_once(const char *name, size_t length, fp_text *words)
{
    fp_text word = {0};
    fp_text_print(&word, " %.*s ", (int)length, name);
    if (!word.failed && !strstr(fp_text_string(words), word.bytes)) fp_text_add(words, word.bytes, word.length);
    words->failed |= word.failed;
    fp_text_free(&word);
}

/* Is it a word that vectors come from: float4, gpu_float4, convert_float4_rte, vload4? Not int16_t. */
static bool makes_a_vector(const char *name, size_t length)
{
    static const char load[] = "vload";
    if (length >= sizeof load && !memcmp(name, load, sizeof load - 1)) return true;
    for (unsigned e = 0; e < ELEMENTS; e++) {
        const size_t n = strlen(elements[e].name);
        const char *at = memmem(name, length, elements[e].name, n);
        size_t digits = at ? strspn(at + n, "0123456789") : 0;
        if (digits && strncmp(at + n + digits, "_t", 2) != 0) return true;
    }
    return false;
}

/* The words that may be calls, each with a blank on both sides, and the widths that they may have. A program that names
 * no vector has none, and most overloads are those of vectors. A call may be (min)(a, b). */
static unsigned find_calls(const char *program, fp_text *called)
{
    unsigned wanted = ONE;
    for (fp_token t = fp_lex(program, 0), next; t.kind != FP_TOKEN_END; t = next) {
        const char *name = program + t.offset;
        next = fp_next(program, t);
        if (t.kind != FP_TOKEN_WORD || !strncmp(name, "fp_", 3)) continue;
        if (wanted == ONE && makes_a_vector(name, t.length)) wanted = ANY;
        if (fp_token_is(program, next, '(') || fp_token_is(program, next, ')')) add_once(name, t.length, called);
    }
    return wanted;
}

void fp_builtins_declare(const char *program, bool has_double, fp_text *out)
{
    fp_text called = {0};
    const unsigned wanted = find_calls(program, &called);
    for (const char *at = fp_text_string(&called) + strspn(fp_text_string(&called), " "); *at;) {
        const size_t length = strcspn(at, " ");
        declare(at, length, wanted, has_double, out);
        at += length + strspn(at + length, " ");
    }
    out->failed |= called.failed;
    fp_text_free(&called);
}

/* ---- functions of floats ---- */

/* Note [functions of floats]: PoCL 3.1 calls most functions once for each element, which takes 10 to 120 ns. Of some
 * the library has its own for floats, without branches and calls, so that the compiler makes vectors of them. */
static const struct own_functions {
    const char *names, *file;
    bool in_double;
} own_functions[] = {
    {" exp exp2 ", "math/exp.cl", false},
    {" log log10 log2 ", "math/log.cl", false},
    {" cos sin tan ", "math/sin.cl", true},
    {" pow ", "math/pow.cl", true},
};

/* Functions that PoCL calls for each element. Wide vectors around such calls take 10 to 20 % longer. */
static const char called_functions[] = " acos acosh asin asinh atan atan2 atanh cbrt cosh erf erfc expm1 fmod hypot "
                                       "lgamma log1p remainder sinh tgamma ";

static bool calls_one_of(const char *called, const char *names)
{
    for (size_t length; *called; called += length + 2) {
        length = strcspn(called + 1, " ");
        if (memmem(names, strlen(names), called, length + 2)) return true;
    }
    return false;
}

gpu_status fp_builtins_define(const char *program, bool has_double, fp_text *out)
{
    fp_text called = {0};
    gpu_status status = GPU_OK;
    bool any = false;
    find_calls(program, &called);
    for (size_t k = 0; k < sizeof own_functions / sizeof *own_functions && !status; k++) {
        const struct own_functions *own = &own_functions[k];
        if ((own->in_double && !has_double) || !calls_one_of(fp_text_string(&called), own->names)) continue;
        status = fp_template_write(own->file, out);
        any = true;
    }
    if (any && !calls_one_of(fp_text_string(&called), called_functions))
        fp_text_put(out, "#define FP_FLOAT_FUNCTIONS 1\n");
    out->failed |= called.failed;
    fp_text_free(&called);
    return status;
}
