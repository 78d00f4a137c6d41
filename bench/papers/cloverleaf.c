/* CloverLeaf's pair of kernels, one meant for GPUs and one for CPUs, each on both kinds of device. */
#include "papers.h"

enum { GROUP = 128, CHUNKS_PER_UNIT = 4 };

typedef struct job {
    raw *raw;
    cl_kernel kernel;
    cl_mem input;
    size_t n;
    bool chunks; /* the CPU's kernel: groups of one work-item */
} job;

static size_t groups_for(const job *j, size_t n)
{
    if (!j->chunks) return (n + 2 * GROUP - 1) / (2 * GROUP);
    size_t chunks = j->raw->compute_units * CHUNKS_PER_UNIT;
    return n > chunks ? chunks : 1;
}

static bool run(void *data, double *value)
{
    job *j = data;
    cl_mem input = j->input;
    size_t count = j->n;
    for (int turn = 0; count > 1; turn = !turn) {
        cl_mem output = j->raw->partial[turn];
        raw_argument(j->kernel, 0, &input, sizeof input);
        raw_argument(j->kernel, 1, &(cl_ulong){count}, sizeof(cl_ulong));
        raw_argument(j->kernel, 2, &output, sizeof output);
        count = groups_for(j, count);
        raw_launch(j->raw->queue, j->kernel, count, j->chunks ? 1 : GROUP, NULL);
        input = output;
    }
    float sum;
    raw_read(j->raw, input, &sum, sizeof sum);
    *value = (double)sum;
    return true;
}

static void measure_kernel(bench *b, figure *f, raw *r, cl_mem input, bool chunks)
{
    char options[32], column[64];
    snprintf(options, sizeof options, "-DHIST_WG=%d", GROUP);
    snprintf(column, sizeof column, "%s kernel on %s", chunks ? "CPU" : "GPU", r->cpu ? "a CPU" : "a GPU");
    job j = {.raw = r, .input = input, .chunks = chunks};
    j.kernel = raw_kernel(r, "cloverleaf.cl", chunks ? "hist_cpu" : "hist_gpu", options);
    for (size_t k = 0; k < b->size_count; k++) {
        char row[32];
        j.n = b->sizes[k];
        snprintf(row, sizeof row, "%zu", j.n);
        sample s = measure(run, &j, expected_sum(b, j.n), b->budget_ms);
        figure_sample(&b->report, f, row, column, j.n, 4.0 * (double)j.n, &s);
    }
    clReleaseKernel(j.kernel);
}

/* The other kind of device, if the machine has one. */
static void measure_other(bench *b, figure *f)
{
    raw other;
    if (!raw_open(&other, b->raw.cpu ? "gpu" : "cpu", b->kernels)) return;
    if (other.cpu != b->raw.cpu) {
        raw_reserve(&other, b->capacity);
        cl_mem input = raw_buffer(&other, b->capacity * sizeof(float));
        raw_write(&other, input, b->floats, b->capacity * sizeof(float));
        measure_kernel(b, f, &other, input, false);
        measure_kernel(b, f, &other, input, true);
        clReleaseMemObject(input);
    }
    raw_close(&other);
}

void figure_cloverleaf(bench *b)
{
    figure f = {.name = "cloverleaf",
                .title = "CloverLeaf: the GPU's and the CPU's kernel on each kind of device",
                .source =
                    "The OpenCL port of CloverLeaf, its two-level sum of a field: a tree in local memory for GPUs, one "
                    "work-item for each chunk for CPUs; launched until one value is left.",
                .rows = "elements",
                .unit = "milliseconds"};
    measure_kernel(b, &f, &b->raw, b->float_input, false);
    measure_kernel(b, &f, &b->raw, b->float_input, true);
    measure_other(b, &f);
    report_figure(&b->report, &f);
}
