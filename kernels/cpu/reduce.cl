// lint:
// lint: FP_COUNTED=1
// lint: FP_T=fp_pair FP_MEMBERS=FP_PAIR_MEMBERS
// lint: FP_ORDERED=1 FP_START=1
// Reduces fp_n > 0 elements to one value. Each work-group stores a partial result. The last group to finish combines
// these (level 3) and leaves the ticket at zero for the next launch.
// With FP_START the result is op(start, value). With FP_COUNTED fp_n may be 0: the result is fp_nothing then.
// It has the slots of block/start.cl and block/cpu/reduce.cl.
#include "block/chunk.cl"
#include "block/cpu/reduce.cl"
#include "block/start.cl"

// In order, as a balanced tree: sums lose less precision than one after the other.
static inline FP_T fp_reduce_partials(volatile __global FP_T *partials, const uint count, FP_PARAMS)
{
    FP_ROLLED
    for (uint step = 1; step < count; step *= 2) {
        FP_ROLLED
        for (uint k = 0; k + step < count; k += 2 * step) {
            const FP_T left = partials[k], right = partials[k + step];
            partials[k] = fp_op(left, right);
        }
    }
    return partials[0];
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fp_reduce(FP_PARAMS, FP_START_PARAM FP_CHUNK_PARAMS, volatile __global FP_T *partials, volatile __global uint *ticket,
          __global FP_T *out)
{
    const ulong n = fp_n;
#if FP_COUNTED
    if (n == 0 && get_group_id(0) == 0) *out = FP_WITH_START(fp_nothing);
    if (n == 0) return;
    const ulong chunk = fp_chunk_of(n, multiple, most);
#endif
    // A chunk is a multiple of FP_LANES. Compilers that know it share the work of neighbouring elements.
    const ulong first = get_group_id(0) * (chunk / FP_LANES * FP_LANES);
    const uint groups = (uint)((n + chunk - 1) / chunk);
    if (first >= n) return;
    partials[get_group_id(0)] = fp_reduce_item(first, min(first + chunk, n), FP_ARGS);
    fp_fence_device();
    if (atomic_inc(ticket) != groups - 1) return;
    fp_fence_device();
    const FP_T value = fp_reduce_partials(partials, groups, FP_ARGS);
    *out = FP_WITH_START(value);
    atomic_xchg(ticket, 0u);
}
