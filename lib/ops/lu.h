/* LU factors of matrices, a panel of columns at a time, and triangular systems. Elements are real or complex numbers
 * (host/numbers.h). The gpu is locked. */
#ifndef FP_OPS_LU_H
#define FP_OPS_LU_H

#include "expressions/request.h"

/* Columns of a panel at most. */
enum { FP_PANEL = 64 };

/* Factors a panel: `width` columns of `rows` elements each, one after the other. results[0] gets the factors in the
 * same form, and behind them the determinant of the first `width` rows; results[1] the order of the rows. A column
 * without a pivot sets `deferred`, unless that is NULL: its place, counted from `first`. */
gpu_status fp_lu(fp_node *panel, const size_t *shape, size_t first, fp_deferred *deferred, fp_node **results);

/* Solves a triangular system by the first rows of a panel's factors. Each row of `sides` is a right side, and becomes
 * that solution. */
gpu_status fp_triangular(fp_node *sides, const size_t *shape, fp_node *lu, bool upper, fp_node **result);

/* The members of `shape`: rows of the panel or of the right sides, columns of both, and rows of the panel. */
enum { FP_LU_ROWS, FP_LU_WIDTH, FP_LU_PITCH };

#endif
