// lint: FP_ORDERED=1
// block/gpu/group.cl for counts, in templates whose elements have another type.
#undef FP_T
#undef fp_op
#define FP_T uint
#define fp_op(a, b) ((a) + (b))
#include "block/gpu/group.cl"
