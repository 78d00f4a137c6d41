/* Describes a column of numbers: count, sum, mean, standard deviation, extremes and where they are, a histogram. */
#include <errno.h>
#include <firepile.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char help[] =
    "Usage: summary [--column NAME] [FILE]\n\n"
    "Reads numbers from FILE, or from standard input if there is none or it is -, and prints what describes them.\n\n"
    "  --column NAME   FILE is a CSV file whose first line has the columns' names; reads the column NAME.\n"
    "                  Fields may be quoted: \"1,5\". Without it FILE has one number on a line.\n"
    "  --help          Prints this.\n\n"
    "Blank lines are skipped. NA, NaN, nan and the empty fields of a CSV file are missing: counted and left out.\n";

typedef struct reader {
    FILE *file;
    const char *name;
    bool csv;
    size_t line;      /* where the record in `text` begins */
    size_t next_line; /* where the next one does */
    char *text;
    size_t length, capacity;
} reader;

typedef struct column {
    double *values;
    size_t *lines; /* values[k] stands on lines[k] of the file */
    size_t count, missing, capacity;
} column;

typedef struct summary {
    double sum, mean, deviation, min, max;
    size_t min_index, max_index;
} summary;

enum { ROWS = 16, COLUMNS = 40 };

/* Equally wide bins of the numbers, or of the exponents of the powers of two that they lie above: bin k holds
 * low + k * width and what follows, below low + (k + 1) * width. */
typedef struct histogram {
    bool exponents;
    double low, high, width;
    size_t bins;               /* at most ROWS */
    uint64_t counts[ROWS + 1]; /* counts[bins]: what is in no bin */
} histogram;

__attribute__((format(printf, 1, 2))) static _Noreturn void fail(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fputs("summary: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    exit(1);
}

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

/* A line, or several where a quoted field of a CSV file goes over the end of one. False at the end of the file. */
static bool read_record(reader *r)
{
    bool quoted = false;
    char before = ',';
    int c;
    r->length = 0;
    r->line = r->next_line;
    while ((c = getc(r->file)) != EOF) {
        if (c == '\n') r->next_line++;
        if (c == '\n' && !quoted) break;
        if (c == '\0') fail("%s:%zu: a zero byte; this is no text file", r->name, r->line);
        if (r->csv && c == '"' && (quoted || before == ',' || before == '"')) quoted = !quoted;
        append(r, before = (char)c);
    }
    if (ferror(r->file)) fail("%s: %s", r->name, strerror(errno));
    if (quoted) fail("%s:%zu: a quote is opened here and never closed", r->name, r->line);
    bool more = c != EOF || r->length;
    append(r, '\0');
    bool marked = r->line == 1 && !strncmp(r->text, "\xef\xbb\xbf", 3); /* with a byte order mark */
    if (marked) memmove(r->text, r->text + 3, r->length - 3);
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
static void add_number(column *col, const reader *r, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (text[strspn(text, "+-.0123456789eE")] || end == text || *end || !isfinite(value)) {
        fail("%s:%zu: not a number: \"%.60s%s\"", r->name, r->line, text, strlen(text) > 60 ? "..." : "");
    }
    if (col->count == col->capacity) {
        col->capacity = 2 * col->capacity + 1024;
        col->values = resize(col->values, col->capacity * sizeof *col->values);
        col->lines = resize(col->lines, col->capacity * sizeof *col->lines);
    }
    col->values[col->count] = value;
    col->lines[col->count++] = r->line;
}

static void read_column(reader *r, const char *name, column *col)
{
    size_t index = name ? find_column(r, name) : 0;
    while (read_record(r)) {
        char *field = trim(r->text), *rest = field;
        if (!*field) continue;
        for (size_t k = 0; name && k <= index; k++) field = next_field(&rest);
        bool missing = !field || !*field || !strcmp(field, "NA") || !strcmp(field, "NaN") || !strcmp(field, "nan");
        if (!missing) add_number(col, r, field);
        col->missing += missing;
    }
}

/* Two passes over the data: what needs no mean, then, with the mean captured, the squares. */
static gpu_status measure_double(const gpu_array *x, size_t n, summary *s)
{
    double squares;
    gpu_status status = gpu_reduce_all(x, "a + b", &s->sum, "fmin(a, b)", &s->min, "fmax(a, b)", &s->max);
    if (status) return status;
    double mean = s->mean = s->sum / (double)n;
    status = gpu_reduce(gpu_map(x, "(x - mean) * (x - mean)", GPU_ARG(mean)), "a + b", &squares);
    if (!status) s->deviation = sqrt(squares / fmax((double)n - 1, 1));
    return status;
}

static gpu_status measure_float(const gpu_array *x, size_t n, summary *s)
{
    float sum, min, max, squares;
    gpu_status status = gpu_reduce_all(x, "a + b", &sum, "fmin(a, b)", &min, "fmax(a, b)", &max);
    if (status) return status;
    float mean = sum / (float)n;
    status = gpu_reduce(gpu_map(x, "(x - mean) * (x - mean)", GPU_ARG(mean)), "a + b", &squares);
    if (!status) *s = (summary){sum, mean, sqrt(squares / fmax((double)n - 1, 1)), min, max, 0, 0};
    return status;
}

/* Not every device has double. Where it has not, `values` become what a float can hold, for plain C as well. */
static gpu_array *upload(gpu *g, column *col)
{
    gpu_array *x = gpu_array_of(g, col->values, col->count);
    if (gpu_array_status(x) != GPU_E_TYPE) return x;
    float *narrow = resize(NULL, col->count * sizeof *narrow);
    for (size_t k = 0; k < col->count; k++) col->values[k] = narrow[k] = (float)col->values[k];
    x = gpu_array_of(g, narrow, col->count);
    free(narrow);
    return x;
}

static gpu_status measure(const gpu_array *x, size_t n, summary *s)
{
    gpu_status status = gpu_type_of(x) == GPU_FLOAT ? measure_float(x, n, s) : measure_double(x, n, s);
    if (!status) status = gpu_argmin(x, &s->min_index);
    if (!status) status = gpu_argmax(x, &s->max_index);
    return status;
}

static summary measure_in_c(const double *x, size_t n)
{
    summary s = {0};
    double squares = 0;
    for (size_t k = 0; k < n; k++) {
        s.sum += x[k];
        if (k == 0 || x[k] < s.min) s.min = x[s.min_index = k];
        if (k == 0 || x[k] > s.max) s.max = x[s.max_index = k];
    }
    s.mean = s.sum / (double)n;
    for (size_t k = 0; k < n; k++) squares += (x[k] - s.mean) * (x[k] - s.mean);
    s.deviation = sqrt(squares / fmax((double)n - 1, 1));
    return s;
}

/* Sizes, incomes and their like, most of them far below the mean and a few far above, would all stand in one of a few bins
 * of numbers. What is less than ROWS powers of two below the mean, zero among it, is in no bin. */
static histogram exponent_bins(const summary *s)
{
    histogram h = {.exponents = true, .low = ilogb(s->mean) - ROWS};
    if (s->min > 0) h.low = fmax(h.low, ilogb(s->min));
    double range = ilogb(s->max) + 1 - h.low;
    h.width = ceil(range / ROWS);
    h.bins = (size_t)ceil(range / h.width);
    h.high = h.low + (double)h.bins * h.width;
    return h;
}

/* The least of 1, 2 and 5 times a power of ten that goes into `range` fewer than ROWS times. */
static double round_width(double range)
{
    double least = range / (ROWS - 1), power = pow(10, floor(log10(least))), times = least / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

/* What is more than three deviations from the mean is in no bin: the others would stand close together. */
static histogram number_bins(const summary *s)
{
    double from = fmax(s->min, s->mean - 3 * s->deviation), to = fmin(s->max, s->mean + 3 * s->deviation);
    histogram h = {.width = round_width(to - from)};
    double first = floor(from / h.width), last = floor(to / h.width);
    h.low = first * h.width;
    h.bins = (size_t)fmin(last - first + 1, ROWS);
    h.high = h.low + (double)h.bins * h.width;
    return h;
}

/* One wait: what is in no bin comes with the others. */
static gpu_status count_bins(const gpu_array *x, histogram *h)
{
    gpu_array *counts, *outside;
    if (h->exponents) {
        int low = (int)h->low, high = (int)h->high;
        gpu_histogram(gpu_map_to(x, GPU_INT, "ilogb(x)"), &low, &high, h->bins, &counts, &outside);
    } else if (gpu_type_of(x) == GPU_FLOAT) {
        float low = (float)h->low, high = (float)h->high;
        gpu_histogram(x, &low, &high, h->bins, &counts, &outside);
    } else {
        gpu_histogram(x, &h->low, &h->high, h->bins, &counts, &outside);
    }
    return gpu_read(gpu_concat(counts, outside), h->counts);
}

static double bound(const histogram *h, size_t k)
{
    double at = h->low + (double)k * h->width;
    return h->exponents ? exp2(at) : at;
}

static void print_bins(const histogram *h)
{
    static const char bar[COLUMNS + 1] = "########################################";
    uint64_t most = 1;
    size_t first = 0;
    for (size_t k = 0; k < h->bins; k++) most = h->counts[k] > most ? h->counts[k] : most;
    while (first < h->bins && !h->counts[first]) first++;
    uint64_t each = (most + COLUMNS - 1) / COLUMNS;
    printf("\n%15s %15s %10s  each # is %s%" PRIu64 "\n", "from", "below", "count", each > 1 ? "up to " : "", each);
    for (size_t k = first; k < h->bins; k++)
        printf("%15.10g %15.10g %10" PRIu64 "  %.*s\n", bound(h, k), bound(h, k + 1), h->counts[k],
               (int)((h->counts[k] + each - 1) / each), bar);
    if (h->counts[h->bins]) printf("%31s %10" PRIu64 "\n", h->exponents ? "less" : "elsewhere", h->counts[h->bins]);
}

static void draw(const gpu_array *x, const summary *s)
{
    bool skewed = s->min >= 0 && s->deviation > s->mean;
    histogram h = skewed ? exponent_bins(s) : number_bins(s);
    if (count_bins(x, &h)) fail("%s", gpu_error());
    print_bins(&h);
}

static double now_ms(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The device adds up in another order than plain C. Each addition rounds by at most half an epsilon of the largest
 * magnitude per number, up or down, so that mean and deviation are off by about sqrt(n) of that. */
static bool print_agreement(const summary *device, const summary *c, size_t n, double epsilon)
{
    double largest = fmax(fmax(fabs(c->min), fabs(c->max)), DBL_MIN), allowed = sqrt((double)n) * epsilon;
    double mean = fabs(device->mean - c->mean) / largest, spread = fabs(device->deviation - c->deviation) / largest;
    bool same = device->min == c->min && device->max == c->max && device->min_index == c->min_index &&
                device->max_index == c->max_index;
    printf(
        "against plain C     mean off by %.1e, deviation by %.1e of the largest number (allowed: %.1e), extremes %s\n",
        mean, spread, allowed, same ? "equal" : "DIFFER");
    return same && mean <= allowed && spread <= allowed;
}

static bool describe(gpu *g, column *col)
{
    double start = now_ms();
    gpu_array *x = upload(g, col);
    summary s;
    if (measure(x, col->count, &s)) fail("%s", gpu_error());
    double first_ms = now_ms() - start;
    start = now_ms();
    if (measure(x, col->count, &s)) fail("%s", gpu_error());
    double again_ms = now_ms() - start;
    start = now_ms();
    summary in_c = measure_in_c(col->values, col->count);
    double c_ms = now_ms() - start;

    bool narrow = gpu_type_of(x) == GPU_FLOAT;
    printf("sum                 %.15g\nmean                %.15g\n", s.sum, s.mean);
    if (col->count > 1) printf("standard deviation  %.15g\n", s.deviation);
    printf("min                 %.15g on line %zu\n", s.min, col->lines[s.min_index]);
    printf("max                 %.15g on line %zu\n", s.max, col->lines[s.max_index]);
    printf("device              %s, %s\n", gpu_device_name(g), narrow ? "in float: it has no double" : "in double");
    printf("time                %.3f ms, then %.3f with kernels in place; plain C %.3f\n", first_ms, again_ms, c_ms);
    bool agrees = print_agreement(&s, &in_c, col->count, narrow ? FLT_EPSILON : DBL_EPSILON);
    if (isnormal(s.deviation)) draw(x, &s); /* the numbers differ, and their squares are numbers */
    return agrees;
}

/* Opens the file for `r`; returns the column's name, NULL for plain text. */
static const char *parse_arguments(int argc, char **argv, reader *r)
{
    const char *path = NULL, *name = NULL;
    for (int k = 1; k < argc; k++) {
        bool option = argv[k][0] == '-' && argv[k][1], column_follows = !strcmp(argv[k], "--column") && k + 1 < argc;
        if (!strcmp(argv[k], "--help")) exit(fputs(help, stdout) < 0);
        if (option && !column_follows) fail("%s: no such option, or no name after it; see --help", argv[k]);
        if (!option && path) fail("one file at a time, not %s and %s", path, argv[k]);
        if (!option) path = argv[k];
        if (column_follows) name = argv[++k];
    }
    bool piped = !path || !strcmp(path, "-");
    *r = (reader){.name = piped ? "standard input" : path, .csv = name, .next_line = 1};
    r->file = piped ? stdin : fopen(path, "r");
    if (!r->file) fail("%s: %s", path, strerror(errno));
    return name;
}

int main(int argc, char **argv)
{
    reader r;
    column col = {0};
    read_column(&r, parse_arguments(argc, argv, &r), &col);
    printf("count               %zu\nmissing             %zu\n", col.count, col.missing);

    gpu *g = col.count ? gpu_open(NULL) : NULL;
    if (col.count && !g) fail("%s", gpu_error());
    bool agrees = !col.count || describe(g, &col);
    gpu_close(g);
    fclose(r.file);
    free(r.text);
    free(col.values);
    free(col.lines);
    return !agrees;
}
