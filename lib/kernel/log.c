#include "kernel/log.h"

#include "base/error.h"
#include "kernel/check.h"
#include "kernel/lex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One diagnostic. PoCL writes "error: FILE:LINE:COL: words", clang and NVIDIA "FILE:LINE:COL: error: words". */
typedef struct diagnostic {
    unsigned line;
    unsigned column;
    const char *words;
    size_t length;
} diagnostic;

static bool read_number(const char **at, unsigned *number)
{
    char *end;
    if (**at < '0' || **at > '9') return false;
    *number = (unsigned)strtoul(*at, &end, 10);
    *at = end;
    return true;
}

static bool starts_with(const char *text, size_t length, const char *prefix)
{
    size_t n = strlen(prefix);
    return length >= n && !strncmp(text, prefix, n);
}

/* PoCL adds the place of the text where a macro was expanded: ":LINE:COL <Spelling=FILE:LINE:COL>:". */
static const char *past_spelling(const char *at, const char *end)
{
    static const char mark[] = " <Spelling=";
    const char *close = strncmp(at, mark, sizeof mark - 1) ? NULL : memchr(at, '>', (size_t)(end - at));
    return close ? close + 1 : at;
}

/* Finds ":LINE:COL:" in a line of the log. */
static bool find_position(const char *line, size_t length, diagnostic *d)
{
    for (const char *at = memchr(line, ':', length); at; at = memchr(at, ':', length - (size_t)(at - line))) {
        at++;
        const char *next = at;
        if (!read_number(&next, &d->line) || *next++ != ':' || !read_number(&next, &d->column)) continue;
        next = past_spelling(next, line + length);
        if (*next != ':') continue;
        d->words = next + 1 + strspn(next + 1, " ");
        d->length = length - (size_t)(d->words - line);
        return true;
    }
    return false;
}

static bool parse_line(const char *line, size_t length, diagnostic *d)
{
    if (starts_with(line, length, "warning") || starts_with(line, length, "remark")) return false;
    if (!find_position(line, length, d)) return false;
    if (starts_with(d->words, d->length, "warning") || starts_with(d->words, d->length, "note")) return false;
    static const char *const prefixes[] = {"fatal error: ", "error: "};
    for (int k = 0; k < 2; k++) {
        if (!starts_with(d->words, d->length, prefixes[k])) continue;
        d->words += strlen(prefixes[k]);
        d->length -= strlen(prefixes[k]);
    }
    return true;
}

/* The length of the part of a word that is not the user's: fp_f0_energy is energy, and PoCL's _cl_sqrt is sqrt. */
static size_t prefix_length(const char *word, size_t length)
{
    if (starts_with(word, length, "_cl_")) return 4;
    if (!starts_with(word, length, "fp_") || length < 5 || !strchr("tfcsv", word[3])) return 0;
    size_t digits = strspn(word + 4, "0123456789");
    return digits && word[4 + digits] == '_' ? 5 + digits : 0;
}

/* Is this byte part of a word? The locale does not matter. */
static bool is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void put_words(const diagnostic *d, fp_text *out)
{
    for (size_t k = 0; k < d->length;) {
        bool begins = k == 0 || !is_of_word(d->words[k - 1]);
        size_t n = begins ? prefix_length(d->words + k, d->length - k) : 0;
        if (!n) fp_text_add(out, d->words + k, 1);
        k += n ? n : 1;
    }
}

static bool mentions_double(const char *log)
{
    return strstr(log, "cl_khr_fp64") || strstr(log, "double precision");
}

/* The advice on a built-in function that has no form, or several, for these arguments: sqrt of an int. */
static const char *advice_on_call(const char *words)
{
    static const char uniform[] =
        " min max clamp select rotate mad24 mul24 mul_hi hadd rhadd add_sat sub_sat abs_diff ";
    static const char of_call[] = "call to '";
    const char *name = strstr(words, of_call);
    if (!name || !strstr(words, "ambiguous")) return "";
    name += sizeof of_call - 1;
    size_t length = strcspn(name, "'");
    if (fp_word_in_list(" abs popcount clz ", name, length))
        return "\n  (it takes integers; the absolute value of floats is fabs)";
    if (fp_word_in_list(uniform, name, length))
        return "\n  (its arguments have to be of one type: convert to float first, (float)x, or to another one)";
    return "\n  (its arguments have to be floating numbers of one type: convert to float first, (float)x; 2.0f is a "
           "float, 2.0 a double)";
}

static gpu_status report_at(const fp_origin *origin, size_t offset, const diagnostic *d, const char *log)
{
    fp_text words = {0}, point = {0};
    put_words(d, &words);
    fp_snippet_point(origin->text, offset, &point);
    const char *advice = mentions_double(log) ? "\n  (this device has no double: write 2.0f, not 2.0)"
                                              : advice_on_call(fp_text_string(&words));
    /* The failure begins with the operation that needed the program: another one is named, too. */
    bool same = !strcmp(origin->operation, fp_operation());
    gpu_status status = origin->place.file && !same
                            ? fp_fail(GPU_E_SNIPPET, "%s:%d: in %s: %s%s%s", origin->place.file, origin->place.line,
                                      origin->operation, fp_text_string(&words), fp_text_string(&point), advice)
                            : fp_fail(GPU_E_SNIPPET, "%s%s%s", fp_text_string(&words), fp_text_string(&point), advice);
    fp_text_free(&words);
    fp_text_free(&point);
    return status;
}

/* Finds a word in the texts of operators and definitions. */
static bool find_word(const fp_source *source, const char *word, size_t length, const fp_origin **origin,
                      size_t *offset)
{
    for (size_t k = 0; length && k < source->origin_count; k++) {
        const char *text = source->origins[k].text;
        for (fp_token t = fp_lex(text, 0); t.kind != FP_TOKEN_END; t = fp_next(text, t)) {
            if (t.kind != FP_TOKEN_WORD || t.length != length || memcmp(text + t.offset, word, length) != 0) continue;
            *origin = &source->origins[k];
            *offset = t.offset;
            return true;
        }
    }
    return false;
}

/* Linkers name a missing function and no place: "Unresolved extern function 'f'", "Cannot find symbol f in kernel
 * library" (PoCL), "Symbols not found: [ f ]" (Intel). Looks for such a name in the texts; `d` becomes the line. */
static bool find_named(const fp_source *source, const char *log, diagnostic *d, const fp_origin **origin,
                       size_t *offset)
{
    static const char *const before[] = {"'", "symbol ", "Symbols not found: [ "};
    for (const char *line = log; *line; line += d->length + (line[d->length] == '\n')) {
        *d = (diagnostic){.words = line, .length = strcspn(line, "\n")};
        for (size_t k = 0; k < sizeof before / sizeof *before; k++) {
            const char *end = line + d->length;
            for (const char *at = strstr(line, before[k]); at && at < end; at = strstr(at + 1, before[k])) {
                const char *name = at + strlen(before[k]);
                if (find_word(source, name, strcspn(name, "' \n"), origin, offset)) return true;
            }
        }
    }
    return false;
}

/* Nothing in the log points into a user's text: reports the compiler's words and the generated line. */
static gpu_status report_generated(const char *assembled, const diagnostic *d)
{
    const char *at = assembled;
    for (unsigned k = 1; k < d->line && strchr(at, '\n'); k++) at = strchr(at, '\n') + 1;
    return fp_fail(GPU_E_SNIPPET, "%.*s\n  in line %u of the generated source (gpu_error_source() has it):\n  %.*s",
                   (int)d->length, d->words, d->line, (int)strcspn(at, "\n"), at);
}

gpu_status fp_log_report(const fp_source *source, const char *assembled, const char *log, const fp_origin **origin)
{
    diagnostic first = {0};
    size_t offset;
    *origin = NULL;
    for (const char *line = log; *line;) {
        size_t length = strcspn(line, "\n");
        diagnostic d;
        if (parse_line(line, length, &d)) {
            if (fp_source_locate(source, assembled, d.line, d.column, origin, &offset))
                return report_at(*origin, offset, &d, log);
            if (!first.words) first = d;
        }
        line += length + (line[length] == '\n');
    }
    if (first.words) return report_generated(assembled, &first);
    if (find_named(source, log, &first, origin, &offset)) return report_at(*origin, offset, &first, log);
    return fp_fail(
        GPU_E_DRIVER,
        "the OpenCL compiler failed and names no mistake in the program; can it write its files (PoCL's lie in "
        "$POCL_CACHE_DIR, $XDG_CACHE_HOME/pocl or ~/.cache/pocl)? It says: %.600s",
        log[0] ? log : "(nothing)");
}
