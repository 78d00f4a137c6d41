#include "bench.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *const verdicts[] = {"ok", "WRONG", "FAILED", "CRASHED"};

static void write_head(const bench_report *r, FILE *f, bench_format format)
{
    if (format == FORMAT_CSV) {
        fprintf(f, "op,type,n,who,median_ms,min_ms,first_ms,kernel_ms,gbps,of_copy,ratio,ratio_spread,goal,result\n");
        return;
    }
    fprintf(f, "%s\n", r->contenders[0].hello.device);
    for (size_t k = 0; k < r->contender_count; k++)
        fprintf(f, "%-12s %s\n", r->contenders[k].name, r->contenders[k].hello.built_for);
    fprintf(f, "\nTimes in ms, until the value is on the host or the array finished; --help explains the columns.\n\n");
    fprintf(f, "%-11s %-10s %10s  %-9s %11s %11s %10s %10s %8s %8s %7s %7s\n", "op", "type", "n", "who", "median_ms",
            "min_ms", "first_ms", "kernel_ms", "gbps", "of_copy", "ratio", "spread");
}

/* "", where there is none. */
static const char *number_or_nothing(char *text, size_t bytes, const char *form, double value)
{
    snprintf(text, bytes, value > 0 ? form : "", value);
    return text;
}

static bool misses_goal(const bench_row *row)
{
    return row->goal > 0 && row->ratio.median > 0 && !goal_is_met(row->goal, row->ratio.median);
}

static void write_table_row(FILE *f, const bench_row *row)
{
    char kernel[32], ratio[32], spread[32];
    fprintf(f, "%-11s %-10s %10zu  %-9s ", row->op, row->type, row->n, row->who);
    if (row->verdict >= VERDICT_FAILED) {
        fprintf(f, "%s\n", verdicts[row->verdict]);
        return;
    }
    number_or_nothing(kernel, sizeof kernel, "%.4f", row->kernel_ms);
    number_or_nothing(ratio, sizeof ratio, "%.3f", row->ratio.median);
    number_or_nothing(spread, sizeof spread, "%.0f%%", 100 * row->ratio.spread);
    fprintf(f, "%11.4f %11.4f %10.2f %10s %8.2f %8.3f %7s %7s%s", row->median_ms, row->min_ms, row->first_ms, kernel,
            row->gbps, row->of_copy, ratio, spread, row->verdict ? "  WRONG" : "");
    if (misses_goal(row)) fprintf(f, "  goal %.2f", row->goal);
    putc('\n', f);
}

static void write_csv_row(FILE *f, const bench_row *row)
{
    fprintf(f, "%s,%s,%zu,%s,%.6f,%.6f,%.4f,%.6f,%.3f,%.4f,%.4f,%.4f,%.2f,%s\n", row->op, row->type, row->n, row->who,
            row->median_ms, row->min_ms, row->first_ms, row->kernel_ms, row->gbps, row->of_copy, row->ratio.median,
            row->ratio.spread, row->goal, verdicts[row->verdict]);
}

/* ---- the folder: bench.csv and README.md ---- */

/* "NVIDIA H200" becomes nvidia-h200. */
static void name_folder(const char *parent, const char *device, char *path, size_t bytes)
{
    size_t at = (size_t)snprintf(path, bytes, "%s/", parent);
    for (bool gap = false; *device && at + 2 < bytes; device++) {
        gap |= !isalnum((unsigned char)*device);
        if (!isalnum((unsigned char)*device)) continue;
        if (gap && path[at - 1] != '/') path[at++] = '-';
        path[at++] = (char)tolower((unsigned char)*device);
        gap = false;
    }
    path[at < bytes ? at : bytes - 1] = '\0';
}

static FILE *open_file(const bench_report *r, const char *name)
{
    char path[sizeof r->folder + 16];
    snprintf(path, sizeof path, "%s/%s", r->folder, name);
    FILE *f = fopen(path, "w");
    if (!f) fprintf(stderr, "bench: cannot write %s: %s\n", path, strerror(errno));
    return f;
}

static bool make_folder(const char *path)
{
    if (!mkdir(path, 0777) || errno == EEXIST) return true;
    fprintf(stderr, "bench: cannot make the folder %s: %s\n", path, strerror(errno));
    return false;
}

static bool is_same_line(const bench_row *a, const bench_row *b)
{
    return !strcmp(a->op, b->op) && !strcmp(a->type, b->type);
}

static const bench_row *find_row(const bench_report *r, const bench_row *line, const char *who, size_t n)
{
    for (size_t k = 0; k < r->count; k++)
        if (is_same_line(&r->rows[k], line) && !strcmp(r->rows[k].who, who) && r->rows[k].n == n) return &r->rows[k];
    return NULL;
}

/* All sizes that were measured, rising. */
static size_t find_sizes(const bench_report *r, size_t *sizes)
{
    size_t count = 0;
    for (size_t k = 0; k < r->count; k++) {
        size_t at = 0, n = r->rows[k].n;
        while (at < count && sizes[at] < n) at++;
        if ((at < count && sizes[at] == n) || count == SIZES_MAX || !strcmp(r->rows[k].op, "copy")) continue;
        memmove(sizes + at + 1, sizes + at, (count - at) * sizeof *sizes);
        sizes[at] = n;
        count++;
    }
    return count;
}

static void write_size(FILE *f, size_t n)
{
    if (n & (n - 1)) {
        fprintf(f, " %zu |", n);
        return;
    }
    int exponent = 0;
    while (n >>= 1) exponent++;
    fprintf(f, " 2^%d |", exponent);
}

static void write_cell(FILE *f, const bench_row *row)
{
    if (!row) {
        fprintf(f, " |");
    } else if (row->verdict) {
        fprintf(f, " %s |", verdicts[row->verdict]);
    } else if (!strcmp(row->who, REPORT_OURS)) {
        fprintf(f, " %.3g |", row->median_ms);
    } else {
        const char *mark = misses_goal(row) ? "**" : "";
        fprintf(f, " %s%.2f%s", mark, row->ratio.median, mark);
        if (row->ratio.spread > 0) fprintf(f, " ±%.0f%%", 50 * row->ratio.spread);
        fprintf(f, " |");
    }
}

static void write_lines(const bench_report *r, FILE *f, const bench_row *first, const size_t *sizes, size_t count)
{
    for (size_t c = 0; c < r->contender_count; c++) {
        const char *who = r->contenders[c].name;
        bool any = false;
        for (size_t k = 0; k < count; k++) any |= find_row(r, first, who, sizes[k]) != NULL;
        if (!any) continue;
        if (c == 0) fprintf(f, "| %s, %s | ms |", first->op, first->type);
        if (c > 0) fprintf(f, "| | %s |", who);
        for (size_t k = 0; k < count; k++) write_cell(f, find_row(r, first, who, sizes[k]));
        putc('\n', f);
    }
}

static void write_readme(const bench_report *r, FILE *f)
{
    size_t sizes[SIZES_MAX], count = find_sizes(r, sizes);
    time_t now = time(NULL);
    char date[16];
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    fprintf(f, "# %s\n\n%s. A copy on the device moves %.4g GB/s.\n\n", r->contenders[0].hello.device, date,
            r->copy_gbps);
    for (size_t k = 0; k < r->contender_count; k++)
        fprintf(f, "- %s: %s\n", r->contenders[k].name, r->contenders[k].hello.built_for);
    fprintf(f, "\nRows of firepile are milliseconds, those of others firepile's time divided by theirs, with half the "
               "distance of the\nquartiles of the rounds. Bold: it misses its goal. [How this is "
               "measured](../../../docs/benchmarks.md). Over sizes: [bench.png](bench.png), by `make bench-plots`.\n\n"
               "| operation | |");
    for (size_t k = 0; k < count; k++) write_size(f, sizes[k]);
    fprintf(f, "\n|---|---|");
    for (size_t k = 0; k < count; k++) fprintf(f, "---:|");
    putc('\n', f);
    for (size_t k = 0; k < r->count; k++) {
        bool seen = !strcmp(r->rows[k].op, "copy");
        for (size_t earlier = 0; earlier < k && !seen; earlier++) seen = is_same_line(&r->rows[earlier], &r->rows[k]);
        if (!seen) write_lines(r, f, &r->rows[k], sizes, count);
    }
}

/* ---- the report ---- */

bool report_open(bench_report *r, const contender *contenders, size_t count, bench_format format, const char *folder)
{
    *r = (bench_report){.contenders = contenders, .contender_count = count, .format = format};
    write_head(r, stdout, format);
    if (!folder) return true;
    name_folder(folder, contenders[0].hello.device, r->folder, sizeof r->folder);
    if (!make_folder(folder) || !make_folder(r->folder)) return false;
    r->csv = open_file(r, "bench.csv");
    if (r->csv) write_head(r, r->csv, FORMAT_CSV);
    return r->csv != NULL;
}

static void keep(bench_report *r, const bench_row *row)
{
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 256;
        r->rows = realloc(r->rows, r->room * sizeof *r->rows);
        if (!r->rows) {
            fprintf(stderr, "bench: there is no memory for the report\n");
            exit(2);
        }
    }
    r->rows[r->count++] = *row;
}

void report_row(bench_report *r, const bench_row *row)
{
    report_progress(NULL, NULL, 0, NULL);
    if (r->format == FORMAT_TABLE) write_table_row(stdout, row);
    if (r->format == FORMAT_CSV) write_csv_row(stdout, row);
    fflush(stdout);
    if (r->csv) write_csv_row(r->csv, row);
    keep(r, row);
    if (row->verdict && !strcmp(row->who, REPORT_OURS)) r->wrong++;
}

static bool close_file(FILE *f)
{
    bool written = !ferror(f);
    return !fclose(f) && written;
}

bool report_close(bench_report *r)
{
    bool written = !fflush(stdout) && !ferror(stdout);
    if (r->csv) {
        FILE *f = open_file(r, "README.md");
        if (f) write_readme(r, f);
        written = close_file(r->csv) && f && close_file(f) && written;
    }
    free(r->rows);
    if (!written) fprintf(stderr, "bench: the results could not be written\n");
    return written;
}

void report_progress(const char *op, const char *type, size_t n, const char *who)
{
    if (!isatty(STDERR_FILENO)) return;
    if (op) {
        fprintf(stderr, "\r\033[K%s of %s, %zu elements: %s", op, type, n, who);
    } else {
        fprintf(stderr, "\r\033[K");
    }
    fflush(stderr);
}
