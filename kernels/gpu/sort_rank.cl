// lint:
// lint: FP_UNZIP=1 FP_KEYED=1 FP_T=fp_pair
// Rank sort of few elements, in one launch (enumeration sort: Muller and Preparata, 1975). The rank of an element is
// the number of elements that come before it. A work-group has the bits of all keys in local memory and ranks
// FP_WG / FP_TEAM * FP_ITEMS_PER_TEAM elements.
//   FP_TEAM=32            work-items that rank the same elements together (a team), a divisor of FP_WG
//   FP_ITEMS_PER_TEAM=16  elements of a team, a divisor of FP_TEAM
//   FP_MOST=4096          elements at most
// and the slots of block/unzip.cl and block/digit.cl.
#if !defined(FP_TEAM) || !defined(FP_ITEMS_PER_TEAM) || !defined(FP_MOST)
#error "sort_rank.cl needs FP_TEAM, FP_ITEMS_PER_TEAM and FP_MOST"
#endif
#include "block/digit.cl"
#include "block/unzip.cl"

#define FP_TILE (FP_WG / FP_TEAM * FP_ITEMS_PER_TEAM)

// Loads of elements, and of keys in local memory, that an item has in flight.
#define FP_LOADS 8
#define FP_OTHERS 4

// Loads the bits of all keys. The largest key fills the places up to `end`, a multiple of FP_TEAM.
static inline void fp_load_bits(__local FP_BITS *bits, const uint n, const uint end, FP_PARAMS)
{
    for (uint first = 0; first < end; first += FP_LOADS * FP_WG) {
        FP_BITS loaded[FP_LOADS];
#pragma unroll
        for (uint k = 0; k < FP_LOADS; k++)
            loaded[k] = fp_key_bits(fp_load(min(first + k * FP_WG + (uint)get_local_id(0), n - 1)));
#pragma unroll
        for (uint k = 0; k < FP_LOADS; k++) {
            const uint j = first + k * FP_WG + get_local_id(0);
            if (j < end) bits[j] = j < n ? loaded[k] : (FP_BITS) ~(FP_BITS)0;
        }
    }
}

// Adds to before[k] the number of keys that come before key[k], of those from j to `end`, FP_TEAM apart.
#define FP_COUNT_BEFORE(name, comes_before)                                                                            \
    static inline void name(__local const FP_BITS *bits, uint j, const uint end, const FP_BITS *key, uint *before)     \
    {                                                                                                                  \
        for (; j + (FP_OTHERS - 1) * FP_TEAM < end; j += FP_OTHERS * FP_TEAM) {                                        \
            FP_BITS other[FP_OTHERS];                                                                                  \
            for (uint t = 0; t < FP_OTHERS; t++) other[t] = bits[j + t * FP_TEAM];                                     \
            for (uint t = 0; t < FP_OTHERS; t++)                                                                       \
                for (uint k = 0; k < FP_ITEMS_PER_TEAM; k++) before[k] += other[t] comes_before key[k];                \
        }                                                                                                              \
        for (; j < end; j += FP_TEAM)                                                                                  \
            for (uint k = 0; k < FP_ITEMS_PER_TEAM; k++) before[k] += bits[j] comes_before key[k];                     \
    }
FP_COUNT_BEFORE(fp_count_first, <=)
FP_COUNT_BEFORE(fp_count_last, <)

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void fp_sort_rank(FP_PARAMS, FP_OUT_PARAMS)
{
    __local FP_BITS bits[FP_MOST];
    __local uint places[FP_TILE];
    const uint l = get_local_id(0), n = (uint)fp_n, first = get_group_id(0) * FP_TILE;
    if (first >= n) return;
    const uint end = (n + FP_TEAM - 1) / FP_TEAM * FP_TEAM;
    for (uint k = l; k < FP_TILE; k += FP_WG) places[k] = 0;
    fp_load_bits(bits, n, end, FP_ARGS);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint of_team = l / FP_TEAM * FP_ITEMS_PER_TEAM, begin = first + of_team;
    FP_BITS key[FP_ITEMS_PER_TEAM];
    uint before[FP_ITEMS_PER_TEAM];
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_TEAM; k++) {
        key[k] = bits[min(begin + k, n - 1)];
        before[k] = 0;
    }
    // Equal elements keep their order. So keys in front of the team's elements count if they are not greater, and
    // keys behind them if they are less. Among the FP_TEAM keys around them the index decides.
    const uint around = min(begin, n - 1) / FP_TEAM * FP_TEAM, j = around + l % FP_TEAM;
    fp_count_first(bits, l % FP_TEAM, around, key, before);
    const FP_BITS other = bits[j];
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_TEAM; k++) before[k] += other < key[k] || (other == key[k] && j < begin + k);
    fp_count_last(bits, j + FP_TEAM, end, key, before);
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_TEAM; k++) atomic_add(places + of_team + k, before[k]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = l; k < FP_TILE; k += FP_WG)
        if (first + k < n) fp_put(places[k], fp_load(first + k), FP_OUT_ARGS, FP_ARGS);
}
