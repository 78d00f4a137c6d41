/* Computing nodes. */
#ifndef FP_PLANNING_EVAL_H
#define FP_PLANNING_EVAL_H

#include "expressions/request.h"

/* Makes a node a buffer, ranges and fills too. Launches, and does not wait. */
gpu_status fp_node_eval(fp_node *node, fp_reason reason);

/* Makes ready all that a launch on `node` reads (Note [consumers]), and the arrays that its operators captured. */
gpu_status fp_node_prepare(fp_node *node, fp_operator *const *ops, unsigned count, fp_ready *out);
/* The same; `selections`: the template reads those too, through fp_take or fp_plan_absence. */
gpu_status fp_node_prepare_as(fp_node *node, bool selections, fp_operator *const *ops, unsigned count, fp_ready *out);
/* The facts of a node that its caller has just made ready. */
fp_ready fp_node_made(fp_node *node);

/* Computes the arrays that an operator captured. */
gpu_status fp_operator_prepare(const fp_operator *op);

/* Waits until the host knows the length. It never changes after that. */
gpu_status fp_node_wait_length(fp_node *node, size_t *length);
/* GPU_E_ARGUMENT unless two nodes have as many elements: "there are 3 keys and 2 values". Waits for lengths that may
 * differ. */
gpu_status fp_node_check_lengths(fp_node *a, const char *elements_of_a, fp_node *b, const char *elements_of_b);
/* Waits for element `place` of a buffer. */
gpu_status fp_node_wait_element(const fp_node *node, size_t place, void *out);

/* The elements that a filter keeps, and the others: two results. */
gpu_status fp_node_split(fp_node *filter, fp_node **results);

#endif
