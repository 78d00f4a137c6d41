// lint: FP_CPU=0 FP_ORDERED=0
// lint: FP_CPU=0 FP_ORDERED=1
// lint: FP_CPU=0 FP_ORDERED=0 FP_SERIAL=1
// lint: FP_CPU=0 FP_ORDERED=1 FP_COUNTED=1
// lint: FP_CPU=1 FP_ORDERED=0 FP_PARTS=1
// out[k] = the reduction of block k, the elements from k * block on, below (k + 1) * block and fp_n.
//   FP_PARTS=0    1: blocks are divided into `parts` of `height` elements, and the last part may be shorter. out[k] is
//                 the reduction of part k, and there are no shorter blocks.
//   FP_SERIAL=0   GPU: 1: a work-item reduces a whole block; 0: a work-group does
//   FP_COUNTED=0  1: the device alone knows fp_n; the number of blocks is stored
// and the slots of block/reduce.cl.
#if !defined(FP_COUNTED) || !defined(FP_PARTS) || (!FP_CPU && !defined(FP_SERIAL))
#error "block_reduce.cl needs FP_COUNTED and FP_PARTS, and FP_SERIAL on a GPU"
#endif
#include "block/reduce.cl"
#if FP_COUNTED
#include "block/count.cl"
#define FP_BLOCKS_PARAM , FP_COUNT_PARAMS(blocks)
#else
#define FP_BLOCKS_PARAM
#endif

// The elements of block k, or of part k.
#if FP_PARTS
#define FP_FIRST(k) ((k) / parts * block + (k) % parts * height)
#define FP_LAST(k) ((k) / parts * block + min((k) % parts * height + height, block))
#else
#define FP_FIRST(k) ((k)*block)
#define FP_LAST(k) (n - (k)*block < block ? n : ((k) + 1) * block)
#endif

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_block_reduce(FP_PARAMS, const ulong block, const ulong parts, const ulong height, const ulong chunk,
                __global FP_T *restrict out FP_BLOCKS_PARAM)
{
    const ulong n = fp_n, blocks = (n / block + (n % block != 0)) * parts;
#if FP_COUNTED
    if (get_global_id(0) == 0) FP_STORE_COUNT(blocks, blocks);
#endif
#if FP_CPU
    const ulong begin = get_group_id(0) * chunk, end = min(begin + chunk, blocks);
    for (ulong k = begin; k < end; k++) out[k] = fp_reduce_item(FP_FIRST(k), FP_LAST(k), FP_ARGS);
#elif FP_SERIAL
    for (ulong k = get_global_id(0); k < blocks; k += get_global_size(0))
        out[k] = fp_reduce_serial(FP_FIRST(k), FP_LAST(k), FP_ARGS);
#else
    __local FP_T scratch[FP_SCRATCH];
    for (ulong k = get_group_id(0); k < blocks; k += get_num_groups(0)) {
        const ulong first = FP_FIRST(k), last = FP_LAST(k);
#if FP_ORDERED
        fp_reduce_range(first, last, scratch, FP_ARGS);
#else
        fp_reduce_strided(first / FP_VECTOR, last / FP_VECTOR, FP_WG, scratch, FP_ARGS);
#endif
        if (get_local_id(0) == 0) out[k] = scratch[0];
    }
#endif
}
