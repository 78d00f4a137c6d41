/* Keys with values, as the operations built on them use them. The gpu is locked. */
#ifndef FP_OPS_BY_KEY_H
#define FP_OPS_BY_KEY_H

#include "planning/task.h"

/* Keys and values as a task's inputs; they must be of one gpu, */
gpu_status fp_keyed_inputs(fp_task *task, const gpu_array *keys, const gpu_array *values);
/* and, when it is run, equally many. */
gpu_status fp_keyed_lengths(const fp_task *task);

/* gpu_reduce_by_key: nodes[0] becomes the values, as scalars of the type `result` (NULL: their own), nodes[1] the
 * keys. */
gpu_status fp_reduce_by_key(const char *operation, fp_operator *op, fp_node *keys, fp_node *values, gpu_type result,
                            fp_node **nodes);

#endif
