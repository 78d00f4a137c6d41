// lint: FP_MEETS=1
// lint: FP_MEETS=0
// The parts of a joined program: all that one part stores is there for the next, and in the end for the host.
//   FP_MEETS=1         1: work-groups wait for each other, all of which the device runs at the same time
//                      0: there is one work-group
//   FP_TURN_WORD=1023  where the host looks for the turn, in words of 32 bits
#if !defined(FP_MEETS) || !defined(FP_TURN_WORD)
#error "block/meet.cl needs FP_MEETS and FP_TURN_WORD"
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

// Do all others have come to the meeting before?
static inline bool fp_comes_last(const uint meetings FP_MEET_PARAMS)
{
    const uint all = before + meetings * (uint)get_num_groups(0);
    fp_fence_device();
    return atomic_inc(arrived) + 1 == all;
}
#else
#define FP_MEET_PARAMS
#define FP_MEET_ARGS
#define fp_wait_for_all(meetings) ((void)0)
#define fp_comes_last(meetings) true
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

// The host is shown `words` words of an array, and behind them the turn. If `turn` is 0, it is shown nothing.
#define FP_SHOW_PARAMS                                                                                                 \
    volatile const __global uint *from, const ulong first, const uint words, volatile __global uint *shown,            \
        const uint turn
#define FP_SHOW_ARGS from, first, words, shown, turn

// The last group shows it. `is_last` is for its items.
static inline void fp_show(const uint meetings, __local uint *is_last, FP_SHOW_PARAMS FP_MEET_PARAMS)
{
    if (turn == 0) return;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) *is_last = fp_comes_last(meetings + 1 FP_MEET_ARGS);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!*is_last) return;
    fp_fence_device();
    for (uint k = (uint)get_local_id(0); k < words; k += (uint)get_local_size(0)) shown[k] = from[first + k];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) != 0) return;
    fp_fence_system();
    shown[FP_TURN_WORD] = turn;
}
