// lint: FP_CPU=0 FP_WARP=1
// lint: FP_CPU=0 FP_ORDERED=1
// Reduction and inclusive scan of one value for each work-item of a group.
//   FP_ORDERED=0  1: combines in order, for operators that do not commute
//   FP_WARP=32    work-items that exchange values by block/warp.cl; 1: none do
#if !defined(FP_ORDERED) || !defined(FP_WARP)
#error "block/group.cl needs FP_ORDERED and FP_WARP"
#endif
#include "block/warp.cl"

// Level 2: reduces scratch[0], ..., scratch[count - 1], the values of the group's first `count` items, to scratch[0].
// All items call it, and count > 0. Values stay in local memory across a barrier: PoCL 3.1 loses private structs there.
static inline void fp_reduce_group(const uint count, __local FP_T *scratch, FP_PARAMS)
{
    const uint l = get_local_id(0);
#if FP_WARP > 1
    // Each warp reduces the values of its items, to the place of its first item. Then the first warp reduces these.
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
#elif FP_ORDERED
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < FP_WG; step *= 2) {
        const uint left = 2 * step * l;
        if (left + step < count) scratch[left] = fp_op(scratch[left], scratch[left + step]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#else
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = FP_WG / 2; width > 0; width /= 2) {
        if (l < width && l + width < count) scratch[l] = fp_op(scratch[l], scratch[l + width]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
}

#if FP_ORDERED
// Inclusive scan, in order, of scratch[0], ..., scratch[count - 1], the values of the group's first `count` items. All
// items call it, and count > 0.
static inline void fp_scan_group(const uint count, __local FP_T *scratch, FP_PARAMS)
{
    const uint l = get_local_id(0);
#if FP_WARP > 1
    // Each warp scans the values of its items. Then each item combines the totals of the warps before its own.
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
#else
    // Upsweep and downsweep of a tree, in place.
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < FP_WG; step *= 2) {
        const uint right = 2 * step * (l + 1) - 1;
        if (right < count) scratch[right] = fp_op(scratch[right - step], scratch[right]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint step = FP_WG / 2; step > 0; step /= 2) {
        const uint right = 2 * step * (l + 1) - 1 + step;
        if (right < count) scratch[right] = fp_op(scratch[right - step], scratch[right]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
}
#define FP_SCAN_SCRATCH (FP_WG + (FP_WARP > 1 ? FP_WG / FP_WARP : 0))
#endif
