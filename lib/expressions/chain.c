#include "expressions/chain.h"

#include "base/error.h"

/* ---- buffers in between ---- */

bool fp_chain_costs(const fp_node *node)
{
    enum { FEW = 4 }; /* slices and the like, one over the other */
    return node->operators || node->depth > FEW;
}

/* Note [slices]: a slice computes the elements that it needs, so paging through a delayed array takes no memory for all
 * of it. But u[1:] - u[:-1] needs each element of u twice, so each step of a loop would double the work and the
 * program. If slices together need more elements than the array has, it becomes a buffer before any of them is
 * computed. A consumer of the whole array counts as a slice of all of it. A slice of less than half of it does not
 * count. */
static bool is_sliced(const fp_node *node)
{
    return node->sliced && fp_chain_costs(node) && (node->used || node->sliced > node->length);
}

fp_reason fp_node_ends(const fp_node *node, uint64_t consumer, uint64_t next, bool stores)
{
    if (consumer && consumer != next && fp_chain_costs(node)) return FP_REASON_SECOND;
    if (is_sliced(node)) return FP_REASON_SLICED;
    return node->kind == FP_NODE_TASK && !stores ? FP_REASON_WHOLE : FP_REASON_NONE;
}

/* ---- sizes ---- */

static size_t operator_bytes(const fp_operator *op)
{
    size_t bytes = 0;
    for (unsigned k = 0; k < op->count; k++) bytes += op->captured[k].array ? 16 : op->captured[k].type->size;
    return bytes;
}

/* The bytes of the kernel arguments that the node itself takes. */
static size_t own_bytes(const fp_node *node)
{
    if (node->kind == FP_NODE_STENCIL) return operator_bytes(node->op) + 32 + node->type->size;
    if (node->op) return operator_bytes(node->op) + (node->kind == FP_NODE_FIND ? 4 * sizeof(uint64_t) : 0);
    return sizeof(uint64_t) * (node->kind == FP_NODE_GATHER ? 6 : node->kind == FP_NODE_STRIDED ? 4 : 2);
}

void fp_chain_deepen(fp_node *node, const fp_node *below)
{
    const unsigned depth = below->stored ? 0 : below->depth;
    if (depth >= node->depth) node->depth = depth + 1;
    node->stored_below |= below->stored || below->stored_below;
}

/* Adds up what a node and its inputs take. An input that becomes a buffer before counts as a buffer. */
static void add_up(fp_node *node)
{
    node->operators = node->op || node->kind == FP_NODE_GATHER;
    node->depth = 1;
    node->stored_below = false;
    node->parameter_bytes = own_bytes(node);
    for (int k = 0; k < FP_INPUTS && node->inputs[k]; k++) {
        const fp_node *input = node->inputs[k];
        const bool ends = input->stored || is_sliced(input);
        node->operators += ends ? 0 : input->operators;
        node->parameter_bytes += ends ? 16 : input->parameter_bytes;
        fp_chain_deepen(node, input);
    }
    if (fp_node_source(node)) fp_chain_deepen(node, fp_node_source(node));
    for (unsigned k = 0; node->op && k < node->op->count; k++)
        if (node->op->captured[k].array) fp_chain_deepen(node, node->op->captured[k].array);
}

/* ---- cutting ---- */

/* The bytes of kernel arguments that a template leaves for the expression. */
static size_t parameter_room(const gpu *g)
{
    enum { TEMPLATE = 320 };
    return g->capabilities->parameter_bytes > 2 * TEMPLATE ? g->capabilities->parameter_bytes - TEMPLATE : TEMPLATE;
}

static bool too_long(const gpu *g, const fp_node *node)
{
    return node->operators > g->policy.chain || node->depth > g->policy.chain ||
           node->parameter_bytes > parameter_room(g);
}

/* Adds up a node and all nodes below, of which some have become shorter. */
static void add_up_again(fp_node *node, uint64_t visit)
{
    if (node->visit == visit || !node->depth || node->stored) return;
    node->visit = visit;
    for (int k = 0; k < FP_INPUTS && node->inputs[k]; k++) add_up_again(node->inputs[k], visit);
    for (unsigned k = 0; node->op && k < node->op->count; k++)
        if (node->op->captured[k].array) add_up_again(node->op->captured[k].array, visit);
    add_up(node);
}

/* A slice of most elements has its whole array stored: other slices may need the elements too. */
static gpu_status cut_at(fp_node *input)
{
    fp_node *whole = input->kind == FP_NODE_SLICE ? input->inputs[0] : input;
    if (input->length < whole->length - input->length) whole = input;
    gpu_status status = fp_node_store(whole, FP_REASON_LONG);
    if (!status && whole != input) add_up(input);
    return status;
}

/* Did the visit come to this input before, from another node? Slices are left to what they are slices of. */
static bool is_met_again(const fp_node *node, int k, uint64_t visit)
{
    const fp_node *input = node->inputs[k];
    for (int before = 0; before < k; before++)
        if (node->inputs[before] == input) return false;
    return input->visit == visit && fp_node_consumes(node) && fp_node_consumes(input) && fp_chain_costs(input);
}

/* Stores the nodes that become buffers before this one in any case. The order is that of lib/planning/schedule.c. */
static gpu_status store_certain(fp_node *node, bool stores, uint64_t visit)
{
    const bool maps = stores && node->kind == FP_NODE_MAP && !node->inputs[1];
    if (node->visit == visit || !node->depth) return GPU_OK;
    node->visit = visit;
    fp_node *source = fp_node_source(node);
    gpu_status status = source ? fp_node_store(source, FP_REASON_GATHERED) : GPU_OK;
    for (unsigned k = 0; node->op && k < node->op->count && !status; k++)
        if (node->op->captured[k].array) status = fp_node_store(node->op->captured[k].array, FP_REASON_CAPTURED);
    for (int k = 0; k < FP_INPUTS && node->inputs[k] && !status; k++) {
        fp_node *input = node->inputs[k];
        const uint64_t next = fp_node_consumes(node) ? node->id : input->consumer;
        const fp_reason reason = fp_node_ends(input, input->consumer, next, maps);
        if (input->stored) continue;
        if (!reason && is_met_again(node, k, visit))
            status = fp_node_store(input, FP_REASON_SECOND);
        else
            status = reason ? fp_node_store(input, reason) : store_certain(input, maps, visit);
    }
    return status;
}

/* Note [long chains]: an expression that one kernel cannot hold is cut: its inputs are stored. This bounds the depth of
 * expressions, the size of programs and the recursion over nodes. Nodes that become buffers in any case are stored
 * first, which may be enough. */
gpu_status fp_chain_shorten(fp_node *node)
{
    add_up(node);
    if (too_long(node->g, node)) add_up_again(node, ++node->g->serial);
    if (too_long(node->g, node)) {
        gpu_status status = store_certain(node, true, ++node->g->serial);
        if (status) return status;
        add_up_again(node, ++node->g->serial);
    }
    for (int k = 0; k < FP_INPUTS && node->inputs[k] && too_long(node->g, node); k++) {
        fp_node *input = node->inputs[k];
        bool worth = input->operators || input->depth || input->parameter_bytes > 16;
        gpu_status status = worth ? cut_at(input) : GPU_OK;
        if (status) return status;
        add_up(node);
    }
    if (node->parameter_bytes <= parameter_room(node->g) || !node->op) return GPU_OK;
    return fp_fail(GPU_E_ARGUMENT,
                   "the captured values take %zu bytes, and a kernel's arguments may take %zu on %s: put "
                   "them into a gpu_array and capture that",
                   operator_bytes(node->op), parameter_room(node->g), node->g->capabilities->name);
}
