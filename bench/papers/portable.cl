/* What the historical kernels need beyond OpenCL C 1.2. It is compiled in front of each of them.
 *
 * The sources were written for GPUs whose warps ran in lockstep, so they left the barriers between the last 32
 * work-items out. No device promises that today: HIST_WARP_SYNC stands where they left one out. On NVIDIA it is the
 * warp's own barrier, elsewhere the work-group's, which every work-item must then reach. */

#ifdef __NV_CL_C_VERSION
#define HIST_IN_LAST_WARP(l) ((l) < 32)
#define HIST_WARP_SYNC() asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#define HIST_DEVICE_FENCE() asm volatile("membar.gl;" ::: "memory")
#else
#define HIST_IN_LAST_WARP(l) 1
#define HIST_WARP_SYNC() barrier(CLK_LOCAL_MEM_FENCE)
#define HIST_DEVICE_FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

/* One step of a tree in local memory, `t` of `l`, the local id. */
#define HIST_STEP(t, l, s)                                                                                             \
    if ((l) < (s)) (t)[l] += (t)[(l) + (s)]

/* The steps 32, 16, ... 1, without the work-group's barriers where the device allows it. */
#define HIST_LAST_WARP(t, l)                                                                                           \
    if (HIST_IN_LAST_WARP(l)) {                                                                                        \
        HIST_STEP(t, l, 32);                                                                                           \
        HIST_WARP_SYNC();                                                                                              \
        HIST_STEP(t, l, 16);                                                                                           \
        HIST_WARP_SYNC();                                                                                              \
        HIST_STEP(t, l, 8);                                                                                            \
        HIST_WARP_SYNC();                                                                                              \
        HIST_STEP(t, l, 4);                                                                                            \
        HIST_WARP_SYNC();                                                                                              \
        HIST_STEP(t, l, 2);                                                                                            \
        HIST_WARP_SYNC();                                                                                              \
        HIST_STEP(t, l, 1);                                                                                            \
        HIST_WARP_SYNC();                                                                                              \
    }
