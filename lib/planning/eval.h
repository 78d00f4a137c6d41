/* Computing nodes. */
#ifndef FP_PLANNING_EVAL_H
#define FP_PLANNING_EVAL_H

#include "expressions/request.h"

/* Makes a node a buffer, unless it is one: launches, does not wait. Ranges and fills too. */
gpu_status fp_node_eval(fp_node *node, fp_reason reason);

/* Makes ready what a launch on `node` reads (Note [consumers]), with the arrays that its operators captured. */
gpu_status fp_node_prepare(fp_node *node, fp_operator *const *ops, unsigned count, fp_ready *out);
/* The same for templates that read selections, through fp_take or with the help of fp_plan_maybe. */
gpu_status fp_node_prepare_selected(fp_node *node, fp_operator *const *ops, unsigned count, fp_ready *out);
/* A buffer that an operation has just made, for its next launch. */
fp_ready fp_node_made(fp_node *buffer);

/* Computes the arrays that an operator captured. */
gpu_status fp_operator_prepare(const fp_operator *op);

/* Waits until the host knows the length, which never changes from then on. */
gpu_status fp_node_wait_length(fp_node *node, size_t *length);
/* Waits for element `place` of a buffer. */
gpu_status fp_node_wait_element(const fp_node *node, size_t place, void *out);

/* The elements that a filter keeps, and the others: two results. */
gpu_status fp_node_split(fp_node *filter, fp_node **results);

#endif
