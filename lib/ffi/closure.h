/* C functions that are made while the program runs. */
#ifndef FP_FFI_CLOSURE_H
#define FP_FFI_CLOSURE_H

#include "ffi/call.h"

typedef struct fp_closure fp_closure;

/* Handles a call of such a function: arguments[k] points to the k-th. Several threads may call at once. */
typedef gpu_status fp_handler(void *context, void *const *arguments);

/* A function of `count` parameters, at most FP_MOST_PARAMETERS, that have passed fp_abi_class_check, and the result
 * gpu_status. */
gpu_status fp_closure_make(const fp_abi_class *parameters, size_t count, fp_handler *handler, void *context,
                           fp_closure **out);
void fp_closure_free(fp_closure *closure);

/* Its address. */
void *fp_closure_code(const fp_closure *closure);

#endif
