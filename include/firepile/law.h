/** Laws: a search for counter-examples to an operator's required properties.
 *
 * A reduction or a scan needs an associative operator, a sort needs a strict weak order. Otherwise the result is
 * meaningless, and no error is reported. These functions look for a counter-example among the program's own elements.
 *
 * Types     any element type.
 * Shape     up to 64 elements, spread over the array, are tried in all triples. Structs of more than 64 bytes are tried
 *           with fewer elements, so that the results of all triples fit into 16 MB.
 * Errors    GPU_E_ARGUMENT if a counter-example was found: gpu_error() names the law, the elements and their values.
 *           GPU_OK means that the elements tried gave none. GPU_E_SNIPPET, GPU_E_TYPE, GPU_E_MEMORY, the failure of
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
 * c))? If it is marked GPU_COMMUTATIVE, is also op(a, b) == op(b, a)? An empty array gives GPU_OK.
 *
 * Floating-point operators are associative only up to rounding. So two floating numbers, also in vectors and structs,
 * count as equal if they differ by at most 2^-16 (float) or 2^-45 (double), 128 units in the last place, of a scale.
 * The scale is the largest finite number at the same place in a, b, c, op(a, b), op(b, c) and the two results: "a + b"
 * passes even if the sum cancels. Overflow does not pass: infinity never equals a finite number. NaN equals NaN.
 * Integers must be equal. A union passes if one of its members is equal.
 * Snippet   a: the left operand, b: the right one.
 * Cost      at most four launches and five waits. 64 elements take 528,384 applications of the operator: for floats 15
 *           ms on PoCL, 50 ms on the host device. */
#define gpu_check_reduce(a, ...) gpu_check_reduce_((a), __VA_ARGS__, NULL)
#define gpu_check_reduce_(a, op, ...) gpu_check_reduce_op(a, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API GPU_CHECKED gpu_status gpu_check_reduce_op(const gpu_array *a, const gpu_operator *op);

/** gpu_check_order(a, less, captures...): is the comparator a strict weak order on elements of `a`?
 * - No element comes before itself.
 * - Of two elements at most one comes before the other.
 * - If a comes before b and b before c, then a comes before c.
 * - If a and b are alike (neither comes before the other) and b and c are, then a and c are.
 * Snippet   a and b: not zero if a comes before b.
 * Cost      one launch and one wait for at most 64 elements, else two of each; one more wait if there is a
 *           counter-example. */
#define gpu_check_order(a, ...) gpu_check_order_((a), __VA_ARGS__, NULL)
#define gpu_check_order_(a, less, ...) gpu_check_order_op(a, GPU_OPERATOR_(less, __VA_ARGS__))
GPU_API GPU_CHECKED gpu_status gpu_check_order_op(const gpu_array *a, const gpu_operator *less);

GPU_END_DECLS
#endif
