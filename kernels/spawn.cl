// lint:
// lint: FP_COUNTS=0
// A kernel of the user's own, fp_kernel(). FP_LOCAL_MEMORY declares its local memory.
//   FP_COUNTS=1  results that the kernel shortens: the last group stores their lengths, FP_STORE_COUNTS
#if !defined(FP_COUNTS)
#error "spawn.cl needs FP_COUNTS"
#endif
#if FP_COUNTS
#include "block/count.cl"
#include "block/report.cl"
#define FP_TICKET_PARAM , volatile __global uint *ticket

// The number of elements that were counted, at most `most`; more are reported. Later kernels and the host may read it.
static inline void fp_store_counted(volatile __global uint *counted, volatile __global ulong *counters,
                                    volatile __global ulong *shown, const ulong counter, const ulong most,
                                    volatile __global ulong *report, const uint what)
{
    const uint limit = (uint)min(most, (ulong)UINT_MAX), all = atomic_or(counted, 0u), count = min(all, limit);
    if (all > limit) fp_report_once(report, what, all, limit);
    atomic_xchg(counted, count);
    fp_store_count(counters, shown, counter, count);
}
#else
#define FP_TICKET_PARAM
#endif

__kernel __attribute__((reqd_work_group_size(FP_WG, 1, 1))) void fp_spawn(FP_PARAMS FP_TICKET_PARAM)
{
    FP_LOCAL_MEMORY
    fp_kernel();
#if FP_COUNTS
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) != 0) return;
    fp_fence_device();
    if (atomic_inc(ticket) != get_num_groups(0) - 1) return;
    fp_fence_device();
    FP_STORE_COUNTS
    atomic_xchg(ticket, 0u);
#endif
}
