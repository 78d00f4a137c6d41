// lint:
// Reports a place where something is wrong, in a counter that is zero before. The lowest place wins.
static inline void fp_report_place(const ulong i, volatile __global uint *counters, const ulong counter)
{
    atomic_max(counters + counter, ~(uint)min(i, 0xfffffffeul));
}
