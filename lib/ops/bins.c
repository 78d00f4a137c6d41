/* Reduction in bins: one value for each key. */
#include "base/error.h"
#include "base/memory.h"
#include "host/host.h"
#include "kernel/type.h"
#include "ops/by_key.h"
#include "ops/order.h"
#include "ops/reduce.h"
#include "planning/elements.h"
#include "planning/eval.h"
#include "planning/execute.h"
#include "planning/plan.h"

#include <firepile/bins.h>

/* GPU: work-items of a group, most and fewest, the pairs that each has in flight, and the local memory of a group. */
enum { GROUP = 256, LEAST_GROUP = 32, ITEMS_PER_THREAD = 8, LOCAL_BYTES = 32768 };

/* CPU: the fewest pairs of a chunk for each bin, since its own bins are cleared and joined; the bytes of the results
 * that a work-item joins, which stay in the first cache; the places of a row are a multiple of LINE. */
enum { WORTH = 4, JOIN_BYTES = 16384, LINE = 64 };

/* The ways of kernels/gpu/bins_atomic.cl to combine in one row: by an atomic function, or each bin once. */
typedef enum atomic { NO_ATOMIC, ATOMIC_ADD, ATOMIC_AND, ATOMIC_OR, ATOMIC_XOR, UNIQUE } atomic;

/* ---- shapes ---- */

/* The ways to combine: in rows of bins, one for each group, or in one row by atomic functions. */
typedef struct shape {
    unsigned group;
    size_t groups, rows;
    uint64_t multiple, most; /* of pairs in a chunk, and the most chunks */
    size_t places;
    atomic atomic;
} shape;

static atomic atomic_of(const fp_operator *op, gpu_type type)
{
    const fp_known known = op->snippet->known;
    if (type != GPU_INT && type != GPU_UINT) return NO_ATOMIC;
    return known == FP_KNOWN_ADD   ? ATOMIC_ADD
           : known == FP_KNOWN_AND ? ATOMIC_AND
           : known == FP_KNOWN_OR  ? ATOMIC_OR
           : known == FP_KNOWN_XOR ? ATOMIC_XOR
                                   : NO_ATOMIC;
}

static size_t local_bytes(const gpu *g)
{
    const size_t most = g->capabilities->local_bytes / 4 * 3;
    return most < LOCAL_BYTES ? most : LOCAL_BYTES;
}

/* The largest group in which each work-item has bins of its own; 0: local memory is too small for any. */
static unsigned private_group(const gpu *g, size_t bytes, size_t bins)
{
    unsigned group = fp_group_of(&g->policy, GROUP);
    const unsigned least = group < LEAST_GROUP ? group : LEAST_GROUP;
    while (group > least && bins > local_bytes(g) / (bytes * group)) group /= 2;
    return bins <= local_bytes(g) / (bytes * group) ? group : 0;
}

static void choose_gpu_shape(const fp_request *r, shape *s)
{
    const gpu *g = r->input.node->g;
    const gpu_type type = r->operand;
    const size_t bins = r->number;
    s->group = r->unique ? 0 : private_group(g, type->size + 1, bins);
    s->atomic = s->group ? NO_ATOMIC : r->unique ? UNIQUE : atomic_of(r->ops[0], type);
    s->places = bins * s->group;
    if (s->atomic) s->group = fp_group_of(&g->policy, GROUP);
    if (s->atomic && !r->unique && bins <= local_bytes(g) / type->size) s->places = bins;
    s->multiple = 2 * s->group * ITEMS_PER_THREAD;
    s->most = g->policy.resident / s->group;
}

static shape choose_shape(const fp_request *r)
{
    const fp_policy *policy = &r->input.node->g->policy;
    shape s = {.group = 1, .most = policy->most_chunks, .multiple = policy->least_chunk};
    if (!policy->cpu) choose_gpu_shape(r, &s);
    while (policy->cpu && s.multiple < WORTH * r->number) s.multiple *= 2;
    fp_chunk_of(r->input.length, s.multiple, s.most, &s.groups);
    s.rows = s.atomic ? 1 : s.groups;
    return s;
}

/* ---- launches ---- */

/* Rounds up, so that few kernels serve all numbers of bins. */
static size_t rounded(size_t places)
{
    size_t power = 256;
    while (power < places) power *= 2;
    return power;
}

static gpu_status launch_rows(const fp_request *r, const shape *s, fp_buffer *rows, fp_buffer *marks)
{
    const gpu *g = r->input.node->g;
    const fp_counter counter = fp_deferred_counter(r->deferred);
    const uint64_t bins = r->number, index = 2 * counter.index;
    const size_t most_places = local_bytes(g) / r->operand->size;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, s->atomic ? "bins_atomic" : "bins", r->operand, &r->input);
    if (status) return status;
    fp_plan_combine(plan, r->ops[0], r->operand);
    if (s->atomic)
        fp_plan_slot(plan, "FP_ATOMIC", s->atomic);
    else
        fp_plan_slot(plan, "FP_MARKED", marks != NULL);
    if (!g->policy.cpu) {
        const size_t places = s->places ? rounded(s->places) : 0;
        fp_plan_slot(plan, "FP_ORDERED", !fp_operator_commutes(r->ops[0], r->operand));
        fp_plan_slot(plan, "FP_SERIAL_MOST", fp_serial_most(plan, fp_request_rounds(r)));
        fp_plan_slot(plan, "FP_PLACES", places <= most_places ? places : s->places);
        fp_plan_slot(plan, "FP_ITEMS_PER_THREAD", fp_plan_largest_read(plan) ? ITEMS_PER_THREAD : 1);
    }
    fp_arg args[7] = {{FP_ARG_VALUE(bins)},
                      {FP_ARG_VALUE(s->multiple)},
                      {FP_ARG_VALUE(s->most)},
                      {.buffer = fp_counter_shown(counter)},
                      {FP_ARG_VALUE(index)}};
    unsigned count = 5;
    if (!marks) args[count++] = (fp_arg){.value = r->identity ? r->identity : r->start, .bytes = r->operand->size};
    args[count++] = (fp_arg){.buffer = rows};
    if (marks) args[count++] = (fp_arg){.buffer = marks};
    return fp_plan_launch(plan, args, count, s->groups, s->group);
}

static gpu_status launch_join(const fp_request *r, fp_node *rows, size_t count, fp_buffer *marks)
{
    const fp_policy *policy = &rows->g->policy;
    const fp_ready input = fp_node_made(rows);
    const uint64_t bins = r->number, row_count = count;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "bins_join", r->operand, &input);
    if (status) return status;
    fp_plan_combine(plan, r->ops[0], r->operand);
    fp_plan_slot(plan, "FP_MARKED", marks != NULL);
    size_t groups = bins;
    const unsigned group = fp_reduce_group(rows->g, r->operand->size);
    const size_t least = fp_ceiling(JOIN_BYTES, r->operand->size);
    const uint64_t chunk = policy->cpu ? fp_chunk_of(bins, least, policy->most_chunks, &groups) : 1;
    const fp_arg args[] = {
        {FP_ARG_VALUE(bins)},  {FP_ARG_VALUE(row_count)},        {.value = r->start, .bytes = r->operand->size},
        {FP_ARG_VALUE(chunk)}, {.buffer = r->outputs[0].buffer}, {.buffer = marks}};
    return fp_plan_launch(plan, args, marks ? 6 : 5, groups, group < GROUP ? group : GROUP);
}

/* Atomic functions combine in the result, which begins as the start. */
static gpu_status launch_atomic(const fp_request *r, const shape *s)
{
    fp_buffer *out = r->outputs[0].buffer;
    gpu_status status = fp_launch_fill(r->input.node->g, r->operand, r->start, r->number, out);
    return status ? status : launch_rows(r, s, out, NULL);
}

/* On a CPU cores that fill neighbouring rows share no cache line. The kernels have the same function. */
static size_t row_places(const fp_policy *policy, size_t bins)
{
    return policy->cpu ? fp_round_up(bins, LINE) : bins;
}

static gpu_status launch(fp_request *r)
{
    gpu *g = r->input.node->g;
    const shape s = choose_shape(r);
    if (s.atomic) return launch_atomic(r, &s);
    size_t places;
    if (!fp_multiply(s.rows, row_places(&g->policy, r->number), &places))
        return fp_fail(GPU_E_MEMORY, "there are too many bins");
    fp_node *rows = fp_temporary(g, r->operand, places, NULL);
    fp_node *marks = r->identity || !rows ? NULL : fp_temporary(g, GPU_UCHAR, places, NULL);
    gpu_status status = rows && (marks || r->identity) ? GPU_OK : fp_last_status();
    if (!status) status = launch_rows(r, &s, rows->buffer, marks ? marks->buffer : NULL);
    if (!status) status = launch_join(r, rows, s.rows, marks ? marks->buffer : NULL);
    fp_node_drop(rows);
    fp_node_drop(marks);
    return status;
}

static const fp_primitive bins_operation = {.name = "bins", .launch = launch, .run = fp_host_bins};

/* ---- without a sort ---- */

static gpu_status combine_pairs(const fp_task *task, fp_node *pairs, bool unique, fp_node **result)
{
    fp_operator *op = task->op;
    const gpu_type type = task->inputs[0]->type;
    uint64_t identity[FP_IDENTITY_WORDS];
    const bool has_identity = fp_operator_identity(op, type, identity);
    fp_request r = {.primitive = &bins_operation,
                    .ops = &op,
                    .op_count = 1,
                    .operand = type,
                    .start = task->values[0],
                    .identity = has_identity ? identity : NULL,
                    .unique = unique,
                    .number = task->numbers[0],
                    .outputs = {{.type = type, .length = task->numbers[0]}},
                    .output_count = 1};
    gpu_status status = fp_node_prepare(pairs, &op, 1, &r.input);
    if (!status && !r.input.length)
        return fp_node_give(fp_node_fill_after(pairs, type, task->values[0], task->numbers[0]), result);
    if (!status) r.deferred = fp_deferred_range(pairs->g, task->numbers[0]);
    if (!status && !r.deferred) status = fp_last_status();
    if (!status) fp_deferred_say(r.deferred, FP_TEXT_OF_BINS);
    if (!status) status = fp_execute(&r, result);
    fp_deferred_settle(r.deferred);
    return status;
}

/* `unique`: no key comes twice. */
static gpu_status combine(const fp_task *task, fp_node *values, fp_node *keys, bool unique, fp_node **result)
{
    fp_node *pairs = fp_pair_with_index(values, keys);
    gpu_status status = pairs ? combine_pairs(task, pairs, unique, result) : fp_last_status();
    fp_node_drop(pairs);
    return status;
}

/* ---- by a sort ---- */

/* The keys in the narrowest type that holds them, so that fewer digits are sorted. A gather checks their range. */
static fp_node *narrow_keys(fp_node *keys, size_t bins)
{
    const gpu_type type = bins <= UINT8_MAX + 1 ? GPU_UCHAR : bins <= UINT16_MAX + 1 ? GPU_USHORT : GPU_UINT;
    fp_node *names = fp_node_range(keys->g, type, bins);
    fp_node *narrow = names ? fp_node_gather(names, keys) : NULL;
    if (narrow) fp_deferred_say(narrow->gather.raises, FP_TEXT_OF_BINS);
    fp_node_drop(names);
    return narrow;
}

static gpu_status sort_and_combine(const fp_task *task, fp_node **result)
{
    fp_node *keys = narrow_keys(task->inputs[1], task->numbers[0]), *groups[2] = {NULL};
    gpu_status status = keys ? fp_group_by_keys(task->op, keys, task->inputs[0], groups) : fp_last_status();
    if (!status) status = combine(task, groups[0], groups[1], true, result);
    fp_node_drop(keys);
    fp_node_drop(groups[0]);
    fp_node_drop(groups[1]);
    return status;
}

/* ---- the operation ---- */

static bool needs_sort(const fp_task *task)
{
    const gpu *g = task->g;
    const gpu_type type = task->inputs[0]->type;
    return !g->policy.cpu && !atomic_of(task->op, type) && !private_group(g, type->size + 1, task->numbers[0]);
}

/* inputs: values, keys; numbers[0]: the bins; values[0]: the start. */
static gpu_status run(const fp_task *task, fp_node **result)
{
    fp_node *values = task->inputs[0], *keys = task->inputs[1];
    gpu_status status = fp_node_check_lengths(keys, "keys", values, "values");
    if (status) return status;
    return needs_sort(task) ? sort_and_combine(task, result) : combine(task, values, keys, false, result);
}

static gpu_status check(const gpu_array *keys, const gpu_array *values, const gpu_value *start, size_t bins)
{
    const gpu_type key = keys->node->type;
    if (keys->g != values->g) return fp_fail(GPU_E_ARGUMENT, "keys and values belong to different gpus");
    if (key->width > 1 || (key->kind != GPU_KIND_SIGNED && key->kind != GPU_KIND_UNSIGNED))
        return fp_fail(GPU_E_TYPE, "the keys must be integers, and are %s", key->name);
    if (!bins) return fp_fail(GPU_E_ARGUMENT, "there are no bins: keys are integers below their number");
    return fp_check_value(start, values->node->type, "start");
}

gpu_array *gpu_bin_reduce_op(const gpu_array *keys, const gpu_array *values, size_t bins, const gpu_value *start,
                             const gpu_operator *op)
{
    fp_entry entry = fp_entry_begin(fp_keyed_gpu(keys, values), "gpu_bin_reduce", fp_place_of(op));
    fp_task task = {.run = run, .numbers = {bins}};
    gpu_status status = fp_task_input(&task, values, "values");
    if (!status) status = fp_task_input(&task, keys, "keys");
    if (!status) status = check(keys, values, start, bins);
    if (!status) status = fp_task_bind_combiner(&task, op, values->node->type);
    if (!status) task.values[0] = start->pointer;
    return fp_task_array(&entry, &task, status);
}
