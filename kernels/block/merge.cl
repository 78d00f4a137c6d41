// lint:
// Stable merge of two sorted runs: elements of the left run come before equivalent ones of the right run.
//   FP_DESCENDING=0  1: the greater element comes first
// and the slot of block/key.cl.
#ifndef FP_DESCENDING
#error "block/merge.cl needs FP_DESCENDING"
#endif
#include "block/key.cl"

static inline bool fp_before(const FP_T a, const FP_T b, FP_PARAMS)
{
    return FP_DESCENDING ? fp_less(FP_KEY_OF(b), FP_KEY_OF(a)) : fp_less(FP_KEY_OF(a), FP_KEY_OF(b));
}

// The merge path (Odeh and others, 2012): name(left, right, d, of) is how many of the first d elements of the merge
// come from the left run. The left run has `left` elements; the right run lies behind it and has `right`. AT(i) is
// element i of both, and OF declares the parameter that AT uses.
#define FP_MERGE_PATH(name, count, AT, OF)                                                                             \
    static inline count name(const count left, const count right, const count d, OF, FP_PARAMS)                        \
    {                                                                                                                  \
        count low = d > right ? d - right : 0, high = min(d, left);                                                    \
        while (low < high) {                                                                                           \
            const count middle = (low + high) / 2;                                                                     \
            if (fp_before(AT(left + d - 1 - middle), AT(middle), FP_ARGS))                                             \
                high = middle;                                                                                         \
            else                                                                                                       \
                low = middle + 1;                                                                                      \
        }                                                                                                              \
        return low;                                                                                                    \
    }
