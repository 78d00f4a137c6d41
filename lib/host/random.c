/* Random elements on the host: the texts of kernel/random.h in C. */
#include "host/internal.h"

#include "kernel/random.h"

#include <firepile/math.h>
#include <string.h>

/* Calls of Philox at a time: loops over them become vector instructions. */
enum { LANES = 32 };

/* Words of FP_BLOCK doubles, which may begin and end within a call, up to the end of the last lanes. */
enum { WORDS = 2 * FP_BLOCK + 8 * LANES };

/* gpu_philox of first, ..., first + LANES - 1. */
static void philox_lanes(uint64_t seed, uint64_t first, uint32_t *out)
{
    uint32_t x[LANES], y[LANES], z[LANES] = {0}, w[LANES] = {0};
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    for (unsigned k = 0; k < LANES; k++) x[k] = (uint32_t)(first + k);
    for (unsigned k = 0; k < LANES; k++) y[k] = (uint32_t)((first + k) >> 32);
    for (unsigned step = 0; step < 10; step++, key0 += 0x9e3779b9u, key1 += 0xbb67ae85u) {
        for (unsigned k = 0; k < LANES; k++) {
            const uint64_t p = (uint64_t)x[k] * 0xd2511f53u, q = (uint64_t)z[k] * 0xcd9e8d57u;
            x[k] = (uint32_t)(q >> 32) ^ y[k] ^ key0;
            y[k] = (uint32_t)q;
            z[k] = (uint32_t)(p >> 32) ^ w[k] ^ key1;
            w[k] = (uint32_t)p;
        }
    }
    for (unsigned k = 0; k < LANES; k++) {
        out[4 * k] = x[k];
        out[4 * k + 1] = y[k];
        out[4 * k + 2] = z[k];
        out[4 * k + 3] = w[k];
    }
}

/* The calls of Philox that `count` elements of `bytes` bytes from `first` on are made of. Returns where the
 * first element begins. */
static const unsigned char *draw(uint64_t seed, uint64_t first, size_t count, size_t bytes, uint32_t *words)
{
    const uint64_t share = 16 / bytes, begin = first / share, end = (first + count + share - 1) / share;
    for (uint64_t call = begin; call < end; call += LANES) philox_lanes(seed, call, words + 4 * (call - begin));
    return (const unsigned char *)words + first % share * bytes;
}

static uint64_t seed_of(const fp_stretch *s)
{
    uint64_t seed;
    memcpy(&seed, s->in[0], sizeof seed);
    return seed;
}

static void integers(const fp_applied *applied, const fp_stretch *s)
{
    uint32_t words[WORDS];
    const size_t size = applied->result->size;
    memcpy(s->out, draw(seed_of(s), s->index, s->count, size, words), s->count * size);
}

static void floats(const fp_applied *applied, const fp_stretch *s)
{
    uint32_t words[WORDS];
    const uint32_t *in = (const void *)draw(seed_of(s), s->index, s->count, sizeof *in, words);
    float *out = (void *)s->out;
    (void)applied;
    for (size_t e = 0; e < s->count; e++) out[e] = (float)(int32_t)(in[e] >> 8) * 0x1p-24f;
}

static void doubles(const fp_applied *applied, const fp_stretch *s)
{
    uint32_t words[WORDS];
    const uint32_t *in = (const void *)draw(seed_of(s), s->index, s->count, sizeof(double), words);
    double *out = (void *)s->out;
    (void)applied;
    for (size_t e = 0; e < s->count; e++)
        out[e] = (double)(int64_t)(((uint64_t)in[2 * e + 1] << 32 | in[2 * e]) >> 11) * 0x1p-53;
}

/* Pairs are computed whole, and the stretch may begin or end within one. */
static void normal_floats(const fp_applied *applied, const fp_stretch *s)
{
    uint32_t words[WORDS];
    const size_t begin = s->index % 2, pairs = (begin + s->count + 1) / 2;
    const uint32_t *in = (const void *)draw(seed_of(s), s->index / 2, pairs, sizeof(uint64_t), words);
    float made[FP_BLOCK + 2];
    (void)applied;
    for (size_t k = 0; k < pairs; k++) {
        const float radius = sqrt(fp_square_float(in[2 * k]));
        made[2 * k] = radius * fp_cosine_float(in[2 * k + 1]);
        made[2 * k + 1] = radius * fp_cosine_float(in[2 * k + 1] - (UINT32_C(1) << 30));
    }
    memcpy(s->out, made + begin, s->count * sizeof *made);
}

static void normal_doubles(const fp_applied *applied, const fp_stretch *s)
{
    uint32_t words[WORDS];
    const size_t begin = s->index % 2, pairs = (begin + s->count + 1) / 2;
    const uint32_t *in = (const void *)draw(seed_of(s), s->index / 2 * 2, 2 * pairs, sizeof(uint64_t), words);
    double made[FP_BLOCK + 2];
    (void)applied;
    for (size_t k = 0; k < pairs; k++, in += 4) {
        const double radius = sqrt(fp_square_double((uint64_t)in[1] << 32 | in[0]));
        const uint64_t phase = (uint64_t)in[3] << 32 | in[2];
        made[2 * k] = radius * fp_cosine_double(phase);
        made[2 * k + 1] = radius * fp_cosine_double(phase - (UINT64_C(1) << 62));
    }
    memcpy(s->out, made + begin, s->count * sizeof *made);
}

static void shuffled(const fp_applied *applied, const fp_stretch *s)
{
    const uint64_t key = seed_of(s);
    uint64_t length, *out = (void *)s->out;
    uint32_t bits;
    memcpy(&length, applied->op->captured[0].bytes, sizeof length);
    memcpy(&bits, applied->op->captured[1].bytes, sizeof bits);
    for (size_t e = 0; e < s->count; e++) out[e] = fp_shuffled(key, s->index + e, length, bits);
}

static const fp_own_text texts[] = {{FP_RANDOM_INTEGER, integers},      {FP_RANDOM_FLOAT, floats},
                                    {FP_RANDOM_DOUBLE, doubles},        {FP_NORMAL_FLOAT, normal_floats},
                                    {FP_NORMAL_DOUBLE, normal_doubles}, {FP_SHUFFLED, shuffled}};

fp_native *fp_native_find_random(const fp_operator *op)
{
    return fp_native_find_own(texts, sizeof texts / sizeof *texts, op->snippet);
}
