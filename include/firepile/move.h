/** Move: gather, scatter, reverse, concat.
 *
 * Types     indices are of any integer type. Results have the element type of the moved array.
 * Cost      gpu_gather, gpu_reverse and gpu_concat are delayed: no launch, fused into their consumer. gpu_scatter is
 *           two launches. No waits.
 * Errors    in the result: GPU_E_TYPE, GPU_E_ARGUMENT, GPU_E_MEMORY, an input's failure. The device finds an index out
 *           of range, and accesses no memory out of bounds. Reads of the result and gpu_finish then report GPU_E_RANGE
 *           with the first wrong position in `indices`.
 *
 * Example
 *     int order[] = {2, 0, 1};
 *     gpu_array *indices = gpu_array_of(g, order, 3);
 *     gpu_array *picked = gpu_gather(x, indices);
 *     gpu_array *placed = gpu_scatter(x, indices, picked);
 *     gpu_array *there_and_back = gpu_concat(x, gpu_reverse(x));
 */
#ifndef FIREPILE_MOVE_H
#define FIREPILE_MOVE_H

#include <firepile/array.h>

GPU_BEGIN_DECLS

/** out[i] = a[indices[i]]; as long as `indices`. */
#define gpu_gather(a, indices) gpu_gather_op((a), (indices), GPU_HERE)
GPU_API gpu_array *gpu_gather_op(const gpu_array *a, const gpu_array *indices, const gpu_place *place);

/** A copy of `into` with out[indices[i]] = a[i]. `indices` and `a` are equally long. If an index occurs more than once,
 * one of its elements is stored; which one is unspecified. */
#define gpu_scatter(into, indices, a) gpu_scatter_op((into), (indices), (a), GPU_HERE)
GPU_API gpu_array *gpu_scatter_op(const gpu_array *into, const gpu_array *indices, const gpu_array *a,
                                  const gpu_place *place);

/** The elements from the last to the first. */
#define gpu_reverse(a) gpu_reverse_op((a), GPU_HERE)
GPU_API gpu_array *gpu_reverse_op(const gpu_array *a, const gpu_place *place);

/** The elements of `a`, then those of `b`, which has the same type. Waits for lengths that only the device knows. */
#define gpu_concat(a, b) gpu_concat_op((a), (b), GPU_HERE)
GPU_API gpu_array *gpu_concat_op(const gpu_array *a, const gpu_array *b, const gpu_place *place);

GPU_END_DECLS
#endif
