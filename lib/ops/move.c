/* Elements to other places. */
#include "ops/move.h"

#include "arrays/array.h"
#include "base/error.h"
#include "host/host.h"
#include "ops/by_key.h"
#include "planning/elements.h"
#include "planning/eval.h"
#include "planning/execute.h"
#include "planning/plan.h"
#include "planning/task.h"

#include <firepile/move.h>

/* Work-items of a GPU's group that shares nothing. */
enum { GROUP = 256 };

static gpu_status same_gpu(const gpu_array *a, const gpu_array *b, const char *names)
{
    return a->g == b->g ? GPU_OK : fp_fail(GPU_E_ARGUMENT, "%s belong to different gpus", names);
}

static gpu_status check_indices(const gpu_array *indices)
{
    gpu_type type = indices->node->type;
    bool integer = type->kind == GPU_KIND_SIGNED || type->kind == GPU_KIND_UNSIGNED;
    if (integer && type->width == 1) return GPU_OK;
    return fp_fail(GPU_E_TYPE, "indices are integers, and these are %s", type->name);
}

/* ---- gather ---- */

/* The device compares an index with a length; the host's is of no use to a selection's reader. */
static gpu_status run_gather(const fp_task *task, fp_node **result)
{
    gpu_status status = fp_node_end_selection(task->inputs[0]);
    if (status) return status;
    return fp_node_give(fp_node_gather(task->inputs[0], task->inputs[1]), result);
}

gpu_array *gpu_gather_op(const gpu_array *a, const gpu_array *indices, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_first_gpu(fp_array_gpu(a), fp_array_gpu(indices)), "gpu_gather", place);
    fp_task task = {.run = run_gather};
    gpu_status status = fp_task_input(&task, a, "a");
    if (!status) status = fp_task_input(&task, indices, "indices");
    if (!status) status = check_indices(indices);
    if (!status) status = same_gpu(a, indices, "the array and its indices");
    return fp_task_array(&entry, &task, status);
}

/* ---- scatter ---- */

static gpu_status launch_pairs(const fp_request *r)
{
    const fp_policy *policy = &r->input.node->g->policy;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "scatter", r->outputs[0].type, &r->input);
    if (status) return status;
    size_t groups;
    unsigned group = fp_group_of(policy, GROUP);
    uint64_t chunk = policy->cpu ? fp_chunk_of(r->input.length, policy->least_chunk, policy->most_chunks, &groups)
                                 : fp_chunk_of(r->input.length, 1, policy->resident, &groups);
    const fp_counter counter = fp_deferred_counter(r->deferred);
    const uint64_t places = r->outputs[0].length, index = 2 * counter.index;
    const fp_arg args[] = {{FP_ARG_VALUE(chunk)},
                           {FP_ARG_VALUE(places)},
                           {.buffer = r->outputs[0].buffer},
                           {.buffer = fp_counter_shown(counter)},
                           {FP_ARG_VALUE(index)}};
    return fp_plan_launch(plan, args, 5, fp_ceiling(groups, group), group);
}

/* A copy, into which pairs are stored. */
static gpu_status launch_scatter(fp_request *r)
{
    gpu_status status = r->into.length ? fp_launch_map(&r->into, r->outputs[0].buffer) : GPU_OK;
    return status ? status : launch_pairs(r);
}

static const fp_primitive scatter = {
    .name = "scatter", .launch = launch_scatter, .run = fp_host_scatter, .reconcile = fp_host_reconcile_scatter};

/* Without pairs the result has the elements of `into`. */
static gpu_status scatter_into(fp_node *pairs, fp_node *into, size_t length, fp_node **result)
{
    fp_request r = {.primitive = &scatter, .outputs = {{.type = into->type, .length = length}}, .output_count = 1};
    gpu_status status = fp_node_prepare(into, NULL, 0, &r.into);
    if (!status) status = fp_node_prepare(pairs, NULL, 0, &r.input);
    if (!status) r.deferred = fp_deferred_range(into->g, length);
    if (!status && !r.deferred) status = fp_last_status();
    if (!status && r.input.length) status = fp_execute(&r, result);
    if (!status && !r.input.length) *result = fp_node_slice(into, 0, length);
    if (!status) status = *result ? fp_node_inherit(*result, r.input.length ? into : pairs) : fp_last_status();
    fp_deferred_settle(r.deferred);
    return status;
}

/* What it is a copy of must have a length that the kernel can be told. */
static gpu_status run_scatter(const fp_task *task, fp_node **result)
{
    fp_node *into = task->inputs[0], *indices = task->inputs[1], *elements = task->inputs[2];
    size_t length;
    gpu_status status = fp_node_check_lengths(indices, "indices", elements, "elements");
    if (!status) status = fp_node_wait_length(into, &length);
    if (status) return status;
    fp_node *pairs = fp_pair_with_index(elements, indices);
    status = pairs ? scatter_into(pairs, into, length, result) : fp_last_status();
    fp_node_drop(pairs);
    return status;
}

static gpu_status check_scatter(const gpu_array *into, const gpu_array *indices, const gpu_array *a)
{
    gpu_status status = check_indices(indices);
    if (!status) status = same_gpu(into, indices, "the arrays 'into' and 'indices'");
    if (!status) status = same_gpu(into, a, "the arrays 'into' and 'a'");
    if (status || gpu_type_equal(into->node->type, a->node->type)) return status;
    return fp_fail(GPU_E_TYPE, "elements of type %s cannot go into an array of %s", a->node->type->name,
                   into->node->type->name);
}

gpu_array *gpu_scatter_op(const gpu_array *into, const gpu_array *indices, const gpu_array *a, const gpu_place *place)
{
    gpu *g = fp_first_gpu(fp_array_gpu(into), fp_first_gpu(fp_array_gpu(indices), fp_array_gpu(a)));
    fp_entry entry = fp_entry_begin(g, "gpu_scatter", place);
    fp_task task = {.run = run_scatter};
    gpu_status status = fp_task_input(&task, into, "into");
    if (!status) status = fp_task_input(&task, indices, "indices");
    if (!status) status = fp_task_input(&task, a, "a");
    if (!status) status = check_scatter(into, indices, a);
    return fp_task_array(&entry, &task, status);
}

/* ---- reverse, concat ---- */

static gpu_status run_reverse(const fp_task *task, fp_node **result)
{
    return fp_node_give(fp_node_reverse(task->inputs[0]), result);
}

gpu_array *gpu_reverse_op(const gpu_array *a, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_reverse", place);
    fp_task task = {.run = run_reverse, .aligned = true};
    return fp_task_array(&entry, &task, fp_task_input(&task, a, "a"));
}

fp_node *fp_join(fp_node *a, fp_node *b, size_t *of_a)
{
    size_t of_b;
    gpu_status status = fp_node_wait_length(a, of_a);
    if (!status) status = fp_node_wait_length(b, &of_b);
    if (!status && *of_a > SIZE_MAX - of_b)
        status = fp_fail(GPU_E_RANGE, "there are no arrays of %zu and %zu elements together", *of_a, of_b);
    return status ? NULL : fp_node_concat(a, b);
}

static gpu_status run_concat(const fp_task *task, fp_node **result)
{
    size_t of_a;
    return fp_node_give(fp_join(task->inputs[0], task->inputs[1], &of_a), result);
}

static gpu_status check_pair(const gpu_array *a, const gpu_array *b)
{
    gpu_type type = a->node->type, other = b->node->type;
    gpu_status status = same_gpu(a, b, "the arrays 'a' and 'b'");
    if (status || gpu_type_equal(type, other)) return status;
    return fp_fail(GPU_E_TYPE, "the arrays 'a' and 'b' have elements of type %s and %s: map one to the other's",
                   type->name, other->name);
}

gpu_status fp_join_inputs(fp_task *task, const gpu_array *a, const gpu_array *b)
{
    gpu_status status = fp_task_input(task, a, "a");
    if (!status) status = fp_task_input(task, b, "b");
    return status ? status : check_pair(a, b);
}

gpu_array *gpu_concat_op(const gpu_array *a, const gpu_array *b, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_first_gpu(fp_array_gpu(a), fp_array_gpu(b)), "gpu_concat", place);
    fp_task task = {.run = run_concat};
    return fp_task_array(&entry, &task, fp_join_inputs(&task, a, b));
}
