// lint:
// lint: FP_T=fp_pair FP_MEMBERS=FP_PAIR_MEMBERS
// lint: FP_ORDERED=1
// The first level of a reduction: in a work-item.
//   FP_ORDERED=0         1: combines elements in order, for operators that do not commute
//   FP_CHAINS=4          in order, the parts that are combined side by side: 4 or 1
//   FP_SERIAL_MOST=1024  the most elements that are combined from left to right; 0: any association will do
// and the slots of block/cpu/lanes.cl.
#if !defined(FP_ORDERED) || !defined(FP_CHAINS) || !defined(FP_LANES) || !defined(FP_SERIAL_MOST)
#error "block/cpu/reduce.cl needs FP_ORDERED, FP_CHAINS, FP_LANES and FP_SERIAL_MOST"
#endif
#include "block/cpu/loops.cl"

#if FP_ORDERED || FP_LANES == 1
// Reduces the elements first, ..., last - 1 one after the other. There is at least one.
static inline FP_T fp_reduce_chain(const ulong first, const ulong last, FP_PARAMS)
{
    FP_T total = fp_load(first);
    FP_IN_ORDER
    for (ulong i = first + 1; i < last; i++) total = fp_op(total, fp_load(i));
    return total;
}

// Reduces them in order, as four parts side by side, since each application waits for the one before it. The totals are
// no array: rusticl would lose structs of it.
static inline FP_T fp_reduce_item(const ulong first, const ulong last, FP_PARAMS)
{
    if (FP_CHAINS == 1 || last - first < max(2 * FP_CHAINS, FP_SERIAL_MOST + 1))
        return fp_reduce_chain(first, last, FP_ARGS);
    const ulong part = (last - first) / FP_CHAINS, second = first + part, third = second + part, fourth = third + part;
    FP_T a = fp_load(first), b = fp_load(second), c = fp_load(third), d = fp_load(fourth);
    FP_IN_ORDER
    for (ulong i = 1; i < part; i++) {
        a = fp_op(a, fp_load(first + i));
        b = fp_op(b, fp_load(second + i));
        c = fp_op(c, fp_load(third + i));
        d = fp_op(d, fp_load(fourth + i));
    }
    for (ulong i = fourth + part; i < last; i++) d = fp_op(d, fp_load(i));
    a = fp_op(a, b);
    c = fp_op(c, d);
    return fp_op(a, c);
}
#else
#include "block/cpu/lanes.cl"
#endif
