/* Declarations of OpenCL C's functions, for PoCL, which otherwise reads a header of 18,000 lines for each program. */
#ifndef FP_KERNEL_BUILTINS_H
#define FP_KERNEL_BUILTINS_H

#include "base/text.h"
#include "cl/device.h"

#include <firepile/status.h>

/* Adds the declarations of all functions of OpenCL C 1.2 that the program calls, except those of images and of half. A
 * function is declared with all its overloads for the program's values: if one was missing, its argument would silently
 * be converted for another. */
void fp_builtins_declare(const char *program, bool has_double, fp_text *out);

/* Adds the library's own definitions of some of these functions (kernels/math), if the program calls them.
 * GPU_E_INTERNAL if FIREPILE_KERNEL_DIR lacks a file. */
gpu_status fp_builtins_define(const char *program, bool has_double, fp_text *out);

#endif
