// lint:
// lint: FP_DESCENDING=1
// lint: FP_UNZIP=1 FP_KEYED=1 FP_T=fp_pair
// Sorts runs of FP_WG * FP_ITEMS_PER_THREAD elements of the input. It has the slots of block/gpu/merge_tile.cl.
#include "block/gpu/merge_tile.cl"

// Sorts elements first, ..., last - 1 by insertion.
static inline void fp_insert(__local FP_T *v, const ulong first, const ulong last, FP_PARAMS)
{
    for (ulong i = first + 1; i < last; i++) {
        const FP_T x = v[i];
        ulong k = i;
        for (; k > first && fp_before(x, v[k - 1], FP_ARGS); k--) v[k] = v[k - 1];
        v[k] = x;
    }
}

// Odd-even transposition sort of v: as many rounds as elements. It is stable.
static inline void fp_sort_thread(FP_T *v, FP_PARAMS)
{
#pragma unroll
    for (uint round = 0; round < FP_ITEMS_PER_THREAD; round++) {
#pragma unroll
        for (uint k = 0; k + 1 < FP_ITEMS_PER_THREAD; k++) {
            if (k % 2 != round % 2) continue;
            const FP_T a = v[k], b = v[k + 1];
            const bool exchange = fp_before(b, a, FP_ARGS);
            v[k] = exchange ? b : a;
            v[k + 1] = exchange ? a : b;
        }
    }
}

// A tile that finds the comparator to be no strict weak order stores its elements as they came.
__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void fp_sort_merge_runs(FP_PARAMS, FP_OUT_PARAMS)
{
    __local FP_T tile[FP_TILE_ROOM];
    __local uint begins[FP_WG], contradicts;
    const uint l = get_local_id(0), mine = l * FP_ITEMS_PER_THREAD;
    const ulong n = fp_n, first = get_group_id(0) * FP_TILE;
    if (first >= n) return;
    const uint count = (uint)min((ulong)FP_TILE, n - first);
    if (l == 0) contradicts = 0;
    fp_fetch_tile(first, first, count, count, tile, FP_ARGS);
    // Only the item that has the last elements may be partly filled. Insertion sort keeps these apart from the padding.
    const bool full = mine + FP_ITEMS_PER_THREAD <= count;
    if (mine < count && !full) fp_insert(tile, mine, count, FP_ARGS);
    FP_T v[FP_ITEMS_PER_THREAD];
#pragma unroll
    for (uint k = 0; k < FP_ITEMS_PER_THREAD; k++) v[k] = tile[mine + k];
    if (full) fp_sort_thread(v, FP_ARGS);
    for (uint items = 1; items * FP_ITEMS_PER_THREAD < count; items *= 2) {
        fp_put_blocked(tile, v);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint width = items * FP_ITEMS_PER_THREAD, start = l / (2 * items) * (2 * width);
        const uint left = min(width, count - min(count, start)), right = min(width, count - min(count, start + left));
        const bool last = (l + 1) % (2 * items) == 0;
        if (!fp_merge_tile(tile + start, left, right, mine - start, last, begins, v, FP_ARGS)) contradicts = 1;
    }
    fp_put_blocked(tile, v);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!contradicts) {
        fp_store_tile(tile, count, first, FP_OUT_ARGS, FP_ARGS);
        return;
    }
    for (uint k = l; k < count; k += FP_WG) fp_put(first + k, fp_load(first + k), FP_OUT_ARGS, FP_ARGS);
}
