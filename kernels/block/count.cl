// lint: FP_CPU=0
// Device counters: numbers that the device computes, lengths mostly. A kernel stores them twice: in `name`_counters for
// later kernels, and in `name`_shown, which the host can read. Both may be one buffer.
#define FP_COUNT_PARAMS(name)                                                                                          \
    volatile __global ulong *name##_counters, volatile __global ulong *name##_shown, const ulong name##_counter
#define FP_COUNT_ARGS(name) name##_counters, name##_shown, name##_counter
#define FP_STORE_COUNT(name, value) fp_store_count(name##_counters, name##_shown, name##_counter, value)

static inline void fp_store_count(volatile __global ulong *counters, volatile __global ulong *shown,
                                  const ulong counter, const ulong value)
{
    counters[counter] = value;
    shown[counter] = value;
}
