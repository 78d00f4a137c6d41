#include "kernel/slip.h"

#include "base/error.h"
#include "kernel/check.h"
#include "kernel/lex.h"
#include "kernel/snippet.h"

#include <string.h>

static bool is_word(const char *text, fp_token t, const char *list)
{
    return t.kind == FP_TOKEN_WORD && fp_word_in_list(list, text + t.offset, t.length);
}

static bool opens(const char *text, fp_token t)
{
    return fp_token_in(text, t, "([{");
}

static bool closes(const char *text, fp_token t)
{
    return fp_token_in(text, t, ")]}");
}

/* = += <<= and their like, and not == != <= >=. */
static bool assigns(const char *text, fp_token t)
{
    if (!fp_token_is(text, t, '=') || t.offset == 0) return false;
    const char *at = text + t.offset;
    bool shift = t.offset > 1 && at[-1] == at[-2];
    return at[1] != '=' && !strchr("=!", at[-1]) && (!strchr("<>", at[-1]) || shift);
}

/* Does the token do more than give a value? Assignments, ++, --, calls. */
static bool acts(const char *text, fp_token t)
{
    bool twice = fp_token_in(text, t, "+-") && text[t.offset + 1] == text[t.offset];
    bool calls = t.kind == FP_TOKEN_WORD && fp_token_is(text, fp_next(text, t), '(');
    return twice || calls || assigns(text, t) || fp_token_is(text, t, '{');
}

/* ---- commas ---- */

/* Finds the first comma, in an expression that begins at `t`, whose left side does nothing. */
static bool find_idle_comma(const char *text, fp_token t, size_t *offset)
{
    bool acting = false;
    for (unsigned depth = 0; t.kind != FP_TOKEN_END; t = fp_next(text, t)) {
        if (!depth && (closes(text, t) || fp_token_is(text, t, ';'))) return false;
        depth += opens(text, t);
        depth -= closes(text, t);
        *offset = t.offset;
        if (!depth && fp_token_is(text, t, ',') && !acting) return true;
        acting = (acting || acts(text, t)) && !(!depth && fp_token_is(text, t, ','));
    }
    return false;
}

static gpu_status refuse_comma(const char *text, size_t offset)
{
    return fp_snippet_refuse(
        text, offset, "this comma drops what stands before it: a vector is written with its type, (float2)(x, y)");
}

/* Looks into parentheses, except those of a call, of a vector behind its type, and of `if` and its like, and behind
 * `return`. */
gpu_status fp_slip_check(const char *text, bool body)
{
    size_t offset;
    if (!body && find_idle_comma(text, fp_lex(text, 0), &offset)) return refuse_comma(text, offset);
    bool callee = false;
    for (fp_token t = fp_lex(text, 0); t.kind != FP_TOKEN_END; t = fp_next(text, t)) {
        bool returns = is_word(text, t, " return "), groups = fp_token_is(text, t, '(') && !callee;
        if ((returns || groups) && find_idle_comma(text, fp_next(text, t), &offset)) return refuse_comma(text, offset);
        callee = (t.kind == FP_TOKEN_WORD && !is_word(text, t, " return else do case ")) || fp_token_is(text, t, ')') ||
                 fp_token_is(text, t, ']');
    }
    return GPU_OK;
}

/* ---- decisions ---- */

/* The number of pairs of parentheses around all of an expression. */
static unsigned enclosing(const char *text)
{
    unsigned depth = 0, least = (unsigned)-1;
    for (fp_token t = fp_lex(text, 0); t.kind != FP_TOKEN_END; t = fp_next(text, t)) {
        bool bracket = opens(text, t) || closes(text, t);
        depth += opens(text, t);
        depth -= closes(text, t) && depth > 0;
        if (!bracket && depth < least) least = depth;
    }
    return least;
}

/* Finds the assignment whose value is the expression's. */
static bool find_assignment(const char *text, size_t *offset)
{
    unsigned depth = 0, least = enclosing(text);
    bool found = false;
    for (fp_token t = fp_lex(text, 0); t.kind != FP_TOKEN_END; t = fp_next(text, t)) {
        depth += opens(text, t);
        depth -= closes(text, t) && depth > 0;
        if (depth != least) continue;
        if (fp_token_is(text, t, '?')) return false;
        if (assigns(text, t)) *offset = t.offset;
        found = (found || assigns(text, t)) && !fp_token_is(text, t, ',');
    }
    return found;
}

bool fp_slip_assigns(const char *text)
{
    size_t offset;
    return find_assignment(text, &offset);
}

gpu_status fp_slip_refuse_decision(const char *text)
{
    size_t offset = 0;
    find_assignment(text, &offset);
    return fp_snippet_refuse(text, offset, "this assigns and compares nothing: == compares");
}
