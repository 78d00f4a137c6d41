/** Laws: does an operator keep what it has to promise?
 *
 * Types     any element type.
 * Snippet   a comparator: a and b, not zero if a comes before b.
 * Shape     up to 64 elements spread over the array are tried, each with each two others.
 * Cost      one or two launches, and two waits where something is found.
 * Errors    GPU_E_ARGUMENT if a counter-example was found: gpu_error() names the law, the elements and their values. GPU_OK says that
 *           there is none among those tried. GPU_E_SNIPPET, GPU_E_MEMORY, the failure of `a`.
 *
 * Example
 *     if (gpu_check_order(x, "a <= b")) fprintf(stderr, "%s\n", gpu_error());
 */
#ifndef FIREPILE_LAW_H
#define FIREPILE_LAW_H

#include <firepile/operator.h>

GPU_BEGIN_DECLS

/** gpu_check_order(a, less, captures...): is the comparator a strict weak order on elements of `a`? No element comes before itself;
 * of two at most one comes before the other; if a comes before b and b before c, then a before c; and elements of which neither
 * comes before the other are alike to all others. */
#define gpu_check_order(a, ...) gpu_check_order_((a), __VA_ARGS__, NULL)
#define gpu_check_order_(a, less, ...) gpu_check_order_op(a, GPU_OPERATOR_(less, __VA_ARGS__))
GPU_API GPU_CHECKED gpu_status gpu_check_order_op(const gpu_array *a, const gpu_operator *less);

GPU_END_DECLS
#endif
