#include "bench.h"

#include <stdlib.h>

typedef struct copy_trial {
    bench_trial trial;
    cl_command_queue queue;
    cl_mem from, to;
    size_t bytes;
} copy_trial;

static bool run(bench_trial *trial)
{
    copy_trial *t = (copy_trial *)trial;
    return !clEnqueueCopyBuffer(t->queue, t->from, t->to, 0, 0, t->bytes, 0, NULL, NULL) && !clFinish(t->queue);
}

static bool read_copy(bench_trial *trial, void *out)
{
    copy_trial *t = (copy_trial *)trial;
    return !clEnqueueReadBuffer(t->queue, t->to, CL_TRUE, 0, t->bytes, out, 0, NULL, NULL);
}

static void free_trial(bench_trial *trial)
{
    copy_trial *t = (copy_trial *)trial;
    if (t->from) clReleaseMemObject(t->from);
    if (t->to) clReleaseMemObject(t->to);
    free(t);
}

bench_trial *copy_start(cl_command_queue queue, const void *data, size_t bytes)
{
    copy_trial *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    *t = (copy_trial){.trial = {run, read_copy, free_trial}, .queue = queue, .bytes = bytes};
    cl_context context;
    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    t->from = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, (void *)data, NULL);
    t->to = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
    if (t->from && t->to) return &t->trial;
    free_trial(&t->trial);
    return NULL;
}
