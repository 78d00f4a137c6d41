#include "bench.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const verdicts[] = {"ok", "WRONG", "FAILED"};

typedef struct derived {
    double gbps, of_copy, vs_ours;
} derived;

static derived derive(const bench_report *r, const bench_row *row)
{
    derived d = {0};
    double ms = row->sample.median_ms;
    if (ms <= 0) return d;
    d.gbps = row->bytes / ms * 1e-6;
    d.of_copy = r->copy_gbps > 0 ? d.gbps / r->copy_gbps : 0;
    d.vs_ours = row->ours_ms / ms;
    return d;
}

static void write_head(FILE *f, bench_format format, const char *device)
{
    if (format == FORMAT_TABLE) {
        fprintf(f,
                "%s\nTimes in ms, until the value is on the host or the array finished; --help explains the columns. "
                "kernel_ms:\nwhat the device itself says that our kernels took, in a pass of its own.\n\n",
                device);
        fprintf(f, "%-11s %-10s %10s  %-9s %11s %11s %7s %8s %8s %8s %10s %10s\n", "op", "type", "n", "who",
                "median_ms", "min_ms", "spread", "gbps", "of_copy", "vs_ours", "first_ms", "kernel_ms");
    } else if (format == FORMAT_CSV) {
        fprintf(f, "device,op,type,n,who,median_ms,min_ms,gbps,of_copy,vs_ours,first_ms,spread,result,kernel_ms\n");
    } else {
        fprintf(f, "[");
    }
}

static void write_table_row(FILE *f, const bench_row *row, const derived *d)
{
    const bench_sample *s = &row->sample;
    fprintf(f, "%-11s %-10s %10zu  %-9s ", row->op, row->type, row->n, row->who);
    if (s->verdict == VERDICT_FAILED) {
        fprintf(f, "FAILED\n");
        return;
    }
    char kernel[32] = "";
    if (row->kernel_ms > 0) snprintf(kernel, sizeof kernel, "%.4f", row->kernel_ms);
    fprintf(f, "%11.4f %11.4f %6.0f%% %8.2f %8.3f %8.3f %10.2f %10s%s\n", s->median_ms, s->min_ms, 100 * s->spread,
            d->gbps, d->of_copy, d->vs_ours, s->first_ms, kernel, s->verdict ? "  WRONG" : "");
}

/* A text between quotes; JSON escapes a quote with a backslash, CSV with another quote. */
static void write_text(FILE *f, const char *text, bench_format format)
{
    putc('"', f);
    for (; *text; text++) {
        if (*text == '"') putc(format == FORMAT_CSV ? '"' : '\\', f);
        if (*text == '\\' && format == FORMAT_JSON) putc('\\', f);
        putc(*text, f);
    }
    putc('"', f);
}

static void write_csv_row(FILE *f, const char *device, const bench_row *row, const derived *d)
{
    const bench_sample *s = &row->sample;
    write_text(f, device, FORMAT_CSV);
    fprintf(f, ",%s,%s,%zu,%s,%.6f,%.6f,%.3f,%.4f,%.4f,%.4f,%.4f,%s,", row->op, row->type, row->n, row->who,
            s->median_ms, s->min_ms, d->gbps, d->of_copy, d->vs_ours, s->first_ms, s->spread, verdicts[s->verdict]);
    if (row->kernel_ms > 0) fprintf(f, "%.6f", row->kernel_ms);
    putc('\n', f);
}

static void write_json_row(FILE *f, const char *device, const bench_row *row, const derived *d, bool is_first)
{
    const bench_sample *s = &row->sample;
    fprintf(f, "%s\n  {\"device\": ", is_first ? "" : ",");
    write_text(f, device, FORMAT_JSON);
    fprintf(f, ", \"op\": \"%s\", \"type\": \"%s\", \"n\": %zu, \"who\": \"%s\", \"median_ms\": %.6f, \"min_ms\": %.6f",
            row->op, row->type, row->n, row->who, s->median_ms, s->min_ms);
    fprintf(f, ", \"gbps\": %.3f, \"of_copy\": %.4f, \"vs_ours\": %.4f, \"first_ms\": %.4f, \"spread\": %.4f", d->gbps,
            d->of_copy, d->vs_ours, s->first_ms, s->spread);
    fprintf(f, ", \"result\": \"%s\"", verdicts[s->verdict]);
    if (row->kernel_ms > 0) fprintf(f, ", \"kernel_ms\": %.6f", row->kernel_ms);
    putc('}', f);
}

static bool add_file(bench_report *r, const char *folder, const char *name, bench_format format)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (!f) {
        fprintf(stderr, "bench: cannot write %s: %s\n", path, strerror(errno));
        return false;
    }
    r->sinks[r->sink_count++] = (bench_sink){f, format};
    return true;
}

bool report_open(bench_report *r, const char *device, bench_format format, const char *folder)
{
    *r = (bench_report){.device = device, .sinks = {{stdout, format}}, .sink_count = 1};
    if (folder && mkdir(folder, 0777) && errno != EEXIST) {
        fprintf(stderr, "bench: cannot make the folder %s: %s\n", folder, strerror(errno));
        return false;
    }
    if (folder && !(add_file(r, folder, "bench.csv", FORMAT_CSV) && add_file(r, folder, "bench.json", FORMAT_JSON)))
        return false;
    for (size_t k = 0; k < r->sink_count; k++) write_head(r->sinks[k].file, r->sinks[k].format, device);
    return true;
}

void report_row(bench_report *r, const bench_row *row)
{
    derived d = derive(r, row);
    report_progress(NULL, NULL, 0, NULL);
    for (size_t k = 0; k < r->sink_count; k++) {
        FILE *f = r->sinks[k].file;
        if (r->sinks[k].format == FORMAT_TABLE) write_table_row(f, row, &d);
        if (r->sinks[k].format == FORMAT_CSV) write_csv_row(f, r->device, row, &d);
        if (r->sinks[k].format == FORMAT_JSON) write_json_row(f, r->device, row, &d, r->rows == 0);
        fflush(f);
    }
    r->rows++;
    if (row->sample.verdict && !strcmp(row->who, REPORT_OURS)) r->wrong++;
}

bool report_close(bench_report *r)
{
    bool written = true;
    for (size_t k = 0; k < r->sink_count; k++) {
        FILE *f = r->sinks[k].file;
        if (r->sinks[k].format == FORMAT_JSON) fprintf(f, "\n]\n");
        if (fflush(f) || ferror(f)) written = false;
        if (f != stdout) fclose(f);
    }
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
