// lint:
// lint: FP_WIDE=0
// lint: FP_ORDERED=1
// lint: FP_ORDERED=1 FP_WARP=1
// The first two levels of a reduction: in a work-item, and in a work-group.
//   FP_VECTOR=4             elements of a vector. The order of combination depends on it, but not on FP_WIDE.
//   FP_WIDE=1               1: a vector is loaded by one wide load
//   FP_ITEMS_PER_THREAD=16  elements of a work-item in a tile, if order is kept; a multiple of FP_VECTOR
//   FP_IN_FLIGHT=4          vectors that a work-item has in flight, in any order
//   FP_INDEX=uint           type that counts vectors
// and the slots of block/gpu/group.cl.
#if !FP_VECTOR || !FP_IN_FLIGHT || !FP_ITEMS_PER_THREAD || !defined(FP_WIDE)
#error "block/gpu/reduce.cl needs FP_VECTOR, FP_WIDE, FP_IN_FLIGHT and FP_ITEMS_PER_THREAD"
#endif
#include "block/gpu/group.cl"

// Reduces the elements first, ..., last - 1 in order, one after the other. There is at least one.
static inline FP_T fp_reduce_serial(const ulong first, const ulong last, FP_PARAMS)
{
    FP_T total = fp_load(first);
    for (ulong i = first + 1; i < last; i++) total = fp_op(total, fp_load(i));
    return total;
}

// Loads the elements of a vector.
static inline void fp_load_vector(const ulong vector, FP_T *v, FP_PARAMS)
{
#if FP_WIDE
    fp_load_wide(vector * FP_VECTOR, v);
#else
#pragma unroll
    for (uint k = 0; k < FP_VECTOR; k++) v[k] = fp_load(vector * FP_VECTOR + k);
#endif
}

// Level 2. All items call these functions, and the result is in scratch[0], of FP_SCRATCH elements:
//   fp_reduce_range(first, last, scratch)       reduces the elements first, ..., last - 1 of a group. `first` is a
//                                               multiple of FP_VECTOR and, unless order is kept, `last` too.
//   fp_reduce_share(n, groups, chunk, scratch)  reduces the group's share of n elements
#if FP_ORDERED
#include "block/gpu/reduce_ordered.cl"
#else
#include "block/gpu/reduce_any.cl"
#endif
