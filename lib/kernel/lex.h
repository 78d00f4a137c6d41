/* Tokens of C-like text. */
#ifndef FP_KERNEL_LEX_H
#define FP_KERNEL_LEX_H

#include "base/text.h"

#include <string.h>

typedef enum fp_token_kind {
    FP_TOKEN_END,
    FP_TOKEN_WORD,
    FP_TOKEN_NUMBER,
    FP_TOKEN_QUOTED,
    FP_TOKEN_OPEN_QUOTE,   /* a quote that nothing closes */
    FP_TOKEN_OPEN_COMMENT, /* likewise */
    FP_TOKEN_MARK          /* one character of punctuation */
} fp_token_kind;

typedef struct fp_token {
    fp_token_kind kind;
    size_t offset;
    size_t length;
} fp_token;

/* A part of a text. */
typedef struct fp_slice {
    const char *bytes;
    size_t length;
} fp_slice;

static inline bool fp_slice_is(fp_slice slice, const char *string)
{
    return fp_is_named(slice.bytes, slice.length, string);
}

static inline bool fp_slice_equal(fp_slice a, fp_slice b)
{
    return a.length == b.length && !memcmp(a.bytes, b.bytes, a.length);
}

/* A copy of a text as a compiler reads it: trigraphs replaced, lines that end in a backslash joined, each line ended by
 * "\n". NULL when memory runs out. So all compilers see the lines and the comments that fp_lex sees. */
char *fp_lex_plain(const char *text);

/* The first token at or after `offset`; blanks and comments are passed over. */
fp_token fp_lex(const char *text, size_t offset);

/* The next token. */
static inline fp_token fp_next(const char *text, fp_token token)
{
    return fp_lex(text, token.offset + token.length);
}

static inline fp_slice fp_token_slice(const char *text, fp_token token)
{
    return (fp_slice){text + token.offset, token.length};
}

static inline bool fp_token_is_word(const char *text, fp_token token, const char *word)
{
    return token.kind == FP_TOKEN_WORD && fp_slice_is(fp_token_slice(text, token), word);
}

static inline bool fp_token_is(const char *text, fp_token token, char mark)
{
    return token.kind == FP_TOKEN_MARK && text[token.offset] == mark;
}

/* Is it one of these marks? */
static inline bool fp_token_in(const char *text, fp_token token, const char *marks)
{
    return token.kind == FP_TOKEN_MARK && strchr(marks, text[token.offset]);
}

#endif
