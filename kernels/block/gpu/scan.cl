// lint: FP_ORDERED=1 FP_PACKED=0
// lint: FP_ORDERED=1 FP_WARP=1
// A tile of a scan. It has the slots of block/gpu/lookback.cl. An odd FP_ITEMS_PER_THREAD avoids bank conflicts.
#include "block/gpu/lookback.cl"
#include "block/gpu/rank.cl"

// Elements of an item that are loaded at a time: Note [waiting] in block/gpu/lookback.cl.
#define FP_AT_ONCE (sizeof(FP_T) > 4 ? 8 : FP_ITEMS_PER_THREAD)

// Loads elements from, ..., from + FP_AT_ONCE - 1 of each item. All are there if the tile is `whole`.
static inline void fp_stage_some(const ulong first, const uint count, const uint from, const bool whole,
                                 __local FP_T *tile, FP_PARAMS)
{
    FP_T v[FP_AT_ONCE];
#pragma unroll
    for (uint k = 0; k < FP_AT_ONCE; k++)
        if (whole || (from + k < FP_ITEMS_PER_THREAD && fp_place(from + k) < count))
            v[k] = fp_load(first + fp_place(from + k));
#pragma unroll
    for (uint k = 0; k < FP_AT_ONCE; k++)
        if (whole || (from + k < FP_ITEMS_PER_THREAD && fp_place(from + k) < count)) tile[fp_place(from + k)] = v[k];
}

// Loads a tile to local memory. Neighbours load neighbouring elements. Each item then has contiguous ones (a blocked
// arrangement), which a warp's items see. Returns the number of the item's elements.
static inline uint fp_stage_tile(const ulong first, const uint count, __local FP_T *tile, FP_PARAMS)
{
    const uint begin = min((uint)get_local_id(0) * FP_ITEMS_PER_THREAD, count);
#pragma unroll 1
    for (uint from = 0; from < FP_ITEMS_PER_THREAD; from += FP_AT_ONCE) {
        if (count == FP_TILE && from + FP_AT_ONCE <= FP_ITEMS_PER_THREAD)
            fp_stage_some(first, count, from, true, tile, FP_ARGS);
        else
            fp_stage_some(first, count, from, false, tile, FP_ARGS);
    }
    fp_warp_sync();
    return min((uint)FP_ITEMS_PER_THREAD, count - begin);
}
