// lint: FP_ORDERED=1
// lint: FP_ORDERED=1 FP_SPLIT=1
// lint: FP_ORDERED=1 FP_T=fp_pair
// lint: FP_ORDERED=1 FP_PASS=1
// lint: FP_ORDERED=1 FP_WARP=1
// Stream compaction. It has the slots of block/select.cl and block/gpu/lookback.cl, FP_START being 0.
#include "block/select.cl"

// Of flags: block/select.cl has made FP_T their type.
#include "block/gpu/lookback.cl"
#include "block/gpu/rank.cl"

// Takes the item's elements of the tile that begins at `first`. Returns a bit for each element that is kept.
static inline uint fp_take_thread(const ulong first, const ulong n, fp_element *v, FP_PARAMS)
{
    uint kept = 0;
    if (first + FP_TILE <= n) {
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) kept |= (uint)fp_take(first + fp_place(k), v + k) << k;
    } else {
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++)
            if (first + fp_place(k) < n) kept |= (uint)fp_take(first + fp_place(k), v + k) << k;
    }
    return kept;
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_select(FP_PARAMS, FP_TILE_STATE_PARAMS, volatile __global uint *ticket, FP_SELECT_PARAMS)
{
    __local FP_T warps[FP_SCAN_SCRATCH], before[FP_WG];
    __local uint shared;
    __local fp_element stage[FP_PASS == 1 ? 1 : FP_TILE];
    const uint l = get_local_id(0), warp = l / FP_WARP;
    const ulong n = fp_n, number = fp_next_tile(ticket, (uint)get_num_groups(0), &shared), first = number * FP_TILE;
    if (n == 0 && number == 0 && l == 0) FP_STORE_KEPT(0, 0);
    if (first >= n) return;
    fp_element v[FP_ITEMS_PER_THREAD];
    const uint kept = fp_take_thread(first, n, v, FP_ARGS);
    uint of_warp = 0;
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) of_warp += popcount(fp_ballot(kept >> k & 1));
    if (l % FP_WARP == 0) warps[warp] = of_warp;
    if (FP_WARP > 1) barrier(CLK_LOCAL_MEM_FENCE);
    fp_scan_group(FP_WARPS, warps, FP_ARGS);
    __local const FP_T *total = warps + FP_WARPS - 1;
    if (FP_PASS == 1) {
        fp_publish_groups(number, FP_TILES(n), total, before, &shared, ticket, FP_TILE_STATE_ARGS, FP_ARGS);
        return;
    }
    fp_publish_total(number, total, FP_TILE_STATE_ARGS);
    const uint count = (uint)min((ulong)FP_TILE, n - first);
    // Gathers the kept elements in local memory, so that neighbours are stored together. The others stand behind them.
    uint at = warp ? (uint)warps[warp - 1] : 0;
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
        const uint votes = fp_ballot(kept >> k & 1), mine = at + fp_votes_before(votes);
        if (kept >> k & 1) {
            stage[mine] = v[k];
        } else if (FP_SPLIT && fp_place(k) < count) {
            stage[*total + fp_place(k) - mine] = v[k];
        }
        at += popcount(votes);
    }
    const bool any = fp_look_back(number, total, before, FP_TILE_STATE_ARGS, FP_ARGS);
    const ulong place = any ? before[0] : 0;
    for (uint k = l; k < *total; k += FP_WG) out[place + k] = stage[k];
    for (uint k = l; FP_SPLIT && k < count - *total; k += FP_WG) FP_REST[first - place + k] = stage[*total + k];
    if (first + count == n && l == 0) FP_STORE_KEPT(place + *total, n);
}
