// lint:
// Decoupled look-back: a chunk is a tile, whose prefix the next one publishes. It has the slots of block/tile_state.cl.
#include "block/tile_state.cl"

// Tiles begin in the order of their numbers, so that a tile only waits for tiles that have begun.
static inline uint fp_next_tile(volatile __global uint *ticket, const uint groups)
{
    const uint tile = atomic_inc(ticket);
    if (tile == groups - 1) atomic_xchg(ticket, 0u);
    return tile;
}
