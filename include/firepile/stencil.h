/** Stencils: out[i] = op of a[i - radius], ..., a[i + radius].
 *
 * Types     elements and results have the array's element type, any type.
 * Shape     as long as the array. The length may be known only to the device.
 * Snippet   at(k): the neighbour at i + k, for an int k from -radius to radius; i: the index, a ulong. A number outside
 *           of that is an error. Other values of k are not checked; those outside may read outside of the array.
 *           A GPU_FUNCTION takes `const float *near` first, or its like: near[-1] is the element before, near[0] the
 *           element itself. It may also take i and captured values by their names.
 * Edges     Outside of the array at(k) is
 *           - GPU_EDGE_CLAMP: the first or the last element
 *           - GPU_EDGE_WRAP: the element at (i + k) modulo the length
 *           - GPU_EDGE_REFLECT: the element as far inside: before a, b, c there are c, b. The first and the last one
 *             are the mirrors
 *           - GPU_EDGE_VALUE(&value): this value, copied when the call is made
 *           A radius may be larger than the length.
 * Cost      none: the result is delayed and is fused into its first consumer, as that of a map. The array is read from
 *           memory, so delayed operators on it are computed first. Computing a stencil alone is one launch. With small
 *           radii it reads and writes memory as a copy does. For large ones see firepile/window.h.
 * Owner     the scope, as of any array (firepile/array.h).
 * Errors    GPU_E_SNIPPET (also for at(k) outside of the radius), GPU_E_ARGUMENT (the edge is NULL, the radius is
 *           larger than 2^31 - 1, the neighbourhood of a function has more than 4096 bytes), GPU_E_TYPE (the edge's
 *           value, a function's parameter). An input in error is passed on.
 * Source    numpy.pad has these edges as "edge", "wrap", "reflect" and "constant".
 *
 * Example
 *     gpu_array *rod = gpu_stencil(x, 1, GPU_EDGE_CLAMP, "at(0) + 0.2f * (at(-1) - 2 * at(0) + at(1))");
 */
#ifndef FIREPILE_STENCIL_H
#define FIREPILE_STENCIL_H

#include <firepile/operator.h>

GPU_BEGIN_DECLS

/** The elements outside of an array: a kind, and the value of GPU_EDGE_KIND_VALUE. */
typedef enum gpu_edge_kind {
    GPU_EDGE_KIND_CLAMP,
    GPU_EDGE_KIND_WRAP,
    GPU_EDGE_KIND_REFLECT,
    GPU_EDGE_KIND_VALUE
} gpu_edge_kind;

typedef struct gpu_edge {
    gpu_edge_kind kind;
    const gpu_value *value;
} gpu_edge;

/** The edges that gpu_stencil takes, beside GPU_EDGE_VALUE. */
GPU_API extern const gpu_edge gpu_edge_clamp, gpu_edge_wrap, gpu_edge_reflect;
#define GPU_EDGE_CLAMP (&gpu_edge_clamp)
#define GPU_EDGE_WRAP (&gpu_edge_wrap)
#define GPU_EDGE_REFLECT (&gpu_edge_reflect)
/** The edge of one value: GPU_EDGE_VALUE(&(float){0}). */
#ifdef __cplusplus
#define GPU_EDGE_VALUE(pointer) GPU_FOR_C_(const gpu_edge *)
#else
#define GPU_EDGE_VALUE(pointer) (&(const gpu_edge){GPU_EDGE_KIND_VALUE, GPU_VALUE_(pointer)})
#endif

/** gpu_stencil(a, radius, edge, op, captures...) */
#define gpu_stencil(a, radius, edge, ...) gpu_stencil_((a), (radius), (edge), __VA_ARGS__, NULL)
#define gpu_stencil_(a, radius, edge, op, ...) gpu_stencil_op(a, radius, edge, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_array *gpu_stencil_op(const gpu_array *a, size_t radius, const gpu_edge *edge, const gpu_operator *op);

GPU_END_DECLS
#endif
