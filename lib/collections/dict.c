/* Dictionaries: handles, and what every call has. */
#include "collections/dict.h"
#include "base/error.h"
#include "base/memory.h"
#include "planning/eval.h"

#include <string.h>

/* Stand for dictionaries that cannot exist. */
static gpu_dict no_gpu = {.keys = {.fault = &fp_fault_no_gpu}};
static gpu_dict no_memory = {.keys = {.fault = &fp_fault_no_memory}};

static gpu_array *handle_of(gpu_dict *d)
{
    return d ? &d->keys : NULL;
}

static const gpu_array *handle_to_read(const gpu_dict *d)
{
    return d ? &d->keys : NULL;
}

gpu *fp_dict_gpu(const gpu_dict *d)
{
    return fp_array_gpu(handle_to_read(d));
}

/* The fault of the values, which may have been computed alone. */
static const fp_fault *values_fault(const gpu_dict *d)
{
    return d->values ? fp_fault_of(&d->values->fault) : NULL;
}

static gpu_status check(const gpu_dict *d, const char *which,
                        gpu_status (*check_handle)(const gpu_array *a, const char *which))
{
    if (!d) return fp_fail(GPU_E_ARGUMENT, "the dictionary '%s' is NULL", which);
    gpu_status status = check_handle(&d->keys, which);
    const fp_fault *fault = values_fault(d);
    return status || !fault ? status : fp_fault_fail(fault);
}

gpu_status fp_dict_accept(const gpu_dict *d, const char *which)
{
    return check(d, which, fp_array_accept);
}

gpu_status fp_dict_check(const gpu_dict *d, const char *which)
{
    return check(d, which, fp_array_check);
}

/* ---- calls ---- */

fp_dict_call fp_dict_begin(gpu *g, const gpu_dict *d, const char *which, const char *operation, const gpu_place *place)
{
    fp_dict_call call = {.entry = fp_entry_begin(g, operation, place)};
    call.status = fp_dict_accept(d, which);
    if (call.status) return call;
    call.less = fp_operator_keep(d->less);
    call.natural = d->natural;
    return call;
}

static gpu_status check_keys(const gpu_dict *d, const gpu_array *keys)
{
    gpu_status status = fp_array_accept(keys, "keys");
    if (status) return status;
    if (keys->g != d->keys.g) return fp_fail(GPU_E_ARGUMENT, "'d' and 'keys' belong to different gpus");
    gpu_type type = keys->node->type, own = d->keys.node->type;
    if (gpu_type_equal(type, own)) return GPU_OK;
    return fp_fail(GPU_E_TYPE, "'keys' are %s, and the keys of 'd' are %s", type->name, own->name);
}

fp_dict_call fp_dict_begin_with(const gpu_dict *d, const gpu_array *keys, const char *operation, const gpu_place *place)
{
    gpu *g = fp_first_gpu(fp_dict_gpu(d), fp_array_gpu(keys));
    fp_dict_call call = fp_dict_begin(g, d, "d", operation, place);
    if (!call.status) call.status = check_keys(d, keys);
    return call;
}

void fp_dict_bind(fp_dict_call *call, const gpu_operator *op, const fp_operator_kind *kind)
{
    if (call->status) return;
    fp_operator_kind later = *kind;
    later.traits |= FP_OPERATOR_SYMBOLS;
    call->status = fp_operator_bind(call->entry.g, op, &later, &call->op);
}

fp_node *fp_dict_step(fp_dict_call *call, fp_task task)
{
    fp_node **results = &call->made[call->count];
    if (call->status) return NULL;
    while (task.input_count < FP_INPUTS && task.inputs[task.input_count]) task.input_count++;
    while (task.result_count < FP_RESULTS && task.results[task.result_count]) task.result_count++;
    task.g = task.inputs[0]->g;
    if (task.op) fp_operator_keep(task.op);
    call->status = fp_task_end(&task, GPU_OK, results);
    if (call->status) return NULL;
    call->count += task.result_count;
    return results[0];
}

static gpu_status run_find(const fp_task *task, fp_node **result)
{
    return fp_node_give(fp_node_find(task->inputs[1], task->inputs[0], fp_operator_keep(task->op)), result);
}

fp_node *fp_dict_find(fp_dict_call *call, fp_operator *less, fp_node *source, fp_node *wanted)
{
    return fp_dict_step(
        call,
        (fp_task){.run = run_find, .inputs = {wanted, source}, .op = less, .results = {GPU_ULONG}, .aligned = true});
}

/* inputs: wanted, keys and perhaps their index. */
static gpu_status run_look_up(const fp_task *task, fp_node **result)
{
    fp_node *wanted = task->inputs[0], *keys = task->inputs[1], *index = task->inputs[2];
    return index ? fp_node_give(fp_dict_find_by_index(index, keys, wanted), result) : run_find(task, result);
}

fp_node *fp_dict_look_up(fp_dict_call *call, const gpu_dict *d, fp_node *wanted)
{
    if (call->status) return NULL;
    return fp_dict_step(call, (fp_task){.run = run_look_up,
                                        .inputs = {wanted, d->keys.node, fp_dict_index(d, wanted)},
                                        .op = d->less,
                                        .results = {GPU_ULONG},
                                        .aligned = true});
}

fp_node *fp_dict_select(fp_dict_call *call, fp_operator *op, fp_node *a, fp_node *b)
{
    return fp_dict_step(call, (fp_task){.run = fp_run_indices, .inputs = {a, b}, .op = op, .results = {GPU_ULONG}});
}

/* numbers[0]: an index out of range is a key that is not there. */
static gpu_status run_gather(const fp_task *task, fp_node **result)
{
    gpu_status status = fp_node_end_selection(task->inputs[0]);
    if (status) return status;
    *result = fp_node_gather(task->inputs[0], task->inputs[1]);
    if (*result && task->numbers[0]) fp_deferred_say((*result)->gather.raises, FP_TEXT_OF_KEYS);
    return *result ? GPU_OK : fp_last_status();
}

fp_node *fp_dict_gather(fp_dict_call *call, fp_node *source, fp_node *places, bool absent)
{
    if (call->status) return NULL;
    return fp_dict_step(
        call, (fp_task){.run = run_gather, .inputs = {source, places}, .numbers = {absent}, .results = {source->type}});
}

gpu_status fp_dict_call_end(fp_dict_call *call)
{
    fp_entry_relock(&call->entry);
    while (call->count) fp_node_drop(call->made[--call->count]);
    fp_operator_drop(call->less);
    fp_operator_drop(call->op);
    return fp_entry_end(&call->entry, call->status);
}

gpu_array *fp_dict_array_end(fp_dict_call *call, fp_node *node)
{
    gpu_array *a = fp_array_new(call->entry.g, call->status ? NULL : fp_node_keep(node));
    if (!call->status) call->status = gpu_array_status(a);
    fp_dict_call_end(call);
    return a;
}

static void release(gpu_array *keys)
{
    gpu_dict *d = (gpu_dict *)keys;
    fp_node_drop(d->values);
    fp_node_drop(d->index);
    fp_node_drop(d->entries);
    fp_operator_drop(d->less);
}

static gpu_status eval_node(fp_node *node)
{
    return node->kind == FP_NODE_SYMBOL ? GPU_OK : fp_node_eval(node, FP_REASON_ASKED);
}

static gpu_dict *dict_new(fp_dict_call *call, fp_node *keys, fp_node *values)
{
    gpu *g = call->entry.g;
    if (!call->status && g->eager) call->status = eval_node(values);
    gpu_dict *d = (gpu_dict *)fp_handle_new(g, call->status ? NULL : fp_node_keep(keys), sizeof *d);
    if (d && d->keys.node) {
        d->keys.release = release;
        d->values = fp_node_keep(values);
        d->less = fp_operator_keep(call->less);
        d->natural = call->natural;
    }
    if (!d) d = fp_last_status() == GPU_E_MEMORY ? &no_memory : &no_gpu;
    if (!call->status) call->status = gpu_dict_status(d);
    return d;
}

gpu_dict *fp_dict_end(fp_dict_call *call, fp_node *keys, fp_node *values)
{
    gpu_dict *d = dict_new(call, keys, values);
    fp_dict_call_end(call);
    return d;
}

/* ---- handles ---- */

gpu_status gpu_dict_status(const gpu_dict *d)
{
    gpu_status status = gpu_array_status(handle_to_read(d));
    const fp_fault *fault = status ? NULL : values_fault(d);
    return fault ? fault->status : status;
}

const char *gpu_dict_error(const gpu_dict *d)
{
    if (!d) return "the dictionary is NULL";
    const fp_fault *fault = gpu_array_status(&d->keys) ? NULL : values_fault(d);
    return fault ? fault->text : gpu_array_error(&d->keys);
}

void gpu_dict_free(gpu_dict *d)
{
    gpu_array_free(handle_of(d));
}

gpu_dict *gpu_dict_keep(gpu_dict *d)
{
    gpu_keep(handle_of(d));
    return d;
}

/* A failure that only the values have is the dictionary's, too. */
static gpu_status eval(gpu_dict *d, const char *which)
{
    gpu_status status = fp_dict_check(d, which);
    if (status) return status;
    status = eval_node(d->keys.node);
    if (!status) status = eval_node(d->values);
    if (status) fp_fault_set(&d->keys.fault, fp_fault_new(d->keys.g));
    return status;
}

gpu_dict *gpu_dict_eval(gpu_dict *d)
{
    fp_entry entry = fp_entry_begin(fp_dict_gpu(d), "gpu_dict_eval", NULL);
    fp_entry_end(&entry, eval(d, "d"));
    return d;
}

gpu_dict *gpu_dict_replace(gpu_dict **u, gpu_dict *v)
{
    gpu_dict *old = u ? *u : NULL;
    gpu *g = fp_first_gpu(fp_dict_gpu(v), fp_dict_gpu(old));
    fp_dict_call call = {.entry = fp_entry_begin(g, "gpu_dict_replace", NULL)};
    call.status = u ? eval(v, "v") : fp_fail(GPU_E_ARGUMENT, "u is NULL: pass the address of a gpu_dict *");
    if (!u || !v) v = dict_new(&call, NULL, NULL);
    if (u) fp_handle_follow(&v->keys, handle_to_read(old));
    if (u) *u = v;
    fp_dict_call_end(&call);
    if (u && v != old) gpu_dict_free(old);
    return v;
}

/* ---- keys and values ---- */

gpu_array *gpu_dict_keys(const gpu_dict *d)
{
    fp_dict_call call = fp_dict_begin(fp_dict_gpu(d), d, "d", "gpu_dict_keys", NULL);
    return fp_dict_array_end(&call, call.status ? NULL : d->keys.node);
}

gpu_array *gpu_dict_values(const gpu_dict *d)
{
    fp_dict_call call = fp_dict_begin(fp_dict_gpu(d), d, "d", "gpu_dict_values", NULL);
    return fp_dict_array_end(&call, call.status ? NULL : d->values);
}

static gpu_status wait_size(const gpu_dict *d, size_t *size)
{
    gpu_status status = fp_dict_check(d, "d");
    if (!status) status = fp_node_wait_length(d->keys.node, size);
    return status ? status : fp_node_check(d->keys.node);
}

size_t gpu_dict_size(const gpu_dict *d)
{
    fp_entry entry = fp_entry_begin(fp_dict_gpu(d), "gpu_dict_size", NULL);
    size_t size = 0;
    return fp_entry_end(&entry, wait_size(d, &size)) ? 0 : size;
}

static gpu_status check_outputs(const gpu_dict *d, const gpu_output *keys, const gpu_output *values, size_t size,
                                size_t capacity)
{
    gpu_status status = size ? fp_check_output(keys, d->keys.node->type) : GPU_OK;
    if (!status && size) status = fp_check_output(values, d->values->type);
    if (status || size <= capacity) return status;
    return fp_fail(GPU_E_RANGE, "the dictionary has %zu keys, and there is room for %zu", size, capacity);
}

/* The keys are stored last, so that nothing is written after a failure. Others may free the dictionary while this
 * thread waits. */
static gpu_status read_nodes(fp_entry *entry, fp_node *keys, fp_node *values, void *to_keys, void *to_values,
                             size_t bytes)
{
    fp_node_keep(values);
    gpu_status status = fp_node_eval(values, FP_REASON_ASKED);
    if (!status) status = fp_node_check(values);
    void *copy = status ? NULL : fp_alloc(bytes);
    if (!status && !copy) status = fp_fail_memory();
    if (!status) status = fp_node_read(entry, keys, copy);
    fp_entry_relock(entry);
    if (!status) status = fp_node_read(entry, values, to_values);
    if (!status) memcpy(to_keys, copy, bytes);
    fp_free(copy);
    fp_entry_relock(entry);
    fp_node_drop(values);
    return status;
}

gpu_status gpu_dict_read_op(const gpu_dict *d, const gpu_output *keys, const gpu_output *values, size_t capacity,
                            size_t *n, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_dict_gpu(d), "gpu_dict_read", place);
    size_t size = 0;
    gpu_status status = n ? GPU_OK : fp_fail(GPU_E_ARGUMENT, "there is no room for the number of keys: n is NULL");
    if (!status) status = wait_size(d, &size);
    if (!status) status = check_outputs(d, keys, values, size, capacity);
    if (!status && size)
        status = read_nodes(&entry, d->keys.node, d->values, keys->pointer, values->pointer,
                            size * d->keys.node->type->size);
    if (!status) *n = size;
    return fp_entry_end(&entry, status);
}
