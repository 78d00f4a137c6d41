// lint:
// lint: FP_START=1
// lint: FP_START=1 FP_T=fp_pair FP_PACKED=0
// lint: FP_T=fp_pair FP_PACKED=0
// Inclusive scan: out[i] = the elements 0, ..., i combined in order. With FP_START the scan is exclusive: out[i] is
// `start` combined with the elements before i. The kernel stores fp_epilogue(i, out[i]), an FP_OUT. It has the slots of
// block/cpu/scan.cl.
#include "block/cpu/scan.cl"

// Stores the results first, ..., last - 1. `before` is the prefix, the value of all elements before these, if there are
// `any`.
static inline void fp_scan_serial(__global FP_OUT *restrict out, const ulong first, const ulong last, const bool any,
                                  const FP_T before, FP_PARAMS)
{
    FP_T sum = before;
    if (FP_START) {
        for (ulong i = first; i < last; i++) {
            const FP_T next = fp_load(i);
            out[i] = fp_epilogue(i, sum);
            sum = fp_op(sum, next);
        }
    } else {
        sum = any ? fp_op(sum, fp_load(first)) : fp_load(first);
        out[first] = fp_epilogue(first, sum);
        for (ulong i = first + 1; i < last; i++) {
            sum = fp_op(sum, fp_load(i));
            out[i] = fp_epilogue(i, sum);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void fp_scan(FP_PARAMS, FP_START_PARAM FP_TILE_STATE_PARAMS,
                                                                     volatile __global uint *ticket, const ulong chunk,
                                                                     __global FP_OUT *restrict out)
{
    const uint tile = fp_next_tile(ticket, (uint)get_num_groups(0));
    const ulong n = fp_n, first = tile * chunk, last = min(first + chunk, n);
    if (first >= n) return;
    const FP_T total = fp_reduce_item(first, last, FP_ARGS);
    FP_T before;
    const bool any = fp_scan_before(tile, total, &before, FP_START_ARG FP_TILE_STATE_ARGS, FP_ARGS);
    fp_scan_serial(out, first, last, any, before, FP_ARGS);
}
