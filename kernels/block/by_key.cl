// lint: FP_IN=fp_pair
// lint: FP_RUNNING=1 FP_IN=fp_pair
// Reduces or scans runs of equal keys, by a segmented scan. fp_load(i) is an FP_IN: the value v0, the key w0, and the
// head flag mark0, which is 1 where a run begins. From here on FP_T is the scan's state.
//   FP_RUNNING=0     1: out[i] = the inclusive scan of the run up to i
//                    0: one key and one value for each run, and the number of runs
//   FP_KEY=int       type of keys
//   FP_RESULT=float  type of the values that are stored, to which FP_T is converted
//   FP_INDEX=uint    type that counts runs
#if !defined(FP_RUNNING) || !defined(FP_KEY) || !defined(FP_RESULT)
#error "block/by_key.cl needs FP_RUNNING, FP_KEY and FP_RESULT"
#endif
#include "block/count.cl"

typedef FP_T fp_value;

// The state of the segmented scan: the number of runs that have begun, and the value of the last one.
typedef struct {
    fp_value value;
    FP_INDEX heads;
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

#if FP_RUNNING
#define FP_OUT_PARAMS __global FP_RESULT *restrict out
#define FP_OUT_ARGS out
#define FP_KEYS ((__global FP_KEY *)0) // not used
#define FP_STORE_RUNS(count) ((void)0)
#else
#define FP_OUT_PARAMS __global FP_RESULT *restrict out, __global FP_KEY *restrict keys, FP_COUNT_PARAMS(runs)
#define FP_OUT_ARGS out, keys, FP_COUNT_ARGS(runs)
#define FP_KEYS keys
#define FP_STORE_RUNS(count) FP_STORE_COUNT(runs, count)
#endif

// Stores the runs of the elements first, ..., last - 1, from left to right. `heads` and `before` are the state before
// these. With an fp_run as parameter PoCL's loop takes 1.4 times as long.
static inline void fp_runs_serial(const ulong first, const ulong last, const FP_INDEX heads, const fp_value before,
                                  FP_OUT_PARAMS, FP_PARAMS)
{
    FP_INDEX at = heads;
    fp_value value = before;
    for (ulong i = first; i < last; i++) {
        const FP_IN in = fp_keyed(i, FP_ARGS);
        if (!FP_RUNNING && in.mark0) {
            if (at > 0) out[at - 1] = value;
            FP_KEYS[at++] = in.w0;
        }
        value = in.mark0 ? in.v0 : fp_combine(value, in.v0, FP_ARGS);
        if (FP_RUNNING) out[i] = value;
    }
    if (!FP_RUNNING && last == fp_n) {
        out[at - 1] = value;
        FP_STORE_RUNS(at);
    }
}
