#define _POSIX_C_SOURCE 200809L /* getc_unlocked */

#include "reader.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- records ---- */

static void append(reader *r, char c)
{
    if (r->length == r->capacity) {
        r->capacity = 2 * r->capacity + 128;
        r->text = resize(r->text, r->capacity);
    }
    r->text[r->length++] = c;
}

/* Some editors put this mark at the beginning of a file. It belongs to no field. */
static bool is_byte_order_mark(const reader *r)
{
    return r->line == 1 && r->length == 3 && !memcmp(r->text, "\xef\xbb\xbf", 3);
}

/* Whether a quoted part begins or ends at `c`. A quote inside of an unquoted field is a plain character. */
static bool is_quote(const reader *r, char c, char before, bool quoted)
{
    return r->column && c == '"' && (quoted || before == ',' || before == '"');
}

bool read_record(reader *r)
{
    bool quoted = false;
    char before = ',';
    int c;
    r->length = 0;
    r->line = r->next_line;
    while ((c = getc_unlocked(r->file)) != EOF) {
        if (c == '\n') r->next_line++;
        if (c == '\n' && !quoted) break;
        if (c == '\0') fail("%s:%zu: a zero byte; this is no text file", r->name, r->line);
        if (is_quote(r, (char)c, before, quoted)) quoted = !quoted;
        append(r, before = (char)c);
        if (!is_byte_order_mark(r)) continue;
        r->length = 0;
        before = ',';
    }
    if (ferror(r->file)) fail("%s: %s", r->name, strerror(errno));
    if (quoted) fail("%s:%zu: a quote is opened here and never closed", r->name, r->line);
    bool more = c != EOF || r->length;
    append(r, '\0');
    return more;
}

/* ---- fields ---- */

static char *trim(char *text)
{
    text += strspn(text, " \t\r");
    for (size_t n = strlen(text); n && strchr(" \t\r", text[n - 1]); n--) text[n - 1] = '\0';
    return text;
}

/* Removes the quotes of the field at *rest, in place, and moves *rest behind the field. NULL after the last one. */
static char *next_field(char **rest)
{
    char *field = *rest, *from = *rest, *to = *rest;
    if (!field) return NULL;
    bool quoted = false;
    for (; *from && (quoted || *from != ','); from++) {
        bool quote = *from == '"' && (quoted || from == field), doubled = quote && quoted && from[1] == '"';
        if (quote && !doubled) quoted = !quoted;
        if (!quote || doubled) *to++ = *from;
        from += doubled;
    }
    *rest = *from ? from + 1 : NULL;
    *to = '\0';
    return trim(field);
}

/* The index of the column, by the first line of the file. */
static size_t find_column(reader *r)
{
    if (!read_record(r)) fail("%s: empty; its first line has to name the columns", r->name);
    const char *header = trim(r->text);
    char *fields = strcpy(resize(NULL, strlen(header) + 1), header);
    char *rest = fields, *field;
    size_t index = 0;
    while ((field = next_field(&rest)) && strcmp(field, r->column) != 0) index++;
    if (!field) fail("%s: no column \"%s\"; there are: %s", r->name, r->column, header);
    free(fields);
    return index;
}

void begin_reading(reader *r)
{
    r->next_line = 1;
    r->missing = 0;
    if (r->column) r->field = find_column(r);
}

/* The field of the column. NULL if the record is too short. */
static char *field_of(const reader *r, char *record)
{
    char *rest = record, *field = record;
    for (size_t k = 0; r->column && k <= r->field; k++) field = next_field(&rest);
    return field;
}

/* ---- numbers ---- */

static bool is_missing(const char *field)
{
    return !field || !*field || !strcmp(field, "NA") || !strcmp(field, "NaN") || !strcmp(field, "nan");
}

/* A C program is in the C locale until it calls setlocale, so that strtod wants a point. strtod also takes 0x1p3 and
 * inf, which are mistakes in a column of decimal numbers. */
static double number_of(const reader *r, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (text[strspn(text, "+-.0123456789eE")] || end == text || *end || !isfinite(value)) {
        fail("%s:%zu: not a number: \"%.60s%s\"", r->name, r->line, text, strlen(text) > 60 ? "..." : "");
    }
    return value;
}

bool find_number(reader *r, double *value)
{
    char *record = trim(r->text);
    if (!*record) return false;
    const char *field = field_of(r, record);
    if (is_missing(field)) {
        r->missing++;
        return false;
    }
    *value = number_of(r, field);
    return true;
}
