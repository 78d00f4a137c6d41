// out[i] = fp_load(i) for i < fp_n.
//   FP_CPU     1: a work-item computes the contiguous elements of its chunk; 0: tiles, neighbours side by side
//   FP_WG      work-items of a group
//   FP_ITEMS   elements of a work-item (GPU)
#if !defined(FP_CPU) || !defined(FP_WG) || (!FP_CPU && !defined(FP_ITEMS))
#error "map.cl needs FP_CPU, FP_WG and, on a GPU, FP_ITEMS"
#endif

#if FP_CPU
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void fp_map(FP_PARAMS, __global FP_T *restrict out,
                                                                    const ulong share)
{
    const ulong first = get_group_id(0) * share;
    const ulong last = min(first + share, (ulong)fp_n);
    for (ulong i = first; i < last; i++) out[i] = fp_load(i);
}
#else
__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void fp_map(FP_PARAMS, __global FP_T *restrict out,
                                                                        const ulong share)
{
    const ulong first = get_group_id(0) * share + get_local_id(0);
    if ((get_group_id(0) + 1) * share <= fp_n) {
#pragma unroll
        for (uint k = 0; k < FP_ITEMS; k++) out[first + k * FP_WG] = fp_load(first + k * FP_WG);
    } else {
        for (ulong i = first; i < fp_n; i += FP_WG) out[i] = fp_load(i);
    }
}
#endif
