/* The length of expressions: the nodes that become buffers in between. */
#ifndef FP_EXPRESSIONS_CHAIN_H
#define FP_EXPRESSIONS_CHAIN_H

#include "expressions/node.h"

/* Why a node becomes a buffer before its `next` consumer is computed, after a first `consumer` (0: none). NONE: it does
 * not. `stores`: the result is stored (Note [epilogues]). */
fp_reason fp_node_ends(const fp_node *node, uint64_t consumer, uint64_t next, bool stores);

/* Is the node worth a buffer of its own when several need it? */
bool fp_chain_costs(const fp_node *node);

/* Notes that a node is computed from another one. */
void fp_chain_deepen(fp_node *node, const fp_node *below);

/* Adds up what a node takes, and stores inputs until one kernel can hold it. */
gpu_status fp_chain_shorten(fp_node *node);

#endif
