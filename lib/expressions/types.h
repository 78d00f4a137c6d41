/* Element types of a device, and the library's own types. */
#ifndef FP_EXPRESSIONS_TYPES_H
#define FP_EXPRESSIONS_TYPES_H

#include "expressions/gpu.h"

/* GPU_E_TYPE, GPU_E_LAYOUT or GPU_E_DEVICE unless the device can hold elements of this type; GPU_E_ARGUMENT without a
 * gpu. *type becomes the kept one (fp_type_keep): the user's description may be unloaded while arrays of it live. */
gpu_status fp_gpu_check_type(gpu *g, gpu_type *type);

/* Members of a tuple at most, but for the mark. */
enum { FP_TUPLE_MEMBERS = 8 };

/* The kept struct type of members v0, v1, ... of these types and, if it is `marked`, a uint `kept0`. NULL when memory
 * runs out. */
gpu_type fp_tuple_type(const gpu_type *types, unsigned count, bool marked);
/* The offsets of a member and of `kept0` in it. */
size_t fp_tuple_member(const gpu_type *types, unsigned k);
size_t fp_tuple_mark(const gpu_type *types, unsigned count);

/* The struct type of members v0 and w0 of these types and, if `marked`, a uint `mark0`. Likewise. */
gpu_type fp_pair_type(gpu_type v, gpu_type w, bool marked);
/* The offsets of `w0` and `mark0` in it. */
size_t fp_pair_second(gpu_type v, gpu_type w);
size_t fp_pair_mark(gpu_type v, gpu_type w);

#endif
