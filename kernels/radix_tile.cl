// lint: -DFP_CPU=0 -DFP_ORDERED=1
// lint: -DFP_CPU=0 -DFP_ORDERED=1 -DFP_APART=1
// All elements, of which there are no more than a tile has, in order: one group sorts them by one digit after the other.
//   FP_PASSES    digits of a key
// and the slots of block/apart.cl and block/digit_sort.cl.
#ifndef FP_PASSES
#error "radix_tile.cl needs FP_PASSES"
#endif
#include "block/apart.cl"
#include "block/digit_sort.cl"

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void fp_radix_tile(FP_PARAMS, FP_OUT_PARAMS)
{
    __local fp_stage stage;
    __local uint scratch[FP_SCAN_SCRATCH];
    const uint count = (uint)fp_n;
    FP_IN v[FP_PART];
#pragma unroll
    for (uint k = 0; k < FP_PART; k++)
        if (fp_place(k) < count) v[k] = fp_load(fp_place(k));
    for (uint shift = 0; shift < 8 * FP_PASSES; shift += 8) {
        uint ranks[FP_PART];
        if (shift > 0) {
#pragma unroll
            for (uint k = 0; k < FP_PART; k++)
                if (fp_place(k) < count) v[k] = stage.elements[fp_place(k)];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        fp_clear_counts(&stage);
        barrier(CLK_LOCAL_MEM_FENCE);
        fp_count_tile(v, count, shift, &stage, scratch, ranks);
        fp_sort_tile(v, ranks, &stage, scratch, FP_ARGS);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (uint k = 0; k < FP_PART; k++)
        if (k * FP_WG + get_local_id(0) < count)
            fp_put(k * FP_WG + get_local_id(0), stage.elements[k * FP_WG + get_local_id(0)], FP_OUT_ARGS);
}
