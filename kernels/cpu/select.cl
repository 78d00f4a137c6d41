// lint:
// lint: FP_SPLIT=1
// lint: FP_T=fp_pair
// Stream compaction. It has the slots of block/select.cl and block/cpu/lookback.cl.
#include "block/select.cl"

// Of flags: block/select.cl has made FP_T their type.
#include "block/cpu/lookback.cl"

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_select(FP_PARAMS, FP_TILE_STATE_PARAMS, volatile __global uint *ticket, const ulong chunk, FP_SELECT_PARAMS)
{
    const uint tile = fp_next_tile(ticket, (uint)get_num_groups(0));
    const ulong n = fp_n, first = tile * chunk, last = min(first + chunk, n);
    if (n == 0 && tile == 0) FP_STORE_KEPT(0, 0);
    if (first >= n) return;
    FP_T kept = 0;
    for (ulong i = first; i < last; i++) {
        fp_element v;
        kept += fp_take(i, &v);
    }
    FP_T at = tile ? fp_await(tile - 1, FP_TILE_STATE_ARGS) : 0;
    fp_publish(tile, at + kept, FP_TILE_STATE_ARGS);
    if (last == n) FP_STORE_KEPT(at + kept, n);
    // No branch. Without the others the next element overwrites one that is not kept. The loop ends with the last kept
    // element, so it does not write to the next chunk's places.
    const FP_T end = at + kept;
    for (ulong i = first; FP_SPLIT ? i < last : at < end; i++) {
        fp_element v;
        const bool keep = fp_take(i, &v);
        __global fp_element *to = !FP_SPLIT || keep ? out + at : FP_REST + (i - at);
        *to = v;
        at += keep;
    }
}
