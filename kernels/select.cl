// lint: FP_CPU=0 FP_ORDERED=1
// lint: FP_CPU=0 FP_ORDERED=1 FP_SPLIT=1
// lint: FP_CPU=0 FP_ORDERED=1 FP_PASS=1
// lint: FP_CPU=1
// lint: FP_CPU=1 FP_SPLIT=1
// Stores the elements that fp_take(i, &v) keeps, in order, and their number. A scan of the flags gives their places
// (stream compaction).
//   FP_SPLIT=0    1: a stable partition: the other elements go to `rest`, with their number; fp_take gives them too
//   FP_INDEX32=1  1: elements are counted in 32 bits
// and the slots of block/lookback.cl, FP_START being 0.
#ifndef FP_SPLIT
#error "select.cl needs FP_SPLIT: 0, or 1 where the elements that are not kept are wanted too"
#endif
typedef FP_T fp_element;
#undef FP_T
#undef fp_op
#if FP_INDEX32
#define FP_T uint
#else
#define FP_T ulong
#endif
#define fp_op(a, b) ((a) + (b))

#include "block/count.cl"

#if FP_SPLIT
#define FP_SELECT_PARAMS                                                                                               \
    __global fp_element *restrict out, FP_COUNT_PARAMS(kept), __global fp_element *restrict rest, FP_COUNT_PARAMS(rest)
#define FP_STORE_KEPT(count, n) (FP_STORE_COUNT(kept, count), FP_STORE_COUNT(rest, (n) - (count)))
#else
#define FP_SELECT_PARAMS __global fp_element *restrict out, FP_COUNT_PARAMS(kept)
#define FP_STORE_KEPT(count, n) FP_STORE_COUNT(kept, count)
#endif

#if FP_CPU
#include "block/lookback.cl"

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_select(FP_PARAMS, FP_TILE_STATE_PARAMS, volatile __global uint *ticket, const ulong chunk, FP_SELECT_PARAMS)
{
    const uint tile = fp_next_tile(ticket);
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
#if FP_SPLIT
    for (ulong i = first; i < last; i++) {
        fp_element v;
        const bool keep = fp_take(i, &v);
        __global fp_element *to = keep ? out + at : rest + (i - at);
        *to = v;
        at += keep;
    }
#else
    // No branch: the next element overwrites one that is not kept. The loop ends with the last kept element, so it does
    // not write to the next chunk's places.
    const FP_T end = at + kept;
    for (ulong i = first; at < end; i++) {
        fp_element v;
        const bool keep = fp_take(i, &v);
        out[at] = v;
        at += keep;
    }
#endif
}

#else
#include "block/lookback.cl"
#include "block/rank.cl"

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
#if FP_PASS != 1
    __local fp_element stage[FP_TILE];
#endif
    const uint l = get_local_id(0), warp = l / FP_WARP;
    const ulong n = fp_n, number = fp_next_tile(ticket, &shared), first = number * FP_TILE;
    if (n == 0 && number == 0 && l == 0) FP_STORE_KEPT(0, 0);
    if (first >= n) return;
    fp_element v[FP_ITEMS_PER_THREAD];
    const uint kept = fp_take_thread(first, n, v, FP_ARGS);
    uint of_warp = 0;
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) of_warp += popcount(fp_ballot(kept >> k & 1));
    if (l % FP_WARP == 0) warps[warp] = of_warp;
#if FP_WARP > 1
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    fp_scan_group(FP_WARPS, warps, FP_ARGS);
    __local const FP_T *total = warps + FP_WARPS - 1;
#if FP_PASS == 1
    fp_publish_groups(number, FP_TILES(n), total, before, &shared, ticket, FP_TILE_STATE_ARGS, FP_ARGS);
#else
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
#if FP_SPLIT
    for (uint k = l; k < count - *total; k += FP_WG) rest[first - place + k] = stage[*total + k];
#endif
    if (first + count == n && l == 0) FP_STORE_KEPT(place + *total, n);
#endif
}
#endif
