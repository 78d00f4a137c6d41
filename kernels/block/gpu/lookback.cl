// lint: FP_ORDERED=1 FP_PACKED=0
// lint: FP_ORDERED=1 FP_PACKED=2
// lint: FP_ORDERED=1 FP_START=1
// lint: FP_ORDERED=1 FP_PASS=1
// lint: FP_ORDERED=1 FP_PASS=2
// Decoupled look-back: a tile belongs to a work-group.
//   FP_PASS=0               0: one launch
//                           1 and 2: first and second pass of two, for devices without forward progress, where a group
//                           may not wait for another. Tiles publish in the first, and find all published in the second.
//   FP_ITEMS_PER_THREAD=16  elements of a work-item in a tile, at most 32
// and the slots of block/start.cl, block/tile_state.cl, block/gpu/group.cl and block/gpu/ticket.cl.
// Note [look-back]: the order in which values are combined depends only on the tiles' numbers, not on which tile was
// faster. So floating results have the same bits in every run. FP_WG tiles form a tile group. A tile combines the
// prefix of its tile group and the totals of the tiles before it in the group, one for each work-item. The last tile of
// a tile group publishes the prefix of the next one.
// Note [waiting]: while a tile waits, its compute unit works on other groups. Registers limit their number. So a kernel
// loads elements to local memory, as many of an item at a time as few registers hold, FP_AT_ONCE. It keeps none in
// registers while it waits.
#if !defined(FP_PASS) || !defined(FP_ITEMS_PER_THREAD)
#error "block/gpu/lookback.cl needs FP_PASS and FP_ITEMS_PER_THREAD"
#endif
#include "block/gpu/group.cl"
#include "block/gpu/ptx.cl"
#include "block/gpu/ticket.cl"
#include "block/start.cl"
#include "block/tile_state.cl"

#define FP_TILE (FP_WG * FP_ITEMS_PER_THREAD)
#define FP_TILES(n) (((n) + FP_TILE - 1) / FP_TILE)
#define FP_TILE_STATE(tile) ((tile) / FP_WG * (FP_WG + 1) + (tile) % FP_WG)
#define FP_GROUP_STATE(tile_group) ((tile_group) * (FP_WG + 1) + FP_WG)

static inline uint fp_next_tile(volatile __global uint *ticket, const uint groups, __local uint *mine)
{
    // No tile of two passes waits for another one.
    return FP_PASS ? (uint)get_group_id(0) : fp_take_tile(ticket, groups, mine);
}

// Publishes the tile's total. A kernel calls this first, because other tiles wait for it.
static inline void fp_publish_total(const ulong tile, __local const FP_T *total, FP_TILE_STATE_PARAMS)
{
    if (FP_PASS < 2 && get_local_id(0) == 0) fp_publish(FP_TILE_STATE(tile), *total, FP_TILE_STATE_ARGS);
}

// Look-back of a tile whose total is published: the prefix becomes scratch[0]. False if there is none. All items call
// it, and afterwards see what the others have written to local memory.
static inline bool fp_look_back(const ulong tile, __local const FP_T *total, __local FP_T *scratch,
                                FP_START_PARAM FP_TILE_STATE_PARAMS, FP_PARAMS)
{
    const uint l = get_local_id(0), inside = tile % FP_WG;
    const ulong tile_group = tile / FP_WG;
    // Item 0 waits for the prefix of the tile group, the next items for the totals of tiles, all at the same time.
    const uint ahead = FP_START || tile_group > 0, count = ahead + inside;
    if (count == 0) {
        // With one work-item in a group, each tile is a tile group.
        if (FP_PASS < 2 && inside == FP_WG - 1) fp_publish(FP_GROUP_STATE(tile_group), *total, FP_TILE_STATE_ARGS);
        barrier(CLK_LOCAL_MEM_FENCE);
        return false;
    }
    if (l < ahead) {
        scratch[0] = FP_START && tile_group == 0 ? FP_START_OR(*total)
                                                 : fp_await(FP_GROUP_STATE(tile_group - 1), FP_TILE_STATE_ARGS);
    } else if (l < count) {
        scratch[l] = fp_await(FP_TILE_STATE(tile - count + l), FP_TILE_STATE_ARGS);
    }
    fp_reduce_group(count, scratch, FP_ARGS);
    if (FP_PASS < 2 && l == 0 && inside == FP_WG - 1)
        fp_publish(FP_GROUP_STATE(tile_group), fp_op(scratch[0], *total), FP_TILE_STATE_ARGS);
    return true;
}

// The first pass of two: publishes the tile's total. The last work-group to do so publishes the prefix of each tile
// group behind a full one.
static inline void fp_publish_groups(const ulong tile, const ulong tiles, __local const FP_T *total,
                                     __local FP_T *scratch, __local uint *is_last, volatile __global uint *ticket,
                                     FP_START_PARAM FP_TILE_STATE_PARAMS, FP_PARAMS)
{
    const uint l = get_local_id(0);
    if (l == 0) {
        fp_publish(FP_TILE_STATE(tile), *total, FP_TILE_STATE_ARGS);
        fp_fence_device();
        *is_last = atomic_inc(ticket) == tiles - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (!*is_last) return;
    for (ulong tile_group = 0; (tile_group + 1) * FP_WG <= tiles; tile_group++) {
        scratch[l] = fp_await(FP_TILE_STATE(tile_group * FP_WG + l), FP_TILE_STATE_ARGS);
        fp_reduce_group(FP_WG, scratch, FP_ARGS);
        if (l == 0) {
            if (tile_group > 0)
                scratch[0] = fp_op(fp_await(FP_GROUP_STATE(tile_group - 1), FP_TILE_STATE_ARGS), scratch[0]);
            else
                scratch[0] = FP_WITH_START(scratch[0]);
            fp_publish(FP_GROUP_STATE(tile_group), scratch[0], FP_TILE_STATE_ARGS);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) atomic_xchg(ticket, 0u);
}
