// lint: FP_CPU=0 FP_IN=fp_pair
// lint: FP_CPU=1 FP_IN=fp_pair
// out[fp_load(i).w0] = fp_load(i).v0 for i < fp_n. If an index is not below `length`, nothing is stored, and the
// counter gets its position; the lowest position wins. On a CPU a work-item stores `chunk` elements; on a GPU the
// loop is grid-stride.
static inline void fp_place(const ulong i, const ulong length, __global FP_T *out, volatile __global uint *counters,
                            const ulong counter, FP_PARAMS)
{
    const FP_IN element = fp_load(i);
    if (element.w0 < length) {
        out[element.w0] = element.v0;
    } else {
        atomic_max(counters + counter, ~(uint)min(i, 0xfffffffeul));
    }
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_scatter(FP_PARAMS, const ulong chunk, const ulong length, __global FP_T *out, volatile __global uint *counters,
           const ulong counter)
{
    const ulong n = fp_n;
#if FP_CPU
    const ulong first = get_group_id(0) * chunk, last = min(first + chunk, n);
    for (ulong i = first; i < last; i++) fp_place(i, length, out, counters, counter, FP_ARGS);
#else
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        fp_place(i, length, out, counters, counter, FP_ARGS);
#endif
}
