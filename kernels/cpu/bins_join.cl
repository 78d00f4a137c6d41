// lint:
// lint: FP_MARKED=1
// out[k] = start op (bin k of all rows, combined in order). The input has the rows, one behind the other. A work-item
// combines a chunk of the bins, row by row, as they lie in memory. Marks are collected in those of the first row. It
// has the slots of block/marks.cl.
#include "block/cpu/bin_row.cl"
#include "block/marks.cl"

// The loops along a row become vectors.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_bins_join(FP_PARAMS, const ulong bins, const ulong count, const FP_T start, const ulong chunk,
             __global FP_T *restrict out FP_MARKS_PARAM)
{
    const ulong first = get_group_id(0) * chunk, last = min(first + chunk, bins), row = fp_bin_row(bins);
    for (ulong k = first; k < last; k++)
        if (fp_has(k)) out[k] = fp_load(k);
    for (ulong r = 1; r < count; r++) {
        for (ulong k = first; k < last; k++) {
            if (!fp_has(r * row + k)) continue;
            const FP_T next = fp_load(r * row + k);
            out[k] = fp_has(k) ? fp_op(out[k], next) : next;
            fp_mark(k);
        }
    }
    for (ulong k = first; k < last; k++) out[k] = fp_has(k) ? fp_op(start, out[k]) : start;
}
