#include "planning/eval.h"

#include "base/error.h"
#include "planning/elements.h"
#include "planning/execute.h"
#include "planning/schedule.h"
#include "planning/sequence.h"

/* The host device has written all counts by now. */
fp_ready fp_node_made(fp_node *node)
{
    fp_count *count = fp_node_count(node);
    if (count && node->g->capabilities->host && !fp_count_wait(count)) count = fp_node_count(node);
    return (fp_ready){node, node->length, count, fp_node_selection(node)};
}

/* ---- steps ---- */

/* The node becomes its result. */
static void become(fp_node *node, fp_node *result)
{
    node->length = result->length;
    fp_node_become_buffer(node, result->buffer ? fp_buffer_keep(result->buffer) : NULL, result->count);
    fp_node_drop(result);
}

/* `count` is that of a stored selection, which others may have; NULL: there is none. */
static gpu_status compute_elements(fp_node *node, fp_count *count)
{
    fp_node *result = NULL;
    const fp_ready input = fp_node_made(node);
    fp_request r = fp_elements_of(&input);
    if (input.selection) r.outputs[0].count = fp_count_keep(count);
    gpu_status status = fp_execute(&r, &result);
    if (!status) become(node, result);
    return status;
}

/* A task that was refused keeps the fault, unless one of the maps over it has it. */
static void blame(fp_node *made, const fp_node *node, gpu_status status)
{
    while (node != made && !fp_fault_of(&node->fault)) node = node->inputs[0];
    bool lasts = status == GPU_E_SNIPPET || status == GPU_E_LAYOUT || status == GPU_E_TYPE;
    if (node == made && lasts) fp_fault_set(&made->fault, fp_fault_new(made->g));
}

/* A failure names the task's own call, unless maps are fused into the task. */
static gpu_status run_task(const fp_task *task, fp_node **result)
{
    const char *operation = fp_operation();
    const gpu_place place = fp_call_place();
    if (!task->epilogue) fp_enter(task->operation, &task->place);
    gpu_status status = task->run(task, result);
    fp_enter(operation, &place);
    return status;
}

/* Runs the task of `made`. `node` is that one, or the last map of the epilogue. */
static gpu_status compute_task(fp_node *made, fp_node *node)
{
    fp_task task = *made->made.task;
    fp_node *result = NULL, *input = made->inputs[0];
    const uint64_t consumer = input->consumer;
    const fp_ready ready = fp_node_made(input);
    task.ready = &ready;
    task.epilogue = node == made ? NULL : node;
    if (!consumer) input->consumer = made->id;
    gpu_status status = run_task(&task, &result);
    if (!status) {
        become(node, result);
        return GPU_OK;
    }
    input->consumer = consumer;
    blame(made, node, status);
    fp_node_drop(result);
    return status;
}

/* By earlier steps the node may turn out to be empty. */
static gpu_status compute(const fp_scheduled *step, fp_count *count)
{
    fp_node *node = step->node;
    if (fp_node_made(node).length) return step->task ? compute_task(step->task, node) : compute_elements(node, count);
    if (count) fp_count_learn(count, 0);
    fp_node_become_buffer(node, NULL, NULL);
    return GPU_OK;
}

static gpu_status run_step(const fp_scheduled *step)
{
    fp_node *node = step->node;
    if (step->part) fp_node_become_part(node);
    if (step->part || node->kind == FP_NODE_BUFFER) return GPU_OK;
    const bool stored = node->stored;
    node->stored = false;
    node->reason = step->reason;
    fp_count *count = stored && fp_node_selection(node) ? fp_count_keep(node->count) : NULL;
    gpu_status status = compute(step, count);
    if (status) node->stored = stored;
    if (!status) fp_sequence_made(node);
    fp_count_drop(count);
    return status;
}

/* Executes a schedule, and ends it. */
static gpu_status run(fp_schedule *s)
{
    gpu_status status = s->failed ? fp_fail_memory() : s->fault ? fp_fault_fail(s->fault) : GPU_OK;
    for (size_t k = 0; k < s->count && !status; k++) status = run_step(&s->steps[k]);
    fp_schedule_end(s);
    return status;
}

/* ---- nodes ---- */

gpu_status fp_node_eval(fp_node *node, fp_reason reason)
{
    fp_schedule s;
    const fp_fault *fault = fp_fault_of(&node->fault);
    if (fault) return fp_fault_fail(fault);
    fp_node_count(node);
    if (node->kind == FP_NODE_BUFFER) return GPU_OK;
    fp_schedule_begin(&s, node->g);
    fp_schedule_node(&s, node, reason);
    gpu_status status = run(&s);
    if (!status && node->kind != FP_NODE_BUFFER) fp_node_become_buffer(node, NULL, NULL);
    return status;
}

/* The common case: all arrays are buffers. */
static bool is_ready(fp_node *node, fp_operator *const *ops, unsigned count)
{
    bool ready = node->kind == FP_NODE_BUFFER && !fp_fault_of(&node->fault);
    for (unsigned k = 0; k < count && ready; k++)
        for (unsigned c = 0; c < ops[k]->count && ready; c++)
            ready = !ops[k]->captured[c].array || ops[k]->captured[c].array->kind == FP_NODE_BUFFER;
    return ready;
}

gpu_status fp_node_prepare_as(fp_node *node, bool selections, fp_operator *const *ops, unsigned count, fp_ready *out)
{
    fp_schedule s;
    if (is_ready(node, ops, count)) {
        *out = fp_node_made(node);
        return GPU_OK;
    }
    fp_schedule_begin(&s, node->g);
    for (unsigned k = 0; k < count; k++) fp_schedule_captured(&s, ops[k]);
    fp_schedule_input(&s, node, selections);
    gpu_status status = run(&s);
    if (!status) *out = fp_node_made(node);
    return status;
}

gpu_status fp_node_prepare(fp_node *node, fp_operator *const *ops, unsigned count, fp_ready *out)
{
    return fp_node_prepare_as(node, false, ops, count, out);
}

gpu_status fp_operator_prepare(const fp_operator *op)
{
    gpu_status status = GPU_OK;
    for (unsigned k = 0; k < op->count && !status; k++)
        if (op->captured[k].array) status = fp_node_eval(op->captured[k].array, FP_REASON_CAPTURED);
    return status;
}

/* Elements that another filter drops are in neither. */
gpu_status fp_node_split(fp_node *node, fp_node **results)
{
    fp_schedule s;
    gpu_status status = fp_node_end_selection(node->inputs[0]);
    if (status) return status;
    fp_schedule_begin(&s, node->g);
    fp_schedule_inputs(&s, node);
    status = run(&s);
    if (status) return status;
    const fp_ready input = fp_node_made(node);
    fp_request r = fp_selection_of(&input, 2);
    return fp_execute(&r, results);
}

/* ---- lengths ---- */

/* Copies a selection into a smaller buffer, if its own is many times too large and a worthwhile share of the device's
 * memory. It is no failure if there is no memory for the copy. */
static void shrink(fp_node *node)
{
    enum { TIMES = 4, WORTH = 64 };
    size_t bytes = node->length * node->type->size, held = node->buffer ? fp_buffer_bytes(node->buffer) : 0;
    if (node->kind != FP_NODE_BUFFER || held / TIMES < bytes) return;
    if (held >= node->g->capabilities->memory_bytes / WORTH) compute_elements(node, NULL);
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

gpu_status fp_node_wait_element(const fp_node *node, size_t place, void *out)
{
    const size_t size = node->type->size;
    if (node->g->mode) return fp_fail(GPU_E_INTERNAL, "a rehearsal does not wait");
    gpu_status status = fp_deferred_check(node->deferred);
    return status ? status : fp_buffer_download(node->buffer, (node->first + place) * size, out, size);
}

gpu_status fp_node_wait_length(fp_node *node, size_t *length)
{
    fp_node *stored = fp_node_stored_extent(node);
    gpu_status status = stored ? fp_node_eval(stored, FP_REASON_ENDED) : GPU_OK;
    if (!status && fp_node_selection(node)) status = fp_node_eval(node, FP_REASON_ENDED);
    fp_count *count = status ? NULL : fp_node_count(node);
    if (count) status = wait_for(node, count);
    if (!status) *length = node->length;
    return status;
}

gpu_status fp_node_check_lengths(fp_node *a, const char *elements_of_a, fp_node *b, const char *elements_of_b)
{
    size_t of_a, of_b;
    if (fp_node_same_extent(a, b)) return GPU_OK;
    gpu_status status = fp_node_wait_length(a, &of_a);
    if (!status) status = fp_node_wait_length(b, &of_b);
    if (status || of_a == of_b) return status;
    return fp_fail(GPU_E_ARGUMENT, "there are %zu %s and %zu %s, and there must be equally many", of_a, elements_of_a,
                   of_b, elements_of_b);
}
