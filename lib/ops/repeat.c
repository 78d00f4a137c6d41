/* Each element as often as a count says. */
#include "base/error.h"
#include "expressions/types.h"
#include "host/apply.h"
#include "kernel/type.h"
#include "ops/scan.h"
#include "ops/sorted.h"
#include "planning/eval.h"
#include "planning/task.h"

#include <firepile/repeat.h>
#include <inttypes.h>
#include <string.h>

/* A negative count becomes this. Sums end there, so that none gets lost. */
#define TOO_MANY UINT64_MAX

static void widen(const fp_applied *applied, const fp_stretch *s)
{
    const bool is_signed = applied->types[0]->kind == GPU_KIND_SIGNED;
    for (size_t e = 0; e < s->count; e++) {
        int64_t value;
        fp_convert(applied->types[0], s->in[0] + e * s->stride[0], GPU_LONG, &value);
        const uint64_t count = is_signed && value < 0 ? TOO_MANY : (uint64_t)value;
        memcpy(s->out + e * s->out_stride, &count, sizeof count);
    }
}

static void add(const fp_applied *applied, const fp_stretch *s)
{
    (void)applied;
    for (size_t e = 0; e < s->count; e++) {
        uint64_t a, b;
        memcpy(&a, s->in[0] + e * s->stride[0], sizeof a);
        memcpy(&b, s->in[1] + e * s->stride[1], sizeof b);
        const uint64_t sum = a > TOO_MANY - b ? TOO_MANY : a + b;
        memcpy(s->out + e * s->out_stride, &sum, sizeof sum);
    }
}

/* How many elements there are up to each, itself included: a buffer. */
static fp_node *sum_up(fp_node *counts)
{
    const bool is_signed = counts->type->kind == GPU_KIND_SIGNED;
    const fp_builtin wide = {.text = is_signed ? "x < 0 ? ULONG_MAX : (ulong)x" : "x", .native = widen};
    const fp_builtin sum = {.text = "a > ULONG_MAX - b ? ULONG_MAX : a + b", .native = add};
    fp_operator *widens, *adds = NULL;
    if (fp_operator_builtin(counts->g, &wide, &widens)) return NULL;
    fp_node *wider = fp_node_map(GPU_ULONG, widens, &counts, 1);
    gpu_status status = wider ? fp_operator_builtin(counts->g, &sum, &adds) : fp_last_status();
    fp_node *sums = status ? NULL : fp_scan(wider, adds, NULL);
    fp_operator_drop(adds);
    fp_node_drop(wider);
    if (!sums || !fp_node_eval(sums, FP_REASON_ASKED)) return sums;
    fp_node_drop(sums);
    return NULL;
}

/* The first place whose sum is too large: one of n. */
static gpu_status find_too_many(const fp_node *sums, size_t n, size_t *place)
{
    size_t first = 0, last = n - 1;
    gpu_status status = GPU_OK;
    while (first < last && !status) {
        const size_t middle = first + (last - first) / 2;
        uint64_t sum = 0;
        status = fp_node_wait_element(sums, middle, &sum);
        if (sum == TOO_MANY) last = middle;
        if (sum != TOO_MANY) first = middle + 1;
    }
    *place = first;
    return status;
}

static gpu_status refuse_counts(fp_node *counts, const fp_node *sums, size_t n)
{
    unsigned char bytes[sizeof(uint64_t)];
    int64_t value;
    uint64_t count;
    size_t place;
    gpu_status status = find_too_many(sums, n, &place);
    if (!status) status = fp_node_eval(counts, FP_REASON_ASKED);
    if (!status) status = fp_node_wait_element(counts, place, bytes);
    if (status) return status;
    fp_convert(counts->type, bytes, GPU_LONG, &value);
    fp_convert(counts->type, bytes, GPU_ULONG, &count);
    if (counts->type->kind == GPU_KIND_SIGNED && value < 0)
        return fp_fail(GPU_E_RANGE, "the count at position %zu is negative: %" PRIi64, place, value);
    return fp_fail(GPU_E_RANGE, "the sum of the counts is 2^64 or more at position %zu, whose count is %" PRIu64, place,
                   count);
}

/* The last sum of n. */
static gpu_status read_total(fp_node *counts, const fp_node *sums, size_t n, uint64_t *total)
{
    *total = 0;
    gpu_status status = n ? fp_node_wait_element(sums, n - 1, total) : GPU_OK;
    return status || *total != TOO_MANY ? status : refuse_counts(counts, sums, n);
}

/* Element k of the result is that one whose sum is the first above k. */
static gpu_status repeat(fp_node *a, fp_node *sums, size_t total, fp_node **result)
{
    fp_node *range = fp_node_range(a->g, GPU_ULONG, total);
    fp_node *places = range ? fp_upper_bound(sums, range) : NULL;
    *result = places ? fp_node_gather(a, places) : NULL;
    fp_node_drop(range);
    fp_node_drop(places);
    return *result ? GPU_OK : fp_last_status();
}

static gpu_status run(const fp_task *task, fp_node **result)
{
    fp_node *a = task->inputs[0], *counts = task->inputs[1];
    size_t n;
    uint64_t total;
    gpu_status status = fp_node_wait_length(a, &n);
    if (!status) status = fp_node_check_lengths(a, "elements", counts, "counts");
    fp_node *sums = status ? NULL : sum_up(counts);
    if (!sums) return status ? status : fp_last_status();
    status = read_total(counts, sums, n, &total);
    if (!status) status = repeat(a, sums, (size_t)total, result);
    fp_node_drop(sums);
    return status;
}

gpu_array *gpu_repeat_op(const gpu_array *a, const gpu_array *counts, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_first_gpu(fp_array_gpu(a), fp_array_gpu(counts)), "gpu_repeat", place);
    fp_task task = {.run = run};
    gpu_status status = fp_task_input(&task, a, "a");
    if (!status) status = fp_task_input(&task, counts, "counts");
    const gpu_type type = status ? NULL : counts->node->type;
    if (type && (type->kind == GPU_KIND_FLOATING || !fp_type_is_scalar(type)))
        status = fp_fail(GPU_E_TYPE, "the counts must be integers, and are %s", type->name);
    if (!status && a->g != counts->g)
        status = fp_fail(GPU_E_ARGUMENT, "the elements and the counts belong to different gpus");
    return fp_task_array(&entry, &task, status);
}
