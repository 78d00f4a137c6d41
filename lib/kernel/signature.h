/* The types of a function, read from its registered text. Calls of it are checked against them on all devices. */
#ifndef FP_KERNEL_SIGNATURE_H
#define FP_KERNEL_SIGNATURE_H

#include "ffi/call.h"

#include <firepile/define.h>

typedef struct fp_function_parameter {
    const char *name; /* in the function's text; `length` bytes */
    size_t length;
    gpu_type type;
    bool array;   /* a pointer to constant elements of that type, in global memory */
    bool near;    /* one to a stencil's element among its neighbours */
    bool local;   /* a kernel's: one to local memory */
    bool written; /* a kernel's: the elements are not constant */
} fp_function_parameter;

typedef struct fp_signature {
    const gpu_definition *function;
    fp_call *call; /* of its host side, made at its first use: lib/host/call.c */
    gpu_type result;
    size_t count;
    fp_function_parameter parameters[];
} fp_signature;

/* The signature of a GPU_FUNCTION, GPU_DEVICE_FUNCTION or GPU_KERNEL. Only values of element types, bool and size_t are
 * passed, and captured arrays. GPU_E_TYPE for others names function, parameter and type. */
gpu_status fp_signature_new(const gpu_definition *function, fp_signature **out);
void fp_signature_free(fp_signature *signature);

#endif
