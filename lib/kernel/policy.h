/* Sizes of kernels: which shape a device wants, and how large its tiles are. Policies are data, and no kernel has a
 * number of its own. */
#ifndef FP_KERNEL_POLICY_H
#define FP_KERNEL_POLICY_H

#include "cl/device.h"

typedef struct fp_policy {
    bool cpu;               /* one work-item per contiguous chunk, groups of one */
    unsigned group;         /* work-items of a work-group, a power of two */
    unsigned items;         /* GPU: elements of a work-item in a tile */
    unsigned lanes;         /* CPU: bytes of independent accumulators */
    size_t least_chunk;     /* CPU: elements of a chunk at least */
    size_t most_groups;     /* groups, or chunks, of a launch that combines their results */
    unsigned chain;         /* operators fused into one kernel at most */
} fp_policy;

/* The policy for a device. FIREPILE_POLICY, a list with commas, changes it for tests: `cpu` and `gpu` force a shape,
 * `tiny` makes everything small. GPU_E_ARGUMENT for other words. */
gpu_status fp_policy_choose(const fp_facts *facts, fp_policy *out);

/* A contiguous share of n elements for each of *groups workers: at least policy->least_chunk, a multiple of it unless one
 * chunk holds everything. */
size_t fp_policy_chunk(const fp_policy *policy, size_t n, size_t *groups);

#endif
