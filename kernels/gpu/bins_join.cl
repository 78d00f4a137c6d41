// lint:
// lint: FP_MARKED=1
// out[k] = start op (bin k of all rows, combined in order). The input has the rows, one behind the other. A work-group
// combines one bin. It has the slots of block/marks.cl.
#include "block/marks.cl"

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_bins_join(FP_PARAMS, const ulong bins, const ulong count, const FP_T start, const ulong chunk,
             __global FP_T *out FP_MARKS_PARAM)
{
    __local FP_T values[FP_WG];
    __local uchar marks[FP_WG];
    const uint l = get_local_id(0);
    const ulong k = get_group_id(0), share = (count + FP_WG - 1) / FP_WG;
    FP_T value = start;
    bool any = false;
    for (ulong r = l * share; r < min((l + 1) * share, count); r++) {
        if (!fp_has(r * bins + k)) continue;
        const FP_T next = fp_load(r * bins + k);
        value = any ? fp_op(value, next) : next;
        any = true;
    }
    values[l] = value;
    marks[l] = any;
    for (uint span = 1; span < FP_WG; span *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l % (2 * span) || !marks[l + span]) continue;
        values[l] = marks[l] ? fp_op(values[l], values[l + span]) : values[l + span];
        marks[l] = 1;
    }
    if (l == 0) out[k] = marks[0] ? fp_op(start, values[0]) : start;
}
