// lint: FP_CPU=0
// lint: FP_CPU=0 FP_FEW=0 FP_FLOATING=0 FP_T=int FP_LOCAL=8192 FP_COPIES=1
// lint: FP_CPU=0 FP_FEW=0 FP_FLOATING=0 FP_T=int FP_LOCAL=0 FP_COPIES=1 FP_HUGE=1
// lint: FP_CPU=1 FP_FEW=0
// lint: FP_CPU=1 FP_FLOATING=0 FP_T=int
// lint: FP_CPU=1 FP_FLOATING=0 FP_T=int FP_EXACT=1
// Counts the elements in each of `bins` bins. Count number `bins` is that of elements in no bin.
//   FP_FEW=1                1: few bins. Work-groups add to counters behind the ticket, which are zero between
//                           launches. The last one moves the sums to `out`, and adds them if an `earlier` launch has
//                           counted.
//                           0: many bins. counts[k] += the count of bin k
//   FP_FLOATING=1           1: elements are floating
//   FP_DISTANCE=uint        the unsigned type for differences of integers
//   FP_HUGE=0               integers: 1: a difference of elements times the number of bins can exceed 64 bits
//   FP_EXACT=0              CPU, integers: 1: doubles hold such products exactly
//   FP_LOCAL=9216           GPU: counters of a work-group in local memory; 0: all count in `counts`
//   FP_COPIES=32            GPU: counters of a bin in local memory, a power of two. More copies have fewer conflicts.
//   FP_ITEMS_PER_THREAD=16  GPU: elements that a work-item has in flight
// On a CPU a work-item counts `chunk` elements in its own part of `own`.
#if !defined(FP_FEW) || !defined(FP_FLOATING) || !defined(FP_HUGE) || !defined(FP_DISTANCE)
#error "histogram.cl needs FP_FEW, FP_FLOATING, FP_DISTANCE and FP_HUGE"
#endif
#if FP_CPU && !defined(FP_EXACT)
#error "histogram.cl needs FP_EXACT on a CPU"
#endif
#if !FP_CPU && (!defined(FP_LOCAL) || !defined(FP_COPIES) || !defined(FP_ITEMS_PER_THREAD))
#error "histogram.cl needs FP_LOCAL, FP_COPIES and FP_ITEMS_PER_THREAD on a GPU"
#endif

#if FP_CPU && FP_EXACT
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
// Is x less than the lower bound of bin k, low + k * (high - low) / bins?
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

// The largest error of a guess, in bins. A guess that is farther than this from both ends of its bin is right and needs
// no comparison with the bounds. The bounds are rounded too; that error is large if low and high are nearly equal.
static inline float fp_slack(const FP_T low, const FP_T high, const uint bins)
{
#if FP_FLOATING
    const float largest = max(fabs((float)low), fabs((float)high)), width = (float)(high - low);
    return 8 * FLT_EPSILON * bins * (1 + largest / width);
#else
    return 8 * FLT_EPSILON * bins;
#endif
}

// The bin of x: a guess, corrected by the bounds.
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
#endif

// ---- the counters of a work-group ----

#if FP_CPU
#define FP_SPACE __global
#else
#define FP_SPACE __local
#endif

// The sum of the copies of counter k. Copies lie side by side. The copy to begin with depends on k, so that
// neighbouring items access different banks.
static inline uint fp_count(const uint k, const FP_SPACE uint *mine)
{
#if FP_CPU || FP_COPIES == 1
    return mine[k];
#else
    uint sum = 0;
#pragma unroll
    for (uint c = 0; c < FP_COPIES; c++) sum += mine[k * FP_COPIES + (c + k * FP_COPIES / 32) % FP_COPIES];
    return sum;
#endif
}

static inline void fp_add_counts(const uint bins, const FP_SPACE uint *mine, volatile __global uint *counts)
{
    for (uint k = get_local_id(0); k <= bins; k += FP_WG) {
        const uint count = fp_count(k, mine);
        if (count) atomic_add(counts + k, count);
    }
}

#if FP_FEW
// Is this the last work-group to finish? Overwrites mine[0].
static inline bool fp_is_last(volatile __global uint *ticket, FP_SPACE uint *mine)
{
    fp_fence_device();
#if FP_CPU
    return atomic_inc(ticket) == get_num_groups(0) - 1;
#else
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) mine[0] = atomic_inc(ticket) == get_num_groups(0) - 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    return mine[0];
#endif
}

static inline void fp_put(const uint k, const uint count, const uint earlier, __global ulong *out)
{
    out[k] = earlier ? out[k] + count : count;
}

static inline void fp_end(const uint bins, FP_SPACE uint *mine, volatile __global uint *ticket, const ulong counts_from,
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
#define FP_END(mine) fp_end(bins, mine, ticket, counts_from, earlier, out)
#else
#define FP_END_PARAMS volatile __global uint *counts
#define FP_END(mine) fp_add_counts(bins, mine, counts)
#endif

// ---- counting ----

#if FP_CPU
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
#else
#define FP_TILE (FP_WG * FP_ITEMS_PER_THREAD)

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_histogram(FP_PARAMS, const FP_T low, const FP_T high, const uint bins, FP_END_PARAMS)
{
    const uint l = get_local_id(0);
    const ulong n = fp_n;
    const float slack = fp_slack(low, high, bins);
#if FP_LOCAL
    __local uint mine[FP_LOCAL];
    volatile __local uint *places = mine + l % FP_COPIES;
    for (uint k = l; k < (bins + 1) * FP_COPIES; k += FP_WG) mine[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    volatile __global uint *places = counts;
#endif
    for (ulong first = get_group_id(0) * (ulong)FP_TILE; first < n; first += get_num_groups(0) * (ulong)FP_TILE) {
        const uint left = (uint)min(n - first, (ulong)FP_TILE);
        FP_T v[FP_ITEMS_PER_THREAD];
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++)
            if (k * FP_WG + l < left) v[k] = fp_load(first + l + k * FP_WG);
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++)
            if (k * FP_WG + l < left) atomic_inc(places + fp_bin(v[k], low, high, bins, slack) * FP_COPIES);
    }
#if FP_LOCAL
    barrier(CLK_LOCAL_MEM_FENCE);
    FP_END(mine);
#endif
}
#endif
