#include "kernel/lex.h"

#include <string.h>

/* Not isalpha and its kin: a locale changes nothing. Bytes above 127 are parts of words. */
static bool starts_word(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c > 127;
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static size_t word_length(const char *at)
{
    size_t n = 0;
    while (starts_word((unsigned char)at[n]) || is_digit((unsigned char)at[n])) n++;
    return n;
}

/* A preprocessing number: what belongs to 1.5e-3f, 0x1p+4 or 10UL. */
static size_t number_length(const char *at)
{
    size_t n = 1;
    while (starts_word((unsigned char)at[n]) || is_digit((unsigned char)at[n]) || at[n] == '.' ||
           ((at[n] == '+' || at[n] == '-') && strchr("eEpP", at[n - 1])))
        n++;
    return n;
}

static fp_token quoted(const char *text, size_t offset)
{
    char quote = text[offset];
    size_t end = offset + 1;
    while (text[end] && text[end] != quote && text[end] != '\n') end += text[end] == '\\' && text[end + 1] ? 2 : 1;
    if (text[end] != quote) return (fp_token){FP_TOKEN_OPEN_QUOTE, offset, 1};
    return (fp_token){FP_TOKEN_QUOTED, offset, end + 1 - offset};
}

/* Past blanks and comments; an open comment stops it. */
static size_t skip_blanks(const char *text, size_t at)
{
    for (;;) {
        at += strspn(text + at, " \t\r\n\v\f");
        if (text[at] != '/') return at;
        if (text[at + 1] == '/') {
            at += strcspn(text + at, "\n");
        } else if (text[at + 1] == '*') {
            const char *end = strstr(text + at + 2, "*/");
            if (!end) return at;
            at = (size_t)(end - text) + 2;
        } else {
            return at;
        }
    }
}

fp_token fp_lex(const char *text, size_t offset)
{
    size_t at = skip_blanks(text, offset);
    unsigned char c = (unsigned char)text[at];
    if (!c) return (fp_token){FP_TOKEN_END, at, 0};
    if (c == '/' && text[at + 1] == '*') return (fp_token){FP_TOKEN_OPEN_COMMENT, at, 2};
    if (starts_word(c)) return (fp_token){FP_TOKEN_WORD, at, word_length(text + at)};
    if (is_digit(c) || (c == '.' && is_digit((unsigned char)text[at + 1])))
        return (fp_token){FP_TOKEN_NUMBER, at, number_length(text + at)};
    if (c == '"' || c == '\'') return quoted(text, at);
    return (fp_token){FP_TOKEN_MARK, at, 1};
}
