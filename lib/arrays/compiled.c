#include "arrays/compiled.h"

#include "arrays/array.h"
#include "arrays/read.h"
#include "base/error.h"
#include "base/memory.h"
#include "planning/eval.h"
#include "planning/execute.h"

#include <string.h>

/* The elements of a symbol's stand-in in a rehearsal. */
enum { REHEARSED = 1 << 16 };

/* ---- symbols ---- */

static fp_node *take_array(const fp_compiled *f, const fp_compiled_symbol *s, const gpu_array *a)
{
    gpu_type type = s->symbol->results[0];
    if (fp_array_check(a, s->name)) return NULL;
    if (a->g != f->g) {
        fp_fail(GPU_E_ARGUMENT, "the array '%s' belongs to another gpu", s->name);
        return NULL;
    }
    if (gpu_type_equal(a->node->type, type)) return fp_node_keep(a->node);
    fp_fail(GPU_E_TYPE, "the elements of '%s' are %s, and %s takes %s", s->name, a->node->type->name, f->name,
            type->name);
    return NULL;
}

static fp_node *take_argument(const fp_compiled *f, const fp_compiled_symbol *s, const void *argument)
{
    if (s->symbol->one) return fp_node_fill(f->g, s->symbol->results[0], argument, 1);
    return take_array(f, s, *(const gpu_array *const *)argument);
}

static gpu_status take_arguments(const fp_compiled *f, void *const *arguments, fp_node **slots)
{
    for (size_t k = 0; k < f->symbol_count; k++) {
        slots[k] = take_argument(f, &f->symbols[k], arguments[k]);
        if (!slots[k]) return fp_last_status();
    }
    for (size_t k = 0; k < f->made_count; k++) slots[f->made[k].slot] = fp_node_keep(f->made[k].node);
    return GPU_OK;
}

/* ---- steps ---- */

static fp_node **new_slots(const fp_compiled *f)
{
    fp_node **slots = fp_alloc_array(f->slot_count + f->most_captured, sizeof *slots);
    if (!slots) fp_fail_memory();
    return slots;
}

static void drop_slots(const fp_compiled *f, fp_node **slots)
{
    for (size_t k = 0; slots && k < f->slot_count; k++) fp_node_drop(slots[k]);
    fp_free(slots);
}

static fp_operator *operator_of(const fp_compiled *f, const fp_compiled_step *step, fp_node **slots)
{
    fp_operator *op = step->task->op;
    if (!op || !step->captured) return op ? fp_operator_keep(op) : NULL;
    fp_node **arrays = slots + f->slot_count;
    for (unsigned k = 0; k < op->count; k++) arrays[k] = op->captured[k].array ? slots[step->captured[k]] : NULL;
    return fp_operator_with(f->g, op, arrays);
}

/* Fills in a task with the inputs of this call. The caller owns its operator. */
static gpu_status fill_in(const fp_compiled *f, const fp_compiled_step *step, fp_node **slots, fp_task *out)
{
    *out = *step->task;
    for (unsigned k = 0; k < out->input_count; k++) out->inputs[k] = slots[step->inputs[k]];
    fp_enter(out->operation, &out->place);
    out->op = operator_of(f, step, slots);
    return out->op || !step->task->op ? GPU_OK : fp_last_status();
}

static gpu_status run_step(const fp_compiled *f, const fp_compiled_step *step, fp_node **slots)
{
    fp_task task;
    gpu_status status = fill_in(f, step, slots, &task);
    if (!status) status = fp_task_run(&task, slots + step->result);
    fp_operator_drop(task.op);
    return status;
}

static gpu_status run_steps(const fp_compiled *f, size_t count, fp_node **slots)
{
    gpu_status status = GPU_OK;
    for (size_t k = 0; k < count && !status; k++) status = run_step(f, &f->steps[k], slots);
    return status;
}

/* ---- results ---- */

/* Of one result, which the last step makes. */
static gpu_status read_last(const fp_compiled *f, fp_entry *entry, fp_node **slots, void *out)
{
    const fp_compiled_step *last = &f->steps[f->step_count - 1];
    bool reads = last->task->read != NULL;
    fp_task task;
    gpu_status status = run_steps(f, f->step_count - reads, slots);
    if (status) return status;
    if (!reads) return fp_node_read(entry, slots[f->results[0].slot], out);
    status = fill_in(f, last, slots, &task);
    if (!status) status = task.read(entry, &task, out);
    fp_entry_relock(entry);
    fp_operator_drop(task.op);
    return status;
}

/* Reads the results of one element into `values`, one behind the other. The first wait is for all. */
static gpu_status read_values(const fp_compiled *f, fp_entry *entry, fp_node **slots, unsigned char *values)
{
    gpu_status status = GPU_OK;
    for (size_t k = 0; k < f->result_count && !status; k++) {
        const fp_compiled_result *r = &f->results[k];
        if (!r->one) continue;
        status = fp_node_read(entry, slots[r->slot], values);
        fp_entry_relock(entry);
        values += r->type->size;
    }
    return status;
}

static gpu_status eval_results(const fp_compiled *f, fp_node **slots)
{
    gpu_status status = run_steps(f, f->step_count, slots);
    for (size_t k = 0; k < f->result_count && !status; k++)
        status = fp_node_eval(slots[f->results[k].slot], FP_REASON_COMPILED);
    return status;
}

static gpu_status all_results(const fp_compiled *f, fp_entry *entry, fp_node **slots, unsigned char *values)
{
    gpu_status status = eval_results(f, slots);
    return status ? status : read_values(f, entry, slots, values);
}

static size_t value_bytes(const fp_compiled *f)
{
    size_t bytes = 0;
    for (size_t k = 0; k < f->result_count; k++) bytes += f->results[k].one ? f->results[k].type->size : 0;
    return bytes;
}

/* Stores values, and nothing after a failure; makes arrays, in error after a failure. */
static gpu_status give(const fp_compiled *f, gpu_status status, fp_node **slots, const unsigned char *values,
                       void *const *outs)
{
    size_t at = 0;
    for (size_t k = 0; k < f->result_count; k++) {
        const fp_compiled_result *r = &f->results[k];
        if (r->one && !status) memcpy(outs[k], values + at, r->type->size);
        if (r->one) at += r->type->size;
        if (r->one) continue;
        gpu_array *made = fp_array_new(f->g, status ? NULL : fp_node_keep(slots[r->slot]));
        *(gpu_array **)outs[k] = made;
        if (!status) status = gpu_array_status(made);
    }
    return status;
}

static gpu_status compute(const fp_compiled *f, fp_entry *entry, void *const *arguments, void *const *outs)
{
    const bool value = f->result_count == 1 && f->results[0].one;
    fp_node **slots = new_slots(f);
    unsigned char *values = slots ? fp_alloc(value_bytes(f) + 1) : NULL;
    gpu_status status = values ? take_arguments(f, arguments, slots) : fp_fail_memory();
    if (!status) status = value ? read_last(f, entry, slots, values) : all_results(f, entry, slots, values);
    fp_entry_relock(entry);
    status = give(f, status, slots, values, outs);
    drop_slots(f, slots);
    fp_free(values);
    fp_enter(f->name, &f->place);
    return status;
}

static gpu_status call(const fp_compiled *f, fp_entry *entry, void *const *arguments)
{
    void *outs[GPU_RESULTS_MAX];
    for (size_t k = 0; k < f->result_count; k++) {
        outs[k] = *(void *const *)arguments[k];
        if (!outs[k]) return fp_fail(GPU_E_ARGUMENT, "the output pointer is NULL");
    }
    return compute(f, entry, arguments + f->result_count, outs);
}

gpu_status fp_compiled_call(void *context, void *const *arguments)
{
    const fp_compiled *f = context;
    fp_entry entry = fp_entry_begin(f->g, f->name, &f->place);
    return fp_entry_end(&entry, call(f, &entry, arguments));
}

/* ---- rehearsing ---- */

/* Note [rehearsals]: a call with stand-ins for arrays, in which kernels are built and not launched. It ends where
 * something is read from the device (fp_node_wait_length, fp_deferred_check), or where lengths do not fit: only the
 * compiler's messages count. It computes no node that lives on: existing arrays are buffers, or have stand-ins. */
static fp_node *stand_in(gpu *g, const fp_node *node)
{
    if (node->kind == FP_NODE_RANGE) return fp_node_range(g, node->type, REHEARSED);
    if (node->kind == FP_NODE_FILL && node->value) return fp_node_fill(g, node->type, node->value, node->length);
    return NULL;
}

static fp_node *new_value(gpu *g, gpu_type type)
{
    void *zero = fp_alloc(type->size);
    if (!zero) fp_fail_memory();
    fp_node *node = zero ? fp_node_fill(g, type, zero, 1) : NULL;
    fp_free(zero);
    return node;
}

static gpu_status stand_in_for_all(const fp_compiled *f, fp_node **slots)
{
    for (size_t k = 0; k < f->symbol_count; k++) {
        const fp_task *s = f->symbols[k].symbol;
        slots[k] = s->one ? new_value(f->g, s->results[0]) : fp_temporary(f->g, s->results[0], REHEARSED, NULL);
        if (!slots[k]) return fp_last_status();
    }
    for (size_t k = 0; k < f->made_count; k++) {
        fp_node *node = f->made[k].node, **slot = &slots[f->made[k].slot];
        *slot = node->kind == FP_NODE_BUFFER ? fp_node_keep(node) : stand_in(f->g, node);
        if (!*slot) return fp_fail(GPU_E_INTERNAL, "nothing stands for it");
    }
    return GPU_OK;
}

gpu_status fp_compiled_rehearse(fp_compiled *f)
{
    gpu *g = f->g;
    if (g->capabilities->host || g->verify) return GPU_OK;
    fp_node **slots = new_slots(f);
    if (!slots) return fp_last_status();
    g->mode = FP_MODE_BUILDS;
    gpu_status status = stand_in_for_all(f, slots);
    if (!status) status = eval_results(f, slots);
    g->mode = FP_MODE_LAUNCHES;
    drop_slots(f, slots);
    return status == GPU_E_SNIPPET || status == GPU_E_LAYOUT ? status : GPU_OK;
}

/* ---- the end ---- */

void fp_compiled_free(fp_compiled *f)
{
    for (fp_compiled *next; f; f = next) {
        next = f->next;
        fp_closure_free(f->closure);
        for (size_t k = 0; f->symbols && k < f->symbol_count; k++) fp_task_drop(f->symbols[k].symbol);
        for (size_t k = 0; k < f->made_count; k++) fp_node_drop(f->made[k].node);
        for (size_t k = 0; k < f->step_count; k++) fp_task_drop(f->steps[k].task);
        for (size_t k = 0; k < f->step_count; k++) fp_free(f->steps[k].captured);
        fp_free(f->symbols);
        fp_free(f->made);
        fp_free(f->steps);
        fp_free(f->name);
        fp_free(f);
    }
}
