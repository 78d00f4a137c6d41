/** By key: reduce and scan over runs of equal neighbouring keys.
 *
 * Types     keys are scalars or vectors; vectors are equal if all components are. Values have any type; operators work
 *           on them as in reduce and scan. NaN equals no key: each NaN is a run of its own.
 * Shape     keys and values are equally long (GPU_E_ARGUMENT). A reduction gives one key and one value for each run.
 *           The number of runs is known to the device (firepile/select.h).
 * Snippet   a: the left operand, b: the right one. The operator must be associative; it need not commute.
 * Cost      one launch, no wait. Delayed inputs are computed in the same kernel.
 * Errors    in the results: GPU_E_ARGUMENT, GPU_E_TYPE (struct keys), GPU_E_SNIPPET, GPU_E_MEMORY, an input's failure.
 *           Outputs are always set; the failure is also returned.
 * Source    segmented scan: Blelloch, Prefix Sums and Their Applications, 1990.
 *
 * Example
 *     gpu_array *keys = gpu_map_to(x, GPU_INT, "i / 2"), *k, *sums, *values, *lengths;
 *     gpu_reduce_by_key(keys, x, "a + b", &k, &sums);
 *     gpu_runs(keys, &values, &lengths);
 *     gpu_array *running = gpu_scan_by_key(keys, x, "a + b");
 */
#ifndef FIREPILE_BY_KEY_H
#define FIREPILE_BY_KEY_H

#include <firepile/operator.h>

GPU_BEGIN_DECLS

/** gpu_reduce_by_key(keys, values, op, &k, &v, captures...): the key of each run, and the reduction of its values. */
#define gpu_reduce_by_key(keys, values, ...) gpu_reduce_by_key_((keys), (values), __VA_ARGS__, NULL)
#define gpu_reduce_by_key_(keys, values, op, k, v, ...)                                                                \
    gpu_reduce_by_key_op(keys, values, GPU_OPERATOR_(op, __VA_ARGS__), k, v)
GPU_API gpu_status gpu_reduce_by_key_op(const gpu_array *keys, const gpu_array *values, const gpu_operator *op,
                                        gpu_array **k, gpu_array **v);

/** gpu_scan_by_key(keys, values, op, captures...): an inclusive scan that starts anew at each run. */
#define gpu_scan_by_key(keys, values, ...) gpu_scan_by_key_((keys), (values), __VA_ARGS__, NULL)
#define gpu_scan_by_key_(keys, values, op, ...) gpu_scan_by_key_op(keys, values, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_array *gpu_scan_by_key_op(const gpu_array *keys, const gpu_array *values, const gpu_operator *op);

/** gpu_runs(a, &values, &lengths): the element of each run of equal neighbours, and its length (GPU_ULONG). */
#define gpu_runs(a, values, lengths) gpu_runs_op((a), (values), (lengths), GPU_HERE)
GPU_API gpu_status gpu_runs_op(const gpu_array *a, gpu_array **values, gpu_array **lengths, const gpu_place *place);

GPU_END_DECLS
#endif
