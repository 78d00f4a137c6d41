// The counts of a work-group, in the address space FP_SPACE, and where they go at the end. The file that includes this
// has fp_count(k, mine), the group's count of bin k, and fp_is_last(ticket, mine): is this the last group to finish?
//   FP_FEW=1  1: few bins. Work-groups add to counters behind the ticket, which are zero between launches. The last one
//             moves the sums to `out`, and adds them if an `earlier` launch has counted.
//             0: many bins. counts[k] += the count of bin k
#ifndef FP_FEW
#error "block/histogram.cl needs FP_FEW"
#endif

static inline void fp_add_counts(const uint bins, const FP_SPACE uint *mine, volatile __global uint *counts)
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
#define FP_COUNTS (ticket + counts_from)
#define FP_END(mine) fp_end(bins, mine, ticket, counts_from, earlier, out)
#else
#define FP_END_PARAMS volatile __global uint *counts
#define FP_COUNTS counts
#define FP_END(mine) fp_add_counts(bins, mine, counts)
#endif
