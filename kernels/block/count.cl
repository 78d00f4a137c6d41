// lint: FP_CPU=0
// A number that the device finds out, a length mostly, goes to two places: `name`_cells, where later kernels look for
// it, and `name`_shown, where the host does. Both may be one.
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
