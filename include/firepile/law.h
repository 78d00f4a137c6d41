/** Laws: does an operator keep what it has to promise?
 *
 * A reduction or a scan by an operator that is not associative, and a sort by a comparator that is no order, give
 * results that mean nothing, and no failure. These functions look for a counter-example among the program's own
 * elements.
 *
 * Types     any element type.
 * Shape     up to 64 elements spread over the array are tried, each with each two others; fewer of structs of more than
 *           64 bytes, so that the results of all triples fit into 16 MB.
 * Errors    GPU_E_ARGUMENT if a counter-example was found: gpu_error() names the law, the elements and their values.
 *           GPU_OK says that there is none among those tried. GPU_E_SNIPPET, GPU_E_TYPE, GPU_E_MEMORY, the failure of
 *           `a`.
 *
 * Example
 *     if (gpu_check_reduce(x, "a - b")) fprintf(stderr, "%s\n", gpu_error());
 *     if (gpu_check_order(x, "a <= b")) fprintf(stderr, "%s\n", gpu_error());
 */
#ifndef FIREPILE_LAW_H
#define FIREPILE_LAW_H

#include <firepile/operator.h>

GPU_BEGIN_DECLS

/** gpu_check_reduce(a, op, captures...): is the operator associative on elements of `a`, op(op(a, b), c) == op(a, op(b,
 * c)), and, if it is marked GPU_COMMUTATIVE, op(a, b) == op(b, a)? Of an empty array: GPU_OK.
 *
 * Floating-point operators are associative but for rounding, so floating numbers, in vectors and structs too, count as
 * equal when they differ by at most 2^-16 (float) or 2^-45 (double), 128 units in the last place, of the largest finite
 * number that stands at the same place in a, b, c, op(a, b), op(b, c) and the two results: "a + b" passes also where it
 * cancels. Overflow does not pass: infinity in one result and a number in the other. NaN equals NaN. Integers have to
 * be equal. Of unions it is enough that one member is equal.
 * Snippet   a: the left operand, b: the right one.
 * Cost      up to four launches and 528,384 applications of the operator, for 64 elements, and a wait for each launch:
 *           for floats 15 ms on PoCL, 50 ms on the host device. */
#define gpu_check_reduce(a, ...) gpu_check_reduce_((a), __VA_ARGS__, NULL)
#define gpu_check_reduce_(a, op, ...) gpu_check_reduce_op(a, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API GPU_CHECKED gpu_status gpu_check_reduce_op(const gpu_array *a, const gpu_operator *op);

/** gpu_check_order(a, less, captures...): is the comparator a strict weak order on elements of `a`? No element comes
 * before itself; of two at most one comes before the other; if a comes before b and b before c, then a before c; and
 * elements of which neither comes before the other are alike to all others.
 * Snippet   a and b: not zero if a comes before b.
 * Cost      one or two launches, and two waits where something is found. */
#define gpu_check_order(a, ...) gpu_check_order_((a), __VA_ARGS__, NULL)
#define gpu_check_order_(a, less, ...) gpu_check_order_op(a, GPU_OPERATOR_(less, __VA_ARGS__))
GPU_API GPU_CHECKED gpu_status gpu_check_order_op(const gpu_array *a, const gpu_operator *less);

GPU_END_DECLS
#endif
