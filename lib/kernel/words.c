#include "kernel/words.h"

#include "base/memory.h"
#include "kernel/check.h"
#include "kernel/definition.h"
#include "kernel/lex.h"

#include <string.h>

/* Deeper text is read as an expression: it declares nothing. */
enum { MOST_DEPTH = 256 };

typedef enum name_kind { VARIABLE, TYPE, TAG, LABEL, MEMBER } name_kind;

/* A declaration that holds where the parser stands. */
typedef struct name {
    size_t offset;
    size_t length;
    name_kind kind;
} name;

typedef struct parser {
    const char *text;
    const void *unit;
    fp_token token; /* the next one */
    bool member;    /* it stands behind . or -> */
    fp_words words;
    size_t word_capacity;
    name *names;
    size_t name_count, name_capacity;
    unsigned scopes; /* the number of open scopes */
    unsigned depth;
    bool failed;
} parser;

/* ---- tokens ---- */

static bool is(const parser *p, char mark)
{
    return fp_token_is(p->text, p->token, mark);
}

static bool is_among(const parser *p, const char *marks)
{
    return fp_token_in(p->text, p->token, marks);
}

static bool at_end(const parser *p)
{
    return p->token.kind == FP_TOKEN_END;
}

static bool is_in(const char *list, const parser *p)
{
    return p->token.kind == FP_TOKEN_WORD && fp_word_in_list(list, p->text + p->token.offset, p->token.length);
}

static fp_token after(const parser *p)
{
    return fp_next(p->text, p->token);
}

static void move_on(parser *p)
{
    size_t at = p->token.offset;
    p->member = is(p, '.') || (is(p, '>') && at > 0 && p->text[at - 1] == '-');
    p->token = after(p);
}

/* ---- names ---- */

/* The innermost declaration of the next word; NULL if the text has none. */
static const name *find(const parser *p, bool tag)
{
    for (size_t k = p->name_count; k-- > 0;) {
        const name *n = &p->names[k];
        if (n->length == p->token.length && (n->kind == TAG) == tag &&
            !memcmp(p->text + n->offset, p->text + p->token.offset, n->length))
            return n;
    }
    return NULL;
}

static void take_word(parser *p, bool own, bool declared, bool outer)
{
    bool called = fp_token_is(p->text, after(p), '(');
    fp_word *word = FP_PUSH(p->words.list, p->words.count, p->word_capacity);
    if (word) *word = (fp_word){p->token.offset, p->token.length, called, p->member, own, declared, outer};
    p->failed |= !word;
    move_on(p);
}

/* Takes the next token, which declares nothing. */
static void pass(parser *p)
{
    if (p->token.kind == FP_TOKEN_WORD)
        take_word(p, !p->member && find(p, false), false, false);
    else
        move_on(p);
}

/* Takes the next word, a name that is declared here. */
static void declare(parser *p, name_kind kind)
{
    bool ordinary = kind == VARIABLE || kind == TYPE, kept = ordinary || kind == TAG;
    name *new = kept ? FP_PUSH(p->names, p->name_count, p->name_capacity) : NULL;
    if (new) *new = (name){p->token.offset, p->token.length, kind};
    p->failed |= kept && !new;
    take_word(p, true, true, ordinary && p->scopes == 1);
}

/* ---- what begins a declaration ---- */

static const char qualifiers[] = " const volatile restrict static extern register inline auto typedef signed unsigned "
                                 "global local private constant __global __local __private __constant GPU_GLOBAL "
                                 "kernel __kernel read_only write_only read_write __read_only __write_only "
                                 "__read_write __restrict __const __inline ";

/* Words with an argument in parentheses. */
static const char with_argument[] = " __attribute__ _Alignas alignas typeof __typeof__ __typeof _Atomic ";

static const char tagged_words[] = " struct union enum ";

/* Words that begin or end a statement or an expression, and no declaration. */
static const char other_words[] = " return if else for while do switch case default break continue goto sizeof "
                                  "_Alignof _Generic _Pragma asm __asm__ ";

static bool is_builtin_type(const parser *p)
{
    return p->token.kind == FP_TOKEN_WORD && fp_is_type_name(p->text + p->token.offset, p->token.length);
}

/* Is it a name, and no word of the language? */
static bool is_name(const parser *p)
{
    return p->token.kind == FP_TOKEN_WORD && !is_builtin_type(p) && !is_in(qualifiers, p) && !is_in(with_argument, p) &&
           !is_in(tagged_words, p) && !is_in(other_words, p);
}

/* In `float half = 1` the name is a word of OpenCL C alone. A function that is host code may use it for a variable. */
static bool is_name_in_c(const parser *p)
{
    fp_token next = after(p);
    bool ends = next.kind == FP_TOKEN_END || (next.kind == FP_TOKEN_MARK && strchr("=,;)[", p->text[next.offset]));
    return p->token.kind == FP_TOKEN_WORD && ends && fp_is_word_of_devices(p->text + p->token.offset, p->token.length);
}

static bool is_struct(const parser *p)
{
    return fp_definition_is_struct(p->text + p->token.offset, p->token.length, p->unit);
}

/* Does another name follow the next word, which is a name? */
static bool is_followed_by_name(const parser *p)
{
    parser ahead = *p;
    ahead.token = after(p);
    return is_name(&ahead);
}

static bool is_type_name(const parser *p)
{
    const name *own = find(p, false);
    if (own) return own->kind == TYPE;
    return is_followed_by_name(p) || (fp_token_is(p->text, after(p), '*') && is_struct(p));
}

static bool begins_declaration(const parser *p)
{
    if (is_name(p)) return is_type_name(p);
    return is_builtin_type(p) || is_in(qualifiers, p) || is_in(with_argument, p) || is_in(tagged_words, p);
}

/* ---- expressions ---- */

static void block(parser *p);
static void tagged(parser *p);

/* Reads up to one of `ends`, or to a bracket that was opened before. */
static void expression(parser *p, const char *ends)
{
    for (unsigned depth = 0; !at_end(p);) {
        if (!depth && (is_among(p, ends) || is_among(p, ")]}"))) return;
        if (is_in(tagged_words, p)) {
            tagged(p);
            continue;
        }
        bool parenthesis = is(p, '(');
        depth += is_among(p, "([{");
        depth -= is_among(p, ")]}");
        pass(p);
        if (parenthesis && is(p, '{')) block(p); /* ({ ... }) */
    }
}

static void skip(parser *p, char mark)
{
    if (is(p, mark)) pass(p);
}

/* Reads what stands in parentheses or brackets. */
static void group(parser *p)
{
    pass(p);
    expression(p, "");
    if (is_among(p, ")]}")) pass(p);
}

/* Reads a word, and what stands in parentheses behind it. */
static void pass_head(parser *p)
{
    pass(p);
    if (is(p, '(')) group(p);
}

/* ---- declarations ---- */

static void parameters(parser *p);

/* Reads the words of a type. If `certain`, a name is a type, whatever it is called. True for a typedef. */
static bool specifiers(parser *p, bool certain)
{
    bool seen = false, defines = false;
    for (;;) {
        bool typed =
            is_builtin_type(p) || is_in(tagged_words, p) || (is_name(p) && !seen && (certain || is_type_name(p)));
        if (!typed && !is_in(qualifiers, p) && !is_in(with_argument, p)) return defines;
        if (seen && is_name_in_c(p)) return defines;
        defines = defines || is_in(" typedef ", p);
        seen = seen || typed || is_in(" signed unsigned typeof __typeof__ __typeof _Atomic ", p);
        if (is_in(tagged_words, p))
            tagged(p);
        else if (is_in(with_argument, p))
            pass_head(p);
        else
            pass(p);
    }
}

/* Reads a name and what stands around it: *name, name[4], (*name)(float). */
static void declarator(parser *p, name_kind kind)
{
    unsigned open = 0;
    while (is_among(p, "*(") || (is_in(qualifiers, p) && !is_name_in_c(p))) {
        open += is(p, '(');
        pass(p);
    }
    if (is_name(p) || is_name_in_c(p)) declare(p, kind);
    for (;;) {
        if (is(p, '[')) {
            group(p);
        } else if (is(p, '(')) {
            parameters(p);
        } else if (is_in(with_argument, p)) {
            pass_head(p);
        } else if (open && is(p, ')')) {
            open--;
            pass(p);
        } else {
            return;
        }
    }
}

/* `const float s = f(1, 2), *t;` */
static void declaration(parser *p, bool certain, name_kind kind)
{
    bool defines = specifiers(p, certain);
    if (kind == VARIABLE && defines) kind = TYPE;
    while (!at_end(p) && !is_among(p, ";)]}")) {
        size_t from = p->token.offset;
        declarator(p, kind);
        if (is_among(p, "=:")) expression(p, ",;");
        skip(p, ',');
        if (p->token.offset == from) pass(p); /* no C */
    }
    skip(p, ';');
}

/* "(float x, int (*f)(int))" */
static void parameters(parser *p)
{
    size_t names = p->name_count;
    bool deep = p->depth == MOST_DEPTH;
    pass(p);
    if (deep) expression(p, "");
    p->scopes++;
    p->depth++;
    while (!deep && !at_end(p) && !is_among(p, ")]}")) {
        size_t from = p->token.offset;
        specifiers(p, true);
        declarator(p, VARIABLE);
        skip(p, ',');
        if (p->token.offset == from) pass(p);
    }
    p->depth--;
    p->scopes--;
    skip(p, ')');
    p->name_count = names;
}

static void enumerators(parser *p)
{
    while (!at_end(p) && !is_among(p, ")]}")) {
        if (is_name(p)) declare(p, VARIABLE);
        expression(p, ",");
        skip(p, ',');
    }
}

/* Reads `struct`, its tag and its members. The tag and the members are optional. */
static void tagged(parser *p)
{
    bool values = is_in(" enum ", p);
    pass(p);
    while (is_in(with_argument, p)) pass_head(p);
    bool defines = fp_token_is(p->text, p->token.kind == FP_TOKEN_WORD ? after(p) : p->token, '{');
    if (p->token.kind == FP_TOKEN_WORD) {
        if (defines)
            declare(p, TAG);
        else
            take_word(p, find(p, true), false, false);
    }
    if (!defines) return;
    skip(p, '{');
    if (p->depth == MOST_DEPTH) expression(p, "");
    p->depth++;
    if (values) enumerators(p);
    while (!values && !at_end(p) && !is_among(p, ")]}")) declaration(p, true, MEMBER);
    p->depth--;
    skip(p, '}');
}

/* ---- statements ---- */

static void statement(parser *p);

static void block(parser *p)
{
    size_t names = p->name_count;
    p->scopes++;
    pass(p);
    while (!at_end(p) && !is(p, '}')) statement(p);
    skip(p, '}');
    p->scopes--;
    p->name_count = names;
}

/* Reads a declaration, or an expression and its semicolon. */
static void simple_statement(parser *p)
{
    size_t from = p->token.offset;
    if (begins_declaration(p)) {
        declaration(p, false, VARIABLE);
        return;
    }
    expression(p, ";");
    skip(p, ';');
    if (p->token.offset == from) pass(p); /* a bracket that closes nothing */
}

static void for_statement(parser *p)
{
    size_t names = p->name_count;
    p->scopes++;
    pass(p);
    skip(p, '(');
    simple_statement(p);
    expression(p, "");
    skip(p, ')');
    statement(p);
    p->scopes--;
    p->name_count = names;
}

/* `if (x) ... else if (y) ... else ...` */
static void if_statement(parser *p)
{
    pass_head(p);
    statement(p);
    while (is_in(" else ", p)) {
        pass(p);
        if (is_in(" if ", p)) pass_head(p);
        statement(p);
    }
}

static void do_statement(parser *p)
{
    pass(p);
    statement(p);
    expression(p, ";"); /* while (...) */
    skip(p, ';');
}

/* `case a ? b : c:` */
static void case_label(parser *p)
{
    unsigned open = 0;
    for (pass(p); !at_end(p);) {
        expression(p, "?:;");
        if (!is_among(p, "?:") || (is(p, ':') && !open)) break;
        open = is(p, '?') ? open + 1 : open - 1;
        pass(p);
    }
    skip(p, ':');
}

/* Reads labels and what else may stand before a statement. */
static void prefixes(parser *p)
{
    for (;;) {
        if (is_in(" case default ", p)) {
            case_label(p);
        } else if (is_name(p) && fp_token_is(p->text, after(p), ':')) {
            declare(p, LABEL);
            skip(p, ':');
        } else if (is_in(" goto ", p)) {
            pass(p);
            if (is_name(p)) declare(p, LABEL);
        } else if (is_in(" _Pragma ", p) || (is_in(" __attribute__ ", p) && fp_token_is(p->text, after(p), '('))) {
            pass(p);
            group(p);
        } else {
            return;
        }
    }
}

static void statement(parser *p)
{
    prefixes(p);
    if (p->depth == MOST_DEPTH) {
        pass(p);
        return;
    }
    p->depth++;
    if (is(p, '{')) {
        block(p);
    } else if (is_in(" for ", p)) {
        for_statement(p);
    } else if (is_in(" if ", p)) {
        if_statement(p);
    } else if (is_in(" while switch ", p)) {
        pass_head(p);
        statement(p);
    } else if (is_in(" do ", p)) {
        do_statement(p);
    } else {
        simple_statement(p);
    }
    p->depth--;
}

bool fp_words_find(const char *text, fp_text_kind kind, const void *unit, fp_words *out)
{
    parser p = {.text = text, .unit = unit, .token = fp_lex(text, 0)};
    if (kind == FP_TEXT_PARAMETERS && is(&p, '(')) parameters(&p);
    if (kind == FP_TEXT_CODE && is(&p, '{')) block(&p);
    while (!at_end(&p)) {
        expression(&p, "");
        if (!at_end(&p)) pass(&p);
    }
    fp_free(p.names);
    *out = p.words;
    out->text = text;
    return !p.failed;
}

bool fp_parameters_find(const char *text, fp_words *out)
{
    bool found = fp_words_find(text, FP_TEXT_PARAMETERS, NULL, out);
    size_t count = 0;
    for (size_t k = 0; k < out->count; k++)
        if (out->list[k].outer) out->list[count++] = out->list[k];
    out->count = count;
    return found;
}

bool fp_word_means(const char *text, const fp_word *word, const char *value)
{
    return !word->member && !word->own && fp_is_named(text + word->offset, word->length, value);
}

bool fp_words_name(const fp_words *words, const char *word, size_t length)
{
    for (size_t k = 0; k < words->count; k++)
        if (words->list[k].length == length && !memcmp(words->text + words->list[k].offset, word, length)) return true;
    return false;
}
