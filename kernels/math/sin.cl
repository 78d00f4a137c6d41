// lint:
// sin, cos and tan of floats, for PoCL, without a branch.

// |x| as a part of a turn, in units of 2^-64, without whole turns: the bits of 1 / (2 pi) from a place on, times the 24
// bits of x.
static inline __attribute__((always_inline)) ulong fp_turn(const float x)
{
    const uint bits = as_uint(x) & 0x7fffffff;
    const int place = (int)(bits >> 23) - 127, left = place < 0 ? 0 : place, right = left - place;
    const ulong a = 0x000000517cc1b727, b = 0x220a94fe13abe8fa, c = 0x9a6ee06db14acc9e, d = 0x21c820ff28b1d5ef;
    const ulong whole = (bits & 0x7fffff) | 0x800000, shift = left & 63, back = 63 - shift;
    const ulong first = left < 64 ? a : b, second = left < 64 ? b : c, third = left < 64 ? c : d;
    const ulong high = first << shift | second >> 1 >> back, low = second << shift | third >> 1 >> back;
    return (whole * high + (whole * (low >> 32) >> 32)) >> (right < 63 ? right : 63);
}

// The nearest turn to 0 that has the same sine, as an angle.
static inline __attribute__((always_inline)) double fp_fold(const ulong turn)
{
    const ulong half_turn = 1ul << 63;
    return (double)(long)((turn ^ turn << 1) < half_turn ? turn : half_turn - turn) * (M_PI / half_turn);
}

// The sine of an angle between -pi/2 and pi/2.
static inline __attribute__((always_inline)) double fp_sine(const double angle)
{
    const double square = angle * angle;
    double p = 2.6019030606460968e-6;
    p = p * square - 1.98074187247856644e-4;
    p = p * square + 8.33302513895225772e-3;
    p = p * square - 1.6666656684008880e-1;
    p = p * square + 0.999999994686013263;
    return p * angle;
}

// The functions of |x|, as if it was finite.
static inline __attribute__((always_inline)) double fp_sine_of_size(const float x)
{
    const double size = as_float(as_uint(x) & 0x7fffffff), angle = size < 1 ? size : fp_fold(fp_turn(x));
    return fp_sine(angle);
}

static inline __attribute__((always_inline)) double fp_cosine_of_size(const float x)
{
    return fp_sine(fp_fold(fp_turn(x) + (1ul << 62)));
}

// NaN if x is not finite, else v, with the other sign if x has one.
static inline __attribute__((always_inline)) float fp_for_odd(const float v, const float x)
{
    const float finite = as_float(as_uint(x) & 0x7fffffff) < INFINITY ? v : NAN;
    return as_float(as_uint(finite) ^ (as_uint(x) & 0x80000000));
}

float __attribute__((overloadable, const, always_inline)) sin(const float x)
{
    return fp_for_odd((float)fp_sine_of_size(x), x);
}

float __attribute__((overloadable, const, always_inline)) cos(const float x)
{
    return as_float(as_uint(x) & 0x7fffffff) < INFINITY ? (float)fp_cosine_of_size(x) : NAN;
}

float __attribute__((overloadable, const, always_inline)) tan(const float x)
{
    return fp_for_odd((float)(fp_sine_of_size(x) / fp_cosine_of_size(x)), x);
}
