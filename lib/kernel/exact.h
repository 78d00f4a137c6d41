/* Do functions have the same bits on host and device? */
#ifndef FP_KERNEL_EXACT_H
#define FP_KERNEL_EXACT_H

#include "cl/device.h"

#include <firepile/define.h>

/* What a function's text says of its results on both sides. */
typedef struct fp_exactness {
    bool exact;   /* the same bits, NaN's aside, if the device */
    bool divides; /* divides floats and takes their roots as IEEE says */
    bool doubles; /* and has doubles for the text's numbers */
    bool whole;   /* the result is no floating number */
} fp_exactness;

/* Note [exact functions]: only a text that leaves no room for anything else counts as exact. It has + - * and
 * comparisons, and calls nothing but such functions, and those of firepile/math.h that OpenCL wants correctly rounded
 * or without an error. The others differ in their last bits, and without that header all of them are of doubles on the
 * host. Also not among them are what puts results elsewhere; fmax and fmin, which leave open which zero they give;
 * copysign and signbit, as the sign of a NaN is not the same everywhere; and ldexp, which PoCL rounds twice where the
 * result is subnormal. A text divides floating numbers alone, since a division by zero ends a program on the host and
 * not on a GPU, and calls math functions of them alone, since devices refuse integers there; it shifts by numbers
 * alone, as too wide a shift means something on a device and nothing in C. Nor has it what is C and what some compiler
 * of OpenCL C refuses: long long and long double, arrays of variable length, texts in quotes, and names that only the
 * host knows. So what a program is told of a function does not depend on how long its arrays are. */
fp_exactness fp_function_exactness(const gpu_definition *function);

bool fp_exact_on(fp_exactness exactness, const fp_capabilities *capabilities);

#endif
