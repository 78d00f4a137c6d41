#include "papers.h"

#include <math.h>
#include <stdlib.h>

enum { GPU_GROUP = 256, GPU_GROUPS_PER_UNIT = 8, CPU_CHUNKS = 64 };

/* One of the thesis's programs in all its forms; each run_once below is one of them. */
typedef struct job {
    bench *b;
    size_t n;
    int threads;
    cl_kernel kernel;
    cl_mem output;
    float *host_output;
    gpu_array *x, *y;
} job;

/* firepile */

static bool firepile_map(void *data, double *value)
{
    job *j = data;
    gpu_array_free(j->y);
    j->y = gpu_eval(gpu_map(j->x, "x * 23"));
    *value = 0;
    return gpu_finish(j->b->gpu) == GPU_OK && gpu_array_status(j->y) == GPU_OK;
}

static bool firepile_reduce(void *data, double *value)
{
    job *j = data;
    float sum;
    if (gpu_reduce(j->x, "a + b", &sum)) return false;
    *value = (double)sum;
    return true;
}

static bool reduce_mapped(job *j, double *value, bool fused)
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
    job *j = data;
    raw *r = &j->b->raw;
    raw_argument(j->kernel, 0, &j->b->float_input, sizeof(cl_mem));
    raw_argument(j->kernel, 1, &(cl_ulong){j->n}, sizeof(cl_ulong));
    raw_argument(j->kernel, 2, &j->output, sizeof(cl_mem));
    if (r->cpu)
        raw_launch(r->queue, j->kernel, CPU_CHUNKS, 1, NULL);
    else
        raw_launch(r->queue, j->kernel, (j->n + 4 * GPU_GROUP - 1) / (4 * GPU_GROUP), GPU_GROUP, NULL);
    raw_check(clFinish(r->queue), "clFinish");
    *value = 0;
    return true;
}

/* A CPU device leaves one value for each chunk, a GPU one value. */
static bool raw_reduce(void *data, double *value)
{
    job *j = data;
    raw *r = &j->b->raw;
    size_t groups = (j->n + 16 * GPU_GROUP - 1) / (16 * GPU_GROUP);
    if (groups > r->compute_units * GPU_GROUPS_PER_UNIT) groups = r->compute_units * GPU_GROUPS_PER_UNIT;
    raw_argument(j->kernel, 0, &j->b->float_input, sizeof(cl_mem));
    raw_argument(j->kernel, 1, &(cl_ulong){j->n}, sizeof(cl_ulong));
    raw_argument(j->kernel, 2, &r->partial[0], sizeof(cl_mem));
    raw_argument(j->kernel, 3, &r->result, sizeof(cl_mem));
    raw_argument(j->kernel, 4, &r->ticket, sizeof(cl_mem));
    raw_launch(r->queue, j->kernel, r->cpu ? CPU_CHUNKS : groups, r->cpu ? 1 : GPU_GROUP, NULL);
    float values[CPU_CHUNKS];
    size_t count = r->cpu ? CPU_CHUNKS : 1;
    raw_read(r, r->result, values, count * sizeof(float));
    *value = 0;
    for (size_t k = 0; k < count; k++) *value += (double)values[k];
    return true;
}

/* plain C */

static bool plain_map(void *data, double *value)
{
    job *j = data;
    host_map(j->b->floats, j->host_output, j->n, j->threads);
    *value = 0;
    return true;
}

static bool plain_reduce(void *data, double *value)
{
    job *j = data;
    *value = host_sum(j->b->floats, j->n, j->threads);
    return true;
}

static bool plain_map_reduce(void *data, double *value)
{
    job *j = data;
    *value = host_map_sum(j->b->floats, j->n, j->threads);
    return true;
}

/* the figures */

static double map_error(const job *j)
{
    double largest = 0;
    for (size_t i = 0; i < j->n; i++) {
        double error = fabs((double)j->host_output[i] - 23.0 * (double)j->b->floats[i]);
        if (!(error <= largest)) largest = error;
    }
    return largest;
}

static void put(job *j, figure *f, const char *column, double bytes_each, const sample *s)
{
    char row[32];
    snprintf(row, sizeof row, "%zu", j->n);
    figure_sample(&j->b->report, f, row, column, j->n, bytes_each * (double)j->n, s);
}

/* Maps are checked element by element after the last run; `fetch` brings the result to j->host_output. */
static void measure_map(job *j, figure *f, const char *column, run_once *run, bool (*fetch)(job *))
{
    sample s = measure(run, j, 0, j->b->budget_ms);
    if (s.ok) s.error = fetch && !fetch(j) ? NAN : map_error(j);
    s.ok = s.error <= 0;
    put(j, f, column, 8, &s);
}

static bool fetch_firepile(job *j)
{
    return gpu_read(j->y, j->host_output) == GPU_OK;
}

static bool fetch_raw(job *j)
{
    raw_read(&j->b->raw, j->output, j->host_output, j->n * sizeof(float));
    return true;
}

static job job_new(bench *b, size_t n, const char *kernel, bool mapped)
{
    char options[128];
    snprintf(options, sizeof options, "-DHIST_CPU=%d -DHIST_MAPPED=%d -DHIST_WG=%d", b->raw.cpu, mapped, GPU_GROUP);
    return (job){.b = b,
                 .n = n,
                 .kernel = raw_kernel(&b->raw, "thesis.cl", kernel, options),
                 .x = gpu_array_wrap(b->gpu, GPU_FLOAT, b->float_input, n)};
}

static void job_free(job *j)
{
    gpu_array_free(j->y);
    gpu_array_free(j->x);
    clReleaseKernel(j->kernel);
}

static void map_row(bench *b, figure *f, size_t n)
{
    job j = job_new(b, n, "hist_map", false);
    j.output = raw_buffer(&b->raw, n * sizeof(float));
    j.host_output = calloc(n, sizeof(float));
    measure_map(&j, f, "firepile", firepile_map, fetch_firepile);
    measure_map(&j, f, "raw OpenCL", raw_map, fetch_raw);
    j.threads = 1;
    measure_map(&j, f, "C one thread", plain_map, NULL);
    j.threads = 0;
    measure_map(&j, f, "C with OpenMP", plain_map, NULL);
    clReleaseMemObject(j.output);
    free(j.host_output);
    job_free(&j);
}

static void measure_reduce(job *j, figure *f, const char *column, run_once *run, double expected)
{
    sample s = measure(run, j, expected, j->b->budget_ms);
    put(j, f, column, 4, &s);
}

static void reduce_row(bench *b, figure *f, size_t n, bool mapped)
{
    job j = job_new(b, n, "hist_reduce", mapped);
    double expected = expected_sum(b, n) * (mapped ? 23 : 1);
    measure_reduce(&j, f, "firepile", mapped ? firepile_fused : firepile_reduce, expected);
    if (mapped) measure_reduce(&j, f, "firepile in two steps", firepile_in_two_steps, expected);
    measure_reduce(&j, f, "raw OpenCL", raw_reduce, expected);
    run_once *plain = mapped ? plain_map_reduce : plain_reduce;
    j.threads = 1;
    measure_reduce(&j, f, "C one thread", plain, expected);
    j.threads = 0;
    measure_reduce(&j, f, "C with OpenMP", plain, expected);
    job_free(&j);
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

void figures_thesis(bench *b)
{
    figure map = {.name = "thesis-map",
                  .title = "Thesis: map over sizes",
                  .source = "GPU Parallel Collections for Scala, table 1: map, x * 23 over floats.",
                  .rows = "elements",
                  .unit = "milliseconds"};
    figure reduce = {.name = "thesis-reduce",
                     .title = "Thesis: reduce over sizes",
                     .source = "GPU Parallel Collections for Scala, table 2: reduce, a + b over floats.",
                     .rows = "elements",
                     .unit = "milliseconds"};
    figure fused = {.name = "thesis-map-reduce",
                    .title = "Thesis: map then reduce over sizes",
                    .source =
                        "GPU Parallel Collections for Scala, map followed by reduce, here in one kernel and in two.",
                    .rows = "elements",
                    .unit = "milliseconds"};
    figure lines = {
        .name = "thesis-lines",
        .title = "Thesis: lines of code",
        .source = "GPU Parallel Collections for Scala, the length of the same program with the library and in raw "
                  "OpenCL: bench/papers/loc, lines that are neither blank nor comment.",
        .rows = "program",
        .unit = "lines",
        .bars = true,
        .plotted = 2};
    for (size_t k = 0; k < b->size_count; k++) {
        map_row(b, &map, b->sizes[k]);
        reduce_row(b, &reduce, b->sizes[k], false);
        reduce_row(b, &fused, b->sizes[k], true);
    }
    lines_row(b, &lines, "map");
    lines_row(b, &lines, "reduce");
    report_figure(&b->report, &map);
    report_figure(&b->report, &reduce);
    report_figure(&b->report, &fused);
    report_figure(&b->report, &lines);
}
