// lint: -DFP_CPU=0 -DFP_FLOATING=1 -DFP_LOCAL_BINS=100
// lint: -DFP_CPU=0 -DFP_FLOATING=0 -DFP_LOCAL_BINS=0
// lint: -DFP_CPU=0 -DFP_FLOATING=0 -DFP_LOCAL_BINS=0 -DFP_HUGE=1
// lint: -DFP_CPU=1 -DFP_FLOATING=1
// counts[k] += how many elements fall into bin k of `bins`, counts[bins] += how many into none.
//   FP_FLOATING    1: elements are floating
//   FP_DISTANCE    the unsigned type in which differences of integers are taken
//   FP_HUGE        integers, 1: the product of a difference of elements and the number of bins exceeds 64 bits
//   FP_LOCAL_BINS  GPU: bins and one more, where a group counts in local memory; 0: all count in `counts`
// On a CPU a work-item counts its `share` of elements in its own part of `own`.
#if !defined(FP_FLOATING) || !defined(FP_HUGE) || !defined(FP_DISTANCE) || (!FP_CPU && !defined(FP_LOCAL_BINS))
#error "histogram.cl needs FP_FLOATING, FP_DISTANCE, FP_HUGE and, on a GPU, FP_LOCAL_BINS"
#endif

// Does x lie below the lower bound of bin k, which is low + k * (high - low) / bins?
#if FP_FLOATING
static inline bool fp_below(const FP_T x, const uint k, const FP_T low, const FP_T high, const uint bins)
{
    return x < low + (FP_T)k * (high - low) / (FP_T)bins;
}
#else
static inline bool fp_below(const FP_T x, const uint k, const FP_T low, const FP_T high, const uint bins)
{
    const ulong from_low = (ulong)x - (ulong)low, range = (ulong)high - (ulong)low;
#if FP_HUGE
    const ulong left = mul_hi(from_low, (ulong)bins), right = mul_hi(range, (ulong)k);
    if (left != right) return left < right;
#endif
    return from_low * bins < range * k;
}
#endif

// How far a guess may be from the bin times its fraction: farther from both ends of a bin it needs no look at the bounds. The
// bounds' own rounding counts, which is large where low and high are nearly the same.
static inline float fp_slack(const FP_T low, const FP_T high, const uint bins)
{
#if FP_FLOATING
    const float largest = max(fabs((float)low), fabs((float)high)), width = (float)(high - low);
    return 8 * FLT_EPSILON * bins * (1 + largest / width);
#else
    return 8 * FLT_EPSILON * bins;
#endif
}

// A guess, put right by the bounds.
static inline uint fp_bin(const FP_T x, const FP_T low, const FP_T high, const uint bins, const float slack)
{
    if (!(x >= low && x < high)) return bins;
#if FP_FLOATING
    const FP_T guess = (x - low) * ((FP_T)bins / (high - low));
#else
    const float guess =
        (float)((FP_DISTANCE)x - (FP_DISTANCE)low) * ((float)bins / (float)((FP_DISTANCE)high - (FP_DISTANCE)low));
#endif
    uint k = guess < bins - 1 ? (uint)guess : bins - 1;
    const float inside = (float)(guess - k);
    if (inside > slack && inside < 1 - slack) return k;
    while (k > 0 && fp_below(x, k, low, high, bins)) k--;
    while (k + 1 < bins && !fp_below(x, k + 1, low, high, bins)) k++;
    return k;
}

#if FP_CPU
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_histogram(FP_PARAMS, const FP_T low, const FP_T high, const uint bins, volatile __global uint *counts,
             const ulong share, __global uint *own)
{
    const ulong n = fp_n, first = get_group_id(0) * share, last = min(first + share, n);
    const float slack = fp_slack(low, high, bins);
    __global uint *mine = own + get_group_id(0) * (bins + 1ul);
    for (uint k = 0; k <= bins; k++) mine[k] = 0;
    for (ulong i = first; i < last; i++) mine[fp_bin(fp_load(i), low, high, bins, slack)]++;
    for (uint k = 0; k <= bins; k++)
        if (mine[k]) atomic_add(counts + k, mine[k]);
}
#else
__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_histogram(FP_PARAMS, const FP_T low, const FP_T high, const uint bins, volatile __global uint *counts)
{
    const ulong n = fp_n;
    const float slack = fp_slack(low, high, bins);
#if FP_LOCAL_BINS
    __local uint mine[FP_LOCAL_BINS];
    for (uint k = get_local_id(0); k <= bins; k += FP_WG) mine[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(mine + fp_bin(fp_load(i), low, high, bins, slack));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = get_local_id(0); k <= bins; k += FP_WG)
        if (mine[k]) atomic_add(counts + k, mine[k]);
#else
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(counts + fp_bin(fp_load(i), low, high, bins, slack));
#endif
}
#endif
