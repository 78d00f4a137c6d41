// lint:
// exp and exp2 of floats, for PoCL, without a branch. A sum with 1.5 * 2^23 is rounded to an integer, which is in its
// low bits. Arguments beyond the bounds have the results of the bounds: 0 or infinity.

// v * 2^n. Two factors, since the result may be subnormal, or 2^n larger than all floats.
static inline __attribute__((always_inline)) float fp_times_power(const float v, const int n)
{
    const int half_of_n = n >> 1;
    return v * as_float((half_of_n + 127) << 23) * as_float((n - half_of_n + 127) << 23);
}

float __attribute__((overloadable, const, always_inline)) exp(const float x)
{
#pragma OPENCL FP_CONTRACT ON
    const float above = x < -104.0f ? -104.0f : x, y = above > 89.0f ? 89.0f : above;
    const float shifted = y * M_LOG2E_F + 12582912.0f, n = shifted - 12582912.0f;
    const float high = y - n * 0.693359375f, r = high - n * -2.12194440e-4f;
    float p = 1.38144671e-3f;
    p = p * r + 8.36878041e-3f;
    p = p * r + 4.16683942e-2f;
    p = p * r + 1.66665201e-1f;
    p = p * r + 4.99999934e-1f;
    p = p * (r * r) + r;
    return fp_times_power(p + 1.0f, as_int(shifted) - as_int(12582912.0f));
}

float __attribute__((overloadable, const, always_inline)) exp2(const float x)
{
#pragma OPENCL FP_CONTRACT ON
    const float above = x < -151.0f ? -151.0f : x, y = above > 129.0f ? 129.0f : above;
    const float shifted = y + 12582912.0f, r = y - (shifted - 12582912.0f);
    float p = 1.53532579e-4f;
    p = p * r + 1.33990034e-3f;
    p = p * r + 9.61843860e-3f;
    p = p * r + 5.55033216e-2f;
    p = p * r + 2.40226479e-1f;
    p = p * r + 6.93147203e-1f;
    return fp_times_power(p * r + 1.0f, as_int(shifted) - as_int(12582912.0f));
}
