// lint:
// lint: FP_COUNTED=1
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

// A kernel that stores how many results it has, if the device alone knows fp_n: its last parameters.
#if FP_COUNTED
#define FP_COUNTED_PARAMS(name) , FP_COUNT_PARAMS(name)
#define FP_STORE_COUNTED(name, value) FP_STORE_COUNT(name, value)
#else
#define FP_COUNTED_PARAMS(name)
#define FP_STORE_COUNTED(name, value) ((void)0)
#endif
