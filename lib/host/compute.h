/* Operations on scalars of the types that C computes in, element by element. */
#ifndef FP_HOST_COMPUTE_H
#define FP_HOST_COMPUTE_H

#include <firepile/type.h>

/* Converts elements that lie one behind the other, as C does. `out` does not overlap them. */
typedef void fp_conversion(const void *in, void *out, size_t count);
/* Between scalars; fp_type_bool is one. */
fp_conversion *fp_conversion_of(gpu_type from, gpu_type to);

/* Results of `count` elements that lie one behind the other, from operands that do, too. An operation has as many
 * operands as it needs. The results overlap none of them. */
typedef void fp_compute(const void *a, const void *b, void *out, size_t count);

typedef enum fp_computation {
    FP_COMPUTE_ADD,
    FP_COMPUTE_SUBTRACT,
    FP_COMPUTE_MULTIPLY,
    FP_COMPUTE_DIVIDE,
    FP_COMPUTE_NEGATE,
    FP_COMPUTE_LESS,
    FP_COMPUTE_GREATER,
    FP_COMPUTE_AT_MOST,
    FP_COMPUTE_AT_LEAST,
    FP_COMPUTE_EQUAL,
    FP_COMPUTE_DIFFERENT,
    /* of integers alone */
    FP_COMPUTE_REMAINDER,
    FP_COMPUTE_AND,
    FP_COMPUTE_OR,
    FP_COMPUTE_XOR,
    FP_COMPUTE_SHIFT_LEFT,
    FP_COMPUTE_SHIFT_RIGHT,
    FP_COMPUTE_INVERT,
    FP_COMPUTATIONS
} fp_computation;

/* The type in which C computes with a scalar of this type: int for smaller ones. */
gpu_type fp_type_promoted(gpu_type type);
/* The type in which it computes with both. */
gpu_type fp_type_common(gpu_type a, gpu_type b);

/* The operation in a promoted type; NULL: there is none. Comparisons give ints. Integers wrap around, shifts count
 * modulo the bits of the type, and a division by zero gives 0. */
fp_compute *fp_compute_of(fp_computation computation, gpu_type type);

/* out[e] = flags[e] ? a[e] : b[e], for scalars of 4 or 8 bytes and flags that are bools. */
void fp_compute_choose(const void *flags, const void *a, const void *b, size_t size, void *out, size_t count);

#endif
