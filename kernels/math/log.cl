// lint:
// log, log2 and log10 of floats, for PoCL, without a branch.

// x = 2^e * (1 + f), with 1 + f between the roots of 1/2 and 2. *rest is log(1 + f) - f.
static inline __attribute__((always_inline)) float fp_log_parts(const float x, float *f, float *rest)
{
#pragma OPENCL FP_CONTRACT ON
    const bool small = x < FLT_MIN;
    const uint bits = as_uint(small ? x * 8388608.0f : x) - 0x3f3504f3;
    const float m = as_float((bits & 0x7fffff) + 0x3f3504f3) - 1.0f;
    float p = -7.63450291e-2f;
    p = p * m + 1.27615773e-1f;
    p = p * m - 1.31601805e-1f;
    p = p * m + 1.42017580e-1f;
    p = p * m - 1.66233575e-1f;
    p = p * m + 2.00012269e-1f;
    p = p * m - 2.50008210e-1f;
    p = p * m + 3.33333317e-1f;
    *f = m;
    *rest = m * m * (p * m - 0.5f);
    return (float)(((int)bits >> 23) - (small ? 23 : 0));
}

// The logarithm of x, if that of a positive number is `value`.
static inline __attribute__((always_inline)) float fp_log_or_not(const float x, const float value)
{
    const float finite = x < INFINITY ? value : x, positive = x < 0 ? NAN : finite;
    return x == 0 ? -INFINITY : positive;
}

float __attribute__((overloadable, const, always_inline)) log(const float x)
{
#pragma OPENCL FP_CONTRACT ON
    float f, rest;
    const float e = fp_log_parts(x, &f, &rest);
    return fp_log_or_not(x, e * 0.693359375f + (f + (e * -2.12194440e-4f + rest)));
}

float __attribute__((overloadable, const, always_inline)) log2(const float x)
{
#pragma OPENCL FP_CONTRACT ON
    float f, rest;
    const float e = fp_log_parts(x, &f, &rest), more = 4.42695041e-1f;
    return fp_log_or_not(x, e + (f + (f * more + (rest * more + rest))));
}

float __attribute__((overloadable, const, always_inline)) log10(const float x)
{
#pragma OPENCL FP_CONTRACT ON
    float f, rest;
    const float e = fp_log_parts(x, &f, &rest);
    const float low = e * 2.48745664e-4f + (f * 7.00731903e-4f + rest * M_LOG10E_F);
    return fp_log_or_not(x, e * 0.30078125f + (f * 0.43359375f + low));
}
