// lint: FP_CPU=0
// Merging in local memory: each item finds its own places by merge path, and keeps what goes there in registers.
//   FP_PART=16  elements of an item; an odd number keeps the items out of each other's memory banks
// and the slots of block/merge.cl and block/apart.cl.
#ifndef FP_PART
#error "block/merge_tile.cl needs FP_PART"
#endif
#include "block/apart.cl"
#include "block/merge.cl"

#define FP_TILE (FP_WG * FP_PART)
// The elements of a tile in local memory, and as many as an item may read behind them, which count for nothing.
#define FP_TILE_ROOM (FP_TILE + FP_PART)

// The `count` elements of a tile into local memory: of_left from `left` of the input on, the others from `right` on.
// All are on their way before the first is put down; what is behind the last is a copy of it.
static inline void fp_fetch_tile(const ulong left, const ulong right, const uint of_left, const uint count,
                                 __local FP_T *tile, FP_PARAMS)
{
    const uint l = get_local_id(0);
    FP_T v[FP_PART];
#pragma unroll
    for (uint k = 0; k < FP_PART; k++) {
        const uint place = min(l + k * FP_WG, count - 1);
        v[k] = fp_load((place < of_left ? left : right - of_left) + place);
    }
#pragma unroll
    for (uint k = 0; k < FP_PART; k++) tile[l + k * FP_WG] = v[k];
    barrier(CLK_LOCAL_MEM_FENCE);
}

static inline void fp_store_tile(__local const FP_T *tile, const uint count, const ulong first, FP_OUT_PARAMS,
                                 FP_PARAMS)
{
#pragma unroll
    for (uint k = 0; k < FP_PART; k++) {
        const uint place = get_local_id(0) + k * FP_WG;
        if (place < count) fp_put(first + place, tile[place], FP_OUT_ARGS, FP_ARGS);
    }
}

#define FP_AT(i) runs[i]
FP_MERGE_PATH(fp_split_tile, uint, FP_AT, __local const FP_T *runs)
#undef FP_AT

// The FP_PART places from i + j on of the merge of two runs, into v, where i elements of the left one and j of the
// right one come before those. How many of the left one come before the places behind them: never more than it has,
// whatever the order.
static inline uint fp_merge_part(__local const FP_T *runs, const uint left, const uint right, uint i, uint j, FP_T *v,
                                 FP_PARAMS)
{
    const uint end = left + right;
    j += left;
    FP_T a = runs[i], b = runs[j];
#pragma unroll
    for (uint k = 0; k < FP_PART; k++) {
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

static inline void fp_put_part(__local FP_T *tile, const FP_T *v)
{
#pragma unroll
    for (uint k = 0; k < FP_PART; k++) tile[get_local_id(0) * FP_PART + k] = v[k];
}

// Merges two runs in local memory: the item's places from d on into v. Items whose places belong to one pair have
// consecutive numbers; `last` says that the item is the last of its pair. All items call it, and nobody may change the
// runs before. False if the item's elements are not followed by those of the next item: the order contradicts itself.
static inline bool fp_merge_tile(__local const FP_T *runs, const uint left, const uint right, const uint d,
                                 const bool last, __local uint *begins, FP_T *v, FP_PARAMS)
{
    const uint l = get_local_id(0), at = min(d, left + right);
    const uint begin = fp_split_tile(left, right, at, runs, FP_ARGS);
    begins[l] = begin;
    const uint end = fp_merge_part(runs, left, right, begin, at - begin, v, FP_ARGS);
    barrier(CLK_LOCAL_MEM_FENCE);
    return end == (last ? left : begins[l + 1]);
}
