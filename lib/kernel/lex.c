#include "kernel/lex.h"

#include "base/memory.h"

#include <string.h>

/* isalpha and its kin depend on the locale; this does not. Bytes above 127 are parts of words. */
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

/* A preprocessing number, such as 1.5e-3f, 0x1p+4 or 10UL. */
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

/* Passes blanks and comments. Stops at a comment that is not closed. */
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

/* Replaces the last three bytes by their meaning if they are a trigraph. */
static size_t without_trigraph(char *out, size_t length)
{
    static const char letters[] = "=/'()!<>-", meanings[] = "#\\^[]|{}~";
    if (length < 3 || out[length - 3] != '?' || out[length - 2] != '?') return length;
    const char *at = strchr(letters, out[length - 1]);
    if (at) out[length - 3] = meanings[at - letters];
    return at ? length - 2 : length;
}

/* The length of a line that ends here, without the backslash that joins it to the next line and the blanks behind that.
 * Compilers ignore those blanks too. */
static size_t without_splice(const char *out, size_t length)
{
    size_t at = length;
    while (at && strchr(" \t\v\f", out[at - 1])) at--;
    return at && out[at - 1] == '\\' ? at - 1 : length;
}

char *fp_lex_plain(const char *text)
{
    char *out = fp_alloc(strlen(text) + 1);
    size_t length = 0, joined;
    for (const char *at = text; out && *at; at++) {
        if (*at == '\r' && at[1] == '\n') continue;
        const char c = *at == '\r' ? '\n' : *at;
        joined = c == '\n' ? without_splice(out, length) : length;
        if (joined == length) out[joined++] = c;
        length = without_trigraph(out, joined);
    }
    while (out && (joined = without_splice(out, length)) < length) length = joined;
    if (out) out[length] = '\0';
    return out;
}
