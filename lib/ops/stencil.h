/* Stencils of arrays and matrices. */
#ifndef FP_OPS_STENCIL_H
#define FP_OPS_STENCIL_H

#include "planning/task.h"

#include <firepile/stencil.h>

/* Makes a task that has its input a stencil. `traits` are further ones of its operator: FP_OPERATOR_PLACED for a
 * matrix. Its call then sets the operator's columns. */
gpu_status fp_stencil_set(fp_task *task, size_t radius, const gpu_edge *edge, const gpu_operator *op, unsigned traits);

#endif
