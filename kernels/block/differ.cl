// lint:
// The digits that differ between keys, in rows behind the counts of the first pass: row FP_DIGITS + d - 1 has a 1 for
// each tile with a key whose digit d is another than the first key's. A scan of the counts sums them up.
//   FP_COUNT=uint  type of counts
// and the slots of block/digit.cl and block/pass.cl.
#include "block/digit.cl"
#include "block/pass.cl"

// Bit d is set if digit d is not zero.
static inline uint fp_digits_in(const FP_BITS bits)
{
    uint digits = 0;
    for (uint digit = 0; digit < FP_PASSES; digit++) digits |= (bits >> 8 * digit & (FP_DIGITS - 1) ? 1u : 0u) << digit;
    return digits;
}

static inline void fp_tell_digits(const uint digits, __global FP_COUNT *counts)
{
    for (uint k = 0; k < FP_PASSES; k++)
        counts[(FP_DIGITS + k) * get_num_groups(0) + get_group_id(0)] = digits >> (k + 1) & 1;
}

// `places` is the scan of the first pass's counts. The first pass does not read it.
static inline uint fp_shift_of(const uint pass, const __global FP_COUNT *places)
{
    uint differ = 0;
    for (uint digit = 1; digit < FP_PASSES && pass > 0; digit++) {
        const __global FP_COUNT *row = places + (FP_DIGITS + digit - 1) * get_num_groups(0);
        differ |= (row[0] != row[get_num_groups(0)] ? 1u : 0u) << digit;
    }
    return fp_pass_shift(pass, differ);
}
