#include "array/plan.h"
#include "base/error.h"
#include "kernel/type.h"
#include "ops/two.h"

#include <firepile/histogram.h>
#include <math.h>
#include <string.h>

/* Counts are kept in 32 bits, so that every device can add to them: longer arrays are counted in slices. */
enum { SLICE_LOG = 31 };

/* Work-items of a GPU's group, each with so many elements at least that adding up the group's counts is worth it. */
enum { GROUP = 512, LEAST_ELEMENTS = 16 };

/* On a CPU a chunk has so many elements for each bin: its own counts have to be cleared and added up. */
enum { WORTH = 4 };

typedef struct histogram {
    const void *low, *high;
    uint32_t bins;
    bool huge; /* integers: products exceed 64 bits */
} histogram;

/* ---- bounds ---- */

static double as_double(gpu_type type, const void *value)
{
    if (type == GPU_DOUBLE) return *(const double *)value;
    return (double)*(const float *)value;
}

/* An integer's bits, extended to 64 by its sign if it has one. */
static uint64_t as_bits(gpu_type type, const void *value)
{
    uint64_t bits = 0;
    memcpy(&bits, value, type->size);
    unsigned unused = 64 - 8 * (unsigned)type->size;
    return type->kind == GPU_KIND_SIGNED ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits;
}

static gpu_status check_floating(gpu_type type, const histogram *h)
{
    double low = as_double(type, h->low), high = as_double(type, h->high);
    double range = (high - low) * h->bins;
    if (low < high && isfinite(type == GPU_FLOAT ? (double)(float)range : range)) return GPU_OK;
    return fp_fail(
        GPU_E_ARGUMENT,
        "the bounds are %g and %g, for %u bins: low must be below high, and their difference times the bins finite",
        low, high, h->bins);
}

static gpu_status check_integer(gpu_type type, histogram *h)
{
    uint64_t low = as_bits(type, h->low), high = as_bits(type, h->high);
    bool is_signed = type->kind == GPU_KIND_SIGNED;
    h->huge = high - low > UINT64_MAX / h->bins;
    if (is_signed ? (int64_t)low < (int64_t)high : low < high) return GPU_OK;
    if (is_signed)
        return fp_fail(GPU_E_ARGUMENT, "the bounds are %lld and %lld: low must be below high", (long long)low,
                       (long long)high);
    return fp_fail(GPU_E_ARGUMENT, "the bounds are %llu and %llu: low must be below high", (unsigned long long)low,
                   (unsigned long long)high);
}

static gpu_status check(const gpu_array *a, const gpu_value *low, const gpu_value *high, size_t bins, histogram *out)
{
    gpu_status status = fp_array_check(a, "a");
    if (status) return status;
    gpu_type type = a->node->type;
    if (!fp_type_is_scalar(type)) return fp_fail(GPU_E_TYPE, "the elements must be scalars, and are %s", type->name);
    status = fp_check_value(low, type, "low");
    if (!status) status = fp_check_value(high, type, "high");
    if (status) return status;
    if (bins == 0) return fp_fail(GPU_E_ARGUMENT, "there are no bins: there must be at least one");
    if (bins >= UINT32_MAX)
        return fp_fail(GPU_E_MEMORY, "cannot count in %zu bins: at most %u are possible", bins, UINT32_MAX - 1);
    *out = (histogram){low->pointer, high->pointer, (uint32_t)bins, false};
    return type->kind == GPU_KIND_FLOATING ? check_floating(type, out) : check_integer(type, out);
}

/* ---- counting ---- */

/* How a launch is divided. */
typedef struct shape {
    unsigned group;
    size_t groups;
    uint64_t share;
    bool local; /* GPU: groups count in local memory */
} shape;

static shape choose_shape(const gpu *g, size_t n, size_t bins)
{
    const fp_policy *policy = &g->policy;
    shape s = {.group = 1};
    if (policy->cpu) {
        size_t most = n / (WORTH * bins) + 1;
        s.share = fp_share(n, policy->least_chunk, most < policy->most_chunks ? most : policy->most_chunks, &s.groups);
        return s;
    }
    s.local = (bins + 1) * sizeof(uint32_t) <= g->facts->local_bytes / 4 * 3;
    s.group = policy->group < GROUP ? policy->group : GROUP;
    fp_share(n, s.group * LEAST_ELEMENTS, policy->resident / s.group, &s.groups);
    return s;
}

static gpu_status launch(fp_node *node, const histogram *h, fp_buffer *counts, fp_buffer *own, const shape *s)
{
    const gpu *g = node->g;
    gpu_type type = node->type;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "histogram", type, node);
    if (status) return status;
    fp_plan_slot(plan, "FP_FLOATING", type->kind == GPU_KIND_FLOATING);
    fp_plan_name(plan, "FP_DISTANCE", type->size > sizeof(uint32_t) ? GPU_ULONG : GPU_UINT);
    fp_plan_slot(plan, "FP_HUGE", h->huge);
    if (!g->policy.cpu) fp_plan_slot(plan, "FP_LOCAL_BINS", s->local ? h->bins + 1 : 0);
    const fp_arg args[] = {{.value = h->low, .bytes = type->size},         {.value = h->high, .bytes = type->size},
                           {.value = &h->bins, .bytes = sizeof h->bins},   {.buffer = counts},
                           {.value = &s->share, .bytes = sizeof s->share}, {.buffer = own}};
    return fp_plan_launch(plan, args, g->policy.cpu ? 6 : 4, s->groups, s->group);
}

static gpu_status count(fp_node *node, const histogram *h, fp_buffer *counts)
{
    gpu *g = node->g;
    fp_buffer *own = NULL;
    gpu_status status = fp_node_prepare(node);
    const shape s = choose_shape(g, node->length, h->bins);
    if (!status && g->policy.cpu)
        status = fp_buffer_new(g->device, s.groups * (h->bins + (size_t)1) * sizeof(uint32_t), &own);
    if (!status) status = launch(node, h, counts, own, &s);
    fp_buffer_drop(own);
    return status;
}

/* ---- results ---- */

/* `length` of the counts from `first` on, as ulongs, added to *sum if there is one yet. */
static gpu_status add_up(fp_node *counts, size_t first, size_t length, fp_node **sum)
{
    gpu *g = counts->g;
    fp_operator *op;
    fp_node *part = fp_node_slice(counts, first, length);
    const gpu_operator widen = {.snippet = *sum ? "x + y" : "x"};
    gpu_status status = part ? fp_operator_bind(g, &widen, &(fp_role){"gpu_histogram", *sum ? 2 : 1, false, true}, &op)
                             : fp_last_status();
    fp_node *next = status ? NULL : fp_node_map(GPU_ULONG, op, (fp_node *const[]){part, *sum}, *sum ? 2 : 1);
    fp_node_drop(part);
    fp_node_drop(*sum);
    *sum = next;
    return next ? GPU_OK : fp_last_status();
}

/* Counts one slice into zeros of its own. */
static gpu_status count_slice(fp_node *slice, const histogram *h, fp_node **sums)
{
    const uint32_t zero = 0;
    fp_node *counts = fp_node_fill(slice->g, GPU_UINT, &zero, h->bins + (size_t)1);
    gpu_status status = counts ? fp_node_eval(counts) : fp_last_status();
    if (!status && slice->length) status = count(slice, h, counts->buffer);
    if (!status) status = fp_node_inherit(counts, slice);
    if (!status) status = add_up(counts, 0, h->bins, &sums[0]);
    if (!status) status = add_up(counts, h->bins, 1, &sums[1]);
    fp_node_drop(counts);
    return status;
}

static gpu_status run(fp_node *node, const histogram *h, fp_node **sums)
{
    const size_t most = (size_t)1 << SLICE_LOG;
    fp_node_count(node);
    if (node->length <= most) return count_slice(node, h, sums);
    gpu_status status = fp_node_settle(node);
    for (size_t first = 0; first < node->length && !status; first += most) {
        size_t length = node->length - first < most ? node->length - first : most;
        fp_node *slice = fp_node_slice(node, first, length);
        status = slice ? count_slice(slice, h, sums) : fp_last_status();
        fp_node_drop(slice);
    }
    return status;
}

gpu_status gpu_histogram_op(const gpu_array *a, const gpu_value *low, const gpu_value *high, size_t bins,
                            gpu_array **counts, gpu_array **outside, const gpu_place *place)
{
    fp_node *sums[2] = {NULL};
    histogram h;
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_histogram", place);
    gpu_status status = counts ? GPU_OK : fp_fail(GPU_E_ARGUMENT, "the output pointer 'counts' is NULL");
    if (!status) status = check(a, low, high, bins, &h);
    if (!status) status = run(a->node, &h, sums);
    return fp_two_end(&entry, status, sums, counts, outside);
}
