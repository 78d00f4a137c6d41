/* Do functions have the same bits on host and device? */
#ifndef FP_KERNEL_EXACT_H
#define FP_KERNEL_EXACT_H

#include "cl/device.h"

#include <firepile/define.h>

/* What a function's text says of its results on both sides. */
typedef struct fp_exactness {
    bool exact;   /* the same bits, NaN's aside, if the device */
    bool divides; /* divides floats as IEEE says */
    bool doubles; /* and has doubles for the text's numbers */
} fp_exactness;

/* Note [exact functions]: only a text that leaves no room for anything else counts as exact. It has + - * and comparisons,
 * and calls nothing but such functions: the math functions of C and of OpenCL differ in their last bits, and in C a float is a
 * double inside them. It divides floating numbers alone, since a division by zero ends a program on the host and not on a
 * GPU; it shifts by numbers alone, as too wide a shift means something on a device and nothing in C. */
fp_exactness fp_function_exactness(const gpu_definition *function);

bool fp_exact_on(fp_exactness exactness, const fp_facts *facts);

#endif
