/** Explain: the plan of an array's computation, as text.
 *
 * Example
 *     gpu_array *sum = gpu_reduced(x, "a + b");
 *     puts(gpu_explain(gpu_map(x, "x / sum[0]", GPU_ARG(sum))));
 */
#ifndef FIREPILE_EXPLAIN_H
#define FIREPILE_EXPLAIN_H

#include <firepile/array.h>

GPU_BEGIN_DECLS

/** The plan for an array. It lists:
 * - the kernels, the operations fused into each, and why each kernel ends there
 * - the bytes that they read and write
 * - the waits of a gpu_read after it
 *
 * On the host device, and for small arrays, it lists runs on the host instead of kernels. If the array is in error, or
 * its computation is known to fail, the text is the failure.
 *
 * gpu_explain computes nothing, waits for nothing and changes no plan. A later gpu_eval or gpu_read follows the plan,
 * unless the array, or one that it is made from, is consumed in between.
 *
 * The plan cannot show:
 * - compile errors of operators
 * - reads through captured arrays
 * - the number of elements that a filter keeps: bytes are then upper bounds, and the host may take what follows if it
 *   is small
 * - work that is done only once, such as building a kernel, which costs one more wait on CPUs
 * Owner     this thread: valid until its next gpu_explain; never NULL. */
GPU_API const char *gpu_explain(const gpu_array *a);

GPU_END_DECLS
#endif
