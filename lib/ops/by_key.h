/* Keys with values, for the operations built on them. The gpu is locked. */
#ifndef FP_OPS_BY_KEY_H
#define FP_OPS_BY_KEY_H

#include "planning/task.h"

/* The gpu of the keys; of the values if `keys` is NULL. */
gpu *fp_keyed_gpu(const gpu_array *keys, const gpu_array *values);

/* Accepts keys and values, which may be symbolic. GPU_E_ARGUMENT unless they are of one gpu. */
gpu_status fp_keyed_accept(const gpu_array *keys, const gpu_array *values);
/* Makes them a task's inputs, too. */
gpu_status fp_keyed_inputs(fp_task *task, const gpu_array *keys, const gpu_array *values);
/* GPU_E_ARGUMENT unless there are as many keys as values. */
gpu_status fp_keyed_lengths(const fp_task *task);

/* A new node of pairs: each value beside its key, an integer, as a ulong; NULL on failure. */
fp_node *fp_pair_with_index(fp_node *values, fp_node *keys);

/* results[0] becomes the values, converted to the scalar type `type` if they have another one; results[1] the keys.
 * `running`: each element has a value, and there are no keys. Runs begin where `marks` (GPU_UINT) are not zero, or, if
 * those are NULL, where a key is unlike the one before it. */
gpu_status fp_combine_by_key(fp_operator *op, fp_node *keys, fp_node *values, fp_node *marks, gpu_type type,
                             bool running, fp_node **results);

#endif
