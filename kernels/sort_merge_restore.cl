// lint:
// lint: FP_UNZIP=1 FP_KEYED=1 FP_T=fp_pair
// If a comparator was no strict weak order, so that merging set the counter, this kernel stores the elements as they
// came: none is lost. On a CPU a work-item stores `chunk` elements. It has the slots of block/unzip.cl.
#include "block/unzip.cl"

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_sort_merge_restore(FP_PARAMS, const ulong chunk, volatile __global uint *counters, const ulong counter,
                      FP_OUT_PARAMS)
{
    if (counters[counter] == 0) return;
    const ulong n = fp_n;
    const ulong first = FP_CPU ? get_group_id(0) * chunk : get_global_id(0);
    const ulong last = FP_CPU ? min(first + chunk, n) : n, step = FP_CPU ? 1 : get_global_size(0);
    for (ulong i = first; i < last; i += step) fp_put(i, fp_load(i), FP_OUT_ARGS, FP_ARGS);
}
