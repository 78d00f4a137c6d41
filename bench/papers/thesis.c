#include "thesis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GPU_GROUPS_PER_UNIT = 8 };

/* Each run_once below is one form of a program. */

/* firepile */

static bool firepile_map(void *data, double *value)
{
    thesis_job *j = data;
    gpu_array_free(j->y);
    j->y = gpu_eval(gpu_map(j->x, "x * 23"));
    *value = 0;
    return gpu_finish(j->b->gpu) == GPU_OK && gpu_array_status(j->y) == GPU_OK;
}

static bool firepile_reduce(void *data, double *value)
{
    thesis_job *j = data;
    float sum;
    if (gpu_reduce(j->x, "a + b", &sum)) return false;
    *value = (double)sum;
    return true;
}

static bool reduce_mapped(thesis_job *j, double *value, bool fused)
{
    gpu_array_free(j->y);
    j->y = gpu_map(j->x, "x * 23");
    if (!fused) gpu_eval(j->y);
    float sum;
    if (gpu_reduce(j->y, "a + b", &sum)) return false;
    *value = (double)sum;
    return true;
}

static bool firepile_fused(void *data, double *value)
{
    return reduce_mapped(data, value, true);
}

static bool firepile_in_two_steps(void *data, double *value)
{
    return reduce_mapped(data, value, false);
}

/* raw OpenCL */

static bool raw_map(void *data, double *value)
{
    thesis_job *j = data;
    raw *r = &j->b->raw;
    raw_argument(j->kernels[0], 0, &j->b->float_input, sizeof(cl_mem));
    raw_argument(j->kernels[0], 1, &(cl_ulong){j->n}, sizeof(cl_ulong));
    raw_argument(j->kernels[0], 2, &j->output, sizeof(cl_mem));
    if (r->cpu)
        raw_launch(r->queue, j->kernels[0], THESIS_CHUNKS, 1, NULL);
    else
        raw_launch(r->queue, j->kernels[0], (j->n + 4 * THESIS_GROUP - 1) / (4 * THESIS_GROUP), THESIS_GROUP, NULL);
    raw_check(clFinish(r->queue), "clFinish");
    *value = 0;
    return true;
}

/* A CPU device leaves one value for each chunk, a GPU one value. */
static bool raw_reduce(void *data, double *value)
{
    thesis_job *j = data;
    raw *r = &j->b->raw;
    size_t groups = (j->n + 16 * THESIS_GROUP - 1) / (16 * THESIS_GROUP);
    if (groups > r->compute_units * GPU_GROUPS_PER_UNIT) groups = r->compute_units * GPU_GROUPS_PER_UNIT;
    raw_argument(j->kernels[0], 0, &j->b->float_input, sizeof(cl_mem));
    raw_argument(j->kernels[0], 1, &(cl_ulong){j->n}, sizeof(cl_ulong));
    raw_argument(j->kernels[0], 2, &r->partial[0], sizeof(cl_mem));
    raw_argument(j->kernels[0], 3, &r->result, sizeof(cl_mem));
    raw_argument(j->kernels[0], 4, &r->ticket, sizeof(cl_mem));
    raw_launch(r->queue, j->kernels[0], r->cpu ? THESIS_CHUNKS : groups, r->cpu ? 1 : THESIS_GROUP, NULL);
    float values[THESIS_CHUNKS];
    size_t count = r->cpu ? THESIS_CHUNKS : 1;
    raw_read(r, r->result, values, count * sizeof(float));
    *value = 0;
    for (size_t k = 0; k < count; k++) *value += (double)values[k];
    return true;
}

/* plain C */

static bool plain_map(void *data, double *value)
{
    thesis_job *j = data;
    host_map(j->b->floats, j->host_output, j->n, j->threads);
    *value = 0;
    return true;
}

static bool plain_reduce(void *data, double *value)
{
    thesis_job *j = data;
    *value = host_sum(j->b->floats, j->n, j->threads);
    return true;
}

static bool plain_map_reduce(void *data, double *value)
{
    thesis_job *j = data;
    *value = host_map_sum(j->b->floats, j->n, j->threads);
    return true;
}

/* the figures */

static void put(thesis_job *j, figure *f, const char *column, double bytes, const sample *s)
{
    char row[32];
    snprintf(row, sizeof row, "%zu", j->n);
    figure_sample(&j->b->report, f, row, column, j->n, bytes, s);
}

void thesis_measure(thesis_job *j, figure *f, const char *column, run_once *run, double expected, double bytes)
{
    sample s = measure(run, j, expected, j->b->budget_ms);
    put(j, f, column, bytes, &s);
}

static bool fetch(thesis_job *j, thesis_place place)
{
    if (place == PLACE_ARRAY) return gpu_read(j->y, j->host_output) == GPU_OK;
    if (place == PLACE_BUFFER) raw_read(&j->b->raw, j->output, j->host_output, j->results * sizeof(float));
    return true;
}

/* The largest difference between result and `want`; NaN if the result has one. */
static double array_error(const thesis_job *j)
{
    double largest = 0;
    for (size_t i = 0; i < j->results && !isnan(largest); i++) {
        double error = fabs((double)j->host_output[i] - (double)j->want[i]);
        if (!(error <= largest)) largest = error;
    }
    return largest;
}

void thesis_measure_array(thesis_job *j, figure *f, const char *column, run_once *run, double expected, double bytes,
                          thesis_place place)
{
    memset(j->host_output, 0xff, j->n * sizeof(float)); /* NaNs: what was not written is wrong */
    sample s = measure(run, j, expected, j->b->budget_ms);
    if (s.ok) s.error = fetch(j, place) ? array_error(j) : NAN;
    s.ok = s.error <= 0;
    put(j, f, column, bytes, &s);
}

thesis_job thesis_job_new(bench *b, size_t n, cl_mem input)
{
    return (thesis_job){.b = b, .n = n, .x = gpu_array_wrap(b->gpu, GPU_FLOAT, input, n)};
}

thesis_job thesis_array_job_new(bench *b, size_t n, cl_mem input)
{
    thesis_job j = thesis_job_new(b, n, input);
    j.output = raw_buffer(&b->raw, n * sizeof(float));
    j.host_output = calloc(n, sizeof(float));
    j.want = calloc(n, sizeof(float));
    j.results = n;
    return j;
}

void thesis_job_free(thesis_job *j)
{
    gpu_array_free(j->y);
    gpu_array_free(j->x);
    for (size_t k = 0; k < sizeof j->kernels / sizeof *j->kernels; k++)
        if (j->kernels[k]) clReleaseKernel(j->kernels[k]);
    if (j->output) clReleaseMemObject(j->output);
    free(j->host_output);
    free(j->want);
}

static cl_kernel kernel_by_hand(bench *b, const char *name, bool mapped)
{
    char options[128];
    snprintf(options, sizeof options, "-DHIST_CPU=%d -DHIST_MAPPED=%d -DHIST_WG=%d", b->raw.cpu, mapped, THESIS_GROUP);
    return raw_kernel(&b->raw, "thesis.cl", name, options);
}

static void map_row(bench *b, figure *f, size_t n)
{
    thesis_job j = thesis_array_job_new(b, n, b->float_input);
    j.kernels[0] = kernel_by_hand(b, "hist_map", false);
    double bytes = 8 * (double)n;
    for (size_t i = 0; i < n; i++) j.want[i] = 23 * b->floats[i];
    thesis_measure_array(&j, f, "firepile", firepile_map, 0, bytes, PLACE_ARRAY);
    thesis_measure_array(&j, f, "raw OpenCL", raw_map, 0, bytes, PLACE_BUFFER);
    j.threads = 1;
    thesis_measure_array(&j, f, "C one thread", plain_map, 0, bytes, PLACE_HOST);
    j.threads = 0;
    thesis_measure_array(&j, f, "C with OpenMP", plain_map, 0, bytes, PLACE_HOST);
    thesis_job_free(&j);
}

static void reduce_row(bench *b, figure *f, size_t n, bool mapped)
{
    thesis_job j = thesis_job_new(b, n, b->float_input);
    j.kernels[0] = kernel_by_hand(b, "hist_reduce", mapped);
    double expected = expected_sum(b, n) * (mapped ? 23 : 1), bytes = 4 * (double)n;
    thesis_measure(&j, f, "firepile", mapped ? firepile_fused : firepile_reduce, expected, bytes);
    if (mapped) thesis_measure(&j, f, "firepile in two steps", firepile_in_two_steps, expected, bytes);
    thesis_measure(&j, f, "raw OpenCL", raw_reduce, expected, bytes);
    run_once *plain = mapped ? plain_map_reduce : plain_reduce;
    j.threads = 1;
    thesis_measure(&j, f, "C one thread", plain, expected, bytes);
    j.threads = 0;
    thesis_measure(&j, f, "C with OpenMP", plain, expected, bytes);
    thesis_job_free(&j);
}

static void lines_row(bench *b, figure *f, const char *operation)
{
    char raw_path[4096], firepile_path[4096];
    snprintf(raw_path, sizeof raw_path, "%s/loc/%s_raw.c", b->kernels, operation);
    snprintf(firepile_path, sizeof firepile_path, "%s/loc/%s_firepile.c", b->kernels, operation);
    double by_hand = (double)lines_of_code(raw_path), ours = (double)lines_of_code(firepile_path);
    figure_put(f, operation, "firepile", ours);
    figure_put(f, operation, "raw OpenCL", by_hand);
    figure_put(f, operation, "times as many", by_hand / ours);
}

static void lines_figure(bench *b)
{
    static const char *const operations[] = {"reduce", "map", "scan", "filter", "find", "sort"};
    figure f = {.name = "thesis-lines",
                .title = "Thesis: lines of code",
                .source =
                    "GPU Parallel Collections for Scala, table 6 and figure 17: the length of the same program with "
                    "the library and in raw OpenCL, bench/papers/loc. Blank lines and comments do not count.",
                .rows = "program",
                .unit = "lines",
                .bars = true,
                .plotted = 2};
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) lines_row(b, &f, operations[k]);
    report_figure(&b->report, &f);
}

static figure over_sizes(const char *name, const char *title, const char *source)
{
    return (figure){.name = name, .title = title, .source = source, .rows = "elements", .unit = "milliseconds"};
}

void figures_thesis(bench *b)
{
    figure reduce = over_sizes("thesis-reduce", "Thesis: reduce over sizes",
                               "GPU Parallel Collections for Scala, table 1 and figure 12: reduce, a + b over floats.");
    figure map = over_sizes("thesis-map", "Thesis: map over sizes",
                            "GPU Parallel Collections for Scala, table 2 and figure 13: map, x * 23 over floats.");
    figure filter = over_sizes("thesis-filter", "Thesis: filter over sizes",
                               "GPU Parallel Collections for Scala, table 3 and figure 15: filter, x > 0 over floats. "
                               "8 of 17 elements stay. Timed until the host knows how many.");
    figure scan = over_sizes("thesis-scan", "Thesis: scan over sizes",
                             "GPU Parallel Collections for Scala, table 4 and figure 14: scan, a + b over floats.");
    figure fused = over_sizes("thesis-map-reduce", "Map then reduce over sizes",
                              "map(_ * 23).reduce(_ + _) over floats, in one kernel and in two. GPU Parallel "
                              "Collections for Scala names it as future work and has no figure of it.");
    for (size_t k = 0; k < b->size_count; k++) {
        reduce_row(b, &reduce, b->sizes[k], false);
        map_row(b, &map, b->sizes[k]);
        thesis_filter_row(b, &filter, b->sizes[k]);
        thesis_scan_row(b, &scan, b->sizes[k]);
        reduce_row(b, &fused, b->sizes[k], true);
    }
    report_figure(&b->report, &reduce);
    report_figure(&b->report, &map);
    report_figure(&b->report, &filter);
    report_figure(&b->report, &scan);
    thesis_sort_figure(b);
    lines_figure(b);
    report_figure(&b->report, &fused);
    thesis_algorithms_figure(b);
}
