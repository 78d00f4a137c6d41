// lint: FP_STEPS=2
// Passes of a bitonic sort. It has the slots of block/bitonic.cl.
typedef ulong fp_place;
#define FP_SPACE __global
#define FP_AT(j) (block + fp_within(j, offset, stride, flip))
#include "block/bitonic.cl"

// The work of items first, ..., last - 1. Items of a full block all do the same, so their loops have no branch and are
// vectorized.
FP_ALWAYS void fp_pass_items(__global FP_T *data, const ulong n, const ulong first, const ulong last, const ulong width,
                             const bool flip, FP_PARAMS)
{
    const ulong stride = width >> FP_STEPS;
    for (ulong k = first, end; k < last; k = end) {
        const ulong offset = k & (stride - 1), block = (k - offset) << FP_STEPS;
        end = min(last, k + stride - offset);
        if (block + width > n) {
            for (ulong i = k; i < end; i++) fp_pass_item(data, n, i, width, flip, FP_ARGS);
        } else if (flip) {
            for (ulong i = 0; i < end - k; i++) fp_pass(data, block, offset + i, stride, true, false, FP_HELD, FP_ARGS);
        } else {
            for (ulong i = 0; i < end - k; i++)
                fp_pass(data, block, offset + i, stride, false, false, FP_HELD, FP_ARGS);
        }
    }
}
