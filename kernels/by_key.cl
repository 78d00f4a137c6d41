// lint: FP_CPU=0 FP_ORDERED=1 FP_IN=fp_pair
// lint: FP_CPU=0 FP_ORDERED=1 FP_RUNNING=1 FP_IN=fp_pair
// lint: FP_CPU=0 FP_ORDERED=1 FP_PASS=1 FP_IN=fp_pair
// lint: FP_CPU=1 FP_ORDERED=1 FP_IN=fp_pair
// lint: FP_CPU=1 FP_ORDERED=1 FP_RUNNING=1 FP_IN=fp_pair
// Reduces or scans runs of equal keys, by a segmented scan. fp_load(i) is an FP_IN: the value v0, the key w0, and the
// head flag mark0, which is 1 where a run begins.
//   FP_RUNNING=0         1: out[i] = the inclusive scan of the run up to i
//                        0: one key and one value for each run, and the number of runs
//   FP_KEY=int           type of keys
//   FP_RESULT=float      type of the values that are stored, to which FP_T is converted
//   FP_SERIAL_MOST=1024  up to so many elements are combined from left to right; 0: any order will do
//   FP_INDEX32=1         1: runs are counted in 32 bits
// and the slots of block/scan.cl, FP_START being 0.
#if !defined(FP_RUNNING) || !defined(FP_KEY) || !defined(FP_RESULT)
#error "by_key.cl needs FP_RUNNING, FP_KEY and FP_RESULT"
#endif
typedef FP_T fp_value;
#if FP_INDEX32
typedef uint fp_heads;
#else
typedef ulong fp_heads;
#endif

// The state of the segmented scan: the number of runs that have begun, and the value of the last one.
typedef struct {
    fp_value value;
    fp_heads heads;
} fp_run;

static inline FP_IN fp_keyed(const ulong i, FP_PARAMS)
{
    return fp_load(i);
}

static inline fp_value fp_combine(const fp_value a, const fp_value b, FP_PARAMS)
{
    return fp_op(a, b);
}

static inline fp_run fp_run_of(const ulong i, FP_PARAMS)
{
    const FP_IN in = fp_load(i);
    fp_run run;
    run.value = in.v0;
    run.heads = in.mark0;
    return run;
}

// Release 580 of NVIDIA's compiler loses the sum of heads if the value is assigned under a condition.
static inline fp_run fp_run_join(const fp_run a, const fp_run b, FP_PARAMS)
{
    fp_run run;
    run.value = b.heads ? b.value : fp_op(a.value, b.value);
    run.heads = a.heads + b.heads;
    return run;
}
#undef FP_T
#undef fp_op
#undef fp_load
#define FP_T fp_run
#define fp_op(a, b) fp_run_join(a, b, FP_ARGS)
#define fp_load(i) fp_run_of(i, FP_ARGS)
#if FP_CPU
#include "block/scan.cl"
#else
#include "block/lookback.cl"
#include "block/rank.cl"
#endif

#if FP_RUNNING
#define FP_OUT_PARAMS __global FP_RESULT *restrict out
#define FP_OUT_ARGS out
#else
#include "block/count.cl"
#define FP_OUT_PARAMS __global FP_RESULT *restrict out, __global FP_KEY *restrict keys, FP_COUNT_PARAMS(runs)
#define FP_OUT_ARGS out, keys, FP_COUNT_ARGS(runs)
#endif

// Stores the runs of the elements first, ..., last - 1, from left to right. `heads` and `before` are the state before
// these. With an fp_run as parameter PoCL's loop takes 1.4 times as long.
static inline void fp_runs_serial(const ulong first, const ulong last, const fp_heads heads, const fp_value before,
                                  FP_OUT_PARAMS, FP_PARAMS)
{
#if !FP_RUNNING
    fp_heads at = heads;
#endif
    fp_value value = before;
    for (ulong i = first; i < last; i++) {
        const FP_IN in = fp_keyed(i, FP_ARGS);
#if !FP_RUNNING
        if (in.mark0) {
            if (at > 0) out[at - 1] = value;
            keys[at++] = in.w0;
        }
#endif
        value = in.mark0 ? in.v0 : fp_combine(value, in.v0, FP_ARGS);
#if FP_RUNNING
        out[i] = value;
#endif
    }
#if !FP_RUNNING
    if (last == fp_n) {
        out[at - 1] = value;
        FP_STORE_COUNT(runs, at);
    }
#endif
}

#if FP_CPU
// The state after the elements of a chunk alone. *begin is the place of the last head; that of the first element, if
// there is no head.
static inline fp_run fp_run_chunk(const ulong first, const ulong last, ulong *begin, FP_PARAMS)
{
    fp_run run;
    run.heads = 0;
    for (ulong i = first; i < last; i++) run.heads += fp_keyed(i, FP_ARGS).mark0;
    ulong from = first;
    if (run.heads > 0)
        for (from = last - 1; !fp_keyed(from, FP_ARGS).mark0; from--) {
        }
    *begin = from;
    run.value = fp_keyed(from, FP_ARGS).v0;
    for (ulong i = from + 1; i < last; i++) run.value = fp_combine(run.value, fp_keyed(i, FP_ARGS).v0, FP_ARGS);
    return run;
}

#if !FP_RUNNING
// Stores the runs of a chunk but the last one, which other chunks may go on with. Each element stores the value of its
// run so far, and its key where the key of the next run will be stored. So there is no branch, which a CPU would guess
// wrong where runs end.
static inline void fp_store_runs(const ulong first, const ulong begin, const fp_heads heads, const fp_value before,
                                 __global FP_RESULT *restrict out, __global FP_KEY *restrict keys, FP_PARAMS)
{
    fp_heads at = heads;
    fp_value value = before;
    if (at > 0) out[at - 1] = before;
    for (ulong i = first; i < begin; i++) {
        const FP_IN in = fp_keyed(i, FP_ARGS);
        keys[at] = in.w0;
        at += in.mark0;
        value = in.mark0 ? in.v0 : fp_combine(value, in.v0, FP_ARGS);
        out[at - 1] = value;
    }
    keys[at] = fp_keyed(begin, FP_ARGS).w0;
}
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_by_key(FP_PARAMS, FP_TILE_STATE_PARAMS, volatile __global uint *ticket, const ulong chunk, FP_OUT_PARAMS)
{
    const uint tile = fp_next_tile(ticket);
    const ulong n = fp_n, first = tile * chunk, last = min(first + chunk, n);
#if !FP_RUNNING
    if (n == 0 && tile == 0) FP_STORE_COUNT(runs, 0);
#endif
    if (first >= n) return;
    fp_run run;
    run.heads = 0;
    ulong begin;
    const fp_run own = fp_run_chunk(first, last, &begin, FP_ARGS);
    fp_scan_before(tile, own, &run, FP_TILE_STATE_ARGS, FP_ARGS);
#if FP_RUNNING
    fp_runs_serial(first, last, run.heads, run.value, FP_OUT_ARGS, FP_ARGS);
#else
    if (own.heads > 0) fp_store_runs(first, begin, run.heads, run.value, out, keys, FP_ARGS);
    if (last < n) return;
    const fp_heads count = run.heads + own.heads;
    out[count - 1] = own.heads ? own.value : fp_combine(run.value, own.value, FP_ARGS);
    FP_STORE_COUNT(runs, count);
#endif
}

#else
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
#if FP_WARP > 1
    const uint bit = l % FP_WARP * FP_ITEMS_PER_THREAD, word = bit / 32, shift = bit % 32;
    const ulong both = words[word] | (ulong)words[min(word + 1, FP_ITEMS_PER_THREAD - 1u)] << 32;
    heads = (uint)(both >> shift) & (0xffffffff >> (32 - FP_ITEMS_PER_THREAD));
#endif
    return heads;
}

#if !FP_RUNNING
// The keys of the runs that begin among a warp's elements, `first` being the place of the first.
static inline void fp_store_keys(const fp_heads first, const FP_KEY *key, __local const uint *begins,
                                 __global FP_KEY *restrict keys)
{
    fp_heads at = first;
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
        const uint votes = begins[k];
        if (votes >> get_local_id(0) % FP_WARP & 1) keys[at + fp_votes_before(votes)] = key[k];
        at += popcount(votes);
    }
}
#endif

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_by_key(FP_PARAMS, FP_TILE_STATE_PARAMS, volatile __global uint *ticket, FP_OUT_PARAMS)
{
    __local fp_value tile[FP_TILE];
    __local uint begins[FP_WARPS * FP_ITEMS_PER_THREAD];
    __local fp_run scratch[FP_SCAN_SCRATCH], before[FP_WG];
    __local uint shared;
    const uint l = get_local_id(0);
    const ulong n = fp_n, number = fp_next_tile(ticket, &shared), first = number * FP_TILE;
#if !FP_RUNNING
    if (n == 0 && number == 0 && l == 0) FP_STORE_COUNT(runs, 0);
#endif
    if (first >= n) return;
#if FP_SERIAL_MOST && FP_PASS != 1
    if (!FP_COUNTED || n <= FP_SERIAL_MOST) {
        // The first element is a head: any value may stand before it.
        if (number == 0 && l == 0) fp_runs_serial(0, n, 0, fp_keyed(0, FP_ARGS).v0, FP_OUT_ARGS, FP_ARGS);
        return;
    }
#endif
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
#if FP_PASS == 1
    fp_publish_groups(number, FP_TILES(n), total, before, &shared, ticket, FP_TILE_STATE_ARGS, FP_ARGS);
#else
    fp_publish_total(number, total, FP_TILE_STATE_ARGS);
    const bool any = fp_look_back(number, total, before, FP_TILE_STATE_ARGS, FP_ARGS);
    // The state before the tile, then before the item's elements. A run ends where the next one begins, or with the
    // last element.
    fp_run run;
    run.heads = 0;
    if (any) run = before[0];
#if !FP_RUNNING
    const fp_heads base = run.heads;
#endif
    if (mine > 0 && l > 0) run = any ? fp_run_join(run, scratch[l - 1], FP_ARGS) : scratch[l - 1];
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
        if (k >= mine) continue;
        if (heads >> k & 1) {
#if !FP_RUNNING
            if (run.heads > 0) tile[run.heads - base] = run.value;
#endif
            run.heads++;
            run.value = v[k];
        } else {
            run.value = fp_combine(run.value, v[k], FP_ARGS);
        }
#if FP_RUNNING
        tile[begin + k] = run.value;
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#if FP_RUNNING
    for (uint k = l; k < count; k += FP_WG) out[first + k] = tile[k];
#else
    for (uint k = l; k < total->heads; k += FP_WG)
        if (base + k > 0) out[base + k - 1] = tile[k];
    if (mine > 0 && first + begin + mine == n) {
        out[run.heads - 1] = run.value;
        FP_STORE_COUNT(runs, run.heads);
    }
    const uint warp = l / FP_WARP, warps_before = warp > 0 && warp * FP_WARP <= threads;
    const fp_heads before_warp = warps_before ? scratch[warp * FP_WARP - 1].heads : 0;
    fp_store_keys(base + before_warp, key, begins + warp * FP_ITEMS_PER_THREAD, keys);
#endif
#endif
}
#endif
