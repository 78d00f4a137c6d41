// lint: FP_WARP=32 FP_PACKED=2
// lint: FP_WARP=1
// NVIDIA's instructions: shuffles and votes of the FP_WARP work-items of a warp, and accesses to two words at once.
// Without warps a vote has one item. Each block that needs this file includes it. `make check` runs kernels with
// tests/warps/warps.c in its place.
#ifndef FP_PTX
#define FP_PTX

#if defined(FP_WARP) && FP_WARP > 1
// The word of the lane `distance` lower; the item's own if there is none.
static inline uint fp_shuffle_up(uint word, const uint distance)
{
    asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(word) : "r"(word), "r"(distance));
    return word;
}

// The word of the lane `distance` higher; the item's own if there is none.
static inline uint fp_shuffle_down(uint word, const uint distance)
{
    asm volatile("shfl.sync.down.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(word) : "r"(word), "r"(distance));
    return word;
}

// A mask of the warp's items that vote yes.
static inline uint fp_ballot(const bool yes)
{
    uint votes;
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %1, 0;\nvote.sync.ballot.b32 %0, p, 0xffffffff;\n}"
                 : "=r"(votes)
                 : "r"((uint)yes));
    return votes;
}

// A mask of the warp's items whose words have the same bit as this item's.
static inline uint fp_same_bit(const uint word, const uint bit)
{
    uint same;
    asm volatile("{\n.reg .pred p;\n.reg .b32 t;\nand.b32 t, %1, %2;\nsetp.ne.u32 p, t, 0;\n"
                 "vote.sync.ballot.b32 %0, p, 0xffffffff;\n@!p not.b32 %0, %0;\n}"
                 : "=r"(same)
                 : "r"(word), "r"(1u << bit));
    return same;
}

// Makes the writes of a warp's items visible to the others.
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
