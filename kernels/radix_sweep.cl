// lint: -DFP_CPU=0 -DFP_ORDERED=1
// lint: -DFP_CPU=0 -DFP_ORDERED=1 -DFP_APART=1
// Each element to its place by one digit, in order, in one pass ("onesweep": Adinets and Merrill, 2022). A tile sorts its elements
// by the digit, tells how many it has of each, and learns from the tiles before it how many those have.
// The slots of block/apart.cl and block/digit_sort.cl.
#include "block/apart.cl"
#include "block/digit_sort.cl"

// In a flag: how many the tile has of the digit, by the number of the launch; or, by the next number, how many it and all before it.
static inline uint fp_look_back(const uint tile, const uint digit, const uint own, const uint launch,
                                volatile __global ulong *flags)
{
    uint before = 0;
    for (uint t = tile; t > 0;) {
        ulong word;
        t--;
        do word = flags[(ulong)t * FP_DIGITS + digit];
        while (word >> 32 != launch && word >> 32 != launch + 1);
        before += (uint)word;
        if (word >> 32 == launch + 1) break;
    }
    if (tile > 0) flags[(ulong)tile * FP_DIGITS + digit] = (ulong)(launch + 1) << 32 | (before + own);
    return before;
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_radix_sweep(FP_PARAMS, const uint shift, volatile __global uint *ticket, const __global uint *restrict begins,
               volatile __global ulong *flags, const uint launch, FP_OUT_PARAMS)
{
    __local fp_stage stage;
    __local uint scratch[FP_SCAN_SCRATCH], moved[FP_DIGITS], tile;
    const uint l = get_local_id(0);
    const ulong n = fp_n;
    if (l == 0) {
        tile = atomic_inc(ticket);
        if (tile == get_num_groups(0) - 1) atomic_xchg(ticket, 0u);
    }
    fp_clear_counts(&stage);
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong first = (ulong)tile * FP_TILE;
    if (first >= n) return;
    const uint count = (uint)min((ulong)FP_TILE, n - first);
    FP_IN v[FP_PART];
    uint ranks[FP_PART];
#pragma unroll
    for (uint k = 0; k < FP_PART; k++)
        if (fp_place(k) < count) v[k] = fp_load(first + fp_place(k));
    // An item for each digit tells what the tile has of it.
    const uint own = fp_count_tile(v, count, shift, &stage, scratch, ranks);
    if (l < FP_DIGITS) flags[(ulong)tile * FP_DIGITS + l] = (ulong)(tile ? launch : launch + 1) << 32 | own;
    const uint begin = fp_sort_tile(v, ranks, &stage, scratch, FP_ARGS);
    if (l < FP_DIGITS) moved[l] = begins[shift / 8 * FP_DIGITS + l] + fp_look_back(tile, l, own, launch, flags) - begin;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < FP_PART; k++) {
        const uint at = k * FP_WG + l;
        if (at >= count) continue;
        const FP_IN x = stage.elements[at];
        fp_put(moved[fp_digit(x, shift)] + at, x, FP_OUT_ARGS);
    }
}
