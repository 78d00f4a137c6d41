// lint:
// Upsweep of a radix pass: counts[digit * tiles + tile] = the number of elements of the tile that have the digit. A
// tile has `chunk` elements. The first pass also tells in the rows of block/differ.cl which digits differ.
//   FP_COUNT=uint  type of counts
// and the slots of block/digit.cl and block/pass.cl.
#include "block/differ.cl"

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_sort_radix_upsweep(FP_PARAMS, const uint pass, const ulong chunk, const __global FP_COUNT *differ,
                      __global FP_COUNT *counts)
{
    __local uint mine[FP_DIGITS], digits;
    const uint l = get_local_id(0);
    const ulong n = fp_n, first = get_group_id(0) * chunk, last = min(first + chunk, n);
    const uint shift = fp_shift_of(pass, differ);
    if (shift >= FP_COPY) return;
    FP_BITS bits = 0;
    for (uint k = l; k < FP_DIGITS; k += FP_WG) mine[k] = 0;
    if (l == 0) digits = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const FP_BITS any = first < last ? fp_key_bits(fp_load(0)) : 0;
    for (ulong i = first + l; i < last; i += FP_WG) {
        const FP_BITS key = fp_key_bits(fp_load(i));
        atomic_inc(mine + ((uint)(key >> shift) & (FP_DIGITS - 1)));
        bits |= key ^ any;
    }
    if (pass == 0) atomic_or(&digits, fp_digits_in(bits));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = l; k < FP_DIGITS; k += FP_WG) counts[k * get_num_groups(0) + get_group_id(0)] = mine[k];
    if (pass == 0 && l == 0) fp_tell_digits(digits, counts);
}
