// Batcher's bitonic sort of `data`, in place, for any length. Every exchange puts the lesser element lower. An element
// whose partner would lie behind the end stays where it is.
// A step of width w exchanges elements w / 2 apart, in each block of w elements. The first step of a stage has the
// stage's width and is flipped: it exchanges elements that mirror each other in their block. Steps of half the width, a
// quarter, ..., 2 follow.
// A pass does FP_STEPS steps, from one of `width` down. A work-item holds the FP_HELD elements of a block that these
// steps exchange with each other: one from each of FP_HELD parts of the block. If the first step is flipped, its places
// in the parts of the upper half are mirrored. The last pass of a stage always has the width FP_HELD: steps that it
// repeats find nothing to exchange.
// The file that includes this has fp_place, the type of places, FP_SPACE, the address space of `data`, and FP_AT(j),
// the place of an item's element j.
//   FP_STEPS=4  steps of a pass
// and the slots of block/merge.cl.
#ifndef FP_STEPS
#error "block/bitonic.cl needs FP_STEPS"
#endif
#include "block/merge.cl"

// Without inlining, an item's elements are not kept in registers, and a CPU's loops are not vectorized.
#define FP_ALWAYS static inline __attribute__((always_inline))

// Elements that a work-item holds.
#define FP_HELD (1u << FP_STEPS)

// Exchanges v[lower] and v[upper] if they are in the wrong order. Only the first `there` elements exist.
FP_ALWAYS void fp_exchange(FP_T *v, const uint lower, const uint upper, const uint there, FP_PARAMS)
{
    const FP_T x = v[lower], y = v[upper];
    const bool wrong = upper < there && fp_before(y, x, FP_ARGS);
    v[lower] = wrong ? y : x;
    v[upper] = wrong ? x : y;
}

// A step of width 1 << `bits` on an item's elements.
FP_ALWAYS void fp_step(FP_T *v, const uint bits, const bool flip, const uint there, FP_PARAMS)
{
    const uint apart = 1u << (bits - 1);
#pragma unroll
    for (uint k = 0; k < FP_HELD / 2; k++) {
        const uint lower = 2 * k - k % apart;
        fp_exchange(v, lower, lower ^ (flip ? 2 * apart - 1 : apart), there, FP_ARGS);
    }
}

FP_ALWAYS void fp_steps(FP_T *v, const bool flip, const uint there, FP_PARAMS)
{
    if (flip)
        fp_step(v, FP_STEPS, true, there, FP_ARGS);
    else
        fp_step(v, FP_STEPS, false, there, FP_ARGS);
#pragma unroll
    for (uint bits = FP_STEPS - 1; bits > 0; bits--) fp_step(v, bits, false, there, FP_ARGS);
}

// All stages up to FP_HELD on an item's elements.
FP_ALWAYS void fp_sort_held(FP_T *v, const uint there, FP_PARAMS)
{
#pragma unroll
    for (uint stage = 1; stage <= FP_STEPS; stage++) {
        fp_step(v, stage, true, there, FP_ARGS);
#pragma unroll
        for (uint bits = stage - 1; bits > 0; bits--) fp_step(v, bits, false, there, FP_ARGS);
    }
}

// The place of an item's element j in its block.
FP_ALWAYS fp_place fp_within(const uint j, const fp_place offset, const fp_place stride, const bool flip)
{
    return j * stride + (flip && j >= FP_HELD / 2 ? stride - 1 - offset : offset);
}

// A pass of an item, of whose elements the first `there` exist; with `sort`, all stages up to FP_HELD instead.
FP_ALWAYS void fp_pass(FP_SPACE FP_T *data, const fp_place block, const fp_place offset, const fp_place stride,
                       const bool flip, const bool sort, const uint there, FP_PARAMS)
{
    FP_T v[FP_HELD];
#pragma unroll
    for (uint j = 0; j < FP_HELD; j++)
        if (j < there) v[j] = data[FP_AT(j)];
    if (sort)
        fp_sort_held(v, there, FP_ARGS);
    else
        fp_steps(v, flip, there, FP_ARGS);
#pragma unroll
    for (uint j = 0; j < FP_HELD; j++)
        if (j < there) data[FP_AT(j)] = v[j];
}

// The work of item number k in a pass on n elements.
FP_ALWAYS void fp_pass_item(FP_SPACE FP_T *data, const fp_place n, const fp_place k, const fp_place width,
                            const bool flip, FP_PARAMS)
{
    const fp_place stride = width >> FP_STEPS, offset = k & (stride - 1), block = (k - offset) << FP_STEPS;
    if (block + fp_within(FP_HELD - 1, offset, stride, flip) < n) {
        fp_pass(data, block, offset, stride, flip, false, FP_HELD, FP_ARGS);
        return;
    }
    uint there = 0;
#pragma unroll
    for (uint j = 0; j < FP_HELD; j++) there += block + fp_within(j, offset, stride, flip) < n;
    if (there > 1) fp_pass(data, block, offset, stride, flip, false, there, FP_ARGS);
}

// Sorts the elements of item number k, of n elements.
FP_ALWAYS void fp_sort_item(FP_SPACE FP_T *data, const fp_place n, const fp_place k, FP_PARAMS)
{
    const fp_place block = k << FP_STEPS;
    if (block >= n) return;
    fp_pass(data, block, 0, 1, false, true, (uint)min((fp_place)FP_HELD, n - block), FP_ARGS);
}
