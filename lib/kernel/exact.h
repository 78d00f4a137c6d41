/* Do functions have the same bits on host and device? */
#ifndef FP_KERNEL_EXACT_H
#define FP_KERNEL_EXACT_H

#include "cl/device.h"

#include <firepile/define.h>

/* The properties of a function's results that its text shows. */
typedef struct fp_exactness {
    bool exact;   /* the same bits, NaN's aside, on devices that have what follows */
    bool divides; /* it divides floats or takes roots: the device must do so as IEEE 754 says */
    bool doubles; /* it has doubles: the device must have them */
    bool loops;   /* the device must keep the order of floating sums and products in loops */
    bool whole;   /* the result is no floating number */
} fp_exactness;

/* Note [exact functions]: a text is exact only if it leaves no room for anything else. It has + - * and comparisons. It
 * calls only exact functions, and those of firepile/math.h that OpenCL wants correctly rounded or without an error;
 * others differ in their last bits, and without that header all are of doubles on the host. Excluded: functions with
 * output pointers (frexp, modf); fmin and fmax (sign of zero); copysign and signbit (sign of NaN); ldexp (PoCL rounds
 * subnormal results twice). Divisions have floating operands: an integer division by zero ends a program on the host
 * and not on a GPU. Math functions have floating arguments: devices refuse integers there. Shifts are by constants: a
 * shift that is too wide is defined on a device and undefined in C. Also excluded is what some OpenCL compiler refuses:
 * long long, long double, arrays of variable length, string literals, and names that only the host knows. So whether a
 * function is refused does not depend on how long the arrays are. */
fp_exactness fp_function_exactness(const gpu_definition *function);

/* Of a GPU_KERNEL, with the words of its body. It is read less strictly, since only FIREPILE_VERIFY asks: all but the
 * functions that it calls is taken as exact. */
struct fp_words;
fp_exactness fp_kernel_exactness(const gpu_definition *kernel, const struct fp_words *words);

bool fp_exact_on(fp_exactness exactness, const fp_capabilities *capabilities);

#endif
