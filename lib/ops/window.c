/* Note [windows]: elements form blocks of BLOCK, or of `width` if that is less (van Herk; Gil and Werman). A window is
 * the rest of its first block, then whole blocks, then the elements behind those. A work-item computes the windows that
 * begin in one block: it combines the first pieces from right to left, and appends to the last one element by element.
 * Whole blocks are combined before: blocks are elements of shorter windows. So a result takes as many applications,
 * whatever the width. Both sides combine in this order. A group of a GPU brings its blocks and the elements behind
 * them into local memory, so that neighbouring work-items read and store neighbours. */
#include "base/error.h"
#include "base/memory.h"
#include "host/apply.h"
#include "ops/reduce.h"
#include "planning/eval.h"
#include "planning/execute.h"
#include "planning/plan.h"
#include "planning/task.h"

#include <firepile/window.h>

#include <string.h>

enum { BLOCK = 16 };

/* Work-items of a GPU's group, and the fewest for which it stages its blocks. */
enum { GROUP = 128, LEAST_STAGED = 4 };

static size_t block_of(size_t width)
{
    return width < BLOCK ? width : BLOCK;
}

static size_t results_of(size_t length, size_t width)
{
    return length < width ? 0 : length - width + 1;
}

/* ---- the device ---- */

/* The elements that a work-item brings: a block, and its share of the two behind those of the group. */
static unsigned loads_of(unsigned group, size_t block)
{
    return (unsigned)(block + fp_ceiling(2 * block, group));
}

/* Halves the group until its elements fit into local memory, padded. False: they do not, and nothing is staged. */
static bool is_staged(const fp_policy *policy, size_t size, size_t block, unsigned *group)
{
    unsigned staged = *group;
    while (staged >= LEAST_STAGED && staged * loads_of(staged, block) * size / 32 * 33 > policy->tile) staged /= 2;
    if (policy->cpu || staged < LEAST_STAGED) return false;
    *group = staged;
    return true;
}

static gpu_status launch(fp_request *r)
{
    fp_node *node = r->input.node;
    const fp_policy *policy = &node->g->policy;
    const size_t block = block_of(r->number), blocks = fp_ceiling(r->outputs[0].length, block);
    const bool has_middle = r->into.node != NULL, counted = r->outputs[0].count != NULL;
    unsigned group = policy->cpu ? 1 : policy->group < GROUP ? policy->group : GROUP;
    const bool staged = is_staged(policy, node->type->size, block, &group);
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, staged ? "window_staged" : "window", node->type, &r->input);
    if (status) return status;
    fp_plan_combine(plan, r->ops[0], node->type);
    fp_plan_slot(plan, "FP_BLOCK", staged ? block : BLOCK);
    fp_plan_slot(plan, "FP_MIDDLE", has_middle);
    if (staged) fp_plan_slot(plan, "FP_IN_FLIGHT", loads_of(group, block));
    size_t groups;
    const uint64_t width = r->number;
    const uint64_t chunk = policy->cpu
                               ? fp_chunk_of(blocks, policy->least_chunk / block + 1, policy->most_chunks, &groups)
                               : fp_chunk_of(fp_ceiling(blocks, group), 1, policy->resident / group, &groups);
    uint64_t counter;
    fp_arg args[4 + FP_COUNT_ARGS] = {{.value = &width, .bytes = sizeof width},
                                      {.value = &chunk, .bytes = sizeof chunk}};
    unsigned count = 2;
    if (has_middle) args[count++] = (fp_arg){.buffer = r->into.node->buffer};
    args[count++] = (fp_arg){.buffer = r->outputs[0].buffer};
    if (counted) fp_count_args(r->outputs[0].count, &counter, args + count);
    return fp_plan_launch(plan, args, counted ? count + FP_COUNT_ARGS : count, groups, group);
}

/* ---- the host ---- */

typedef struct windows {
    fp_applied applied;
    size_t size, width, block, results;
    unsigned char *elements, *middle; /* all of them, and the values of whole blocks */
    unsigned char *ends, *rest;       /* the first pieces of a block's windows, and what follows those */
    bool has_middle;
} windows;

static void combine(const windows *w, const unsigned char *a, const unsigned char *b, unsigned char *out)
{
    fp_apply(&w->applied, &(fp_stretch){.out = out, .in = {a, b}, .count = 1});
}

/* The windows that begin in block k. */
static void combine_block(const windows *w, size_t k, unsigned char *out)
{
    const size_t size = w->size, first = k * w->block;
    const unsigned char *elements = w->elements + first * size;
    memcpy(w->ends, elements, w->block * size);
    for (size_t i = w->block - 1; i > 0; i--)
        combine(w, w->ends + (i - 1) * size, w->ends + i * size, w->ends + (i - 1) * size);
    bool any = w->has_middle;
    if (any) memcpy(w->rest, w->middle + (k + 1) * size, size);
    size_t at = w->width / w->block * w->block;
    for (size_t i = 0; i < w->block && first + i < w->results; i++) {
        for (; at < i + w->width; at++, any = true) {
            if (any) combine(w, w->rest, elements + at * size, w->rest);
            if (!any) memcpy(w->rest, elements + at * size, size);
        }
        if (any) combine(w, w->ends + i * size, w->rest, out + i * size);
        if (!any) memcpy(out + i * size, w->ends + i * size, size);
    }
}

static gpu_status combine_blocks(const windows *w, const fp_request *r)
{
    unsigned char *out = fp_output_memory(r, 0);
    gpu_status status = fp_host_copy(r->input.node, w->elements);
    if (!status && w->has_middle) status = fp_host_copy(r->into.node, w->middle);
    for (size_t k = 0; k * w->block < w->results && !status; k++) combine_block(w, k, out + k * w->block * w->size);
    return status;
}

static gpu_status run_on_host(const fp_request *r)
{
    const gpu_type type = r->input.node->type;
    windows w = {.size = type->size, .width = r->number, .block = block_of(r->number), .has_middle = r->into.node};
    size_t n, of_middle = 0;
    gpu_status status = fp_node_wait_length(r->input.node, &n);
    if (!status && w.has_middle) status = fp_node_wait_length(r->into.node, &of_middle);
    if (status) return status;
    w.results = results_of(n, w.width);
    w.elements = fp_alloc_array(n + of_middle + w.block + 1, w.size);
    if (!w.elements) return fp_fail_memory();
    w.middle = w.elements + n * w.size;
    w.ends = w.middle + of_middle * w.size;
    w.rest = w.ends + w.block * w.size;
    w.applied = fp_applied_to_two(r->ops[0], type);
    status = fp_apply_begin(&w.applied);
    if (!status) status = combine_blocks(&w, r);
    fp_apply_end(&w.applied);
    fp_free(w.elements);
    if (!status && r->outputs[0].count) fp_count_learn(r->outputs[0].count, w.results);
    return status;
}

/* ---- the operation ---- */

/* The middle of wide windows is where the blocks were combined, so they are not small arrays of the host. */
static const fp_primitive narrow = {.name = "window", .launch = launch, .run = run_on_host, .small = true};
static const fp_primitive wide = {.name = "wide window", .launch = launch, .run = run_on_host};

static gpu_status reduce_windows(const fp_ready *input, fp_operator *op, size_t width, fp_node **result);

/* Windows of `whole` blocks. */
static gpu_status reduce_middle(const fp_ready *input, fp_operator *op, size_t whole, fp_node **result)
{
    fp_node *blocks = NULL;
    gpu_status status = fp_block_reduce(input, op, BLOCK, &blocks);
    if (status) return status;
    const fp_ready ready = fp_node_made(blocks);
    status = reduce_windows(&ready, op, whole, result);
    fp_node_drop(blocks);
    return status;
}

static gpu_status reduce_windows(const fp_ready *input, fp_operator *op, size_t width, fp_node **result)
{
    const size_t results = results_of(input->length, width);
    const bool is_wide = results && width >= 2 * BLOCK;
    fp_request r = {.primitive = is_wide ? &wide : &narrow,
                    .input = *input,
                    .ops = &op,
                    .op_count = 1,
                    .number = width,
                    .outputs = {{.type = input->node->type,
                                 .extent = input->count && results ? FP_COUNTED : FP_FIXED,
                                 .length = results}},
                    .output_count = 1};
    if (!results) r.input.length = 0;
    fp_node *middle = NULL;
    gpu_status status = is_wide ? reduce_middle(input, op, width / BLOCK - 1, &middle) : GPU_OK;
    if (middle) r.into = fp_node_made(middle);
    if (!status) status = fp_execute(&r, result);
    fp_node_drop(middle);
    return status;
}

/* numbers[0]: the width. */
static gpu_status run(const fp_task *task, fp_node **result)
{
    fp_operator *op = task->op;
    fp_ready input;
    gpu_status status = fp_node_prepare(task->inputs[0], &op, 1, &input);
    return status ? status : reduce_windows(&input, op, task->numbers[0], result);
}

gpu_array *gpu_window_reduce_op(const gpu_array *a, size_t width, const gpu_operator *op)
{
    static const char operation[] = "gpu_window_reduce";
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), operation, fp_place_of(op));
    fp_task task = {.run = run, .numbers = {width}};
    gpu_status status = fp_task_input(&task, a, "a");
    if (!status && width == 0) status = fp_fail(GPU_E_ARGUMENT, "the width is 0: a window has at least one element");
    if (!status) status = fp_task_bind(&task, op, &(fp_operator_kind){operation, 2, 0, {a->node->type}, a->node->type});
    if (!status) fp_task_gives(&task, a->node->type);
    return fp_array_end(&entry, fp_task_result(&task, status));
}
