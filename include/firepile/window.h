/** Windows: the elements of each window are combined: out[i] = a[i] op a[i + 1] op ... op a[i + width - 1].
 *
 * Types     operands and results have the array's element type, any type. A moving average is a map of moving sums:
 *           gpu_map(gpu_window_reduce(x, 7, "a + b"), "x / 7").
 * Shape     length - width + 1 elements, none if the width is larger than the length. The length may be known only to
 *           the device.
 * Snippet   a: the left operand, b: the right one. The operator must be associative; it need not commute.
 * Order     Elements form blocks of min(width, 16), from the first element on. A window has three pieces:
 *           - the rest of its first block, combined from right to left
 *           - the whole blocks that follow, each combined from left to right, and then as windows of blocks
 *           - the elements behind those, appended one by one to the value of the whole blocks
 *           Floats have the same bits on every device and on the host.
 * Cost      a result takes six applications of the operator at most. There is one launch up to a width of 31, three up
 *           to 527, five up to 8463, and so on: on an H200, 2^28 floats take 3.0 ms for a width of 10, and 4.9 ms for
 *           one of 10,000. The call launches at once and waits for nothing. Delayed inputs are computed in the same
 *           kernels, up to four times for each element. Memory: the result, and at most a seventh of the input while it
 *           runs.
 * Owner     the scope, as of any array (firepile/array.h).
 * Errors    in the result: GPU_E_SNIPPET, GPU_E_ARGUMENT (the width is 0), GPU_E_TYPE, GPU_E_MEMORY, the input's
 *           failure.
 * Source    van Herk, A fast algorithm for local minimum and maximum filters, 1992; Gil and Werman, Computing 2-D min,
 *           median, and max filters, 1993.
 *
 * Example
 *     gpu_array *peaks = gpu_window_reduce(x, 5, "max(a, b)");
 */
#ifndef FIREPILE_WINDOW_H
#define FIREPILE_WINDOW_H

#include <firepile/operator.h>

GPU_BEGIN_DECLS

/** gpu_window_reduce(a, width, op, captures...): one value for each `width` consecutive elements. */
#define gpu_window_reduce(a, width, ...) gpu_window_reduce_((a), (width), __VA_ARGS__, NULL)
#define gpu_window_reduce_(a, width, op, ...) gpu_window_reduce_op(a, width, GPU_OPERATOR_(op, __VA_ARGS__))
GPU_API gpu_array *gpu_window_reduce_op(const gpu_array *a, size_t width, const gpu_operator *op);

GPU_END_DECLS
#endif
