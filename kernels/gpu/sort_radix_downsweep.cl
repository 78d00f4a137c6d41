// lint: FP_ORDERED=1
// lint: FP_ORDERED=1 FP_WARP=1
// lint: FP_ORDERED=1 FP_UNZIP=1 FP_KEYED=1 FP_T=fp_pair
// Downsweep of a radix pass: moves each element to its place by its digit, and keeps the order of equal digits.
// places[digit * tiles + tile] is the place of the tile's first element that has the digit. `differ` are the places of
// the first pass.
//   FP_ITEMS_PER_THREAD=16  elements of a work-item; tiles have FP_WG * FP_ITEMS_PER_THREAD
//   FP_COUNT=uint           type of places
// and the slots of block/unzip.cl, block/digit.cl and block/pass.cl.
#include "block/differ.cl"
#include "block/unzip.cl"

#include "block/gpu/counts.cl"

#define FP_TILE (FP_WG * FP_ITEMS_PER_THREAD)

// Sorts the tile by one bit: a stable split, zeros first.
static inline void fp_split_tile(const uint count, const uint shift, const uint bit, __local FP_IN *tile,
                                 __local uint *scratch, FP_PARAMS)
{
    const uint l = get_local_id(0), begin = l * FP_ITEMS_PER_THREAD,
               mine = min(begin + FP_ITEMS_PER_THREAD, count) - min(begin, count);
    FP_IN v[FP_ITEMS_PER_THREAD];
    uint ones = 0;
    for (uint k = 0; k < mine; k++) {
        v[k] = tile[begin + k];
        ones |= (fp_digit(v[k], shift) >> bit & 1) << k;
    }
    scratch[l] = mine - popcount(ones);
    fp_scan_group(FP_WG, scratch, FP_ARGS);
    uint zero = l ? scratch[l - 1] : 0, one = scratch[FP_WG - 1] + min(begin, count) - zero;
    for (uint k = 0; k < mine; k++) tile[ones >> k & 1 ? one++ : zero++] = v[k];
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_sort_radix_downsweep(FP_PARAMS, const uint pass, const ulong chunk, const __global FP_COUNT *differ,
                        const __global FP_COUNT *places, FP_OUT_PARAMS)
{
    __local FP_IN tile[FP_TILE];
    __local uint scratch[FP_SCAN_SCRATCH], begins[FP_DIGITS];
    const uint l = get_local_id(0);
    const ulong n = fp_n, first = get_group_id(0) * chunk;
    const uint shift = fp_shift_of(pass, differ);
    if (first >= n || shift == FP_IDLE) return;
    const uint count = (uint)min(chunk, n - first);
    if (shift == FP_COPY) {
        for (uint k = l; k < count; k += FP_WG) fp_put(first + k, fp_load(first + k), FP_OUT_ARGS, FP_ARGS);
        return;
    }
    for (uint k = l; k < count; k += FP_WG) tile[k] = fp_load(first + k);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint bit = 0; bit < 8; bit++) fp_split_tile(count, shift, bit, tile, scratch, FP_ARGS);
    // The place in the tile where each digit begins.
    for (uint k = l; k < count; k += FP_WG) {
        const uint digit = fp_digit(tile[k], shift);
        if (k == 0 || fp_digit(tile[k - 1], shift) != digit) begins[digit] = k;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = l; k < count; k += FP_WG) {
        const uint digit = fp_digit(tile[k], shift);
        fp_put(places[digit * get_num_groups(0) + get_group_id(0)] + k - begins[digit], tile[k], FP_OUT_ARGS, FP_ARGS);
    }
}
