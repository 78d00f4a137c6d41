// lint: FP_CPU=0 FP_ORDERED=1 FP_PACKED=0
// lint: FP_CPU=0 FP_ORDERED=1 FP_PACKED=2
// lint: FP_CPU=0 FP_ORDERED=1 FP_SWEEP=1
// lint: FP_CPU=1
// Decoupled look-back: tiles of a scan are worked on beside each other, and each learns the value of all tiles before
// it from what those publish.
//   FP_PACKED=1  1: a value has at most 4 bytes and stands beside its flag in one word; 2: at most 8 bytes, in two
//                words that are written and read as one, which NVIDIA's devices do; 0: a value stands elsewhere
//   FP_START=0   1: the value before the first tile is `start`
//   FP_SWEEP=0   GPU, 0: one launch; 1 and 2: the two launches where a group may not wait for another: in the first
//                tiles only publish, in the second all is published
//   FP_PART=16   GPU: elements of an item in a tile, at most 32
// Note [look-back]: values are combined in an order that depends on the tiles' numbers alone, not on which tile was
// faster, so that floating results have the same bits in every run. Tiles stand in windows of FP_WG. A tile combines
// the value of all before its window and the totals of the tiles before it there, one for each item; the last tile of a
// window publishes the value of all up to its end.
#if !defined(FP_PACKED) || !defined(FP_START) || (!FP_CPU && !(defined(FP_SWEEP) && defined(FP_PART)))
#error "block/lookback.cl needs FP_PACKED, FP_START and, on a GPU, FP_SWEEP and FP_PART"
#endif
#include "block/ptx.cl"

// A cell's flag holds the number of the launch that published its value: older ones need no clearing.
#define FP_RELAY_PARAMS volatile __global ulong *flags, volatile __global FP_T *values, const uint launch
#define FP_RELAY_ARGS flags, values, launch
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
} fp_cell;
#endif

static inline void fp_publish(const ulong cell, const FP_T value, FP_RELAY_PARAMS)
{
#if FP_PACKED
    fp_cell c;
    c.bits = 0;
    c.value = value;
#endif
#if FP_PACKED == 1
    flags[cell] = (ulong)launch << 32 | c.bits;
#elif FP_PACKED == 2
    fp_store_pair(flags + 2 * cell, launch, c.bits);
#else
    values[cell] = value;
    fp_fence_device();
    flags[cell] = (ulong)launch << 32;
#endif
}

static inline FP_T fp_await(const ulong cell, FP_RELAY_PARAMS)
{
    ulong word;
#if FP_PACKED == 2
    fp_cell c;
    do fp_load_pair(flags + 2 * cell, &word, &c.bits);
    while (word != launch);
    return c.value;
#else
    do word = flags[cell];
    while (word >> 32 != launch);
#if FP_PACKED
    fp_cell c;
    c.bits = (uint)word;
    return c.value;
#else
    fp_fence_device();
    return values[cell];
#endif
#endif
}

#if FP_CPU
// Tiles begin in the order of their numbers, so that a tile waits only for those that have begun.
static inline uint fp_next_tile(volatile __global uint *ticket)
{
    const uint tile = atomic_inc(ticket);
    if (tile == get_num_groups(0) - 1) atomic_xchg(ticket, 0u);
    return tile;
}

#else
#include "block/group.cl"

#define FP_TILE (FP_WG * FP_PART)
#define FP_TILES(n) (((n) + FP_TILE - 1) / FP_TILE)
#define FP_CELL(tile) ((tile) / FP_WG * (FP_WG + 1) + (tile) % FP_WG)
#define FP_WINDOW_CELL(window) ((window) * (FP_WG + 1) + FP_WG)

static inline uint fp_next_tile(volatile __global uint *ticket, __local uint *mine)
{
#if FP_SWEEP
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

// What others wait for comes first: before the tile does the rest of its work.
static inline void fp_publish_total(const ulong tile, __local const FP_T *total, FP_RELAY_PARAMS)
{
#if FP_SWEEP < 2
    if (get_local_id(0) == 0) fp_publish(FP_CELL(tile), *total, FP_RELAY_ARGS);
#endif
}

// The value of all before the tile, whose total is published, becomes scratch[0]; false if there is none. All items
// call it, and see afterwards what the others have put into local memory.
static inline bool fp_look_back(const ulong tile, __local const FP_T *total, __local FP_T *scratch,
                                FP_START_PARAM FP_RELAY_PARAMS, FP_PARAMS)
{
    const uint l = get_local_id(0), inside = tile % FP_WG;
    const ulong window = tile / FP_WG;
    // What is before the window comes first: all is waited for at once.
    const uint ahead = FP_START || window > 0, count = ahead + inside;
    if (count == 0) {
#if FP_SWEEP < 2
        // A group of one item is a window of its own.
        if (inside == FP_WG - 1) fp_publish(FP_WINDOW_CELL(window), *total, FP_RELAY_ARGS);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        return false;
    }
    if (l < ahead) {
#if FP_START
        scratch[0] = window > 0 ? fp_await(FP_WINDOW_CELL(window - 1), FP_RELAY_ARGS) : start;
#else
        scratch[0] = fp_await(FP_WINDOW_CELL(window - 1), FP_RELAY_ARGS);
#endif
    } else if (l < count) {
        scratch[l] = fp_await(FP_CELL(tile - count + l), FP_RELAY_ARGS);
    }
    fp_reduce_group(count, scratch, FP_ARGS);
#if FP_SWEEP < 2
    if (l == 0 && inside == FP_WG - 1) fp_publish(FP_WINDOW_CELL(window), fp_op(scratch[0], *total), FP_RELAY_ARGS);
#endif
    return true;
}

#if FP_SWEEP == 1
// The first of two launches: publishes the tile's total; the last group to do so publishes the values of the
// windows that are full: nobody asks for that of the last.
static inline void fp_publish_windows(const ulong tile, const ulong tiles, __local const FP_T *total,
                                      __local FP_T *scratch, __local uint *is_last, volatile __global uint *ticket,
                                      FP_START_PARAM FP_RELAY_PARAMS, FP_PARAMS)
{
    const uint l = get_local_id(0);
    if (l == 0) {
        fp_publish(FP_CELL(tile), *total, FP_RELAY_ARGS);
        fp_fence_device();
        *is_last = atomic_inc(ticket) == tiles - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (!*is_last) return;
    for (ulong window = 0; (window + 1) * FP_WG <= tiles; window++) {
        scratch[l] = fp_await(FP_CELL(window * FP_WG + l), FP_RELAY_ARGS);
        fp_reduce_group(FP_WG, scratch, FP_ARGS);
        if (l == 0) {
            if (window > 0) scratch[0] = fp_op(fp_await(FP_WINDOW_CELL(window - 1), FP_RELAY_ARGS), scratch[0]);
#if FP_START
            if (window == 0) scratch[0] = fp_op(start, scratch[0]);
#endif
            fp_publish(FP_WINDOW_CELL(window), scratch[0], FP_RELAY_ARGS);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) atomic_xchg(ticket, 0u);
}
#endif
#endif
