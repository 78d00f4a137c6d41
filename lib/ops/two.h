/* Operations with two arrays for results. */
#ifndef FP_OPS_TWO_H
#define FP_OPS_TWO_H

#include "array/array.h"

/* GPU_E_ARGUMENT unless there is room for both. */
gpu_status fp_two_check(gpu_array **one, gpu_array **two);

/* Ends the call: sets both outputs to arrays of these nodes, taken over, or, on failure, in error. */
gpu_status fp_two_end(fp_entry *entry, gpu_status status, fp_node *const *nodes, gpu_array **one, gpu_array **two);

#endif
