// lint:
// Merges in local memory. Each work-item finds its part of the merge by merge path and merges it into registers.
//   FP_ITEMS_PER_THREAD=16  elements of a work-item; an odd number avoids bank conflicts
// and the slots of block/merge.cl and block/unzip.cl.
#ifndef FP_ITEMS_PER_THREAD
#error "block/gpu/merge_tile.cl needs FP_ITEMS_PER_THREAD"
#endif
#include "block/merge.cl"
#include "block/unzip.cl"

#define FP_TILE (FP_WG * FP_ITEMS_PER_THREAD)
// A tile in local memory, with padding: an item may read so many elements behind it, without effect.
#define FP_TILE_ROOM (FP_TILE + FP_ITEMS_PER_THREAD)

// Loads the `count` elements of a tile into local memory: `of_left` from index `left` of the input on, the others from
// index `right` on. All loads are in flight before the first store. Copies of the last element fill the tile.
static inline void fp_fetch_tile(const ulong left, const ulong right, const uint of_left, const uint count,
                                 __local FP_T *tile, FP_PARAMS)
{
    const uint l = get_local_id(0);
    FP_T v[FP_ITEMS_PER_THREAD];
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
        const uint place = min(l + k * FP_WG, count - 1);
        v[k] = fp_load((place < of_left ? left : right - of_left) + place);
    }
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) tile[l + k * FP_WG] = v[k];
    barrier(CLK_LOCAL_MEM_FENCE);
}

static inline void fp_store_tile(__local const FP_T *tile, const uint count, const ulong first, FP_OUT_PARAMS,
                                 FP_PARAMS)
{
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
        const uint place = get_local_id(0) + k * FP_WG;
        if (place < count) fp_put(first + place, tile[place], FP_OUT_ARGS, FP_ARGS);
    }
}

#define FP_AT(i) runs[i]
FP_MERGE_PATH(fp_split_tile, uint, FP_AT, __local const FP_T *runs)
#undef FP_AT

// Merges two runs into v, from element i of the left one and j of the right one on, FP_ITEMS_PER_THREAD elements.
// Returns i for the elements behind these. It is never greater than `left`, whatever the comparator.
static inline uint fp_merge_thread(__local const FP_T *runs, const uint left, const uint right, uint i, uint j, FP_T *v,
                                   FP_PARAMS)
{
    const uint end = left + right;
    j += left;
    FP_T a = runs[i], b = runs[j];
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
        const bool from_right = i == left || (j < end && fp_before(b, a, FP_ARGS));
        v[k] = from_right ? b : a;
        i += !from_right;
        j += from_right;
        const FP_T next = runs[from_right ? j : i];
        a = from_right ? a : next;
        b = from_right ? next : b;
    }
    return i;
}

static inline void fp_put_blocked(__local FP_T *tile, const FP_T *v)
{
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) tile[get_local_id(0) * FP_ITEMS_PER_THREAD + k] = v[k];
}

// Merges two runs in local memory, the item's part from place d on, into v. Items of one pair of runs have consecutive
// numbers; `last`: this is the last of them. All items call it. When it returns, none reads the runs any more. False
// if the next item's part does not begin where this one ends: the comparator is no strict weak order.
static inline bool fp_merge_tile(__local const FP_T *runs, const uint left, const uint right, const uint d,
                                 const bool last, __local uint *begins, FP_T *v, FP_PARAMS)
{
    const uint l = get_local_id(0), at = min(d, left + right);
    const uint begin = fp_split_tile(left, right, at, runs, FP_ARGS);
    begins[l] = begin;
    const uint end = fp_merge_thread(runs, left, right, begin, at - begin, v, FP_ARGS);
    barrier(CLK_LOCAL_MEM_FENCE);
    return end == (last ? left : begins[l + 1]);
}
