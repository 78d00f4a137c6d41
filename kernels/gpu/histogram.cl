// lint:
// lint: FP_FEW=0 FP_FLOATING=0 FP_T=int FP_LOCAL=8192 FP_COPIES=1
// lint: FP_FEW=0 FP_FLOATING=0 FP_T=int FP_LOCAL=0 FP_COPIES=1 FP_HUGE=1
// Counts the elements in each of `bins` bins. Count number `bins` is that of elements in no bin.
//   FP_FEW=1                1: few bins. Groups add to counters behind the ticket, which are zero between launches. The
//                           last one moves the sums to `out`, and adds them if an `earlier` launch has counted.
//                           0: many bins. counts[k] += the count of bin k
//   FP_LOCAL=9216           counters of a work-group in local memory; 0: all count in FP_COUNTS
//   FP_COPIES=32            counters of a bin in local memory, a power of two. More copies have fewer conflicts.
//   FP_ITEMS_PER_THREAD=16  elements that a work-item has in flight
// and the slots of block/bin.cl.
#if !defined(FP_FEW) || !defined(FP_LOCAL) || !defined(FP_COPIES) || !defined(FP_ITEMS_PER_THREAD)
#error "histogram.cl needs FP_FEW, FP_LOCAL, FP_COPIES and FP_ITEMS_PER_THREAD on a GPU"
#endif
#include "block/bin.cl"

// The sum of the copies of counter k. Copies lie side by side. The copy to begin with depends on k, so that
// neighbouring items access different banks.
static inline uint fp_count(const uint k, const __local uint *mine)
{
    uint sum = 0;
#pragma unroll
    for (uint c = 0; c < FP_COPIES; c++) sum += mine[k * FP_COPIES + (c + k * FP_COPIES / 32) % FP_COPIES];
    return sum;
}

// Is this the last work-group to finish? Overwrites mine[0].
static inline bool fp_is_last(volatile __global uint *ticket, __local uint *mine)
{
    fp_fence_device();
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) mine[0] = atomic_inc(ticket) == get_num_groups(0) - 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    return mine[0];
}

static inline void fp_add_counts(const uint bins, const __local uint *mine, volatile __global uint *counts)
{
    for (uint k = get_local_id(0); k <= bins; k += FP_WG) {
        const uint count = fp_count(k, mine);
        if (count) atomic_add(counts + k, count);
    }
}

#if FP_FEW
static inline void fp_put(const uint k, const uint count, const uint earlier, __global ulong *out)
{
    out[k] = earlier ? out[k] + count : count;
}

static inline void fp_end(const uint bins, __local uint *mine, volatile __global uint *ticket, const ulong counts_from,
                          const uint earlier, __global ulong *out)
{
    const uint l = get_local_id(0);
    volatile __global uint *counts = ticket + counts_from;
    if (get_num_groups(0) == 1) {
        for (uint k = l; k <= bins; k += FP_WG) fp_put(k, fp_count(k, mine), earlier, out);
        return;
    }
    fp_add_counts(bins, mine, counts);
    if (!fp_is_last(ticket, mine)) return;
    for (uint k = l; k <= bins; k += FP_WG) fp_put(k, atomic_xchg(counts + k, 0u), earlier, out);
    if (l == 0) atomic_xchg(ticket, 0u);
}
#define FP_END_PARAMS volatile __global uint *ticket, const ulong counts_from, const uint earlier, __global ulong *out
#define FP_COUNTS (ticket + counts_from)
#define FP_END(mine) fp_end(bins, mine, ticket, counts_from, earlier, out)
#else
#define FP_END_PARAMS volatile __global uint *counts
#define FP_COUNTS counts
#define FP_END(mine) fp_add_counts(bins, mine, counts)
#endif

#define FP_TILE (FP_WG * FP_ITEMS_PER_THREAD)

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_histogram(FP_PARAMS, const FP_T low, const FP_T high, const uint bins, FP_END_PARAMS)
{
    __local uint mine[FP_LOCAL ? FP_LOCAL : 1];
    const uint l = get_local_id(0);
    const ulong n = fp_n;
    const float slack = fp_slack(low, high, bins);
    if (FP_LOCAL) {
        for (uint k = l; k < (bins + 1) * FP_COPIES; k += FP_WG) mine[k] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (ulong first = get_group_id(0) * (ulong)FP_TILE; first < n; first += get_num_groups(0) * (ulong)FP_TILE) {
        const uint left = (uint)min(n - first, (ulong)FP_TILE);
        FP_T v[FP_ITEMS_PER_THREAD];
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++)
            if (k * FP_WG + l < left) v[k] = fp_load(first + l + k * FP_WG);
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
            if (k * FP_WG + l >= left) continue;
            const uint bin = fp_bin(v[k], low, high, bins, slack);
            if (FP_LOCAL)
                atomic_inc(mine + l % FP_COPIES + bin * FP_COPIES);
            else
                atomic_inc(FP_COUNTS + bin);
        }
    }
    if (FP_LOCAL) {
        barrier(CLK_LOCAL_MEM_FENCE);
        FP_END(mine);
    }
}
