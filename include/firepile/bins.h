/** Bins: the values of each key are combined, for integer keys from 0 on.
 *
 * Types     keys are integers. Values have any type; operator, start and results have the same.
 * Shape     `bins` results. Result k is start op (the values with key k, combined in their order). It is the start if
 *           there are none.
 * Snippet   a: the left operand, b: the right one. The operator must be associative; it need not commute.
 * Cost      no wait. On a CPU two launches: each core combines in bins of its own, and these are joined. On a GPU
 *           - two launches for few bins, which each work-item has in local memory: up to 204 for 4-byte values
 *           - two launches for more bins, if values are GPU_INT or GPU_UINT and the operator is a + b, a & b, a | b or
 *             a ^ b: the bins are atomic
 *           - else the pairs are sorted by as many digits as the number of bins has, and each run is combined
 *           Delayed inputs are computed in the same kernels.
 * Order     On one device equal calls give the same bits. Up to 1024 values are combined from left to right.
 * Memory    a CPU: the bins for each core; a GPU: likewise for each work-group, or what a sort takes.
 * Errors    in the result: GPU_E_ARGUMENT (no bins; keys and values are not equally long), GPU_E_TYPE, GPU_E_RANGE (a
 *           key outside), GPU_E_SNIPPET, GPU_E_MEMORY, an input's failure.
 * Source    privatised histograms: Nugteren et al., High performance predictable histogramming on GPUs, 2011.
 *
 * Example
 *     gpu_array *day = gpu_map_to(x, GPU_UINT, "i % 7");
 *     gpu_array *totals = gpu_bin_reduce(day, x, 7, &(float){0}, "a + b");
 */
#ifndef FIREPILE_BINS_H
#define FIREPILE_BINS_H

#include <firepile/operator.h>

GPU_BEGIN_DECLS

/** gpu_bin_reduce(keys, values, bins, &start, op, captures...) */
#define gpu_bin_reduce(keys, values, bins, start, ...)                                                                 \
    gpu_bin_reduce_((keys), (values), (bins), GPU_VALUE_(start), __VA_ARGS__, NULL)
#define gpu_bin_reduce_(keys, values, bins, start, op, ...)                                                            \
    gpu_bin_reduce_op(keys, values, bins, start, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_array *gpu_bin_reduce_op(const gpu_array *keys, const gpu_array *values, size_t bins,
                                     const gpu_value *start, const gpu_operator *op);

GPU_END_DECLS
#endif
