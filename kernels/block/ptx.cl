// lint: FP_CPU=0 FP_WARP=32 FP_PACKED=2
// lint: FP_CPU=0 FP_WARP=1
// What only NVIDIA's instructions do: what the FP_WARP items of a warp do together, and two words that are read and
// written as one. Blocks that need it include it, each for itself. `make check` runs kernels with tests/warps/warps.c
// in its place.
#ifndef FP_PTX
#define FP_PTX

#if defined(FP_WARP) && FP_WARP > 1
// The word of the item `distance` lanes down; its own where there is none.
static inline uint fp_shuffle_up(uint word, const uint distance)
{
    asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(word) : "r"(word), "r"(distance));
    return word;
}

// The word of the item `distance` lanes up; its own where there is none.
static inline uint fp_shuffle_down(uint word, const uint distance)
{
    asm volatile("shfl.sync.down.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(word) : "r"(word), "r"(distance));
    return word;
}

// A bit for each item of the warp that says yes.
static inline uint fp_ballot(const bool yes)
{
    uint votes;
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %1, 0;\nvote.sync.ballot.b32 %0, p, 0xffffffff;\n}"
                 : "=r"(votes)
                 : "r"((uint)yes));
    return votes;
}

// What the items of a warp wrote is seen by the others of it.
static inline void fp_warp_sync(void)
{
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
}
#else
static inline uint fp_ballot(const bool yes)
{
    return yes;
}

static inline void fp_warp_sync(void)
{
}
#endif

#if defined(FP_PACKED) && FP_PACKED == 2
static inline void fp_store_pair(volatile __global ulong *pair, const ulong first, const ulong second)
{
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(pair), "l"(first), "l"(second) : "memory");
}

static inline void fp_load_pair(volatile __global ulong *pair, ulong *first, ulong *second)
{
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(*first), "=l"(*second) : "l"(pair) : "memory");
}
#endif
#endif
