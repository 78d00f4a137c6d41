// lint: FP_ORDERED=1 FP_IN=fp_pair
// lint: FP_ORDERED=1 FP_RUNNING=1 FP_IN=fp_pair
// lint: FP_ORDERED=1 FP_T=fp_pair FP_IN=fp_struct_pair FP_RESULT=fp_pair FP_PACKED=0
// lint: FP_ORDERED=1 FP_T=fp_pair FP_IN=fp_struct_pair FP_RESULT=fp_pair FP_PACKED=0 FP_RUNNING=1
// lint: FP_ORDERED=1 FP_PASS=1 FP_IN=fp_pair
// lint: FP_ORDERED=1 FP_WARP=1 FP_IN=fp_pair
// Reduces or scans runs of equal keys. It has the slots of block/by_key.cl, block/gpu/serial.cl and
// block/gpu/lookback.cl, FP_START being 0.
#include "block/by_key.cl"

// Of states: block/by_key.cl has made FP_T their type.
#include "block/gpu/lookback.cl"
#include "block/gpu/rank.cl"
#include "block/gpu/serial.cl"

// Loads a tile. Work-items read neighbouring elements and keep their keys. Values and head flags, 32 of these to a
// word, go through the warp's local memory, so that each item then has contiguous ones (a blocked arrangement). Returns
// the head flags of the item's elements, a bit for each.
static inline uint fp_load_runs(const ulong first, const uint count, FP_KEY *key, fp_value *v, __local fp_value *tile,
                                __local uint *begins, FP_PARAMS)
{
    const uint l = get_local_id(0), begin = l * FP_ITEMS_PER_THREAD;
    uint heads = 0;
    if (count == FP_TILE) {
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
            const FP_IN in = fp_keyed(first + fp_place(k), FP_ARGS);
            v[k] = in.v0;
            key[k] = in.w0;
            heads |= (uint)in.mark0 << k;
        }
    } else {
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
            if (fp_place(k) >= count) continue;
            const FP_IN in = fp_keyed(first + fp_place(k), FP_ARGS);
            v[k] = in.v0;
            key[k] = in.w0;
            heads |= (uint)in.mark0 << k;
        }
    }
    __local uint *words = begins + l / FP_WARP * FP_ITEMS_PER_THREAD;
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
        const uint votes = fp_ballot(heads >> k & 1);
        if (l % FP_WARP == k % FP_WARP) words[k] = votes;
        if (fp_place(k) < count) tile[fp_place(k)] = v[k];
    }
    fp_warp_sync();
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++)
        if (begin + k < count) v[k] = tile[begin + k];
    if (FP_WARP == 1) return heads;
    const uint bit = l % FP_WARP * FP_ITEMS_PER_THREAD, word = bit / 32, shift = bit % 32;
    const ulong both = words[word] | (ulong)words[min(word + 1, FP_ITEMS_PER_THREAD - 1u)] << 32;
    return (uint)(both >> shift) & (0xffffffff >> (32 - FP_ITEMS_PER_THREAD));
}

// The keys of the runs that begin among a warp's elements, `first` being the place of the first.
static inline void fp_store_keys(const FP_INDEX first, const FP_KEY *key, __local const uint *begins,
                                 __global FP_KEY *restrict keys)
{
    FP_INDEX at = first;
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
        const uint votes = begins[k];
        if (votes >> get_local_id(0) % FP_WARP & 1) keys[at + fp_votes_before(votes)] = key[k];
        at += popcount(votes);
    }
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_by_key(FP_PARAMS, FP_TILE_STATE_PARAMS, volatile __global uint *ticket, FP_OUT_PARAMS)
{
    __local fp_value tile[FP_TILE];
    __local uint begins[FP_WARPS * FP_ITEMS_PER_THREAD];
    __local fp_run scratch[FP_SCAN_SCRATCH], before[FP_WG];
    __local uint shared;
    const uint l = get_local_id(0);
    const ulong n = fp_n, number = fp_next_tile(ticket, &shared), first = number * FP_TILE;
    if (n == 0 && number == 0 && l == 0) FP_STORE_RUNS(0);
    if (first >= n) return;
    if (FP_PASS != 1 && fp_are_few(n)) {
        // The first element is a head: any value may stand before it.
        if (number == 0 && l == 0) fp_runs_serial(0, n, 0, fp_keyed(0, FP_ARGS).v0, FP_OUT_ARGS, FP_ARGS);
        return;
    }
    const uint count = (uint)min((ulong)FP_TILE, n - first),
               threads = (count + FP_ITEMS_PER_THREAD - 1) / FP_ITEMS_PER_THREAD;
    const uint begin = min(l * FP_ITEMS_PER_THREAD, count), mine = min((uint)FP_ITEMS_PER_THREAD, count - begin);
    FP_KEY key[FP_ITEMS_PER_THREAD];
    fp_value v[FP_ITEMS_PER_THREAD];
    const uint heads = fp_load_runs(first, count, key, v, tile, begins, FP_ARGS);
    if (mine > 0) {
        fp_run of_thread;
        of_thread.heads = popcount(heads);
        of_thread.value = v[0];
#pragma unroll
        for (uint k = 1; k < FP_ITEMS_PER_THREAD; k++)
            if (k < mine) of_thread.value = heads >> k & 1 ? v[k] : fp_combine(of_thread.value, v[k], FP_ARGS);
        scratch[l] = of_thread;
    }
    fp_scan_group(threads, scratch, FP_ARGS);
    __local const fp_run *total = scratch + threads - 1;
    if (FP_PASS == 1) {
        fp_publish_groups(number, FP_TILES(n), total, before, &shared, ticket, FP_TILE_STATE_ARGS, FP_ARGS);
        return;
    }
    fp_publish_total(number, total, FP_TILE_STATE_ARGS);
    const bool any = fp_look_back(number, total, before, FP_TILE_STATE_ARGS, FP_ARGS);
    // The state before the tile, then before the item's elements. A run ends where the next one begins, or with the
    // last element.
    fp_run run;
    run.heads = 0;
    if (any) run = before[0];
    const FP_INDEX base = run.heads;
    if (mine > 0 && l > 0) run = any ? fp_run_join(run, scratch[l - 1], FP_ARGS) : scratch[l - 1];
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
        if (k >= mine) continue;
        if (heads >> k & 1) {
            if (!FP_RUNNING && run.heads > 0) tile[run.heads - base] = run.value;
            run.heads++;
            run.value = v[k];
        } else {
            run.value = fp_combine(run.value, v[k], FP_ARGS);
        }
        if (FP_RUNNING) tile[begin + k] = run.value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (FP_RUNNING) {
        for (uint k = l; k < count; k += FP_WG) out[first + k] = tile[k];
        return;
    }
    for (uint k = l; k < total->heads; k += FP_WG)
        if (base + k > 0) out[base + k - 1] = tile[k];
    if (mine > 0 && first + begin + mine == n) {
        out[run.heads - 1] = run.value;
        FP_STORE_RUNS(run.heads);
    }
    const uint warp = l / FP_WARP, warps_before = warp > 0 && warp * FP_WARP <= threads;
    const FP_INDEX before_warp = warps_before ? scratch[warp * FP_WARP - 1].heads : 0;
    fp_store_keys(base + before_warp, key, begins + warp * FP_ITEMS_PER_THREAD, FP_KEYS);
}
