/* Products of matrices, by any two operators. The gpu is locked. */
#ifndef FP_OPS_MULTIPLY_H
#define FP_OPS_MULTIPLY_H

#include "expressions/request.h"

/* Element (i, j) of the result combines op->map of a[i][k] and b[k][j], for all k in order. Both have one type. `a` has
 * rows * inner elements, and `b` inner * columns. */
gpu_status fp_multiply_matrices(fp_node *a, fp_node *b, const size_t *shape, fp_operator *op, fp_node **result);

/* The members of `shape`. */
enum { FP_SHAPE_ROWS, FP_SHAPE_INNER, FP_SHAPE_COLUMNS };

#endif
