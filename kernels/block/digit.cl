// lint:
// lint: FP_FLOATING=0 FP_KEY=int FP_T=int
// lint: FP_FLOATING=0 FP_KEY=int FP_T=int FP_SIGNED=1 FP_DESCENDING=1
// The bits of a key as an unsigned integer that is ordered as keys are, and its digits of 8 bits. NaN is last, and -0
// equals 0.
//   FP_KEY=float     type of keys
//   FP_BITS=uint     unsigned integer of the same size
//   FP_FLOATING=1    1: keys are floating
//   FP_SIGNED=0      1: keys are signed integers
//   FP_DESCENDING=0  1: the largest key comes first
// and the slot of block/key.cl.
#if !defined(FP_KEY) || !defined(FP_BITS) || !defined(FP_FLOATING) || !defined(FP_SIGNED) || !defined(FP_DESCENDING)
#error "block/digit.cl needs FP_KEY, FP_BITS, FP_FLOATING, FP_SIGNED and FP_DESCENDING"
#endif
#include "block/key.cl"

#define FP_DIGITS 256
#define FP_TOP ((FP_BITS)((FP_BITS)1 << (8 * sizeof(FP_BITS) - 1)))

static inline FP_BITS fp_bits(const FP_KEY key)
{
    union {
        FP_KEY key;
        FP_BITS bits;
    } u;
    const FP_KEY itself = key; // clang warns of key != key, of an integer
    u.key = key;
    if (FP_FLOATING) {
        if (key != itself) return (FP_BITS) ~(FP_BITS)0;
        if (key == 0) u.bits = 0;
        u.bits = u.bits & FP_TOP ? ~u.bits : u.bits | FP_TOP;
    } else if (FP_SIGNED) {
        u.bits ^= FP_TOP;
    }
    return FP_DESCENDING ? ~u.bits : u.bits;
}

// The same of a plain key, which is neither NaN nor -0. It takes a third of the instructions.
static inline FP_BITS fp_plain_bits(const FP_KEY key)
{
    if (!FP_FLOATING) return fp_bits(key);
    union {
        FP_KEY key;
        FP_BITS bits;
    } u;
    u.key = key;
    const FP_BITS turned = -(u.bits >> (8 * sizeof(FP_BITS) - 1)) | FP_TOP;
    return FP_DESCENDING ? ~(u.bits ^ turned) : u.bits ^ turned;
}

static inline FP_BITS fp_key_bits(const FP_IN element)
{
    return fp_bits(FP_KEY_OF(element));
}

static inline uint fp_digit(const FP_IN element, const uint shift)
{
    return (uint)(fp_key_bits(element) >> shift) & (FP_DIGITS - 1);
}
