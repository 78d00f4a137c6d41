/* Sizes of kernels: the shape that a device wants, and how large its tiles are. Policies are data; no kernel has a
 * number of its own. */
#ifndef FP_KERNEL_POLICY_H
#define FP_KERNEL_POLICY_H

#include "base/memory.h"
#include "cl/device.h"

typedef struct fp_policy {
    bool cpu;            /* one work-item per contiguous chunk, groups of one */
    unsigned group;      /* work-items of a work-group, a power of two; CPU: 1 */
    unsigned warp;       /* GPU: work-items that exchange values without local memory; 1: none do */
    unsigned wide;       /* GPU: bytes of a wide load or store */
    unsigned flight;     /* GPU: bytes that a work-item has in flight */
    size_t scratch;      /* GPU: local memory of a work-group that reduces, in bytes */
    size_t resident;     /* GPU: work-items that the device holds at once */
    unsigned lanes;      /* CPU: bytes of independent accumulators */
    bool struct_lanes;   /* CPU: structs have several accumulators, too */
    size_t least_chunk;  /* CPU: elements of a chunk at least */
    size_t most_chunks;  /* CPU: chunks of a launch at most */
    size_t tile;         /* bytes of a scan's tile: in local memory with all beside it (GPU), in a core's cache (CPU) */
    unsigned tile_group; /* GPU: work-items of a tile at most */
    unsigned tile_items_per_thread; /* GPU: elements of an item in a tile at most, up to 32 */
    unsigned tile_item;             /* GPU: bytes of an item in a tile, which it holds in registers */
    bool look_back;                 /* work-groups may wait for earlier ones (Note [progress]) */
    bool in_order;                  /* GPU: groups begin in the order of their numbers */
    unsigned meeting;               /* groups of a launch that may wait for each other; 0: launches are not joined */
    unsigned join_after;            /* launches of a sequence before it is joined (Note [sequences]); 0: none is */
    bool join_one;                  /* a sequence may be a single launch, if the host reads what it stores */
    size_t serial; /* elements that are combined from left to right at most (Note [serial order] in lib/ops/reduce.c) */
    unsigned chain;  /* operators fused into one kernel at most */
    size_t host_max; /* elements of an array that the host computes at most (Note [small arrays] in lib/host/small.c) */
} fp_policy;

/* GPU: the elements of a short array at most. Its launches are joined (Note [sequences] in lib/planning/sequence.c). */
enum { FP_SHORT = 1 << 14 };

/* Larger elements go through local memory on GPUs: the registers of a shuffle are words. */
enum { FP_MOST_SHUFFLED = 32 };

/* The policy for a device. FIREPILE_POLICY, a list with commas, changes it for tests: `cpu` and `gpu` force a shape,
 * `tiny` makes everything small, `sweeps` lets no work-group wait for another. FIREPILE_SMALL sets host_max.
 * GPU_E_ARGUMENT for other words. */
gpu_status fp_policy_choose(const fp_capabilities *capabilities, fp_policy *out);

/* The work-items of a group of at most `most`. */
static inline unsigned fp_group_of(const fp_policy *policy, unsigned most)
{
    return policy->group < most ? policy->group : most;
}

/* GPU: the local memory for tiles of a group that shares nothing else. Every device has as much. */
static inline size_t fp_tile_room(const fp_policy *policy)
{
    return 3 * policy->scratch;
}

/* The elements of a chunk, a multiple of `multiple`, when at most `most` chunks divide n elements. *chunks is their
 * number. */
size_t fp_chunk_of(size_t n, size_t multiple, size_t most, size_t *chunks);

/* The elements that one wide access moves, when the largest has `bytes` bytes. */
unsigned fp_vector_of(const fp_policy *policy, size_t bytes);

#endif
