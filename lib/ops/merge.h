/* Merging as the operations built on it use it. The gpu is locked. */
#ifndef FP_OPS_MERGE_H
#define FP_OPS_MERGE_H

#include "planning/task.h"

/* Two sorted nodes merged by the order of `task`, delayed. Waits for both lengths. */
gpu_status fp_merge(const fp_task *task, fp_node *a, fp_node *b, fp_node **result);

#endif
