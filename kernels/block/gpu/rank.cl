// lint:
// lint: FP_WARP=1
// Places of a tile in a warp-striped arrangement: element k of a work-item is at fp_place(k), so that neighbours load
// neighbours. A warp's elements are contiguous. Without warps an item is a warp of its own.
//   FP_ITEMS_PER_THREAD=16  elements of a work-item
//   FP_WARP=32              work-items that vote together: 32, or 1
#if !defined(FP_ITEMS_PER_THREAD) || !defined(FP_WARP)
#error "block/gpu/rank.cl needs FP_ITEMS_PER_THREAD and FP_WARP"
#endif
#include "block/gpu/ptx.cl"

#define FP_WARPS (FP_WG / FP_WARP)

static inline uint fp_place(const uint k)
{
    const uint l = get_local_id(0);
    return l / FP_WARP * (FP_WARP * FP_ITEMS_PER_THREAD) + k * FP_WARP + l % FP_WARP;
}

// The number of votes of the items before this one.
static inline uint fp_votes_before(const uint votes)
{
    return popcount(votes & ((1u << get_local_id(0) % FP_WARP) - 1));
}
