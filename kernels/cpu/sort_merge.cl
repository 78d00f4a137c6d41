// lint:
// lint: FP_TWO=1
// lint: FP_UNZIP=2 FP_KEYED=1 FP_T=fp_pair
// Merges sorted runs. A work-item fills `chunk` places of the result, a divisor of the length of runs. A comparator
// that is no strict weak order can give splits that do not fit together. Then some elements may be lost, and the
// counter is set. It has the slots of block/runs.cl, block/merge.cl and block/unzip.cl.
#include "block/merge.cl"
#include "block/runs.cl"
#include "block/unzip.cl"

#define FP_AT(i) fp_load(start + (i))
FP_MERGE_PATH(fp_split, ulong, FP_AT, const ulong start)

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_sort_merge(FP_PARAMS, const ulong width, const ulong chunk, volatile __global uint *counters, const ulong counter,
              FP_OUT_PARAMS)
{
    const ulong n = fp_n, begin = get_global_id(0) * chunk;
    if (begin >= n) return;
    FP_RUNS(begin);
    const ulong d = begin - start, end = min(d + chunk, left + right);
    ulong i = fp_split(left, right, d, start, FP_ARGS), j = d - i;
    const ulong last_i = fp_split(left, right, end, start, FP_ARGS), last_j = end - last_i;
    if (last_i < i || last_j < j) {
        atomic_or(counters + counter, 1u);
        return;
    }
    ulong to = begin;
    while (i < last_i && j < last_j) {
        const FP_T a = FP_AT(i), b = FP_AT(left + j);
        const bool right_first = fp_before(b, a, FP_ARGS);
        fp_put(to++, right_first ? b : a, FP_OUT_ARGS, FP_ARGS);
        i += !right_first;
        j += right_first;
    }
    for (; i < last_i; i++) fp_put(to++, FP_AT(i), FP_OUT_ARGS, FP_ARGS);
    for (; j < last_j; j++) fp_put(to++, FP_AT(left + j), FP_OUT_ARGS, FP_ARGS);
}
