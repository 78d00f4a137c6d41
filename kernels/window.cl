// lint: FP_CPU=0
// lint: FP_CPU=0 FP_MIDDLE=1
// lint: FP_CPU=1 FP_COUNTED=1
// out[i] = the elements i, ..., i + width - 1 combined in order, if all of them exist: Note [windows] in
// lib/ops/window.c. A work-item computes the windows of whole blocks, `chunk` of them on a CPU.
//   FP_BLOCK=16   elements of a block at most; a smaller width is the block
//   FP_MIDDLE=0   1: windows have whole blocks in between: middle[k] combines those from block k on
//   FP_COUNTED=0  1: the device alone knows fp_n; the number of results is stored
#if !defined(FP_BLOCK) || !defined(FP_MIDDLE) || !defined(FP_COUNTED)
#error "window.cl needs FP_BLOCK, FP_MIDDLE and FP_COUNTED"
#endif
#if FP_MIDDLE
#define FP_MIDDLE_PARAM const __global FP_T *middle,
#define FP_MIDDLE_ARG middle,
#else
#define FP_MIDDLE_PARAM
#define FP_MIDDLE_ARG
#endif
#if FP_COUNTED
#include "block/count.cl"
#define FP_RESULTS_PARAM , FP_COUNT_PARAMS(results)
#else
#define FP_RESULTS_PARAM
#endif

// The results that begin in block k, below `count`.
static inline void fp_window_block(const ulong k, const uint block, const ulong width, const ulong count,
                                   __global FP_T *restrict out, FP_MIDDLE_PARAM FP_PARAMS)
{
    const ulong first = k * block, last = min(first + block, count);
    FP_T ends[FP_BLOCK];
    ends[block - 1] = fp_load(first + block - 1);
    for (uint i = block - 1; i > 0; i--) ends[i - 1] = fp_op(fp_load(first + i - 1), ends[i]);
    bool any = FP_MIDDLE;
#if FP_MIDDLE
    FP_T rest = middle[k + 1];
#else
    FP_T rest = ends[0];
#endif
    ulong at = first + width / block * block;
    for (ulong i = first; i < last; i++) {
        for (; at < i + width; at++) {
            rest = any ? fp_op(rest, fp_load(at)) : fp_load(at);
            any = true;
        }
        out[i] = any ? fp_op(ends[i - first], rest) : ends[i - first];
    }
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_window(FP_PARAMS, const ulong width, const ulong chunk, FP_MIDDLE_PARAM __global FP_T *restrict out FP_RESULTS_PARAM)
{
    const ulong n = fp_n, count = n < width ? 0 : n - width + 1;
    const uint block = (uint)min(width, (ulong)FP_BLOCK);
    const ulong blocks = (count + block - 1) / block;
#if FP_COUNTED
    if (get_global_id(0) == 0) FP_STORE_COUNT(results, count);
#endif
#if FP_CPU
    const ulong begin = get_group_id(0) * chunk, end = min(begin + chunk, blocks), step = 1;
#else
    const ulong begin = get_global_id(0), end = blocks, step = get_global_size(0);
#endif
    for (ulong k = begin; k < end; k += step) fp_window_block(k, block, width, count, out, FP_MIDDLE_ARG FP_ARGS);
}
