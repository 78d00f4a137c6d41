/** Copies between devices.
 *
 * Types     any.
 * Cost      computes `a` and waits; then a download and an upload by way of the host's memory, of all elements. To its
 *           own gpu an array is not copied: the result shares its elements.
 * Owner     the scope of the other gpu, as of any array (firepile/array.h).
 * Errors    in the result: GPU_E_ARGUMENT, GPU_E_TYPE (double on a device that has none), GPU_E_MEMORY, the failure of
 *           `a`.
 *
 * Example
 *     gpu *host = gpu_open("host");
 *     gpu_array *there = gpu_copy_to(x, host);
 *     gpu_close(host);
 */
#ifndef FIREPILE_COPY_H
#define FIREPILE_COPY_H

#include <firepile/array.h>

GPU_BEGIN_DECLS

/** The elements of `a` as an array of another gpu. */
#define gpu_copy_to(a, other) gpu_copy_to_op((a), (other), GPU_HERE)
GPU_API gpu_array *gpu_copy_to_op(const gpu_array *a, gpu *other, const gpu_place *place);

GPU_END_DECLS
#endif
