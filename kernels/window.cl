// lint: FP_CPU=0
// lint: FP_CPU=0 FP_MIDDLE=1
// lint: FP_CPU=0 FP_STAGED=1
// lint: FP_CPU=0 FP_STAGED=1 FP_MIDDLE=1
// lint: FP_CPU=1 FP_COUNTED=1
// out[i] = the elements i, ..., i + width - 1 combined in order, if all of them exist: Note [windows] in
// lib/ops/window.c. A work-item computes the windows of whole blocks, `chunk` of them on a CPU.
//   FP_BLOCK=16   elements of a block; unless staged, a smaller width is the block
//   FP_STAGED=0   1: a group of a GPU reads and stores its blocks side by side, through local memory
//   FP_MIDDLE=0   1: windows have whole blocks in between: middle[k] combines those from block k on
//   FP_COUNTED=0  1: the device alone knows fp_n; the number of results is stored
#if !defined(FP_BLOCK) || !defined(FP_STAGED) || !defined(FP_MIDDLE) || !defined(FP_COUNTED)
#error "window.cl needs FP_BLOCK, FP_STAGED, FP_MIDDLE and FP_COUNTED"
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

#if FP_STAGED
#define FP_TILE (FP_WG * FP_BLOCK)
// Blocks begin in different banks of local memory.
#define FP_PADDED(i) ((i) + (i) / FP_BLOCK)

static inline void fp_stage(const ulong first, const uint count, __local FP_T *tile, FP_PARAMS)
{
    for (uint i = get_local_id(0); i < count && first + i < fp_n; i += FP_WG) tile[FP_PADDED(i)] = fp_load(first + i);
    barrier(CLK_LOCAL_MEM_FENCE);
}

// v[i] = the elements of the item's block from i on.
static inline void fp_window_ends(__local const FP_T *tile, FP_T *v, FP_PARAMS)
{
    const uint begin = get_local_id(0) * FP_BLOCK;
    v[FP_BLOCK - 1] = tile[FP_PADDED(begin + FP_BLOCK - 1)];
#pragma unroll
    for (uint i = FP_BLOCK - 1; i > 0; i--) v[i - 1] = fp_op(tile[FP_PADDED(begin + i - 1)], v[i]);
}

// Appends to v[i] what follows the block in its window: whole blocks, then elements of the tile. `extra` of these are
// in the first window.
static inline void fp_window_append(__local const FP_T *tile, FP_T *v, const uint extra, const uint results,
                                    const ulong block, FP_MIDDLE_PARAM FP_PARAMS)
{
    uint at = get_local_id(0) * FP_BLOCK;
    const uint first = at + extra;
    bool any = FP_MIDDLE;
#if FP_MIDDLE
    FP_T rest = middle[block + 1];
#else
    FP_T rest = v[0];
#endif
#pragma unroll
    for (uint i = 0; i < FP_BLOCK; i++) {
        if (i >= results) continue;
        for (; at < first + i; at++) {
            rest = any ? fp_op(rest, tile[FP_PADDED(at)]) : tile[FP_PADDED(at)];
            any = true;
        }
        if (any) v[i] = fp_op(v[i], rest);
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
    fp_stage(start, FP_TILE, tile, FP_ARGS);
    if (results) fp_window_ends(tile, v, FP_ARGS);
    barrier(CLK_LOCAL_MEM_FENCE);
    fp_stage(start + width / FP_BLOCK * FP_BLOCK, FP_TILE + FP_BLOCK, tile, FP_ARGS);
    if (results) fp_window_append(tile, v, width % FP_BLOCK, results, block + l, FP_MIDDLE_ARG FP_ARGS);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint i = 0; i < FP_BLOCK; i++)
        if (i < results) tile[FP_PADDED(l * FP_BLOCK + i)] = v[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = l; i < FP_TILE && start + i < count; i += FP_WG) out[start + i] = tile[FP_PADDED(i)];
    barrier(CLK_LOCAL_MEM_FENCE);
}
#else
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
#endif

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_window(FP_PARAMS, const ulong width, const ulong chunk, FP_MIDDLE_PARAM __global FP_T *restrict out FP_RESULTS_PARAM)
{
    const ulong n = fp_n, count = n < width ? 0 : n - width + 1;
#if FP_COUNTED
    if (get_global_id(0) == 0) FP_STORE_COUNT(results, count);
#endif
#if FP_STAGED
    __local FP_T tile[FP_PADDED(FP_TILE + FP_BLOCK)];
    const ulong step = get_num_groups(0) * FP_WG;
    for (ulong k = get_group_id(0) * FP_WG; k * FP_BLOCK < count; k += step)
        fp_window_tile(k, width, count, tile, out, FP_MIDDLE_ARG FP_ARGS);
#else
    const uint block = (uint)min(width, (ulong)FP_BLOCK);
    const ulong blocks = (count + block - 1) / block;
#if FP_CPU
    const ulong begin = get_group_id(0) * chunk, end = min(begin + chunk, blocks), step = 1;
#else
    const ulong begin = get_global_id(0), end = blocks, step = get_global_size(0);
#endif
    for (ulong k = begin; k < end; k += step) fp_window_block(k, block, width, count, out, FP_MIDDLE_ARG FP_ARGS);
#endif
}
