/** Scan: all prefixes of an array, combined: out[i] = op(op(a[0], a[1]), ... a[i]).
 *
 * Types     operands and results have the array's element type, any type. To sum a float array in double, in the same
 *           kernel: gpu_scan(gpu_map_to(x, GPU_DOUBLE, "x"), ...).
 * Shape     as long as `a`; the length may be known only to the device.
 * Snippet   a: the left operand, b: the right one. The operator must be associative; it need not commute. Results have
 *           the same bits from run to run on the same device.
 * Cost      delayed until the elements are needed, then one launch, no wait: each element is read and written once.
 *           GPUs whose work-groups are not known to make progress beside each other take two launches, and read twice.
 *           Delayed inputs are computed in the same kernel. Maps of the result are fused into it too if their elements
 *           are needed first. Memory: the result, and a few bytes for each tile.
 * Errors    in the result: GPU_E_SNIPPET (compile errors when the result is needed), GPU_E_ARGUMENT, GPU_E_TYPE (the
 *           start is of another type), GPU_E_MEMORY, the failure of `a`.
 * Source    decoupled look-back: Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016;
 *           scan: GPU Parallel Collections for Scala, chapter 5.
 *
 * Example
 *     gpu_array *sums = gpu_scan(x, "a + b");
 *     gpu_array *places = gpu_scan_exclusive(x, &(float){0}, "a + b");
 */
#ifndef FIREPILE_SCAN_H
#define FIREPILE_SCAN_H

#include <firepile/operator.h>

GPU_BEGIN_DECLS

/** gpu_scan(a, op, captures...): inclusive, out[0] = a[0]. */
#define gpu_scan(a, ...) gpu_scan_((a), __VA_ARGS__, NULL)
#define gpu_scan_(a, op, ...) gpu_scan_op(a, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_array *gpu_scan_op(const gpu_array *a, const gpu_operator *op);

/** gpu_scan_exclusive(a, &start, op, captures...): out[0] = start, out[i] = op(start, the elements before i). `start`
 * counts once. */
#define gpu_scan_exclusive(a, start, ...) gpu_scan_exclusive_((a), (start), __VA_ARGS__, NULL)
#define gpu_scan_exclusive_(a, start, op, ...)                                                                         \
    gpu_scan_exclusive_op(a, GPU_VALUE_(start), GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_array *gpu_scan_exclusive_op(const gpu_array *a, const gpu_value *start, const gpu_operator *op);

GPU_END_DECLS
#endif
