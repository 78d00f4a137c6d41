/* Values of element types in host memory, scalar by scalar: written for messages, and compared up to rounding. */
#ifndef FP_KERNEL_VALUE_H
#define FP_KERNEL_VALUE_H

#include "base/text.h"

#include <firepile/type.h>

/* What values of a type consist of. */
typedef struct fp_value_layout fp_value_layout;

gpu_status fp_value_layout_new(gpu_type type, fp_value_layout **out);
void fp_value_layout_free(fp_value_layout *layout);

/* Writes "3", "(1, 200)", "{major = 1, minor = 2}": of a union all members, of a long array the first elements. */
void fp_value_layout_write(const fp_value_layout *layout, const void *value, fp_text *out);

/* A unit is half of the distance from 1 to the next number. The rounding errors of a few operations stay below FP_ULPS
 * units. */
enum { FP_ULPS = 256 };

/* Are the two values one result, rounding aside? Integers must be equal. Floating numbers may differ by `ulps` units of
 * the largest value at that place, in these two and in `others`, from which both were computed. NaN equals NaN. Unions
 * are alike if one of their members is. */
bool fp_value_layout_alike(const fp_value_layout *layout, const void *left, const void *right,
                           const void *const *others, size_t count, double ulps);

/* Adds the magnitude of each floating number of a value, outside of unions, to the number at that place in `sums`. */
void fp_value_layout_add_magnitudes(const fp_value_layout *layout, const void *value, void *sums);

#endif
