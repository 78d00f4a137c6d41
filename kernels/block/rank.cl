// lint: FP_CPU=0
// lint: FP_CPU=0 FP_WARP=1
// Places of a tile whose elements the items take so that neighbours read neighbours: element k of an item is that at
// fp_place(k). A warp's elements stand together, and so do their ranks; where there are no warps an item is one by
//                itself.
//   FP_PART=16  elements of an item
//   FP_WARP=32  items that vote together: 32, or 1
#if !defined(FP_PART) || !defined(FP_WARP)
#error "block/rank.cl needs FP_PART and FP_WARP"
#endif
#include "block/ptx.cl"

#define FP_WARPS (FP_WG / FP_WARP)

static inline uint fp_place(const uint k)
{
    const uint l = get_local_id(0);
    return l / FP_WARP * (FP_WARP * FP_PART) + k * FP_WARP + l % FP_WARP;
}

// Of `votes`, those of the items before this one.
static inline uint fp_votes_before(const uint votes)
{
    return popcount(votes & ((1u << get_local_id(0) % FP_WARP) - 1));
}
