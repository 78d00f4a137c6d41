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

// Pair i. Bin k is place k * stride + column.
static inline void fp_add_pair(const ulong i, const FP_IN pair, const ulong bins, const uint stride, const uint column,
                               volatile __global uint *counters, const ulong counter, FP_MINE_PARAMS, FP_PARAMS)
{
    if (pair.w0 < bins) {
        fp_add(pair.w0 * stride + column, pair.v0, mine, marks, FP_ARGS);
    } else {
        fp_report_place(i, counters, counter);
    }
}
