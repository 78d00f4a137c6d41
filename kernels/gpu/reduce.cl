// lint:
// lint: FP_ORDERED=1
// lint: FP_ORDERED=1 FP_COUNTED=1
// lint: FP_ORDERED=1 FP_T=fp_pair
// lint: FP_T=fp_pair FP_WIDE=0
// Reduces fp_n > 0 elements to one value. Each work-group stores a partial result. The last group to finish combines
// these (level 3) and leaves the ticket at zero for the next launch.
// With FP_START the result is op(start, value). With FP_COUNTED fp_n may be 0: the result is fp_nothing then.
// It has the slots of block/start.cl, block/gpu/announce.cl, block/gpu/serial.cl and block/gpu/reduce.cl.
#include "block/chunk.cl"
#include "block/gpu/announce.cl"
#include "block/gpu/reduce.cl"
#include "block/gpu/serial.cl"
#include "block/start.cl"

// Reduces the partial results of all groups to scratch[0]. Where order is kept, each item takes contiguous ones.
static inline void fp_reduce_partials(volatile __global FP_T *partials, const uint count, __local FP_T *scratch,
                                      FP_PARAMS)
{
    const uint l = get_local_id(0);
    const uint chunk = (count + FP_WG - 1) / FP_WG;
    const uint begin = FP_ORDERED ? l * chunk : l, end = FP_ORDERED ? min(begin + chunk, count) : count;
    const uint step = FP_ORDERED ? 1 : FP_WG;
    const uint items = FP_ORDERED ? (count + chunk - 1) / chunk : min(count, (uint)FP_WG);
    if (begin < end) {
        FP_T value = partials[begin];
        for (uint k = begin + step; k < end; k += step) {
            const FP_T next = partials[k];
            value = fp_op(value, next);
        }
        scratch[l] = value;
    }
    fp_reduce_group(items, scratch, FP_ARGS);
}

// Few elements: item 0 reduces them from left to right, to scratch[0]. The group loads them, so that item 0 need not
// wait for each.
static inline void fp_reduce_few(const ulong n, __local FP_T *scratch, FP_PARAMS)
{
    const uint l = get_local_id(0);
    if (l == 0) scratch[0] = fp_load(0);
    for (ulong first = 1; first < n; first += FP_WG - 1) {
        const uint count = (uint)min((ulong)(FP_WG - 1), n - first);
        if (l > 0 && l <= count) scratch[l] = fp_load(first + l - 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l == 0) {
            FP_T total = scratch[0];
            for (uint k = 1; k <= count; k++) total = fp_op(total, scratch[k]);
            scratch[0] = total;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_reduce(FP_PARAMS, FP_START_PARAM FP_CHUNK_PARAMS, volatile __global FP_T *partials, volatile __global uint *ticket,
          volatile __global FP_T *out, const uint turn)
{
    __local FP_T scratch[FP_SCRATCH];
    __local uint is_last;
    const uint l = get_local_id(0);
    const ulong n = fp_n;
#if FP_COUNTED
    if (n == 0 && get_global_id(0) == 0) fp_announce(out, FP_WITH_START(fp_nothing), turn);
    if (n == 0) return;
    const ulong chunk = fp_chunk_of(n, multiple, most);
#endif
    const uint groups = FP_COUNTED ? (uint)((n + chunk - 1) / chunk) : (uint)get_num_groups(0);
    if (FP_COUNTED && get_group_id(0) >= groups) return;
    if (fp_are_few(n)) {
        // PoCL 3.1, which has no warps, makes wrong code of joined kernels if the value passes through local memory.
#if FP_WARP > 1
        if (get_group_id(0) == 0) fp_reduce_few(n, scratch, FP_ARGS);
        if (get_global_id(0) == 0) fp_announce(out, FP_WITH_START(scratch[0]), turn);
#else
        if (get_global_id(0) == 0) fp_announce(out, FP_WITH_START(fp_reduce_serial(0, n, FP_ARGS)), turn);
#endif
        return;
    }
    fp_reduce_share(n, groups, chunk, scratch, FP_ARGS);
    if (groups == 1) {
        if (l == 0) fp_announce(out, FP_WITH_START(scratch[0]), turn);
        return;
    }
    if (l == 0) {
        partials[get_group_id(0)] = scratch[0];
        fp_fence_device();
        is_last = atomic_inc(ticket) == groups - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (!is_last) return;
    fp_fence_device();
    fp_reduce_partials(partials, groups, scratch, FP_ARGS);
    if (l == 0) {
        atomic_xchg(ticket, 0u);
        fp_announce(out, FP_WITH_START(scratch[0]), turn);
    }
}
