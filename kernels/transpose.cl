// lint: FP_CPU=0
// lint: FP_CPU=1
// out[i] = fp_load(i) for i < fp_n, the elements of a matrix, where those of a column are neighbours in memory. It is
// stored tile by tile, so that each piece of memory that is read is used as a whole.
//   FP_SIDE=64    rows and columns of a tile
//   FP_ACROSS=16  CPU: tiles of a work-item, side by side
#if !defined(FP_CPU) || !defined(FP_WG) || !FP_SIDE || (FP_CPU && !FP_ACROSS)
#error "transpose.cl needs FP_CPU, FP_WG, FP_SIDE and, on a CPU, FP_ACROSS"
#endif

#if FP_CPU
// A tile is loaded column by column, since those elements are neighbours in memory, and stored row by row. The inner
// loops become vectors.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void fp_transpose(FP_PARAMS, const ulong columns,
                                                                          __global FP_T *restrict out)
{
    FP_T tile[FP_SIDE][FP_SIDE];
    const ulong rows = fp_n / columns, width = FP_SIDE * FP_ACROSS, across = (columns + width - 1) / width;
    const ulong top = get_group_id(0) / across * FP_SIDE, left = get_group_id(0) % across * width;
    const ulong end = min(left + width, columns);
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
#else
// Neighbouring work-items load elements of a column, and store elements of a row. Each has several in flight.
#define FP_SHARE ((FP_SIDE * FP_SIDE + FP_WG - 1) / FP_WG)
#define FP_EACH(e) _Pragma("unroll") for (uint e = get_local_id(0), k = 0; k < FP_SHARE; k++, e += FP_WG)
__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void fp_transpose(FP_PARAMS, const ulong columns,
                                                                              __global FP_T *restrict out)
{
    __local FP_T tile[FP_SIDE][FP_SIDE + 1];
    const ulong rows = fp_n / columns, across = (columns + FP_SIDE - 1) / FP_SIDE;
    const ulong top = get_group_id(0) / across * FP_SIDE, left = get_group_id(0) % across * FP_SIDE;
    FP_EACH(e)
    {
        const uint r = e % FP_SIDE, c = e / FP_SIDE;
        if (e < FP_SIDE * FP_SIDE && top + r < rows && left + c < columns)
            tile[r][c] = fp_load_in((top + r) * columns + left + c, top + r, left + c);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    FP_EACH(e)
    {
        const uint r = e / FP_SIDE, c = e % FP_SIDE;
        if (e < FP_SIDE * FP_SIDE && top + r < rows && left + c < columns)
            out[(top + r) * columns + left + c] = tile[r][c];
    }
}
#endif
