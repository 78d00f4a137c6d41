/* What launches with look-back leave for the next one: included behind the kernel, with MOST, the largest number of
 * elements. */
#pragma once

enum { MOST_TILES = MOST / FP_TILE + 2, MOST_STATES = MOST_TILES + MOST_TILES / FP_WG + 1 };

static volatile ulong tile_status[2 * MOST_STATES];
static FP_T values[MOST_STATES];
static uint launches, ticket;

/* A launch may have more groups than tiles, where the device alone knows how many there are. */
static inline void run_tiles(size_t n, void (*kernel)(void))
{
    const size_t groups = FP_TILES(n) + random_below(3);
    launches++;
    run_groups(groups ? groups : 1, FP_WG, kernel);
    expect(ticket == 0, "n = %zu: the ticket is %u", n, ticket);
}
