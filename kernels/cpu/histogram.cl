// lint: FP_COPIES=4
// lint: FP_COPIES=4 FP_FLOATING=0 FP_T=int
// lint: FP_FLOATING=0 FP_T=int FP_EXACT=1
// Counts the elements in each of `bins` bins. Count number `bins` is that of elements in no bin. A work-item counts
// `chunk` elements in its own row of `rows`. The last to finish adds the rows up, and adds the sums to `out` if an
// `earlier` launch has counted.
//   FP_EXACT=0   integers: 1: a difference of elements times the number of bins is at most 2^51
//   FP_COPIES=1  counters of a bin in a row, a power of two. The processor waits for the last sum of a counter before
//                it adds to it again.
// and the slots of block/bin.cl.
#if !defined(FP_EXACT) || !defined(FP_COPIES)
#error "histogram.cl needs FP_EXACT and FP_COPIES on a CPU"
#endif
#include "block/bin.cl"
#include "block/cpu/bin_row.cl"

// Vectors compute the bins of a batch of elements. Then they are counted one by one.
#define FP_BATCH 64

#define FP_BIN_PARAMS const FP_T low, const FP_T high, const uint bins, const float slack
#define FP_BIN_ARGS low, high, bins, slack

#if FP_EXACT
// The bin of x. (distance * bins + 0.5) / range is below `bins`, and at least 0.5 / range away from an integer. The sum
// is exact. The reciprocal and the product are rounded, which changes the quotient by less than bins * 2^-52. That is
// at most 0.5 / range. The distance of an x below `low` wraps around, to more than the range.
static inline uint fp_exact_bin(const FP_T x, FP_BIN_PARAMS)
{
    const FP_DISTANCE distance = (FP_DISTANCE)x - (FP_DISTANCE)low, range = (FP_DISTANCE)high - (FP_DISTANCE)low;
    const int k = (int)(((double)distance * bins + 0.5) * (1.0 / range));
    return distance < range ? (uint)k : bins;
}

static inline void fp_find_bins(const ulong first, const uint count, uint *k, FP_BIN_PARAMS, FP_PARAMS)
{
    for (uint j = 0; j < count; j++) k[j] = fp_exact_bin(fp_load(first + j), FP_BIN_ARGS);
}
#else
// Guesses the bins of numbers, and returns how many guesses may be wrong.
static inline uint fp_guess_bins(const FP_T *x, const uint count, uint *k, FP_BIN_PARAMS)
{
    const FP_GUESS scale = bins / (FP_GUESS)(high - low), least = slack, most = 1 - slack;
    uint doubts = 0;
    for (uint j = 0; j < count; j++) {
        const FP_GUESS guess = (x[j] - low) * scale;
        const int whole = (int)guess;
        const FP_GUESS inside = guess - whole;
        const bool any = x[j] >= low && x[j] < high;
        k[j] = any ? (uint)whole : bins;
        doubts += any && !(inside > least && inside < most);
    }
    return doubts;
}

// Corrects guesses that are off by one at most.
static inline void fp_correct_bins(const FP_T *x, const uint count, uint *k, FP_BIN_PARAMS)
{
    for (uint j = 0; j < count; j++) {
        const uint guess = min(k[j], bins - 1);
        const bool less = fp_below(x[j], guess, low, high, bins);
        const bool more = guess + 1 < bins && !fp_below(x[j], guess + 1, low, high, bins);
        k[j] = x[j] >= low && x[j] < high ? guess + more - less : bins;
    }
}

static inline void fp_find_bins(const ulong first, const uint count, uint *k, FP_BIN_PARAMS, FP_PARAMS)
{
    const bool close = FP_FLOATING && slack < 0.5f && bins <= INT_MAX;
    FP_T x[FP_BATCH];
    for (uint j = 0; j < count; j++) x[j] = fp_load(first + j);
    if (!close)
        for (uint j = 0; j < count; j++) k[j] = fp_bin(x[j], FP_BIN_ARGS);
    else if (fp_guess_bins(x, count, k, FP_BIN_ARGS))
        fp_correct_bins(x, count, k, FP_BIN_ARGS);
}
#endif

static inline void fp_count_batch(const ulong first, const uint count, __global uint *mine, FP_BIN_PARAMS, FP_PARAMS)
{
    uint k[FP_BATCH];
    for (uint j = 0; j < count; j += FP_LINE) fp_fetch_ahead(first + j);
    fp_find_bins(first, count, k, FP_BIN_ARGS, FP_ARGS);
    if (FP_COPIES > 1)
        for (uint j = 0; j < count; j++) k[j] = k[j] * FP_COPIES + j % FP_COPIES;
    for (uint j = 0; j < count; j++) mine[k[j]]++;
}

// Loops over a full batch have a constant length.
static inline void fp_count(const ulong first, const ulong last, __global uint *mine, FP_BIN_PARAMS, FP_PARAMS)
{
    ulong i = first;
    for (; i + FP_BATCH <= last; i += FP_BATCH) fp_count_batch(i, FP_BATCH, mine, FP_BIN_ARGS, FP_ARGS);
    if (i < last) fp_count_batch(i, (uint)(last - i), mine, FP_BIN_ARGS, FP_ARGS);
}

// Adds up the copies of each bin, from the front of the row on.
static inline void fp_join_copies(__global uint *mine, const uint bins)
{
    for (ulong k = 0; k <= bins; k++) {
        uint sum = 0;
#pragma unroll
        for (uint c = 0; c < FP_COPIES; c++) sum += mine[k * FP_COPIES + c];
        mine[k] = sum;
    }
}

// The sums of all rows, for a batch of bins at a time.
static inline void fp_add_rows(const __global uint *rows, const ulong row, const uint groups, const uint bins,
                               const uint earlier, __global ulong *out)
{
    for (ulong first = 0; first <= bins; first += FP_BATCH) {
        const uint count = (uint)min(bins + 1ul - first, (ulong)FP_BATCH);
        uint sums[FP_BATCH] = {0};
        for (uint r = 0; r < groups; r++)
            for (uint k = 0; k < count; k++) sums[k] += rows[r * row + first + k];
        for (uint k = 0; k < count; k++) out[first + k] = earlier ? out[first + k] + sums[k] : sums[k];
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_histogram(FP_PARAMS, const FP_T low, const FP_T high, const uint bins, volatile __global uint *ticket,
             const uint earlier, __global ulong *out, const ulong chunk, __global uint *rows)
{
    const uint groups = get_num_groups(0);
    const ulong n = fp_n, first = get_group_id(0) * chunk, last = min(first + chunk, n);
    const ulong row = fp_bin_row((bins + 1ul) * FP_COPIES);
    __global uint *mine = rows + get_group_id(0) * row;
    for (ulong k = 0; k < row; k++) mine[k] = 0;
    fp_count(first, last, mine, low, high, bins, fp_slack(low, high, bins), FP_ARGS);
    if (FP_COPIES > 1) fp_join_copies(mine, bins);
    fp_fence_device();
    if (atomic_inc(ticket) != groups - 1) return;
    fp_fence_device();
    fp_add_rows(rows, row, groups, bins, earlier, out);
    atomic_xchg(ticket, 0u);
}
