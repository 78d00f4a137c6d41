/** Map: out[i] = op(a[i]), element by element over one, two or three arrays.
 *
 * Types     the result has the element type of `a`, or the `type` given to the _to forms and gpu_zip.
 * Shape     as long as `a`; the arrays of map2, map3 and zip must be equally long (GPU_E_ARGUMENT).
 * Snippet   x (y, z): the elements; i: their index, a ulong.
 * Cost      none: the result is delayed. It is fused into its first consumer. A second consumer has it computed into a
 *           buffer, which all later ones read. Computing it alone is one launch.
 * Errors    GPU_E_SNIPPET (unbalanced text at once, compile errors when the result is needed), GPU_E_ARGUMENT (a
 *           capture), GPU_E_TYPE. An input in error is passed on.
 * Source    map, zipWith: GPU Parallel Collections for Scala, chapters 4 and 5.
 *
 * Example
 *     gpu_array *y = gpu_map(x, "x * 23");
 *     gpu_array *rounded = gpu_map_to(x, GPU_INT, "convert_int(x)");
 *     gpu_array *larger = gpu_map2(x, y, "x > y ? x : y");
 *     gpu_array *pairs = gpu_zip(x, y, GPU_FLOAT2);
 */
#ifndef FIREPILE_MAP_H
#define FIREPILE_MAP_H

#include <firepile/operator.h>

GPU_BEGIN_DECLS

/** gpu_map(a, op, captures...) */
#define gpu_map(a, ...) gpu_map_to_((a), NULL, __VA_ARGS__, NULL)
/** gpu_map_to(a, type, op, captures...): a map that changes the element type */
#define gpu_map_to(a, type, ...) gpu_map_to_((a), (type), __VA_ARGS__, NULL)
/** gpu_map2(a, b, op, captures...) */
#define gpu_map2(a, b, ...) gpu_map2_to_((a), (b), NULL, __VA_ARGS__, NULL)
/** gpu_map2_to(a, b, type, op, captures...) */
#define gpu_map2_to(a, b, type, ...) gpu_map2_to_((a), (b), (type), __VA_ARGS__, NULL)
/** gpu_map3(a, b, c, op, captures...) */
#define gpu_map3(a, b, c, ...) gpu_map3_to_((a), (b), (c), NULL, __VA_ARGS__, NULL)
/** gpu_map3_to(a, b, c, type, op, captures...) */
#define gpu_map3_to(a, b, c, type, ...) gpu_map3_to_((a), (b), (c), (type), __VA_ARGS__, NULL)

#define gpu_map_to_(a, type, op, ...) gpu_map_op(a, type, GPU_OPERATOR_(op, __VA_ARGS__))
#define gpu_map2_to_(a, b, type, op, ...) gpu_map2_op(a, b, type, GPU_OPERATOR_(op, __VA_ARGS__))
#define gpu_map3_to_(a, b, c, type, op, ...) gpu_map3_op(a, b, c, type, GPU_OPERATOR_(op, __VA_ARGS__))

/** The functions behind the macros; `type` NULL stands for the type of `a`. */
GPU_API gpu_array *gpu_map_op(const gpu_array *a, gpu_type type, const gpu_operator *op);
GPU_API gpu_array *gpu_map2_op(const gpu_array *a, const gpu_array *b, gpu_type type, const gpu_operator *op);
GPU_API gpu_array *gpu_map3_op(const gpu_array *a, const gpu_array *b, const gpu_array *c, gpu_type type,
                               const gpu_operator *op);

/** The pairs of a[i] and b[i]. `type` is a GPU_STRUCT with two members, x of the elements of `a`, then y of those of
 * `b`. Or it is a vector of two components, as GPU_FLOAT2, and both arrays have their type. Else GPU_E_TYPE. */
#define gpu_zip(a, b, type) gpu_zip_op((a), (b), (type), GPU_HERE)
GPU_API gpu_array *gpu_zip_op(const gpu_array *a, const gpu_array *b, gpu_type type, const gpu_place *place);

GPU_END_DECLS
#endif
