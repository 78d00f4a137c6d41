// lint:
// lint: FP_COUNTED=1
// out[k] = the reduction of block k, in order. A group brings `share` blocks into local memory. 2^shift work-items
// combine a block: `piece` elements each, then their results.
// It has the slot of block/gpu/stage.cl.
#include "block/count.cl"
#include "block/gpu/stage.cl"

// The elements first, ..., last - 1 of the tile. There is at least one.
static inline FP_T fp_reduce_staged(const uint first, const uint last, const __local FP_T *tile, FP_PARAMS)
{
    FP_T total = tile[FP_PADDED(first)];
    for (uint i = first + 1; i < last; i++) total = fp_op(total, tile[FP_PADDED(i)]);
    return total;
}

// Combines the results of `pieces` neighbours into the first one's.
static inline FP_T fp_join_pieces(FP_T total, const uint piece, const uint pieces, const uint shift, __local FP_T *tile,
                                  FP_PARAMS)
{
    const uint l = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (piece < pieces) tile[l] = total;
    for (uint apart = 1; apart < 1u << shift; apart *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (piece % (2 * apart) == 0 && piece + apart < pieces) tile[l] = total = fp_op(total, tile[l + apart]);
    }
    return total;
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_block_reduce_staged(FP_PARAMS, const uint block, const uint share, const uint shift, const uint piece,
                       __global FP_T *restrict out FP_COUNTED_PARAMS(blocks))
{
    __local FP_T tile[FP_PADDED(FP_STAGED)];
    const ulong n = fp_n, blocks = n / block + (n % block != 0);
    if (get_global_id(0) == 0) FP_STORE_COUNTED(blocks, blocks);
    const uint own = get_local_id(0) & ((1u << shift) - 1);
    for (ulong from = get_group_id(0) * (ulong)share; from < blocks; from += get_num_groups(0) * (ulong)share) {
        const uint count = (uint)min(n - from * block, (ulong)share * block);
        fp_stage(from * block, tile, FP_ARGS);
        if (shift == 0) {
            for (uint k = get_local_id(0); k * block < count; k += FP_WG)
                out[from + k] = fp_reduce_staged(k * block, min((k + 1) * block, count), tile, FP_ARGS);
        } else {
            const uint k = get_local_id(0) >> shift, first = k * block, last = min(first + block, count);
            const uint pieces = first < last ? (last - first + piece - 1) / piece : 0;
            FP_T total;
            if (own < pieces)
                total = fp_reduce_staged(first + own * piece, min(first + (own + 1) * piece, last), tile, FP_ARGS);
            total = fp_join_pieces(total, own, pieces, shift, tile, FP_ARGS);
            if (own == 0 && pieces) out[from + k] = total;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
