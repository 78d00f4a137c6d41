#include "kernel/exact.h"

#include "base/memory.h"
#include "kernel/check.h"
#include "kernel/definition.h"
#include "kernel/lex.h"
#include "kernel/snippet.h"

#include <stdlib.h>
#include <string.h>

/* Functions that call each other deeper than this are not looked into. */
enum { MOST_DEPTH = 8 };

/* Notes on the text of a function and of those that it calls. */
typedef struct reading {
    const gpu_definition *function;
    fp_words parameters;
    fp_words words;
    bool other; /* it has types that are not floating, its result's aside */
    bool real;  /* it has operations of floating numbers alone: divisions, functions of firepile/math.h */
    fp_exactness seen;
    unsigned depth;
} reading;

static const char keywords[] =
    " if else for while do return break continue default switch case const struct sizeof void GPU_GLOBAL ";

static const char floating_types[] =
    " float double gpu_float2 gpu_float3 gpu_float4 gpu_double2 gpu_double3 gpu_double4 ";

static const char other_types[] =
    " char short int long signed unsigned bool _Bool uchar ushort uint ulong size_t int8_t "
    "int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t ";

/* Functions of firepile/math.h that have one result on all sides. sqrt of floats has it where divisions have it. */
static const char exact_functions[] = " sqrt ceil fabs fdim floor fma fmod logb nextafter remainder rint round trunc "
                                      "isfinite isinf isnan isnormal ";

/* Notes a type; false if the word is no type, or one of the user's. */
static bool note_type(reading *r, const char *word, size_t length)
{
    bool floating = fp_word_in_list(floating_types, word, length), vector = length > 4 && !memcmp(word, "gpu_", 4),
         other = !floating && (vector || fp_word_in_list(other_types, word, length));
    r->other |= other;
    r->seen.doubles |= floating && memmem(word, length, "double", 6);
    return floating || other;
}

static void note_loop(reading *r, const char *word, size_t length)
{
    r->seen.loops |= fp_word_in_list(" for while ", word, length);
}

static bool note_math(reading *r, const char *word, size_t length)
{
    r->real = true;
    r->seen.divides |= fp_word_in_list(" sqrt ", word, length);
    return r->function->math && fp_word_in_list(exact_functions, word, length);
}

static fp_exactness read_function(const gpu_definition *function, unsigned depth);

/* A constant, a struct, or a call of another function. */
static bool note_definition(reading *r, const char *word, size_t length, bool called)
{
    const gpu_definition *found;
    if (fp_definition_find(word, length, r->function->place.unit, &found)) return false;
    if (!found) return called && note_math(r, word, length);
    if (found->kind == GPU_DEFINES_STRUCT) r->other = true;
    if (found->kind == GPU_DEFINES_CONSTANT && found->type == GPU_DOUBLE) r->seen.doubles = true;
    if (found->kind == GPU_DEFINES_STRUCT || found->kind == GPU_DEFINES_CONSTANT) return !called;
    if (found->kind != GPU_DEFINES_FUNCTION || !called || r->depth == MOST_DEPTH) return false;
    const fp_exactness inner = read_function(found, r->depth + 1);
    r->seen.divides |= inner.divides;
    r->seen.doubles |= inner.doubles;
    r->seen.loops |= inner.loops;
    r->other |= inner.whole;
    return inner.exact;
}

/* Is this an array whose length is a variable? OpenCL C has none. */
static bool has_variable_length(const reading *r, const char *text, const fp_word *w)
{
    fp_token t = fp_lex(text, w->offset + w->length);
    if (!w->declared || !fp_token_is(text, t, '[')) return false;
    while (t.kind != FP_TOKEN_END && !fp_token_is(text, t, ']')) t = fp_next(text, t);
    for (const fp_word *in = w + 1; in < r->words.list + r->words.count && in->offset < t.offset; in++)
        if (in->own || fp_words_name(&r->parameters, text + in->offset, in->length)) return true;
    return false;
}

static bool note_word(reading *r, const char *text, const fp_word *w)
{
    const char *word = text + w->offset;
    note_loop(r, word, w->length);
    if (has_variable_length(r, text, w)) return false;
    if (w->member || fp_word_in_list(keywords, word, w->length) || note_type(r, word, w->length)) return true;
    if (w->own || fp_words_name(&r->parameters, word, w->length)) return !w->called;
    return note_definition(r, word, w->length, w->called);
}

/* 2.5 and 1e3 are doubles; 2.5f, 10, 0xe are not. */
static bool is_double(const char *number, size_t length)
{
    bool hex = length > 1 && (number[1] == 'x' || number[1] == 'X'), floating = false;
    for (size_t k = 0; k < length; k++)
        floating = floating || number[k] == '.' || strchr(hex ? "pP" : "eE", number[k]) != NULL;
    return floating && number[length - 1] != 'f' && number[length - 1] != 'F';
}

/* 1.0L and 1LL, as with words */
static bool is_longer_number(const char *number, size_t length)
{
    const char *end = number + length, *l = end;
    for (const char *at = end; at > number && strchr("uUlL", at[-1]); at--)
        if (at[-1] == 'l' || at[-1] == 'L') l = at - 1;
    return l < end && (is_double(number, length) || l[1] == *l);
}

/* Is this a number, behind << or >>, by which every integer type can be shifted? */
static bool is_small_shift(const char *text, fp_token t)
{
    return t.kind == FP_TOKEN_NUMBER && strtoul(text + t.offset, NULL, 0) < 32;
}

static bool note_mark(reading *r, const char *text, fp_token t)
{
    const char mark = text[t.offset];
    const bool twice = text[t.offset + 1] == mark;
    r->real |= mark == '/';
    r->seen.divides |= mark == '/';
    if (twice && (mark == '<' || mark == '>')) {
        fp_token by = fp_lex(text, t.offset + 2);
        return !fp_token_is(text, by, '=') && is_small_shift(text, by);
    }
    return !strchr("#%\\@`$", mark);
}

static bool read_tokens(reading *r, const char *text)
{
    for (fp_token t = fp_lex(text, 0); t.kind != FP_TOKEN_END; t = fp_next(text, t)) {
        if (t.kind == FP_TOKEN_NUMBER && is_double(text + t.offset, t.length)) r->seen.doubles = true;
        if (t.kind == FP_TOKEN_NUMBER && is_longer_number(text + t.offset, t.length)) return false;
        /* A text in quotes lies in another address space there. */
        if (t.kind == FP_TOKEN_QUOTED && text[t.offset] == '"') return false;
        if (t.kind == FP_TOKEN_MARK && !note_mark(r, text, t)) return false;
        if (t.kind == FP_TOKEN_MARK && text[t.offset + 1] == text[t.offset] && strchr("<>", text[t.offset]))
            t.length = 2;
    }
    return true;
}

static bool read_text(reading *r, const char *text)
{
    const fp_text_kind kind = text == r->function->parameters ? FP_TEXT_PARAMETERS : FP_TEXT_CODE;
    bool exact = fp_words_find(text, kind, r->function->place.unit, &r->words) && read_tokens(r, text);
    for (size_t k = 0; k < r->words.count && exact; k++) exact = note_word(r, text, &r->words.list[k]);
    fp_free(r->words.list);
    r->words = (fp_words){0};
    return exact;
}

static fp_exactness read_function(const gpu_definition *function, unsigned depth)
{
    reading r = {.function = function, .depth = depth};
    bool exact = fp_parameters_find(function->parameters, &r.parameters) && read_text(&r, function->result);
    r.seen.whole = r.other;
    r.other = false;
    exact = exact && read_text(&r, function->parameters) && read_text(&r, function->body);
    exact = exact && !(r.real && r.other) && !function->loose;
    fp_free(r.parameters.list);
    r.seen.exact = exact;
    return r.seen;
}

fp_exactness fp_function_exactness(const gpu_definition *function)
{
    return function->kind == GPU_DEFINES_FUNCTION ? read_function(function, 0) : (fp_exactness){0};
}

fp_exactness fp_kernel_exactness(const gpu_definition *kernel, const fp_words *words)
{
    reading r = {.function = kernel, .seen = {.exact = !kernel->loose, .divides = strchr(kernel->body, '/')}};
    for (size_t k = 0; k < words->count && r.seen.exact; k++) {
        const fp_word *w = &words->list[k];
        const char *name = kernel->body + w->offset;
        note_loop(&r, name, w->length);
        const bool known = fp_word_in_list(" sync atomic_add atomic_inc ", name, w->length);
        if (w->member || w->own || !w->called || known || fp_word_in_list(keywords, name, w->length)) continue;
        r.seen.exact = note_definition(&r, name, w->length, true);
    }
    return r.seen;
}

bool fp_exact_on(fp_exactness exactness, const fp_capabilities *capabilities)
{
    return exactness.exact && (!exactness.divides || capabilities->exact_division) &&
           (!exactness.doubles || capabilities->has_double) && (!exactness.loops || !capabilities->reorders_loops);
}
