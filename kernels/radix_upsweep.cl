// lint: FP_CPU=0
// lint: FP_CPU=1
// Upsweep of a radix pass: counts[digit * tiles + tile] = the number of elements of the tile that have the digit. A
// tile has `chunk` elements.
//   FP_COUNT=uint  type of counts
// and the slots of block/digit.cl.
#include "block/digit.cl"

#if FP_CPU
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_radix_upsweep(FP_PARAMS, const uint shift, const ulong chunk, __global FP_COUNT *restrict counts)
{
    const ulong n = fp_n, first = get_group_id(0) * chunk, last = min(first + chunk, n);
    uint mine[FP_DIGITS];
    for (uint k = 0; k < FP_DIGITS; k++) mine[k] = 0;
    for (ulong i = first; i < last; i++) mine[fp_digit(fp_load(i), shift)]++;
    for (uint k = 0; k < FP_DIGITS; k++) counts[k * get_num_groups(0) + get_group_id(0)] = mine[k];
}
#else
__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_radix_upsweep(FP_PARAMS, const uint shift, const ulong chunk, __global FP_COUNT *restrict counts)
{
    __local uint mine[FP_DIGITS];
    const uint l = get_local_id(0);
    const ulong n = fp_n, first = get_group_id(0) * chunk, last = min(first + chunk, n);
    for (uint k = l; k < FP_DIGITS; k += FP_WG) mine[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong i = first + l; i < last; i += FP_WG) atomic_inc(mine + fp_digit(fp_load(i), shift));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = l; k < FP_DIGITS; k += FP_WG) counts[k * get_num_groups(0) + get_group_id(0)] = mine[k];
}
#endif
