/** Explain: how an array would be computed.
 *
 * Example
 *     gpu_array *sum = gpu_reduced(x, "a + b");
 *     puts(gpu_explain(gpu_map(x, "x / sum[0]", GPU_ARG(sum))));
 */
#ifndef FIREPILE_EXPLAIN_H
#define FIREPILE_EXPLAIN_H

#include <firepile/array.h>

GPU_BEGIN_DECLS

/** The plan for an array, as text: how many kernels compute it, what is fused into each and why it ends there, what
 * they read and write, and what gpu_read then waits for. What the host computes, on the host device or because it is
 * small, is a run instead of a kernel. Of an array that is in error, or whose computation is known to fail, the
 * failure.
 *
 * Computes nothing, waits for nothing and changes no plan: gpu_eval and gpu_read do what the text says, unless the
 * array, or one that it is made from, is consumed in between.
 *
 * Not known before, and not told: what the compiler says of an operator; what operators read of the arrays they
 * capture; how many elements a filter keeps, so that bytes are at most those told, and what follows may be small enough
 * for the host; what is done the first time only, such as building a kernel, which on CPUs takes one wait more.
 * Owner     this thread: valid until its next gpu_explain; never NULL. */
GPU_API const char *gpu_explain(const gpu_array *a);

GPU_END_DECLS
#endif
