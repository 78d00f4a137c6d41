/* The elements of an expression: a map of them all, or a selection. */
#ifndef FP_PLANNING_ELEMENTS_H
#define FP_PLANNING_ELEMENTS_H

#include "host/host.h"

/* A request for all elements of a ready node, or for those that are selected. */
fp_request fp_elements_of(const fp_ready *input);

/* The elements that a selection keeps. A second output gets the others. */
fp_request fp_selection_of(const fp_ready *input, unsigned outputs);

/* Launches a map of a ready node into a buffer that has room for it. */
gpu_status fp_launch_map(const fp_ready *input, fp_buffer *out);
/* Launches a map that fills a buffer with a value. */
gpu_status fp_launch_fill(gpu *g, gpu_type type, const void *value, size_t length, fp_buffer *out);

/* Would the host compute a node, if others were computed already? */
bool fp_node_runs_on_host(fp_node *node, const fp_supposed *supposed);

#endif
