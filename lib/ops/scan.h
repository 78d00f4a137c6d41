/* Scan, for the operations built on it. */
#ifndef FP_OPS_SCAN_H
#define FP_OPS_SCAN_H

#include "arrays/array.h"

/* The scan of a node, exclusive if there is a start (of its type); NULL on failure. */
fp_node *fp_scan(fp_node *node, fp_operator *op, const void *start);

#endif
