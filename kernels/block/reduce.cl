// lint: FP_CPU=0
// The first two levels of a reduction: in a work-item, and in a work-group.
//   FP_ORDERED=0            1: combines elements in order, for operators that do not commute
//   FP_SERIAL_MOST=1024     up to so many elements are combined from left to right; 0: any order will do
//   FP_LANES=8              CPU: independent accumulators of a work-item (lanes), a power of two
//   FP_MEMBERS              CPU, optional: FP_MEMBERS(M) is M(type, name) for each member of the struct FP_T
//   FP_VECTOR=4             GPU: elements of a vector. The order of combination depends on it, but not on FP_WIDE.
//   FP_WIDE=1               GPU: 1: a vector is loaded by one wide load
//   FP_IN_FLIGHT=4          GPU: vectors that a work-item has in flight
//   FP_ITEMS_PER_THREAD=16  GPU: elements of a work-item in a tile, if order is kept; a multiple of FP_VECTOR
//   FP_WARP=32              GPU: work-items that exchange values by block/warp.cl; 1: none do
//   FP_INDEX32=1            GPU: 1: there are fewer than 2^31 elements, and vectors are counted in 32 bits
#if !defined(FP_ORDERED) || !defined(FP_SERIAL_MOST) || (FP_CPU && !defined(FP_LANES))
#error "block/reduce.cl needs FP_ORDERED, FP_SERIAL_MOST, and FP_LANES on a CPU"
#elif !FP_CPU &&                                                                                                       \
    !(FP_VECTOR && FP_IN_FLIGHT && FP_ITEMS_PER_THREAD && FP_WARP && defined(FP_WIDE) && defined(FP_INDEX32))
#error "block/reduce.cl needs FP_VECTOR, FP_WIDE, FP_IN_FLIGHT, FP_ITEMS_PER_THREAD, FP_WARP and FP_INDEX32 on a GPU"
#endif

#if FP_CPU && !FP_ORDERED && FP_LANES > 1
#define FP_SHORT FP_ROLLED // long ranges go through lanes
#else
#define FP_SHORT FP_IN_ORDER
#endif

// Reduces the elements first, ..., last - 1 in order, one after the other. There is at least one.
static inline FP_T fp_reduce_serial(const ulong first, const ulong last, FP_PARAMS)
{
    FP_T total = fp_load(first);
    FP_SHORT
    for (ulong i = first + 1; i < last; i++) total = fp_op(total, fp_load(i));
    return total;
}

#if FP_CPU
#if !FP_ORDERED && FP_LANES > 1
// The accumulators. With FP_MEMBERS, for structs that are computed from scalars, they are a struct of arrays, which the
// compiler vectorizes. Structs that are read from memory are an array of structs: to split them takes longer than to
// combine them.
#ifdef FP_MEMBERS
#define FP_LANES_OF(T, name) T name[FP_LANES];
#define FP_LANE_LOOP                                                                                                   \
    _Pragma("unroll 1") // the compiler makes vectors of a loop over structs, and none of an unrolled one
#define FP_GET_MEMBER(T, name) v.name = lanes->name[k];
#define FP_SET_MEMBER(T, name) lanes->name[k] = v.name;
typedef struct {
    FP_MEMBERS(FP_LANES_OF)
} fp_lanes;

static inline FP_T fp_lane(const fp_lanes *lanes, const uint k)
{
    FP_T v;
    FP_MEMBERS(FP_GET_MEMBER)
    return v;
}

static inline void fp_set_lane(fp_lanes *lanes, const uint k, const FP_T v)
{
    FP_MEMBERS(FP_SET_MEMBER)
}
#else
#define FP_LANE_LOOP _Pragma("unroll")
typedef struct {
    FP_T v[FP_LANES];
} fp_lanes;

static inline FP_T fp_lane(const fp_lanes *lanes, const uint k)
{
    return lanes->v[k];
}

static inline void fp_set_lane(fp_lanes *lanes, const uint k, const FP_T v)
{
    lanes->v[k] = v;
}
#endif
#endif

// Level 1: one work-item. Lanes are independent, so the compiler vectorizes them.
static inline FP_T fp_reduce_item(const ulong first, const ulong last, FP_PARAMS)
{
#if FP_ORDERED || FP_LANES == 1
    return fp_reduce_serial(first, last, FP_ARGS);
#else
    if (last - first < max(2 * FP_LANES, FP_SERIAL_MOST + 1)) return fp_reduce_serial(first, last, FP_ARGS);
    fp_lanes lanes;
    for (uint k = 0; k < FP_LANES; k++) fp_set_lane(&lanes, k, fp_load(first + k));
    ulong i = first + FP_LANES;
    for (; i + FP_LANES <= last; i += FP_LANES) {
        FP_LANE_LOOP
        for (uint k = 0; k < FP_LANES; k++) fp_set_lane(&lanes, k, fp_op(fp_lane(&lanes, k), fp_load(i + k)));
    }
    FP_ROLLED
    for (uint k = 0; i + k < last; k++) fp_set_lane(&lanes, k, fp_op(fp_lane(&lanes, k), fp_load(i + k)));
    FP_ROLLED
    for (uint width = FP_LANES / 2; width > 0; width /= 2) {
        FP_ROLLED
        for (uint k = 0; k < width; k++) fp_set_lane(&lanes, k, fp_op(fp_lane(&lanes, k), fp_lane(&lanes, k + width)));
    }
    return fp_lane(&lanes, 0);
#endif
}

#else
#include "block/group.cl"

// Loads the elements of a vector.
static inline void fp_load_vector(const ulong vector, FP_T *v, FP_PARAMS)
{
#if FP_WIDE
    fp_load_wide(vector * FP_VECTOR, v);
#else
#pragma unroll
    for (uint k = 0; k < FP_VECTOR; k++) v[k] = fp_load(vector * FP_VECTOR + k);
#endif
}

#if FP_ORDERED
#define FP_SCRATCH (FP_WG + 1)

// Level 1, in order: reduces an item's part of a tile, the FP_ITEMS_PER_THREAD elements from `begin` on, or fewer up to
// `last`.
static inline FP_T fp_reduce_thread(const ulong begin, const ulong last, FP_PARAMS)
{
#if FP_WIDE
    if (begin + FP_ITEMS_PER_THREAD <= last) {
        // All loads are in flight before the first element is used.
        FP_T loaded[FP_ITEMS_PER_THREAD / FP_VECTOR][FP_VECTOR];
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD / FP_VECTOR; k++)
            fp_load_vector(begin / FP_VECTOR + k, loaded[k], FP_ARGS);
        FP_T total = loaded[0][0];
#pragma unroll
        for (uint k = 1; k < FP_ITEMS_PER_THREAD; k++) total = fp_op(total, loaded[k / FP_VECTOR][k % FP_VECTOR]);
        return total;
    }
#endif
    return fp_reduce_serial(begin, min(begin + FP_ITEMS_PER_THREAD, last), FP_ARGS);
}

#if FP_WARP > 1
// Levels 1 and 2, in order: reduces a group's elements first, ..., last - 1 to scratch[0]. `first` is a multiple of
// FP_VECTOR. Each warp reduces a contiguous range of them, tile after tile, without a barrier.
static inline void fp_reduce_range(const ulong first, const ulong last, __local FP_T *scratch, FP_PARAMS)
{
    const uint lane = get_local_id(0) % FP_WARP, warp = get_local_id(0) / FP_WARP,
               items_per_thread = FP_ITEMS_PER_THREAD;
    const ulong tile = FP_WARP * items_per_thread, tiles = (last - first + tile - 1) / tile;
    const ulong chunk = (tiles + FP_WG / FP_WARP - 1) / (FP_WG / FP_WARP) * tile;
    const ulong begin = first + warp * chunk, end = min(begin + chunk, last);
    for (ulong at = begin; at < end; at += tile) {
        const ulong mine = at + lane * items_per_thread;
        const uint count = (uint)((min(tile, end - at) + items_per_thread - 1) / items_per_thread);
        FP_T value = fp_load(at);
        if (mine < end) value = fp_reduce_thread(mine, end, FP_ARGS);
        value = fp_reduce_warp(value, lane, count, FP_ARGS);
        if (lane == 0) scratch[warp] = at == begin ? value : fp_op(scratch[warp], value);
    }
    barrier(CLK_LOCAL_MEM_FENCE); // the first warp's items read the values of all warps
    fp_reduce_group((uint)((last - first + chunk - 1) / chunk), scratch, FP_ARGS);
}
#else
// The same without warps: a tile belongs to the whole group. The last element of scratch keeps the total.
static inline void fp_reduce_range(const ulong first, const ulong last, __local FP_T *scratch, FP_PARAMS)
{
    const uint l = get_local_id(0), items_per_thread = FP_ITEMS_PER_THREAD;
    __local FP_T *total = scratch + FP_WG;
    for (ulong tile = first; tile < last; tile += FP_WG * items_per_thread) {
        const uint count = (uint)min(last - tile, (ulong)(FP_WG * items_per_thread));
        const ulong begin = tile + l * items_per_thread;
        if (begin < last) scratch[l] = fp_reduce_thread(begin, last, FP_ARGS);
        fp_reduce_group((count + items_per_thread - 1) / items_per_thread, scratch, FP_ARGS);
        if (l == 0 && tile == first) *total = scratch[0];
        if (l == 0 && tile != first) *total = fp_op(*total, scratch[0]);
    }
    if (l == 0) scratch[0] = *total;
    barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

#else
#define FP_SCRATCH FP_WG
#if FP_INDEX32
typedef uint fp_count;
#else
typedef ulong fp_count;
#endif

// Level 1: reduces an item's vectors first, first + stride, ... below `last`. There is at least one. The item has
// FP_VECTOR accumulators.
static inline FP_T fp_reduce_item(const fp_count first, const fp_count last, const fp_count stride, FP_PARAMS)
{
    FP_T total[FP_VECTOR];
    fp_load_vector(first, total, FP_ARGS);
    fp_count i = first + stride;
    for (; i + (FP_IN_FLIGHT - 1) * stride < last; i += FP_IN_FLIGHT * stride) {
        FP_T loaded[FP_IN_FLIGHT][FP_VECTOR];
#pragma unroll
        for (uint k = 0; k < FP_IN_FLIGHT; k++) fp_load_vector(i + k * stride, loaded[k], FP_ARGS);
#pragma unroll
        for (uint k = 0; k < FP_IN_FLIGHT * FP_VECTOR; k++)
            total[k % FP_VECTOR] = fp_op(total[k % FP_VECTOR], loaded[k / FP_VECTOR][k % FP_VECTOR]);
    }
    for (; i < last; i += stride) {
        FP_T loaded[FP_VECTOR];
        fp_load_vector(i, loaded, FP_ARGS);
#pragma unroll
        for (uint k = 0; k < FP_VECTOR; k++) total[k] = fp_op(total[k], loaded[k]);
    }
#pragma unroll
    for (uint k = 1; k < FP_VECTOR; k++) total[0] = fp_op(total[0], total[k]);
    return total[0];
}

// Levels 1 and 2, in any order: reduces a group's vectors to scratch[0]. Item l has the vectors first + l,
// first + l + stride, ... below `last`.
static inline void fp_reduce_strided(const ulong first, const ulong last, const ulong stride, __local FP_T *scratch,
                                     FP_PARAMS)
{
    const uint l = get_local_id(0);
    if (first + l < last) scratch[l] = fp_reduce_item(first + l, last, stride, FP_ARGS);
    fp_reduce_group((uint)min((ulong)FP_WG, last - first), scratch, FP_ARGS);
}
#endif
#endif
