// lint: FP_STEPS=2 FP_INDEX=ulong
// lint:
// A pass of a bitonic sort.
//   FP_INDEX=uint  type of places; uint: no block ends behind 2^31 elements
// and the slots of block/bitonic.cl.
typedef FP_INDEX fp_place;
#define FP_SPACE __global
#define FP_AT(j) (block + fp_within(j, offset, stride, flip))
#include "block/bitonic.cl"

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_sort_bitonic(FP_PARAMS, const ulong width, const uint flip, const ulong chunk, __global FP_T *data)
{
    fp_pass_item(data, (fp_place)fp_n, (fp_place)get_global_id(0), (fp_place)width, flip, FP_ARGS);
}
