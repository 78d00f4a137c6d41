// lint: FP_CPU=0 FP_ORDERED=1 FP_PACKED=0
// lint: FP_CPU=0 FP_ORDERED=1 FP_WARP=1
// lint: FP_CPU=0 FP_ORDERED=1 FP_START=1
// lint: FP_CPU=0 FP_ORDERED=1 FP_PASS=1
// lint: FP_CPU=0 FP_ORDERED=1 FP_PASS=2
// lint: FP_CPU=1
// A tile of a scan. It has the slots of block/lookback.cl, and on a CPU those of block/reduce.cl. An odd
// FP_ITEMS_PER_THREAD avoids bank conflicts.
#if FP_CPU
#include "block/lookback.cl"
#include "block/reduce.cl"

// Publishes the value of all elements up to the end of the chunk, whose own is `total`. *before becomes the prefix, the
// value of all elements before the chunk. False if there is none.
static inline bool fp_scan_before(const uint tile, const FP_T total, FP_T *before, FP_START_PARAM FP_TILE_STATE_PARAMS,
                                  FP_PARAMS)
{
    bool any = tile > 0;
    if (any) *before = fp_await(tile - 1, FP_TILE_STATE_ARGS);
#if FP_START
    if (!any) *before = start;
    any = true;
#endif
    fp_publish(tile, any ? fp_op(*before, total) : total, FP_TILE_STATE_ARGS);
    return any;
}

#else
#include "block/lookback.cl"
#include "block/rank.cl"

// Loads a tile. Neighbours load neighbouring elements, which go through the warp's local memory so that each item then
// has contiguous ones (a blocked arrangement). Returns the number of the item's elements.
static inline uint fp_load_blocked(const ulong first, const uint count, FP_T *v, __local FP_T *tile, FP_PARAMS)
{
    const uint begin = min((uint)get_local_id(0) * FP_ITEMS_PER_THREAD, count),
               mine = min((uint)FP_ITEMS_PER_THREAD, count - begin);
    if (count == FP_TILE) {
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) v[k] = fp_load(first + fp_place(k));
    } else {
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++)
            if (fp_place(k) < count) v[k] = fp_load(first + fp_place(k));
    }
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++)
        if (fp_place(k) < count) tile[fp_place(k)] = v[k];
    fp_warp_sync();
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++)
        if (k < mine) v[k] = tile[begin + k];
    return mine;
}
#endif
