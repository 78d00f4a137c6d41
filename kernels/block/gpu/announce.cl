// lint:
// The end of a launch whose value lies in the host's memory.
//   FP_TURN_WORD=1023  where the turn lies, in words of 32 bits
#ifndef FP_TURN_WORD
#error "block/gpu/announce.cl needs FP_TURN_WORD"
#endif

// Stores the value. Then the host may read it. If `turn` is 0, the host waits for the end of the kernel instead.
static inline void fp_announce(volatile __global FP_T *out, const FP_T value, const uint turn)
{
    *out = value;
    if (turn == 0) return;
    fp_fence_system();
    ((volatile __global uint *)out)[FP_TURN_WORD] = turn;
}
