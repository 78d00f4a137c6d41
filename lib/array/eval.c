/* Computing nodes. */
#include "array/lookback.h"
#include "array/task.h"
#include "base/error.h"
#include "base/memory.h"
#include "host/host.h"
#include "kernel/type.h"

/* Work-items of a GPU's group that shares nothing: small groups come and go evenly. */
enum { MAP_GROUP = 256 };

/* GPU: the elements of a work-item, which are all that it has. With several units for each, a map takes up to a seventh
 * longer on an H200. */
static unsigned unit_of(const fp_plan *plan)
{
    size_t bytes = fp_plan_largest_read(plan), size = plan->type->size;
    return fp_type_is_scalar(plan->type) ? fp_unit_of(&plan->g->policy, size > bytes ? size : bytes) : 1;
}

static gpu_status launch_map(const fp_ready *input, fp_buffer *out)
{
    const fp_policy *policy = &input->node->g->policy;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "map", input->node->type, input);
    if (status) return status;
    size_t groups, share;
    unsigned group = policy->group < MAP_GROUP ? policy->group : MAP_GROUP;
    const fp_arg args[] = {{.buffer = out}, {.value = &share, .bytes = sizeof share}};
    if (policy->cpu) {
        share = fp_share(input->length, policy->least_chunk, policy->most_chunks, &groups);
        return fp_plan_launch(plan, args, 2, groups, group);
    }
    unsigned unit = unit_of(plan);
    fp_plan_units(plan, unit);
    return fp_plan_launch(plan, args, 1, fp_ceiling(input->length, (size_t)group * unit), group);
}

/* ---- selections ---- */

enum { DESTINATION_ARGS = 1 + FP_COUNT_ARGS };

static void add_destination(const fp_destination *to, uint64_t *index, fp_arg *args)
{
    args[0] = (fp_arg){.buffer = to->buffer};
    fp_count_args(to->count, index, args + 1);
}

static gpu_status launch_select(const fp_ready *input, const fp_lookback *lookback, const fp_destination *kept,
                                const fp_destination *others, unsigned sweep)
{
    const gpu *g = input->node->g;
    fp_plan *plan;
    fp_arg args[FP_LOOKBACK_ARGS + 2 * DESTINATION_ARGS];
    uint64_t cells[2];
    gpu_status status = fp_plan_begin(&plan, "select", input->node->type, input);
    if (status) return status;
    fp_plan_slot(plan, "FP_SPLIT", others != NULL);
    fp_plan_slot(plan, "FP_SMALL", lookback->size == sizeof(uint32_t));
    fp_lookback_slots(plan, lookback, false, sweep);
    unsigned count = fp_lookback_args(g, lookback, args);
    add_destination(kept, &cells[0], args + count);
    count += DESTINATION_ARGS;
    if (others) add_destination(others, &cells[1], args + count);
    if (others) count += DESTINATION_ARGS;
    return fp_plan_launch(plan, args, count, lookback->tiles, lookback->group);
}

static gpu_status new_destination(const fp_ready *input, bool here, fp_destination *out)
{
    gpu *g = input->node->g;
    out->count = here ? fp_count_known(0) : fp_count_new(g);
    return out->count ? fp_elements_new_at(g, here, input->node->type, input->length, &out->buffer) : fp_last_status();
}

static void drop_destination(fp_destination *to)
{
    fp_count_drop(to->count);
    fp_buffer_drop(to->buffer);
}

static gpu_status prepare_for(fp_node *node, uint64_t consumer, bool stores);
static gpu_status prepare_inputs(fp_node *node, bool stores);

/* What is true of a node by now: for those that have just made it ready. The host device has written all numbers. */
static fp_ready ready_of(fp_node *node)
{
    fp_count *count = fp_node_count(node);
    if (count && node->g->facts->host && !fp_count_wait(count)) count = fp_node_count(node);
    return (fp_ready){node, node->length, count, fp_node_selection(node)};
}

fp_ready fp_node_made(fp_node *buffer)
{
    return ready_of(buffer);
}

/* The elements that the input, a selection, keeps, and the others if they are wanted. */
static gpu_status select_into(const fp_ready *input, fp_destination *kept, fp_destination *others)
{
    fp_node *node = input->node;
    fp_lookback lookback = {.values = NULL};
    const bool here = fp_host_takes(node, NULL, 0);
    gpu_status status = new_destination(input, here, kept);
    if (!status && others) status = new_destination(input, here, others);
    if (!status && here) return fp_host_select(node, kept, others);
    size_t counted = input->length <= UINT32_MAX ? sizeof(uint32_t) : sizeof(uint64_t);
    if (!status) status = fp_lookback_begin(node->g, input->length, node->type->size, false, counted, &lookback);
    for (unsigned k = 0; k < fp_lookback_sweeps(node->g) && !status; k++)
        status = launch_select(input, &lookback, kept, others, k);
    fp_lookback_end(&lookback);
    return status ? status : fp_verify_select(node, kept, others, fp_lookback_sweeps(node->g));
}

static gpu_status split_nothing(const fp_node *node, fp_node **yes, fp_node **no)
{
    *yes = fp_node_result(node->type, 0, NULL, NULL, node, NULL);
    *no = fp_node_result(node->type, 0, NULL, NULL, node, NULL);
    return *yes && *no ? GPU_OK : fp_last_status();
}

gpu_status fp_node_split(fp_node *node, fp_node **yes, fp_node **no)
{
    fp_destination kept = {.buffer = NULL}, others = {.buffer = NULL};
    /* What another filter drops is in neither. */
    gpu_status status = fp_node_select(node->inputs[0]);
    if (!status) status = prepare_inputs(node, false);
    const fp_ready input = ready_of(node);
    if (!status && !input.length) return split_nothing(node, yes, no);
    if (!status) status = select_into(&input, &kept, &others);
    *yes = status ? NULL : fp_node_result(node->type, input.length, kept.buffer, kept.count, node, NULL);
    *no = status ? NULL : fp_node_result(node->type, input.length, others.buffer, others.count, node, NULL);
    drop_destination(&kept);
    drop_destination(&others);
    return *yes && *no ? GPU_OK : fp_last_status();
}

/* ---- nodes ---- */

gpu_status fp_array_bytes(gpu_type type, size_t length, size_t *bytes)
{
    if (fp_multiply(length, type->size, bytes)) return GPU_OK;
    return fp_fail(GPU_E_MEMORY, "cannot allocate %zu elements of %zu bytes: that is more than can be addressed",
                   length, type->size);
}

gpu_status fp_elements_new_at(gpu *g, bool here, gpu_type type, size_t length, fp_buffer **out)
{
    size_t bytes;
    gpu_status status = fp_array_bytes(type, length, &bytes);
    if (status) return status;
    return here ? fp_buffer_new_here(g->device, bytes, NULL, out) : fp_buffer_new(g->device, bytes, out);
}

gpu_status fp_elements_new(gpu *g, gpu_type type, size_t length, fp_buffer **out)
{
    return fp_elements_new_at(g, false, type, length, out);
}

static gpu_status eval_selection(const fp_ready *input)
{
    fp_destination kept = {.buffer = NULL};
    gpu_status status = select_into(input, &kept, NULL);
    if (!status) fp_node_become_buffer(input->node, fp_buffer_keep(kept.buffer), kept.count);
    drop_destination(&kept);
    return status;
}

/* The elements into a new buffer. */
static gpu_status compute(const fp_ready *input, bool here, fp_buffer **out)
{
    fp_node *node = input->node;
    gpu_status status = fp_elements_new_at(node->g, here, node->type, input->length, out);
    if (status) return status;
    status = here ? fp_host_map(node, *out) : launch_map(input, *out);
    if (!status && !here) status = fp_verify_map(node, *out);
    if (!status) return GPU_OK;
    fp_buffer_drop(*out);
    return status;
}

static gpu_status eval_map(const fp_ready *input)
{
    fp_buffer *buffer;
    fp_node *node = input->node;
    gpu_status status = compute(input, fp_host_takes(node, NULL, 0), &buffer);
    /* Verifying may have waited for the length. */
    if (!status) fp_node_become_buffer(node, buffer, fp_node_count(node));
    return status;
}

fp_node *fp_node_copy(fp_node *node)
{
    fp_buffer *buffer = NULL;
    if (prepare_for(node, node->consumer, false)) return NULL;
    const fp_ready input = ready_of(node);
    if (input.length && compute(&input, node->g->facts->host, &buffer)) return NULL;
    fp_node *copy = fp_node_result(node->type, node->length, buffer, fp_node_count(node), node, NULL);
    fp_buffer_drop(buffer);
    return copy;
}

/* ---- tasks ---- */

/* Note [finishing]: maps over what a delayed task makes are applied to each element as it is stored, where the task's
 * kernels can. They have one input each, nobody else has consumed what lies between them and the task, and the last of
 * them is what becomes a buffer: all other consumers read elements at places of their own choice, so that for them the
 * task's result becomes a buffer first. */

/* The task that a node, which is prepared, is or has maps over; NULL: none. */
static fp_node *task_below(fp_node *node)
{
    while (node->kind == FP_NODE_MAP) node = node->inputs[0];
    return node->kind == FP_NODE_TASK ? node : NULL;
}

static bool finishes(const fp_node *made)
{
    return made->task->foresee(made->task, NULL).finishes;
}

/* A task that was refused will be again, unless the fault is one of the maps', from `node` on. */
static void blame(fp_node *made, const fp_node *node, gpu_status status)
{
    while (node != made && !fp_fault_of(&node->fault)) node = node->inputs[0];
    bool lasts = status == GPU_E_SNIPPET || status == GPU_E_LAYOUT || status == GPU_E_TYPE;
    if (node == made && lasts) fp_fault_set(&made->fault, fp_fault_new(made->g));
}

/* What fails while a task runs for itself begins with its own call. */
static gpu_status run_task(const fp_task *task, fp_node **result)
{
    const char *operation = fp_operation();
    const gpu_place here = fp_here();
    if (!task->finish) fp_enter(task->operation, &task->place);
    gpu_status status = task->run(task, result);
    fp_enter(operation, &here);
    return status;
}

/* Runs the task that made a node; `node` is that one or the last of the maps that finish it. */
static gpu_status eval_task(fp_node *made, fp_node *node)
{
    fp_task task = *made->task;
    fp_node *result = NULL, *input = made->inputs[0];
    const uint64_t consumer = input->consumer;
    const fp_ready ready = ready_of(input);
    task.ready = &ready;
    task.finish = node == made ? NULL : node;
    if (!consumer) input->consumer = made->id;
    gpu_status status = run_task(&task, &result);
    if (status) {
        input->consumer = consumer;
        blame(made, node, status);
    } else {
        node->length = result->length;
        fp_node_become_buffer(node, result->buffer ? fp_buffer_keep(result->buffer) : NULL, result->count);
    }
    fp_node_drop(result);
    return status;
}

/* ---- evaluation ---- */

/* A node of no elements needs no launch. What was made ready may have told that it has none. */
static bool is_nothing(fp_node *node)
{
    const bool nothing = !ready_of(node).length;
    if (nothing) fp_node_become_buffer(node, NULL, NULL);
    return nothing;
}

gpu_status fp_node_eval(fp_node *node, fp_reason reason)
{
    const fp_fault *fault = fp_fault_of(&node->fault);
    if (fault) return fp_fault_fail(fault);
    fp_node_count(node);
    if (node->kind == FP_NODE_BUFFER) return GPU_OK;
    node->reason = reason;
    if (is_nothing(node)) return GPU_OK;
    gpu_status status = prepare_inputs(node, true);
    if (status || node->kind == FP_NODE_BUFFER || is_nothing(node)) return status;
    fp_node *made = task_below(node);
    if (made && (made == node || finishes(made))) return eval_task(made, node);
    if (made) status = fp_node_eval(made, FP_REASON_WHOLE);
    if (status || is_nothing(node)) return status;
    const fp_ready input = ready_of(node);
    return input.selection ? eval_selection(&input) : eval_map(&input);
}

gpu_status fp_node_select(fp_node *node)
{
    return fp_node_selection(node) ? fp_node_eval(node, FP_REASON_ENDED) : GPU_OK;
}

/* Memory for what might have been selected is given back when it turns out to be many times too much, and a part of the
 * device's memory that is worth a launch; if there is none for the smaller copy, that is no failure. */
static void shrink(fp_node *node)
{
    enum { TIMES = 4, WORTH = 64 };
    size_t bytes = node->length * node->type->size, held = node->buffer ? fp_buffer_bytes(node->buffer) : 0;
    if (node->kind != FP_NODE_BUFFER || held / TIMES < bytes) return;
    if (held < node->g->facts->memory_bytes / WORTH) return;
    fp_buffer *smaller = NULL;
    const fp_ready input = ready_of(node);
    if (!bytes || !compute(&input, node->g->facts->host, &smaller)) fp_node_become_buffer(node, smaller, NULL);
}

static gpu_status wait_for(fp_node *node, fp_count *count)
{
    if (node->g->rehearses) return fp_fail(GPU_E_INTERNAL, "a rehearsal does not wait");
    gpu_status status = fp_count_wait(count);
    if (status) return status;
    fp_node_count(node);
    shrink(node);
    return GPU_OK;
}

gpu_status fp_node_settle(fp_node *node, size_t *length)
{
    gpu_status status = fp_node_select(node);
    fp_count *count = status ? NULL : fp_node_count(node);
    if (count) status = wait_for(node, count);
    if (!status) *length = node->length;
    return status;
}

size_t fp_node_most(fp_node *node)
{
    fp_node_count(node);
    return node->length;
}

gpu_status fp_operator_prepare(const fp_operator *op)
{
    gpu_status status = GPU_OK;
    for (unsigned k = 0; k < op->count && !status; k++)
        if (op->captured[k].array) status = fp_node_eval(op->captured[k].array, FP_REASON_CAPTURED);
    return status;
}

/* Note [consumers]: a node is fused into its first consumer, a node or a launch, and becomes a buffer at its second.
 * That its first consumer is computed again, to become a buffer itself, makes it no second one. A slice is no
 * consumer of what it is a slice of: it computes the elements it needs, and becomes a buffer by itself; but see
 * Note [slices] in lib/array/node.c.
 * `stores`: what the node is prepared for stores it (Note [finishing]). */
static gpu_status prepare_for(fp_node *node, uint64_t consumer, bool stores)
{
    const fp_fault *fault = fp_fault_of(&node->fault);
    if (fault) return fp_fault_fail(fault);
    bool second = node->consumer && node->consumer != consumer;
    if (second && fp_node_costs(node)) return fp_node_eval(node, FP_REASON_SECOND);
    if (fp_node_is_sliced(node)) return fp_node_eval(node, FP_REASON_SLICED);
    if (node->kind == FP_NODE_TASK && !stores) return fp_node_eval(node, FP_REASON_WHOLE);
    return prepare_inputs(node, stores);
}

static gpu_status prepare_inputs(fp_node *node, bool stores)
{
    bool maps = stores && node->kind == FP_NODE_MAP && !node->inputs[1];
    gpu_status status = node->op ? fp_operator_prepare(node->op) : GPU_OK;
    if (!status && node->source) status = fp_node_eval(node->source, FP_REASON_GATHERED);
    for (int k = 0; k < FP_INPUTS && node->inputs[k] && !status; k++)
        status = prepare_for(node->inputs[k], fp_node_consumes(node) ? node->id : node->inputs[k]->consumer, maps);
    if (!status && node->kind == FP_NODE_SHIFT) fp_node_become_part(node);
    return status;
}

gpu_status fp_node_prepare_inputs(fp_node *node)
{
    return prepare_inputs(node, true);
}

gpu_status fp_node_prepare_selected(fp_node *node, fp_operator *const *ops, unsigned count, fp_ready *out)
{
    gpu_status status = GPU_OK;
    for (unsigned k = 0; k < count && !status; k++) status = fp_operator_prepare(ops[k]);
    if (!status) status = prepare_for(node, 0, false);
    if (!status) *out = ready_of(node);
    return status;
}

gpu_status fp_node_prepare(fp_node *node, fp_operator *const *ops, unsigned count, fp_ready *out)
{
    gpu_status status = fp_node_select(node);
    return status ? status : fp_node_prepare_selected(node, ops, count, out);
}
