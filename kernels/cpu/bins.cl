// lint: FP_IN=fp_pair FP_MARKED=1
// lint: FP_IN=fp_pair
// lint: FP_T=fp_pair FP_IN=fp_struct_pair
// lint: FP_T=fp_pair FP_IN=fp_struct_pair FP_MARKED=1
// Combines the values v0 of pairs in the bins of their keys w0. If a key is not below `bins`, the counter gets its
// position; the lowest position wins. A work-item combines a chunk of the pairs, in bins of its own, a row of `rows`.
// It has the slots of block/marks.cl.
#define FP_SPACE __global
#include "block/bins.cl"
#include "block/cpu/bin_row.cl"
#include "block/cpu/loops.cl"

// Pairs that share a test of the loop.
#define FP_TURN 4

static inline void fp_add_pair(const ulong i, const ulong bins, volatile __global uint *counters, const ulong counter,
                               FP_MINE_PARAMS, FP_PARAMS)
{
    const FP_IN pair = fp_load(i);
    if (FP_LIKELY(pair.w0 < bins))
        fp_add(pair.w0, pair.v0, mine, marks, FP_ARGS);
    else
        fp_report_place(i, counters, counter);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void fp_bins(FP_PARAMS, const ulong bins, const ulong multiple,
                                                                     const ulong most, volatile __global uint *counters,
                                                                     const ulong counter, FP_ROWS_PARAMS)
{
    const ulong n = fp_n, chunk = fp_chunk_of(n, multiple, most), row = get_group_id(0) * fp_bin_row(bins);
    const ulong first = min(n, get_group_id(0) * chunk), last = min(first + chunk, n);
    __global FP_T *mine = rows + row;
    __global uchar *marks = FP_ROW_MARKS + row;
    for (ulong k = 0; k < bins; k++) fp_clear(k, FP_IDENTITY, mine, marks);
    ulong i = first;
    for (; i + FP_TURN <= last; i += FP_TURN) {
#pragma unroll
        for (uint k = 0; k < FP_TURN; k++) fp_add_pair(i + k, bins, counters, counter, mine, marks, FP_ARGS);
    }
    for (; i < last; i++) fp_add_pair(i, bins, counters, counter, mine, marks, FP_ARGS);
}
