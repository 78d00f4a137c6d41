// lint: FP_IN=fp_pair FP_T=int FP_ATOMIC=1
// lint: FP_IN=fp_pair FP_T=int FP_ATOMIC=2 FP_PLACES=0
// lint: FP_IN=fp_pair FP_ATOMIC=5 FP_PLACES=0
// lint: FP_T=fp_pair FP_IN=fp_struct_pair FP_ATOMIC=5 FP_PLACES=0
// Combines the values v0 of pairs in the bins of their keys w0, as gpu/bins.cl does, but all groups combine in one row,
// `rows`, which has the operator's identity before.
//   FP_ATOMIC=1            1 to 4: by atomic_add, _and, _or or _xor
//                          5: no key comes twice
//   FP_PLACES=4096         bins in local memory; 0: none
//   FP_ITEMS_PER_THREAD=8  pairs that a work-item has in flight
#if !FP_ATOMIC || !defined(FP_PLACES) || !FP_ITEMS_PER_THREAD
#error "bins_atomic.cl needs FP_ATOMIC, FP_PLACES and FP_ITEMS_PER_THREAD"
#endif
#include "block/place.cl"

#if FP_ATOMIC == 5
#define fp_combine_in(place, value) (*(place) = fp_op(*(place), value))
#define fp_is_set(value) true
#else
#define fp_combine_in(place, value)                                                                                    \
    (FP_ATOMIC == 1   ? atomic_add(place, value)                                                                       \
     : FP_ATOMIC == 2 ? atomic_and(place, value)                                                                       \
     : FP_ATOMIC == 3 ? atomic_or(place, value)                                                                        \
                      : atomic_xor(place, value))
#define fp_is_set(value) ((value) != identity)
#endif

#define FP_TILE (FP_WG * FP_ITEMS_PER_THREAD)

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_bins_atomic(FP_PARAMS, const ulong bins, const ulong multiple, const ulong most, volatile __global uint *counters,
               const ulong counter, const FP_T identity, volatile __global FP_T *rows)
{
    __local FP_T mine[FP_PLACES ? FP_PLACES : 1];
    const ulong n = fp_n;
    const uint l = get_local_id(0);
    if (FP_PLACES) {
        for (uint k = l; k < bins; k += FP_WG) mine[k] = identity;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (ulong first = get_group_id(0) * (ulong)FP_TILE; first < n; first += get_num_groups(0) * (ulong)FP_TILE) {
        const uint left = (uint)min(n - first, (ulong)FP_TILE);
        FP_IN v[FP_ITEMS_PER_THREAD];
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++)
            if (k * FP_WG + l < left) v[k] = fp_load(first + l + k * FP_WG);
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
            if (k * FP_WG + l >= left) continue;
            if (v[k].w0 >= bins)
                fp_report_place(first + l + k * FP_WG, counters, counter);
            else if (FP_PLACES)
                fp_combine_in(mine + v[k].w0, v[k].v0);
            else
                fp_combine_in(rows + v[k].w0, v[k].v0);
        }
    }
    if (FP_PLACES) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = l; k < bins; k += FP_WG)
            if (fp_is_set(mine[k])) fp_combine_in(rows + k, mine[k]);
    }
}
