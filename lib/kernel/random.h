/* The functions of random numbers: C for the host, and the text of each for devices (FP_FUNCTION). */
#ifndef FP_KERNEL_RANDOM_H
#define FP_KERNEL_RANDOM_H

#include <firepile/random.h>

gpu_uint4 fp_philox_round(gpu_uint4 c, uint32_t key0, uint32_t key1);
/* Philox 4x32-10 of any counter, with the key (k, l). */
gpu_uint4 fp_philox(gpu_uint4 c, uint32_t k, uint32_t l);

/* The bits of element i of `bytes` bytes, lowest first; above them are others. */
uint64_t fp_random_bits(uint64_t seed, uint64_t i, uint32_t bytes);

/* -2 ln((word + 1/2) / 2^32), and cos(2 pi phase / 2^32). */
float fp_square_float(uint32_t word);
float fp_cosine_float(uint32_t phase);
/* The same of 64 bits. */
double fp_square_double(uint64_t word);
double fp_cosine_double(uint64_t phase);

uint32_t fp_mixed(uint64_t key, uint64_t v, uint32_t bits);
/* Where place i < n goes in a permutation of n places, which have `bits` >= FP_LEAST_SHUFFLED bits. */
uint64_t fp_shuffled(uint64_t key, uint64_t i, uint64_t n, uint32_t bits);

enum { FP_LEAST_SHUFFLED = 6 };

/* The texts of random elements: x is the seed, i the place. The host has each as C (lib/host/random.c). */
#define FP_RANDOM_INTEGER "fp_random_bits(x, i, sizeof(fp_result))"
#define FP_RANDOM_FLOAT "(float)((uint)fp_random_bits(x, i, 4) >> 8) * 0x1p-24f"
#define FP_RANDOM_DOUBLE "(double)(fp_random_bits(x, i, 8) >> 11) * 0x1p-53"
/* A quarter of a turn before the cosine is the sine. */
#define FP_NORMAL_FLOAT                                                                                                \
    "{ const ulong pair = fp_random_bits(x, i / 2, 8); return sqrt(fp_square_float((uint)pair)) * "                    \
    "fp_cosine_float((uint)(pair >> 32) - ((uint)(i % 2) << 30)); }"
#define FP_NORMAL_DOUBLE                                                                                               \
    "{ const ulong first = i / 2 * 2; return sqrt(fp_square_double(fp_random_bits(x, first, 8))) * "                   \
    "fp_cosine_double(fp_random_bits(x, first + 1, 8) - (i % 2 << 62)); }"
/* x is the key; `length` and `bits` are captured. */
#define FP_SHUFFLED "fp_shuffled(x, i, length, bits)"

#endif
