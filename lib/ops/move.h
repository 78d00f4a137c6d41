/* Concatenation as the operations built on it use it. The gpu is locked. */
#ifndef FP_OPS_MOVE_H
#define FP_OPS_MOVE_H

#include "planning/task.h"

/* Two arrays as a task's inputs: GPU_E_ARGUMENT unless they are of one gpu, GPU_E_TYPE unless they are of one type. */
gpu_status fp_join_inputs(fp_task *task, const gpu_array *a, const gpu_array *b);

/* A new node, the elements of `a`, then those of `b`; NULL on failure. Waits for both lengths; *of_a becomes that of
 * `a`. */
fp_node *fp_join(fp_node *a, fp_node *b, size_t *of_a);

#endif
