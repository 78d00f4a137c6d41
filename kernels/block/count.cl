// lint: FP_CPU=0
// Device counters: numbers that the device computes, lengths mostly. A kernel stores them twice: in `name`_cells for
// later kernels, and in `name`_shown, which the host can read. Both may be one buffer.
#define FP_COUNT_PARAMS(name)                                                                                          \
    volatile __global ulong *name##_cells, volatile __global ulong *name##_shown, const ulong name##_cell
#define FP_COUNT_ARGS(name) name##_cells, name##_shown, name##_cell
#define FP_TELL(name, value) fp_tell(name##_cells, name##_shown, name##_cell, value)

static inline void fp_tell(volatile __global ulong *cells, volatile __global ulong *shown, const ulong cell,
                           const ulong value)
{
    cells[cell] = value;
    shown[cell] = value;
}
