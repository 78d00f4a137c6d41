/* Describes a column of numbers: count, sum, mean, standard deviation, extremes and their lines, a histogram. Blocks of
 * numbers go to the device, so that a file may be larger than the memory. The parts:
 *
 *     reader      numbers from a text or a CSV file
 *     blocks      how many numbers are in memory, and go to the device, at a time
 *     statistics  reductions on the device
 *     plain_c     the same in plain C, to compare with
 *     bins        bounds of the histogram
 *     picture     the histogram
 *     terminal    progress and failures
 */
#include "blocks.h"
#include "picture.h"
#include "plain_c.h"
#include "statistics.h"
#include "terminal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Of all blocks, on the device and in plain C. */
typedef struct totals {
    gpu *g;      /* NULL until there are numbers */
    bool narrow; /* the device has no double */
    statistics device, c;
    double first_ms, device_ms, c_ms; /* of the first block, of all */
} totals;

static void add_block(totals *t, block *b)
{
    double start = now_ms();
    if (!t->g && !(t->g = gpu_open(NULL))) fail("%s", gpu_error());
    statistics part = measure(t->g, b);
    merge(&t->device, &part);
    double measured = now_ms();
    t->device_ms += measured - start;
    if (!t->first_ms) t->first_ms = t->device_ms;
    t->narrow = b->narrow;
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

/* Returns whether the device and plain C agree. */
static bool print_totals(const totals *t)
{
    const statistics *s = &t->device;
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
    while (read_block(in, b)) add_block(&t, b);
    clear_bar();
    printf("count               %zu\nmissing             %zu\n", in->count, in->r.missing);
    bool agrees = !t.g || print_totals(&t);
    /* A histogram needs numbers that differ, and whose squares are finite. */
    if (isnormal(deviation(&t.device))) print_histogram(t.g, in, b, &t.device);
    gpu_close(t.g);
    return agrees;
}

static _Noreturn void print_help(void)
{
    fputs(help, stdout);
    end_output();
    exit(0);
}

static void open_by_arguments(int argc, char **argv, input *in)
{
    const char *path = NULL, *column = NULL;
    for (int k = 1; k < argc; k++) {
        bool option = argv[k][0] == '-' && argv[k][1], column_follows = !strcmp(argv[k], "--column") && k + 1 < argc;
        if (!strcmp(argv[k], "--help")) print_help();
        if (option && !column_follows) fail("%s: no such option, or no name after it; see --help", argv[k]);
        if (!option && path) fail("one file at a time, not %s and %s", path, argv[k]);
        if (!option) path = argv[k];
        if (column_follows) column = argv[++k];
    }
    open_input(in, path, column);
}

int main(int argc, char **argv)
{
    input in;
    open_by_arguments(argc, argv, &in);
    block b = new_block();
    bool agrees = describe(&in, &b);
    end_output();
    close_input(&in);
    free_block(&b);
    return !agrees;
}
