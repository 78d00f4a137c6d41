// lint: FP_ORDERED=1
// lint: FP_ORDERED=1 FP_START=1
// lint: FP_ORDERED=1 FP_START=1 FP_T=fp_pair FP_PACKED=0
// lint: FP_ORDERED=1 FP_T=fp_pair FP_PACKED=0
// lint: FP_ORDERED=1 FP_PASS=1
// lint: FP_ORDERED=1 FP_PASS=2
// Inclusive scan: out[i] = the elements 0, ..., i combined in order. With FP_START the scan is exclusive: out[i] is
// `start` combined with the elements before i. The kernel stores fp_epilogue(i, out[i]), an FP_OUT.
// It has the slots of block/gpu/scan.cl and block/gpu/serial.cl.
#include "block/gpu/scan.cl"
#include "block/gpu/serial.cl"

// Item 0 scans few elements from left to right. The group loads and stores them, so that item 0 need not wait for each.
// Between two tiles there is no barrier: each item loads to the places that it has stored from.
static inline void fp_scan_few(const ulong n, __local FP_T *tile, __local FP_T *before, __global FP_OUT *restrict out,
                               FP_START_PARAM FP_PARAMS)
{
    const uint l = get_local_id(0);
    for (ulong first = 0; first < n; first += FP_TILE) {
        const uint count = (uint)min((ulong)FP_TILE, n - first);
        for (uint k = l; k < count; k += FP_WG) tile[k] = fp_load(first + k);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l == 0) {
            const bool any = FP_START || first > 0;
            FP_T sum = first > 0 ? before[0] : FP_START_OR(tile[0]);
            for (uint k = !any; k < count; k++) {
                const FP_T next = fp_op(sum, tile[k]);
                tile[k] = FP_START ? sum : next;
                sum = next;
            }
            before[0] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = l; k < count; k += FP_WG) out[first + k] = fp_epilogue(first + k, tile[k]);
    }
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_scan(FP_PARAMS, FP_START_PARAM FP_TILE_STATE_PARAMS, volatile __global uint *ticket, __global FP_OUT *restrict out)
{
    __local FP_T tile[FP_TILE], scratch[FP_SCAN_SCRATCH], before[FP_WG];
    __local uint shared;
    const uint l = get_local_id(0);
    const ulong n = fp_n, number = fp_next_tile(ticket, (uint)get_num_groups(0), &shared), first = number * FP_TILE;
    if (first >= n) return;
    if (FP_PASS != 1 && fp_are_few(n)) {
        if (number == 0) fp_scan_few(n, tile, before, out, FP_START_ARG FP_ARGS);
        return;
    }
    const uint count = (uint)min((ulong)FP_TILE, n - first),
               threads = (count + FP_ITEMS_PER_THREAD - 1) / FP_ITEMS_PER_THREAD;
    const uint mine = fp_stage_tile(first, count, tile, FP_ARGS);
    __local FP_T *own = tile + l * FP_ITEMS_PER_THREAD;
    if (mine > 0) {
        FP_T of_thread = own[0];
#pragma unroll
        for (uint k = 1; k < FP_ITEMS_PER_THREAD; k++)
            if (k < mine) of_thread = fp_op(of_thread, own[k]);
        scratch[l] = of_thread;
    }
    fp_scan_group(threads, scratch, FP_ARGS);
    __local const FP_T *total = scratch + threads - 1;
    if (FP_PASS == 1) {
        fp_publish_groups(number, FP_TILES(n), total, before, &shared, ticket, FP_START_ARG FP_TILE_STATE_ARGS,
                          FP_ARGS);
        return;
    }
    fp_publish_total(number, total, FP_TILE_STATE_ARGS);
    const bool any = fp_look_back(number, total, before, FP_START_ARG FP_TILE_STATE_ARGS, FP_ARGS);
    // The value before the item's elements: that before the tile, if there is one, and that of the items before.
    FP_T sum;
    if (any) sum = before[0];
    if (mine > 0 && l > 0) sum = any ? fp_op(sum, scratch[l - 1]) : scratch[l - 1];
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
        if (k >= mine) continue;
        const FP_T next = FP_START || any || l > 0 || k > 0 ? fp_op(sum, own[k]) : own[k];
        own[k] = FP_START ? sum : next;
        sum = next;
    }
    fp_warp_sync();
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) {
        const uint at = fp_place(k);
        if (at < count) out[first + at] = fp_epilogue(first + at, tile[at]);
    }
}
