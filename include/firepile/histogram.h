/** Histogram: how many elements fall into each of equally wide bins.
 *
 * Types     elements are scalars; `low` and `high` point to the same type. Counts are GPU_ULONG.
 * Shape     `bins` counts. Bin k holds low + k * (high - low) / bins <= x < low + (k + 1) * (high - low) / bins:
 *           exactly for integers, for floating types as these bounds are rounded in the type. What is below `low`, not
 *           below `high`, or NaN is counted in `outside`, an array of one element.
 * Cost      one launch up to 2047 bins, two beyond (one clears the counts); no wait. Up to some thousand bins are
 *           counted in local memory. Delayed inputs are computed in the same kernel.
 * Errors    GPU_E_ARGUMENT (no bins, low not below high, their difference times the bins not finite), GPU_E_TYPE,
 *           GPU_E_MEMORY (also for 2^32 - 1 bins and more), the failure of `a`. Outputs are always set,
 *           in error on failure, which is also returned.
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
