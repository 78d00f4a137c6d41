/* The one place that decides which side computes. */
#ifndef FP_PLANNING_EXECUTE_H
#define FP_PLANNING_EXECUTE_H

#include "host/host.h"

/* Makes the outputs where they belong, and has the operation fill them on the device or on the host. With
 * FIREPILE_VERIFY the other side does so too, and both are compared. An input without elements gives none. results[k]
 * becomes a node of output k, if that has elements; it takes on the deferred errors of all that it was computed from.
 * On failure there are none. The outputs go, but for their nodes; those that are numbers alone are the caller's. */
gpu_status fp_execute(fp_request *request, fp_node **results);

/* Would the host compute it? */
bool fp_runs_on_host(const fp_request *request);

/* Elements that an operation needs while it is launched: a buffer, on the device; `count` is their number where only
 * the device knows it. NULL on failure. */
fp_node *fp_temporary(gpu *g, gpu_type type, size_t length, fp_count *count);

#endif
