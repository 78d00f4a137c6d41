// lint:
// pow of floats, for PoCL, without a branch: 2^(y * log2(|x|)) in double. A sum with 1.5 * 2^52 is rounded to an
// integer, which is in its low bits.

// log2 of x > 0; -infinity of 0, infinity of infinity, any number of a NaN.
static inline __attribute__((always_inline)) double fp_log2_in_double(const float x)
{
    const ulong root = 0x3fe6a09e667f3bcd, bits = as_ulong((double)x) - root;
    const double m = as_double((bits & 0xffffffffffffful) + root), e = (double)((long)bits >> 52);
    const double s = (m - 1) / (m + 1), square = s * s;
    double p = 0.340728008974278791;
    p = p * square + 0.411672826841763998;
    p = p * square + 0.577083583270718379;
    p = p * square + 0.961796673350053857;
    p = p * square + 2.88539008179008012;
    const double value = p * s + e, finite = x < INFINITY ? value : x;
    return x == 0 ? -INFINITY : finite;
}

// 2^z as a float. The smallest is 2^-149.
static inline __attribute__((always_inline)) float fp_exp2_of_double(const double z)
{
    const double above = z < -160 ? -160 : z, y = above > 130 ? 130 : above;
    const double shifted = y + 6755399441055744.0, r = y - (shifted - 6755399441055744.0);
    double p = 1.53532578943666643e-4;
    p = p * r + 1.33990033936443099e-3;
    p = p * r + 9.6184386013313217e-3;
    p = p * r + 5.55033216315027928e-2;
    p = p * r + 2.40226478968822098e-1;
    p = p * r + 6.93147202984859836e-1;
    return (float)((p * r + 1) * as_double((as_ulong(shifted) + 1023) << 52));
}

// Is y a whole number? Those from 2^24 on all are.
static inline __attribute__((always_inline)) bool fp_is_whole(const double y)
{
    const double shifted = y + 6755399441055744.0;
    return shifted - 6755399441055744.0 == y;
}

float __attribute__((overloadable, const, always_inline)) pow(const float x, const float y)
{
    const float size = as_float(as_uint(x) & 0x7fffffff);
    const double most = 16777216, bounded = y > most ? most : y < -most ? -most : y;
    const bool whole = fp_is_whole(bounded), odd = whole & !fp_is_whole(bounded * 0.5);
    const float power = fp_exp2_of_double(y * fp_log2_in_double(size));
    const float of_one = size == 1 ? 1 : power, real = (whole | !(x < 0) | (size == INFINITY)) ? of_one : NAN;
    const float with_sign = as_float(as_uint(real) ^ (odd ? as_uint(x) & 0x80000000 : 0));
    return x == 1 || y == 0 ? 1 : x != x || y != y ? NAN : with_sign;
}
