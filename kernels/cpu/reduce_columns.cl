// lint:
// Combines the elements of each column of a matrix, from the top down. The rows are divided into parts of `height`:
// out[p * columns + c] = the elements of column c in the rows from p * height on, below (p + 1) * height. There are
// `across` work-groups side by side. The host computes it: divisions would take a work-item as long as short columns.
//   FP_ACROSS=32  columns of a work-group
#if !FP_ACROSS
#error "reduce_columns.cl needs FP_ACROSS"
#endif

// Rows that are combined at a time: the memory delivers several rows at once, and the totals are loaded and stored less
// often.
#define FP_HIGH 8

// The loops along a row become vectors.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_reduce_columns(FP_PARAMS, const ulong rows, const ulong columns, const ulong height, const uint across,
                  __global FP_T *restrict out)
{
    const uint group = get_group_id(0);
    const ulong part = group / across, left = (ulong)(group % across) * FP_ACROSS;
    const ulong top = part * height, bottom = min(top + height, rows);
    const uint width = min((ulong)FP_ACROSS, columns - left);
    FP_T total[FP_ACROSS];
    for (uint c = 0; c < width; c++) total[c] = fp_load_in(top * columns + left + c, top, left + c);
    ulong r = top + 1;
    for (; r + FP_HIGH <= bottom; r += FP_HIGH) {
        for (uint c = 0; c < width; c++) {
#pragma unroll
            for (uint k = 0; k < FP_HIGH; k++)
                total[c] = fp_op(total[c], fp_load_in((r + k) * columns + left + c, r + k, left + c));
        }
    }
    for (; r < bottom; r++)
        for (uint c = 0; c < width; c++) total[c] = fp_op(total[c], fp_load_in(r * columns + left + c, r, left + c));
    for (uint c = 0; c < width; c++) out[part * columns + left + c] = total[c];
}
