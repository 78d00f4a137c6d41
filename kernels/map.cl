// lint: FP_CPU=0 FP_WIDE=0
// lint: FP_CPU=0
// lint: FP_CPU=0 FP_MARGIN=0
// lint: FP_CPU=1
// lint: FP_CPU=1 FP_MARGIN=0
// out[i] = fp_load(i) for i < fp_n.
//   FP_VECTOR=4  elements of a work-item, a vector; on a CPU neighbours that share work, 1 if none do
//   FP_MARGIN=1  0: all elements are loaded alike
//                else fp_edges may be 0 for elements that are so far from both ends
//   FP_WIDE=1    GPU: 1: a vector is loaded and stored by one wide access
#if !defined(FP_CPU) || !defined(FP_WG) || !FP_VECTOR || !defined(FP_MARGIN) || (!FP_CPU && !defined(FP_WIDE))
#error "map.cl needs FP_CPU, FP_WG, FP_VECTOR, FP_MARGIN and, on a GPU, FP_WIDE"
#endif

#if FP_CPU
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void fp_map(FP_PARAMS, __global FP_T *restrict out,
                                                                    const ulong chunk)
{
    const ulong first = get_group_id(0) * chunk, last = min(first + chunk, (ulong)fp_n);
#if FP_MARGIN
    const ulong n = fp_n, left = clamp((ulong)FP_MARGIN, first, last);
    const ulong right = clamp(n < FP_MARGIN ? 0 : n - FP_MARGIN, left, last);
    for (ulong i = first; i < left; i++) out[i] = fp_load(i);
    {
        const uint fp_edges = 0;
        for (ulong i = left; i < right; i++) out[i] = fp_load(i);
    }
    for (ulong i = right; i < last; i++) out[i] = fp_load(i);
#else
    for (ulong v = first / FP_VECTOR; v < last / FP_VECTOR; v++) {
#pragma unroll
        for (uint k = 0; k < FP_VECTOR; k++) out[v * FP_VECTOR + k] = fp_load(v * FP_VECTOR + k);
    }
    for (ulong i = last - last % FP_VECTOR; i < last; i++) out[i] = fp_load(i);
#endif
}
#else
__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void fp_map(FP_PARAMS, __global FP_T *restrict out)
{
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
#if FP_MARGIN
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
}
#endif
