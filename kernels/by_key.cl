// lint: -DFP_CPU=0 -DFP_ORDERED=1 -DFP_PAIRS
// lint: -DFP_CPU=0 -DFP_ORDERED=1 -DFP_RUNNING=1 -DFP_PAIRS
// lint: -DFP_CPU=0 -DFP_ORDERED=1 -DFP_SWEEP=1 -DFP_PAIRS
// lint: -DFP_CPU=1 -DFP_ORDERED=1 -DFP_PAIRS
// lint: -DFP_CPU=1 -DFP_ORDERED=1 -DFP_RUNNING=1 -DFP_PAIRS
// Runs of equal keys, by a segmented scan. fp_load(i) gives an FP_IN: the value v0, the key w0, and mark0, 1 where a run begins.
//   FP_RUNNING   1: out[i] = the values of the run up to i; 0: one key and one value for each run, and how many there are
//   FP_KEY       the type of keys
// and the slots of block/scan.cl, FP_START being 0.
#if !defined(FP_RUNNING) || !defined(FP_KEY)
#error "by_key.cl needs FP_RUNNING and FP_KEY"
#endif
typedef FP_T fp_value;
#if FP_SMALL
typedef uint fp_heads;
#else
typedef ulong fp_heads;
#endif

// What is known after some elements: how many runs have begun, and the value of the last one.
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

static inline fp_run fp_run_join(const fp_run a, const fp_run b, FP_PARAMS)
{
    fp_run run;
    run.heads = a.heads + b.heads;
    run.value = b.value;
    if (b.heads == 0) run.value = fp_op(a.value, b.value);
    return run;
}
#undef FP_T
#undef fp_op
#undef fp_load
#define FP_T fp_run
#define fp_op(a, b) fp_run_join(a, b, FP_ARGS)
#define fp_load(i) fp_run_of(i, FP_ARGS)
#include "block/scan.cl"

#if FP_RUNNING
#define FP_OUT_PARAMS __global fp_value *restrict out
#else
#define FP_OUT_PARAMS                                                                                                  \
    __global fp_value *restrict out, __global FP_KEY *restrict keys, volatile __global ulong *cells, const ulong cell
#endif

#if FP_CPU
// The runs of a chunk: how many begin in it, and the value of what follows the last beginning.
static inline fp_run fp_run_chunk(const ulong first, const ulong last, FP_PARAMS)
{
    fp_run run;
    run.heads = 0;
    for (ulong i = first; i < last; i++) run.heads += fp_keyed(i, FP_ARGS).mark0;
    ulong from = first;
    if (run.heads > 0)
        for (from = last - 1; !fp_keyed(from, FP_ARGS).mark0; from--) {
        }
    run.value = fp_keyed(from, FP_ARGS).v0;
    for (ulong i = from + 1; i < last; i++) run.value = fp_combine(run.value, fp_keyed(i, FP_ARGS).v0, FP_ARGS);
    return run;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_by_key(FP_PARAMS, FP_RELAY_PARAMS, volatile __global uint *ticket, const ulong share, FP_OUT_PARAMS)
{
    const uint tile = fp_next_tile(ticket);
    const ulong n = fp_n, first = tile * share, last = min(first + share, n);
#if !FP_RUNNING
    if (n == 0 && tile == 0) cells[cell] = 0;
#endif
    if (first >= n) return;
    fp_run run;
    run.heads = 0;
    fp_scan_before(tile, fp_run_chunk(first, last, FP_ARGS), &run, FP_RELAY_ARGS, FP_ARGS);
#if !FP_RUNNING
    fp_heads at = run.heads;
#endif
    fp_value value = run.value;
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
    if (last == n) {
        out[at - 1] = value;
        cells[cell] = at;
    }
#endif
}

#else
// Element i, the runs `up_to` it and `before` it: a run that begins here ends the one before, and the last element ends its own.
#if FP_RUNNING
#define fp_emit(i, n, before, up_to) (out[i] = (up_to).value)
#else
#define fp_emit(i, n, before, up_to)                                                                                   \
    do {                                                                                                               \
        const fp_run now = (up_to);                                                                                    \
        if (now.heads != (before).heads) {                                                                             \
            keys[now.heads - 1] = fp_keyed(i, FP_ARGS).w0;                                                             \
            if (now.heads > 1) out[now.heads - 2] = (before).value;                                                    \
        }                                                                                                              \
        if ((i) + 1 == (n)) {                                                                                          \
            out[now.heads - 1] = now.value;                                                                            \
            cells[cell] = now.heads;                                                                                   \
        }                                                                                                              \
    } while (0)
#endif

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_by_key(FP_PARAMS, FP_RELAY_PARAMS, volatile __global uint *ticket, FP_OUT_PARAMS)
{
    __local fp_run tile[FP_TILE], scratch[FP_SCAN_SCRATCH], before[FP_WG];
    __local uint shared;
    const uint l = get_local_id(0);
    const ulong n = fp_n, number = fp_next_tile(ticket, &shared), first = number * FP_TILE;
#if !FP_RUNNING
    if (n == 0 && number == 0 && l == 0) cells[cell] = 0;
#endif
    if (first >= n) return;
    const uint count = (uint)min((ulong)FP_TILE, n - first);
    for (uint k = l; k < count; k += FP_WG) tile[k] = fp_load(first + k);
    if (!fp_scan_tile(number, (n + FP_TILE - 1) / FP_TILE, count, tile, scratch, before, &shared, ticket, FP_RELAY_ARGS,
                      FP_ARGS) &&
        l == 0)
        before[0].heads = 0;
#if FP_SWEEP != 1
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = l; k < count; k += FP_WG) fp_emit(first + k, n, k > 0 ? tile[k - 1] : before[0], tile[k]);
#endif
}
#endif
