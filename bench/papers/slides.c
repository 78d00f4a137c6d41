/* The first kernel of "Optimizing Parallel Reduction in CUDA" (M. Harris) and its bandwidth accounting: 2^22 ints,
 * groups of 128, one element per work-item, an interleaved tree with a divergent branch, launched until one value is
 * left. */
#include "papers.h"

enum { GROUP = 128, REPEATS = 11, MAX_LAUNCHES = 8 };

static double device_ms(cl_event event)
{
    cl_ulong start, end;
    raw_check(clWaitForEvents(1, &event), "clWaitForEvents");
    raw_check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL),
              "clGetEventProfilingInfo");
    raw_check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL),
              "clGetEventProfilingInfo");
    clReleaseEvent(event);
    return (double)(end - start) * 1e-6;
}

/* The device's own time for a launch over n elements, and for a copy of them. */
static double launch_ms(raw *r, cl_command_queue queue, cl_kernel kernel, cl_mem input, size_t n, cl_mem output)
{
    double times[REPEATS];
    raw_argument(kernel, 0, &input, sizeof input);
    raw_argument(kernel, 1, &(cl_ulong){n}, sizeof(cl_ulong));
    raw_argument(kernel, 2, &(cl_ulong){1}, sizeof(cl_ulong));
    raw_argument(kernel, 3, &output, sizeof output);
    raw_argument(kernel, 4, &r->result, sizeof(cl_mem));
    raw_argument(kernel, 5, &r->ticket, sizeof(cl_mem));
    for (int k = -1; k < REPEATS; k++) {
        cl_event event;
        raw_launch(queue, kernel, (n + GROUP - 1) / GROUP, GROUP, &event);
        double ms = device_ms(event);
        if (k >= 0) times[k] = ms;
    }
    return median(times, REPEATS);
}

static double copy_gbps(cl_command_queue queue, cl_mem from, cl_mem to, size_t bytes)
{
    double times[REPEATS];
    for (int k = -1; k < REPEATS; k++) {
        cl_event event;
        raw_check(clEnqueueCopyBuffer(queue, from, to, 0, 0, bytes, 0, NULL, &event), "clEnqueueCopyBuffer");
        double ms = device_ms(event);
        if (k >= 0) times[k] = ms;
    }
    return 2 * (double)bytes / median(times, REPEATS) / 1e6;
}

static void put_row(figure *f, const char *row, size_t n, double ms, double copy)
{
    double gbps = (double)n * sizeof(int) / ms / 1e6;
    figure_put(f, row, "GB/s", gbps);
    figure_put(f, row, "ms", ms);
    figure_put(f, row, "elements", (double)n);
    figure_put(f, row, "work-groups", (double)((n + GROUP - 1) / GROUP));
    figure_put(f, row, "percent of a copy", 100 * gbps / copy);
}

static void put_launches(bench *b, figure *f, const reduction *r)
{
    cl_int status;
    cl_command_queue queue = clCreateCommandQueue(b->raw.context, b->raw.device, CL_QUEUE_PROFILING_ENABLE, &status);
    raw_check(status, "clCreateCommandQueue");
    double copy = copy_gbps(queue, b->int_input, b->raw.partial[0], r->n * sizeof(int));
    double total = 0;
    cl_mem input = r->input;
    size_t n = r->n;
    for (int k = 0; n > 1 && k < MAX_LAUNCHES; k++) {
        char row[32];
        snprintf(row, sizeof row, "launch %d", k + 1);
        double ms = launch_ms(&b->raw, queue, r->first, input, n, b->raw.partial[k % 2]);
        put_row(f, row, n, ms, copy);
        total += ms;
        input = b->raw.partial[k % 2];
        n = (n + GROUP - 1) / GROUP;
    }
    put_row(f, "all launches", r->n, total, copy);
    sample s = measure(reduction_run, (void *)r, expected_sum(b, r->n), b->budget_ms);
    figure_sample(&b->report, f, "value on the host", "ms", r->n, 4.0 * (double)r->n, &s);
    if (s.ok) put_row(f, "value on the host", r->n, report_ms(&b->report, &s), copy);
    clReleaseCommandQueue(queue);
}

void figure_slides(bench *b)
{
    figure f = {
        .name = "slides-reduction-1",
        .title = "The slides: reduction #1 and its bandwidth",
        .source = "Optimizing Parallel Reduction in CUDA, the first kernel on ints; bytes read over the device's time "
                  "for each launch, over all launches, and over the time until the host has the value.",
        .rows = "launch",
        .unit = "GB/s",
        .bars = true,
        .plotted = 1};
    size_t n = (size_t)1 << 22;
    if (n > b->capacity) n = b->capacity;
    const recipe how = {"GLOBAL", "DIVERGENT", ENDING_LAUNCHES, false, GROUP, 1};
    reduction r = reduction_new(b, &how, n);
    put_launches(b, &f, &r);
    reduction_free(&r);
    report_figure(&b->report, &f);
}
