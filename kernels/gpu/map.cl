// lint: FP_WIDE=0
// lint: FP_WIDE=0 FP_SPLIT=2
// lint:
// lint: FP_SPLIT=0
// out[i] = fp_load(i) for i < fp_n.
//   FP_VECTOR=4       elements of a work-item, a vector
//   FP_SPLIT=1        0: all elements are loaded alike
//                     1: fp_edges may be 0 far from the edges of an array
//                     2: the same, of a matrix of fp_columns columns
//   FP_MARGIN=1       the distance, in columns
//   FP_MARGIN_DOWN=1  the distance in rows, of a matrix
//   FP_WIDE=1         1: a vector is loaded and stored by one wide access
//   FP_ACROSS=64      work-items side by side in a matrix
#if !FP_VECTOR || !defined(FP_SPLIT) || !defined(FP_WIDE)
#error "map.cl needs FP_VECTOR, FP_SPLIT and FP_WIDE on a GPU"
#endif
#if FP_SPLIT && (!defined(FP_MARGIN) || !defined(FP_MARGIN_DOWN) || (FP_SPLIT == 2 && !FP_ACROSS))
#error "map.cl needs FP_MARGIN, FP_MARGIN_DOWN and, for a matrix, FP_ACROSS"
#endif

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void fp_map(FP_PARAMS, __global FP_T *restrict out)
{
#if FP_SPLIT == 2
    // A group has a block, and a work-item FP_VECTOR elements of a column.
    const ulong columns = fp_columns, rows = fp_n / columns, blocks = (columns + FP_ACROSS - 1) / FP_ACROSS;
    const ulong block = fp_row(get_group_id(0), blocks), left = (get_group_id(0) - block * blocks) * FP_ACROSS;
    const ulong column = left + get_local_id(0) % FP_ACROSS;
    const ulong top = (block * (FP_WG / FP_ACROSS) + get_local_id(0) / FP_ACROSS) * FP_VECTOR;
    if (column >= columns) return;
    if (top >= FP_MARGIN_DOWN && top + FP_VECTOR + FP_MARGIN_DOWN <= rows && column >= FP_MARGIN &&
        column + FP_MARGIN < columns) {
        const uint fp_edges = 0;
#pragma unroll
        for (uint k = 0; k < FP_VECTOR; k++) out[(top + k) * columns + column] = fp_load((top + k) * columns + column);
        return;
    }
    const ulong bottom = min(top + FP_VECTOR, rows);
    for (ulong row = top; row < bottom; row++) out[row * columns + column] = fp_load(row * columns + column);
#else
    const ulong tile = get_group_id(0) * (ulong)(FP_WG * FP_VECTOR);
    if (tile + FP_WG * FP_VECTOR > fp_n) {
        for (ulong i = tile + get_local_id(0); i < fp_n; i += FP_WG) out[i] = fp_load(i);
        return;
    }
#if FP_WIDE
    const ulong first = tile + get_local_id(0) * FP_VECTOR;
    FP_T vector[FP_VECTOR];
    fp_load_wide(first, vector);
    fp_store_wide(out + first, vector);
#else
    const ulong first = tile + get_local_id(0);
#if FP_SPLIT
    if (tile >= FP_MARGIN && tile + FP_WG * FP_VECTOR + FP_MARGIN <= fp_n) {
        const uint fp_edges = 0;
#pragma unroll
        for (uint k = 0; k < FP_VECTOR; k++) out[first + k * FP_WG] = fp_load(first + k * FP_WG);
        return;
    }
#endif
#pragma unroll
    for (uint k = 0; k < FP_VECTOR; k++) out[first + k * FP_WG] = fp_load(first + k * FP_WG);
#endif
#endif
}
