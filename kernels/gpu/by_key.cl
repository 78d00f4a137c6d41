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

// Elements of an item that are loaded at a time: Note [waiting] in block/gpu/lookback.cl.
#define FP_AT_ONCE 5

// Loads elements from, ..., from + FP_AT_ONCE - 1 of each item. All are there if the tile is `whole`. Returns their
// head flags, a bit for each.
static inline uint fp_load_some(const ulong first, const uint count, const uint from, const bool whole,
                                __local fp_value *tile, __local FP_KEY *keys, __local uint *words, FP_PARAMS)
{
    fp_value v[FP_AT_ONCE];
    FP_KEY key[FP_AT_ONCE];
    uint heads = 0;
#pragma unroll
    for (uint k = 0; k < FP_AT_ONCE; k++) {
        if (!whole && (from + k >= FP_ITEMS_PER_THREAD || fp_place(from + k) >= count)) continue;
        const FP_IN in = fp_keyed(first + fp_place(from + k), FP_ARGS);
        v[k] = in.v0;
        key[k] = in.w0;
        heads |= (uint)in.mark0 << k;
    }
#pragma unroll
    for (uint k = 0; k < FP_AT_ONCE; k++) {
        if (!whole && from + k >= FP_ITEMS_PER_THREAD) continue;
        const uint votes = fp_ballot(heads >> k & 1);
        if (get_local_id(0) % FP_WARP == 0) words[from + k] = votes;
        if (!whole && fp_place(from + k) >= count) continue;
        tile[fp_place(from + k)] = v[k];
        if (!FP_RUNNING) keys[fp_place(from + k)] = key[k];
    }
    return heads;
}

// Loads a tile to local memory: values, keys, and head flags, 32 of these to a word. Work-items read neighbouring
// elements. Each item then has contiguous values v (a blocked arrangement). Returns the head flags of these, a bit for
// each.
static inline uint fp_load_runs(const ulong first, const uint count, fp_value *v, __local fp_value *tile,
                                __local FP_KEY *keys, __local uint *begins, FP_PARAMS)
{
    const uint l = get_local_id(0), begin = l * FP_ITEMS_PER_THREAD;
    __local uint *words = begins + l / FP_WARP * FP_ITEMS_PER_THREAD;
    uint heads = 0;
#pragma unroll 1
    for (uint from = 0; from < FP_ITEMS_PER_THREAD; from += FP_AT_ONCE) {
        if (count == FP_TILE && from + FP_AT_ONCE <= FP_ITEMS_PER_THREAD)
            heads |= fp_load_some(first, count, from, true, tile, keys, words, FP_ARGS) << from;
        else
            heads |= fp_load_some(first, count, from, false, tile, keys, words, FP_ARGS) << from;
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

// The runs of a tile before those of other tiles are known. The state `run` is that before the item's elements, if
// there is `any`. Run k ends where head k is, and its value becomes tile[k]. So tile[0] is the value of the elements
// before the first head, if there are some. With FP_RUNNING each element gets the value of its run so far.
static inline void fp_combine_runs(fp_run run, bool any, const uint heads, const uint mine, const fp_value *v,
                                   __local fp_value *tile, FP_PARAMS)
{
    __local fp_value *own = tile + get_local_id(0) * FP_ITEMS_PER_THREAD;
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
        if (k >= mine) continue;
        if (heads >> k & 1) {
            if (!FP_RUNNING && any) tile[run.heads] = run.value;
            run.heads++;
            run.value = v[k];
        } else {
            run.value = any ? fp_combine(run.value, v[k], FP_ARGS) : v[k];
        }
        any = true;
        if (FP_RUNNING) own[k] = run.value;
    }
}

// Stores the keys of the runs that begin among a warp's elements. `first` is the number of runs before these.
static inline void fp_store_keys(const FP_INDEX first, __local const FP_KEY *key, __local const uint *begins,
                                 __global FP_KEY *restrict keys)
{
    FP_INDEX at = first;
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
        const uint votes = begins[k];
        if (votes >> get_local_id(0) % FP_WARP & 1) keys[at + fp_votes_before(votes)] = key[fp_place(k)];
        at += popcount(votes);
    }
}

// Stores the values of the runs that end in the tile, the first of which may have begun before it, in `before`. `open`
// elements come before the tile's first head.
static inline void fp_store_values(const FP_INDEX base, const fp_value before, const uint open, const uint heads,
                                   __local const fp_value *tile, __global FP_RESULT *restrict out, FP_PARAMS)
{
    const uint l = get_local_id(0);
    if (l == 0 && heads > 0 && base > 0) out[base - 1] = open > 0 ? fp_combine(before, tile[0], FP_ARGS) : before;
    for (uint k = l; k < heads; k += FP_WG)
        if (k > 0) out[base + k - 1] = tile[k];
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_by_key(FP_PARAMS, FP_TILE_STATE_PARAMS, volatile __global uint *ticket, FP_OUT_PARAMS)
{
    __local fp_value tile[FP_TILE];
    __local FP_KEY key[FP_RUNNING ? 1 : FP_TILE];
    __local uint begins[FP_WARPS * FP_ITEMS_PER_THREAD];
    __local fp_run scratch[FP_SCAN_SCRATCH], before[FP_WG];
    __local uint shared, open;
    const uint l = get_local_id(0);
    const ulong n = fp_n, number = fp_next_tile(ticket, (uint)get_num_groups(0), &shared), first = number * FP_TILE;
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
    fp_value v[FP_ITEMS_PER_THREAD];
    const uint heads = fp_load_runs(first, count, v, tile, key, begins, FP_ARGS);
    if (l == 0) open = count;
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
    fp_run run;
    run.heads = 0;
    const bool inside = mine > 0 && l > 0;
    if (inside) run = scratch[l - 1];
    if (heads && run.heads == 0) open = begin + 31 - clz(heads & -heads);
    fp_combine_runs(run, inside, heads, mine, v, tile, FP_ARGS);
    // Other tiles are waited for last, so that the rest is done in the meantime.
    const bool any = fp_look_back(number, total, before, FP_TILE_STATE_ARGS, FP_ARGS);
    const fp_value previous = before[0].value;
    if (FP_RUNNING) {
        for (uint k = l; k < count; k += FP_WG)
            out[first + k] = any && k < open ? fp_combine(previous, tile[k], FP_ARGS) : tile[k];
        return;
    }
    const FP_INDEX base = any ? before[0].heads : 0;
    fp_store_values(base, previous, open, total->heads, tile, out, FP_ARGS);
    if (l == 0 && first + count == n) {
        const FP_INDEX all = base + total->heads;
        out[all - 1] = total->heads > 0 ? total->value : fp_combine(previous, total->value, FP_ARGS);
        FP_STORE_RUNS(all);
    }
    const uint warp = l / FP_WARP, warps_before = warp > 0 && warp * FP_WARP <= threads;
    const FP_INDEX before_warp = warps_before ? scratch[warp * FP_WARP - 1].heads : 0;
    fp_store_keys(base + before_warp, key, begins + warp * FP_ITEMS_PER_THREAD, FP_KEYS);
}
