/* The thesis's scan and filter. */
#include "thesis.h"

enum { GPU_TILE = 16 * THESIS_GROUP };

/* firepile */

static bool firepile_scan(void *data, double *value)
{
    thesis_job *j = data;
    gpu_array_free(j->y);
    j->y = gpu_eval(gpu_scan(j->x, "a + b"));
    *value = 0;
    return gpu_finish(j->b->gpu) == GPU_OK && gpu_array_status(j->y) == GPU_OK;
}

static bool firepile_filter(void *data, double *value)
{
    thesis_job *j = data;
    gpu_array_free(j->y);
    j->y = gpu_eval(gpu_filter(j->x, "x > 0"));
    *value = (double)gpu_length(j->y);
    return gpu_array_status(j->y) == GPU_OK;
}

/* raw OpenCL: sums of tiles, their offsets, the second sweep */

static void raw_sweeps(thesis_job *j)
{
    raw *r = &j->b->raw;
    size_t tile = r->cpu ? (j->n + THESIS_CHUNKS - 1) / THESIS_CHUNKS : GPU_TILE;
    size_t groups = (j->n + tile - 1) / tile, group = r->cpu ? 1 : THESIS_GROUP;
    for (int k = 0; k < 3; k += 2) {
        raw_argument(j->kernels[k], 0, &j->b->float_input, sizeof(cl_mem));
        raw_argument(j->kernels[k], 1, &(cl_ulong){j->n}, sizeof(cl_ulong));
        raw_argument(j->kernels[k], 2, &(cl_ulong){tile}, sizeof(cl_ulong));
        raw_argument(j->kernels[k], 3, &r->partial[0], sizeof(cl_mem));
    }
    raw_argument(j->kernels[1], 0, &r->partial[0], sizeof(cl_mem));
    raw_argument(j->kernels[1], 1, &(cl_ulong){groups}, sizeof(cl_ulong));
    raw_argument(j->kernels[1], 2, &r->result, sizeof(cl_mem));
    raw_argument(j->kernels[2], 4, &j->output, sizeof(cl_mem));
    raw_launch(r->queue, j->kernels[0], groups, group, NULL);
    raw_launch(r->queue, j->kernels[1], 1, group, NULL);
    raw_launch(r->queue, j->kernels[2], groups, group, NULL);
}

static bool raw_scan(void *data, double *value)
{
    thesis_job *j = data;
    raw_sweeps(j);
    raw_check(clFinish(j->b->raw.queue), "clFinish");
    *value = 0;
    return true;
}

static bool raw_filter(void *data, double *value)
{
    thesis_job *j = data;
    cl_uint kept;
    raw_sweeps(j);
    raw_read(&j->b->raw, j->b->raw.result, &kept, sizeof kept);
    *value = kept;
    return true;
}

/* plain C */

static bool plain_scan(void *data, double *value)
{
    thesis_job *j = data;
    host_scan(j->b->floats, j->host_output, j->n, j->threads);
    *value = 0;
    return true;
}

static bool plain_filter(void *data, double *value)
{
    thesis_job *j = data;
    *value = (double)host_filter(j->b->floats, j->host_output, j->n, j->threads);
    return true;
}

/* the figures */

static thesis_job job_new(bench *b, size_t n, bool filter)
{
    char options[128];
    snprintf(options, sizeof options, "-DHIST_CPU=%d -DHIST_FILTER=%d -DHIST_WG=%d", b->raw.cpu, filter,
             b->raw.cpu ? 1 : THESIS_GROUP);
    thesis_job j = thesis_array_job_new(b, n, b->float_input);
    static const char *const names[] = {"hist_sums", "hist_offsets", "hist_sweep"};
    for (int k = 0; k < 3; k++) j.kernels[k] = raw_kernel(&b->raw, "scan.cl", names[k], options);
    return j;
}

void thesis_scan_row(bench *b, figure *f, size_t n)
{
    thesis_job j = job_new(b, n, false);
    double sum = 0, bytes = 8 * (double)n;
    for (size_t i = 0; i < n; i++) j.want[i] = (float)(sum += (double)b->floats[i]);
    thesis_measure_array(&j, f, "firepile", firepile_scan, 0, bytes, PLACE_ARRAY);
    thesis_measure_array(&j, f, "raw OpenCL", raw_scan, 0, bytes, PLACE_BUFFER);
    j.threads = 1;
    thesis_measure_array(&j, f, "C one thread", plain_scan, 0, bytes, PLACE_HOST);
    j.threads = 0;
    thesis_measure_array(&j, f, "C with OpenMP", plain_scan, 0, bytes, PLACE_HOST);
    thesis_job_free(&j);
}

void thesis_filter_row(bench *b, figure *f, size_t n)
{
    thesis_job j = job_new(b, n, true);
    j.results = 0;
    for (size_t i = 0; i < n; i++)
        if (b->floats[i] > 0) j.want[j.results++] = b->floats[i];
    double kept = (double)j.results, bytes = 4 * ((double)n + kept);
    thesis_measure_array(&j, f, "firepile", firepile_filter, kept, bytes, PLACE_ARRAY);
    thesis_measure_array(&j, f, "raw OpenCL", raw_filter, kept, bytes, PLACE_BUFFER);
    j.threads = 1;
    thesis_measure_array(&j, f, "C one thread", plain_filter, kept, bytes, PLACE_HOST);
    j.threads = 0;
    thesis_measure_array(&j, f, "C with OpenMP", plain_filter, kept, bytes, PLACE_HOST);
    thesis_job_free(&j);
}
