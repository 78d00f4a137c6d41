// lint: FP_CPU=0 FP_ORDERED=0
// lint: FP_CPU=0 FP_ORDERED=1
// lint: FP_CPU=0 FP_ORDERED=1 FP_COUNTED=1
// lint: FP_CPU=1 FP_ORDERED=0
// lint: FP_CPU=1 FP_ORDERED=0 FP_COUNTED=1
// lint: FP_CPU=1 FP_ORDERED=0 FP_T=fp_pair FP_MEMBERS=FP_PAIR_MEMBERS
// lint: FP_CPU=1 FP_ORDERED=1 FP_START=1
// Reduces fp_n > 0 elements to one value. Each work-group stores a partial result. The last group to finish combines
// these (level 3) and leaves the ticket at zero for the next launch.
//   FP_START=0  1: the result is op(start, value)
// and the slots of block/reduce.cl. With FP_COUNTED fp_n may be 0: the result is fp_nothing then. The kernel itself
// computes `chunk`, a multiple of `multiple` for at most `most` groups.
#if !defined(FP_START) || !defined(FP_COUNTED)
#error "reduce.cl needs FP_START: 0, or 1 for a start value; and FP_COUNTED"
#endif
#include "block/reduce.cl"

#if FP_START
#define FP_START_PARAM const FP_T start,
#define FP_WITH_START(value) fp_op(start, value)
#else
#define FP_START_PARAM
#define FP_WITH_START(value) (value)
#endif
#if FP_COUNTED
#define FP_CHUNK_PARAMS const ulong multiple, const ulong most
#else
#define FP_CHUNK_PARAMS const ulong chunk
#endif

#if FP_CPU
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

#else
// Reduces the partial results of all groups to scratch[0]. Where order is kept, each item takes contiguous ones.
static inline void fp_reduce_partials(volatile __global FP_T *partials, const uint count, __local FP_T *scratch,
                                      FP_PARAMS)
{
    const uint l = get_local_id(0);
#if FP_ORDERED
    const uint chunk = (count + FP_WG - 1) / FP_WG, begin = l * chunk, end = min(begin + chunk, count), step = 1;
    const uint items = (count + chunk - 1) / chunk;
#else
    const uint begin = l, end = count, step = FP_WG;
    const uint items = min(count, (uint)FP_WG);
#endif
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

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void
fp_reduce(FP_PARAMS, FP_START_PARAM FP_CHUNK_PARAMS, volatile __global FP_T *partials, volatile __global uint *ticket,
          __global FP_T *out)
{
    __local FP_T scratch[FP_SCRATCH];
    __local uint is_last;
    const uint l = get_local_id(0);
    const ulong n = fp_n;
#if FP_COUNTED
    if (n == 0 && get_global_id(0) == 0) *out = FP_WITH_START(fp_nothing);
    if (n == 0) return;
    const ulong chunk = fp_chunk_of(n, multiple, most);
    const uint groups = (uint)((n + chunk - 1) / chunk);
    if (get_group_id(0) >= groups) return;
#else
    const uint groups = (uint)get_num_groups(0);
#endif
#if FP_SERIAL_MOST
    if (!FP_COUNTED || n <= FP_SERIAL_MOST) {
        if (get_global_id(0) == 0) *out = FP_WITH_START(fp_reduce_serial(0, n, FP_ARGS));
        return;
    }
#endif
#if FP_ORDERED
    const ulong first = get_group_id(0) * chunk;
    fp_reduce_range(first, min(first + chunk, n), scratch, FP_ARGS);
#else
    // Vectors in a grid-stride loop, then the elements that fill no vector, one by one.
    const ulong vectors = n / FP_VECTOR, rest = n - vectors * FP_VECTOR, i = get_global_id(0), stride = groups * FP_WG;
    if (i < vectors) scratch[l] = fp_reduce_item(i, vectors, stride, FP_ARGS);
    for (ulong k = i; k < rest; k += stride) {
        const FP_T next = fp_load(vectors * FP_VECTOR + k);
        scratch[l] = k < vectors || k != i ? fp_op(scratch[l], next) : next;
    }
    fp_reduce_group((uint)min((ulong)FP_WG, max(vectors, rest) - get_group_id(0) * FP_WG), scratch, FP_ARGS);
#endif
    if (groups == 1) {
        if (l == 0) *out = FP_WITH_START(scratch[0]);
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
        *out = FP_WITH_START(scratch[0]);
        atomic_xchg(ticket, 0u);
    }
}
#endif
