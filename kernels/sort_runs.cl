// lint: -DFP_CPU=0
// lint: -DFP_CPU=0 -DFP_DESCENDING=1
// lint: -DFP_CPU=1
// The input into `out`, in sorted runs: on a CPU of `share` elements, on a GPU of FP_WG * FP_PART.
//   FP_PART      GPU: elements of an item
//   FP_RUN       CPU: elements that are sorted by insertion
// and the slots of block/merge.cl.
#if (FP_CPU && !defined(FP_RUN)) || (!FP_CPU && !defined(FP_PART))
#error "sort_runs.cl needs FP_RUN on a CPU, FP_PART on a GPU"
#endif
#include "block/merge.cl"

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

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void fp_sort_runs(FP_PARAMS, const ulong share,
                                                                          __global FP_T *out, __global FP_T *other)
{
    const ulong n = fp_n, first = get_group_id(0) * share, last = min(first + share, n);
    if (first >= n) return;
    // The elements go back and forth, and end in `out`.
    uint rounds = 0;
    for (ulong width = FP_RUN; width < last - first; width *= 2) rounds++;
    __global FP_T *from = rounds % 2 ? other : out, *to = rounds % 2 ? out : other;
    for (ulong i = first; i < last; i++) from[i] = fp_load(i);
    for (ulong i = first; i < last; i += FP_RUN) fp_insert(from, i, min(i + FP_RUN, last), FP_ARGS);
    for (ulong width = FP_RUN; width < last - first; width *= 2) {
        fp_merge_runs(from, to, first, last, width, FP_ARGS);
        __global FP_T *swapped = from;
        from = to;
        to = swapped;
    }
}

#else
FP_INSERTION(fp_insert, __local)
#define FP_TILE (FP_WG * FP_PART)
#define FP_AT(i) tile[i]
FP_MERGE_PATH(fp_split, uint, FP_AT, __local const FP_T *tile)

// The item's FP_PART places of the merge of two runs, into v; false if the order contradicts itself.
static inline bool fp_merge_part(__local const FP_T *tile, const uint left, const uint right, const uint d,
                                 const uint end, FP_T *v, FP_PARAMS)
{
    uint i = fp_split(left, right, d, tile, FP_ARGS), j = d - i;
    const uint last_i = fp_split(left, right, end, tile, FP_ARGS), last_j = end - last_i;
    if (last_i < i || last_j < j) return false;
    for (uint k = 0; k < end - d; k++) {
        const bool from_right = i == last_i || (j < last_j && fp_before(tile[left + j], tile[i], FP_ARGS));
        v[k] = tile[from_right ? left + j : i];
        i += !from_right;
        j += from_right;
    }
    return true;
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_sort_runs(FP_PARAMS, volatile __global uint *cells, const ulong cell, __global FP_T *restrict out)
{
    __local FP_T tile[FP_TILE];
    __local uint contradicts;
    const uint l = get_local_id(0), mine = l * FP_PART;
    const ulong n = fp_n, first = get_group_id(0) * FP_TILE;
    if (first >= n) return;
    const uint count = (uint)min((ulong)FP_TILE, n - first);
    for (uint k = l; k < count; k += FP_WG) tile[k] = fp_load(first + k);
    if (l == 0) contradicts = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (mine < count) fp_insert(tile, mine, min(mine + FP_PART, count), FP_ARGS);
    for (uint width = FP_PART; width < count; width *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        FP_T v[FP_PART];
        const uint start = mine / (2 * width) * (2 * width);
        const uint left = min(width, count - min(count, start)), right = min(width, count - min(count, start + left));
        const uint d = mine - start, end = min(d + FP_PART, left + right);
        if (mine < count && !fp_merge_part(tile + start, left, right, d, end, v, FP_ARGS)) contradicts = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (contradicts) break;
        for (uint k = 0; mine < count && k < end - d; k++) tile[mine + k] = v[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (contradicts && l == 0) atomic_or(cells + cell, 1u);
    for (uint k = l; k < count; k += FP_WG) out[first + k] = tile[k];
}
#endif
