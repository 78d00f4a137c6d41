/* The one place that decides which side computes. */
#ifndef FP_PLANNING_EXECUTE_H
#define FP_PLANNING_EXECUTE_H

#include "host/host.h"

/* Makes the outputs on the device or the host, and has the primitive fill them. With FIREPILE_VERIFY the host computes
 * them too, and compares. results[k] becomes a node of output k, unless that is a number alone. It takes on the
 * deferred errors of the input and the operators. On failure there are no results. Counts that are numbers alone are
 * the caller's. */
gpu_status fp_execute(fp_request *request, fp_node **results);

/* Would the host compute it? */
bool fp_runs_on_host(const fp_request *request);

/* A buffer on the device for a launch. `count` is the number of its elements if only the device knows it. NULL on
 * failure. */
fp_node *fp_temporary(gpu *g, gpu_type type, size_t length, fp_count *count);

#endif
