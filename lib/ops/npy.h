/* The header of a .npy file. */
#ifndef FP_OPS_NPY_H
#define FP_OPS_NPY_H

#include "base/text.h"

#include <firepile/type.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct fp_npy {
    gpu_type type;
    size_t length; /* elements in all */
    bool swapped;  /* their numbers have the other byte order */
} fp_npy;

/* Reads the header, and leaves the file at the first element. */
gpu_status fp_npy_read(FILE *file, const char *path, fp_npy *out);

/* Appends the header of an array. GPU_E_TYPE for structs. */
gpu_status fp_npy_write(gpu_type type, size_t length, fp_text *out);

/* GPU_E_ARGUMENT about a byte of a file. */
gpu_status fp_npy_refuse(const char *path, size_t at, const char *what);

#endif
