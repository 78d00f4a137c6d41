// lint:
// Tiles for work-groups that wait for tiles before theirs.
//   FP_TICKETS=1  1: groups take tickets for tiles, so that a tile only waits for tiles that have begun
//                 0: groups begin in the order of their numbers
#if !defined(FP_TICKETS)
#error "block/gpu/ticket.cl needs FP_TICKETS"
#endif

static inline uint fp_take_tile(volatile __global uint *ticket, const uint groups, __local uint *mine)
{
    if (!FP_TICKETS) return (uint)get_group_id(0);
    if (get_local_id(0) == 0) {
        *mine = atomic_inc(ticket);
        if (*mine == groups - 1) atomic_xchg(ticket, 0u);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return *mine;
}
