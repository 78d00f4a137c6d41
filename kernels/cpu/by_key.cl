// lint: FP_ORDERED=1 FP_IN=fp_pair
// lint: FP_ORDERED=1 FP_RUNNING=1 FP_IN=fp_pair
// lint: FP_ORDERED=1 FP_T=fp_pair FP_IN=fp_struct_pair FP_RESULT=fp_pair FP_PACKED=0
// lint: FP_ORDERED=1 FP_T=fp_pair FP_IN=fp_struct_pair FP_RESULT=fp_pair FP_PACKED=0 FP_RUNNING=1
// Reduces or scans runs of equal keys. It has the slots of block/by_key.cl and block/cpu/scan.cl, FP_START being 0.
#include "block/by_key.cl"

// Of states: block/by_key.cl has made FP_T their type.
#include "block/cpu/scan.cl"

// The mean length from which runs are stored with a branch. A CPU rarely guesses it wrong then. Without a branch, cores
// with neighbouring chunks would store to the same few places again and again.
#define FP_LONG 64

// The state after the elements of a chunk alone. *begin is the place of the last head; that of the first element, if
// there is no head. All elements but the first have one before them. A compiler that knows it loads both as vectors.
static inline fp_run fp_run_chunk(const ulong first, const ulong last, ulong *begin, FP_PARAMS)
{
    fp_run run;
    run.heads = fp_keyed(first, FP_ARGS).mark0;
    for (ulong i = first + 1; i < last; i++) {
        FP_ASSUME(i > 0);
        run.heads += fp_keyed(i, FP_ARGS).mark0;
    }
    ulong from = first;
    if (run.heads > 0)
        for (from = last - 1; !fp_keyed(from, FP_ARGS).mark0; from--) {
        }
    *begin = from;
    run.value = fp_keyed(from, FP_ARGS).v0;
    for (ulong i = from + 1; i < last; i++) run.value = fp_combine(run.value, fp_keyed(i, FP_ARGS).v0, FP_ARGS);
    return run;
}

// Stores the value of an element's run so far, and its key where the key of the next run will be stored. So there is no
// branch, which a CPU would guess wrong where runs end. *at is the number of runs.
static inline void fp_store_element(const ulong i, ulong *at, fp_value *value, __global FP_RESULT *restrict out,
                                    __global FP_KEY *restrict keys, FP_PARAMS)
{
    const FP_IN in = fp_keyed(i, FP_ARGS);
    keys[*at] = in.w0;
    *at += in.mark0;
    *value = in.mark0 ? in.v0 : fp_combine(*value, in.v0, FP_ARGS);
    out[*at - 1] = *value;
}

// Stores the runs of a chunk but the last one, which other chunks may go on with.
static inline void fp_store_runs(const ulong first, const ulong begin, const FP_INDEX heads, const fp_value before,
                                 __global FP_RESULT *restrict out, __global FP_KEY *restrict keys, FP_PARAMS)
{
    ulong at = heads;
    fp_value value = before;
    if (at > 0) out[at - 1] = before;
    if (first < begin) fp_store_element(first, &at, &value, out, keys, FP_ARGS);
    for (ulong i = first + 1; i < begin; i++) {
        FP_ASSUME(i > 0);
        fp_store_element(i, &at, &value, out, keys, FP_ARGS);
    }
    keys[at] = fp_keyed(begin, FP_ARGS).w0;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_by_key(FP_PARAMS, FP_TILE_STATE_PARAMS, volatile __global uint *ticket, const ulong chunk, FP_OUT_PARAMS)
{
    const uint tile = fp_next_tile(ticket, (uint)get_num_groups(0));
    const ulong n = fp_n, first = tile * chunk, last = min(first + chunk, n);
    if (n == 0 && tile == 0) FP_STORE_RUNS(0);
    if (first >= n) return;
    fp_run run;
    run.heads = 0;
    ulong begin;
    const fp_run own = fp_run_chunk(first, last, &begin, FP_ARGS);
    fp_scan_before(tile, own, &run, FP_TILE_STATE_ARGS, FP_ARGS);
    if (FP_RUNNING || own.heads < (last - first) / FP_LONG) {
        fp_runs_serial(first, last, run.heads, run.value, FP_OUT_ARGS, FP_ARGS);
        return;
    }
    if (own.heads > 0) fp_store_runs(first, begin, run.heads, run.value, out, FP_KEYS, FP_ARGS);
    if (last < n) return;
    const FP_INDEX count = run.heads + own.heads;
    out[count - 1] = own.heads ? own.value : fp_combine(run.value, own.value, FP_ARGS);
    FP_STORE_RUNS(count);
}
