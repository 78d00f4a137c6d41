// lint:
// The digit that a pass of a radix sort moves by. The first pass takes digit 0. The other digits may differ between
// keys, or not: bit d of `differ` is set if digit d does. Each later pass takes the next digit that differs. Passes
// between the first and the last swap two buffers, so they run in pairs: one that is left over takes no digit.
//   FP_PASSES=4  digits of a key
#ifndef FP_PASSES
#error "block/pass.cl needs FP_PASSES"
#endif
#define FP_NOT_PLAIN (1u << 31) // of `differ`: a key is not plain
#define FP_IDLE ((uint)-1)      // the pass does nothing
#define FP_COPY ((uint)-2)      // the pass stores elements where they are

static inline uint fp_pass_shift(const uint pass, const uint differ)
{
    const uint later = differ & ((1u << FP_PASSES) - 2), count = popcount(later), middle = count & ~1u;
    if (pass == 0) return 0;
    if (pass > middle && pass < FP_PASSES - 1) return FP_IDLE;
    uint number = pass < FP_PASSES - 1 ? pass : middle + 1;
    for (uint digit = 1; digit < FP_PASSES; digit++)
        if (later >> digit & 1 && --number == 0) return 8 * digit;
    return FP_COPY;
}
