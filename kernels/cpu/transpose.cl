// lint:
// out[i] = fp_load(i) for i < fp_n, the elements of a matrix, where those of a column are neighbours in memory. It is
// stored tile by tile, so that each piece of memory that is read is used as a whole. There are `down` groups one below
// the other, since neighbouring groups then read the same pages of memory.
//   FP_SIDE=64    rows and columns of a tile
//   FP_ACROSS=16  tiles of a work-item, side by side
#if !FP_SIDE || !FP_ACROSS
#error "transpose.cl needs FP_SIDE and FP_ACROSS on a CPU"
#endif

// A tile is loaded column by column, since those elements are neighbours in memory, and stored row by row. The inner
// loops become vectors.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_transpose(FP_PARAMS, const ulong rows, const ulong columns, const uint down, __global FP_T *restrict out)
{
    FP_T tile[FP_SIDE][FP_SIDE];
    const uint group = get_group_id(0);
    const ulong top = (ulong)(group % down) * FP_SIDE, left = (ulong)(group / down) * FP_SIDE * FP_ACROSS;
    const ulong end = min(left + FP_SIDE * FP_ACROSS, columns);
    const uint height = min((ulong)FP_SIDE, rows - top);
    for (ulong first = left; first < end; first += FP_SIDE) {
        const uint breadth = min((ulong)FP_SIDE, end - first);
        for (uint c = 0; c < breadth; c++)
            for (uint r = 0; r < height; r++)
                tile[c][r] = fp_load_in((top + r) * columns + first + c, top + r, first + c);
        for (uint r = 0; r < height; r++)
            for (uint c = 0; c < breadth; c++) out[(top + r) * columns + first + c] = tile[c][r];
    }
}
