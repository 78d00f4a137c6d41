// lint: FP_CPU=0 FP_ORDERED=0
// lint: FP_CPU=0 FP_ORDERED=1
// lint: FP_CPU=0 FP_ORDERED=0 FP_SERIAL=1
// lint: FP_CPU=0 FP_ORDERED=1 FP_COUNTED=1
// lint: FP_CPU=1 FP_ORDERED=0
// out[k] = the reduction of block k, the elements from k * block on, below (k + 1) * block and fp_n.
//   FP_SERIAL=0   GPU: 1: a work-item reduces a whole block; 0: a work-group does
//   FP_COUNTED=0  1: the device alone knows fp_n; the number of blocks is stored
// and the slots of block/reduce.cl.
#if !defined(FP_COUNTED) || (!FP_CPU && !defined(FP_SERIAL))
#error "block_reduce.cl needs FP_COUNTED, and FP_SERIAL on a GPU"
#endif
#include "block/reduce.cl"
#if FP_COUNTED
#include "block/count.cl"
#define FP_BLOCKS_PARAM , FP_COUNT_PARAMS(blocks)
#else
#define FP_BLOCKS_PARAM
#endif

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_block_reduce(FP_PARAMS, const ulong block, const ulong chunk, __global FP_T *restrict out FP_BLOCKS_PARAM)
{
    const ulong n = fp_n, blocks = n / block + (n % block != 0);
#if FP_COUNTED
    if (get_global_id(0) == 0) FP_STORE_COUNT(blocks, blocks);
#endif
#if FP_CPU
    const ulong begin = get_group_id(0) * chunk, end = min(begin + chunk, blocks);
    for (ulong k = begin; k < end; k++)
        out[k] = fp_reduce_item(k * block, n - k * block < block ? n : (k + 1) * block, FP_ARGS);
#elif FP_SERIAL
    for (ulong k = get_global_id(0); k < blocks; k += get_global_size(0))
        out[k] = fp_reduce_serial(k * block, n - k * block < block ? n : (k + 1) * block, FP_ARGS);
#else
    __local FP_T scratch[FP_SCRATCH];
    for (ulong k = get_group_id(0); k < blocks; k += get_num_groups(0)) {
        const ulong first = k * block, last = n - first < block ? n : first + block;
#if FP_ORDERED
        fp_reduce_range(first, last, scratch, FP_ARGS);
#else
        fp_reduce_strided(first, last, FP_WG, scratch, FP_ARGS);
#endif
        if (get_local_id(0) == 0) out[k] = scratch[0];
    }
#endif
}
