/** The functions of <math.h>, with the same meaning on the host and on the device in a GPU_FUNCTION.
 *
 * On a device sqrt(x) of a float is a float. In plain C it is a double, which is rounded when it is stored. In C files
 * that include this header the functions below take the type of their arguments on the host too: float for floats,
 * double if one argument is a double. <tgmath.h> does the same, but adds complex numbers and the name `I`. In C++ this
 * header only includes <cmath>, which overloads these functions already. firepile.h does not include this header, since
 * it makes macros of standard names.
 *
 * With and without this header, GPU_FUNCTIONs are compiled without contraction on both sides: a * b + c rounds twice
 * and never becomes an fma. Write fma to get one.
 *
 * Types     float, and double if the device has it. With integers the functions are double in C and an error in OpenCL
 *           C: convert integers first.
 * Bounds    of the difference between host and device, in units in the last place:
 *             0    all operators of integers; + - * and comparisons of floating numbers; conversions; / and sqrt of
 *                  doubles, and of floats if the device rounds them correctly, as PoCL and NVIDIA do (else 3)
 *             0    ceil copysign fabs fdim floor fma fmax fmin fmod frexp ldexp logb modf nextafter remainder rint
 *                  round trunc, isfinite isinf isnan isnormal signbit (1 or 0). Exceptions: PoCL's ldexp has 1 if the
 *                  result is subnormal. The zero of fmax(0, -0) and fmin(0, -0) may have either sign. So may a NaN,
 *                  which copysign and signbit show.
 *             6    cbrt exp exp2 expm1 hypot log log10 log1p log2
 *             8    acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan tanh
 *             26   erf erfc pow tgamma
 *           Each bound is the sum of the error that OpenCL 1.2 allows a device and the error that glibc states for
 *           itself (1 to 2 for most, 10 for tgamma). PoCL on x86-64 stayed within 5. A device without subnormal numbers
 *           may give 0 for results below FLT_MIN.
 *           The bounds do not hold under -ffast-math, under clang's -ffp-contract=fast, or if FLT_EVAL_METHOD is not 0
 *           (32-bit x86 without SSE).
 * Exact     A GPU_FUNCTION has the same bits on both sides if its parameters and variables are floating and it calls,
 *           of these functions, only ceil fabs fdim floor fma fmod logb nextafter remainder rint round sqrt trunc
 *           isfinite isinf isnan isnormal. The library then computes small arrays on the host (FIREPILE_SMALL), and
 *           FIREPILE_VERIFY compares bits.
 *
 * These do not mean the same on both sides, and this header does not change that:
 * - names that end in f (sqrtf), which devices do not have
 * - abs, which returns an unsigned number on devices
 * - lgamma, whose error OpenCL does not bound
 * - signaling NaNs
 * - char, if the host's is unsigned: write int8_t
 * - some operations of integers: see GPU_FUNCTION (firepile/define.h)
 *
 * Example (file scope)
 *     #include <firepile/math.h>
 *     GPU_FUNCTION(float, decay, (float x), { return exp(-x * M_LN2_F); });
 */
#ifndef FIREPILE_MATH_H
#define FIREPILE_MATH_H

#ifdef __cplusplus
#include <cmath>
#else
#include <math.h>

/* GPU_FUNCTIONs from here on have the functions below. */
#define GPU_MATH_ 1

/* The function for the type of x; in the expansion of a macro its own name is the function. */
#define GPU_REAL_(name, x) _Generic((x), float : name##f, default : name)

/* clang-format off */
/** Functions of one argument. */
#define acos(x) GPU_REAL_(acos, x)(x)
#define acosh(x) GPU_REAL_(acosh, x)(x)
#define asin(x) GPU_REAL_(asin, x)(x)
#define asinh(x) GPU_REAL_(asinh, x)(x)
#define atan(x) GPU_REAL_(atan, x)(x)
#define atanh(x) GPU_REAL_(atanh, x)(x)
#define cbrt(x) GPU_REAL_(cbrt, x)(x)
#define ceil(x) GPU_REAL_(ceil, x)(x)
#define cos(x) GPU_REAL_(cos, x)(x)
#define cosh(x) GPU_REAL_(cosh, x)(x)
#define erf(x) GPU_REAL_(erf, x)(x)
#define erfc(x) GPU_REAL_(erfc, x)(x)
#define exp(x) GPU_REAL_(exp, x)(x)
#define exp2(x) GPU_REAL_(exp2, x)(x)
#define expm1(x) GPU_REAL_(expm1, x)(x)
#define fabs(x) GPU_REAL_(fabs, x)(x)
#define floor(x) GPU_REAL_(floor, x)(x)
#define log(x) GPU_REAL_(log, x)(x)
#define log10(x) GPU_REAL_(log10, x)(x)
#define log1p(x) GPU_REAL_(log1p, x)(x)
#define log2(x) GPU_REAL_(log2, x)(x)
#define logb(x) GPU_REAL_(logb, x)(x)
#define rint(x) GPU_REAL_(rint, x)(x)
#define round(x) GPU_REAL_(round, x)(x)
#define sin(x) GPU_REAL_(sin, x)(x)
#define sinh(x) GPU_REAL_(sinh, x)(x)
#define sqrt(x) GPU_REAL_(sqrt, x)(x)
#define tan(x) GPU_REAL_(tan, x)(x)
#define tanh(x) GPU_REAL_(tanh, x)(x)
#define tgamma(x) GPU_REAL_(tgamma, x)(x)
#define trunc(x) GPU_REAL_(trunc, x)(x)
/** Functions of two and three arguments. */
#define atan2(x, y) GPU_REAL_(atan2, (x) + (y))(x, y)
#define copysign(x, y) GPU_REAL_(copysign, (x) + (y))(x, y)
#define fdim(x, y) GPU_REAL_(fdim, (x) + (y))(x, y)
#define fmax(x, y) GPU_REAL_(fmax, (x) + (y))(x, y)
#define fmin(x, y) GPU_REAL_(fmin, (x) + (y))(x, y)
#define fmod(x, y) GPU_REAL_(fmod, (x) + (y))(x, y)
#define hypot(x, y) GPU_REAL_(hypot, (x) + (y))(x, y)
#define nextafter(x, y) GPU_REAL_(nextafter, (x) + (y))(x, y)
#define pow(x, y) GPU_REAL_(pow, (x) + (y))(x, y)
#define remainder(x, y) GPU_REAL_(remainder, (x) + (y))(x, y)
#define fma(x, y, z) GPU_REAL_(fma, (x) + (y) + (z))(x, y, z)
/** Functions of one number and an int, or an output pointer. */
#define frexp(x, exponent) GPU_REAL_(frexp, x)(x, exponent)
#define ldexp(x, n) GPU_REAL_(ldexp, x)(x, n)
#define modf(x, whole) GPU_REAL_(modf, x)(x, whole)
/* clang-format on */

/** These give 1 or 0; in C they give 0 or any other number. */
#undef isfinite
#undef isinf
#undef isnan
#undef isnormal
#undef signbit
#define isfinite(x) (__builtin_isfinite(x) != 0)
#define isinf(x) (__builtin_isinf(x) != 0)
#define isnan(x) (__builtin_isnan(x) != 0)
#define isnormal(x) (__builtin_isnormal(x) != 0)
#define signbit(x) (__builtin_signbit(x) != 0)
#endif

/** OpenCL C's constants, as double, and as float with _F. Strict C has none of them. */
#ifndef M_PI
#define M_E 2.71828182845904523536
#define M_LOG2E 1.44269504088896340736
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
#ifndef M_PI_F
#define M_E_F 2.71828182845904523536f
#define M_LOG2E_F 1.44269504088896340736f
#define M_LOG10E_F 0.43429448190325182765f
#define M_LN2_F 0.69314718055994530942f
#define M_LN10_F 2.30258509299404568402f
#define M_PI_F 3.14159265358979323846f
#define M_PI_2_F 1.57079632679489661923f
#define M_PI_4_F 0.78539816339744830962f
#define M_1_PI_F 0.31830988618379067154f
#define M_2_PI_F 0.63661977236758134308f
#define M_2_SQRTPI_F 1.12837916709551257390f
#define M_SQRT2_F 1.41421356237309504880f
#define M_SQRT1_2_F 0.70710678118654752440f
#endif

#endif
