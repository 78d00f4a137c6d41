// lint:
// lint: FP_UNZIP=2 FP_KEYED=1 FP_T=fp_pair
// Downsweep of a radix pass: moves each element to its place by its digit, and keeps the order of equal digits.
// places[digit * tiles + tile] is the place of the tile's first element that has the digit. `differ` are the places of
// the first pass.
//   FP_COUNT=uint           type of places
// and the slots of block/unzip.cl, block/digit.cl and block/pass.cl.
#include "block/differ.cl"
#include "block/unzip.cl"

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_sort_radix_downsweep(FP_PARAMS, const uint pass, const ulong chunk, const __global FP_COUNT *differ,
                        const __global FP_COUNT *places, FP_OUT_PARAMS)
{
    const ulong n = fp_n, first = get_group_id(0) * chunk, last = min(first + chunk, n);
    const uint shift = fp_shift_of(pass, differ);
    if (shift == FP_IDLE) return;
    if (shift == FP_COPY) {
        for (ulong i = first; i < last; i++) fp_put(i, fp_load(i), FP_OUT_ARGS, FP_ARGS);
        return;
    }
    FP_COUNT place[FP_DIGITS];
    for (uint k = 0; k < FP_DIGITS; k++) place[k] = places[k * get_num_groups(0) + get_group_id(0)];
    for (ulong i = first; i < last; i++) {
        const FP_IN x = fp_load(i);
        fp_put(place[fp_digit(x, shift)]++, x, FP_OUT_ARGS, FP_ARGS);
    }
}
