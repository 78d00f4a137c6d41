// lint:
// Combines the elements of each column of a matrix, from the top down. The rows are divided into parts of `height`:
// out[p * columns + c] = the elements of column c in the rows from p * height on, below (p + 1) * height. There are
// `across` work-groups side by side. The host computes it: divisions would take a work-item as long as short columns.
//   FP_ACROSS=32  columns of a work-group
//   FP_DOWN=8     work-items of a column. Each combines a share of the part's rows.
#if !FP_ACROSS || !FP_DOWN
#error "reduce_columns.cl needs FP_ACROSS and FP_DOWN"
#endif

// Neighbouring work-items load neighbours in a row.
__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_reduce_columns(FP_PARAMS, const ulong rows, const ulong columns, const ulong height, const uint across,
                  __global FP_T *restrict out)
{
    __local FP_T values[FP_DOWN][FP_ACROSS];
    const uint group = get_group_id(0), right = get_local_id(0) % FP_ACROSS, down = get_local_id(0) / FP_ACROSS;
    const ulong part = group / across, top = part * height, bottom = min(top + height, rows);
    const ulong column = (ulong)(group % across) * FP_ACROSS + right, share = (bottom - top + FP_DOWN - 1) / FP_DOWN;
    const ulong first = top + down * share, last = min(first + share, bottom);
    if (column < columns && first < last) {
        FP_T total = fp_load_in(first * columns + column, first, column);
#pragma unroll 8
        for (ulong r = first + 1; r < last; r++) total = fp_op(total, fp_load_in(r * columns + column, r, column));
        values[down][right] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (down > 0 || column >= columns) return;
    const uint shares = FP_DOWN == 1 ? 1 : (uint)((bottom - top + share - 1) / share);
    FP_T total = values[0][right];
    for (uint d = 1; d < shares; d++) total = fp_op(total, values[d][right]);
    out[part * columns + column] = total;
}
