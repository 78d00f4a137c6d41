// lint: FP_CPU=0 FP_ORDERED=1 FP_PACKED=0
// lint: FP_CPU=0 FP_ORDERED=1 FP_PACKED=2
// lint: FP_CPU=0 FP_ORDERED=1 FP_PASS=1
// lint: FP_CPU=1
// Decoupled look-back (after Merrill and Garland, 2016): the tiles of a scan run concurrently. Each publishes its
// total, and finds the prefix, the value of all tiles before it, from what those have published.
//   FP_PACKED=1             how a tile's state lies in memory:
//                           0: status word and value lie in two arrays
//                           1: a value of at most 4 bytes lies in the lower half of its status word
//                           2: a value of at most 8 bytes lies behind its status word; NVIDIA's devices access both at
//                           once
//   FP_START=0              1: the prefix of the first tile is `start`
//   FP_PASS=0               GPU: 0: one launch
//                           1 and 2: first and second pass of two, for devices without forward progress, where a group
//                           may not wait for another. Tiles publish in the first, and find all published in the second.
//   FP_ITEMS_PER_THREAD=16  GPU: elements of a work-item in a tile, at most 32
// Note [look-back]: the order in which values are combined depends only on the tiles' numbers, not on which tile was
// faster. So floating results have the same bits in every run. FP_WG tiles form a tile group. A tile combines the
// prefix of its tile group and the totals of the tiles before it in the group, one for each work-item. The last tile of
// a tile group publishes the prefix of the next one.
#if !defined(FP_PACKED) || !defined(FP_START) || (!FP_CPU && !(defined(FP_PASS) && defined(FP_ITEMS_PER_THREAD)))
#error "block/lookback.cl needs FP_PACKED, FP_START and, on a GPU, FP_PASS and FP_ITEMS_PER_THREAD"
#endif
#include "block/ptx.cl"

// A status word holds the number of the launch that published the value. So the states of older launches need not be
// cleared.
#define FP_TILE_STATE_PARAMS volatile __global ulong *tile_status, volatile __global FP_T *values, const uint launch
#define FP_TILE_STATE_ARGS tile_status, values, launch
#if FP_START
#define FP_START_PARAM const FP_T start,
#define FP_START_ARG start,
#else
#define FP_START_PARAM
#define FP_START_ARG
#endif

#if FP_PACKED
typedef union {
    FP_T value;
#if FP_PACKED == 1
    uint bits;
#else
    ulong bits;
#endif
} fp_packed;
#endif

static inline void fp_publish(const ulong state, const FP_T value, FP_TILE_STATE_PARAMS)
{
#if FP_PACKED
    fp_packed c;
    c.bits = 0;
    c.value = value;
#endif
#if FP_PACKED == 1
    tile_status[state] = (ulong)launch << 32 | c.bits;
#elif FP_PACKED == 2
    fp_store_pair(tile_status + 2 * state, launch, c.bits);
#else
    values[state] = value;
    fp_fence_device();
    tile_status[state] = (ulong)launch << 32;
#endif
}

static inline FP_T fp_await(const ulong state, FP_TILE_STATE_PARAMS)
{
    ulong word;
#if FP_PACKED == 2
    fp_packed c;
    do fp_load_pair(tile_status + 2 * state, &word, &c.bits);
    while (word != launch);
    return c.value;
#else
    do word = tile_status[state];
    while (word >> 32 != launch);
#if FP_PACKED
    fp_packed c;
    c.bits = (uint)word;
    return c.value;
#else
    fp_fence_device();
    return values[state];
#endif
#endif
}

#if FP_CPU
// Tiles begin in the order of their numbers, so that a tile only waits for tiles that have begun.
static inline uint fp_next_tile(volatile __global uint *ticket)
{
    const uint tile = atomic_inc(ticket);
    if (tile == get_num_groups(0) - 1) atomic_xchg(ticket, 0u);
    return tile;
}

#else
#include "block/group.cl"

#define FP_TILE (FP_WG * FP_ITEMS_PER_THREAD)
#define FP_TILES(n) (((n) + FP_TILE - 1) / FP_TILE)
#define FP_TILE_STATE(tile) ((tile) / FP_WG * (FP_WG + 1) + (tile) % FP_WG)
#define FP_GROUP_STATE(tile_group) ((tile_group) * (FP_WG + 1) + FP_WG)

static inline uint fp_next_tile(volatile __global uint *ticket, __local uint *mine)
{
#if FP_PASS
    return (uint)get_group_id(0);
#else
    if (get_local_id(0) == 0) {
        *mine = atomic_inc(ticket);
        if (*mine == get_num_groups(0) - 1) atomic_xchg(ticket, 0u);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return *mine;
#endif
}

// Publishes the tile's total. A kernel calls this first, because other tiles wait for it.
static inline void fp_publish_total(const ulong tile, __local const FP_T *total, FP_TILE_STATE_PARAMS)
{
#if FP_PASS < 2
    if (get_local_id(0) == 0) fp_publish(FP_TILE_STATE(tile), *total, FP_TILE_STATE_ARGS);
#endif
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
#if FP_PASS < 2
        // With one work-item in a group, each tile is a tile group.
        if (inside == FP_WG - 1) fp_publish(FP_GROUP_STATE(tile_group), *total, FP_TILE_STATE_ARGS);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        return false;
    }
    if (l < ahead) {
#if FP_START
        scratch[0] = tile_group > 0 ? fp_await(FP_GROUP_STATE(tile_group - 1), FP_TILE_STATE_ARGS) : start;
#else
        scratch[0] = fp_await(FP_GROUP_STATE(tile_group - 1), FP_TILE_STATE_ARGS);
#endif
    } else if (l < count) {
        scratch[l] = fp_await(FP_TILE_STATE(tile - count + l), FP_TILE_STATE_ARGS);
    }
    fp_reduce_group(count, scratch, FP_ARGS);
#if FP_PASS < 2
    if (l == 0 && inside == FP_WG - 1)
        fp_publish(FP_GROUP_STATE(tile_group), fp_op(scratch[0], *total), FP_TILE_STATE_ARGS);
#endif
    return true;
}

#if FP_PASS == 1
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
#if FP_START
            if (tile_group == 0) scratch[0] = fp_op(start, scratch[0]);
#endif
            fp_publish(FP_GROUP_STATE(tile_group), scratch[0], FP_TILE_STATE_ARGS);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) atomic_xchg(ticket, 0u);
}
#endif
#endif
