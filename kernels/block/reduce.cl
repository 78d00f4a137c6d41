// The first two levels of a reduction: inside the work-item, inside the work-group.
//   FP_ORDERED   1: elements are combined in order, for operators that do not commute
//   FP_LANES     CPU: independent accumulators of an item, a power of two
//   FP_ITEMS     GPU: elements of an item in a tile
#if !defined(FP_ORDERED) || (FP_CPU && !defined(FP_LANES)) || (!FP_CPU && !defined(FP_ITEMS))
#error "block/reduce.cl needs FP_ORDERED, and FP_LANES on a CPU or FP_ITEMS on a GPU"
#endif

// Elements first, ..., last-1 in order, one after the other; there is at least one.
static inline FP_T fp_reduce_serial(const ulong first, const ulong last, FP_PARAMS)
{
    FP_T total = fp_load(first);
    for (ulong i = first + 1; i < last; i++) total = fp_op(total, fp_load(i));
    return total;
}

#if FP_CPU
// Level 1: one item. Lanes are independent, so the compiler makes vectors of them.
static inline FP_T fp_reduce_item(const ulong first, const ulong last, FP_PARAMS)
{
#if FP_ORDERED || FP_LANES == 1
    return fp_reduce_serial(first, last, FP_ARGS);
#else
    if (last - first < 2 * FP_LANES) return fp_reduce_serial(first, last, FP_ARGS);
    FP_T lane[FP_LANES];
    for (uint k = 0; k < FP_LANES; k++) lane[k] = fp_load(first + k);
    ulong i = first + FP_LANES;
    for (; i + FP_LANES <= last; i += FP_LANES)
        for (uint k = 0; k < FP_LANES; k++) lane[k] = fp_op(lane[k], fp_load(i + k));
    for (uint k = 0; i + k < last; k++) lane[k] = fp_op(lane[k], fp_load(i + k));
    for (uint width = FP_LANES / 2; width > 0; width /= 2)
        for (uint k = 0; k < width; k++) lane[k] = fp_op(lane[k], lane[k + width]);
    return lane[0];
#endif
}

#else
// Level 2: combines what the first `count` items of the group have put into scratch; the value is scratch[0]. All items
// call it, and count > 0. Values that outlive a barrier stay in local memory: PoCL 3.1 loses private structs there.
static inline void fp_reduce_group(const uint count, __local FP_T *scratch, FP_PARAMS)
{
    const uint l = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
#if FP_ORDERED
    for (uint step = 1; step < FP_WG; step *= 2) {
        const uint left = 2 * step * l;
        if (left + step < count) scratch[left] = fp_op(scratch[left], scratch[left + step]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#else
    for (uint width = FP_WG / 2; width > 0; width /= 2) {
        if (l < width && l + width < count) scratch[l] = fp_op(scratch[l], scratch[l + width]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
}

#if FP_ORDERED
// Levels 1 and 2 for the elements first, ..., last-1 of a group, in order: tiles of consecutive elements, of which each
// item takes FP_ITEMS consecutive ones. The value is scratch[0]; scratch has FP_SCRATCH elements.
#define FP_SCRATCH (FP_WG + 1)
static inline void fp_reduce_range(const ulong first, const ulong last, __local FP_T *scratch, FP_PARAMS)
{
    const uint l = get_local_id(0);
    __local FP_T *total = scratch + FP_WG;
    for (ulong tile = first; tile < last; tile += FP_WG * FP_ITEMS) {
        const uint count = (uint)min(last - tile, (ulong)(FP_WG * FP_ITEMS));
        const ulong begin = tile + l * FP_ITEMS;
        if (begin < last) scratch[l] = fp_reduce_serial(begin, min(begin + FP_ITEMS, last), FP_ARGS);
        fp_reduce_group((count + FP_ITEMS - 1) / FP_ITEMS, scratch, FP_ARGS);
        if (l == 0 && tile == first) *total = scratch[0];
        if (l == 0 && tile != first) *total = fp_op(*total, scratch[0]);
    }
    if (l == 0) scratch[0] = *total;
    barrier(CLK_LOCAL_MEM_FENCE);
}

#else
// Level 1: the elements first, first + stride, ... below last of one item, FP_ITEMS loads in flight; at least one.
#define FP_SCRATCH FP_WG
static inline FP_T fp_reduce_item(const ulong first, const ulong last, const ulong stride, FP_PARAMS)
{
    FP_T total = fp_load(first);
    ulong i = first + stride;
    for (; i + (FP_ITEMS - 1) * stride < last; i += FP_ITEMS * stride) {
        FP_T loaded[FP_ITEMS];
#pragma unroll
        for (uint k = 0; k < FP_ITEMS; k++) loaded[k] = fp_load(i + k * stride);
#pragma unroll
        for (uint k = 0; k < FP_ITEMS; k++) total = fp_op(total, loaded[k]);
    }
    for (; i < last; i += stride) total = fp_op(total, fp_load(i));
    return total;
}

// Levels 1 and 2 for elements of a group in any order: each item's own, first + l, first + l + stride, ...
// below last. The value is scratch[0].
static inline void fp_reduce_strided(const ulong first, const ulong last, const ulong stride, __local FP_T *scratch,
                                     FP_PARAMS)
{
    const uint l = get_local_id(0);
    if (first + l < last) scratch[l] = fp_reduce_item(first + l, last, stride, FP_ARGS);
    fp_reduce_group((uint)min((ulong)FP_WG, last - first), scratch, FP_ARGS);
}
#endif
#endif
