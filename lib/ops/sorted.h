/* Searches, for the operations built on them. The gpu is locked. */
#ifndef FP_OPS_SORTED_H
#define FP_OPS_SORTED_H

#include "expressions/node.h"

/* For each of `values`, the index of the first element of `sorted` that is greater; NULL on failure. Waits for the
 * length of `sorted`. */
fp_node *fp_upper_bound(fp_node *sorted, fp_node *values);

#endif
