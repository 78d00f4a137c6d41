// lint:
// lint: FP_SPLIT=2
// lint: FP_SPLIT=0
// out[i] = fp_load(i) for i < fp_n.
//   FP_VECTOR=4       neighbours that share work, 1 if none do
//   FP_SPLIT=1        0: all elements are loaded alike
//                     1: fp_edges may be 0 far from the edges of an array
//                     2: the same, of a matrix of fp_columns columns
//   FP_MARGIN=1       the distance, in columns
//   FP_MARGIN_DOWN=1  the distance in rows, of a matrix
#if !FP_VECTOR || !defined(FP_SPLIT)
#error "map.cl needs FP_VECTOR and FP_SPLIT"
#endif
#if FP_SPLIT && (!defined(FP_MARGIN) || !defined(FP_MARGIN_DOWN))
#error "map.cl needs FP_MARGIN and FP_MARGIN_DOWN"
#endif
#include "block/cpu/loops.cl"

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void fp_map(FP_PARAMS, __global FP_T *restrict out,
                                                                    const ulong chunk)
{
    const ulong first = get_group_id(0) * chunk, last = min(first + chunk, (ulong)fp_n);
#if FP_SPLIT
    // Row by row. An array is one row, and has no edges above and below it. Vectors near the edges would gain nothing.
    const ulong columns = fp_columns, rows = FP_SPLIT == 2 ? fp_n / columns : 1;
    for (ulong begin = first, end; begin < last; begin = end) {
        const ulong row = begin / columns, start = row * columns;
        end = min(start + columns, last);
        const bool far = FP_SPLIT == 1 || (row >= FP_MARGIN_DOWN && row + FP_MARGIN_DOWN < rows);
        const ulong left = far ? clamp(start + FP_MARGIN, begin, end) : end;
        const ulong right = clamp(start + (columns < FP_MARGIN ? 0 : columns - FP_MARGIN), left, end);
        // One loop for both sides: compilers take long to find each neighbour near an edge.
        FP_ROLLED
        for (ulong i = begin; i < end; i++) {
            if (i == left) {
                const uint fp_edges = 0;
                FP_NEIGHBOURS
                for (ulong k = left; k < right; k++) out[k] = fp_load(k);
                i = right;
                if (i == end) break;
            }
            out[i] = fp_load(i);
        }
    }
#else
    FP_NEIGHBOURS
    for (ulong v = first / FP_VECTOR; v < last / FP_VECTOR; v++) {
#pragma unroll
        for (uint k = 0; k < FP_VECTOR; k++) out[v * FP_VECTOR + k] = fp_load(v * FP_VECTOR + k);
    }
    for (ulong i = last - last % FP_VECTOR; i < last; i++) out[i] = fp_load(i);
#endif
}
