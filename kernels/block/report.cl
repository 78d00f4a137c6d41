// lint:
// Reports of a kernel: `number` goes beyond `limit`, of the operator's captured value `what`, counted from 1. The first
// report stays (fp_report in lib/expressions/deferred.h).
#ifndef FP_REPORTS
#define FP_REPORTS

static inline void fp_report_once(volatile __global ulong *report, const uint what, const ulong number,
                                  const ulong limit)
{
    if (atomic_cmpxchg((volatile __global uint *)report, 0u, what)) return;
    report[1] = number;
    report[2] = limit;
}

// A subscript that FIREPILE_CHECK checks: `index`, or 0 if it is out of range.
static inline ulong fp_within(volatile __global ulong *report, const uint what, const ulong limit, const ulong index)
{
    if (index < limit) return index;
    fp_report_once(report, what, index, limit);
    return 0;
}
#endif
