/* Describes a column of numbers: count, sum, mean, standard deviation, extremes and where they are, a histogram. The numbers
 * are read in blocks, so that a file may be larger than the memory. */
#define _POSIX_C_SOURCE 200809L /* isatty, fileno, fseeko, getc_unlocked */

#include <errno.h>
#include <firepile.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "Usage: summary [--column NAME] [FILE]\n\n"
    "Reads numbers from FILE, or from standard input if there is none or it is -, and prints what describes them.\n\n"
    "  --column NAME   FILE is a CSV file whose first line has the columns' names; reads the column NAME.\n"
    "                  Fields may be quoted: \"1,5\". Without it FILE has one number on a line.\n"
    "  --help          Prints this.\n\n"
    "Blank lines are skipped. NA, NaN, nan and the empty fields of a CSV file are missing: counted and left out.\n"
    "The histogram takes a second look at the numbers: a file is read again, and what comes through a pipe is kept in "
    "a\n"
    "temporary file, 8 bytes for a number. On a terminal a bar shows how far it is.\n";

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

typedef struct summary {
    size_t count;
    double sum, mean, min, max;
    double squares; /* the sum of the squared differences to the mean */
    size_t min_line, max_line;
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

__attribute__((format(printf, 1, 2))) static _Noreturn void fail(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    clear_bar();
    fputs("summary: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    exit(1);
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

/* ---- measuring ---- */

/* Chan's: what describes two parts describes the whole. The squares are those of differences to each part's own mean. */
static void merge(summary *total, const summary *part)
{
    double n = (double)total->count, m = (double)part->count, apart = part->mean - total->mean;
    if (!total->count) *total = *part;
    if (n == 0) return;
    total->count += part->count;
    total->sum += part->sum;
    total->mean = total->sum / (n + m);
    total->squares += part->squares + apart * apart * n * m / (n + m);
    if (part->min < total->min) total->min_line = part->min_line;
    if (part->max > total->max) total->max_line = part->max_line;
    total->min = fmin(total->min, part->min);
    total->max = fmax(total->max, part->max);
}

static double deviation(const summary *s)
{
    return sqrt(s->squares / fmax((double)s->count - 1, 1));
}

/* Two passes over the block: what needs no mean, then, with the mean captured, the squares. */
static gpu_status measure_double(const gpu_array *x, summary *s)
{
    gpu_status status = gpu_reduce_all(x, "a + b", &s->sum, "fmin(a, b)", &s->min, "fmax(a, b)", &s->max);
    if (status) return status;
    double mean = s->mean = s->sum / (double)s->count;
    return gpu_reduce(gpu_map(x, "(x - mean) * (x - mean)", GPU_ARG(mean)), "a + b", &s->squares);
}

static gpu_status measure_float(const gpu_array *x, summary *s)
{
    float sum, min, max, squares;
    gpu_status status = gpu_reduce_all(x, "a + b", &sum, "fmin(a, b)", &min, "fmax(a, b)", &max);
    if (status) return status;
    float mean = sum / (float)s->count;
    status = gpu_reduce(gpu_map(x, "(x - mean) * (x - mean)", GPU_ARG(mean)), "a + b", &squares);
    if (!status) *s = (summary){s->count, sum, mean, min, max, squares, 0, 0};
    return status;
}

/* Not every device has double. Where it has not, `values` become what a float can hold, for plain C as well. */
static gpu_array *upload(gpu *g, block *b)
{
    gpu_array *x = gpu_array_of(g, b->values, b->count);
    if (gpu_array_status(x) != GPU_E_TYPE) return x;
    float *narrow = resize(NULL, b->count * sizeof *narrow);
    for (size_t k = 0; k < b->count; k++) b->values[k] = narrow[k] = (float)b->values[k];
    x = gpu_array_of(g, narrow, b->count);
    free(narrow);
    return x;
}

/* Returns whether the numbers are floats on the device. */
static bool measure(gpu *g, block *b, summary *s)
{
    size_t min_index, max_index;
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *x = upload(g, b);
    bool narrow = gpu_type_of(x) == GPU_FLOAT;
    *s = (summary){.count = b->count};
    gpu_status status = narrow ? measure_float(x, s) : measure_double(x, s);
    if (!status) status = gpu_argmin(x, &min_index);
    if (!status) status = gpu_argmax(x, &max_index);
    if (status) fail("%s", gpu_error());
    s->min_line = b->lines[min_index];
    s->max_line = b->lines[max_index];
    gpu_scope_end(scope);
    return narrow;
}

/* The sum of the differences to `from`, or of their squares. In halves: a long sum rounds more than two short ones. */
static double add_up(const double *x, size_t n, double from, bool squared)
{
    double sum = 0;
    if (n > 1024) return add_up(x, n / 2, from, squared) + add_up(x + n / 2, n - n / 2, from, squared);
    for (size_t k = 0; k < n; k++) sum += squared ? (x[k] - from) * (x[k] - from) : x[k] - from;
    return sum;
}

static summary measure_in_c(const block *b)
{
    const double *x = b->values;
    summary s = {.count = b->count, .min = x[0], .max = x[0], .min_line = b->lines[0], .max_line = b->lines[0]};
    for (size_t k = 0; k < b->count; k++) {
        if (x[k] < s.min) s.min_line = b->lines[k];
        if (x[k] > s.max) s.max_line = b->lines[k];
        s.min = fmin(s.min, x[k]);
        s.max = fmax(s.max, x[k]);
    }
    s.sum = add_up(x, b->count, 0, false);
    s.mean = s.sum / (double)s.count;
    s.squares = add_up(x, b->count, s.mean, true);
    return s;
}

/* ---- the histogram ---- */

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
    double near = 3 * deviation(s), from = fmax(s->min, s->mean - near), to = fmin(s->max, s->mean + near);
    histogram h = {.width = round_width(to - from)};
    double first = floor(from / h.width), last = floor(to / h.width);
    h.low = first * h.width;
    h.bins = (size_t)fmin(last - first + 1, ROWS);
    h.high = h.low + (double)h.bins * h.width;
    return h;
}

/* Counts a block's numbers too. One wait: what is in no bin comes with the others. */
static void count_bins(gpu *g, block *b, histogram *h)
{
    uint64_t more[ROWS + 1];
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *x = upload(g, b), *counts, *outside;
    if (h->exponents) {
        int low = (int)h->low, high = (int)h->high;
        gpu_histogram(gpu_map_to(x, GPU_INT, "ilogb(x)"), &low, &high, h->bins, &counts, &outside);
    } else if (gpu_type_of(x) == GPU_FLOAT) {
        float low = (float)h->low, high = (float)h->high;
        gpu_histogram(x, &low, &high, h->bins, &counts, &outside);
    } else {
        gpu_histogram(x, &h->low, &h->high, h->bins, &counts, &outside);
    }
    if (gpu_read(gpu_concat(counts, outside), more)) fail("%s", gpu_error());
    for (size_t k = 0; k <= h->bins; k++) h->counts[k] += more[k];
    gpu_scope_end(scope);
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

static void draw(gpu *g, input *in, block *b, const summary *s)
{
    bool skewed = s->min >= 0 && deviation(s) > s->mean;
    histogram h = skewed ? exponent_bins(s) : number_bins(s);
    if (!begin_again(in)) {
        printf("\nno histogram: the numbers came through a pipe, and no copy could be kept in a temporary file: %s\n",
               strerror(in->copy_error));
        return;
    }
    while (read_block(in, b)) count_bins(g, b, &h);
    clear_bar();
    if (in->count != in->total) fail("%s: changed while it was read", in->r.name);
    print_bins(&h);
}

/* ---- the whole ---- */

/* The device adds up in another order than plain C. Each addition rounds by at most half an epsilon of the largest
 * magnitude per number, up or down, so that mean and deviation are off by about sqrt(n) of that. */
static bool print_agreement(const summary *device, const summary *c, double epsilon)
{
    double largest = fmax(fmax(fabs(c->min), fabs(c->max)), DBL_MIN), allowed = sqrt((double)c->count) * epsilon;
    double mean = fabs(device->mean - c->mean) / largest, spread = fabs(deviation(device) - deviation(c)) / largest;
    bool same = device->count == c->count && device->min == c->min && device->max == c->max &&
                device->min_line == c->min_line && device->max_line == c->max_line;
    printf(
        "against plain C     mean off by %.1e, deviation by %.1e of the largest number (allowed: %.1e), extremes %s\n",
        mean, spread, allowed, same ? "equal" : "DIFFER");
    return same && mean <= allowed && spread <= allowed;
}

/* All blocks, on the device and in plain C. */
typedef struct totals {
    gpu *g; /* NULL until there are numbers */
    bool narrow;
    summary device, c;
    double first_ms, device_ms, c_ms; /* of the first block, of all */
} totals;

static void add_block(totals *t, block *b)
{
    summary part;
    double start = now_ms();
    if (!t->g && !(t->g = gpu_open(NULL))) fail("%s", gpu_error());
    t->narrow = measure(t->g, b, &part);
    merge(&t->device, &part);
    double measured = now_ms();
    t->device_ms += measured - start;
    if (!t->first_ms) t->first_ms = t->device_ms;
    part = measure_in_c(b);
    merge(&t->c, &part);
    t->c_ms += now_ms() - measured;
}

static bool print_totals(const totals *t)
{
    const summary *s = &t->device;
    printf("sum                 %.15g\nmean                %.15g\n", s->sum, s->mean);
    if (s->count > 1) printf("standard deviation  %.15g\n", deviation(s));
    printf("min                 %.15g on line %zu\n", s->min, s->min_line);
    printf("max                 %.15g on line %zu\n", s->max, s->max_line);
    printf("device              %s, %s\n", gpu_device_name(t->g),
           t->narrow ? "in float: it has no double" : "in double");
    printf("time                %.3f ms, %.3f of them until the first block was done; plain C %.3f\n", t->device_ms,
           t->first_ms, t->c_ms);
    return print_agreement(s, &t->c, t->narrow ? FLT_EPSILON : DBL_EPSILON);
}

static bool describe(input *in, block *b)
{
    totals t = {0};
    begin_reading(in);
    while (read_block(in, b)) add_block(&t, b);
    clear_bar();
    printf("count               %zu\nmissing             %zu\n", in->count, in->missing);
    bool agrees = !t.g || print_totals(&t);
    /* The numbers differ, and their squares are numbers. */
    if (isnormal(deviation(&t.device))) draw(t.g, in, b, &t.device);
    gpu_close(t.g);
    return agrees;
}

static void open_input(input *in, const char *path)
{
    bool piped = !path || !strcmp(path, "-");
    struct stat facts;
    in->r.name = piped ? "standard input" : path;
    in->r.file = piped ? stdin : fopen(path, "r");
    in->r.csv = in->column;
    if (!in->r.file) fail("%s: %s", path, strerror(errno));
    in->begin = ftello(in->r.file);
    if (in->begin >= 0 && !fstat(fileno(in->r.file), &facts)) in->size = facts.st_size - in->begin;
}

static void parse_arguments(int argc, char **argv, input *in)
{
    const char *path = NULL;
    for (int k = 1; k < argc; k++) {
        bool option = argv[k][0] == '-' && argv[k][1], column_follows = !strcmp(argv[k], "--column") && k + 1 < argc;
        if (!strcmp(argv[k], "--help")) exit(fputs(help, stdout) < 0);
        if (option && !column_follows) fail("%s: no such option, or no name after it; see --help", argv[k]);
        if (!option && path) fail("one file at a time, not %s and %s", path, argv[k]);
        if (!option) path = argv[k];
        if (column_follows) in->column = argv[++k];
    }
    open_input(in, path);
}

int main(int argc, char **argv)
{
    input in = {0};
    block b = {resize(NULL, BLOCK * sizeof *b.values), resize(NULL, BLOCK * sizeof *b.lines), 0};
    parse_arguments(argc, argv, &in);
    bool agrees = describe(&in, &b);
    fclose(in.r.file);
    if (in.copy) fclose(in.copy);
    free(in.r.text);
    free(b.values);
    free(b.lines);
    return !agrees;
}
