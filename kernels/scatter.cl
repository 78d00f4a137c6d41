// lint: FP_IN=fp_pair
// lint: FP_T=fp_pair FP_IN=fp_struct_pair
// out[fp_load(i).w0] = fp_load(i).v0 for i < fp_n. If an index is not below `length`, nothing is stored, and the
// counter gets its position; the lowest position wins. On a CPU a work-item stores `chunk` elements; on a GPU the
// loop is grid-stride.
#include "block/place.cl"

static inline void fp_put(const ulong i, const ulong length, __global FP_T *out, volatile __global uint *counters,
                          const ulong counter, FP_PARAMS)
{
    const FP_IN element = fp_load(i);
    if (element.w0 < length) {
        out[element.w0] = element.v0;
    } else {
        fp_report_place(i, counters, counter);
    }
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_scatter(FP_PARAMS, const ulong chunk, const ulong length, __global FP_T *out, volatile __global uint *counters,
           const ulong counter)
{
    const ulong n = fp_n;
    const ulong first = FP_CPU ? get_group_id(0) * chunk : get_global_id(0);
    const ulong last = FP_CPU ? min(first + chunk, n) : n, step = FP_CPU ? 1 : get_global_size(0);
    for (ulong i = first; i < last; i += step) fp_put(i, length, out, counters, counter, FP_ARGS);
}
