// lint:
// lint: FP_SPLIT=1
// Finds the lowest index i for which fp_load(i) is not zero (a hit). Work-groups take turns in order: a group's first
// turn is one tile, a later one is several. A group stops at a turn behind a known hit. The last group to finish
// searches the first tile that has a hit, and leaves the state at zero for the next launch.
//   FP_ITEMS_PER_THREAD=16  elements of a work-item in a tile
//   FP_TURN=4               tiles of a later turn
//   FP_SPLIT=0              0: stores the index in a counter, or all ones if there is none
//                           1: stores the number of elements before the index in one counter, and of those from it on
//                           in another; if there is no hit, all elements and none
#if !defined(FP_ITEMS_PER_THREAD) || !defined(FP_TURN) || !defined(FP_SPLIT)
#error "search.cl needs FP_ITEMS_PER_THREAD, FP_TURN and FP_SPLIT"
#endif
#include "block/count.cl"

#if FP_SPLIT
#define FP_FOUND_PARAMS FP_COUNT_PARAMS(found), FP_COUNT_PARAMS(rest)
#define FP_STORE_FOUND(index, n) (FP_STORE_COUNT(found, index), FP_STORE_COUNT(rest, (n) - (index)))
#else
#define FP_FOUND_PARAMS FP_COUNT_PARAMS(found)
#define FP_STORE_FOUND(index, n) FP_STORE_COUNT(found, index)
#endif
#define FP_TILE ((ulong)(FP_WG * FP_ITEMS_PER_THREAD))

// The state: the next turn, the first tile with a hit, and the number of groups that have finished. Tile numbers have
// 32 bits. The hit is stored as ~tile, so that zero means none.
#define FP_STATE_TURN 0
#define FP_STATE_HIT 1
#define FP_STATE_DONE 2

// The first tile of a turn.
static inline uint fp_first_of(const uint turn)
{
    const uint groups = (uint)get_num_groups(0);
    return turn < groups ? turn : groups + (turn - groups) * FP_TURN;
}

static inline bool fp_has_hit(const ulong first, const ulong n, FP_PARAMS)
{
    uint any = 0;
    if (FP_CPU) {
        const ulong last = min(first + FP_TILE, n);
        for (ulong i = first; i < last; i++) any |= fp_load(i) != 0;
    } else {
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
            const ulong i = first + k * FP_WG + get_local_id(0);
            if (i < n) any |= fp_load(i) != 0;
        }
    }
    return any != 0;
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void fp_search(FP_PARAMS, volatile __global uint *state,
                                                                           FP_FOUND_PARAMS)
{
    __local uint tile, is_last, hit;
    const uint l = get_local_id(0);
    const ulong n = fp_n;
    const uint tiles = (uint)((n + FP_TILE - 1) / FP_TILE);
    for (;;) {
        if (l == 0) {
            tile = fp_first_of(atomic_inc(state + FP_STATE_TURN));
            if (tile >= tiles || ~tile < state[FP_STATE_HIT]) tile = UINT_MAX;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint mine = tile, count = mine < get_num_groups(0) ? 1 : FP_TURN;
        if (mine == UINT_MAX) break;
        for (uint k = 0; k < count; k++)
            if (fp_has_hit((mine + k) * FP_TILE, n, FP_ARGS)) atomic_max(state + FP_STATE_HIT, ~(mine + k));
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    if (l == 0) {
        fp_fence_device();
        is_last = atomic_inc(state + FP_STATE_DONE) == get_num_groups(0) - 1;
        hit = UINT_MAX;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!is_last) return;
    fp_fence_device();
    const uint first_hit = ~state[FP_STATE_HIT];
    const ulong first = first_hit * FP_TILE;
    if (first_hit < tiles)
        for (uint k = l; k < FP_TILE && first + k < n; k += FP_WG) {
            if (fp_load(first + k) == 0) continue;
            atomic_min(&hit, k);
            break;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        const ulong index = first_hit < tiles ? first + hit : FP_SPLIT ? n : ULONG_MAX;
        FP_STORE_FOUND(index, n);
        for (uint k = 0; k <= FP_STATE_DONE; k++) atomic_xchg(state + k, 0u);
    }
}
