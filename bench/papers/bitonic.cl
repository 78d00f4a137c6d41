/* A bitonic sort by hand, as one wrote it in 2011: ascending, of a power of two of floats, in place. A work-group takes
 * two elements a work-item into local memory for the strides that fit. Each larger stride is a launch.
 *
 * Source: K. Batcher, Sorting Networks and Their Applications, 1968. GPU Parallel Collections for Scala (UT Arlington,
 * 2011) compares its sort with raw OpenCL in table 5.
 *
 *     HIST_WG  work-items of a work-group, a power of two */

#ifndef HIST_WG
#error "HIST_WG must be defined"
#endif

/* Orders the elements i and i + stride of x: ascending if `up`. */
#define HIST_EXCHANGE(x, i, stride, up)                                                                                \
    {                                                                                                                  \
        float a = (x)[i], b = (x)[(i) + (stride)];                                                                     \
        (x)[i] = (up) ? fmin(a, b) : fmax(a, b);                                                                       \
        (x)[(i) + (stride)] = (up) ? fmax(a, b) : fmin(a, b);                                                          \
    }

/* The lower element of pair k: blocks of `stride` pairs lie two strides apart. */
uint hist_lower(uint k, uint stride)
{
    return 2 * k - (k & (stride - 1));
}

/* One stride of the step that makes sorted sequences of `size` elements. */
__kernel void hist_stride(__global float *x, uint size, uint stride)
{
    uint i = hist_lower(get_global_id(0), stride);
    HIST_EXCHANGE(x, i, stride, (i & size) == 0);
}

/* The strides of the steps from `first` to `last` that lie within a tile. */
__kernel void hist_tile(__global float *x, uint first, uint last)
{
    __local float t[2 * HIST_WG];
    uint l = get_local_id(0), begin = get_group_id(0) * 2 * HIST_WG;
    t[l] = x[begin + l];
    t[l + HIST_WG] = x[begin + l + HIST_WG];
    for (uint size = first; size <= last; size *= 2) {
        for (uint stride = min(size / 2, (uint)HIST_WG); stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint i = hist_lower(l, stride);
            HIST_EXCHANGE(t, i, stride, ((begin + i) & size) == 0);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    x[begin + l] = t[l];
    x[begin + l + HIST_WG] = t[l + HIST_WG];
}
