/* bench: this library's operations and the alternatives to it, on the device at hand. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

typedef struct bench {
    const bench_options *options;
    gpu *g;
    gpu *profiled; /* the same device through a queue that profiles, which may cost wall time */
    cl_device_id device;
    cl_ulong memory; /* bytes of the device */
    bool is_gpu, sizes_given;
    bench_peer_list peers;
    bench_report report;
} bench;

/* One operation at one size. */
typedef struct bench_case {
    const bench_op *op;
    size_t n;
    void *elements;
    gpu_array *in;
    bench_expected expected;
    double ours_ms;
} bench_case;

/* In the same context, so that it can use the same elements. */
static gpu *open_profiled(gpu *g)
{
    cl_device_id device = NULL;
    cl_context context = NULL;
    clGetCommandQueueInfo(gpu_queue(g), CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    clGetCommandQueueInfo(gpu_queue(g), CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, NULL);
    gpu *profiled = gpu_open_with(context, queue);
    if (queue) clReleaseCommandQueue(queue);
    return profiled;
}

static bool bench_open(bench *b, const bench_options *o)
{
    cl_device_type type = 0;
    *b = (bench){.options = o, .g = gpu_open(o->device)};
    if (b->g) b->profiled = open_profiled(b->g);
    if (!b->profiled) {
        fprintf(stderr, "bench: %s\n", gpu_error());
        gpu_close(b->g);
        return false;
    }
    clGetCommandQueueInfo(gpu_queue(b->g), CL_QUEUE_DEVICE, sizeof b->device, &b->device, NULL);
    clGetDeviceInfo(b->device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    clGetDeviceInfo(b->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof b->memory, &b->memory, NULL);
    b->is_gpu = type & CL_DEVICE_TYPE_GPU;
    peers_load(&b->peers, o->peers, b->device);
    return true;
}

/* The device's copy: a big one, the rate that others are compared with. */
static bool measure_copy(bench *b)
{
    size_t bytes = (size_t)1 << (b->is_gpu ? 30 : 28);
    while (bytes > b->memory / 8) bytes /= 2;
    void *data = malloc(bytes), *got = malloc(bytes);
    if (data) bench_generate_float(data, bytes / sizeof(float), 1);
    bench_trial *trial = data && got ? copy_start(gpu_queue(b->g), data, bytes) : NULL;
    if (trial) {
        report_progress("copy", "float", bytes / sizeof(float), "device");
        bench_row row = {
            .op = "copy", .type = "float", .who = "device", .n = bytes / sizeof(float), .bytes = 2 * (double)bytes};
        static const bench_op copy = {.name = "copy", .result = 1}; /* makes an array of bytes */
        row.sample = measure(trial, &(bench_expected){&copy, data, got, bytes});
        if (!row.sample.verdict) b->report.copy_gbps = row.bytes / row.sample.median_ms * 1e-6;
        report_row(&b->report, &row);
        trial->free(trial);
    } else {
        fprintf(stderr, "bench: there is no memory for a copy of %zu bytes\n", bytes);
    }
    free(data);
    free(got);
    return b->report.copy_gbps > 0;
}

static double kernel_ms(bench *b, const bench_case *c)
{
    gpu_array *in = gpu_array_wrap(b->profiled, c->op->type, gpu_array_mem(c->in, NULL), c->n);
    bench_trial *trial = library_start(c->op, b->profiled, in);
    double ms = trial ? measure_kernels(trial, b->profiled) : 0;
    if (trial) trial->free(trial);
    gpu_array_free(in);
    return ms;
}

/* Measures a trial and frees it. NULL stands for an operation that `who` does not have. */
static void measure_trial(bench *b, bench_case *c, const char *who, bench_trial *trial)
{
    if (!trial) return;
    const bench_op *op = c->op;
    report_progress(op->name, op->type->name, c->n, who);
    bench_row row = {
        .op = op->name, .type = op->type->name, .who = who, .n = c->n, .bytes = (double)op->bytes * (double)c->n};
    row.sample = measure(trial, &c->expected);
    if (!strcmp(who, REPORT_OURS)) {
        c->ours_ms = row.sample.median_ms;
        row.kernel_ms = kernel_ms(b, c);
    }
    row.ours_ms = c->ours_ms;
    report_row(&b->report, &row);
    trial->free(trial);
}

static void measure_all(bench *b, bench_case *c)
{
    bench_job job = {.op = c->op->name,
                     .type = c->op->type->name,
                     .n = c->n,
                     .element = c->op->type->size,
                     .elements = c->elements,
                     .buffer = gpu_array_mem(c->in, NULL),
                     .queue = gpu_queue(b->g)};
    measure_trial(b, c, REPORT_OURS, library_start(c->op, b->g, c->in));
    for (size_t k = 0; k < b->peers.count; k++)
        measure_trial(b, c, b->peers.peers[k]->name, b->peers.peers[k]->start(&job));
}

/* One size: input, output and what peers hold of them have to fit into the device's memory. */
static void measure_size(bench *b, bench_case *c, void *want)
{
    const bench_op *op = c->op;
    if (op->type->size * c->n > b->memory / 8) {
        fprintf(stderr, "bench: %s of %zu %s is left out: too much for the device's memory\n", op->name, c->n,
                op->type->name);
        return;
    }
    c->in = gpu_array_from(b->g, op->type, c->elements, c->n);
    if (gpu_array_status(c->in)) {
        fprintf(stderr, "bench: %s of %zu %s is left out: %s\n", op->name, c->n, op->type->name,
                gpu_array_error(c->in));
    } else {
        c->expected.want = want;
        c->expected.results = op->reference(c->elements, c->n, want);
        measure_all(b, c);
    }
    gpu_array_free(c->in);
}

/* The largest of the sizes that an operation is measured with; 0 if all are too large. */
static size_t largest_size(const bench *b, const bench_op *op)
{
    const bench_options *o = b->options;
    size_t limit = op->most, k = o->size_count;
    if (!b->is_gpu && !b->sizes_given && !limit) limit = op->most_on_cpu ? op->most_on_cpu : BENCH_MOST_ON_CPU;
    while (k > 0 && limit && o->sizes[k - 1] > limit) k--;
    return k > 0 ? o->sizes[k - 1] : 0;
}

static bool measure_op(bench *b, const bench_op *op)
{
    const bench_options *o = b->options;
    size_t most = largest_size(b, op), results = bench_results(op, most);
    if (!most) return true;
    bench_case c = {.op = op, .elements = malloc(most * op->type->size), .expected.op = op};
    void *want = malloc(results * op->result);
    c.expected.got = malloc(results * op->result);
    bool good = c.elements && want && c.expected.got;
    if (good) {
        report_progress(op->name, op->type->name, most, "the elements");
        op->generate(c.elements, most, 1);
        for (size_t k = 0; k < o->size_count && o->sizes[k] <= most; k++) {
            c.n = o->sizes[k];
            measure_size(b, &c, want);
        }
    } else {
        fprintf(stderr, "bench: there is no memory for %zu elements of %s\n", most, op->type->name);
    }
    free(c.elements);
    free(want);
    free(c.expected.got);
    return good;
}

static bool selected(const bench_options *o, const bench_op *op)
{
    return options_list_has(o->ops, op->name) && options_list_has(o->types, op->type->name);
}

static bool any_selected(const bench_options *o)
{
    for (const bench_op *op = bench_ops(); op; op = op->next)
        if (selected(o, op)) return true;
    fprintf(stderr, "bench: no operation fits --ops and --types; there are:\n");
    for (const bench_op *op = bench_ops(); op; op = op->next) fprintf(stderr, "  %s of %s\n", op->name, op->type->name);
    return false;
}

/* The exit status. */
static int measure_ops(bench *b)
{
    bool good = measure_copy(b);
    for (const bench_op *op = bench_ops(); op && good; op = op->next)
        if (selected(b->options, op)) good = measure_op(b, op);
    good = report_close(&b->report) && good;
    return !good ? 2 : b->report.wrong ? 1 : 0;
}

int main(int argc, char **argv)
{
    bench_options o;
    bench b;
    if (!options_read(&o, argc, argv)) return 2;
    if (o.help) return fputs(options_usage, stdout) == EOF;
    if (o.small) return small_arrays(o.device) ? 0 : 2;
    if (!any_selected(&o)) return 2;
    if (!bench_open(&b, &o)) return 2;
    b.sizes_given = o.size_count > 0;
    if (!b.sizes_given) options_sizes(&o, b.is_gpu ? "2^12..2^28" : "2^12,2^16,2^20,2^24,2^26");
    int status = 2;
    if (o.host_cost) {
        status = host_cost(b.g, &b.peers) ? 0 : 2;
    } else if (report_open(&b.report, gpu_device_name(b.g), o.format, o.folder)) {
        status = measure_ops(&b);
    }
    gpu_close(b.profiled);
    gpu_close(b.g);
    return status;
}
