// lint: FP_CPU=0
// Merging two sorted runs, the left one's elements first where neither is less.
//   FP_KEYED=0       1: an element is a key v0 and a value w0, and keys are compared; 0: elements are
//   FP_DESCENDING=0  1: an element comes before another if that one is less
#if !defined(FP_KEYED) || !defined(FP_DESCENDING)
#error "block/merge.cl needs FP_KEYED and FP_DESCENDING"
#endif
#if FP_KEYED
#define FP_KEY_OF(x) ((x).v0)
#else
#define FP_KEY_OF(x) (x)
#endif

static inline bool fp_before(const FP_T a, const FP_T b, FP_PARAMS)
{
#if FP_DESCENDING
    return fp_less(FP_KEY_OF(b), FP_KEY_OF(a));
#else
    return fp_less(FP_KEY_OF(a), FP_KEY_OF(b));
#endif
}

// name(left, right, d, of): how many of the first d elements of the merge are of the left run, which has `left`
// elements; the right one, behind it, has `right`. AT(i) is element i of the two, and `OF` the parameter that leads AT
// to them. The merge path of Odeh and others.
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
