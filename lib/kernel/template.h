/* The kernel templates: the files of kernels/, embedded when the library is built. */
#ifndef FP_KERNEL_TEMPLATE_H
#define FP_KERNEL_TEMPLATE_H

#include "base/text.h"

#include <firepile/status.h>

typedef struct fp_kernel_file {
    const char *name; /* below kernels/: "block/gpu/reduce.cl" */
    const char *text;
    size_t length;
} fp_kernel_file;

/* Generated; ends with a NULL name. */
extern const fp_kernel_file fp_kernel_files[];

/* Appends a template with the files that it includes. FIREPILE_KERNEL_DIR names a folder to read them from instead.
 * GPU_E_INTERNAL if there is no such file. */
gpu_status fp_template_write(const char *name, fp_text *out);

bool fp_template_exists(const char *name);

#endif
