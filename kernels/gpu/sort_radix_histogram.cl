// lint: FP_ORDERED=1
// Digit histograms of all passes, scanned, in one reading of the keys: begins[pass * FP_DIGITS + digit] = the number of
// elements with a lower digit. Behind them bit d is set if digit d differs between keys; FP_NOT_PLAIN, if a key is
// not plain. Also clears the `words` status words of sort_radix_onesweep.cl. The counters behind the ticket are zero
// between launches.
//   FP_ITEMS_PER_THREAD=16  elements that a work-item has in flight
// and the slots of block/digit.cl, block/pass.cl and block/gpu/counts.cl.
#include "block/digit.cl"
#include "block/gpu/counts.cl"
#include "block/pass.cl"

#define FP_TILE (FP_WG * FP_ITEMS_PER_THREAD)
#define FP_COUNTS (FP_PASSES * FP_DIGITS)

// Is the key plain?
static inline bool fp_count_digits(const FP_IN x, __local uint *mine)
{
    const FP_BITS bits = fp_key_bits(x);
#pragma unroll
    for (uint pass = 0; pass < FP_PASSES; pass++)
        atomic_inc(mine + pass * FP_DIGITS + ((uint)(bits >> 8 * pass) & (FP_DIGITS - 1)));
    return bits == fp_plain_bits(FP_KEY_OF(x));
}

// Scans the counters of all groups, and sets them to zero. A digit that counts all elements does not differ.
static inline void fp_scan_counts(volatile __global uint *counts, __global uint *begins, __local uint *scratch,
                                  __local uint *differ, FP_PARAMS)
{
    const uint l = get_local_id(0);
    if (l == 0) *differ = ~0u;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint pass = 0; pass < FP_PASSES; pass++) {
        if (l < FP_DIGITS) scratch[l] = atomic_xchg(counts + pass * FP_DIGITS + l, 0u);
        if (l < FP_DIGITS && scratch[l] == fp_n) *differ &= ~(1u << pass);
        fp_scan_group(FP_DIGITS, scratch, FP_ARGS);
        if (l < FP_DIGITS) begins[pass * FP_DIGITS + l] = l ? scratch[l - 1] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l > 0) return;
    const bool plain = atomic_xchg(counts + FP_COUNTS, 0u) == 0;
    begins[FP_COUNTS] = (*differ & ((1u << FP_PASSES) - 1)) | (plain ? 0 : FP_NOT_PLAIN);
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_sort_radix_histogram(FP_PARAMS, volatile __global uint *ticket, const ulong counts_from,
                        __global uint *restrict begins, __global ulong *restrict tile_status, const ulong words)
{
    __local uint mine[FP_COUNTS], scratch[FP_SCAN_SCRATCH], is_last, differ;
    const uint l = get_local_id(0);
    const ulong n = fp_n;
    bool plain = true;
    volatile __global uint *counts = ticket + counts_from;
    for (uint k = l; k < FP_COUNTS; k += FP_WG) mine[k] = 0;
    for (ulong k = get_global_id(0); k < words; k += get_global_size(0)) tile_status[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong first = get_group_id(0) * (ulong)FP_TILE; first < n; first += get_num_groups(0) * (ulong)FP_TILE) {
        FP_IN v[FP_ITEMS_PER_THREAD];
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++)
            if (first + k * FP_WG + l < n) v[k] = fp_load(first + k * FP_WG + l);
#pragma unroll
        for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++)
            if (first + k * FP_WG + l < n) plain &= fp_count_digits(v[k], mine);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = l; k < FP_COUNTS; k += FP_WG)
        if (mine[k]) atomic_add(counts + k, mine[k]);
    if (!plain) atomic_inc(counts + FP_COUNTS);
    fp_fence_device();
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (l == 0) is_last = atomic_inc(ticket) == get_num_groups(0) - 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!is_last) return;
    fp_scan_counts(counts, begins, scratch, &differ, FP_ARGS);
    if (l == 0) atomic_xchg(ticket, 0u);
}
