/* Describes functions to libffi so that it passes values as the C compiler does: Note [structs by value]. */
#ifndef FP_FFI_ABI_H
#define FP_FFI_ABI_H

#include "ffi/call.h"

#include <ffi.h>

/* A struct as libffi sees it: one scalar for each half. */
typedef struct fp_ffi_struct {
    ffi_type type;
    ffi_type *elements[3];
} fp_ffi_struct;

/* One argument for libffi: all or half of a parameter. */
typedef struct fp_abi_argument {
    size_t parameter;
    size_t offset;
    fp_ffi_struct structure;
} fp_abi_argument;

typedef struct fp_abi_arguments {
    ffi_cif cif;
    fp_ffi_struct result;
    size_t count;
    ffi_type **types;
    fp_abi_argument *list;
} fp_abi_arguments;

/* The room that a function of so many parameters needs. */
size_t fp_abi_arguments_bytes(size_t parameters);

/* Prepares a function. `room` must live as long as the result. */
gpu_status fp_abi_arguments_prepare(fp_abi_arguments *out, void *room, const fp_abi_class *result,
                                    const fp_abi_class *parameters, size_t count);

#endif
