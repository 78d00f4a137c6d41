/* Merging, for the operations built on it. The gpu is locked. */
#ifndef FP_OPS_MERGE_H
#define FP_OPS_MERGE_H

#include "expressions/node.h"

/* Merges two nodes that their own order sorts. The merge is delayed. Waits for both lengths. */
gpu_status fp_merge(fp_node *a, fp_node *b, fp_node **result);

#endif
