// lint:
// lint: FP_PACKED=0
// The states of tiles in decoupled look-back (after Merrill and Garland, 2016): the tiles of a scan run concurrently.
// Each publishes its total as its state, and finds the prefix, the value of all tiles before it, from their states.
//   FP_PACKED=1  how a tile's state lies in memory:
//                0: status word and value lie in two arrays
//                1: a value of at most 4 bytes lies in the lower half of its status word
//                2: a value of at most 8 bytes lies behind its status word; NVIDIA's devices access both at once
#ifndef FP_PACKED
#error "block/tile_state.cl needs FP_PACKED"
#endif

// A status word holds the number of the launch that published the value. So the states of older launches need not be
// cleared.
#define FP_TILE_STATE_PARAMS volatile __global ulong *tile_status, volatile __global FP_T *values, const uint launch
#define FP_TILE_STATE_ARGS tile_status, values, launch

#if FP_PACKED == 2
typedef union {
    FP_T value;
    ulong bits;
} fp_packed;

static inline void fp_publish(const ulong state, const FP_T value, FP_TILE_STATE_PARAMS)
{
    fp_packed c;
    c.bits = 0;
    c.value = value;
    fp_store_pair(tile_status + 2 * state, launch, c.bits);
}

static inline FP_T fp_await(const ulong state, FP_TILE_STATE_PARAMS)
{
    ulong word;
    fp_packed c;
    do fp_load_pair(tile_status + 2 * state, &word, &c.bits);
    while (word != launch);
    return c.value;
}
#elif FP_PACKED == 1
typedef union {
    FP_T value;
    uint bits;
} fp_packed;

static inline void fp_publish(const ulong state, const FP_T value, FP_TILE_STATE_PARAMS)
{
    fp_packed c;
    c.bits = 0;
    c.value = value;
    tile_status[state] = (ulong)launch << 32 | c.bits;
}

static inline FP_T fp_await(const ulong state, FP_TILE_STATE_PARAMS)
{
    ulong word;
    do word = tile_status[state];
    while (word >> 32 != launch);
    fp_packed c;
    c.bits = (uint)word;
    return c.value;
}
#else
static inline void fp_publish(const ulong state, const FP_T value, FP_TILE_STATE_PARAMS)
{
    values[state] = value;
    fp_fence_device();
    tile_status[state] = (ulong)launch << 32;
}

static inline FP_T fp_await(const ulong state, FP_TILE_STATE_PARAMS)
{
    ulong word;
    do word = tile_status[state];
    while (word >> 32 != launch);
    fp_fence_device();
    return values[state];
}
#endif
