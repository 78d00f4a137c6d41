// lint: FP_STEPS=2
// The steps of a bitonic sort that stay in a tile of `chunk` elements: those from `width` down to 2, or, with `all`,
// all stages up to `width`, of the input. It has the slots of block/bitonic.cl.
#include "block/cpu/bitonic.cl"

FP_ALWAYS void fp_sort_items(__global FP_T *tile, const ulong count, FP_PARAMS)
{
    for (ulong k = 0; k << FP_STEPS < count; k++) fp_sort_item(tile, count, k, FP_ARGS);
}

FP_ALWAYS void fp_pass_tile(__global FP_T *tile, const ulong count, const ulong width, const bool flip, FP_PARAMS)
{
    const ulong blocks = (count + width - 1) / width;
    fp_pass_items(tile, count, 0, blocks * (width >> FP_STEPS), width, flip, FP_ARGS);
}

#define fp_meet(width) ((void)0)
#include "block/bitonic_stages.cl"

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_sort_bitonic_tile(FP_PARAMS, const ulong width, const uint all, const ulong chunk, __global FP_T *data)
{
    const ulong n = fp_n, first = get_group_id(0) * chunk;
    if (first >= n) return;
    const ulong count = min(chunk, n - first);
    if (all) {
        for (ulong i = first; i < first + count; i++) data[i] = fp_load(i);
    }
    fp_stages(data + first, count, width, all, FP_ARGS);
}
