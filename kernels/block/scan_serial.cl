// lint:
// lint: FP_START=1
// The results of a scan from left to right.
//   FP_START=0  1: the scan is exclusive

// Stores the results first, ..., last - 1. `before` is the prefix, the value of all elements before these, if there are
// `any`.
static inline void fp_scan_serial(__global FP_OUT *restrict out, const ulong first, const ulong last, const bool any,
                                  const FP_T before, FP_PARAMS)
{
    FP_T sum = before;
    if (FP_START) {
        for (ulong i = first; i < last; i++) {
            const FP_T next = fp_load(i);
            out[i] = fp_epilogue(i, sum);
            sum = fp_op(sum, next);
        }
    } else {
        sum = any ? fp_op(sum, fp_load(first)) : fp_load(first);
        out[first] = fp_epilogue(first, sum);
        for (ulong i = first + 1; i < last; i++) {
            sum = fp_op(sum, fp_load(i));
            out[i] = fp_epilogue(i, sum);
        }
    }
}
