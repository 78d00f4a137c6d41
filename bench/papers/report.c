#include "papers.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Runs gnuplot and waits. False if it is not there or failed. */
static bool gnuplot(const char *const arguments[])
{
    pid_t child;
    int status;
    if (posix_spawnp(&child, "gnuplot", NULL, NULL, (char *const *)arguments, environ)) return false;
    if (waitpid(child, &status, 0) != child) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static FILE *create(const char *folder, const char *name, const char *suffix)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
    FILE *f = fopen(path, "w");
    if (!f) fprintf(stderr, "bench-papers: cannot write %s: %s\n", path, strerror(errno));
    return f;
}

static void processor_name(char *name, size_t bytes)
{
    snprintf(name, bytes, "unknown processor");
    FILE *f = fopen("/proc/cpuinfo", "r");
    if (!f) return;
    char line[512];
    while (fgets(line, sizeof line, f)) {
        char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !value) continue;
        snprintf(name, bytes, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
        break;
    }
    fclose(f);
}

static void write_head(FILE *f, const raw *device, bool least)
{
    char date[32], processor[256];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", localtime(&now));
    processor_name(processor, sizeof processor);
    fprintf(f, "Device: %s (%s, driver %s, %zu compute units). Host: %s, %ld threads. Date: %s.\n\n", device->name,
            device->platform, device->driver, device->compute_units, processor, sysconf(_SC_NPROCESSORS_ONLN), date);
    fprintf(f,
            "Times are %s of warm runs, in milliseconds, until the value is on the host; for a map or a sort, until "
            "the array is finished on the device. The input lies in the device's memory. Every run was compared "
            "with a reference in plain C.\n",
            least ? "the least" : "medians");
}

bool report_open(report *r, const char *folder, const char *kernels, const raw *device, bool least)
{
    static char script[4096];
    snprintf(script, sizeof script, "%s/plot.gp", kernels);
    *r = (report){.folder = folder, .plot_script = script, .device = device->name, .least = least};
    if (mkdir(folder, 0777) && errno != EEXIST) {
        fprintf(stderr, "bench-papers: cannot make the folder %s: %s\n", folder, strerror(errno));
        return false;
    }
    r->markdown = create(folder, "papers", ".md");
    r->samples = create(folder, "papers", ".csv");
    if (!r->markdown || !r->samples) return false;
    r->plots = gnuplot((const char *[]){"gnuplot", "-e", "", NULL});
    if (!r->plots) printf("No PNG plots: gnuplot is not there (Debian: apt-get install gnuplot-nox).\n\n");
    write_head(r->markdown, device, least);
    write_head(stdout, device, least);
    fprintf(r->samples, "figure,device,row,column,n,median_ms,min_ms,max_ms,runs,gbps,error,ok\n");
    return true;
}

void report_close(report *r)
{
    printf("\n%u results checked, %u wrong. Tables, CSV%s: %s\n", r->checked, r->wrong, r->plots ? " and plots" : "",
           r->folder);
    if (r->markdown) fclose(r->markdown);
    if (r->samples) fclose(r->samples);
}

/* The place of a name in a list, where it is added if it is new. */
static size_t place_of(char (*names)[FIGURE_NAME], size_t *count, size_t max, const char *name)
{
    size_t k = 0;
    while (k < *count && strcmp(names[k], name)) k++;
    if (k == *count && k < max) snprintf(names[(*count)++], FIGURE_NAME, "%s", name);
    return k < max ? k : max - 1;
}

void figure_put(figure *f, const char *row, const char *column, double value)
{
    size_t rows = f->row_count, columns = f->column_count;
    size_t y = place_of(f->row_names, &f->row_count, FIGURE_ROWS, row);
    size_t x = place_of(f->column_names, &f->column_count, FIGURE_COLUMNS, column);
    if (f->row_count > rows) {
        for (size_t k = 0; k < FIGURE_COLUMNS; k++) f->cells[y][k] = NAN;
    }
    if (f->column_count > columns) {
        for (size_t k = 0; k < FIGURE_ROWS; k++) f->cells[k][x] = NAN;
    }
    f->cells[y][x] = value;
}

static void tell_wrong(report *r, const figure *f, const char *row, const char *column, double error)
{
    r->wrong++;
    fprintf(stderr, "bench-papers: %s, %s, %s: ", f->title, row, column);
    if (isnan(error))
        fprintf(stderr, "failed: %s\n", gpu_error());
    else
        fprintf(stderr, "wrong by %g\n", error);
}

double report_ms(const report *r, const sample *s)
{
    if (!s->ok) return NAN;
    return r->least ? s->min_ms : s->median_ms;
}

void figure_sample(report *r, figure *f, const char *row, const char *column, size_t n, double bytes, const sample *s)
{
    double gbps = s->runs ? bytes / s->median_ms / 1e6 : 0;
    fprintf(r->samples, "%s,%s,%s,%s,%zu,%.6f,%.6f,%.6f,%u,%.3f,%g,%s\n", f->name, r->device, row, column, n,
            s->median_ms, s->min_ms, s->max_ms, s->runs, gbps, s->error, s->ok ? "yes" : "no");
    r->checked++;
    if (!s->ok) tell_wrong(r, f, row, column, s->error);
    figure_put(f, row, column, report_ms(r, s));
}

static int cell_text(double value, char *text, size_t bytes)
{
    if (isnan(value)) return snprintf(text, bytes, "-");
    if (value >= 1000 || value == floor(value)) return snprintf(text, bytes, "%.0f", value);
    if (value < 0.001) return snprintf(text, bytes, "%.1e", value);
    return snprintf(text, bytes, "%.*f", value < 1 ? 4 : value < 100 ? 2 : 1, value);
}

/* A Markdown table whose columns are aligned, so that it reads as text too. */
static void write_table(FILE *out, const figure *f)
{
    char text[64];
    size_t first = strlen(f->rows);
    for (size_t y = 0; y < f->row_count; y++) {
        if (strlen(f->row_names[y]) > first) first = strlen(f->row_names[y]);
    }
    int widths[FIGURE_COLUMNS];
    fprintf(out, "| %-*s |", (int)first, f->rows);
    for (size_t x = 0; x < f->column_count; x++) {
        widths[x] = (int)strlen(f->column_names[x]) < 8 ? 8 : (int)strlen(f->column_names[x]);
        fprintf(out, " %*s |", widths[x], f->column_names[x]);
    }
    fprintf(out, "\n|-%.*s-|", (int)first, "----------------------------------------------------------------");
    for (size_t x = 0; x < f->column_count; x++) {
        fprintf(out, "-%.*s:|", widths[x], "----------------------------------------------------------------");
    }
    for (size_t y = 0; y < f->row_count; y++) {
        fprintf(out, "\n| %-*s |", (int)first, f->row_names[y]);
        for (size_t x = 0; x < f->column_count; x++) {
            cell_text(f->cells[y][x], text, sizeof text);
            fprintf(out, " %*s |", widths[x], text);
        }
    }
    fprintf(out, "\n");
}

static void write_csv(const report *r, const figure *f)
{
    FILE *out = create(r->folder, f->name, ".csv");
    if (!out) return;
    fprintf(out, "%s", f->rows);
    for (size_t x = 0; x < f->column_count; x++) fprintf(out, ",%s", f->column_names[x]);
    for (size_t y = 0; y < f->row_count; y++) {
        fprintf(out, "\n%s", f->row_names[y]);
        for (size_t x = 0; x < f->column_count; x++) {
            if (isnan(f->cells[y][x]))
                fprintf(out, ",");
            else
                fprintf(out, ",%.6g", f->cells[y][x]);
        }
    }
    fprintf(out, "\n");
    fclose(out);
}

static bool plot(const report *r, const figure *f)
{
    char csv[4096], png[4096], columns[16];
    snprintf(csv, sizeof csv, "%s/%s.csv", r->folder, f->name);
    snprintf(png, sizeof png, "%s/%s.png", r->folder, f->name);
    snprintf(columns, sizeof columns, "%zu", f->plotted ? f->plotted : f->column_count);
    return gnuplot((const char *[]){"gnuplot", "-c", r->plot_script, csv, png, f->title, f->rows, f->unit,
                                    f->bars ? "bars" : "lines", columns, r->device, NULL});
}

void report_figure(report *r, const figure *f)
{
    write_csv(r, f);
    bool plotted = r->plots && plot(r, f);
    printf("\n%s (%s)\n\n", f->title, f->unit);
    write_table(stdout, f);
    fflush(stdout);
    fprintf(r->markdown, "\n### %s\n\n%s", f->title, f->source);
    if (!f->plotted) fprintf(r->markdown, " In %s.", f->unit);
    fprintf(r->markdown, "\n\n");
    write_table(r->markdown, f);
    if (plotted) fprintf(r->markdown, "\n![%s](%s.png)\n", f->title, f->name);
    fprintf(r->markdown, "\nReading:\n");
}
