/* A 64-bit hash for tables and checksums. It resists no adversary: its users compare the bytes as well, or
 * say what happens if two have one hash. */
#ifndef FP_BASE_HASH_H
#define FP_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t fp_hash(const void *bytes, size_t n, uint64_t seed);

#endif
