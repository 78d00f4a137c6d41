// lint:
// lint: FP_SPLIT=1
// The types and parameters of stream compaction. Elements that fp_take(i, &v) keeps go to `out` in order, and their
// number is stored. A scan of the flags, of type FP_T from here on, gives their places.
//   FP_SPLIT=0     1: a stable partition: the other elements go to `rest`, with their number; fp_take gives them too
//   FP_INDEX=uint  type that counts elements
#ifndef FP_SPLIT
#error "block/select.cl needs FP_SPLIT: 0, or 1 where the elements that are not kept are wanted too"
#endif
typedef FP_T fp_element;
#undef FP_T
#undef fp_op
#define FP_T FP_INDEX
#define fp_op(a, b) ((a) + (b))

#include "block/count.cl"

#if FP_SPLIT
#define FP_SELECT_PARAMS                                                                                               \
    __global fp_element *restrict out, FP_COUNT_PARAMS(kept), __global fp_element *restrict rest, FP_COUNT_PARAMS(rest)
#define FP_REST rest
#define FP_STORE_KEPT(count, n) (FP_STORE_COUNT(kept, count), FP_STORE_COUNT(rest, (n) - (count)))
#else
#define FP_SELECT_PARAMS __global fp_element *restrict out, FP_COUNT_PARAMS(kept)
#define FP_REST out // not used
#define FP_STORE_KEPT(count, n) FP_STORE_COUNT(kept, count)
#endif
