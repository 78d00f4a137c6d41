/* Kernels by hand, as one would write them today: scan (a + b) and filter (x > 0) in two sweeps over the elements. The
 * first leaves one number for each tile, a single work-group scans these, and the second sweep starts from them.
 *
 * Source: GPU Parallel Collections for Scala (UT Arlington, 2011) compares its filter and scan with raw OpenCL in
 * tables 3 and 4. A scan adds up the elements. A filter adds up 1 for each element that stays and 0 for the others.
 *
 *     HIST_FILTER  0 or 1
 *     HIST_CPU     0 or 1: on a CPU device each group has one work-item, HIST_WG is 1
 *     HIST_WG      work-items of a work-group */

#if !defined HIST_FILTER || !defined HIST_CPU || !defined HIST_WG
#error "HIST_FILTER, HIST_CPU and HIST_WG must be defined"
#endif

#if HIST_FILTER
#define HIST_S uint
#define HIST_S16 uint16
#define HIST_NUMBER(x) ((uint)((x) > 0))
#define HIST_NUMBER16(x) as_uint16(-((x) > 0))
#else
#define HIST_S float
#define HIST_S16 float16
#define HIST_NUMBER(x) (x)
#define HIST_NUMBER16(x) (x)
#endif

/* The sum of the values of the work-items before this one; *total becomes that of all. */
HIST_S hist_scan_group(HIST_S value, __local HIST_S *t, HIST_S *total)
{
    uint l = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 1; s < HIST_WG; s *= 2) {
        HIST_S left = l >= s ? t[l - s] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] += left;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    *total = t[HIST_WG - 1];
    return l > 0 ? t[l - 1] : 0;
}

/* One work-group: sums[k] becomes the sum of those before it, up to sums[count], the sum of all, which *total becomes
 * too. */
__kernel void hist_offsets(__global HIST_S *sums, ulong count, __global HIST_S *total)
{
    __local HIST_S t[HIST_WG];
    HIST_S before = 0, row_total;
    for (ulong row = 0; row < count; row += HIST_WG) {
        ulong k = row + get_local_id(0);
        HIST_S offset = before + hist_scan_group(k < count ? sums[k] : 0, t, &row_total);
        if (k < count) sums[k] = offset;
        before += row_total;
    }
    if (get_local_id(0) == 0) *total = sums[count] = before;
}

#if HIST_CPU
HIST_S hist_across(HIST_S16 v)
{
    HIST_S sum = 0;
    HIST_S t[16];
    vstore16(v, 0, t);
    for (int k = 0; k < 16; k++) sum += t[k];
    return sum;
}

__kernel void hist_sums(__global const float *input, ulong n, ulong tile, __global HIST_S *sums)
{
    ulong i = get_group_id(0) * tile, end = min(i + tile, n);
    HIST_S16 s = 0;
    for (; i + 16 <= end; i += 16) s += HIST_NUMBER16(vload16(0, input + i));
    HIST_S sum = hist_across(s);
    for (; i < end; i++) sum += HIST_NUMBER(input[i]);
    sums[get_group_id(0)] = sum;
}

__kernel void hist_sweep(__global const float *input, ulong n, ulong tile, __global const HIST_S *sums,
                         __global float *output)
{
    ulong i = get_group_id(0) * tile;
    HIST_S s = sums[get_group_id(0)];
#if HIST_FILTER
    /* Without a branch, which every other element would mispredict; ends at the last that stays. */
    for (uint end = sums[get_group_id(0) + 1]; s < end; i++) {
        float x = input[i];
        output[s] = x;
        s += x > 0;
    }
#else
    for (ulong end = min(i + tile, n); i < end; i++) output[i] = s += input[i];
#endif
}
#else
__kernel void hist_sums(__global const float *input, ulong n, ulong tile, __global HIST_S *sums)
{
    __local HIST_S t[HIST_WG];
    ulong first = get_group_id(0) * tile, end = min(first + tile, n);
    HIST_S sum = 0, total;
    for (ulong i = first + get_local_id(0); i < end; i += HIST_WG) sum += HIST_NUMBER(input[i]);
    hist_scan_group(sum, t, &total);
    if (get_local_id(0) == 0) sums[get_group_id(0)] = total;
}

/* Four elements a work-item in each row of a tile. */
__kernel void hist_sweep(__global const float *input, ulong n, ulong tile, __global const HIST_S *sums,
                         __global float *output)
{
    __local HIST_S t[HIST_WG];
    ulong first = get_group_id(0) * tile, end = min(first + tile, n);
    HIST_S before = sums[get_group_id(0)], total;
    for (ulong row = first; row < end; row += 4 * HIST_WG) {
        ulong i = row + 4 * get_local_id(0);
        float x[4];
        HIST_S s[4], sum = 0;
        for (uint k = 0; k < 4; k++) {
            x[k] = i + k < end ? input[i + k] : 0;
            sum += HIST_NUMBER(x[k]);
            s[k] = sum;
        }
        HIST_S left = before + hist_scan_group(sum, t, &total);
        for (uint k = 0; k < 4 && i + k < end; k++) {
#if HIST_FILTER
            if (x[k] > 0) output[left + s[k] - 1] = x[k];
#else
            output[i + k] = left + s[k];
#endif
        }
        before += total;
    }
}
#endif
