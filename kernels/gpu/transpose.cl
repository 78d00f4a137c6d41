// lint:
// out[i] = fp_load(i) for i < fp_n, the elements of a matrix, where those of a column are neighbours in memory. It is
// stored tile by tile, so that each piece of memory that is read is used as a whole. There are `across` groups side by
// side. The host computes it: a work-item would need longer for its divisions than for the rest.
//   FP_SIDE=64    rows and columns of a tile; a power of two, at most FP_WG
#if !FP_SIDE
#error "transpose.cl needs FP_SIDE"
#endif

// Neighbouring work-items load elements of a column, and store elements of a row. Each has several in flight.
#define FP_EACH(other) _Pragma("unroll") for (uint k = 0, other = first; k < FP_SIDE; k += FP_STEP, other += FP_STEP)
#define FP_STEP (FP_WG / FP_SIDE)
__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_transpose(FP_PARAMS, const ulong rows, const ulong columns, const uint across, __global FP_T *restrict out)
{
    __local FP_T tile[FP_SIDE][FP_SIDE + 1];
    const uint group = get_group_id(0);
    const ulong top = (ulong)(group / across) * FP_SIDE, left = (ulong)(group % across) * FP_SIDE;
    const uint height = min((ulong)FP_SIDE, rows - top), width = min((ulong)FP_SIDE, columns - left);
    const uint place = get_local_id(0) % FP_SIDE, first = get_local_id(0) / FP_SIDE;
    FP_EACH(c)
    if (place < height && c < width)
        tile[place][c] = fp_load_in((top + place) * columns + left + c, top + place, left + c);
    barrier(CLK_LOCAL_MEM_FENCE);
    FP_EACH(r)
    if (r < height && place < width) out[(top + r) * columns + left + place] = tile[r][place];
}
