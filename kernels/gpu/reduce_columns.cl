// lint:
// Combines the elements of each column of a matrix, from the top down. The rows are divided into parts of `height`:
// out[p * columns + c] = the elements of column c in the rows from p * height on, below (p + 1) * height. There are
// `across` work-groups side by side. The host computes it: divisions would take a work-item as long as short columns.
//   FP_ACROSS=32           work-items of a row
//   FP_DOWN=8              work-items of a column. Each combines a share of the part's rows.
//   FP_ITEMS_PER_THREAD=4  columns of a work-item, whose elements are loaded together
#if !FP_ACROSS || !FP_DOWN || !FP_ITEMS_PER_THREAD
#error "reduce_columns.cl needs FP_ACROSS, FP_DOWN and FP_ITEMS_PER_THREAD"
#endif

#define FP_WIDTH (FP_ACROSS * FP_ITEMS_PER_THREAD)

// The rows first, ..., last - 1 of one column. There is at least one.
static inline FP_T fp_reduce_column(const ulong column, const ulong columns, const ulong first, const ulong last,
                                    FP_PARAMS)
{
    FP_T total = fp_load_in(first * columns + column, first, column);
#pragma unroll 8
    for (ulong r = first + 1; r < last; r++) total = fp_op(total, fp_load_in(r * columns + column, r, column));
    return total;
}

// The elements of all of an item's columns in one row.
static inline void fp_load_row(const ulong row, const ulong column, const ulong columns, FP_T *v, FP_PARAMS)
{
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++)
        v[k] = fp_load_in(row * columns + column + k * FP_ACROSS, row, column + k * FP_ACROSS);
}

// The same rows of all of an item's columns.
static inline void fp_reduce_items(const ulong column, const ulong columns, const ulong first, const ulong last,
                                   __local FP_T *values, FP_PARAMS)
{
    FP_T totals[FP_ITEMS_PER_THREAD], v[FP_ITEMS_PER_THREAD];
    fp_load_row(first, column, columns, totals, FP_ARGS);
#pragma unroll 8
    for (ulong r = first + 1; r < last; r++) {
        fp_load_row(r, column, columns, v, FP_ARGS);
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) totals[k] = fp_op(totals[k], v[k]);
    }
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) values[k * FP_ACROSS] = totals[k];
}

// Neighbouring work-items load neighbours in a row.
__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_reduce_columns(FP_PARAMS, const ulong rows, const ulong columns, const ulong height, const uint across,
                  __global FP_T *restrict out)
{
    __local FP_T values[FP_DOWN][FP_WIDTH];
    const uint group = get_group_id(0), right = get_local_id(0) % FP_ACROSS, down = get_local_id(0) / FP_ACROSS;
    const ulong part = group / across, top = part * height, bottom = min(top + height, rows);
    const ulong column = (ulong)(group % across) * FP_WIDTH + right, share = (bottom - top + FP_DOWN - 1) / FP_DOWN;
    const ulong first = top + down * share, last = min(first + share, bottom);
    if (first < last && column + (FP_ITEMS_PER_THREAD - 1) * FP_ACROSS < columns)
        fp_reduce_items(column, columns, first, last, &values[down][right], FP_ARGS);
    else if (first < last)
        for (ulong c = column; c < columns; c += FP_ACROSS)
            values[down][c - column + right] = fp_reduce_column(c, columns, first, last, FP_ARGS);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint shares = FP_DOWN == 1 ? 1 : (uint)((bottom - top + share - 1) / share);
    if (down > 0) return;
    for (uint k = 0; k < FP_ITEMS_PER_THREAD && column + k * FP_ACROSS < columns; k++) {
        const uint own = right + k * FP_ACROSS;
        FP_T total = values[0][own];
        for (uint d = 1; d < shares; d++) total = fp_op(total, values[d][own]);
        out[part * columns + column + k * FP_ACROSS] = total;
    }
}
