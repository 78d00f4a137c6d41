/* How values of element types are passed to C functions. */
#ifndef FP_KERNEL_ABI_CLASS_H
#define FP_KERNEL_ABI_CLASS_H

#include "ffi/call.h"

/* A pointer. */
extern const fp_abi_class fp_abi_class_pointer;

/* A value of this type. fp_abi_class_check says whether it can be passed. */
gpu_status fp_abi_class_of(gpu_type type, fp_abi_class *out);

#endif
