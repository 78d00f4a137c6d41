// lint: FP_WARP=1
// lint: FP_WARP=1 FP_ORDERED=1
// lint:
// Reduction and scan of one value for each work-item of a group: the values of its first `count` items, which are
// scratch[0], ..., scratch[count - 1]. All items call these functions, and count > 0.
//   fp_reduce_group(count, scratch)  reduces them to scratch[0]
//   fp_scan_group(count, scratch)    scans them, inclusively and in order; scratch has FP_SCAN_SCRATCH elements
// Values stay in local memory across a barrier: PoCL 3.1 loses private structs there.
//   FP_ORDERED=0  1: combines in order, for operators that do not commute
//   FP_WARP=32    work-items that exchange values by block/gpu/warp.cl; 1: none do
#if !defined(FP_ORDERED) || !defined(FP_WARP)
#error "block/gpu/group.cl needs FP_ORDERED and FP_WARP"
#endif
#if FP_WARP > 1
#include "block/gpu/group_warps.cl"
#else
#include "block/gpu/group_tree.cl"
#endif
