// lint:
// lint: FP_MARKED=1
// out[k] = start op (bin k of all rows, combined in order). The input has the rows, one behind the other. A work-item
// combines a chunk of the bins. It has the slots of block/marks.cl.
#include "block/marks.cl"

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_bins_join(FP_PARAMS, const ulong bins, const ulong count, const FP_T start, const ulong chunk,
             __global FP_T *out FP_MARKS_PARAM)
{
    const ulong first = get_group_id(0) * chunk, last = min(first + chunk, bins);
    for (ulong k = first; k < last; k++) {
        FP_T value = start;
        bool any = false;
        for (ulong r = 0; r < count; r++) {
            if (!fp_has(r * bins + k)) continue;
            const FP_T next = fp_load(r * bins + k);
            value = any ? fp_op(value, next) : next;
            any = true;
        }
        out[k] = any ? fp_op(start, value) : start;
    }
}
