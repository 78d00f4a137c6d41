/* Kernels by hand, as one would write them today: map (x * 23), reduce (a + b), and both in one.
 *
 * Source: GPU Parallel Collections for Scala (UT Arlington, 2011) compares its reduce and map with raw OpenCL in tables
 * 1 and 2. CPU and GPU devices want different kernels: HIST_CPU is 0 or 1. HIST_MAPPED is 1 where the reduction maps
 * first. On a CPU device the launch has groups of one work-item, each with a chunk of its own. */

#if !defined HIST_CPU || !defined HIST_MAPPED
#error "HIST_CPU and HIST_MAPPED must be defined"
#endif
#ifndef HIST_WG
#define HIST_WG 256 /* work-items of a work-group in the GPU's shape: a power of two from 64 on */
#endif

#define HIST_MAP(x) ((x)*23.0f)
#if HIST_MAPPED
#define HIST_VALUE(x) HIST_MAP(x)
#else
#define HIST_VALUE(x) (x)
#endif

#if HIST_CPU
__kernel void hist_map(__global const float *input, ulong n, __global float *output)
{
    ulong chunk = (n + get_global_size(0) - 1) / get_global_size(0);
    ulong first = get_global_id(0) * chunk;
    ulong end = min(first + chunk, n);
    for (ulong i = first; i < end; i++) output[i] = HIST_MAP(input[i]);
}

float hist_across(float16 v)
{
    float8 a = v.lo + v.hi;
    float4 b = a.lo + a.hi;
    return (b.x + b.y) + (b.z + b.w);
}

/* One value for each chunk; the host adds them up. Four vectors in flight hide the latency of the addition. */
__kernel void hist_reduce(__global const float *input, ulong n, __global float *partial, __global float *result,
                          __global uint *ticket)
{
    ulong chunk = (n + get_global_size(0) - 1) / get_global_size(0);
    ulong first = min(get_global_id(0) * chunk, n);
    ulong end = min(first + chunk, n);
    float16 s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    ulong i = first;
    for (; i + 64 <= end; i += 64) {
        s0 += HIST_VALUE(vload16(0, input + i));
        s1 += HIST_VALUE(vload16(1, input + i));
        s2 += HIST_VALUE(vload16(2, input + i));
        s3 += HIST_VALUE(vload16(3, input + i));
    }
    float sum = hist_across((s0 + s1) + (s2 + s3));
    for (; i < end; i++) sum += HIST_VALUE(input[i]);
    result[get_global_id(0)] = sum;
}
#else
/* Four elements a work-item. */
__kernel void hist_map(__global const float *input, ulong n, __global float *output)
{
    ulong i = get_global_id(0);
    if (4 * i + 4 <= n) {
        vstore4(HIST_MAP(vload4(i, input)), i, output);
    } else {
        for (ulong k = 4 * i; k < n; k++) output[k] = HIST_MAP(input[k]);
    }
}

float hist_group(float value, volatile __local float *t)
{
    uint l = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = HIST_WG / 2; s > 32; s /= 2) {
        HIST_STEP(t, l, s);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    HIST_LAST_WARP(t, l)
    return t[0];
}

float hist_item(__global const float *input, ulong n)
{
    __global const float4 *wide = (__global const float4 *)input;
    ulong step = get_global_size(0);
    ulong i = get_global_id(0);
    float4 sum = 0;
    for (; i + 3 * step < n / 4; i += 4 * step) {
        float4 v0 = wide[i], v1 = wide[i + step], v2 = wide[i + 2 * step], v3 = wide[i + 3 * step];
        sum += (HIST_VALUE(v0) + HIST_VALUE(v1)) + (HIST_VALUE(v2) + HIST_VALUE(v3));
    }
    for (; i < n / 4; i += step) sum += HIST_VALUE(wide[i]);
    float total = (sum.x + sum.y) + (sum.z + sum.w);
    ulong rest = n / 4 * 4 + get_global_id(0);
    if (rest < n) total += HIST_VALUE(input[rest]);
    return total;
}

/* The last work-group finishes: one launch, one value. */
__kernel void hist_reduce(__global const float *input, ulong n, volatile __global float *partial,
                          __global float *result, volatile __global uint *ticket)
{
    __local float t[HIST_WG];
    __local uint last;
    uint l = get_local_id(0);
    float value = hist_group(hist_item(input, n), t);
    if (l == 0) {
        partial[get_group_id(0)] = value;
        HIST_DEVICE_FENCE();
        last = atomic_inc(ticket) == get_num_groups(0) - 1;
        HIST_DEVICE_FENCE();
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (last) {
        float sum = 0;
        for (uint g = l; g < get_num_groups(0); g += HIST_WG) sum += partial[g];
        sum = hist_group(sum, t);
        if (l == 0) {
            *result = sum;
            *ticket = 0;
        }
    }
}
#endif
