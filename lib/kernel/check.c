#include "kernel/check.h"

#include "base/error.h"
#include "kernel/definition.h"
#include "kernel/lex.h"
#include "kernel/snippet.h"

#include <string.h>

enum { MAX_DEPTH = 256 };

/* A text, and what is open at some point of it. */
typedef struct nesting {
    const char *text;
    const gpu_definition *function; /* the function whose text it is; NULL: it is an operator's */
    size_t open[MAX_DEPTH];
    unsigned depth;
    unsigned braces;
} nesting;

gpu_status fp_snippet_refuse(const char *text, size_t offset, const char *format, ...)
{
    fp_text message = {0};
    va_list values;
    va_start(values, format);
    fp_text_vprint(&message, format, values);
    va_end(values);
    fp_snippet_point(text, offset, &message);
    gpu_status status = fp_fail(GPU_E_SNIPPET, "%s", fp_text_string(&message));
    fp_text_free(&message);
    return status;
}

static gpu_status wrong(const nesting *n, size_t offset, const char *what)
{
    const gpu_definition *f = n->function;
    if (!f) return fp_snippet_refuse(n->text, offset, "%s", what);
    return fp_snippet_refuse(n->text, offset, "%s:%d: in %s: %s", fp_definition_file(f), f->place.line, f->name, what);
}

bool fp_is_reserved(const char *name, size_t length)
{
    return length >= 3 && (!memcmp(name, "fp_", 3) || !memcmp(name, "FP_", 3));
}

/* The library's own functions call each other. */
static bool is_own(const gpu_definition *function)
{
    return function && !function->place.unit;
}

static gpu_status check_bracket(size_t at, nesting *n)
{
    const char *text = n->text;
    char c = text[at];
    if (strchr("([{", c)) {
        if (n->depth == MAX_DEPTH) return wrong(n, at, "brackets are nested too deeply");
        n->open[n->depth++] = at;
        n->braces += c == '{';
    } else if (strchr(")]}", c)) {
        char opener = c == ')' ? '(' : c == ']' ? '[' : '{';
        if (n->depth == 0) return wrong(n, at, "this bracket closes nothing");
        if (text[n->open[n->depth - 1]] != opener)
            return wrong(n, at, "this bracket does not match the one that is open");
        n->depth--;
        n->braces -= c == '}';
    }
    return GPU_OK;
}

/* Other spellings of brackets and of #. */
static bool is_digraph(const char *at)
{
    return fp_word_in_list(" <: :> <% %> %: ", at, strnlen(at, 2));
}

static gpu_status check_token(fp_token t, bool body, nesting *n)
{
    const char *text = n->text;
    switch (t.kind) {
    case FP_TOKEN_OPEN_QUOTE:
        return wrong(n, t.offset, "a quote is not closed");
    case FP_TOKEN_OPEN_COMMENT:
        return wrong(n, t.offset, "a comment is not closed");
    case FP_TOKEN_WORD:
        if (fp_is_reserved(text + t.offset, t.length) && !is_own(n->function))
            return wrong(n, t.offset, "names that start with fp_ or FP_ belong to the library: take another");
        return GPU_OK;
    case FP_TOKEN_MARK:
        if (text[t.offset] == '#') return wrong(n, t.offset, "preprocessor directives cannot stand in an operator");
        if (text[t.offset] == ';' && !body && n->braces == 0)
            return wrong(n, t.offset, "an expression has no ';': write a body, { ... return ...; }");
        if (strchr("\\$@`", text[t.offset])) return wrong(n, t.offset, "this character has no meaning in an operator");
        if (is_digraph(text + t.offset)) return wrong(n, t.offset, "digraphs cannot stand in an operator");
        return check_bracket(t.offset, n);
    default:
        return GPU_OK;
    }
}

/* 1.0L */
static bool is_long_double(const char *text, fp_token t)
{
    const char *number = text + t.offset;
    bool suffix = t.kind == FP_TOKEN_NUMBER && (number[t.length - 1] | 0x20) == 'l';
    return suffix &&
           (memchr(number, '.', t.length) || (memchr(number, 'e', t.length) && !memchr(number, 'x', t.length)));
}

/* "long long", "long double": reserved in OpenCL C. Some compilers take them, and NVIDIA's ends the process. */
static gpu_status check_length(const nesting *n, fp_token t)
{
    fp_token next = fp_next(n->text, t);
    bool first = fp_token_is_word(n->text, t, "long"), second = fp_token_is_word(n->text, next, "long");
    if (first && second) return wrong(n, t.offset, "OpenCL C has no long long: its long has 64 bits");
    if (is_long_double(n->text, t) || (first && fp_token_is_word(n->text, next, "double")) ||
        (second && fp_token_is_word(n->text, t, "double")))
        return wrong(n, t.offset, "OpenCL C has no long double: write double");
    return GPU_OK;
}

static gpu_status check_text(nesting *n, bool body, bool needs_return)
{
    const char *text = n->text;
    bool returns = false, first = true;
    for (fp_token t = fp_lex(text, 0); t.kind != FP_TOKEN_END; t = fp_next(text, t), first = false) {
        if (body && !first && n->depth == 0) return wrong(n, t.offset, "something follows the body");
        gpu_status status = check_token(t, body, n);
        if (!status) status = check_length(n, t);
        if (status) return status;
        returns = returns || fp_token_is_word(text, t, "return");
    }
    if (n->depth) return wrong(n, n->open[n->depth - 1], "this bracket is not closed");
    if (needs_return && !returns) return wrong(n, 0, "the operator's body returns nothing: it needs a return");
    return GPU_OK;
}

gpu_status fp_snippet_check(const char *text, bool *body)
{
    nesting n = {.text = text};
    *body = fp_token_is(text, fp_lex(text, 0), '{');
    if (fp_lex(text, 0).kind == FP_TOKEN_END) return fp_fail(GPU_E_SNIPPET, "the operator's text is empty");
    return check_text(&n, *body, *body);
}

gpu_status fp_kernel_text_check(const char *text)
{
    nesting n = {.text = text};
    const fp_token first = fp_lex(text, 0);
    if (first.kind == FP_TOKEN_END) return fp_fail(GPU_E_SNIPPET, "the kernel's text is empty");
    if (!fp_token_is(text, first, '{')) return wrong(&n, first.offset, "a kernel is a body in braces: \"{ ... }\"");
    return check_text(&n, true, false);
}

void fp_snippet_point(const char *text, size_t offset, fp_text *out)
{
    size_t begin = offset;
    while (begin > 0 && text[begin - 1] != '\n') begin--;
    size_t length = strcspn(text + begin, "\r\n");
    fp_text_print(out, "\n  %.*s\n  ", (int)(length < 1000 ? length : 1000), text + begin);
    for (size_t k = begin; k < offset && k < begin + 1000; k++) {
        if ((text[k] & 0xc0) == 0x80) continue; /* a character of UTF-8 stands in one column */
        fp_text_put(out, text[k] == '\t' ? "\t" : " ");
    }
    fp_text_put(out, "^");
}

/* Words that mean something to OpenCL C, beside its types. */
static const char keywords[] =
    " auto break case const continue default do else enum extern for goto if inline register restrict return sizeof "
    "static struct switch typedef union volatile while global local constant private kernel read_only write_only "
    "read_write generic pipe true false NULL asm typeof quad complex imaginary ";

static const char types[] =
    " char double float half int long short signed unsigned void bool uchar ushort uint ulong size_t ptrdiff_t "
    "intptr_t uintptr_t event_t sampler_t queue_t ndrange_t clk_event_t reserve_id_t cl_mem_fence_flags image1d_t "
    "image1d_array_t image1d_buffer_t image2d_t image2d_array_t image2d_depth_t image2d_array_depth_t image2d_msaa_t "
    "image2d_array_msaa_t image2d_msaa_depth_t image2d_array_msaa_depth_t image3d_t ";

/* The types that host code has for those of OpenCL C: see kernels/prelude.cl. */
static const char host_types[] = " int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t _Bool ";

/* Macros of OpenCL C. A name like one of these would be replaced by the macro's value. is_macro knows those that begin
 * with CL_ or CLK_, and M_PI and its like, which exist for float and half too (M_PI_F, M_PI_H). */
static const char macros[] =
    " NAN INFINITY HUGE_VAL HUGE_VALF MAXFLOAT CHAR_BIT CHAR_MAX CHAR_MIN SCHAR_MAX SCHAR_MIN "
    "UCHAR_MAX SHRT_MAX SHRT_MIN USHRT_MAX INT_MAX INT_MIN UINT_MAX LONG_MAX LONG_MIN ULONG_MAX FLT_DIG FLT_MANT_DIG "
    "FLT_MAX_10_EXP FLT_MAX_EXP FLT_MIN_10_EXP FLT_MIN_EXP FLT_RADIX FLT_MAX FLT_MIN FLT_EPSILON DBL_DIG DBL_MANT_DIG "
    "DBL_MAX_10_EXP DBL_MAX_EXP DBL_MIN_10_EXP DBL_MIN_EXP DBL_RADIX DBL_MAX DBL_MIN DBL_EPSILON HALF_DIG "
    "HALF_MANT_DIG HALF_MAX_10_EXP HALF_MAX_EXP HALF_MIN_10_EXP HALF_MIN_EXP HALF_RADIX HALF_MAX HALF_MIN HALF_EPSILON "
    "ATOMIC_FLAG_INIT ATOMIC_VAR_INIT GPU_GLOBAL ";

static const char mathematical[] =
    " M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 ";

bool fp_word_in_list(const char *list, const char *word, size_t length)
{
    for (const char *at = list + 1; *at; at += strcspn(at, " ") + 1)
        if (!strncmp(at, word, length) && at[length] == ' ') return true;
    return false;
}

/* float4, uchar16, ... */
static bool is_vector_type(const char *name, size_t length)
{
    static const char scalars[] = " char uchar short ushort int uint long ulong float double half ";
    size_t letters = 0;
    while (letters < length && (name[letters] < '0' || name[letters] > '9')) letters++;
    return letters && letters < length && fp_word_in_list(scalars, name, letters) &&
           fp_word_in_list(" 2 3 4 8 16 ", name + letters, length - letters);
}

static bool is_device_type(const char *name, size_t length)
{
    return fp_word_in_list(types, name, length) || is_vector_type(name, length);
}

bool fp_is_type_name(const char *name, size_t length)
{
    return is_device_type(name, length) || fp_word_in_list(host_types, name, length) ||
           (length > 4 && !memcmp(name, "gpu_", 4) && is_vector_type(name + 4, length - 4));
}

static bool is_macro(const char *name, size_t length)
{
    bool narrow = length > 2 && name[length - 2] == '_' && (name[length - 1] == 'F' || name[length - 1] == 'H');
    return fp_word_in_list(macros, name, length) || fp_word_in_list(mathematical, name, length) ||
           (narrow && fp_word_in_list(mathematical, name, length - 2)) || (length > 3 && !memcmp(name, "CL_", 3)) ||
           (length > 4 && !memcmp(name, "CLK_", 4));
}

bool fp_is_keyword(const char *name, size_t length)
{
    return fp_word_in_list(keywords, name, length) || is_device_type(name, length) || is_macro(name, length);
}

/* ---- functions ---- */

/* Words that C has too. They are the names of nothing. */
static const char words_of_c[] =
    " auto break case char const continue default do double else enum extern float for goto if inline int long return "
    "restrict short signed sizeof static struct switch typedef union void while unsigned volatile register ";

/* "local", and "__local" */
bool fp_is_word_of_devices(const char *name, size_t length)
{
    const size_t bars = length > 2 && !memcmp(name, "__", 2) ? 2 : 0;
    return fp_is_keyword(name + bars, length - bars) && !fp_word_in_list(words_of_c, name, length);
}

static gpu_status check_name(const gpu_definition *f, const char *text, const fp_word *word)
{
    const char *name = text + word->offset;
    if (!fp_is_word_of_devices(name, word->length)) return GPU_OK;
    return fp_snippet_refuse(text, word->offset,
                             "%s:%d: in %s: '%.*s' is a word of OpenCL C: call the parameter or the variable something "
                             "else",
                             fp_definition_file(f), f->place.line, f->name, (int)word->length, name);
}

/* A function of the device alone may use any name that its compiler takes. */
static gpu_status check_names(const gpu_definition *f, const fp_words *parameters, const fp_words *body)
{
    gpu_status status = GPU_OK;
    for (size_t k = 0; k < parameters->count && !status; k++)
        status = check_name(f, f->parameters, &parameters->list[k]);
    for (size_t k = 0; k < body->count && f->kind != GPU_DEFINES_DEVICE_FUNCTION && !status; k++)
        if (body->list[k].declared) status = check_name(f, f->body, &body->list[k]);
    return status;
}

gpu_status fp_function_text_check(const gpu_definition *f, const fp_words *parameters, const fp_words *body)
{
    bool is_void = fp_token_is_word(f->result, fp_lex(f->result, 0), "void");
    gpu_status status = check_text(&(nesting){.text = f->parameters, .function = f}, false, false);
    if (!status) status = check_text(&(nesting){.text = f->body, .function = f}, true, !is_void);
    return status ? status : check_names(f, parameters, body);
}

/* ---- captured values ---- */

gpu_status fp_capture_name_check(const char *name, bool kernel)
{
    fp_token t = name ? fp_lex(name, 0) : (fp_token){0};
    if (t.kind != FP_TOKEN_WORD || t.offset || name[t.length])
        return fp_fail(GPU_E_ARGUMENT,
                       "\"%s\" cannot be the name of a captured value: it must be an identifier; "
                       "GPU_ARG and GPU_RESULT take a variable, GPU_ARG_NAMED(name, lvalue) anything else",
                       name ? name : "(null)");
    const char *why = t.length == 1 && strchr("xyziab", name[0]) && !kernel ? ": x, y, z, i, a and b are the operands"
                      : fp_is_keyword(name, t.length) || !strncmp(name, "__", 2) ? ", which is a word of OpenCL C"
                      : fp_is_reserved(name, t.length) ? ": names that start with fp_ or FP_ belong to the library"
                                                       : NULL;
    if (!why) return GPU_OK;
    return fp_fail(GPU_E_ARGUMENT, "a captured value cannot be called '%s'%s; use GPU_ARG_NAMED(other_name, %s)", name,
                   why, name);
}
