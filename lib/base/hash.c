#include "base/hash.h"

#include <string.h>

static uint64_t mix(uint64_t h)
{
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    h ^= h >> 32;
    return h;
}

uint64_t fp_hash(const void *bytes, size_t n, uint64_t seed)
{
    const unsigned char *p = bytes;
    uint64_t h = seed ^ (n * UINT64_C(0x9e3779b97f4a7c15));
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = mix(h ^ word) + UINT64_C(0x9e3779b97f4a7c15);
    }
    uint64_t tail = 0;
    if (n) memcpy(&tail, p, n);
    return mix(mix(h ^ tail));
}
