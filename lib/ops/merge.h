/* Merging, for the operations built on it. The gpu is locked. */
#ifndef FP_OPS_MERGE_H
#define FP_OPS_MERGE_H

#include "expressions/node.h"

/* Merges two nodes that their own order sorts. The merge is delayed. Waits for both lengths. */
gpu_status fp_merge(fp_node *a, fp_node *b, fp_node **result);

/* Merges keys, each with its value, at once: the first `of_a` are in order, and so are the others. results[0] becomes
 * the keys, results[1] the values. */
gpu_status fp_merge_pairs(fp_node *keys, fp_node *values, size_t of_a, const fp_order *order, fp_node **results);

#endif
