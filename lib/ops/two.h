/* Operations with two arrays for results. */
#ifndef FP_OPS_TWO_H
#define FP_OPS_TWO_H

#include "planning/task.h"

/* GPU_E_ARGUMENT unless there is room for both. */
gpu_status fp_two_check(gpu_array **one, gpu_array **two);

/* fp_task_end, and the end of the call: sets both outputs, unless they are NULL, to the results or, on failure, to
 * arrays in error. */
gpu_status fp_two_end(fp_entry *entry, fp_task *task, gpu_status status, gpu_array **one, gpu_array **two);

#endif
