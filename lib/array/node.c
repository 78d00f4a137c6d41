#include "array/node.h"

#include "array/plan.h"
#include "base/error.h"
#include "base/memory.h"
#include "kernel/type.h"

#include <string.h>

/* ---- faults ---- */

static fp_fault out_of_memory = {1, GPU_E_MEMORY, "the host is out of memory", "", ""};

/* Fault and texts are one block. */
static fp_fault *fault_alloc(void)
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

/* What is made from an array in error carries its fault on: the last one is at hand. */
fp_fault *fp_fault_new(gpu *g)
{
    fp_fault *last = g->last_fault;
    if (!last || last->status != fp_last_status() || strcmp(last->text, gpu_error()) != 0) {
        fp_fault_drop(last);
        g->last_fault = fault_alloc();
    }
    return fp_fault_keep(g->last_fault);
}

void fp_fault_set(fp_fault_slot *slot, fp_fault *fault)
{
    fp_fault *none = NULL;
    if (!atomic_compare_exchange_strong(slot, &none, fault)) fp_fault_drop(fault);
}

fp_fault *fp_fault_of(const fp_fault_slot *slot)
{
    return atomic_load_explicit(slot, memory_order_acquire);
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
    node->g = g;
    node->references = 1;
    node->kind = kind;
    node->type = type;
    node->length = length;
    node->parameter_bytes = 16;
    node->id = ++g->serial;
    return node;
}

fp_node *fp_node_keep(fp_node *node)
{
    if (node) node->references++;
    return node;
}

/* All that a node holds. */
static void drop_contents(fp_node *node)
{
    for (int k = 0; k < FP_INPUTS; k++) {
        fp_node_drop(node->inputs[k]);
        node->inputs[k] = NULL;
    }
    fp_operator_free(node->op);
    node->op = NULL;
    fp_free(node->value);
    node->value = NULL;
    fp_buffer_drop(node->buffer);
    node->buffer = NULL;
}

void fp_node_drop(fp_node *node)
{
    if (!node || --node->references) return;
    drop_contents(node);
    fp_fault_drop(fp_fault_of(&node->fault));
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

gpu_status fp_value_buffer(gpu *g, const void *value, size_t bytes, fp_buffer **out)
{
    gpu_status status = fp_buffer_new(g->device, bytes, out);
    if (!status) status = fp_buffer_upload(*out, 0, value, bytes);
    if (!status) return GPU_OK;
    fp_buffer_drop(*out);
    *out = NULL;
    return status;
}

static gpu_status keep_value(fp_node *node, const void *value)
{
    if (node->type->size > FP_MOST_VALUE_BYTES) return fp_value_buffer(node->g, value, node->type->size, &node->buffer);
    node->parameter_bytes = node->type->size;
    node->value = fp_alloc(node->type->size);
    if (!node->value) return fp_fail_memory();
    memcpy(node->value, value, node->type->size);
    return GPU_OK;
}

fp_node *fp_node_fill(gpu *g, gpu_type type, const void *value, size_t length)
{
    fp_node *node = node_new(g, FP_NODE_FILL, type, length);
    if (!node || !keep_value(node, value)) return node;
    fp_node_drop(node);
    return NULL;
}

/* A slice of equal elements is as many of them. */
static fp_node *shorter_fill(const fp_node *fill, size_t length)
{
    if (!fill->buffer) return fp_node_fill(fill->g, fill->type, fill->value, length);
    fp_node *node = node_new(fill->g, FP_NODE_FILL, fill->type, length);
    if (node) node->buffer = fp_buffer_keep(fill->buffer);
    return node;
}

fp_node *fp_node_slice(fp_node *node, size_t first, size_t length)
{
    if (node->kind == FP_NODE_BUFFER)
        return fp_node_buffer(node->g, node->type, length, length ? node->buffer : NULL, node->first + first);
    if (node->kind == FP_NODE_FILL) return shorter_fill(node, length);
    fp_node *slice = node_new(node->g, FP_NODE_SHIFT, node->type, length);
    if (!slice) return NULL;
    bool shifted = node->kind == FP_NODE_SHIFT;
    slice->first = first + (shifted ? node->first : 0);
    slice->inputs[0] = fp_node_keep(shifted ? node->inputs[0] : node);
    slice->operators = slice->inputs[0]->operators;
    slice->depth = slice->inputs[0]->depth + 1;
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
    return node->operators > g->policy.chain || node->depth > g->policy.chain ||
           node->parameter_bytes > parameter_room(g);
}

static void deepen(fp_node *node, const fp_node *below)
{
    if (below->depth >= node->depth) node->depth = below->depth + 1;
}

static void add_up(fp_node *node)
{
    node->operators = node->depth = 1;
    node->parameter_bytes = operator_bytes(node->op);
    for (int k = 0; k < FP_INPUTS && node->inputs[k]; k++) {
        node->operators += node->inputs[k]->operators;
        node->parameter_bytes += node->inputs[k]->parameter_bytes;
        deepen(node, node->inputs[k]);
    }
    for (unsigned k = 0; k < node->op->count; k++)
        if (node->op->captured[k].array) deepen(node, node->op->captured[k].array);
}

/* Note [long chains]: an expression that exceeds what one kernel may hold has its inputs computed here and now. So
 * the depth of expressions, the size of a program and the recursion over nodes are bounded, whatever the user
 * builds. */
static gpu_status shorten(fp_node *node)
{
    add_up(node);
    if (node->depth > node->g->policy.chain) {
        gpu_status status = fp_operator_prepare(node->op);
        if (status) return status;
        add_up(node);
    }
    for (int k = 0; k < FP_INPUTS && node->inputs[k] && too_long(node->g, node); k++) {
        fp_node *input = node->inputs[k];
        bool worth = input->operators || input->depth || input->parameter_bytes > 16;
        gpu_status status = worth ? fp_node_eval(input) : GPU_OK;
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
    const fp_policy *policy = &plan->g->policy;
    size_t bytes = fp_plan_largest_read(plan), size = plan->type->size;
    unsigned unit = fp_type_is_scalar(plan->type) ? fp_plan_unit_of(plan, size > bytes ? size : bytes) : 1;
    fp_plan_units(plan, unit);
    unsigned items = policy->flight / policy->wide;
    fp_plan_slot(plan, "FP_MOVES", items);
    size_t least = (size_t)group * unit, most = least * items;
    return length / most * group < policy->resident ? least : most;
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
    drop_contents(node);
    node->kind = FP_NODE_BUFFER;
    node->buffer = buffer;
    node->first = 0;
    node->operators = node->depth = 0;
    node->parameter_bytes = 16;
}

static gpu_status prepare_inputs(fp_node *node);

gpu_status fp_array_bytes(gpu_type type, size_t length, size_t *bytes)
{
    if (fp_multiply(length, type->size, bytes)) return GPU_OK;
    return fp_fail(GPU_E_MEMORY, "cannot allocate %zu elements of %zu bytes: that is more than can be addressed",
                   length, type->size);
}

gpu_status fp_node_eval(fp_node *node)
{
    const fp_fault *fault = fp_fault_of(&node->fault);
    if (fault) return fp_fault_fail(fault);
    if (node->kind == FP_NODE_BUFFER) return GPU_OK;
    fp_buffer *buffer = NULL;
    gpu_status status = GPU_OK;
    size_t bytes;
    if (node->length) {
        status = fp_array_bytes(node->type, node->length, &bytes);
        if (!status) status = prepare_inputs(node);
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

/* Note [consumers]: a node is fused into its first consumer, a node or a launch, and becomes a buffer at its second.
 * That its first consumer is computed again, to become a buffer itself, makes it no second one. A slice is no
 * consumer of what it is a slice of: it computes the elements it needs, and becomes a buffer by itself. */
static gpu_status prepare_for(fp_node *node, uint64_t consumer)
{
    const fp_fault *fault = fp_fault_of(&node->fault);
    if (fault) return fp_fault_fail(fault);
    if (node->operators && node->consumer && node->consumer != consumer) return fp_node_eval(node);
    return prepare_inputs(node);
}

static gpu_status prepare_inputs(fp_node *node)
{
    gpu_status status = node->op ? fp_operator_prepare(node->op) : GPU_OK;
    for (int k = 0; k < FP_INPUTS && node->inputs[k] && !status; k++)
        status = prepare_for(node->inputs[k], node->kind == FP_NODE_SHIFT ? node->inputs[k]->consumer : node->id);
    return status;
}

gpu_status fp_node_prepare(fp_node *node)
{
    return prepare_for(node, 0);
}
