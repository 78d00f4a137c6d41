// lint: FP_ORDERED=1 FP_PACKED=0
// lint: FP_ORDERED=1 FP_WARP=1
// A tile of a scan. It has the slots of block/gpu/lookback.cl. An odd FP_ITEMS_PER_THREAD avoids bank conflicts.
#include "block/gpu/lookback.cl"
#include "block/gpu/rank.cl"

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
