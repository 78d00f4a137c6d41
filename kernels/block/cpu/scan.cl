// lint:
// lint: FP_START=1
// A chunk of a scan. It has the slots of block/start.cl, block/cpu/lookback.cl and block/cpu/reduce.cl.
#include "block/cpu/lookback.cl"
#include "block/cpu/reduce.cl"
#include "block/start.cl"

// Publishes the value of all elements up to the end of the chunk, whose own is `total`. *before becomes the prefix, the
// value of all elements before the chunk. False if there is none.
static inline bool fp_scan_before(const uint tile, const FP_T total, FP_T *before, FP_START_PARAM FP_TILE_STATE_PARAMS,
                                  FP_PARAMS)
{
    const bool any = FP_START || tile > 0;
    if (tile > 0)
        *before = fp_await(tile - 1, FP_TILE_STATE_ARGS);
    else if (FP_START)
        *before = FP_START_OR(total);
    fp_publish(tile, any ? fp_op(*before, total) : total, FP_TILE_STATE_ARGS);
    return any;
}
