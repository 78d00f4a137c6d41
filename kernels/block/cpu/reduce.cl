// lint:
// lint: FP_T=fp_pair FP_MEMBERS=FP_PAIR_MEMBERS
// lint: FP_ORDERED=1
// The first level of a reduction: in a work-item.
//   FP_ORDERED=0  1: combines elements in order, for operators that do not commute
// and the slots of block/cpu/lanes.cl.
#if !defined(FP_ORDERED) || !defined(FP_LANES)
#error "block/cpu/reduce.cl needs FP_ORDERED and FP_LANES"
#endif
#include "block/cpu/loops.cl"

#if FP_ORDERED || FP_LANES == 1
// Reduces the elements first, ..., last - 1 in order, one after the other. There is at least one.
static inline FP_T fp_reduce_item(const ulong first, const ulong last, FP_PARAMS)
{
    FP_T total = fp_load(first);
    FP_IN_ORDER
    for (ulong i = first + 1; i < last; i++) total = fp_op(total, fp_load(i));
    return total;
}
#else
#include "block/cpu/lanes.cl"
#endif
