// lint: FP_CPU=0
// lint: FP_CPU=0 FP_DESCENDING=1
// lint: FP_CPU=0 FP_UNZIP=1 FP_KEYED=1 FP_T=fp_pair
// lint: FP_CPU=1
// lint: FP_CPU=1 FP_STAGED=1
// lint: FP_CPU=1 FP_STAGED=1 FP_UNZIP=1 FP_KEYED=1 FP_T=fp_pair
// Sorts runs of the input: of `chunk` elements on a CPU, of FP_WG * FP_ITEMS_PER_THREAD on a GPU.
//   FP_ITEMS_PER_THREAD=16  GPU: elements of a work-item; an odd number avoids bank conflicts
//   FP_RUN=16               CPU: elements that are sorted by insertion
//   FP_STAGED=0             CPU: 0: sorts in `out`, which has room for elements
//                           1: sorts behind the first fp_n elements of `other`, and stores the results from there
// and the slots of block/merge.cl and of block/unzip.cl.
#if (FP_CPU && !(FP_RUN && defined(FP_STAGED))) || (!FP_CPU && !defined(FP_ITEMS_PER_THREAD))
#error "sort_merge_runs.cl needs FP_RUN and FP_STAGED on a CPU, FP_ITEMS_PER_THREAD on a GPU"
#endif
#if FP_CPU
#include "block/merge.cl"
#include "block/unzip.cl"
#else
#include "block/merge_tile.cl"
#endif

// Sorts elements first, ..., last - 1 by insertion.
#define FP_INSERTION(name, space)                                                                                      \
    static inline void name(space FP_T *v, const ulong first, const ulong last, FP_PARAMS)                             \
    {                                                                                                                  \
        for (ulong i = first + 1; i < last; i++) {                                                                     \
            const FP_T x = v[i];                                                                                       \
            ulong k = i;                                                                                               \
            for (; k > first && fp_before(x, v[k - 1], FP_ARGS); k--) v[k] = v[k - 1];                                 \
            v[k] = x;                                                                                                  \
        }                                                                                                              \
    }

#if FP_CPU
FP_INSERTION(fp_insert, __global)

// Merges runs of `width` of from[first], ..., from[last - 1] into the same places of `to`.
static inline void fp_merge_runs(__global const FP_T *restrict from, __global FP_T *restrict to, const ulong first,
                                 const ulong last, const ulong width, FP_PARAMS)
{
    for (ulong start = first; start < last; start += 2 * width) {
        ulong i = start, j = min(start + width, last), k = start;
        const ulong middle = j, end = min(start + 2 * width, last);
        while (i < middle && j < end) {
            const FP_T a = from[i], b = from[j];
            const bool right_first = fp_before(b, a, FP_ARGS);
            to[k++] = right_first ? b : a;
            i += !right_first;
            j += right_first;
        }
        while (i < middle) to[k++] = from[i++];
        while (j < end) to[k++] = from[j++];
    }
}

// Sorts a run. The elements move between `other` and `sorted` in each round, and end in `sorted`.
static inline void fp_sort_run(const ulong first, const ulong last, __global FP_T *other, __global FP_T *sorted,
                               FP_PARAMS)
{
    uint rounds = 0;
    for (ulong width = FP_RUN; width < last - first; width *= 2) rounds++;
    __global FP_T *from = rounds % 2 ? other : sorted, *to = rounds % 2 ? sorted : other;
    for (ulong i = first; i < last; i++) from[i] = fp_load(i);
    for (ulong i = first; i < last; i += FP_RUN) fp_insert(from, i, min(i + FP_RUN, last), FP_ARGS);
    for (ulong width = FP_RUN; width < last - first; width *= 2) {
        fp_merge_runs(from, to, first, last, width, FP_ARGS);
        __global FP_T *swapped = from;
        from = to;
        to = swapped;
    }
}

#if FP_STAGED
#define FP_RUN_PARAMS FP_OUT_PARAMS
#else
#define FP_RUN_PARAMS __global FP_T *out
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void fp_sort_merge_runs(FP_PARAMS, const ulong chunk,
                                                                                __global FP_T *other, FP_RUN_PARAMS)
{
    const ulong n = fp_n, first = get_group_id(0) * chunk, last = min(first + chunk, n);
    if (first >= n) return;
#if FP_STAGED
    fp_sort_run(first, last, other, other + n, FP_ARGS);
    for (ulong i = first; i < last; i++) fp_put(i, other[n + i], FP_OUT_ARGS, FP_ARGS);
#else
    fp_sort_run(first, last, other, out, FP_ARGS);
#endif
}

#else
FP_INSERTION(fp_insert, __local)

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
#endif
