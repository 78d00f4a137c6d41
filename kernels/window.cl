// lint:
// lint: FP_MIDDLE=1
// lint: FP_COUNTED=1
// lint: FP_T=fp_pair
// out[i] = the elements i, ..., i + width - 1 combined in order, if all of them exist: Note [windows] in
// lib/ops/window.c. A work-item computes the windows of whole blocks, `chunk` of them on a CPU.
//   FP_BLOCK=16   elements of a block; a smaller width is the block
//   FP_COUNTED=0  1: the device alone knows fp_n; the number of results is stored
// and the slot of block/middle.cl.
#if !FP_BLOCK
#error "window.cl needs FP_BLOCK"
#endif
#include "block/count.cl"
#include "block/middle.cl"

// The results that begin in block k, below `count`.
static inline void fp_window_block(const ulong k, const uint block, const ulong width, const ulong count,
                                   __global FP_T *restrict out, FP_MIDDLE_PARAM FP_PARAMS)
{
    const ulong first = k * block, last = min(first + block, count);
    FP_T ends[FP_BLOCK];
    ends[block - 1] = fp_load(first + block - 1);
    for (uint i = block - 1; i > 0; i--) ends[i - 1] = fp_op(fp_load(first + i - 1), ends[i]);
    bool any = FP_MIDDLE;
    FP_T rest = FP_MIDDLE_OR(k + 1, ends[0]);
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
fp_window(FP_PARAMS, const ulong width, const ulong chunk,
          FP_MIDDLE_PARAM __global FP_T *restrict out FP_COUNTED_PARAMS(results))
{
    const ulong n = fp_n, count = n < width ? 0 : n - width + 1;
    if (get_global_id(0) == 0) FP_STORE_COUNTED(results, count);
    const uint block = (uint)min(width, (ulong)FP_BLOCK);
    const ulong blocks = (count + block - 1) / block;
    const ulong begin = FP_CPU ? get_group_id(0) * chunk : get_global_id(0);
    const ulong end = FP_CPU ? min(begin + chunk, blocks) : blocks, step = FP_CPU ? 1 : get_global_size(0);
    for (ulong k = begin; k < end; k += step) fp_window_block(k, block, width, count, out, FP_MIDDLE_ARG FP_ARGS);
}
