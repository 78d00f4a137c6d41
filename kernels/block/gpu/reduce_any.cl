// The part of block/gpu/reduce.cl that combines elements in any order.
#define FP_SCRATCH FP_WG

// Level 1: reduces an item's vectors first, first + stride, ... below `last`. There is at least one. The item has
// FP_VECTOR accumulators.
static inline FP_T fp_reduce_item(const FP_INDEX first, const FP_INDEX last, const FP_INDEX stride, FP_PARAMS)
{
    FP_T total[FP_VECTOR];
    fp_load_vector(first, total, FP_ARGS);
    FP_INDEX i = first + stride;
    for (; i + (FP_IN_FLIGHT - 1) * stride < last; i += FP_IN_FLIGHT * stride) {
        FP_T loaded[FP_IN_FLIGHT][FP_VECTOR];
#pragma unroll
        for (uint k = 0; k < FP_IN_FLIGHT; k++) fp_load_vector(i + k * stride, loaded[k], FP_ARGS);
#pragma unroll
        for (uint k = 0; k < FP_IN_FLIGHT * FP_VECTOR; k++)
            total[k % FP_VECTOR] = fp_op(total[k % FP_VECTOR], loaded[k / FP_VECTOR][k % FP_VECTOR]);
    }
    for (; i < last; i += stride) {
        FP_T loaded[FP_VECTOR];
        fp_load_vector(i, loaded, FP_ARGS);
#pragma unroll
        for (uint k = 0; k < FP_VECTOR; k++) total[k] = fp_op(total[k], loaded[k]);
    }
#pragma unroll
    for (uint k = 1; k < FP_VECTOR; k++) total[0] = fp_op(total[0], total[k]);
    return total[0];
}

// Item l reduces the vectors l, l + FP_WG, ... of the range.
static inline void fp_reduce_range(const ulong first, const ulong last, __local FP_T *scratch, FP_PARAMS)
{
    const uint l = get_local_id(0);
    const ulong begin = first / FP_VECTOR, end = last / FP_VECTOR;
    if (begin + l < end) scratch[l] = fp_reduce_item(begin + l, end, FP_WG, FP_ARGS);
    fp_reduce_group((uint)min((ulong)FP_WG, end - begin), scratch, FP_ARGS);
}

// Vectors in a grid-stride loop, then the elements that fill no vector, one by one.
static inline void fp_reduce_share(const ulong n, const uint groups, const ulong chunk, __local FP_T *scratch,
                                   FP_PARAMS)
{
    const ulong vectors = n / FP_VECTOR, rest = n - vectors * FP_VECTOR, i = get_global_id(0), stride = groups * FP_WG;
    const uint l = get_local_id(0);
    if (i < vectors) scratch[l] = fp_reduce_item(i, vectors, stride, FP_ARGS);
    for (ulong k = i; k < rest; k += stride) {
        const FP_T next = fp_load(vectors * FP_VECTOR + k);
        scratch[l] = k < vectors || k != i ? fp_op(scratch[l], next) : next;
    }
    fp_reduce_group((uint)min((ulong)FP_WG, max(vectors, rest) - get_group_id(0) * FP_WG), scratch, FP_ARGS);
}
