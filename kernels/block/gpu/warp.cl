// lint:
// Reduction and scan, in order, of one value for each work-item of a warp, without local memory.
//   FP_WARP=32  work-items of a warp, which run in lockstep
#ifndef FP_WARP
#error "block/gpu/warp.cl needs FP_WARP"
#endif
#include "block/gpu/ptx.cl"

typedef union {
    FP_T value;
    uint words[(sizeof(FP_T) + 3) / 4];
} fp_warp_words;

// The value of the lane `distance` higher; the item's own if there is none.
static inline FP_T fp_warp_down(const FP_T value, const uint distance)
{
    fp_warp_words w;
    w.value = value;
#pragma unroll
    for (uint k = 0; k < sizeof(w.words) / 4; k++) w.words[k] = fp_shuffle_down(w.words[k], distance);
    return w.value;
}

// Reduces the values of lanes 0, ..., count - 1 in order, to lane 0.
static inline FP_T fp_reduce_warp(FP_T value, const uint lane, const uint count, FP_PARAMS)
{
#pragma unroll
    for (uint distance = 1; distance < FP_WARP; distance *= 2) {
        const FP_T next = fp_warp_down(value, distance);
        if (lane + distance < count) value = fp_op(value, next);
    }
    return value;
}

// The value of the lane `distance` lower; the item's own if there is none.
static inline FP_T fp_warp_up(const FP_T value, const uint distance)
{
    fp_warp_words w;
    w.value = value;
#pragma unroll
    for (uint k = 0; k < sizeof(w.words) / 4; k++) w.words[k] = fp_shuffle_up(w.words[k], distance);
    return w.value;
}

// Inclusive scan of the values in order, for lane < count.
static inline FP_T fp_scan_warp(FP_T value, const uint lane, const uint count, FP_PARAMS)
{
#pragma unroll
    for (uint distance = 1; distance < FP_WARP; distance *= 2) {
        const FP_T before = fp_warp_up(value, distance);
        if (lane >= distance && lane < count) value = fp_op(before, value);
    }
    return value;
}
