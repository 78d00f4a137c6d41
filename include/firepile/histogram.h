/** Histogram: the number of elements in each of equally wide bins.
 *
 * Types     elements are scalars; `low` and `high` point to the same type. Counts are GPU_ULONG.
 * Shape     `bins` counts. Bin k counts the elements with low + k * (high - low) / bins <= x < low + (k + 1) * (high -
 *           low) / bins. The bounds are exact for integers; for floating types they are rounded in the type. `outside`
 *           is an array of one element: it counts the elements below `low`, not below `high`, or NaN.
 * Cost      one launch; on GPUs two beyond 2048 bins (one clears the counts); no wait. Up to some thousand bins are
 *           counted in local memory. Delayed inputs are computed in the same kernel.
 * Errors    GPU_E_ARGUMENT (no bins, low not below high, or their difference times the bins is not finite), GPU_E_TYPE,
 *           GPU_E_MEMORY (also for 2^32 - 1 bins or more), the failure of `a`. Outputs are always set, in error on
 *           failure; the failure is also returned.
 *
 * Example
 *     gpu_array *counts, *outside;
 *     gpu_histogram(x, &(float){0}, &(float){1}, 10, &counts, &outside);
 */
#ifndef FIREPILE_HISTOGRAM_H
#define FIREPILE_HISTOGRAM_H

#include <firepile/array.h>

GPU_BEGIN_DECLS

/** gpu_histogram(a, &low, &high, bins, &counts, &outside); `outside` may be NULL. */
#define gpu_histogram(a, low, high, bins, counts, outside)                                                             \
    gpu_histogram_op((a), GPU_VALUE_(low), GPU_VALUE_(high), (bins), (counts), (outside), GPU_HERE)
GPU_API gpu_status gpu_histogram_op(const gpu_array *a, const gpu_value *low, const gpu_value *high, size_t bins,
                                    gpu_array **counts, gpu_array **outside, const gpu_place *place);

GPU_END_DECLS
#endif
