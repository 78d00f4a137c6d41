/* Arithmetic of real and complex numbers. GPU_FLOAT2 and GPU_DOUBLE2 are complex: x is the real part, y the imaginary
 * one. kernels/block/number.cl has the same formulas, so results have the same bits. */
#ifndef FP_HOST_NUMBERS_H
#define FP_HOST_NUMBERS_H

#include "expressions/operator.h"

typedef struct fp_numbers {
    gpu_type type;
    bool complex;
    const void *one;
    void (*negate)(void *x);
    void (*multiply)(void *x, const void *y);                               /* *x *= *y */
    void (*divide)(void *x, const void *y, size_t n);                       /* x[k] /= *y for k < n */
    void (*subtract)(void *x, const void *y, const void *factor, size_t n); /* x[k] -= y[k] * *factor */
    /* x[k] = fma(y[k], *factor, x[k]) for k < n; NULL for complex numbers. x and y are apart. */
    void (*add_product)(void *x, const void *y, const void *factor, size_t n);
    /* The place of the first number of largest magnitude. NaN counts as less than all others. */
    size_t (*largest)(const void *x, size_t n);
    bool (*is_zero)(const void *x);
    fp_native *product, *difference; /* of x and y */
    fp_native *conjugate;            /* of x; NULL for real numbers */
} fp_numbers;

void fp_add_product_float(void *x, const void *y, const void *factor, size_t n);
void fp_add_product_double(void *x, const void *y, const void *factor, size_t n);

/* The arithmetic of a type; NULL unless it is float, double, or their complex numbers. */
const fp_numbers *fp_numbers_of(gpu_type type);

#endif
