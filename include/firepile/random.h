/** Random numbers: the same from the same seed, on every device and on the host. firepile.h does not include this
 * header.
 *
 * The generator is Philox 4x32-10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, 2011). It has no state:
 * gpu_philox(seed, i) is four words for each pair of numbers. Another seed gives other numbers, so count seeds up.
 *
 * Order     A type of B bytes has 16 / B elements in each call of gpu_philox, in the order of the words, lowest bytes
 *           first. Element i of an array of floats is made of word i % 4 of gpu_philox(seed, i / 4). Element i of an
 *           array of doubles is made of two words of gpu_philox(seed, i / 2): x and y, or z and w. A longer array
 *           begins with the elements of a shorter one.
 * Cost      All of them are delayed and fused into their consumers. Random arrays take no launch and no memory;
 *           neighbouring elements share a call of gpu_philox. gpu_shuffle and gpu_sample cost what gpu_gather does.
 * Errors    in the result: GPU_E_TYPE for other types, GPU_E_ARGUMENT, an input's failure.
 *
 * Example
 *     #include <firepile/random.h>
 *     gpu_array *u = gpu_random(g, GPU_FLOAT, 1000, 1), *noise = gpu_random_normal(g, GPU_FLOAT, 1000, 2);
 *     gpu_array *mixed = gpu_shuffle(u, 3), *some = gpu_sample(u, 10, 4);
 *     uint64_t seed = 5;
 *     gpu_array *coins = gpu_map_to(u, GPU_UCHAR, "gpu_philox(seed, i).x & 1", GPU_ARG(seed));
 */
#ifndef FIREPILE_RANDOM_H
#define FIREPILE_RANDOM_H

#include <firepile/overloads.h>

GPU_BEGIN_DECLS

/** Philox 4x32-10 of the counter (low word of i, high word of i, 0, 0) with the key (low word of seed, high word of
 * seed). It is a GPU_FUNCTION of the library: texts and GPU_FUNCTIONs may call it, and it may be an operator. */
GPU_API gpu_uint4 gpu_philox(uint64_t seed, uint64_t i);

/** n random numbers of a scalar type.
 * Integers  have all their bits from the generator.
 * Floats    are uniform in [0, 1), never 1: the upper 24 bits of a word, times 2^-24.
 * Doubles   likewise: the upper 53 bits of two words, times 2^-53. The second word is the upper one.
 * All have the same bits on every device and on the host. */
#define gpu_random(g, type, n, seed) gpu_random_op((g), (type), (n), (seed), GPU_HERE)
GPU_API gpu_array *gpu_random_op(gpu *g, gpu_type type, size_t n, uint64_t seed, const gpu_place *place);

/** n normally distributed floats or doubles: mean 0, variance 1. Elements 2k and 2k + 1 are a pair of Box and Muller's
 * transform. Floats lie within 6.8 of 0, doubles within 8.7.
 * Bits      The logarithm and the cosine are sums and products of the library's own, so they have the same bits
 *           everywhere. So do the results if sqrt is rounded correctly: always for doubles, and for floats on PoCL and
 *           NVIDIA. On other devices OpenCL allows sqrt of floats 3 ulp, and results then agree within 8 ulp. */
#define gpu_random_normal(g, type, n, seed) gpu_random_normal_op((g), (type), (n), (seed), GPU_HERE)
GPU_API gpu_array *gpu_random_normal_op(gpu *g, gpu_type type, size_t n, uint64_t seed, const gpu_place *place);

/** The elements of `a` in random order, the same order on every device. Place i of the result has the element at
 * place p(i) of `a`. The permutation p is computed for each element, and neither sorted nor stored. Waits for a length
 * that only the device knows. */
#define gpu_shuffle(a, seed) gpu_shuffle_op((a), (seed), GPU_HERE)
GPU_API gpu_array *gpu_shuffle_op(const gpu_array *a, uint64_t seed, const gpu_place *place);

/** k elements of `a`, without replacement: the first k of gpu_shuffle(a, seed). Their cost does not depend on the
 * length of `a`, which is computed first if it is delayed. Waits for a length that only the device knows.
 * Errors    GPU_E_ARGUMENT if `a` has fewer than k elements. */
#define gpu_sample(a, k, seed) gpu_sample_op((a), (k), (seed), GPU_HERE)
GPU_API gpu_array *gpu_sample_op(const gpu_array *a, size_t k, uint64_t seed, const gpu_place *place);

GPU_END_DECLS

#ifdef __cplusplus
namespace firepile {

/** In C++: firepile::random<float>(g, n, seed), firepile::random_normal<float>(g, n, seed), firepile::shuffle(a, seed),
 * firepile::sample(a, k, seed). */
template <class T> gpu_array *random(gpu *g, size_t n, uint64_t seed, const caller &at = caller()) {
    return gpu_random_op(g, element<T>::type(), n, seed, &at.place);
}

template <class T> gpu_array *random_normal(gpu *g, size_t n, uint64_t seed, const caller &at = caller()) {
    return gpu_random_normal_op(g, element<T>::type(), n, seed, &at.place);
}

inline gpu_array *shuffle(const gpu_array *a, uint64_t seed, const caller &at = caller()) {
    return gpu_shuffle_op(a, seed, &at.place);
}

inline gpu_array *sample(const gpu_array *a, size_t k, uint64_t seed, const caller &at = caller()) {
    return gpu_sample_op(a, k, seed, &at.place);
}

} // namespace firepile
#endif
#endif
