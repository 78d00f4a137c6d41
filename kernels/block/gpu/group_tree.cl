// The functions of block/gpu/group.cl where items do not run in warps: trees in local memory.
#define FP_SCAN_SCRATCH FP_WG

static inline void fp_reduce_group(const uint count, __local FP_T *scratch, FP_PARAMS)
{
    const uint l = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (FP_ORDERED) {
        for (uint step = 1; step < FP_WG; step *= 2) {
            const uint left = 2 * step * l;
            if (left + step < count) scratch[left] = fp_op(scratch[left], scratch[left + step]);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    } else {
        for (uint width = FP_WG / 2; width > 0; width /= 2) {
            if (l < width && l + width < count) scratch[l] = fp_op(scratch[l], scratch[l + width]);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}

// Upsweep and downsweep of a tree, in place.
static inline void fp_scan_group(const uint count, __local FP_T *scratch, FP_PARAMS)
{
    const uint l = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < FP_WG; step *= 2) {
        const uint right = 2 * step * (l + 1) - 1;
        if (right < count) scratch[right] = fp_op(scratch[right - step], scratch[right]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint step = FP_WG / 2; step > 0; step /= 2) {
        const uint right = 2 * step * (l + 1) - 1 + step;
        if (right < count) scratch[right] = fp_op(scratch[right - step], scratch[right]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
