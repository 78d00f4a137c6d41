// lint: -DFP_CPU=0
// lint: -DFP_CPU=0 -DFP_DESCENDING=1
// lint: -DFP_CPU=1
// Merges pairs of sorted runs of `width` elements of the input into `out`. A work-item fills `share` places of it, a divisor of
// width. An order that contradicts itself gives places that do not meet: that is said in the cell, and they stay as they are.
// and the slots of block/merge.cl.
#include "block/merge.cl"

#define FP_AT(i) fp_load(start + (i))
FP_MERGE_PATH(fp_split, ulong, FP_AT, const ulong start)

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_merge(FP_PARAMS, const ulong width, const ulong share, volatile __global uint *cells, const ulong cell,
         __global FP_T *restrict out)
{
    const ulong n = fp_n, begin = get_global_id(0) * share;
    if (begin >= n) return;
    const ulong start = begin / (2 * width) * (2 * width), left = min(width, n - start);
    const ulong right = min(width, n - start - left), d = begin - start, end = min(d + share, left + right);
    ulong i = fp_split(left, right, d, start, FP_ARGS), j = d - i;
    const ulong last_i = fp_split(left, right, end, start, FP_ARGS), last_j = end - last_i;
    if (last_i < i || last_j < j) {
        atomic_or(cells + cell, 1u);
        return;
    }
    __global FP_T *to = out + begin;
    while (i < last_i && j < last_j) {
        const FP_T a = FP_AT(i), b = FP_AT(left + j);
        const bool right_first = fp_before(b, a, FP_ARGS);
        *to++ = right_first ? b : a;
        i += !right_first;
        j += right_first;
    }
    for (; i < last_i; i++) *to++ = FP_AT(i);
    for (; j < last_j; j++) *to++ = FP_AT(left + j);
}
