/* How values of element types are passed to C functions. */
#ifndef FP_KERNEL_PASSED_H
#define FP_KERNEL_PASSED_H

#include "ffi/call.h"

/* A pointer. */
extern const fp_passed fp_passed_pointer;

/* A value of this type; whether it can be passed at all says fp_passed_check. */
gpu_status fp_passed_of(gpu_type type, fp_passed *out);

#endif
