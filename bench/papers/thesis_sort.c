/* The thesis's figure of sort, and the algorithms that the library has for it. */
#include "thesis.h"

enum { TILE = 2 * THESIS_GROUP, LEAST = 1 << 8, BITONIC_MOST_ON_CPU = 1 << 20, MOST_ON_CPU = 1 << 22, MOST = 1 << 24 };

/* firepile */

static bool leave(thesis_job *j, gpu_array *sorted, double *value)
{
    gpu_array_free(j->y);
    j->y = gpu_eval(sorted);
    *value = 0;
    return gpu_finish(j->b->gpu) == GPU_OK && gpu_array_status(j->y) == GPU_OK;
}

static bool firepile_sort(void *data, double *value)
{
    thesis_job *j = data;
    return leave(j, gpu_sort(j->x), value);
}

static bool sort_by_algorithm(thesis_job *j, gpu_sort_algorithm algorithm, double *value)
{
    return leave(j, gpu_sort_with(j->x, &(gpu_sort_options){.algorithm = algorithm}, NULL), value);
}

static bool firepile_bitonic(void *data, double *value)
{
    return sort_by_algorithm(data, GPU_SORT_BITONIC, value);
}

static bool firepile_merge(void *data, double *value)
{
    return sort_by_algorithm(data, GPU_SORT_MERGE, value);
}

static bool firepile_radix(void *data, double *value)
{
    return sort_by_algorithm(data, GPU_SORT_RADIX, value);
}

/* raw OpenCL */

static void launch(thesis_job *j, cl_kernel kernel, size_t size, size_t other)
{
    raw_argument(kernel, 0, &j->output, sizeof(cl_mem));
    raw_argument(kernel, 1, &(cl_uint){(cl_uint)size}, sizeof(cl_uint));
    raw_argument(kernel, 2, &(cl_uint){(cl_uint)other}, sizeof(cl_uint));
    raw_launch(j->b->raw.queue, kernel, j->n / TILE, THESIS_GROUP, NULL);
}

/* In place: what is sorted is a copy. */
static bool raw_bitonic(void *data, double *value)
{
    thesis_job *j = data;
    raw *r = &j->b->raw;
    raw_check(clEnqueueCopyBuffer(r->queue, j->b->key_input, j->output, 0, 0, j->n * sizeof(float), 0, NULL, NULL),
              "clEnqueueCopyBuffer");
    launch(j, j->kernels[0], 2, TILE);
    for (size_t size = 2 * TILE; size <= j->n; size *= 2) {
        for (size_t stride = size / 2; stride >= TILE; stride /= 2) launch(j, j->kernels[1], size, stride);
        launch(j, j->kernels[0], size, size);
    }
    raw_check(clFinish(r->queue), "clFinish");
    *value = 0;
    return true;
}

/* plain C */

static bool plain_sort(void *data, double *value)
{
    thesis_job *j = data;
    host_sort(j->b->keys, j->host_output, j->n);
    *value = 0;
    return true;
}

/* the figures */

static thesis_job job_new(bench *b, size_t n)
{
    thesis_job j = thesis_array_job_new(b, n, b->key_input);
    host_sort(b->keys, j.want, n);
    return j;
}

/* A bitonic sort of more elements takes a CPU device seconds. */
static bool bitonic_fits(const bench *b, size_t n)
{
    return n <= BITONIC_MOST_ON_CPU || !b->raw.cpu;
}

static void sort_row(bench *b, figure *f, size_t n)
{
    char options[32];
    snprintf(options, sizeof options, "-DHIST_WG=%d", THESIS_GROUP);
    thesis_job j = job_new(b, n);
    j.kernels[0] = raw_kernel(&b->raw, "bitonic.cl", "hist_tile", options);
    j.kernels[1] = raw_kernel(&b->raw, "bitonic.cl", "hist_stride", options);
    double bytes = 8 * (double)n;
    thesis_measure_array(&j, f, "firepile", firepile_sort, 0, bytes, PLACE_ARRAY);
    if (bitonic_fits(b, n)) {
        thesis_measure_array(&j, f, "firepile bitonic", firepile_bitonic, 0, bytes, PLACE_ARRAY);
        thesis_measure_array(&j, f, "raw OpenCL bitonic", raw_bitonic, 0, bytes, PLACE_BUFFER);
    }
    thesis_measure_array(&j, f, "C qsort", plain_sort, 0, bytes, PLACE_HOST);
    thesis_job_free(&j);
}

static void algorithms_row(bench *b, figure *f, size_t n)
{
    thesis_job j = job_new(b, n);
    double bytes = 8 * (double)n;
    if (bitonic_fits(b, n)) thesis_measure_array(&j, f, "bitonic", firepile_bitonic, 0, bytes, PLACE_ARRAY);
    thesis_measure_array(&j, f, "merge", firepile_merge, 0, bytes, PLACE_ARRAY);
    thesis_measure_array(&j, f, "radix", firepile_radix, 0, bytes, PLACE_ARRAY);
    thesis_job_free(&j);
}

void thesis_sort_figure(bench *b)
{
    figure f = {.name = "thesis-sort",
                .title = "Thesis: sort over sizes",
                .source = "GPU Parallel Collections for Scala, table 5 and figure 16: sort, of random floats. The "
                          "thesis has sizes up to 1,048,576.",
                .rows = "elements",
                .unit = "milliseconds"};
    for (size_t k = 0; k < b->size_count; k++) {
        size_t n = b->sizes[k];
        if (n >= TILE && (n & (n - 1)) == 0) sort_row(b, &f, n); /* what the sort by hand takes */
    }
    report_figure(&b->report, &f);
}

void thesis_algorithms_figure(bench *b)
{
    figure f = {.name = "sort-algorithms",
                .title = "Where bitonic, merge and radix cross",
                .source = "The library's three algorithms for sort, on random floats.",
                .rows = "elements",
                .unit = "milliseconds"};
    size_t most = b->raw.cpu ? MOST_ON_CPU : MOST;
    for (size_t n = LEAST; n <= most && n <= b->capacity; n *= 2) algorithms_row(b, &f, n);
    report_figure(&b->report, &f);
}
