// lint:
// lint: FP_SPLIT=1
// lint: FP_T=fp_pair
// Stream compaction. It has the slots of block/select.cl and block/cpu/lookback.cl.
#include "block/select.cl"

// Of flags: block/select.cl has made FP_T their type.
#include "block/cpu/lookback.cl"

// The elements of an iteration. More gain nothing.
#define FP_AT_A_TIME 4

// Stores element i, of which `at` before it were kept. Is it kept, too? No branch: without the others the next element
// overwrites one that is not.
static inline bool fp_store_taken(const ulong i, const FP_T at, __global fp_element *out, __global fp_element *rest,
                                  FP_PARAMS)
{
    fp_element v;
    const bool keep = fp_take(i, &v);
    __global fp_element *to = !FP_SPLIT || keep ? out + at : rest + (i - at);
    *to = v;
    return keep;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_select(FP_PARAMS, FP_TILE_STATE_PARAMS, volatile __global uint *ticket, const ulong chunk, FP_SELECT_PARAMS)
{
    const uint tile = fp_next_tile(ticket, (uint)get_num_groups(0));
    const ulong n = fp_n, first = tile * chunk, last = min(first + chunk, n);
    if (n == 0 && tile == 0) FP_STORE_KEPT(0, 0);
    if (first >= n) return;
    FP_T kept = 0;
    for (ulong i = first; i < last; i++) {
        fp_element v;
        kept += fp_take(i, &v);
    }
    FP_T at = tile ? fp_await(tile - 1, FP_TILE_STATE_ARGS) : 0;
    fp_publish(tile, at + kept, FP_TILE_STATE_ARGS);
    if (last == n) FP_STORE_KEPT(at + kept, n);
    // The loops end with the last kept element, so they do not write to the next chunk's places. The first one takes as
    // many elements at a time as are surely left.
    const FP_T end = at + kept;
    ulong i = first;
    while ((FP_SPLIT ? last - i : end - at) >= FP_AT_A_TIME) {
#pragma unroll
        for (uint k = 0; k < FP_AT_A_TIME; k++, i++) at += fp_store_taken(i, at, out, FP_REST, FP_ARGS);
    }
    for (; FP_SPLIT ? i < last : at < end; i++) at += fp_store_taken(i, at, out, FP_REST, FP_ARGS);
}
