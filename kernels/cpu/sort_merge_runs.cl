// lint:
// lint: FP_STAGED=1
// lint: FP_STAGED=1 FP_UNZIP=1 FP_KEYED=1 FP_T=fp_pair
// Sorts runs of `chunk` elements of the input.
//   FP_RUN=16    elements that are sorted by insertion
//   FP_STAGED=0  0: sorts in `out`, which has room for elements
//                1: sorts behind the first fp_n elements of `other`, and stores the results from there
// and the slots of block/merge.cl and block/unzip.cl.
#if !FP_RUN || !defined(FP_STAGED)
#error "sort_merge_runs.cl needs FP_RUN and FP_STAGED on a CPU"
#endif
#include "block/merge.cl"
#include "block/unzip.cl"

// Sorts elements first, ..., last - 1 by insertion.
static inline void fp_insert(__global FP_T *v, const ulong first, const ulong last, FP_PARAMS)
{
    for (ulong i = first + 1; i < last; i++) {
        const FP_T x = v[i];
        ulong k = i;
        for (; k > first && fp_before(x, v[k - 1], FP_ARGS); k--) v[k] = v[k - 1];
        v[k] = x;
    }
}

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
#define FP_SORTED (other + n)
#define FP_STORE_SORTED(i) fp_put(i, FP_SORTED[i], FP_OUT_ARGS, FP_ARGS)
#else
#define FP_RUN_PARAMS __global FP_T *out
#define FP_SORTED out
#define FP_STORE_SORTED(i) ((void)0)
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void fp_sort_merge_runs(FP_PARAMS, const ulong chunk,
                                                                                __global FP_T *other, FP_RUN_PARAMS)
{
    const ulong n = fp_n, first = get_group_id(0) * chunk, last = min(first + chunk, n);
    if (first >= n) return;
    fp_sort_run(first, last, other, FP_SORTED, FP_ARGS);
    for (ulong i = first; FP_STAGED && i < last; i++) FP_STORE_SORTED(i);
}
