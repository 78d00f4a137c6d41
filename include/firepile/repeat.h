/** Repeat: each element as often as a count beside it says.
 *
 * Types     elements of any type; counts are integers.
 * Shape     as many elements as the sum of the counts. Copies of an element stand together, in the order of `a`.
 * Cost      a scan of the counts and one wait, for the sum; then a binary search of the counts for each element. The
 *           search is delayed as a gather is (firepile/move.h), and fused into what follows. Memory: eight bytes for
 *           each count.
 * Owner     the scope, as of any array (firepile/array.h).
 * Errors    in the result: GPU_E_ARGUMENT (not equally many counts as elements), GPU_E_TYPE (counts that are no
 *           integers), GPU_E_RANGE (a negative count, or a sum of 2^64 or more), GPU_E_MEMORY, the failure of an input.
 *
 * Example
 *     gpu_array *copies = gpu_repeat(x, gpu_fill(g, GPU_INT, &(int){3}, gpu_length(x)));
 */
#ifndef FIREPILE_REPEAT_H
#define FIREPILE_REPEAT_H

#include <firepile/array.h>

GPU_BEGIN_DECLS

/** gpu_repeat(a, counts) */
#define gpu_repeat(a, counts) gpu_repeat_op((a), (counts), GPU_HERE)
GPU_API gpu_array *gpu_repeat_op(const gpu_array *a, const gpu_array *counts, const gpu_place *place);

GPU_END_DECLS
#endif
