// lint: FP_CPU=0
// What a kernel finds wrong: `number` goes beyond `limit`, of the operator's value number `what`, counted from 1. The
// first report stays (fp_report in lib/expressions/deferred.h).
static inline void fp_report_once(volatile __global ulong *report, const uint what, const ulong number,
                                  const ulong limit)
{
    if (atomic_cmpxchg((volatile __global uint *)report, 0u, what)) return;
    report[1] = number;
    report[2] = limit;
}
