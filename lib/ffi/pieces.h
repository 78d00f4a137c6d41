/* What libffi is told of a function, so that it passes values as the C compiler does: Note [structs by value]. */
#ifndef FP_FFI_PIECES_H
#define FP_FFI_PIECES_H

#include "ffi/call.h"

#include <ffi.h>

/* A struct as libffi sees it: one scalar for each half. */
typedef struct fp_ffi_struct {
    ffi_type type;
    ffi_type *elements[3];
} fp_ffi_struct;

/* What libffi is given as one argument: all or half of a parameter. */
typedef struct fp_piece {
    size_t parameter;
    size_t offset;
    fp_ffi_struct structure;
} fp_piece;

typedef struct fp_pieces {
    ffi_cif cif;
    fp_ffi_struct result;
    size_t count;
    ffi_type **types;
    fp_piece *list;
} fp_pieces;

/* The room that a function of so many parameters needs. */
size_t fp_pieces_bytes(size_t parameters);

/* Prepares a function; `room` lives as long as what is made. */
gpu_status fp_pieces_prepare(fp_pieces *out, void *room, const fp_passed *result, const fp_passed *parameters,
                             size_t count);

#endif
