/* Reading numbers for summary.c: from a text or a CSV file, in blocks, twice. And how it tells that something
 * failed. */
#ifndef SUMMARY_INPUT_H
#define SUMMARY_INPUT_H

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

typedef struct reader {
    FILE *file;
    const char *name;
    bool csv;
    size_t line;      /* where the record in `text` begins */
    size_t next_line; /* where the next one does */
    char *text;
    size_t length, capacity;
} reader;

/* What is in memory at once: 16 MiB. */
enum { BLOCK = 1 << 20 };

typedef struct block {
    double *values;
    size_t *lines; /* values[k] stands on lines[k] of the file */
    size_t count;
} block;

typedef struct input {
    reader r;
    const char *column; /* its name, NULL: plain text */
    size_t field;       /* which one of a record it is */
    off_t begin, size;  /* where the file begins, -1 if it cannot be read again; its bytes, 0 if unknown */
    FILE *copy;         /* of what cannot be read again */
    int copy_error;     /* why there is none */
    bool again;         /* this is the second look */
    size_t count, missing, records, total; /* of numbers so far, those missing, lines; of numbers, at the second look */
} input;

/* ---- what is seen on a terminal ---- */

static bool bar_is_shown;

static void clear_bar(void)
{
    if (bar_is_shown) fputs("\r\033[K", stderr);
    bar_is_shown = false;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Where the input is, as a share of what there is; below 0 if that is not known. */
static double share_read(const input *in, size_t count)
{
    if (in->again) return (double)count / (double)in->total;
    return in->size > 0 ? (double)(ftello(in->r.file) - in->begin) / (double)in->size : -1;
}

/* Ten times a second. */
static void show_bar(const input *in, size_t count)
{
    static const char marks[] = "##############################";
    static double next;
    double now = now_ms();
    if (now < next || !isatty(STDERR_FILENO)) return;
    next = now + 100;
    double share = fmin(share_read(in, count), 1);
    clear_bar();
    fputs(in->again ? "histogram " : "reading ", stderr);
    if (share >= 0) fprintf(stderr, "[%-30.*s] %3.0f %%  ", (int)(share * 30), marks, share * 100);
    fprintf(stderr, "%zu numbers", count);
    bar_is_shown = true;
}

/* The bytes of the character of UTF-8 that begins at `text`; 0 if none does, or one that controls a terminal. */
static int printable(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    int length = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    for (int k = 1; k < length; k++)
        if ((c[k] & 0xc0) != 0x80) return 0;
    bool control = (c[0] < ' ' && c[0] != '\n' && c[0] != '\t') || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0);
    return control ? 0 : length;
}

/* Messages quote files: what could move a terminal's cursor or change its title is written as \x1b. */
static void print_harmless(const char *text)
{
    while (*text) {
        int length = printable(text);
        if (length)
            fprintf(stderr, "%.*s", length, text);
        else
            fprintf(stderr, "\\x%02x", (unsigned char)*text);
        text += length ? length : 1;
    }
}

__attribute__((format(printf, 1, 2))) static _Noreturn void fail(const char *format, ...)
{
    char text[4096];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    clear_bar();
    fputs("summary: ", stderr);
    print_harmless(text);
    fputc('\n', stderr);
    exit(1);
}

/* What has been printed may still wait for room on a full disk. */
static void end_output(void)
{
    if (fflush(stdout) || ferror(stdout)) fail("cannot write the results: %s", strerror(errno));
}

/* ---- reading ---- */

static void *resize(void *old, size_t bytes)
{
    void *grown = realloc(old, bytes);
    if (!grown) fail("not enough memory for %zu bytes", bytes);
    return grown;
}

static void append(reader *r, char c)
{
    if (r->length == r->capacity) {
        r->capacity = 2 * r->capacity + 128;
        r->text = resize(r->text, r->capacity);
    }
    r->text[r->length++] = c;
}

/* Has the file begun with the mark that some editors put there? Its first field begins behind it. */
static bool is_byte_order_mark(const reader *r)
{
    return r->line == 1 && r->length == 3 && !memcmp(r->text, "\xef\xbb\xbf", 3);
}

/* A line, or several where a quoted field of a CSV file goes over the end of one. False at the end of the file. */
static bool read_record(reader *r)
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
        if (r->csv && c == '"' && (quoted || before == ',' || before == '"')) quoted = !quoted;
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

static char *trim(char *text)
{
    text += strspn(text, " \t\r");
    for (size_t n = strlen(text); n && strchr(" \t\r", text[n - 1]); n--) text[n - 1] = '\0';
    return text;
}

/* Takes the quotes off the field at *rest, in place, and moves *rest behind it. NULL after the last one. */
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

/* Which field of a record belongs to the column: 0 for the first. */
static size_t find_column(reader *r, const char *name)
{
    if (!read_record(r)) fail("%s: empty; its first line has to name the columns", r->name);
    const char *header = trim(r->text);
    char *fields = strcpy(resize(NULL, strlen(header) + 1), header);
    char *rest = fields, *field;
    size_t index = 0;
    while ((field = next_field(&rest)) && strcmp(field, name) != 0) index++;
    if (!field) fail("%s: no column \"%s\"; there are: %s", r->name, name, header);
    free(fields);
    return index;
}

/* A C program is in the C locale, whatever the environment says, until it calls setlocale: strtod wants a point. What
 * else strtod takes (0x1p3, inf) is not for a column of decimal numbers. */
static double number_of(const reader *r, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (text[strspn(text, "+-.0123456789eE")] || end == text || *end || !isfinite(value)) {
        fail("%s:%zu: not a number: \"%.60s%s\"", r->name, r->line, text, strlen(text) > 60 ? "..." : "");
    }
    return value;
}

/* The column's field of the record, NULL if there is none. */
static char *field_of(const input *in, char *record)
{
    char *rest = record, *field = record;
    for (size_t k = 0; in->column && k <= in->field; k++) field = next_field(&rest);
    return field;
}

static bool is_missing(const char *field)
{
    return !field || !*field || !strcmp(field, "NA") || !strcmp(field, "NaN") || !strcmp(field, "nan");
}

static void parse_block(input *in, block *b)
{
    reader *r = &in->r;
    while (b->count < BLOCK && read_record(r)) {
        if (++in->records % 4096 == 0) show_bar(in, in->count + b->count);
        char *record = trim(r->text), *field;
        if (!*record) continue;
        field = field_of(in, record);
        if (is_missing(field)) {
            in->missing++;
        } else {
            b->lines[b->count] = r->line;
            b->values[b->count++] = number_of(r, field);
        }
    }
}

/* Without the copy there is no histogram, and all the rest. */
static void keep_copy(input *in, const block *b)
{
    if (in->begin >= 0 || in->copy_error) return;
    if (!in->copy) in->copy = tmpfile();
    if (in->copy && fwrite(b->values, sizeof *b->values, b->count, in->copy) == b->count) return;
    in->copy_error = errno;
    if (in->copy) fclose(in->copy);
    in->copy = NULL;
}

/* False at the end. */
static bool read_block(input *in, block *b)
{
    b->count = 0;
    if (in->again && in->copy) {
        show_bar(in, in->count);
        b->count = fread(b->values, sizeof *b->values, BLOCK, in->copy);
    } else {
        parse_block(in, b);
    }
    if (!in->again && b->count) keep_copy(in, b);
    in->count += b->count;
    return b->count;
}

static void begin_reading(input *in)
{
    in->r.next_line = 1;
    in->count = in->missing = in->records = 0;
    if (in->column) in->field = find_column(&in->r, in->column);
}

/* False if it cannot be read a second time. */
static bool begin_again(input *in)
{
    FILE *file = in->begin >= 0 ? in->r.file : in->copy;
    if (!file) return false;
    in->again = true;
    in->total = in->count;
    in->count = 0;
    if (fseeko(file, in->begin >= 0 ? in->begin : 0, SEEK_SET)) fail("the second look: %s", strerror(errno));
    if (!in->copy) begin_reading(in);
    return true;
}

#endif
