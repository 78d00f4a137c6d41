// lint: -DFP_CPU=0
// lint: -DFP_CPU=0 -DFP_FUSED=1
// lint: -DFP_CPU=1
// lint: -DFP_CPU=1 -DFP_FUSED=1
// Steps of Batcher's bitonic sort on `data`, in place, for any length: all exchanges put the lesser element lower, and where its
// partner would lie behind the end an element stays. The first step of a stage of `width` compares across the middle of each
// block of `width` elements (flip), the others elements `width` / 2, `width` / 4, ... apart.
//   FP_FUSED     0: one step; 1: all steps from `width` down to 2 that stay in a tile of `share` elements: on a GPU those of a
//                group, 2 * FP_WG, in local memory; or, with `all`, all stages up to `width`
// and the slots of block/merge.cl.
#ifndef FP_FUSED
#error "bitonic.cl needs FP_FUSED"
#endif
#include "block/merge.cl"

// The places that exchange number k of a step compares.
static inline ulong fp_lower(const ulong k, const ulong width)
{
    return k / (width / 2) * width + k % (width / 2);
}

static inline ulong fp_upper(const ulong lower, const ulong width, const bool flip)
{
    return flip ? lower / width * width + width - 1 - lower % width : lower + width / 2;
}

#define FP_EXCHANGE(name, space)                                                                                       \
    static inline void name(space FP_T *data, const ulong n, const ulong k, const ulong width, const bool flip,        \
                            FP_PARAMS)                                                                                 \
    {                                                                                                                  \
        const ulong lower = fp_lower(k, width), upper = fp_upper(lower, width, flip);                                  \
        if (upper >= n) return;                                                                                        \
        const FP_T x = data[lower], y = data[upper];                                                                   \
        if (!fp_before(y, x, FP_ARGS)) return;                                                                         \
        data[lower] = y;                                                                                               \
        data[upper] = x;                                                                                               \
    }

#if FP_FUSED && !FP_CPU
FP_EXCHANGE(fp_exchange, __local)
#else
FP_EXCHANGE(fp_exchange, __global)
#endif

#if !FP_FUSED
__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_bitonic(FP_PARAMS, const ulong width, const uint flip, const ulong share, __global FP_T *data)
{
    const ulong n = fp_n, first = get_global_id(0) * share;
    for (ulong k = first; k < first + share; k++) fp_exchange(data, n, k, width, flip, FP_ARGS);
}

#elif FP_CPU
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void fp_bitonic(FP_PARAMS, const ulong width, const uint all,
                                                                        const ulong share, __global FP_T *data)
{
    const ulong n = fp_n, first = get_group_id(0) * share;
    if (first >= n) return;
    const ulong count = min(share, n - first);
    for (ulong stage = all ? 2 : width; stage <= width && (!all || stage < 2 * count); stage *= 2)
        for (ulong step = stage; step > 1; step /= 2)
            for (ulong k = 0; fp_lower(k, step) < count; k++)
                fp_exchange(data + first, count, k, step, all && step == stage, FP_ARGS);
}

#else
__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_bitonic(FP_PARAMS, const ulong width, const uint all, const ulong share, __global FP_T *data)
{
    __local FP_T tile[2 * FP_WG];
    const uint l = get_local_id(0);
    const ulong n = fp_n, first = get_group_id(0) * share;
    if (first >= n) return;
    const uint count = (uint)min(share, n - first);
    for (uint k = l; k < count; k += FP_WG) tile[k] = data[first + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint stage = all ? 2 : (uint)width; stage <= width; stage *= 2) {
        for (uint step = stage; step > 1; step /= 2) {
            fp_exchange(tile, count, l, step, all && step == stage, FP_ARGS);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    for (uint k = l; k < count; k += FP_WG) data[first + k] = tile[k];
}
#endif
