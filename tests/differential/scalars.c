/* The scalar types. Integers wrap around: `U` is the unsigned type of the same width. Floating numbers stay whole and
 * small, so that additions give the same bits in any order. */
#include "kinds.h"

#include <math.h>
#include <string.h>

/* clang-format off */
#pragma GCC diagnostic ignored "-Wunused-parameter" /* an operator takes both operands and may leave one */


#define INTEGER(T, U, N)                                                                                               \
    OF_X(N, affine, T, T, { return (T)((U)x * (U)3 + (U)1); })                                                         \
    OF_X(N, mask, T, T, { return (T)(x & 7); })                                                                        \
    OF_X_I(N, place, T, T, { return (T)((U)x + (U)i * (U)5); })                                                        \
    OF_X_K(N, plus, T, T, { return (T)((U)x + (U)k); })                                                                \
    OF_X_T(N, look, T, T, { return m ? (T)((U)x + (U)t[i % m]) : x; })                                                 \
    OF_X_M(N, shift, T, T, { return m ? (T)((U)x + (U)t[0]) : x; })                                                    \
    KNOWN(N, same, T, T, "x", p, .takes = 0)                                                                           \
    KNOWN(N, index, T, T, "i", i, .takes = 0)                                                                          \
    OF_X_Y(N, mix, T, T, { return (T)((U)x * (U)2 + (U)y); })                                                          \
    OF_X_Y(N, larger, T, T, { return x > y ? x : y; })                                                                 \
    KNOWN(N, xplusy, T, T, "x + y", (U)p + (U)q, .takes = 0)                                                           \
    KNOWN(N, xminy, T, T, "min(x, y)", p < q ? p : q, .takes = 0)                                                      \
    OF_X_Y_Z(N, choose, T, T, { return x > y ? (T)((U)x + (U)z) : (T)((U)y - (U)z); })                                 \
    OF_X(N, none, int, T, { return (x & 7) > 8; })                                                                     \
    OF_X(N, all, int, T, { return (x & 7) < 8; })                                                                      \
    OF_X(N, odd, int, T, { return (x & 1) == 1; })                                                                     \
    OF_X(N, rare, int, T, { return (x & 63) == 5; })                                                                   \
    OF_X_I(N, places, int, T, { return (i & 3) == 1 || x == 3; })                                                      \
    OF_X_K(N, below, int, T, { return x < k; })                                                                        \
    OF_X_M(N, first, int, T, { return m && x < t[m - 1]; })                                                            \
    KNOWN(N, sum, T, T, "a + b", (U)p + (U)q, .identity = '0')                                                         \
    KNOWN(N, product, T, T, "a * b", (U)((U)1 * p) * (U)q, .identity = '1')                                            \
    KNOWN(N, least, T, T, "min(a, b)", p < q ? p : q, .takes = 0)                                                      \
    KNOWN(N, most, T, T, "max(a, b)", p < q ? q : p, .takes = 0)                                                       \
    KNOWN(N, and, T, T, "a & b", p & q, .identity = '~')                                                               \
    KNOWN(N, xor, T, T, "a ^ b", p ^ q, .identity = '0')                                                               \
    KNOWN(N, left, T, T, "a", p, .takes = 0)                                                                           \
    OF_A_B(N, add, T, T, (T)((U)a + (U)b), .takes = 0)                                                                 \
    OF_A_B(N, some, T, T, a ? a : b, .takes = 0)                                                                       \
    OF_A_B_K(N, with, T, T, (T)(a | b | k), .total = false)                                                            \
    OF_A_B(N, last, T, T, b, .takes = 0)                                                                               \
    KNOWN(N, rising, int, T, "a < b", p < q, .total = true)                                                            \
    KNOWN(N, falling, int, T, "a > b", p > q, .total = true)                                                           \
    OF_A_B(N, less, int, T, a < b, .total = true)                                                                      \
    OF_A_B(N, coarse, int, T, (a & 3) < (b & 3), .takes = 0)                                                           \
    OF_A_B_K(N, twisted, int, T, (T)(a ^ k) < (T)(b ^ k), .total = true)                                               \
    OF_X_Y(N, decide, int, T, { return x < y ? 2 : x == y; })                                                          \
    OF_X(N, to_int, int, T, { return (int)(x & 1023); })                                                               \
    OF_X(N, key, int, T, { return (int)(x & 3); })                                                                     \
    OF_X(N, place_in, unsigned int, T, { return (unsigned int)(x & 15); })                                             \
    OF_X(N, from_int, T, int, { return (T)x; })                                                                        \
    KIND(T, N, R(N, mask), R(N, affine), R(N, plus), R(N, shift), R(N, place), R(N, look), R(N, same), R(N, index))    \
    .maps2 = {R(N, mix), R(N, larger), R(N, xplusy), R(N, xminy)},                                                     \
    .joins = {R(N, sum), R(N, product), R(N, least), R(N, most), R(N, and), R(N, xor), R(N, left), R(N, add),          \
              R(N, some), R(N, last), R(N, with)}};

#define FLOATING(T, N)                                                                                                 \
    OF_X(N, affine, T, T, { return x > 4 ? x - 7 : x + 3; })                                                           \
    OF_X(N, mask, T, T, { return x > -1000000 && x < 1000000 ? x - 8 * (T)((int)x / 8) : 0; })                         \
    OF_X_I(N, place, T, T, { return x + (T)(i & 3); })                                                                 \
    OF_X_K(N, plus, T, T, { return x + k; })                                                                           \
    OF_X_T(N, look, T, T, { return m ? x + t[i % m] : x; })                                                            \
    OF_X_M(N, shift, T, T, { return m ? x + t[0] : x; })                                                               \
    KNOWN(N, same, T, T, "x", p, .takes = 0)                                                                           \
    OF_X(N, negate, T, T, { return 1 - x; })                                                                           \
    OF_X_Y(N, mix, T, T, { return x - y; })                                                                            \
    OF_X_Y(N, larger, T, T, { return x > y ? x : y; })                                                                 \
    KNOWN(N, xplusy, T, T, "x + y", p + q, .takes = 0)                                                                 \
    KNOWN(N, xminy, T, T, "fmin(x, y)", fmin(p, q), .takes = 0)                                                        \
    OF_X_Y_Z(N, choose, T, T, { return x > y ? z : x + 1; })                                                           \
    OF_X(N, none, int, T, { return x > 100000000 && x < 200000000; })                                                  \
    OF_X(N, all, int, T, { return !(x > 100000000 && x < 200000000); })                                                \
    OF_X(N, odd, int, T, { return x > 0; })                                                                            \
    OF_X(N, rare, int, T, { return x == 5; })                                                                          \
    OF_X_I(N, places, int, T, { return (i & 3) == 1 || x == 3; })                                                      \
    OF_X_K(N, below, int, T, { return x < k; })                                                                        \
    OF_X_M(N, first, int, T, { return m && x < t[m - 1]; })                                                            \
    KNOWN(N, sum, T, T, "a + b", p + q, .identity = '0', .grows = SUMS)                                                \
    KNOWN(N, product, T, T, "a * b", p * q, .identity = '1', .grows = MULTIPLIES)                                      \
    KNOWN(N, least, T, T, "fmin(a, b)", fmin(p, q), .takes = 0)                                                        \
    KNOWN(N, most, T, T, "fmax(a, b)", fmax(p, q), .takes = 0)                                                         \
    KNOWN(N, left, T, T, "a", p, .takes = 0)                                                                           \
    OF_A_B(N, add, T, T, (a) + (b), .grows = SUMS)                                                                     \
    OF_A_B(N, some, T, T, a != 0 ? a : b, .takes = 0)                                                                  \
    OF_A_B(N, last, T, T, b, .takes = 0)                                                                               \
    KNOWN(N, rising, int, T, "a < b", p < q, .total = true)                                                            \
    KNOWN(N, falling, int, T, "a > b", p > q, .total = true)                                                           \
    OF_A_B(N, less, int, T, a < b, .total = true)                                                                      \
    OF_A_B(N, coarse, int, T, a * a < b * b, .takes = 0)                                                               \
    OF_A_B_K(N, twisted, int, T, (a < k) < (b < k), .total = false)                                                    \
    OF_X_Y(N, decide, int, T, { return x < y ? 2 : x == y; })                                                          \
    OF_X(N, to_int, int, T, { return x > -100000 && x < 100000 ? (int)x : 7; })                                        \
    OF_X(N, key, int, T, { return x > 0 ? 1 : x < 0 ? -1 : 0; })                                                       \
    OF_X(N, place_in, unsigned int, T, { return x >= 0 && x < 16 ? (unsigned int)x : 3; })                             \
    OF_X(N, from_int, T, int, { return (T)(x & 15) - 4; })                                                             \
    KIND(T, N, R(N, mask), R(N, affine), R(N, plus), R(N, shift), R(N, place), R(N, look), R(N, same), R(N, negate))   \
    .maps2 = {R(N, mix), R(N, larger), R(N, xplusy), R(N, xminy)},                                                     \
    .joins = {R(N, sum), R(N, product), R(N, least), R(N, most), R(N, left), R(N, add), R(N, some), R(N, last)}};

#define R(N, label) &N##_##label##_rule

/* What both have: the kind, but for two lists that its user adds. */
#define KIND(T, N, ...)                                                                                                \
    static bool N##_equal(const void *p, const void *q)                                                                \
    {                                                                                                                  \
        T v = *(const T *)p, w = *(const T *)q;                                                                        \
        return v == w || (v != v && w != w);                                                                           \
    }                                                                                                                  \
    static const kind N##_kind = {                                                                                     \
        .name = #N, .type = &gpu_type_##N, .scalar = true, .same = N##_equal, .maps = {__VA_ARGS__},                   \
        .maps3 = {R(N, choose)}, .to_int = R(N, to_int), .key = R(N, key), .place_in = R(N, place_in),                 \
        .from_int = R(N, from_int), .decides = R(N, decide),                                                           \
        .orders = {R(N, rising), R(N, falling), R(N, less), R(N, coarse), R(N, twisted)},                              \
        .tests = {R(N, none), R(N, all), R(N, none), R(N, odd), R(N, rare), R(N, places), R(N, below), R(N, first)},
/* clang-format on */

INTEGER(signed char, unsigned char, char)
INTEGER(unsigned char, unsigned char, uchar)
INTEGER(short, unsigned short, short)
INTEGER(unsigned short, unsigned short, ushort)
INTEGER(int, unsigned int, int)
INTEGER(unsigned int, unsigned int, uint)
INTEGER(long, unsigned long, long)
INTEGER(unsigned long, unsigned long, ulong)
FLOATING(float, float)
FLOATING(double, double)

const kind *const scalar_kinds[] = {&int_kind,   &uint_kind,  &float_kind,  &double_kind, &char_kind,
                                    &uchar_kind, &short_kind, &ushort_kind, &long_kind,   &ulong_kind};
