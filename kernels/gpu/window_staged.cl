// lint:
// lint: FP_MIDDLE=1
// lint: FP_COUNTED=1
// The windows of kernels/window.cl. A group reads and stores its blocks side by side, through local memory.
//   FP_BLOCK=16  elements of a block
// and the slots of block/gpu/stage.cl and block/middle.cl.
#if !FP_BLOCK
#error "window_staged.cl needs FP_BLOCK"
#endif
#include "block/count.cl"
#include "block/gpu/stage.cl"
#include "block/middle.cl"

// A group's windows begin at so many elements. Those behind them are staged, too.
#define FP_TILE (FP_WG * FP_BLOCK)

// v[i] = the elements of the item's block from i on.
static inline void fp_window_ends(__local const FP_T *tile, FP_T *v, FP_PARAMS)
{
    const uint begin = get_local_id(0) * FP_BLOCK;
    v[FP_BLOCK - 1] = tile[FP_PADDED(begin + FP_BLOCK - 1)];
#pragma unroll
    for (uint i = FP_BLOCK - 1; i > 0; i--) v[i - 1] = fp_op(tile[FP_PADDED(begin + i - 1)], v[i]);
}

// Appends to v[i] the rest of its window: whole blocks, then elements of the tile from `first` on. `extra` of these are
// in the first window.
static inline void fp_window_append(const uint first, const uint extra, const uint results, const ulong block,
                                    const __local FP_T *tile, FP_T *v, FP_MIDDLE_PARAM FP_PARAMS)
{
    bool any = FP_MIDDLE;
    FP_T rest = FP_MIDDLE_OR(block + 1, v[0]);
    uint at = first;
    for (; at < first + extra; at++, any = true) rest = any ? fp_op(rest, tile[FP_PADDED(at)]) : tile[FP_PADDED(at)];
    if (any) v[0] = fp_op(v[0], rest);
#pragma unroll
    for (uint i = 1; i < FP_BLOCK; i++, at++, any = true) {
        if (i >= results) continue;
        rest = any ? fp_op(rest, tile[FP_PADDED(at)]) : tile[FP_PADDED(at)];
        v[i] = fp_op(v[i], rest);
    }
}

// The results that begin in FP_WG blocks, the first of which is `block`.
static inline void fp_window_tile(const ulong block, const ulong width, const ulong count, __local FP_T *tile,
                                  __global FP_T *restrict out, FP_MIDDLE_PARAM FP_PARAMS)
{
    const uint l = get_local_id(0);
    const ulong start = block * FP_BLOCK, first = start + l * FP_BLOCK;
    const uint results = first < count ? (uint)min(count - first, (ulong)FP_BLOCK) : 0;
    FP_T v[FP_BLOCK];
    fp_stage(start, tile, FP_ARGS);
    if (results) fp_window_ends(tile, v, FP_ARGS);
    uint behind = (l + 1) * FP_BLOCK;
    if (FP_MIDDLE) {
        barrier(CLK_LOCAL_MEM_FENCE);
        fp_stage(start + width / FP_BLOCK * FP_BLOCK, tile, FP_ARGS);
        behind = l * FP_BLOCK;
    }
    if (results) fp_window_append(behind, width % FP_BLOCK, results, block + l, tile, v, FP_MIDDLE_ARG FP_ARGS);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint i = 0; i < FP_BLOCK; i++)
        if (i < results) tile[FP_PADDED(l * FP_BLOCK + i)] = v[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = l; i < FP_TILE && start + i < count; i += FP_WG) out[start + i] = tile[FP_PADDED(i)];
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_window_staged(FP_PARAMS, const ulong width, const ulong chunk,
                 FP_MIDDLE_PARAM __global FP_T *restrict out FP_COUNTED_PARAMS(results))
{
    const ulong n = fp_n, count = n < width ? 0 : n - width + 1;
    if (get_global_id(0) == 0) FP_STORE_COUNTED(results, count);
    __local FP_T tile[FP_PADDED(FP_STAGED)];
    const ulong step = get_num_groups(0) * FP_WG;
    for (ulong k = get_group_id(0) * FP_WG; k * FP_BLOCK < count; k += step)
        fp_window_tile(k, width, count, tile, out, FP_MIDDLE_ARG FP_ARGS);
}
