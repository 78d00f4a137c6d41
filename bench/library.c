#include "bench.h"

#include <stdlib.h>
#include <string.h>

typedef struct library_trial {
    bench_trial trial;
    const bench_op *op;
    gpu *g;
    const gpu_array *in;
    void *value;
    gpu_array *array;
} library_trial;

/* A failure is worth a line: the report has no room for it. */
static bool ok(gpu_status status)
{
    if (status) fprintf(stderr, "bench: %s\n", gpu_error());
    return !status;
}

static bool run_value(bench_trial *trial)
{
    library_trial *t = (library_trial *)trial;
    bench_gpu = t->g;
    return ok(t->op->value(t->in, t->value));
}

/* Poisons the value, so that the next run has to bring one. */
static bool read_value(bench_trial *trial, void *out)
{
    library_trial *t = (library_trial *)trial;
    memcpy(out, t->value, t->op->result);
    memset(t->value, 0x5a, t->op->result);
    return true;
}

/* As in a program's loop, each call frees what the one before it made. */
static bool run_array(bench_trial *trial)
{
    library_trial *t = (library_trial *)trial;
    bench_gpu = t->g;
    gpu_array_free(t->array);
    t->array = gpu_eval(t->op->array(t->in));
    return (t->op->awaited || ok(gpu_finish(t->g))) && ok(gpu_array_status(t->array));
}

static bool read_array(bench_trial *trial, void *out)
{
    library_trial *t = (library_trial *)trial;
    return ok(gpu_read(t->array, out));
}

static void free_trial(bench_trial *trial)
{
    library_trial *t = (library_trial *)trial;
    gpu_array_free(t->array);
    free(t->value);
    free(t);
}

bench_trial *library_start(const bench_op *op, gpu *g, const gpu_array *in)
{
    library_trial *t = malloc(sizeof *t);
    if (!t) return NULL;
    *t = (library_trial){.trial = {run_array, read_array, free_trial}, .op = op, .g = g, .in = in};
    if (!op->value) return &t->trial;
    t->trial = (bench_trial){run_value, read_value, free_trial};
    t->value = calloc(1, op->result);
    if (t->value) return &t->trial;
    free(t);
    return NULL;
}

gpu *open_device(const char *name)
{
    gpu *g = gpu_open(name);
    if (!g) fprintf(stderr, "bench: %s\n", gpu_error());
    if (!g || gpu_queue(g)) return g;
    fprintf(stderr, "bench: the device is \"%s\", expected an OpenCL device: name one with --device\n",
            gpu_device_name(g));
    gpu_close(g);
    return NULL;
}

cl_device_id device_of(gpu *g)
{
    cl_device_id device = NULL;
    clGetCommandQueueInfo(gpu_queue(g), CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    return device;
}

gpu *open_profiled(gpu *g)
{
    cl_context context = NULL;
    clGetCommandQueueInfo(gpu_queue(g), CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device_of(g), CL_QUEUE_PROFILING_ENABLE, NULL);
    gpu *profiled = gpu_open_with(context, queue);
    if (queue) clReleaseCommandQueue(queue);
    return profiled;
}
