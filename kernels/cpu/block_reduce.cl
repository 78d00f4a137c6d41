// lint:
// lint: FP_PARTS=1 FP_COUNTED=1
// out[k] = the reduction of block k. If the device alone knows fp_n, the number of blocks is stored.
// It has the slots of block/parts.cl and block/cpu/reduce.cl.
#include "block/count.cl"
#include "block/cpu/reduce.cl"
#include "block/parts.cl"

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_block_reduce(FP_PARAMS, const ulong block, const ulong parts, const ulong height, const ulong chunk,
                __global FP_T *restrict out FP_COUNTED_PARAMS(blocks))
{
    const ulong n = fp_n, blocks = (n / block + (n % block != 0)) * parts;
    if (get_global_id(0) == 0) FP_STORE_COUNTED(blocks, blocks);
    const ulong begin = get_group_id(0) * chunk, end = min(begin + chunk, blocks);
    for (ulong k = begin; k < end; k++) out[k] = fp_reduce_item(FP_FIRST(k), FP_LAST(k), FP_ARGS);
}
