/** Merge: two sorted arrays become one.
 *
 * Types     scalars; both arrays have one type, and the result has it too.
 * Order     that of gpu_sort (firepile/sort.h): NaN comes last, -0 equals 0. The merge is stable: of equal elements,
 *           those of `a` come first. The caller answers for both arrays being sorted (gpu_is_sorted). If one is not,
 *           the elements of the result are unspecified, and FIREPILE_VERIFY=1 may report them.
 * Cost      delayed until the elements are needed, then one launch, which reads and writes each element once. Delayed
 *           inputs are computed in the same kernel; it may compute an element several times as it searches. Maps of the
 *           result are fused into it too if their elements are needed first. Memory: the result. Waits for lengths that
 *           only the device knows.
 * Owner     the scope, as of any array (firepile/array.h).
 * Errors    in the result: GPU_E_TYPE (structs, vectors, two types), GPU_E_ARGUMENT, GPU_E_MEMORY, an input's failure.
 * Source    merge path: Green, McColl and Bader, GPU Merge Path, 2012.
 *
 * Example
 *     gpu_array *added = gpu_array_of(g, data, 5);
 *     gpu_array *both = gpu_merge(gpu_sort(x), gpu_sort(added));
 */
#ifndef FIREPILE_MERGE_H
#define FIREPILE_MERGE_H

#include <firepile/array.h>

GPU_BEGIN_DECLS

/** The elements of `a` and `b` in order. */
#define gpu_merge(a, b) gpu_merge_op((a), (b), GPU_HERE)
GPU_API gpu_array *gpu_merge_op(const gpu_array *a, const gpu_array *b, const gpu_place *place);

GPU_END_DECLS
#endif
