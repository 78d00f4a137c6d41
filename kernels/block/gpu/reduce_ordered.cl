// The part of block/gpu/reduce.cl that keeps the order of elements.
#define FP_SCRATCH (FP_WG + 1)

// Level 1, in order: reduces an item's part of a tile, the FP_ITEMS_PER_THREAD elements from `begin` on, or fewer up to
// `last`.
static inline FP_T fp_reduce_thread(const ulong begin, const ulong last, FP_PARAMS)
{
    if (FP_WIDE && begin + FP_ITEMS_PER_THREAD <= last) {
        // All loads are in flight before the first element is used.
        FP_T loaded[FP_ITEMS_PER_THREAD / FP_VECTOR][FP_VECTOR];
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD / FP_VECTOR; k++)
            fp_load_vector(begin / FP_VECTOR + k, loaded[k], FP_ARGS);
        FP_T total = loaded[0][0];
#pragma unroll
        for (uint k = 1; k < FP_ITEMS_PER_THREAD; k++) total = fp_op(total, loaded[k / FP_VECTOR][k % FP_VECTOR]);
        return total;
    }
    return fp_reduce_serial(begin, min(begin + FP_ITEMS_PER_THREAD, last), FP_ARGS);
}

#if FP_WARP > 1
// Each warp reduces a contiguous range of the elements, tile after tile, without a barrier.
static inline void fp_reduce_range(const ulong first, const ulong last, __local FP_T *scratch, FP_PARAMS)
{
    const uint lane = get_local_id(0) % FP_WARP, warp = get_local_id(0) / FP_WARP,
               items_per_thread = FP_ITEMS_PER_THREAD;
    const ulong tile = FP_WARP * items_per_thread, tiles = (last - first + tile - 1) / tile;
    const ulong chunk = (tiles + FP_WG / FP_WARP - 1) / (FP_WG / FP_WARP) * tile;
    const ulong begin = first + warp * chunk, end = min(begin + chunk, last);
    for (ulong at = begin; at < end; at += tile) {
        const ulong mine = at + lane * items_per_thread;
        const uint count = (uint)((min(tile, end - at) + items_per_thread - 1) / items_per_thread);
        FP_T value = fp_load(at);
        if (mine < end) value = fp_reduce_thread(mine, end, FP_ARGS);
        value = fp_reduce_warp(value, lane, count, FP_ARGS);
        if (lane == 0) scratch[warp] = at == begin ? value : fp_op(scratch[warp], value);
    }
    barrier(CLK_LOCAL_MEM_FENCE); // the first warp's items read the values of all warps
    fp_reduce_group((uint)((last - first + chunk - 1) / chunk), scratch, FP_ARGS);
}
#else
// Without warps a tile belongs to the whole group. The last element of scratch keeps the total.
static inline void fp_reduce_range(const ulong first, const ulong last, __local FP_T *scratch, FP_PARAMS)
{
    const uint l = get_local_id(0), items_per_thread = FP_ITEMS_PER_THREAD;
    __local FP_T *total = scratch + FP_WG;
    for (ulong tile = first; tile < last; tile += FP_WG * items_per_thread) {
        const uint count = (uint)min(last - tile, (ulong)(FP_WG * items_per_thread));
        const ulong begin = tile + l * items_per_thread;
        if (begin < last) scratch[l] = fp_reduce_thread(begin, last, FP_ARGS);
        fp_reduce_group((count + items_per_thread - 1) / items_per_thread, scratch, FP_ARGS);
        if (l == 0 && tile == first) *total = scratch[0];
        if (l == 0 && tile != first) *total = fp_op(*total, scratch[0]);
    }
    if (l == 0) scratch[0] = *total;
    barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

// A chunk of the elements.
static inline void fp_reduce_share(const ulong n, const uint groups, const ulong chunk, __local FP_T *scratch,
                                   FP_PARAMS)
{
    const ulong first = get_group_id(0) * chunk;
    fp_reduce_range(first, min(first + chunk, n), scratch, FP_ARGS);
}
