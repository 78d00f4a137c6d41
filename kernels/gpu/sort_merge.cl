// lint:
// lint: FP_PROBES=1 FP_DESCENDING=1
// lint: FP_UNZIP=1 FP_KEYED=1 FP_T=fp_pair
// lint: FP_TWO=1
// Merges sorted runs. A work-group fills `chunk` tiles of FP_WG * FP_ITEMS_PER_THREAD places of the result, one after
// the other; the length of runs is a multiple of a tile. A comparator that is no strict weak order can give splits that
// do not fit together. Then some elements may be lost, and the counter is set.
//   FP_BOUNDS=3   bounds of a group's tiles at most, chunk + 1
//   FP_PROBES=16  work-items that search for one bound; FP_BOUNDS * FP_PROBES <= FP_WG
// and the slots of block/runs.cl and block/gpu/merge_tile.cl.
#if !defined(FP_PROBES) || !defined(FP_BOUNDS)
#error "sort_merge.cl needs FP_PROBES and FP_BOUNDS on a GPU"
#endif
#include "block/gpu/merge_tile.cl"
#include "block/runs.cl"

// Rounds of a search at most: each at least halves a range of less than 2^64.
#define FP_ROUNDS 64

// splits[b] = the number of elements of the left run that come before place first + b * FP_TILE of the merge, for
// b < bounds: the merge path in global memory. A load takes long, so each round of a search probes FP_PROBES places at
// once. All items call it.
static inline void fp_find_splits(const ulong first, const uint bounds, const ulong width, __local uint *found,
                                  __local ulong *splits, FP_PARAMS)
{
    const uint l = get_local_id(0), bound = l / FP_PROBES, probe = l % FP_PROBES;
    const ulong n = fp_n, place = min(first + (ulong)bound * FP_TILE, n);
    FP_RUNS(place);
    const ulong d = place - start;
    ulong low = d > right ? d - right : 0, high = bound < bounds ? min(d, left) : low;
    for (uint k = l; k < FP_ROUNDS * FP_BOUNDS; k += FP_WG) found[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    // No range is longer than `most`.
    for (ulong most = width; most > 0; most /= FP_PROBES + 1, found += FP_BOUNDS) {
        const ulong step = (high - low) / (FP_PROBES + 1) + 1, at = low + (probe + 1) * step - 1;
        if (low < high && at < high && !fp_before(fp_load(start + left + d - 1 - at), fp_load(start + at), FP_ARGS))
            atomic_max(found + bound, probe + 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (low < high) {
            low += found[bound] * step;
            high = min(high, low + step - 1);
        }
    }
    if (bound < bounds && probe == 0) splits[bound] = low;
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_sort_merge(FP_PARAMS, const ulong width, const ulong chunk, volatile __global uint *counters, const ulong counter,
              FP_OUT_PARAMS)
{
    __local FP_T tile[FP_TILE_ROOM];
    __local uint begins[FP_WG], found[FP_ROUNDS * FP_BOUNDS];
    __local ulong splits[FP_BOUNDS];
    const uint l = get_local_id(0);
    const ulong n = fp_n, first = get_group_id(0) * chunk * FP_TILE;
    if (first >= n) return;
    fp_find_splits(first, (uint)chunk + 1, width, found, splits, FP_ARGS);
    for (uint t = 0; t < chunk && first + t * FP_TILE < n; t++) {
        const ulong begin = first + t * FP_TILE;
        FP_RUNS(begin);
        const ulong d = begin - start;
        const uint count = (uint)min((ulong)FP_TILE, n - begin);
        ulong i = splits[t], last_i = d + count == left + right ? left : splits[t + 1];
        bool meets = i <= last_i && last_i - i <= count;
        if (!meets) {
            i = min(d, left);
            last_i = min(d + count, left);
        }
        const uint of_left = (uint)(last_i - i);
        fp_fetch_tile(start + i, start + left + (d - i), of_left, count, tile, FP_ARGS);
        FP_T v[FP_ITEMS_PER_THREAD];
        meets &=
            fp_merge_tile(tile, of_left, count - of_left, l * FP_ITEMS_PER_THREAD, l + 1 == FP_WG, begins, v, FP_ARGS);
        if (!meets) atomic_or(counters + counter, 1u);
        fp_put_blocked(tile, v);
        barrier(CLK_LOCAL_MEM_FENCE);
        fp_store_tile(tile, count, begin, FP_OUT_ARGS, FP_ARGS);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
