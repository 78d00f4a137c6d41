#include "papers.h"

#include <stdlib.h>

static const char *ending_name(ending e)
{
    return e == ENDING_ATOMIC ? "ATOMIC" : e == ENDING_LAST_GROUP ? "LAST_GROUP" : "PARTIALS";
}

static cl_kernel kernel_of(raw *r, const recipe *how)
{
    char options[512];
    snprintf(
        options, sizeof options,
        "-DHIST_T=%s -DHIST_FLOAT=%d -DHIST_WG=%zu -DHIST_STRIDE=HIST_%s -DHIST_TREE=HIST_%s -DHIST_ENDING=HIST_%s",
        how->floats ? "float" : "int", how->floats, how->group, how->stride, how->tree, ending_name(how->ending));
    return raw_kernel(r, "reduce.cl", "hist_reduce", options);
}

static bool has_tree(const recipe *how)
{
    return how->tree[0] != 'N';
}

/* Values that are left after one launch. */
static size_t groups_for(const recipe *how, size_t n)
{
    size_t tile = how->group * how->items;
    return (n + tile - 1) / tile;
}

reduction reduction_new(bench *b, const recipe *how, size_t n)
{
    reduction r = {.how = *how, .raw = &b->raw, .input = how->floats ? b->float_input : b->int_input, .n = n};
    r.first = kernel_of(r.raw, how);
    recipe tree = {"GLOBAL", "UNROLLED", how->ending, how->floats, how->group, how->items};
    r.rest = has_tree(how) ? r.first : kernel_of(r.raw, &tree);
    size_t values = groups_for(how, n) * (has_tree(how) ? 1 : how->group);
    r.host = calloc(values, sizeof(float));
    return r;
}

void reduction_free(reduction *r)
{
    if (r->rest != r->first) clReleaseKernel(r->rest);
    clReleaseKernel(r->first);
    free(r->host);
}

static size_t launch(reduction *r, cl_kernel kernel, cl_mem input, size_t n, cl_mem partial)
{
    size_t groups = groups_for(&r->how, n);
    raw_argument(kernel, 0, &input, sizeof input);
    raw_argument(kernel, 1, &(cl_ulong){n}, sizeof(cl_ulong));
    raw_argument(kernel, 2, &(cl_ulong){r->how.items}, sizeof(cl_ulong));
    raw_argument(kernel, 3, &partial, sizeof partial);
    raw_argument(kernel, 4, &r->raw->result, sizeof r->raw->result);
    raw_argument(kernel, 5, &r->raw->ticket, sizeof r->raw->ticket);
    raw_launch(r->raw->queue, kernel, groups, r->how.group, NULL);
    return groups;
}

/* Brings `count` values to the host and adds them up there. */
static double read_sum(reduction *r, cl_mem buffer, size_t count)
{
    raw_read(r->raw, buffer, r->host, count * sizeof(float));
    double sum = 0;
    if (r->how.floats) {
        for (size_t k = 0; k < count; k++) sum += (double)((float *)r->host)[k];
    } else {
        for (size_t k = 0; k < count; k++) sum += ((int *)r->host)[k];
    }
    return sum;
}

static double finish_by_launches(reduction *r, size_t count)
{
    int at = 0;
    for (; count > 1; at = !at) count = launch(r, r->rest, r->raw->partial[at], count, r->raw->partial[!at]);
    return read_sum(r, r->raw->partial[at], 1);
}

bool reduction_run(void *job, double *value)
{
    reduction *r = job;
    if (r->how.ending == ENDING_ATOMIC) {
        raw_check(clEnqueueFillBuffer(r->raw->queue, r->raw->result, &(cl_int){0}, sizeof(cl_int), 0, sizeof(cl_int), 0,
                                      NULL, NULL),
                  "clEnqueueFillBuffer");
    }
    size_t count = launch(r, r->first, r->input, r->n, r->raw->partial[0]);
    if (!has_tree(&r->how)) count *= r->how.group;
    switch (r->how.ending) {
    case ENDING_HOST:
        *value = read_sum(r, r->raw->partial[0], count);
        break;
    case ENDING_LAUNCHES:
        *value = finish_by_launches(r, count);
        break;
    case ENDING_ATOMIC:
    case ENDING_LAST_GROUP:
        *value = read_sum(r, r->raw->result, 1);
        break;
    }
    return true;
}

void reduction_measure(bench *b, figure *f, const char *row, const char *column, const recipe *how, size_t n)
{
    reduction r = reduction_new(b, how, n);
    sample s = measure(reduction_run, &r, expected_sum(b, n), b->budget_ms);
    figure_sample(&b->report, f, row, column, n, 4.0 * (double)n, &s);
    reduction_free(&r);
}
