/* Declarations of OpenCL C's functions, for drivers that read a header of 18,000 lines for each program: PoCL does. */
#ifndef FP_KERNEL_BUILTINS_H
#define FP_KERNEL_BUILTINS_H

#include "base/text.h"
#include "cl/device.h"

/* Adds the declarations of all functions of OpenCL C 1.2 that the program names, but for those of images. A function is
 * declared with all its overloads: an argument would silently be converted for one that is missing. */
void fp_builtins_declare(const char *program, bool has_double, fp_text *out);

#endif
