#include "kernel/random.h"

#include "kernel/definition.h"

/* kernels/prelude.cl has it for kernels. */
static inline gpu_uint2 fp_halves(uint32_t a, uint32_t b)
{
    const uint64_t product = (uint64_t)a * b;
    return (gpu_uint2){.x = (uint32_t)product, .y = (uint32_t)(product >> 32)};
}

FP_FUNCTION(gpu_uint4, fp_philox_round, (gpu_uint4 c, uint32_t key0, uint32_t key1), {
    const gpu_uint2 p = fp_halves(0xd2511f53u, c.x);
    const gpu_uint2 q = fp_halves(0xcd9e8d57u, c.z);
    c.x = q.y ^ c.y ^ key0;
    c.y = q.x;
    c.z = p.y ^ c.w ^ key1;
    c.w = p.x;
    return c;
});

/* The keys are Weyl sequences. There is no loop, so that compilers may vectorize the loop around it. */
FP_FUNCTION(gpu_uint4, fp_philox, (gpu_uint4 c, uint32_t k, uint32_t l), {
    const uint32_t m = 0x9e3779b9u, n = 0xbb67ae85u;
    c = fp_philox_round(fp_philox_round(c, k, l), k + m, l + n);
    c = fp_philox_round(fp_philox_round(c, k + 2 * m, l + 2 * n), k + 3 * m, l + 3 * n);
    c = fp_philox_round(fp_philox_round(c, k + 4 * m, l + 4 * n), k + 5 * m, l + 5 * n);
    c = fp_philox_round(fp_philox_round(c, k + 6 * m, l + 6 * n), k + 7 * m, l + 7 * n);
    return fp_philox_round(fp_philox_round(c, k + 8 * m, l + 8 * n), k + 9 * m, l + 9 * n);
});

FP_FUNCTION(gpu_uint4, gpu_philox, (uint64_t seed, uint64_t i), {
    gpu_uint4 counter;
    counter.x = (uint32_t)i;
    counter.y = (uint32_t)(i >> 32);
    counter.z = 0;
    counter.w = 0;
    return fp_philox(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
});

FP_FUNCTION(uint64_t, fp_random_bits, (uint64_t seed, uint64_t i, uint32_t bytes), {
    const gpu_uint4 words = gpu_philox(seed, i / (16 / bytes));
    const uint64_t low = (uint64_t)words.y << 32 | words.x, high = (uint64_t)words.w << 32 | words.z;
    return (i * bytes % 16 < 8 ? low : high) >> i * bytes % 8 * 8;
});

/* ---- normally distributed ----
 *
 * Box and Muller's transform, sqrt(-2 ln u) * cos(2 pi v), with polynomials for ln and cos. Sums, products and
 * conversions round alike everywhere, and library functions do not. The polynomials err by less than 2 ulp. */

/* The polynomial of Cephes' logf. The number is m * 2^exponent, with m around 1. */
FP_FUNCTION(float, fp_square_float, (uint32_t word), {
    union {
        float number;
        uint32_t bits;
    } u;
    u.number = (float)word * 0x1p-32f + 0x1p-33f;
    const uint32_t moved = u.bits + (0x3f800000u - 0x3f3504f3u);
    const float exponent = (float)((int32_t)(moved >> 23) - 127);
    u.bits = (moved & 0x7fffffu) + 0x3f3504f3u;
    const float f = u.number - 1, s = f * f;
    float p = 7.0376836292e-2f * f - 1.1514610310e-1f;
    p = p * f + 1.1676998740e-1f;
    p = p * f - 1.2420140846e-1f;
    p = p * f + 1.4249322787e-1f;
    p = p * f - 1.6668057665e-1f;
    p = p * f + 2.0000714765e-1f;
    p = p * f - 2.4999993993e-1f;
    p = p * f + 3.3333331174e-1f;
    const float rest = p * f * s - 2.12194440e-4f * exponent - 0.5f * s;
    return -2 * (f + rest + 0.693359375f * exponent);
});

/* The polynomials of Cephes' sinf and cosf, an eighth of a turn to both sides of the nearest quarter. */
FP_FUNCTION(float, fp_cosine_float, (uint32_t phase), {
    const uint32_t quarter = (phase + 0x20000000u) >> 30;
    const float z = (float)(int32_t)(phase - (quarter << 30)) * 1.46291807926715968e-9f, s = z * z;
    const float sine = ((-1.9515295891e-4f * s + 8.3321608736e-3f) * s - 1.6666654611e-1f) * s * z + z;
    const float even = (2.443315711809948e-5f * s - 1.388731625493765e-3f) * s + 4.166664568298827e-2f;
    const float value = (quarter & 1) ? sine : even * s * s - 0.5f * s + 1;
    return (quarter + 1) & 2 ? -value : value;
});

/* The polynomial of fdlibm's log. */
FP_FUNCTION(double, fp_square_double, (uint64_t word), {
    union {
        double number;
        uint64_t bits;
    } u;
    u.number = (double)(word >> 11) * 0x1p-53 + 0x1p-54;
    const uint64_t moved = u.bits + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
    const double exponent = (double)((int32_t)(moved >> 52) - 1023);
    u.bits = (moved & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu;
    const double f = u.number - 1, halved = 0.5 * f * f, s = f / (2 + f), z = s * s, w = z * z;
    const double odd = w * (3.999999999940941908e-1 + w * (2.222219843214978396e-1 + w * 1.531383769920937332e-1));
    const double even = 2.857142874366239149e-1 + w * (1.818357216161805012e-1 + w * 1.479819860511658591e-1);
    const double r = odd + z * (6.666666666666735130e-1 + w * even);
    return -2 * (exponent * 6.93147180369123816490e-1 -
                 (halved - (s * (halved + r) + exponent * 1.90821492927058770002e-10) - f));
});

/* The polynomials of Cephes' sin and cos. */
FP_FUNCTION(double, fp_cosine_double, (uint64_t phase), {
    const uint64_t quarter = (phase + 0x2000000000000000u) >> 62;
    const double z = (double)(int64_t)(phase - (quarter << 62)) * 3.4061215800865546e-19, s = z * z;
    double p = 1.58962301576546568060e-10 * s - 2.50507477628578072866e-8;
    p = p * s + 2.75573136213857245213e-6;
    p = p * s - 1.98412698295895385996e-4;
    p = p * s + 8.33333333332211858878e-3;
    p = p * s - 1.66666666666666307295e-1;
    double q = -1.13585365213876817300e-11 * s + 2.08757008419747316778e-9;
    q = q * s - 2.75573141792967388112e-7;
    q = q * s + 2.48015872888517045348e-5;
    q = q * s - 1.38888888888730564116e-3;
    q = q * s + 4.16666666666665929218e-2;
    const double value = (quarter & 1) ? p * s * z + z : q * s * s - 0.5 * s + 1;
    return (quarter + 1) & 2 ? -value : value;
});

/* ---- permutations ---- */

/* `bits` bits that depend on all of v, which has 36 bits. */
FP_FUNCTION(uint32_t, fp_mixed, (uint64_t key, uint64_t v, uint32_t bits), {
    const uint64_t z = key + v * 0x9e3779b97f4a7c15u;
    return (uint32_t)((z ^ z >> 32) * 0xd6e8feb86659fd93u >> (64 - bits));
});

/* A Feistel network is a permutation of all numbers of `bits` bits. Walking on until the number is less than n makes a
 * permutation of the first n (Black and Rogaway, Ciphers with arbitrary finite domains, 2002). All such networks are
 * even permutations, so a bit of the key exchanges 0 and 1. With ten rounds all orders of few elements are equally
 * frequent, with six they are not; there are twelve. */
FP_FUNCTION(uint64_t, fp_shuffled, (uint64_t key, uint64_t i, uint64_t n, uint32_t bits), {
    const uint32_t lower = bits / 2, upper = bits - lower;
    do {
        uint32_t left = (uint32_t)(i >> lower), right = (uint32_t)i & 0xffffffffu >> (32 - lower);
        for (uint64_t step = 0; step < 12; step += 2) {
            left ^= fp_mixed(key, step << 32 | right, upper);
            right ^= fp_mixed(key, (step + 1) << 32 | left, lower);
        }
        i = (uint64_t)left << lower | right;
    } while (i >= n);
    return i < 2 && n > 1 ? i ^ key >> 63 : i;
});
