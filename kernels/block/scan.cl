// lint: -DFP_CPU=0 -DFP_ORDERED=1 -DFP_PACKED=0
// lint: -DFP_CPU=0 -DFP_ORDERED=1 -DFP_WARP=1
// lint: -DFP_CPU=0 -DFP_ORDERED=1 -DFP_START=1
// lint: -DFP_CPU=0 -DFP_ORDERED=1 -DFP_SWEEP=1
// lint: -DFP_CPU=0 -DFP_ORDERED=1 -DFP_SWEEP=2
// lint: -DFP_CPU=1
// A tile of a scan, in order.
//   FP_PART      GPU: elements of an item in a tile; odd, so that items meet different banks of local memory
// and the slots of block/lookback.cl, and of block/reduce.cl on a CPU.
#if !FP_CPU && !defined(FP_PART)
#error "block/scan.cl needs FP_PART on a GPU"
#endif
#if FP_CPU
#include "block/lookback.cl"
#include "block/reduce.cl"

// The value of all before the chunk `tile`; false if there is none. `total` is the chunk's own.
static inline bool fp_scan_before(const uint tile, const FP_T total, FP_T *before, FP_START_PARAM FP_RELAY_PARAMS,
                                  FP_PARAMS)
{
    bool any = tile > 0;
    if (any) *before = fp_await(tile - 1, FP_RELAY_ARGS);
#if FP_START
    if (!any) *before = start;
    any = true;
#endif
    fp_publish(tile, any ? fp_op(*before, total) : total, FP_RELAY_ARGS);
    return any;
}

#else
#include "block/lookback.cl"

#define FP_TILE (FP_WG * FP_PART)

// Scans each item's part of the tile's first `count` elements, and the totals of the parts, in scratch.
static inline void fp_scan_parts(const uint count, __local FP_T *tile, __local FP_T *scratch, FP_PARAMS)
{
    const uint begin = get_local_id(0) * FP_PART, end = min(begin + FP_PART, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (begin < end) {
        for (uint k = begin + 1; k < end; k++) tile[k] = fp_op(tile[k - 1], tile[k]);
        scratch[get_local_id(0)] = tile[end - 1];
    }
    fp_scan_group((count + FP_PART - 1) / FP_PART, scratch, FP_ARGS);
}

// Puts what is before it in front of each part: the parts before, and, if there is `any`, the value before the tile.
static inline void fp_scan_join(const uint count, const bool any, __local const FP_T *before, __local FP_T *tile,
                                __local const FP_T *scratch, FP_PARAMS)
{
    const uint l = get_local_id(0), begin = l * FP_PART, end = min(begin + FP_PART, count);
    if (begin < end && (any || l > 0)) {
        FP_T prefix = any ? *before : scratch[l - 1];
        if (any && l > 0) prefix = fp_op(prefix, scratch[l - 1]);
        for (uint k = begin; k < end; k++) tile[k] = fp_op(prefix, tile[k]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Tile by tile: fp_scan_tile(tile, count, ...) leaves the inclusive scan of the elements `first`, ..., first + count - 1 that
// are in `tile`, and what is before them in before[0]; false if there is nothing before, or, in the first of two launches,
// nothing more to do.
static inline bool fp_scan_tile(const ulong number, const ulong tiles, const uint count, __local FP_T *tile,
                                __local FP_T *scratch, __local FP_T *before, __local uint *is_last,
                                volatile __global uint *ticket, FP_START_PARAM FP_RELAY_PARAMS, FP_PARAMS)
{
    fp_scan_parts(count, tile, scratch, FP_ARGS);
    __local const FP_T *total = scratch + (count + FP_PART - 1) / FP_PART - 1;
#if FP_SWEEP == 1
    fp_publish_windows(number, tiles, total, before, is_last, ticket, FP_START_ARG FP_RELAY_ARGS, FP_ARGS);
    return false;
#else
    const bool any = fp_look_back(number, total, before, FP_START_ARG FP_RELAY_ARGS, FP_ARGS);
    fp_scan_join(count, any, before, tile, scratch, FP_ARGS);
    return any;
#endif
}
#endif
