// lint: FP_STEPS=2
// A pass of a bitonic sort. A work-item does the work of `chunk` items. It has the slots of block/bitonic.cl.
#include "block/cpu/bitonic.cl"

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_sort_bitonic(FP_PARAMS, const ulong width, const uint flip, const ulong chunk, __global FP_T *data)
{
    const ulong first = get_global_id(0) * chunk;
    fp_pass_items(data, fp_n, first, first + chunk, width, flip, FP_ARGS);
}
