// lint: FP_CPU=0
// lint: FP_CPU=0 FP_FUSED=1
// lint: FP_CPU=0 FP_STEPS=1 FP_FUSED=1 FP_WARP=1
// lint: FP_CPU=0 FP_STEPS=2 FP_INDEX32=0
// lint: FP_CPU=1 FP_STEPS=2
// lint: FP_CPU=1 FP_STEPS=2 FP_FUSED=1
// Batcher's bitonic sort of `data`, in place, for any length. Every exchange puts the lesser element lower. An element
// whose partner would lie behind the end stays where it is.
// A step of width w exchanges elements w / 2 apart, in each block of w elements. The first step of a stage has the
// stage's width and is flipped: it exchanges elements that mirror each other in their block. Steps of half the width, a
// quarter, ..., 2 follow.
// A pass does FP_STEPS steps, from one of `width` down. A work-item holds the FP_HELD elements of a block that these
// steps exchange with each other: one from each of FP_HELD parts of the block. If the first step is flipped, its places
// in the parts of the upper half are mirrored. The last pass of a stage always has the width FP_HELD: steps that it
// repeats find nothing to exchange.
//   FP_STEPS=4    steps of a pass
//   FP_FUSED=0    0: a launch is one pass. On a CPU a work-item does the work of `chunk` items.
//                 1: a launch does all steps that stay in a tile of `chunk` elements: those from `width` down to 2, or,
//                 with `all`, all stages up to `width`, of the input. On a GPU a tile is the FP_WG * FP_HELD elements
//                 of a work-group, in local memory.
//   FP_INDEX32=1  GPU, not fused: 1: no block ends behind 2^31 elements
//   FP_WARP=32    GPU, fused: work-items that run in lockstep; 1: none do
// and the slots of block/merge.cl.
#if !defined(FP_FUSED) || !defined(FP_STEPS)
#error "sort_bitonic.cl needs FP_FUSED and FP_STEPS"
#endif
#if !FP_CPU && ((FP_FUSED && !defined(FP_WARP)) || (!FP_FUSED && !defined(FP_INDEX32)))
#error "sort_bitonic.cl needs FP_WARP or FP_INDEX32 on a GPU"
#endif
#include "block/merge.cl"
#include "block/ptx.cl"

// Without inlining, an item's elements are not kept in registers, and a CPU's loops are not vectorized.
#define FP_ALWAYS static inline __attribute__((always_inline))

// Elements that a work-item holds.
#define FP_HELD (1u << FP_STEPS)

#if !FP_CPU && (FP_FUSED || FP_INDEX32)
typedef uint fp_place;
#else
typedef ulong fp_place;
#endif

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

#if FP_FUSED && !FP_CPU
#define FP_SPACE __local
// Maps place i of a tile to local memory. The items of a warp then access different banks, whatever the width.
FP_ALWAYS uint fp_spread(const uint i)
{
    return i ^ (i >> FP_STEPS & 31);
}
// fp_within(j) has the bits of `offset` and other bits that are the same for all items.
#define FP_AT(j) (fp_spread(block + offset) ^ fp_spread(fp_within(j, 0, stride, flip)))
#else
#define FP_SPACE __global
#define FP_AT(j) (block + fp_within(j, offset, stride, flip))
#endif

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

#if FP_CPU
// The work of items first, ..., last - 1. Items of a full block all do the same, so their loops have no branch and are
// vectorized.
FP_ALWAYS void fp_pass_items(__global FP_T *data, const ulong n, const ulong first, const ulong last, const ulong width,
                             const bool flip, FP_PARAMS)
{
    const ulong stride = width >> FP_STEPS;
    for (ulong k = first, end; k < last; k = end) {
        const ulong offset = k & (stride - 1), block = (k - offset) << FP_STEPS;
        end = min(last, k + stride - offset);
        if (block + width > n) {
            for (ulong i = k; i < end; i++) fp_pass_item(data, n, i, width, flip, FP_ARGS);
        } else if (flip) {
            for (ulong i = 0; i < end - k; i++) fp_pass(data, block, offset + i, stride, true, false, FP_HELD, FP_ARGS);
        } else {
            for (ulong i = 0; i < end - k; i++)
                fp_pass(data, block, offset + i, stride, false, false, FP_HELD, FP_ARGS);
        }
    }
}
#endif

#if !FP_FUSED
__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_sort_bitonic(FP_PARAMS, const ulong width, const uint flip, const ulong chunk, __global FP_T *data)
{
#if FP_CPU
    const ulong first = get_global_id(0) * chunk;
    fp_pass_items(data, fp_n, first, first + chunk, width, flip, FP_ARGS);
#else
    fp_pass_item(data, (fp_place)fp_n, (fp_place)get_global_id(0), (fp_place)width, flip, FP_ARGS);
#endif
}

#else
// The work of all items of a tile. A CPU's work-item does it in a loop, a GPU's does that of one item.
FP_ALWAYS void fp_sort_items(FP_SPACE FP_T *tile, const fp_place count, FP_PARAMS)
{
#if FP_CPU
    for (ulong k = 0; k << FP_STEPS < count; k++) fp_sort_item(tile, count, k, FP_ARGS);
#else
    fp_sort_item(tile, count, get_local_id(0), FP_ARGS);
#endif
}

FP_ALWAYS void fp_pass_tile(FP_SPACE FP_T *tile, const fp_place count, const fp_place width, const bool flip, FP_PARAMS)
{
#if FP_CPU
    const ulong blocks = (count + width - 1) / width;
    fp_pass_items(tile, count, 0, blocks * (width >> FP_STEPS), width, flip, FP_ARGS);
#else
    fp_pass_item(tile, count, get_local_id(0), width, flip, FP_ARGS);
#endif
}

// Makes the elements that the items of a block of `width` elements have written visible to all of them.
FP_ALWAYS void fp_meet(const fp_place width)
{
#if !FP_CPU && FP_WARP > 1
    if (width <= FP_WARP * FP_HELD) {
        fp_warp_sync();
        return;
    }
#endif
#if !FP_CPU
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

// The passes of a stage, from `width` down.
FP_ALWAYS void fp_stage(FP_SPACE FP_T *tile, const fp_place count, const fp_place width, const bool flip, FP_PARAMS)
{
    for (fp_place at = max(width, (fp_place)FP_HELD);; at = max(at >> FP_STEPS, (fp_place)FP_HELD)) {
        fp_pass_tile(tile, count, at, flip && at == width, FP_ARGS);
        if (at == FP_HELD) break;
        fp_meet(at);
    }
}

FP_ALWAYS void fp_stages(FP_SPACE FP_T *tile, const fp_place count, const fp_place width, const bool all, FP_PARAMS)
{
    if (all) fp_sort_items(tile, count, FP_ARGS);
    for (fp_place stage = all ? 2 * FP_HELD : width; stage <= width && (!all || stage < 2 * count); stage *= 2) {
        fp_meet(stage);
        fp_stage(tile, count, stage, all, FP_ARGS);
    }
}

#if FP_CPU
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_sort_bitonic(FP_PARAMS, const ulong width, const uint all, const ulong chunk, __global FP_T *data)
{
    const ulong n = fp_n, first = get_group_id(0) * chunk;
    if (first >= n) return;
    const ulong count = min(chunk, n - first);
    if (all) {
        for (ulong i = first; i < first + count; i++) data[i] = fp_load(i);
    }
    fp_stages(data + first, count, width, all, FP_ARGS);
}

#else
__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_sort_bitonic(FP_PARAMS, const ulong width, const uint all, const ulong chunk, __global FP_T *data)
{
    __local FP_T tile[FP_WG * FP_HELD];
    const uint l = get_local_id(0);
    const ulong n = fp_n, first = get_group_id(0) * chunk;
    if (first >= n) return;
    const uint count = (uint)min(chunk, n - first);
    FP_T v[FP_HELD];
#pragma unroll
    for (uint j = 0; j < FP_HELD; j++)
        if (l + j * FP_WG < count) v[j] = fp_load(first + l + j * FP_WG);
#pragma unroll
    for (uint j = 0; j < FP_HELD; j++)
        if (l + j * FP_WG < count) tile[fp_spread(l + j * FP_WG)] = v[j];
    barrier(CLK_LOCAL_MEM_FENCE);
    fp_stages(tile, count, (uint)width, all, FP_ARGS);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint j = 0; j < FP_HELD; j++)
        if (l + j * FP_WG < count) data[first + l + j * FP_WG] = tile[fp_spread(l + j * FP_WG)];
}
#endif
#endif
