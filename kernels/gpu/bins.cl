// lint: FP_IN=fp_pair
// lint: FP_IN=fp_pair FP_MARKED=1 FP_ORDERED=1
// lint: FP_T=fp_pair FP_IN=fp_struct_pair
// lint: FP_T=fp_pair FP_IN=fp_struct_pair FP_MARKED=1
// Combines the values v0 of pairs in the bins of their keys w0. If a key is not below `bins`, the counter gets its
// position; the lowest position wins. A work-group combines a chunk of the pairs. Row r of `rows` gets the bins of
// group r. Each work-item has bins of its own.
//   FP_ORDERED=0           1: the operator does not commute
//   FP_SERIAL_MOST=1024    the most pairs that one work-item combines from left to right
//   FP_PLACES=4096         bins in local memory, those of all work-items
//   FP_ITEMS_PER_THREAD=8  pairs that a work-item has in flight
// and the slots of block/marks.cl.
#if !defined(FP_ORDERED) || !FP_PLACES || !defined(FP_SERIAL_MOST)
#error "bins.cl needs FP_ORDERED, FP_SERIAL_MOST, FP_PLACES and FP_ITEMS_PER_THREAD"
#endif
#define FP_SPACE __local
#include "block/bins.cl"

// Pair i. Bin k is place k * FP_WG + l of work-item l, so items that run together access different banks.
static inline void fp_add_pair(const ulong i, const FP_IN pair, const ulong bins, volatile __global uint *counters,
                               const ulong counter, FP_MINE_PARAMS, FP_PARAMS)
{
    if (pair.w0 < bins)
        fp_add(pair.w0 * FP_WG + get_local_id(0), pair.v0, mine, marks, FP_ARGS);
    else
        fp_report_place(i, counters, counter);
}

// Combines the bins of two neighbouring spans of work-items, then of spans twice as long, and so on.
static inline void fp_join_items(const uint bins, FP_MINE_PARAMS, FP_PARAMS)
{
    for (uint span = 1; span < FP_WG; span *= 2) {
        const uint columns = FP_WG / (2 * span);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint p = get_local_id(0); p < bins * columns; p += FP_WG) {
            const uint left = p / columns * FP_WG + p % columns * 2 * span, right = left + span;
            if (!FP_MARKED || marks[right]) fp_add(left, mine[right], mine, marks, FP_ARGS);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_bins(FP_PARAMS, const ulong bins, const ulong multiple, const ulong most, volatile __global uint *counters,
        const ulong counter, FP_ROWS_PARAMS)
{
    __local FP_T mine[FP_PLACES];
    __local uchar marks[FP_MARKED ? FP_PLACES : 1];
    const uint l = get_local_id(0);
    const ulong n = fp_n, chunk = fp_chunk_of(n, multiple, most), row = get_group_id(0) * bins;
    const ulong begin = min(n, get_group_id(0) * chunk), end = min(begin + chunk, n);
    for (uint k = 0; k < bins; k++) fp_clear(k * FP_WG + l, FP_IDENTITY, mine, marks);
    // In order, each item has a contiguous share.
    const ulong share = (end - begin + FP_WG - 1) / FP_WG;
    ulong step = FP_ORDERED ? 1 : FP_WG, i = FP_ORDERED ? min(begin + l * share, end) : begin + l;
    ulong last = FP_ORDERED ? min(i + share, end) : end;
    if (n <= FP_SERIAL_MOST) {
        i = begin;
        last = l ? begin : end;
        step = 1;
    }
    for (; i + (FP_ITEMS_PER_THREAD - 1) * step < last; i += FP_ITEMS_PER_THREAD * step) {
        FP_IN v[FP_ITEMS_PER_THREAD];
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) v[k] = fp_load(i + k * step);
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++)
            fp_add_pair(i + k * step, v[k], bins, counters, counter, mine, marks, FP_ARGS);
    }
    for (; i < last; i += step) fp_add_pair(i, fp_load(i), bins, counters, counter, mine, marks, FP_ARGS);
    fp_join_items(bins, mine, marks, FP_ARGS);
    for (uint k = l; k < bins; k += FP_WG) {
        rows[row + k] = mine[k * FP_WG];
        if (FP_MARKED) FP_ROW_MARKS[row + k] = marks[k * FP_WG];
    }
}
