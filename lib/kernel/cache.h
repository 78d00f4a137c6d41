/* The built kernels of a device: found by plan in memory, by source text on disk, else built. */
#ifndef FP_KERNEL_CACHE_H
#define FP_KERNEL_CACHE_H

#include "cl/program.h"
#include "kernel/disk.h"
#include "kernel/join.h"
#include "kernel/policy.h"
#include "kernel/source.h"

/* A built kernel. It lives until the cache drops it; only fp_kernels_build does that. */
typedef struct fp_built {
    struct fp_built *next;
    uint64_t hash;
    uint64_t last_use;
    fp_text key;
    fp_kernel *kernel;
    fp_program *program; /* until its binary is on disk, else NULL */
    fp_text disk_key;
    uint64_t number; /* no other kernel of the cache had it */
    fp_joinable joinable;
} fp_built;

typedef struct fp_kernels {
    fp_device *device;
    const char *options; /* of the compiler */
    fp_disk disk;
    bool keeps_binaries; /* on disk (Note [binaries]) */
    bool joins;          /* kernels may become parts of others */
    fp_built **buckets;
    size_t count;
    uint64_t uses;
    _Atomic uint64_t found;
} fp_kernels;

/* Writes to `trace`, which may be NULL, which part of the disk cache is not used. GPU_E_ARGUMENT as fp_disk_open. */
gpu_status fp_kernels_open(fp_kernels *kernels, fp_device *device, const fp_policy *policy, FILE *trace);
void fp_kernels_close(fp_kernels *kernels);

/* The kernel of a plan, or NULL. */
fp_built *fp_kernels_find(fp_kernels *kernels, const fp_text *key);

/* Loads `function` of a source from disk, and keeps it under the key. NULL if it is not there. */
fp_built *fp_kernels_load(fp_kernels *kernels, const fp_text *key, const fp_source *source, const char *function);

/* Builds `function` from a source and keeps it under the plan's key. GPU_E_SNIPPET if the compiler refuses a snippet;
 * *origin is then the text that it refuses. GPU_E_LAYOUT if it refuses a struct's layout. */
gpu_status fp_kernels_build(fp_kernels *kernels, const fp_text *key, const fp_source *source, const char *function,
                            fp_built **out, const fp_origin **origin);

/* Launches a kernel; the first launch of a new one may also put its binary on disk. */
gpu_status fp_built_launch(fp_kernels *kernels, fp_built *built, const fp_arg *args, unsigned count, size_t groups,
                           size_t group_size);

#endif
