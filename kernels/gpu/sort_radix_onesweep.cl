// lint: FP_ORDERED=1
// lint: FP_ORDERED=1 FP_UNZIP=1 FP_KEYED=1 FP_T=fp_pair
// lint: FP_ORDERED=1 FP_UNZIP=2 FP_KEYED=1 FP_T=fp_pair
// A radix pass in one launch (onesweep: Adinets and Merrill, 2022): moves each element to its place by one digit, and
// keeps the order of equal digits. A tile sorts its elements by the digit, publishes its count of each digit, and finds
// the counts of the tiles before it by look-back. Local memory has the keys of a tile, then its values, of wide ones
// some at a time, so that it does not limit a tile.
//   FP_ITEMS_PER_THREAD=16  elements of a work-item
//   FP_ROUNDS=1             times that local memory is filled with keys; with more, they are read again instead of kept
//   FP_MOVED=int            type of the values that are read; without values, of keys
// and the slots of block/unzip.cl, block/digit.cl, block/pass.cl, block/gpu/counts.cl and block/gpu/ticket.cl. FP_WG is
// FP_DIGITS at least, FP_WARP 32.
// Note [registers]: with more than 80 registers an item, an H200 runs one group on a compute unit instead of two, and a
// pass takes 1.4 times as long. So an item's elements have one address and constant distances, digits are packed, and
// a warp's items meet again and again while they store, so that the compiler does not load all elements at once. How
// often they meet was measured: the registers are few enough, but not by much.
#if !defined(FP_ITEMS_PER_THREAD) || !FP_ROUNDS || !defined(FP_MOVED) || FP_WARP != 32
#error "sort_radix_onesweep.cl needs FP_ITEMS_PER_THREAD, FP_ROUNDS, FP_MOVED and warps"
#endif
#include "block/digit.cl"
#include "block/gpu/counts.cl"
#include "block/gpu/rank.cl"
#include "block/gpu/ticket.cl"
#include "block/pass.cl"
#include "block/unzip.cl"

#define FP_TILE (FP_WG * FP_ITEMS_PER_THREAD)
#define FP_COUNTS (FP_WARPS * FP_DIGITS)
// Elements of a round: of an item, and of the group.
#define FP_STAGED_ITEMS ((FP_ITEMS_PER_THREAD + FP_ROUNDS - 1) / FP_ROUNDS)
#define FP_STAGED (FP_WG * FP_STAGED_ITEMS)

// Local memory: first the counts of the warps, then in each round keys, then values.
typedef union {
    uint counts[FP_COUNTS];
    FP_KEY keys[FP_STAGED];
    FP_MOVED values[FP_STAGED];
} fp_stage;

// Local memory beside it.
typedef struct {
    uint scratch[FP_SCAN_SCRATCH];
    uint moved[FP_DIGITS]; // how far each digit moves from its place in the tile
} fp_beside;

// A mask of the warp's items that have the same digit.
static inline uint fp_match(const uint digit)
{
    uint same = fp_same_bit(digit, 0);
#pragma unroll
    for (uint bit = 1; bit < 8; bit++) same &= fp_same_bit(digit, bit);
    return same;
}

// A tile, the shift of its digit, and two promises, which are constants: no place is behind the end, and all keys are
// plain.
typedef struct {
    ulong first, mine; // the first elements of the tile, and of the item
    uint number, count, shift;
    bool whole, plain;
} fp_tile;

static inline uint fp_tile_digit(const FP_KEY key, const fp_tile t)
{
    return (uint)((t.plain ? fp_plain_bits(key) : fp_bits(key)) >> t.shift) & (FP_DIGITS - 1);
}

static inline bool fp_is_inside(const uint place, const fp_tile t)
{
    return t.whole || place < t.count;
}

// Counts the digits of the warp's elements in `counts`, which is zero before. ranks[k] is the number of elements before
// element k in the warp that have its digit; the digit is in the upper 16 bits. Places behind the end count as elements
// with the last digit and get its last ranks.
static inline void fp_rank_warp(const FP_KEY *v, const fp_tile t, volatile __local uint *counts, uint *ranks)
{
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
        const uint digit = fp_is_inside(fp_place(k), t) ? fp_tile_digit(v[k], t) : FP_DIGITS - 1;
        const uint same = fp_match(digit), before = fp_votes_before(same), counted = counts[digit];
        fp_warp_sync();
        if (before == 0) counts[digit] = counted + popcount(same);
        fp_warp_sync();
        ranks[k] = digit << 16 | (counted + before);
    }
}

static inline void fp_clear_counts(__local fp_stage *stage)
{
    for (uint k = get_local_id(0); k < FP_COUNTS; k += FP_WG) stage->counts[k] = 0;
}

// Ranks the elements within their warps, and replaces the warps' counts, which are zero before, by the counts of the
// warps before each. Returns the tile's count of digit l. scratch[l] also counts the places behind the end.
static inline uint fp_count_tile(const FP_KEY *v, const fp_tile t, __local fp_stage *stage, __local uint *scratch,
                                 uint *ranks)
{
    const uint l = get_local_id(0);
    fp_rank_warp(v, t, stage->counts + l / FP_WARP * FP_DIGITS, ranks);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l >= FP_DIGITS) return 0;
    uint sum = 0;
#pragma unroll
    for (uint w = 0; w < FP_WARPS; w++) {
        const uint of_warp = stage->counts[w * FP_DIGITS + l];
        stage->counts[w * FP_DIGITS + l] = sum;
        sum += of_warp;
    }
    scratch[l] = sum;
    return sum - (l == FP_DIGITS - 1 ? FP_TILE - t.count : 0);
}

// ranks[k] becomes the place of element k in the tile. Returns the place where digit l begins in the tile.
static inline uint fp_place_tile(uint *ranks, __local fp_stage *stage, __local uint *scratch, FP_PARAMS)
{
    const uint l = get_local_id(0);
    __local const uint *mine = stage->counts + l / FP_WARP * FP_DIGITS;
    fp_scan_group(FP_DIGITS, scratch, FP_ARGS);
    const uint begin = l > 0 && l < FP_DIGITS ? scratch[l - 1] : 0;
    if (l < FP_DIGITS)
#pragma unroll
        for (uint w = 0; w < FP_WARPS; w++) stage->counts[w * FP_DIGITS + l] += begin;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) ranks[k] = mine[ranks[k] >> 16] + (ranks[k] & 0xffff);
    barrier(CLK_LOCAL_MEM_FENCE);
    return begin;
}

// The number of elements with the digit in all tiles before this one, by look-back. The upper half of a status word is
// the number of the launch: then the lower half is the tile's own count. If it is the next number, the count includes
// all tiles before.
static inline uint fp_look_back(const uint tile, const uint digit, const uint own, const uint launch,
                                volatile __global ulong *tile_status)
{
    uint before = 0;
    for (uint t = tile; t > 0;) {
        ulong word;
        t--;
        do word = tile_status[(ulong)t * FP_DIGITS + digit];
        while (word >> 32 != launch && word >> 32 != launch + 1);
        before += (uint)word;
        if (word >> 32 == launch + 1) break;
    }
    if (tile > 0) tile_status[(ulong)tile * FP_DIGITS + digit] = (ulong)(launch + 1) << 32 | (before + own);
    return before;
}

// Stores the elements where they are.
static inline void fp_copy_tile(FP_OUT_PARAMS, FP_PARAMS)
{
    const ulong n = fp_n, first = get_group_id(0) * (ulong)FP_TILE + get_local_id(0);
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++)
        if (first + k * FP_WG < n) fp_put(first + k * FP_WG, fp_load(first + k * FP_WG), FP_OUT_ARGS, FP_ARGS);
}

// Items store so many elements before their warp meets: Note [registers].
#define FP_UNTIL_SYNC (FP_UNZIP == 2 ? 1 : 2)

// Element k of the item.
static inline FP_IN fp_load_mine(const uint k, const fp_tile t, FP_PARAMS)
{
    return fp_load(t.mine + k * FP_WARP);
}

// Sorts the keys of a round into the stage: those of the places first, ..., first + FP_STAGED - 1 of the tile. The next
// barrier makes them visible.
static inline void fp_stage_keys(const uint first, const FP_KEY *v, const fp_tile t, const uint *ranks,
                                 __local fp_stage *stage, FP_PARAMS)
{
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
        const uint at = ranks[k] - first;
        if (FP_ROUNDS == 1)
            stage->keys[at] = v[k];
        else if (at < FP_STAGED && fp_is_inside(fp_place(k), t))
            stage->keys[at] = FP_KEY_OF(fp_load_mine(k, t, FP_ARGS));
    }
}

static inline void fp_stage_values(const uint first, const fp_tile t, const uint *ranks, __local fp_stage *stage,
                                   FP_PARAMS)
{
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++)
        if ((FP_ROUNDS == 1 || ranks[k] - first < FP_STAGED) && fp_is_inside(fp_place(k), t))
            stage->values[ranks[k] - first] = FP_VALUE_OF(fp_load_mine(k, t, FP_ARGS));
}

// Stores the keys of a round, and packs their digits: Note [registers].
static inline void fp_put_keys(const uint first, const fp_tile t, __local const fp_stage *stage,
                               __local const uint *moved, uint *digits, FP_OUT_PARAMS, FP_PARAMS)
{
#pragma unroll
    for (uint k = 0; k < FP_STAGED_ITEMS; k++) {
        const uint at = k * FP_WG + get_local_id(0), place = first + at;
        if (k % FP_UNTIL_SYNC == 0) fp_warp_sync();
        if (place >= FP_TILE || !fp_is_inside(place, t)) continue;
        const FP_KEY key = stage->keys[at];
        const uint digit = fp_tile_digit(key, t);
        FP_PUT_KEY(moved[digit] + place, key);
        digits[k / 4] = (k % 4 ? digits[k / 4] : 0) | digit << k % 4 * 8;
    }
}

static inline void fp_put_values(const uint first, const fp_tile t, __local const fp_stage *stage,
                                 __local const uint *moved, const uint *digits, FP_OUT_PARAMS, FP_PARAMS)
{
#pragma unroll
    for (uint k = 0; k < FP_STAGED_ITEMS; k++) {
        const uint at = k * FP_WG + get_local_id(0), place = first + at;
        if (k % FP_UNTIL_SYNC == 0) fp_warp_sync();
        if (place >= FP_TILE || !fp_is_inside(place, t)) continue;
        FP_PUT_VALUE(moved[digits[k / 4] >> k % 4 * 8 & 255] + place, stage->values[at]);
    }
}

static inline void fp_move_tile(const fp_tile t, const __global uint *restrict begins,
                                volatile __global ulong *tile_status, const uint launch, __local fp_stage *stage,
                                __local fp_beside *beside, FP_OUT_PARAMS, FP_PARAMS)
{
    const uint l = get_local_id(0);
    FP_KEY v[FP_ITEMS_PER_THREAD];
    uint ranks[FP_ITEMS_PER_THREAD], digits[(FP_STAGED_ITEMS + 3) / 4];
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++)
        if (fp_is_inside(fp_place(k), t)) v[k] = FP_KEY_OF(fp_load_mine(k, t, FP_ARGS));
    // Item l publishes the tile's count of digit l.
    const uint own = fp_count_tile(v, t, stage, beside->scratch, ranks);
    if (l < FP_DIGITS)
        tile_status[(ulong)t.number * FP_DIGITS + l] = (ulong)(t.number ? launch : launch + 1) << 32 | own;
    const uint begin = fp_place_tile(ranks, stage, beside->scratch, FP_ARGS);
    fp_stage_keys(0, v, t, ranks, stage, FP_ARGS);
    if (l < FP_DIGITS)
        beside->moved[l] =
            begins[t.shift / 8 * FP_DIGITS + l] + fp_look_back(t.number, l, own, launch, tile_status) - begin;
#pragma unroll
    for (uint first = 0; first < FP_TILE; first += FP_STAGED) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (first > 0) fp_stage_keys(first, v, t, ranks, stage, FP_ARGS);
        if (first > 0) barrier(CLK_LOCAL_MEM_FENCE);
        fp_put_keys(first, t, stage, beside->moved, digits, FP_OUT_ARGS, FP_ARGS);
        if (!FP_KEYED) continue;
        barrier(CLK_LOCAL_MEM_FENCE);
        fp_stage_values(first, t, ranks, stage, FP_ARGS);
        barrier(CLK_LOCAL_MEM_FENCE);
        fp_put_values(first, t, stage, beside->moved, digits, FP_OUT_ARGS, FP_ARGS);
    }
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_sort_radix_onesweep(FP_PARAMS, const uint pass, volatile __global uint *ticket, const __global uint *restrict begins,
                       volatile __global ulong *tile_status, const uint launch, FP_OUT_PARAMS)
{
    __local fp_stage stage;
    __local fp_beside beside;
    __local uint taken;
    const uint differ = begins[FP_PASSES * FP_DIGITS];
    const ulong n = fp_n;
    const uint shift = fp_pass_shift(pass, differ);
    if (shift == FP_COPY) fp_copy_tile(FP_OUT_ARGS, FP_ARGS);
    if (shift >= FP_COPY) return;
    const uint number = fp_take_tile(ticket, get_num_groups(0), &taken);
    fp_clear_counts(&stage);
    barrier(CLK_LOCAL_MEM_FENCE);
    fp_tile t = {.first = (ulong)number * FP_TILE, .number = number, .shift = shift};
    if (t.first >= n) return;
    t.mine = t.first + fp_place(0);
    t.count = (uint)min((ulong)FP_TILE, n - t.first);
    if (t.count == FP_TILE && !(differ & FP_NOT_PLAIN)) {
        t.whole = t.plain = true;
        fp_move_tile(t, begins, tile_status, launch, &stage, &beside, FP_OUT_ARGS, FP_ARGS);
    } else {
        fp_move_tile(t, begins, tile_status, launch, &stage, &beside, FP_OUT_ARGS, FP_ARGS);
    }
}
