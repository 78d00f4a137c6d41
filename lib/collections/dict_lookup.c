/* Lookups in dictionaries, and joins. */
#include "base/error.h"
#include "collections/dict.h"
#include "host/apply.h"
#include "ops/by_key.h"
#include "ops/search.h"
#include "planning/eval.h"

#include <firepile/select.h>
#include <string.h>

static uint64_t place_at(const fp_stretch *s, size_t e)
{
    uint64_t place;
    memcpy(&place, s->in[0] + e * s->stride[0], sizeof place);
    return place;
}

/* ---- is it there? ---- */

static void is_found(const fp_applied *applied, const fp_stretch *s)
{
    for (size_t e = 0; e < s->count; e++) fp_put_flag(applied, s, e, place_at(s, e) != FP_NOWHERE);
}

static fp_operator *bind_found(fp_dict_call *call, bool is_there)
{
    const fp_builtin found = {.text = "x != ULONG_MAX", .native = is_found};
    fp_operator *op = NULL;
    if (!call->status) call->status = fp_operator_builtin(call->entry.g, &found, &op);
    if (op) op->predicate = true;
    if (op) op->negated = !is_there;
    return op;
}

fp_node *fp_dict_select_found(fp_dict_call *call, fp_node *found, bool is_there)
{
    fp_operator *op = bind_found(call, is_there);
    fp_node *places = fp_dict_select(call, op, found, NULL);
    fp_operator_drop(op);
    return places;
}

gpu_array *gpu_dict_has_op(const gpu_dict *d, const gpu_array *keys, const gpu_place *place)
{
    fp_dict_call call = fp_dict_begin_with(d, keys, "gpu_dict_has", place);
    fp_node *found = call.status ? NULL : fp_dict_look_up(&call, d, keys->node);
    fp_operator *op = bind_found(&call, true);
    fp_node *has =
        fp_dict_step(&call, (fp_task){.run = fp_run_map, .inputs = {found}, .op = op, .results = {GPU_UCHAR}});
    fp_operator_drop(op);
    return fp_dict_array_end(&call, has);
}

static gpu_status check_one(const gpu_dict *d, const gpu_value *value, bool of_keys, const bool *yes)
{
    gpu_status status = fp_dict_check(d, "d");
    if (!status) status = fp_check_pointer(yes);
    if (status) return status;
    return of_keys ? fp_check_value(value, d->keys.node->type, "key") : fp_check_value(value, d->values->type, "value");
}

/* An array of the one key. */
static gpu_status run_one(const fp_task *task, fp_node **result)
{
    return fp_node_give(fp_node_fill(task->g, task->inputs[0]->type, task->values[0], 1), result);
}

gpu_status gpu_dict_contains_op(const gpu_dict *d, const gpu_value *key, bool *yes, const gpu_place *place)
{
    uint64_t at;
    fp_dict_call call = fp_dict_begin(fp_dict_gpu(d), d, "d", "gpu_dict_contains", place);
    if (!call.status) call.status = check_one(d, key, true, yes);
    fp_node *keys = call.status ? NULL : d->keys.node;
    fp_node *one = fp_dict_step(&call, (fp_task){.run = run_one,
                                                 .inputs = {keys},
                                                 .values = {call.status ? NULL : key->pointer},
                                                 .results = {call.status ? NULL : keys->type}});
    fp_node *found = fp_dict_find(&call, call.less, keys, one);
    if (!call.status) call.status = fp_node_read(&call.entry, found, &at);
    if (!call.status) *yes = at != FP_NOWHERE;
    return fp_dict_call_end(&call);
}

gpu_status gpu_dict_contains_value_op(const gpu_dict *d, const gpu_value *value, bool *yes, const gpu_place *place)
{
    size_t index;
    fp_operator *equals;
    fp_dict_call call = fp_dict_begin(fp_dict_gpu(d), d, "d", "gpu_dict_contains_value", place);
    if (!call.status) call.status = check_one(d, value, false, yes);
    if (!call.status) call.status = fp_equals_bind(d->keys.g, d->values->type, value, &equals);
    if (!call.status) call.status = fp_search_read(&call.entry, d->values, equals, &index);
    if (!call.status) *yes = index != GPU_NOT_FOUND;
    return fp_dict_call_end(&call);
}

/* ---- values ---- */

static void value_or(const fp_applied *applied, const fp_stretch *s)
{
    const fp_captured *values = &applied->op->captured[0], *otherwise = &applied->op->captured[1];
    const void *none = otherwise->large ? fp_node_memory(otherwise->array) : otherwise->bytes;
    const size_t size = applied->result->size;
    const unsigned char *elements = fp_node_memory(values->array); /* NULL: there are no values, and no places */
    for (size_t e = 0; e < s->count; e++) {
        const uint64_t at = place_at(s, e);
        const void *value = at == FP_NOWHERE ? none : elements + at * size;
        memcpy(s->out + e * s->out_stride, value, size);
    }
}

/* inputs: the values, places among them and perhaps entries. values[0]: the value of a key without a place. */
static gpu_status run_value_or(const fp_task *task, fp_node **result)
{
    fp_node *values = task->inputs[0], *places = task->inputs[1], *entries = task->inputs[2];
    if (entries) return fp_node_give(fp_dict_values_by_index(places, entries, values->type, task->values[0]), result);
    gpu_array handle = {.g = task->g, .node = values};
    const gpu_array *array = &handle;
    const gpu_capture elements = {"values", &array, GPU_CAPTURE_ARRAY, sizeof array};
    const gpu_capture otherwise = {"otherwise", task->values[0], values->type, values->type->size};
    const fp_builtin get = {.text = "{ if (x == ULONG_MAX) return otherwise; return values[x]; }",
                            .native = value_or,
                            .captures = (const gpu_capture *const[]){&elements, &otherwise, NULL}};
    fp_operator *op;
    gpu_status status = fp_operator_builtin(task->g, &get, &op);
    return status ? status : fp_node_give(fp_node_map(values->type, op, &places, 1), result);
}

static fp_node *get_or(fp_dict_call *call, const gpu_dict *d, fp_node *found, const gpu_value *otherwise)
{
    if (!call->status) call->status = fp_check_value(otherwise, d->values->type, "otherwise");
    if (call->status) return NULL;
    return fp_dict_step(call, (fp_task){.run = run_value_or,
                                        .inputs = {d->values, found, fp_dict_entries(d)},
                                        .values = {otherwise->pointer},
                                        .results = {d->values->type}});
}

gpu_array *gpu_dict_get_op(const gpu_dict *d, const gpu_array *keys, const gpu_value *otherwise, const gpu_place *place)
{
    fp_dict_call call = fp_dict_begin_with(d, keys, "gpu_dict_get", place);
    const bool absent = !otherwise || !otherwise->pointer;
    if (call.status) return fp_dict_array_end(&call, NULL);
    fp_node *found = fp_dict_look_up(&call, d, keys->node);
    return fp_dict_array_end(&call, absent ? fp_dict_gather(&call, d->values, found, true)
                                           : get_or(&call, d, found, otherwise));
}

/* ---- joins ---- */

/* The values, once there are known to be as many as keys. */
static gpu_status run_beside(const fp_task *task, fp_node **result)
{
    gpu_status status = fp_keyed_lengths(task);
    if (!status) *result = fp_node_keep(task->inputs[1]);
    return status;
}

static fp_node *beside(fp_dict_call *call, fp_node *keys, fp_node *values)
{
    return fp_dict_step(call, (fp_task){.run = run_beside, .inputs = {keys, values}, .results = {values->type}});
}

void fp_dict_join(fp_dict_call *call, const gpu_dict *d, fp_node *keys, fp_node *values, fp_node **rows)
{
    fp_node *found = fp_dict_look_up(call, d, keys);
    fp_node *places = fp_dict_select_found(call, found, true);
    rows[0] = fp_dict_gather(call, keys, places, false);
    rows[1] = fp_dict_gather(call, d->values, fp_dict_gather(call, found, places, false), false);
    rows[2] = fp_dict_gather(call, values, places, false);
}

gpu_status gpu_dict_join_op(const gpu_dict *d, const gpu_array *keys, const gpu_array *values, gpu_array **k,
                            gpu_array **left, gpu_array **right, const gpu_place *place)
{
    gpu_array **outputs[] = {k, left, right}, *arrays[3];
    fp_node *rows[3] = {NULL};
    fp_dict_call call = fp_dict_begin_with(d, keys, "gpu_dict_join", place);
    if (!call.status) call.status = fp_keyed_accept(keys, values);
    if (!call.status && !(k && left && right))
        call.status = fp_fail(GPU_E_ARGUMENT, "an output pointer is NULL: all three arrays are made");
    fp_node *all = call.status ? NULL : beside(&call, keys->node, values->node);
    if (!call.status) fp_dict_join(&call, d, keys->node, all, rows);
    for (unsigned n = 0; n < 3; n++) {
        arrays[n] = fp_array_new(call.entry.g, call.status ? NULL : fp_node_keep(rows[n]));
        if (!call.status) call.status = gpu_array_status(arrays[n]);
    }
    for (unsigned n = 0; n < 3; n++)
        if (outputs[n]) *outputs[n] = arrays[n];
    return fp_dict_call_end(&call);
}
