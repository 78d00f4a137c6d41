/* The two kernels with which the OpenCL port of CloverLeaf sums a field, written anew from its description: one for
 * GPUs, one for CPUs. Both are launched again on what they leave until one value remains. In float here, so that it
 * compares with the other figures; the application computes in double.
 *
 *     HIST_WG   work-items of a work-group of the GPU kernel: a power of two from 64 on */

#ifndef HIST_WG
#error "HIST_WG must be defined"
#endif

/* A work-item adds two elements, a group's width apart; a tree in local memory, its last warp unrolled, goes on. */
__kernel void hist_gpu(__global const float *input, ulong n, __global float *output)
{
    __local volatile float t[HIST_WG];
    uint l = get_local_id(0);
    ulong i = get_group_id(0) * (ulong)(2 * HIST_WG) + l;
    float value = i < n ? input[i] : 0.0f;
    if (i + HIST_WG < n) value += input[i + HIST_WG];
    t[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = HIST_WG / 2; s > 32; s /= 2) {
        HIST_STEP(t, l, s);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    HIST_LAST_WARP(t, l)
    if (l == 0) output[get_group_id(0)] = t[0];
}

/* One work-item for each chunk. The chunks differ by one element at most: the first ones take what is left over. */
__kernel void hist_cpu(__global const float *input, ulong n, __global float *output)
{
    ulong chunks = get_num_groups(0);
    ulong chunk = get_group_id(0);
    ulong first = chunk * (n / chunks) + min(chunk, n % chunks);
    ulong count = n / chunks + (chunk < n % chunks);
    float sum = 0;
    for (ulong i = first; i < first + count; i++) sum += input[i];
    output[chunk] = sum;
}
