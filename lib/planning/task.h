/* Running tasks, or keeping them for later. */
#ifndef FP_PLANNING_TASK_H
#define FP_PLANNING_TASK_H

#include "expressions/entry.h"
#include "expressions/handle.h"
#include "expressions/task.h"
#include "host/host.h"

/* Adds an input, an array that may be symbolic; failures name it. */
gpu_status fp_task_input(fp_task *task, const gpu_array *a, const char *which);

/* Counts the launches of a delayed task, with these maps over it or without. It supposes that some nodes are computed.
 * */
fp_foreseen fp_task_foresee(fp_node *made, fp_node *maps, const fp_supposed *supposed);

/* Binds the operator: of any kind, or one that combines two elements of a type. */
gpu_status fp_task_bind(fp_task *task, const gpu_operator *op, const fp_operator_kind *kind);
gpu_status fp_task_bind_combiner(fp_task *task, const gpu_operator *op, gpu_type type);

/* Adds results of these types. Called last before the end. */
void fp_task_gives(fp_task *task, gpu_type type);
void fp_task_gives_two(fp_task *task, gpu_type one, gpu_type two);

/* Runs the task, or makes a node of a delayed one. The caller keeps the operator. */
gpu_status fp_task_run(fp_task *task, fp_node **results);

/* Runs or keeps the task, and drops its operator. After a failure (`status`) it only does the latter. */
gpu_status fp_task_end(fp_task *task, gpu_status status, fp_node **results);
/* The one result; NULL on failure. */
fp_node *fp_task_result(fp_task *task, gpu_status status);

/* Runs that operations share: a map of the inputs, and the indices for which the operator of them is not zero. */
gpu_status fp_run_map(const fp_task *task, fp_node **result);
gpu_status fp_run_indices(const fp_task *task, fp_node **result);

/* gpu_symbol and gpu_symbol_value: a task without a run. */
fp_node *fp_symbol_new(gpu *g, gpu_type type, bool one);

#endif
