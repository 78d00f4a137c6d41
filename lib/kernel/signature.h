/* The types of a function, from its registered text: what calls of it are checked against, on all devices. */
#ifndef FP_KERNEL_SIGNATURE_H
#define FP_KERNEL_SIGNATURE_H

#include "ffi/call.h"

#include <firepile/define.h>

typedef struct fp_function_parameter {
    const char *name; /* in the function's text; `length` bytes */
    size_t length;
    gpu_type type;
    bool array; /* a pointer to constant elements of that type, in global memory */
} fp_function_parameter;

typedef struct fp_signature {
    const gpu_definition *function;
    fp_call *call; /* of its host side, made when it is asked for: lib/host/call.c */
    gpu_type result;
    size_t count;
    fp_function_parameter parameters[];
} fp_signature;

/* The signature of a GPU_FUNCTION or GPU_DEVICE_FUNCTION. GPU_E_TYPE, with function, parameter and type, for what
 * no operator can have: only values of element types, bool and size_t are passed, and captured arrays. */
gpu_status fp_signature_new(const gpu_definition *function, fp_signature **out);
void fp_signature_free(fp_signature *signature);

#endif
