/* Computing nodes. */
#include "array/execute.h"
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

gpu_status fp_launch_map(const fp_ready *input, fp_buffer *out)
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

static gpu_status launch_map(fp_request *r)
{
    return fp_launch_map(&r->input, r->outputs[0].buffer);
}

static const fp_primitive map_operation = {.name = "map", .launch = launch_map, .run = fp_host_map, .small = true};

/* ---- selections ---- */

enum { DESTINATION_ARGS = 1 + FP_COUNT_ARGS };

static gpu_status launch_sweep(const fp_request *r, const fp_lookback *lookback, unsigned sweep)
{
    const gpu *g = r->input.node->g;
    fp_plan *plan;
    fp_arg args[FP_LOOKBACK_ARGS + FP_OUTPUTS * DESTINATION_ARGS];
    uint64_t cells[FP_OUTPUTS];
    gpu_status status = fp_plan_begin(&plan, "select", r->input.node->type, &r->input);
    if (status) return status;
    fp_plan_slot(plan, "FP_SPLIT", r->output_count > 1);
    fp_plan_slot(plan, "FP_SMALL", lookback->size == sizeof(uint32_t));
    fp_lookback_slots(plan, lookback, false, sweep);
    unsigned count = fp_lookback_args(g, lookback, args);
    for (unsigned k = 0; k < r->output_count; k++, count += DESTINATION_ARGS) {
        args[count] = (fp_arg){.buffer = r->outputs[k].buffer};
        fp_count_args(r->outputs[k].count, &cells[k], args + count + 1);
    }
    return fp_plan_launch(plan, args, count, lookback->tiles, lookback->group);
}

static gpu_status launch_select(fp_request *r)
{
    gpu *g = r->input.node->g;
    fp_lookback lookback = {.values = NULL};
    size_t counted = r->input.length <= UINT32_MAX ? sizeof(uint32_t) : sizeof(uint64_t);
    gpu_status status = fp_lookback_begin(g, r->input.length, r->input.node->type->size, false, counted, &lookback);
    for (unsigned k = 0; k < fp_lookback_sweeps(g) && !status; k++) status = launch_sweep(r, &lookback, k);
    fp_lookback_end(&lookback);
    return status;
}

/* An operator that is not exact may take another element. */
static const fp_primitive select_operation = {
    .name = "select", .launch = launch_select, .run = fp_host_select, .small = true, .decides = true};

/* Those that the input keeps, and, with two outputs, the others. */
static fp_request selection_of(const fp_ready *input, unsigned outputs)
{
    const fp_output kept = {.type = input->node->type, .extent = FP_COUNTED, .length = input->length};
    return (fp_request){
        .primitive = &select_operation, .input = *input, .outputs = {kept, kept}, .output_count = outputs};
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

gpu_status fp_node_split(fp_node *node, fp_node **results)
{
    /* What another filter drops is in neither. */
    gpu_status status = fp_node_select(node->inputs[0]);
    if (!status) status = prepare_inputs(node, false);
    if (status) return status;
    const fp_ready input = ready_of(node);
    fp_request r = selection_of(&input, 2);
    return fp_execute(&r, results);
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
    *out = NULL;
    if (status || g->mode) return status;
    return here ? fp_buffer_new_here(g->device, bytes, NULL, out) : fp_buffer_new(g->device, bytes, out);
}

gpu_status fp_elements_new(gpu *g, gpu_type type, size_t length, fp_buffer **out)
{
    return fp_elements_new_at(g, false, type, length, out);
}

static fp_request map_of(const fp_ready *input)
{
    return (fp_request){.primitive = &map_operation,
                        .input = *input,
                        .outputs = {{.type = input->node->type, .extent = FP_ALIGNED, .length = input->length}},
                        .output_count = 1};
}

/* The node becomes what was computed of it. */
static void become(fp_node *node, fp_node *result)
{
    node->length = result->length;
    fp_node_become_buffer(node, result->buffer ? fp_buffer_keep(result->buffer) : NULL, result->count);
    fp_node_drop(result);
}

static fp_request elements_of(const fp_ready *input)
{
    return input->selection ? selection_of(input, 1) : map_of(input);
}

bool fp_node_runs_on_host(fp_node *node, const fp_supposed *supposed)
{
    gpu *g = node->g;
    const fp_ready input = ready_of(node);
    const fp_request r = elements_of(&input);
    g->supposed = supposed;
    const bool on_host = fp_runs_on_host(&r);
    g->supposed = NULL;
    return on_host;
}

static gpu_status eval_elements(const fp_ready *input)
{
    fp_node *result = NULL;
    fp_request r = elements_of(input);
    gpu_status status = fp_execute(&r, &result);
    if (!status) become(input->node, result);
    return status;
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

fp_foreseen fp_task_foresee(fp_node *made, fp_node *maps, const fp_supposed *supposed)
{
    gpu *g = made->g;
    fp_task task = *made->task;
    fp_node *input = made->inputs[0], *result = NULL;
    const fp_ready ready = {input, fp_node_most(input), fp_node_count(input), NULL};
    task.ready = &ready;
    task.epilogue = maps == made ? NULL : maps;
    g->counted = (fp_foreseen){false};
    g->supposed = supposed;
    g->mode = FP_MODE_COUNTS;
    const gpu_status status = task.run(&task, &result);
    g->mode = FP_MODE_LAUNCHES;
    g->supposed = NULL;
    fp_node_drop(result);
    g->counted.epilogue &= !status && !g->verify && !g->counted.on_host;
    return g->counted;
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
    if (!task->epilogue) fp_enter(task->operation, &task->place);
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
    task.epilogue = node == made ? NULL : node;
    if (!consumer) input->consumer = made->id;
    gpu_status status = run_task(&task, &result);
    if (status) {
        input->consumer = consumer;
        blame(made, node, status);
        fp_node_drop(result);
    } else {
        become(node, result);
    }
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
    if (made && (made == node || fp_task_foresee(made, node, NULL).epilogue)) return eval_task(made, node);
    if (made) status = fp_node_eval(made, FP_REASON_WHOLE);
    if (status || is_nothing(node)) return status;
    const fp_ready input = ready_of(node);
    return eval_elements(&input);
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
    const fp_ready input = ready_of(node);
    eval_elements(&input);
}

static gpu_status wait_for(fp_node *node, fp_count *count)
{
    if (node->g->mode) return fp_fail(GPU_E_INTERNAL, "a rehearsal does not wait");
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
