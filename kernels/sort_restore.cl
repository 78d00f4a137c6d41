// lint: -DFP_CPU=0
// lint: -DFP_CPU=1
// Where an order contradicted itself, which the cell tells, out gets its elements back as they came: none is lost.
__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_sort_restore(FP_PARAMS, const ulong share, volatile __global uint *cells, const ulong cell,
                __global FP_T *restrict out)
{
    if (cells[cell] == 0) return;
    const ulong n = fp_n;
#if FP_CPU
    const ulong first = get_group_id(0) * share, last = min(first + share, n);
    for (ulong i = first; i < last; i++) out[i] = fp_load(i);
#else
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) out[i] = fp_load(i);
#endif
}
