// The functions of block/gpu/group.cl where items run in warps.
#include "block/gpu/warp.cl"

#define FP_SCAN_SCRATCH (FP_WG + FP_WG / FP_WARP)

// Each warp reduces the values of its items, to the place of its first item. Then the first warp reduces these.
static inline void fp_reduce_group(const uint count, __local FP_T *scratch, FP_PARAMS)
{
    const uint l = get_local_id(0);
    const uint lane = l % FP_WARP, warp = l / FP_WARP, warps = (count + FP_WARP - 1) / FP_WARP;
    const uint mine = count - min(count, warp * FP_WARP);
    const FP_T of_warp = fp_reduce_warp(scratch[l], lane, mine, FP_ARGS);
    if (lane == 0) scratch[l] = of_warp;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (warp == 0) {
        const FP_T of_group = fp_reduce_warp(scratch[min(lane, warps - 1) * FP_WARP], lane, warps, FP_ARGS);
        if (lane == 0) scratch[0] = of_group;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Each warp scans the values of its items. Then each item combines the totals of the warps before its own.
static inline void fp_scan_group(const uint count, __local FP_T *scratch, FP_PARAMS)
{
    const uint l = get_local_id(0);
    __local FP_T *last = scratch + FP_WG;
    const uint lane = l % FP_WARP, warp = l / FP_WARP, mine = count - min(count, warp * FP_WARP);
    FP_T value = fp_scan_warp(scratch[l], lane, mine, FP_ARGS);
    if (lane == FP_WARP - 1) last[warp] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < count && warp > 0) {
        FP_T before = last[0];
        for (uint w = 1; w < warp; w++) before = fp_op(before, last[w]);
        value = fp_op(before, value);
    }
    if (l < count) scratch[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
}
