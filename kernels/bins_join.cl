// lint: FP_CPU=0
// lint: FP_CPU=0 FP_MARKED=1
// lint: FP_CPU=1 FP_MARKED=1
// lint: FP_CPU=1
// out[k] = start op (bin k of all rows, combined in order). The input has the rows, one behind the other.
//   FP_MARKED=0  1: a bin without a mark has no value. Without marks such bins have the operator's identity.
// On a CPU a work-item combines a chunk of the bins, on a GPU a work-group one bin.
#if !defined(FP_MARKED)
#error "bins_join.cl needs FP_MARKED"
#endif

#if FP_MARKED
#define FP_MARKS_PARAM , const __global uchar *row_marks
#define fp_has(place) row_marks[place]
#define FP_MARKS row_marks,
#else
#define FP_MARKS_PARAM
#define fp_has(place) true
#define FP_MARKS
#endif

#if FP_CPU
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
#else
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
#endif
