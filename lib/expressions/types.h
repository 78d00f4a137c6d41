/* Element types of a device, and the library's own types. */
#ifndef FP_EXPRESSIONS_TYPES_H
#define FP_EXPRESSIONS_TYPES_H

#include "expressions/gpu.h"

/* GPU_E_TYPE, GPU_E_LAYOUT or GPU_E_DEVICE unless the device can hold elements of this type; GPU_E_ARGUMENT without a
 * gpu. *type becomes the kept one (fp_type_keep): the user's description may be unloaded while arrays of it live. */
gpu_status fp_gpu_check_type(gpu *g, gpu_type *type);

/* The kept struct type of `count` members v0, v1, ... of type `element` and, if it is `marked`, a uint `kept0`.
 * NULL when memory runs out. */
gpu_type fp_tuple_type(gpu_type element, unsigned count, bool marked);
/* The offset of `kept0` in it. */
size_t fp_tuple_mark(gpu_type element, unsigned count);

/* The struct type of members v0 and w0 of these types and, if `marked`, a uint `mark0`. Likewise. */
gpu_type fp_pair_type(gpu_type v, gpu_type w, bool marked);
/* The offsets of `w0` and `mark0` in it. */
size_t fp_pair_second(gpu_type v, gpu_type w);
size_t fp_pair_mark(gpu_type v, gpu_type w);

#endif
