// lint: FP_FEW=0
// lint: FP_FLOATING=0 FP_T=int
// lint: FP_FLOATING=0 FP_T=int FP_EXACT=1
// Counts the elements in each of `bins` bins. Count number `bins` is that of elements in no bin. A work-item counts
// `chunk` elements in its own part of `own`.
//   FP_EXACT=0  integers: 1: doubles hold a difference of elements times the number of bins exactly
// and the slots of block/bin.cl and block/histogram.cl.
#ifndef FP_EXACT
#error "histogram.cl needs FP_EXACT on a CPU"
#endif

#if FP_EXACT
#define fp_slack(low, high, bins) 0
// The bin of x: a guess that is off by one at most. All sums and products are exact, and none of it is a branch.
static inline uint fp_bin(const FP_T x, const FP_T low, const FP_T high, const uint bins, const float unused)
{
    const double from_low = (FP_DISTANCE)x - (FP_DISTANCE)low, range = (FP_DISTANCE)high - (FP_DISTANCE)low;
    const int guess = (int)(from_low * (bins / range));
    const double over = from_low * bins - guess * range;
    return x >= low && x < high ? (uint)(guess + (over >= range) - (over < 0)) : bins;
}
#else
#include "block/bin.cl"
#endif

static inline uint fp_count(const uint k, const __global uint *mine)
{
    return mine[k];
}

static inline bool fp_is_last(volatile __global uint *ticket, __global uint *mine)
{
    fp_fence_device();
    return atomic_inc(ticket) == get_num_groups(0) - 1;
}

#define FP_SPACE __global
#include "block/histogram.cl"

// Vectors compute the bins of a batch of elements. Then they are counted one by one.
#define FP_BATCH 256

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void fp_histogram(FP_PARAMS, const FP_T low, const FP_T high,
                                                                          const uint bins, FP_END_PARAMS,
                                                                          const ulong chunk, __global uint *own)
{
    const ulong n = fp_n, first = get_group_id(0) * chunk, last = min(first + chunk, n);
    const float slack = fp_slack(low, high, bins);
    __global uint *mine = own + get_group_id(0) * (bins + 1ul);
    for (uint k = 0; k <= bins; k++) mine[k] = 0;
    uint k[FP_BATCH];
    for (ulong i = first; i < last; i += FP_BATCH) {
        const uint count = (uint)min(last - i, (ulong)FP_BATCH);
        for (uint j = 0; j < count; j++) k[j] = fp_bin(fp_load(i + j), low, high, bins, slack);
        for (uint j = 0; j < count; j++) mine[k[j]]++;
    }
    FP_END(mine);
}
