#include "array/node.h"

#include "array/plan.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* ---- faults ---- */

static fp_fault out_of_memory = {1, GPU_E_MEMORY, "the host is out of memory", "", ""};

/* Fault and texts are one block. */
fp_fault *fp_fault_new(void)
{
    const char *const texts[3] = {gpu_error(), gpu_error_log(), gpu_error_source()};
    const char *copies[3];
    size_t bytes[3], total = 0;
    for (int k = 0; k < 3; k++) total += bytes[k] = strlen(texts[k]) + 1;
    fp_fault *fault = fp_alloc(sizeof *fault + total);
    if (!fault) return &out_of_memory;
    char *at = (char *)(fault + 1);
    for (int k = 0; k < 3; at += bytes[k++]) copies[k] = memcpy(at, texts[k], bytes[k]);
    *fault = (fp_fault){1, fp_last_status(), copies[0], copies[1], copies[2]};
    return fault;
}

gpu_status fp_fault_fail(const fp_fault *fault)
{
    fp_fail_again(fault->status, fault->text);
    if (*fault->source) fp_fail_log(fault->log, fault->source);
    return fault->status;
}

fp_fault *fp_fault_keep(fp_fault *fault)
{
    if (fault != &out_of_memory) fault->references++;
    return fault;
}

void fp_fault_drop(fp_fault *fault)
{
    if (fault && fault != &out_of_memory && --fault->references == 0) fp_free(fault);
}

/* ---- making and dropping ---- */

static fp_node *node_new(gpu *g, fp_node_kind kind, gpu_type type, size_t length)
{
    fp_node *node = fp_alloc(sizeof *node);
    if (!node) {
        fp_fail_memory();
        return NULL;
    }
    *node = (fp_node){.g = g, .references = 1, .kind = kind, .type = type, .length = length, .parameter_bytes = 16};
    return node;
}

fp_node *fp_node_keep(fp_node *node)
{
    if (node) node->references++;
    return node;
}

/* What only a description needs. */
static void drop_description(fp_node *node)
{
    for (int k = 0; k < FP_INPUTS; k++) {
        fp_node_drop(node->inputs[k]);
        node->inputs[k] = NULL;
    }
    fp_operator_free(node->op);
    node->op = NULL;
    fp_free(node->value);
    node->value = NULL;
}

void fp_node_drop(fp_node *node)
{
    if (!node || --node->references) return;
    drop_description(node);
    fp_buffer_drop(node->buffer);
    fp_fault_drop(node->fault);
    fp_free(node);
}

fp_node *fp_node_buffer(gpu *g, gpu_type type, size_t length, fp_buffer *buffer, size_t first)
{
    fp_node *node = node_new(g, FP_NODE_BUFFER, type, length);
    if (!node) return NULL;
    if (buffer) node->buffer = fp_buffer_keep(buffer);
    node->first = first;
    return node;
}

fp_node *fp_node_range(gpu *g, gpu_type type, size_t length)
{
    return node_new(g, FP_NODE_RANGE, type, length);
}

fp_node *fp_node_fill(gpu *g, gpu_type type, const void *value, size_t length)
{
    fp_node *node = node_new(g, FP_NODE_FILL, type, length);
    if (!node) return NULL;
    node->parameter_bytes = type->size;
    node->value = fp_alloc(type->size);
    if (node->value) {
        memcpy(node->value, value, type->size);
        return node;
    }
    fp_node_drop(node);
    fp_fail_memory();
    return NULL;
}

fp_node *fp_node_slice(fp_node *node, size_t first, size_t length)
{
    if (node->kind == FP_NODE_BUFFER)
        return fp_node_buffer(node->g, node->type, length, length ? node->buffer : NULL, node->first + first);
    if (node->kind == FP_NODE_FILL) return fp_node_fill(node->g, node->type, node->value, length);
    fp_node *slice = node_new(node->g, FP_NODE_SHIFT, node->type, length);
    if (!slice) return NULL;
    bool shifted = node->kind == FP_NODE_SHIFT;
    slice->first = first + (shifted ? node->first : 0);
    slice->inputs[0] = fp_node_keep(shifted ? node->inputs[0] : node);
    slice->operators = slice->inputs[0]->operators;
    slice->parameter_bytes = slice->inputs[0]->parameter_bytes + sizeof(uint64_t);
    return slice;
}

static size_t operator_bytes(const fp_operator *op)
{
    size_t bytes = 0;
    for (unsigned k = 0; k < op->count; k++) bytes += op->captured[k].array ? 16 : op->captured[k].type->size;
    return bytes;
}

/* Kernel arguments left for an expression: the template's own take some. */
static size_t parameter_room(const gpu *g)
{
    enum { TEMPLATE = 320 };
    return g->facts->parameter_bytes > 2 * TEMPLATE ? g->facts->parameter_bytes - TEMPLATE : TEMPLATE;
}

static bool too_long(const gpu *g, const fp_node *node)
{
    return node->operators > g->policy.chain || node->parameter_bytes > parameter_room(g);
}

static void add_up(fp_node *node)
{
    node->operators = 1;
    node->parameter_bytes = operator_bytes(node->op);
    for (int k = 0; k < FP_INPUTS && node->inputs[k]; k++) {
        node->operators += node->inputs[k]->operators;
        node->parameter_bytes += node->inputs[k]->parameter_bytes;
    }
}

/* Note [long chains]: an expression that exceeds what one kernel may hold has its inputs computed here and now. So
 * the depth of expressions, the size of a program and the recursion over nodes are bounded, whatever the user
 * builds. */
static gpu_status shorten(fp_node *node)
{
    add_up(node);
    for (int k = 0; k < FP_INPUTS && node->inputs[k] && too_long(node->g, node); k++) {
        gpu_status status = node->inputs[k]->operators || node->inputs[k]->parameter_bytes > 16
                                ? fp_node_eval(node->inputs[k])
                                : GPU_OK;
        if (status) return status;
        add_up(node);
    }
    if (node->parameter_bytes <= parameter_room(node->g)) return GPU_OK;
    return fp_fail(GPU_E_ARGUMENT,
                   "the captured values take %zu bytes, and a kernel's arguments may take %zu on %s: put "
                   "them into a gpu_array and capture that",
                   operator_bytes(node->op), parameter_room(node->g), node->g->facts->name);
}

fp_node *fp_node_map(gpu *g, gpu_type type, fp_operator *op, fp_node *const *inputs, unsigned count)
{
    fp_node *node = node_new(g, FP_NODE_MAP, type, inputs[0]->length);
    if (!node) {
        fp_operator_free(op);
        return NULL;
    }
    node->op = op;
    for (unsigned k = 0; k < count; k++) node->inputs[k] = fp_node_keep(inputs[k]);
    if (!shorten(node)) return node;
    fp_node_drop(node);
    return NULL;
}

/* ---- computing ---- */

/* Work-items of a GPU's group that shares nothing: small groups come and go evenly. */
enum { MAP_GROUP = 256 };

/* The elements of a group: several units for each item, unless that leaves items of the device without work. */
static size_t tile_of(fp_plan *plan, size_t length, unsigned group)
{
    fp_plan_widen(plan, true);
    size_t least = (size_t)group * plan->wide, most = least * plan->items;
    return length / most * group < plan->g->policy.resident ? least : most;
}

static gpu_status launch_map(fp_node *node, fp_buffer *out)
{
    const fp_policy *policy = &node->g->policy;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "map", node->type, node);
    if (status) return status;
    size_t groups, share;
    unsigned group = policy->group < MAP_GROUP ? policy->group : MAP_GROUP;
    if (policy->cpu) {
        share = fp_share(node->length, policy->least_chunk, policy->most_chunks, &groups);
    } else {
        share = tile_of(plan, node->length, group);
        groups = node->length / share + (node->length % share != 0);
    }
    const fp_arg args[] = {{.buffer = out}, {.value = &share, .bytes = sizeof share}};
    return fp_plan_launch(plan, args, 2, groups, group);
}

static void become_buffer(fp_node *node, fp_buffer *buffer)
{
    drop_description(node);
    node->kind = FP_NODE_BUFFER;
    node->buffer = buffer;
    node->first = 0;
    node->operators = 0;
    node->parameter_bytes = 16;
}

gpu_status fp_array_bytes(gpu_type type, size_t length, size_t *bytes)
{
    if (fp_multiply(length, type->size, bytes)) return GPU_OK;
    return fp_fail(GPU_E_MEMORY, "cannot allocate %zu elements of %zu bytes: that is more than can be addressed",
                   length, type->size);
}

gpu_status fp_node_eval(fp_node *node)
{
    if (node->fault) return fp_fault_fail(node->fault);
    if (node->kind == FP_NODE_BUFFER) return GPU_OK;
    fp_buffer *buffer = NULL;
    gpu_status status = GPU_OK;
    size_t bytes;
    if (node->length) {
        status = fp_array_bytes(node->type, node->length, &bytes);
        /* Not fp_node_prepare(node): it would compute this very node. */
        for (int k = 0; k < FP_INPUTS && node->inputs[k] && !status; k++) status = fp_node_prepare(node->inputs[k]);
        if (!status && node->op) status = fp_operator_prepare(node->op);
        if (!status) status = fp_buffer_new(node->g->device, bytes, &buffer);
        if (!status) status = launch_map(node, buffer);
    }
    if (status) {
        fp_buffer_drop(buffer);
        return status;
    }
    become_buffer(node, buffer);
    return GPU_OK;
}

gpu_status fp_operator_prepare(const fp_operator *op)
{
    gpu_status status = GPU_OK;
    for (unsigned k = 0; k < op->count && !status; k++)
        if (op->captured[k].array) status = fp_node_eval(op->captured[k].array);
    return status;
}

gpu_status fp_node_prepare(fp_node *node)
{
    if (node->fault) return fp_fault_fail(node->fault);
    if (node->kind == FP_NODE_MAP && node->computed) return fp_node_eval(node);
    gpu_status status = node->op ? fp_operator_prepare(node->op) : GPU_OK;
    for (int k = 0; k < FP_INPUTS && node->inputs[k] && !status; k++) status = fp_node_prepare(node->inputs[k]);
    return status;
}
