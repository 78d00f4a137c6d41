// lint: FP_MEETS=1
// lint: FP_MEETS=0
// The parts of a joined program: all that one part stores is there for the next.
//   FP_MEETS=1  1: work-groups wait for each other, all of which the device runs at the same time
//               0: there is one work-group
#ifndef FP_MEETS
#error "block/meet.cl needs FP_MEETS"
#endif

#if FP_MEETS
#define FP_MEET_PARAMS , volatile __global uint *arrived, const uint before
#define FP_MEET_ARGS , arrived, before

// `arrived` counts the groups at all meetings of all launches. It was `before` when this launch began.
static inline void fp_wait_for_all(const uint meetings FP_MEET_PARAMS)
{
    const uint all = before + meetings * (uint)get_num_groups(0);
    fp_fence_device();
    atomic_inc(arrived);
    while ((int)(*arrived - all) < 0) {
    }
    fp_fence_device();
}
#else
#define FP_MEET_PARAMS
#define FP_MEET_ARGS
#define fp_wait_for_all(meetings) ((void)0)
#endif

// `groups` work-groups have stored or are to read. If that is one, the others go on.
static inline void fp_meet(const uint groups, uint *meetings FP_MEET_PARAMS)
{
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (groups == 1) return;
    *meetings += 1;
    if (get_local_id(0) == 0) fp_wait_for_all(*meetings FP_MEET_ARGS);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
