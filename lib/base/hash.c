#include "base/hash.h"

#include <string.h>

static uint64_t mix(uint64_t h)
{
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    h ^= h >> 32;
    return h;
}

static uint64_t word_at(const unsigned char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

static uint64_t add_word(uint64_t h, uint64_t word)
{
    return mix(h ^ word) + UINT64_C(0x9e3779b97f4a7c15);
}

/* Two chains, since each step of one waits for the step before. */
uint64_t fp_hash(const void *bytes, size_t n, uint64_t seed)
{
    const unsigned char *p = bytes;
    uint64_t h = seed ^ (n * UINT64_C(0x9e3779b97f4a7c15)), other = mix(seed) ^ UINT64_C(0x2545f4914f6cdd1d);
    for (; n >= 16; p += 16, n -= 16) {
        h = add_word(h, word_at(p));
        other = add_word(other, word_at(p + 8));
    }
    h = add_word(h, other);
    if (n >= 8) h = add_word(h, word_at(p));
    uint64_t tail = 0;
    if (n % 8) memcpy(&tail, p + n / 8 * 8, n % 8);
    return mix(mix(h ^ tail));
}
