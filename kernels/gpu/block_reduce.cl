// lint:
// lint: FP_ORDERED=1
// lint: FP_SERIAL=1
// lint: FP_ORDERED=1 FP_COUNTED=1
// out[k] = the reduction of block k. If the device alone knows fp_n, the number of blocks is stored.
//   FP_SERIAL=0  1: a work-item reduces a whole block; 0: a work-group does
// and the slots of block/parts.cl and block/gpu/reduce.cl.
#ifndef FP_SERIAL
#error "block_reduce.cl needs FP_SERIAL on a GPU"
#endif
#include "block/count.cl"
#include "block/gpu/reduce.cl"
#include "block/parts.cl"

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_block_reduce(FP_PARAMS, const ulong block, const ulong parts, const ulong height, const ulong chunk,
                __global FP_T *restrict out FP_COUNTED_PARAMS(blocks))
{
    __local FP_T scratch[FP_SERIAL ? 1 : FP_SCRATCH];
    const ulong n = fp_n, blocks = (n / block + (n % block != 0)) * parts;
    if (get_global_id(0) == 0) FP_STORE_COUNTED(blocks, blocks);
    if (FP_SERIAL) {
        for (ulong k = get_global_id(0); k < blocks; k += get_global_size(0))
            out[k] = fp_reduce_serial(FP_FIRST(k), FP_LAST(k), FP_ARGS);
        return;
    }
    for (ulong k = get_group_id(0); k < blocks; k += get_num_groups(0)) {
        fp_reduce_range(FP_FIRST(k), FP_LAST(k), scratch, FP_ARGS);
        if (get_local_id(0) == 0) out[k] = scratch[0];
    }
}
