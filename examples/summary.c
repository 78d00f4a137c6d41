/* Describes a column of numbers: count, sum, mean, standard deviation, extremes and where they are, a histogram. The
 * numbers are read in blocks, so that a file may be larger than the memory. */
#define _POSIX_C_SOURCE 200809L /* isatty, fileno, fseeko, getc_unlocked */

#include "summary_input.h"

#include <firepile.h>
#include <float.h>
#include <inttypes.h>
#include <sys/stat.h>

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

typedef struct summary {
    size_t count;
    double sum, mean, min, max;
    double squares; /* the sum of the squared differences to the mean */
    size_t min_line, max_line;
} summary;

enum { ROWS = 16, COLUMNS = 40 };

/* Bins of the numbers: bin k holds bounds[k] and what follows, below bounds[k + 1]. The bounds are what is printed,
 * digit by digit: each number stands in the bin that a reader expects. */
typedef struct histogram {
    bool exponents; /* the bounds are powers of two */
    int digits;     /* of the bounds */
    size_t bins;    /* ROWS, and one more where rounded bounds take it */
    double bounds[ROWS + 2];
    uint64_t counts[ROWS + 2]; /* counts[bins]: what is in no bin */
} histogram;

/* ---- measuring ---- */

/* Chan's: what describes two parts describes the whole. The squares are those of differences to each part's own
 * mean. */
static void merge(summary *total, const summary *part)
{
    double n = (double)total->count, m = (double)part->count, apart = part->mean - total->mean;
    if (!total->count) *total = *part;
    if (n == 0) return;
    total->count += part->count;
    total->sum += part->sum;
    total->mean =
        isfinite(total->sum) ? total->sum / (n + m) : total->mean * (n / (n + m)) + part->mean * (m / (n + m));
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

/* C functions, and no texts: the host device has them too. */
GPU_FUNCTION(double, share, (double x, double count), { return x / count; });
GPU_FUNCTION(double, square, (double x, double mean), { return (x - mean) * (x - mean); });
GPU_FUNCTION(float, share_float, (float x, float count), { return x / count; });
GPU_FUNCTION(float, square_float, (float x, float mean), { return (x - mean) * (x - mean); });

/* Two passes over the block: what needs no mean, then, with the mean captured, the squares. A sum that overflows takes
 * one more: the mean of numbers is a number. */
static gpu_status measure_double(const gpu_array *x, summary *s)
{
    double count = (double)s->count, mean;
    gpu_status status = gpu_reduce_all(x, "a + b", &s->sum, "fmin(a, b)", &s->min, "fmax(a, b)", &s->max);
    if (status) return status;
    mean = s->sum / count;
    if (!isfinite(s->sum)) status = gpu_reduce(gpu_map(x, share, GPU_ARG(count)), "a + b", &mean);
    s->mean = mean;
    return status ? status : gpu_reduce(gpu_map(x, square, GPU_ARG(mean)), "a + b", &s->squares);
}

static gpu_status measure_float(const gpu_array *x, summary *s)
{
    float sum, min, max, squares, mean, count = (float)s->count;
    gpu_status status = gpu_reduce_all(x, "a + b", &sum, "fmin(a, b)", &min, "fmax(a, b)", &max);
    if (status) return status;
    mean = sum / count;
    if (!isfinite(sum)) status = gpu_reduce(gpu_map(x, share_float, GPU_ARG(count)), "a + b", &mean);
    if (!status) status = gpu_reduce(gpu_map(x, square_float, GPU_ARG(mean)), "a + b", &squares);
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

/* Both searches are one kernel: the number to look for is its argument. */
static gpu_status find_extremes(const gpu_array *x, const block *b, summary *s)
{
    size_t min_index, max_index;
    float min = (float)s->min, max = (float)s->max;
    bool narrow = gpu_type_of(x) == GPU_FLOAT;
    gpu_status status = narrow ? gpu_index_of(x, &min, &min_index) : gpu_index_of(x, &s->min, &min_index);
    if (!status) status = narrow ? gpu_index_of(x, &max, &max_index) : gpu_index_of(x, &s->max, &max_index);
    if (status) return status;
    s->min_line = b->lines[min_index];
    s->max_line = b->lines[max_index];
    return GPU_OK;
}

/* Returns whether the numbers are floats on the device. */
static bool measure(gpu *g, block *b, summary *s)
{
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *x = upload(g, b);
    bool narrow = gpu_type_of(x) == GPU_FLOAT;
    *s = (summary){.count = b->count};
    gpu_status status = narrow ? measure_float(x, s) : measure_double(x, s);
    if (!status) status = find_extremes(x, b, s);
    if (status) fail("%s", gpu_error());
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
    if (!isfinite(s.sum)) {
        s.mean = 0;
        for (size_t k = 0; k < b->count; k++) s.mean += x[k] / (double)s.count;
    }
    s.squares = add_up(x, b->count, s.mean, true);
    return s;
}

/* ---- the histogram ---- */

/* What a reader takes the printed digits for. */
static double printed(double bound, int digits)
{
    char text[64];
    snprintf(text, sizeof text, "%.*g", digits, bound);
    return strtod(text, NULL);
}

/* Bound k: of numbers a multiple of the width, of exponents so many widths above the first one. */
static double bound(const histogram *h, double first, size_t k, double width)
{
    return printed(h->exponents ? exp2(first + (double)k * width) : (first + (double)k) * width, h->digits);
}

/* Bounds from one that is not above `from` to one that is above `to`. False if two of them look the same. */
static bool set_bounds(histogram *h, double width, double from, double to, int digits)
{
    double first = h->exponents ? ilogb(from) : floor(from / width);
    h->digits = digits;
    if (bound(h, first, 0, width) > from) first -= h->exponents ? width : 1;
    for (h->bins = 0; h->bins < ROWS + 2; h->bins++) {
        h->bounds[h->bins] = bound(h, first, h->bins, width);
        if (h->bins && h->bounds[h->bins] <= h->bounds[h->bins - 1]) return false;
        if (h->bins && h->bounds[h->bins] > to) return true;
    }
    h->bins--;
    return true;
}

/* With so many digits that bounds differ; 17 tell any two numbers apart. */
static histogram bins_of(bool exponents, double width, double from, double to)
{
    histogram h = {.exponents = exponents};
    if (!set_bounds(&h, width, from, to, 10)) set_bounds(&h, width, from, to, 17);
    return h;
}

/* Sizes, incomes and their like, most of them far below the mean and a few far above, would all stand in one of a few
 * bins of numbers. What is less than ROWS powers of two below the mean, zero among it, is in no bin. */
static histogram exponent_bins(const summary *s)
{
    double low = ilogb(s->mean) - ROWS, from = exp2(low);
    if (s->min > from) from = s->min;
    return bins_of(true, ceil((ilogb(s->max) + 1 - ilogb(from)) / (double)ROWS), from, s->max);
}

/* The least of 1, 2 and 5 times a power of ten that goes into `range` fewer than ROWS times. */
static double round_width(double range)
{
    double least = range / (ROWS - 1), power = pow(10, floor(log10(least))), times = least / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

/* What is more than three deviations from the mean is in no bin: the others would stand close together. Bounds cannot
 * be closer to each other than numbers are. */
static histogram number_bins(const summary *s)
{
    double near = 3 * deviation(s), from = fmax(s->min, s->mean - near), to = fmin(s->max, s->mean + near);
    double largest = fmax(fabs(from), fabs(to)), least = nextafter(largest, INFINITY) - largest;
    return bins_of(false, fmax(round_width(to - from), least), from, to);
}

/* -1 for what is below all bounds, `bins` for what is above. */
GPU_FUNCTION(int, bin_of, (double x, GPU_GLOBAL const double *bounds, int bins), {
    int k = 0;
    while (k <= bins && x >= bounds[k]) k++;
    return k - 1;
});
GPU_FUNCTION(int, bin_of_float, (float x, GPU_GLOBAL const float *bounds, int bins), {
    int k = 0;
    while (k <= bins && x >= bounds[k]) k++;
    return k - 1;
});

static gpu_array *find_bins(gpu *g, const gpu_array *x, const histogram *h)
{
    int bins = (int)h->bins;
    float narrow[ROWS + 2];
    for (size_t k = 0; k <= h->bins; k++) narrow[k] = (float)h->bounds[k];
    bool is_narrow = gpu_type_of(x) == GPU_FLOAT;
    gpu_array *bounds = is_narrow ? gpu_array_of(g, narrow, h->bins + 1) : gpu_array_of(g, h->bounds, h->bins + 1);
    return is_narrow ? gpu_map_to(x, GPU_INT, bin_of_float, GPU_ARG(bounds), GPU_ARG(bins))
                     : gpu_map_to(x, GPU_INT, bin_of, GPU_ARG(bounds), GPU_ARG(bins));
}

/* Counts a block's numbers too. */
static void count_bins(gpu *g, block *b, histogram *h)
{
    uint64_t more[ROWS + 2];
    int bins = (int)h->bins;
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *found = find_bins(g, upload(g, b), h), *counts, *outside;
    gpu_histogram(found, &(int){0}, &bins, h->bins, &counts, &outside);
    if (gpu_read(counts, more) || gpu_read(outside, more + h->bins)) fail("%s", gpu_error());
    for (size_t k = 0; k <= h->bins; k++) h->counts[k] += more[k];
    gpu_scope_end(scope);
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
        printf("%15.*g %15.*g %10" PRIu64 "  %.*s\n", h->digits, h->bounds[k], h->digits, h->bounds[k + 1],
               h->counts[k], (int)((h->counts[k] + each - 1) / each), bar);
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
    if (!isfinite(deviation(device)) && !isfinite(deviation(c))) spread = 0;
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

static void print_number(const char *name, double value)
{
    if (isfinite(value))
        printf("%-19s %.15g\n", name, value);
    else
        printf("%-19s more than a double holds\n", name);
}

static bool print_totals(const totals *t)
{
    const summary *s = &t->device;
    print_number("sum", s->sum);
    print_number("mean", s->mean);
    if (s->count > 1) print_number("standard deviation", deviation(s));
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
        if (!strcmp(argv[k], "--help")) {
            fputs(help, stdout);
            end_output();
            exit(0);
        }
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
    end_output();
    fclose(in.r.file);
    if (in.copy) fclose(in.copy);
    free(in.r.text);
    free(b.values);
    free(b.lines);
    return !agrees;
}
