#include "arrays/array.h"
#include "base/error.h"
#include "host/host.h"
#include "planning/elements.h"
#include "planning/eval.h"
#include "planning/execute.h"
#include "planning/plan.h"

#include <firepile/histogram.h>
#include <math.h>
#include <string.h>

/* Counts have 32 bits, since every device can add to those atomically. Longer arrays are counted in slices. */
static const size_t most_counted = (size_t)1 << 31;

/* The zeros behind the ticket have room for so few bins, and for the elements outside. */
enum { FEW = FP_ZEROS - FP_TICKETS - 1 };

/* GPU: work-items of a group, and the elements that each has in flight. Registers leave room for half of the items that
 * a device holds, so more groups would wait. */
enum { GROUP = 512, ITEMS_PER_THREAD = 8, RESIDENT_SHARE = 2 };

/* GPU: the places of local memory in which a group counts, if there is as much, and the most copies of each bin. Items
 * wait for each other at the same bin, and in the same of 32 banks. With 32 copies none wait. Clearing the copies and
 * adding them up takes longer than the waits that they spare, if a group has fewer than FEW_ELEMENTS. */
enum { PLACES = 9216, MOST_COPIES = 32, FEW_COPIES = 8, FEW_ELEMENTS = 1 << 14 };

/* CPU: the fewest elements of a chunk for each bin, since its own counts are cleared and added up; the copies of each
 * bin, and the bins that have them: all copies stay in the first cache. The counts of a row are a multiple of LINE. */
enum { WORTH = 16, COPIES = 4, MOST_COPIED = 1024, LINE = 64 };

typedef struct histogram {
    const void *low, *high;
    uint32_t bins;
    bool huge;  /* integers: products exceed 64 bits */
    bool exact; /* integers: quotients of doubles find the bins */
} histogram;

/* ---- bounds ---- */

static double as_double(gpu_type type, const void *value)
{
    if (type == GPU_DOUBLE) return *(const double *)value;
    return (double)*(const float *)value;
}

/* The bits of an integer, extended to 64 by its sign. */
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
    h->exact = h->bins <= INT32_MAX && high - low <= (UINT64_C(1) << 51) / h->bins;
    if (is_signed ? (int64_t)low < (int64_t)high : low < high) return GPU_OK;
    if (is_signed)
        return fp_fail(GPU_E_ARGUMENT, "the bounds are %lld and %lld: low must be below high", (long long)low,
                       (long long)high);
    return fp_fail(GPU_E_ARGUMENT, "the bounds are %llu and %llu: low must be below high", (unsigned long long)low,
                   (unsigned long long)high);
}

static gpu_status check_bounds(gpu_type type, histogram *h)
{
    return type->kind == GPU_KIND_FLOATING ? check_floating(type, h) : check_integer(type, h);
}

static gpu_status check(gpu_type type, const gpu_value *low, const gpu_value *high, size_t bins, histogram *out)
{
    gpu_status status = fp_check_scalars(type);
    if (!status) status = fp_check_value(low, type, "low");
    if (!status) status = fp_check_value(high, type, "high");
    if (status) return status;
    if (bins == 0) return fp_fail(GPU_E_ARGUMENT, "there are no bins: there must be at least one");
    if (bins >= UINT32_MAX)
        return fp_fail(GPU_E_MEMORY, "cannot count in %zu bins: at most %u are possible", bins, UINT32_MAX - 1);
    *out = (histogram){.low = low->pointer, .high = high->pointer, .bins = (uint32_t)bins};
    return check_bounds(type, out);
}

/* ---- counting ---- */

/* Does the launch that counts make sums of 64 bits, too? */
static bool adds_up(const gpu *g, size_t bins)
{
    return g->policy.cpu || bins <= FEW;
}

/* The shape of a launch. */
typedef struct shape {
    unsigned group;
    size_t groups;
    uint64_t chunk;
    size_t places; /* GPU: in local memory; 0: there is too little */
    size_t copies; /* GPU: of each bin */
} shape;

/* The buffers that counts go to. */
typedef struct target {
    fp_buffer *counts; /* zeros; for few bins, behind the ticket */
    fp_buffer *sums;   /* for few bins: ulongs; else NULL */
    uint32_t earlier;  /* other slices are in the sums */
} target;

/* The sizes of local memory are few, so programs are few. 0: there is too little. */
static size_t choose_places(const gpu *g, size_t counts)
{
    size_t places = PLACES, most = g->capabilities->local_bytes / 4 * 3 / sizeof(uint32_t);
    while (places < counts) places *= 2;
    return places <= most ? places : counts <= most ? most : 0;
}

static shape choose_shape(const gpu *g, size_t n, size_t bins)
{
    const fp_policy *policy = &g->policy;
    shape s = {.group = 1, .copies = 1};
    if (policy->cpu) {
        size_t most = n / (WORTH * bins) + 1;
        s.chunk =
            fp_chunk_of(n, policy->least_chunk, most < policy->most_chunks ? most : policy->most_chunks, &s.groups);
        if (bins < MOST_COPIED) s.copies = COPIES;
        return s;
    }
    s.places = choose_places(g, bins + 1);
    s.group = fp_group_of(policy, GROUP);
    fp_chunk_of(n, s.group * ITEMS_PER_THREAD, policy->resident / (RESIDENT_SHARE * s.group), &s.groups);
    const size_t most = n / s.groups < FEW_ELEMENTS ? FEW_COPIES : MOST_COPIES;
    while (s.copies < most && 2 * s.copies * (bins + 1) <= s.places) s.copies *= 2;
    return s;
}

static void add_slots(fp_plan *plan, const histogram *h, const shape *s)
{
    gpu_type type = plan->type;
    const bool floating = type->kind == GPU_KIND_FLOATING;
    fp_plan_slot(plan, "FP_FLOATING", floating);
    fp_plan_name(plan, "FP_GUESS", floating ? type : GPU_FLOAT);
    fp_plan_name(plan, "FP_DISTANCE", type->size > sizeof(uint32_t) ? GPU_ULONG : GPU_UINT);
    fp_plan_slot(plan, "FP_HUGE", h->huge);
    if (plan->g->policy.cpu) fp_plan_slot(plan, "FP_EXACT", h->exact && plan->g->capabilities->has_double);
    fp_plan_slot(plan, "FP_COPIES", s->copies);
    if (plan->g->policy.cpu) return;
    fp_plan_slot(plan, "FP_LOCAL", s->places);
    fp_plan_slot(plan, "FP_ITEMS_PER_THREAD", fp_plan_largest_read(plan) ? ITEMS_PER_THREAD : 1);
}

/* The arguments of a launch behind the bounds and the bins. */
static unsigned add_args(const shape *s, const target *to, fp_buffer *rows, fp_arg *args)
{
    static const uint64_t counts_from = FP_TICKETS;
    unsigned count = 0;
    args[count++] = (fp_arg){.buffer = to->counts};
    if (to->sums && !rows) args[count++] = (fp_arg){FP_ARG_VALUE(counts_from)};
    if (to->sums) args[count++] = (fp_arg){FP_ARG_VALUE(to->earlier)};
    if (to->sums) args[count++] = (fp_arg){.buffer = to->sums};
    if (rows) args[count++] = (fp_arg){FP_ARG_VALUE(s->chunk)};
    if (rows) args[count++] = (fp_arg){.buffer = rows};
    return count;
}

static gpu_status launch_count(const fp_ready *input, const histogram *h, const target *to, fp_buffer *rows,
                               const shape *s)
{
    gpu_type type = input->node->type;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "histogram", type, input);
    if (status) return status;
    add_slots(plan, h, s);
    if (!rows) fp_plan_slot(plan, "FP_FEW", to->sums != NULL);
    fp_arg args[8] = {
        {.value = h->low, .bytes = type->size}, {.value = h->high, .bytes = type->size}, {FP_ARG_VALUE(h->bins)}};
    const unsigned count = 3 + add_args(s, to, rows, args + 3);
    return fp_plan_launch(plan, args, count, s->groups, s->group);
}

static gpu_status count(const fp_ready *input, const histogram *h, const target *to)
{
    gpu *g = input->node->g;
    const shape s = choose_shape(g, input->length, h->bins);
    if (!g->policy.cpu) return launch_count(input, h, to, NULL, &s);
    fp_node *rows = fp_temporary(g, GPU_UINT, s.groups * fp_round_up((h->bins + (size_t)1) * s.copies, LINE), NULL);
    gpu_status status = rows ? launch_count(input, h, to, rows->buffer, &s) : fp_last_status();
    fp_node_drop(rows);
    return status;
}

/* Counts in many bins. They begin as zeros. */
static gpu_status count_many(const fp_ready *slice, const histogram *h, fp_buffer *counts)
{
    const uint32_t zero = 0;
    gpu_status status = fp_launch_fill(slice->node->g, GPU_UINT, &zero, h->bins + (size_t)1, counts);
    return status ? status : count(slice, h, &(target){.counts = counts});
}

/* Adds the counts of a slice to the sums, if there are earlier ones. */
static gpu_status add_up(fp_node *counts, bool earlier, fp_node *sums)
{
    fp_node *const both[] = {counts, sums};
    fp_node *next = fp_node_map_own(GPU_ULONG, earlier ? "x + y" : "x", NULL, both, earlier ? 2 : 1);
    if (!next) return fp_last_status();
    gpu_status status = fp_launch_map(&(fp_ready){.node = next, .length = sums->length}, sums->buffer);
    fp_node_drop(next);
    return status;
}

static gpu_status count_slice(const fp_ready *slice, const histogram *h, bool earlier, fp_node *sums)
{
    const target few = {.counts = slice->node->g->ticket, .sums = sums->buffer, .earlier = earlier};
    if (adds_up(slice->node->g, h->bins)) return count(slice, h, &few);
    if (sums->type == GPU_UINT) return count_many(slice, h, sums->buffer);
    fp_node *counts = fp_temporary(sums->g, GPU_UINT, sums->length, NULL);
    gpu_status status = counts ? count_many(slice, h, counts->buffer) : fp_last_status();
    if (!status) status = add_up(counts, earlier, sums);
    fp_node_drop(counts);
    return status;
}

/* Counts slice by slice. Each is prepared by itself. */
static gpu_status count_slices(const fp_ready *input, const histogram *h, fp_node *sums)
{
    if (input->length <= most_counted) return count_slice(input, h, false, sums);
    gpu_status status = GPU_OK;
    for (size_t first = 0; first < input->length && !status; first += most_counted) {
        size_t length = input->length - first < most_counted ? input->length - first : most_counted;
        fp_node *slice = fp_node_slice(input->node, first, length);
        fp_ready ready;
        status = slice ? fp_node_prepare(slice, NULL, 0, &ready) : fp_last_status();
        if (!status) status = count_slice(&ready, h, first > 0, sums);
        fp_node_drop(slice);
    }
    return status;
}

static gpu_status launch(fp_request *r)
{
    const fp_node *node = r->input.node;
    histogram h = {.low = r->bounds[0], .high = r->bounds[1], .bins = (uint32_t)r->number};
    gpu_status status = check_bounds(node->type, &h);
    fp_node *sums = fp_node_buffer(node->g, r->outputs[0].type, r->outputs[0].length, r->outputs[0].buffer, 0);
    if (!status) status = sums ? count_slices(&r->input, &h, sums) : fp_last_status();
    fp_node_drop(sums);
    return status;
}

/* The bounds of bins are quotients. */
static bool is_comparable(const fp_request *r)
{
    const fp_node *node = r->input.node;
    return node->type->kind != GPU_KIND_FLOATING || node->g->capabilities->exact_division;
}

static const fp_primitive operation = {
    .name = "histogram", .launch = launch, .run = fp_host_histogram, .comparable = is_comparable};

/* ---- results ---- */

static gpu_status count_nothing(const fp_node *node, size_t bins, fp_node **sums)
{
    const uint64_t zero = 0;
    gpu_status status = fp_node_give(fp_node_fill_after(node, GPU_ULONG, &zero, bins), &sums[0]);
    return status ? status : fp_node_give(fp_node_fill_after(node, GPU_ULONG, &zero, 1), &sums[1]);
}

/* Some of the counts, as ulongs. */
static fp_node *widened(fp_node *all, size_t first, size_t length)
{
    fp_node *part = fp_node_slice(all, first, length);
    if (!part || part->type == GPU_ULONG) return part;
    fp_node *wide = fp_node_map_own(GPU_ULONG, "x", NULL, &part, 1);
    fp_node_drop(part);
    return wide;
}

/* The counts, and that of the elements outside, are two arrays of one buffer. Readers widen counts of 32 bits. */
static gpu_status count_all(const fp_ready *input, const fp_task *task, fp_node **sums)
{
    const size_t bins = task->numbers[0];
    const bool wide = adds_up(input->node->g, bins) || input->length > most_counted;
    fp_node *all = NULL;
    fp_request r = {.primitive = &operation,
                    .input = *input,
                    .bounds = {task->values[0], task->values[1]},
                    .number = bins,
                    .outputs = {{.type = wide ? GPU_ULONG : GPU_UINT, .length = bins + 1}},
                    .output_count = 1};
    gpu_status status = fp_execute(&r, &all);
    if (status) return status;
    sums[0] = widened(all, 0, bins);
    sums[1] = widened(all, bins, 1);
    fp_node_drop(all);
    return sums[0] && sums[1] ? GPU_OK : fp_last_status();
}

/* values: the bounds; numbers[0]: the bins. The host must know the length of what it slices. */
static gpu_status run(const fp_task *task, fp_node **sums)
{
    fp_node *node = task->inputs[0];
    size_t length = fp_node_most(node);
    fp_ready input;
    gpu_status status = length > most_counted ? fp_node_wait_length(node, &length) : GPU_OK;
    if (!status) status = fp_node_prepare(node, NULL, 0, &input);
    if (status) return status;
    return input.length ? count_all(&input, task, sums) : count_nothing(node, task->numbers[0], sums);
}

gpu_status gpu_histogram_op(const gpu_array *a, const gpu_value *low, const gpu_value *high, size_t bins,
                            gpu_array **counts, gpu_array **outside, const gpu_place *place)
{
    histogram h = {.bins = 0};
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_histogram", place);
    fp_task task = {.run = run};
    gpu_status status = counts ? GPU_OK : fp_fail(GPU_E_ARGUMENT, "the output pointer 'counts' is NULL");
    if (!status) status = fp_task_input(&task, a, "a");
    if (!status) status = check(a->node->type, low, high, bins, &h);
    task.values[0] = h.low;
    task.values[1] = h.high;
    task.numbers[0] = h.bins;
    if (!status) fp_task_gives_two(&task, GPU_ULONG, GPU_ULONG);
    return fp_two_end(&entry, &task, status, counts, outside);
}
