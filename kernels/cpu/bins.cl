// lint: FP_IN=fp_pair FP_MARKED=1
// lint: FP_IN=fp_pair
// lint: FP_T=fp_pair FP_IN=fp_struct_pair
// lint: FP_T=fp_pair FP_IN=fp_struct_pair FP_MARKED=1
// Combines the values v0 of pairs in the bins of their keys w0. If a key is not below `bins`, the counter gets its
// position; the lowest position wins. A work-item combines a chunk of the pairs, in bins of its own, a row of `rows`.
// It has the slots of block/marks.cl.
#define FP_SPACE __global
#include "block/bins.cl"

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void fp_bins(FP_PARAMS, const ulong bins, const ulong multiple,
                                                                     const ulong most, volatile __global uint *counters,
                                                                     const ulong counter, FP_ROWS_PARAMS)
{
    const ulong n = fp_n, chunk = fp_chunk_of(n, multiple, most), row = get_group_id(0) * bins;
    const ulong first = min(n, get_group_id(0) * chunk), last = min(first + chunk, n);
    __global FP_T *mine = rows + row;
    __global uchar *marks = FP_ROW_MARKS + row;
    for (ulong k = 0; k < bins; k++) fp_clear(k, FP_IDENTITY, mine, marks);
    for (ulong i = first; i < last; i++)
        fp_add_pair(i, fp_load(i), bins, 1, 0, counters, counter, mine, marks, FP_ARGS);
}
