// lint:
// lint: FP_STEPS=1 FP_WARP=1
// The steps of a bitonic sort that stay in a tile of `chunk` elements: those from `width` down to 2, or, with `all`,
// all stages up to `width`, of the input. A tile is the FP_WG * FP_HELD elements of a work-group, in local memory.
//   FP_WARP=32  work-items that run in lockstep; 1: none do
// and the slots of block/bitonic.cl.
#ifndef FP_WARP
#error "sort_bitonic_tile.cl needs FP_WARP"
#endif
typedef uint fp_place;
#define FP_SPACE __local
// fp_within(j) has the bits of `offset` and other bits that are the same for all items.
#define FP_AT(j) (fp_spread(block + offset) ^ fp_spread(fp_within(j, 0, stride, flip)))

// Maps place i of a tile to local memory. The items of a warp then access different banks, whatever the width.
static inline uint fp_spread(const uint i)
{
    return i ^ (i >> FP_STEPS & 31);
}

#include "block/bitonic.cl"
#include "block/gpu/ptx.cl"

FP_ALWAYS void fp_sort_items(__local FP_T *tile, const uint count, FP_PARAMS)
{
    fp_sort_item(tile, count, get_local_id(0), FP_ARGS);
}

FP_ALWAYS void fp_pass_tile(__local FP_T *tile, const uint count, const uint width, const bool flip, FP_PARAMS)
{
    fp_pass_item(tile, count, get_local_id(0), width, flip, FP_ARGS);
}

FP_ALWAYS void fp_meet(const uint width)
{
    if (FP_WARP > 1 && width <= FP_WARP * FP_HELD)
        fp_warp_sync();
    else
        barrier(CLK_LOCAL_MEM_FENCE);
}

#include "block/bitonic_stages.cl"

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_sort_bitonic_tile(FP_PARAMS, const ulong width, const uint all, const ulong chunk, __global FP_T *data)
{
    __local FP_T tile[FP_WG * FP_HELD];
    const uint l = get_local_id(0);
    const ulong n = fp_n, first = get_group_id(0) * chunk;
    if (first >= n) return;
    const uint count = (uint)min(chunk, n - first);
    FP_T v[FP_HELD];
#pragma unroll
    for (uint j = 0; j < FP_HELD; j++)
        if (l + j * FP_WG < count) v[j] = fp_load(first + l + j * FP_WG);
#pragma unroll
    for (uint j = 0; j < FP_HELD; j++)
        if (l + j * FP_WG < count) tile[fp_spread(l + j * FP_WG)] = v[j];
    barrier(CLK_LOCAL_MEM_FENCE);
    fp_stages(tile, count, (uint)width, all, FP_ARGS);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint j = 0; j < FP_HELD; j++)
        if (l + j * FP_WG < count) data[first + l + j * FP_WG] = tile[fp_spread(l + j * FP_WG)];
}
