// lint: FP_SPACE=__local FP_IN=fp_pair
// lint: FP_SPACE=__global FP_IN=fp_pair FP_MARKED=1
// The bins of a work-item or a work-group, in the address space FP_SPACE. It has the slots of block/marks.cl.
#include "block/marks.cl"
#include "block/place.cl"

#define FP_MINE_PARAMS FP_SPACE FP_T *mine, FP_SPACE uchar *marks

static inline void fp_clear(const ulong place, const FP_T identity, FP_MINE_PARAMS)
{
    if (FP_MARKED)
        marks[place] = 0;
    else
        mine[place] = identity;
}

static inline void fp_add(const ulong place, const FP_T value, FP_MINE_PARAMS, FP_PARAMS)
{
    if (FP_MARKED) {
        mine[place] = marks[place] ? fp_op(mine[place], value) : value;
        marks[place] = 1;
    } else {
        mine[place] = fp_op(mine[place], value);
    }
}
