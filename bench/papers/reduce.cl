/* A sum in three levels, each of them the choice of a slot.
 *
 * Sources: PCL-Reduction (the levels, the strides, the granularity, the endings between work-groups) and the slides
 * "Optimizing Parallel Reduction in CUDA" (the trees). Their kernels are written anew here from the descriptions.
 *
 *     HIST_T       the element type, int or float; HIST_FLOAT says which (0 or 1)
 *     HIST_WG      work-items of a work-group: a power of two from 64 on
 *     HIST_STRIDE  how a work-item walks its elements: HIST_GLOBAL, HIST_LOCAL
 *     HIST_TREE    how a work-group combines: HIST_DIVERGENT, HIST_INTERLEAVED, HIST_SEQUENTIAL,
 *                  HIST_LAST_WARP_UNROLLED, HIST_UNROLLED, or HIST_NONE: every work-item leaves a value of its own
 *     HIST_ENDING  how the work-groups' values meet: HIST_PARTIALS (the host or a further launch adds them up),
 *                  HIST_ATOMIC, HIST_LAST_GROUP */

#define HIST_GLOBAL 1
#define HIST_LOCAL 2

#define HIST_NONE 0
#define HIST_DIVERGENT 1
#define HIST_INTERLEAVED 2
#define HIST_SEQUENTIAL 3
#define HIST_LAST_WARP_UNROLLED 4
#define HIST_UNROLLED 5

#define HIST_PARTIALS 1
#define HIST_ATOMIC 2
#define HIST_LAST_GROUP 3

#if !defined HIST_T || !defined HIST_FLOAT || !defined HIST_STRIDE || !defined HIST_TREE || !defined HIST_ENDING
#error "HIST_T, HIST_FLOAT, HIST_STRIDE, HIST_TREE and HIST_ENDING must be defined"
#endif
#if !defined HIST_WG || HIST_WG < 64 || (HIST_WG & (HIST_WG - 1))
#error "HIST_WG must be a power of two from 64 on"
#endif

/* Level 1, inside the work-item. HIST_GLOBAL: neighbours read neighbouring elements, a whole grid apart from step to
 * step, which is what a GPU's memory wants. HIST_LOCAL: each reads a chunk of its own, which is what a CPU wants. */
HIST_T hist_item(__global const HIST_T *input, ulong n, ulong items)
{
    HIST_T sum = 0;
#if HIST_STRIDE == HIST_GLOBAL
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) sum += input[i];
#else
    ulong first = get_global_id(0) * items;
    ulong end = min(first + items, n);
    for (ulong i = first; i < end; i++) sum += input[i];
#endif
    return sum;
}

/* Level 2, inside the work-group: the sum is valid in work-item 0. The trees up to the last but one take the group's
 * size at run time, as their sources do; the completely unrolled one knows it when it is compiled. */
HIST_T hist_group(HIST_T value, volatile __local HIST_T *t)
{
    uint l = get_local_id(0);
    uint size = get_local_size(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
#if HIST_TREE == HIST_DIVERGENT
    /* Every second, fourth, ... work-item works: idle ones sit between them in each warp. */
    for (uint s = 1; s < size; s *= 2) {
        if (l % (2 * s) == 0) t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#elif HIST_TREE == HIST_INTERLEAVED
    /* The first work-items work, on the same places: whole warps fall idle, but the banks of local memory collide. */
    for (uint s = 1; s < size; s *= 2) {
        uint at = 2 * s * l;
        if (at < size) t[at] += t[at + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#elif HIST_TREE == HIST_SEQUENTIAL
    /* Neighbours work on neighbouring places: no collisions. */
    for (uint s = size / 2; s > 0; s /= 2) {
        HIST_STEP(t, l, s);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#elif HIST_TREE == HIST_LAST_WARP_UNROLLED
    for (uint s = size / 2; s > 32; s /= 2) {
        HIST_STEP(t, l, s);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    HIST_LAST_WARP(t, l)
#else
#if HIST_WG >= 1024
    HIST_STEP(t, l, 512);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if HIST_WG >= 512
    HIST_STEP(t, l, 256);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if HIST_WG >= 256
    HIST_STEP(t, l, 128);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if HIST_WG >= 128
    HIST_STEP(t, l, 64);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    HIST_LAST_WARP(t, l)
#endif
    return t[0];
}

#if HIST_ENDING == HIST_ATOMIC
/* The host has set *target to zero. OpenCL 1.2 has no atomic addition of floats: they compare and exchange. */
void hist_atomic_add(volatile __global HIST_T *target, HIST_T value)
{
#if HIST_FLOAT
    volatile __global uint *word = (volatile __global uint *)target;
    uint expected = *word;
    for (;;) {
        uint found = atomic_cmpxchg(word, expected, as_uint(as_float(expected) + value));
        if (found == expected) return;
        expected = found;
    }
#else
    atomic_add(target, value);
#endif
}
#endif

#if HIST_ENDING == HIST_LAST_GROUP
/* Each work-group leaves its value and takes a ticket; the one with the last ticket adds the values up and sets the
 * counter back for the next launch. The fences order value and ticket for the whole device. */
void hist_last_group(HIST_T value, volatile __local HIST_T *t, __local uint *last, volatile __global HIST_T *partial,
                     __global HIST_T *result, volatile __global uint *ticket)
{
    uint l = get_local_id(0);
    if (l == 0) {
        partial[get_group_id(0)] = value;
        HIST_DEVICE_FENCE();
        *last = atomic_inc(ticket) == get_num_groups(0) - 1;
        HIST_DEVICE_FENCE();
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (*last) {
        HIST_T sum = 0;
        for (uint g = l; g < get_num_groups(0); g += get_local_size(0)) sum += partial[g];
        sum = hist_group(sum, t);
        if (l == 0) {
            *result = sum;
            *ticket = 0;
        }
    }
}
#endif

/* `items`: the granularity, elements per work-item. The launch has as many work-items as that takes. `partial`: one
 * place for each work-group, or for each work-item if there is no tree. */
__kernel void hist_reduce(__global const HIST_T *input, ulong n, ulong items, __global HIST_T *partial,
                          __global HIST_T *result, __global uint *ticket)
{
    HIST_T value = hist_item(input, n, items);
#if HIST_TREE == HIST_NONE
    partial[get_global_id(0)] = value;
#else
    __local HIST_T t[HIST_WG];
    value = hist_group(value, t);
#if HIST_ENDING == HIST_PARTIALS
    if (get_local_id(0) == 0) partial[get_group_id(0)] = value;
#elif HIST_ENDING == HIST_ATOMIC
    if (get_local_id(0) == 0) hist_atomic_add(result, value);
#else
    __local uint last;
    hist_last_group(value, t, &last, partial, result, ticket);
#endif
#endif
}
