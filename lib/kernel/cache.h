/* The built kernels of a device: found by plan in memory, by source text on disk, else built. */
#ifndef FP_KERNEL_CACHE_H
#define FP_KERNEL_CACHE_H

#include "cl/program.h"
#include "kernel/disk.h"
#include "kernel/policy.h"
#include "kernel/source.h"

/* A built kernel. Lives until the cache drops it, which only fp_kernels_build does. */
typedef struct fp_built {
    struct fp_built *next;
    uint64_t hash;
    uint64_t last_use;
    char *key;
    size_t key_bytes;
    fp_kernel *kernel;
    fp_program *program; /* until its binary is on disk, else NULL */
    fp_text disk_key;
} fp_built;

typedef struct fp_kernels {
    fp_device *device;
    const char *options; /* of the compiler */
    fp_disk disk;
    bool keeps_binaries; /* on disk (Note [binaries]) */
    fp_built **buckets;
    size_t count;
    uint64_t uses;
    _Atomic uint64_t found;
} fp_kernels;

/* `trace`, which may be NULL, is told what of the disk's cache is not used. GPU_E_ARGUMENT as fp_disk_open. */
gpu_status fp_kernels_open(fp_kernels *kernels, fp_device *device, const fp_policy *policy, FILE *trace);
void fp_kernels_close(fp_kernels *kernels);

/* The kernel of a plan, or NULL. */
fp_built *fp_kernels_find(fp_kernels *kernels, const fp_text *key);

/* Builds `function` from a source and keeps it under the plan's key. A snippet that the compiler refuses is
 * GPU_E_SNIPPET, and *origin becomes whose text it was; a layout that it refuses is GPU_E_LAYOUT. */
gpu_status fp_kernels_build(fp_kernels *kernels, const fp_text *key, const fp_source *source, const char *function,
                            fp_built **out, const fp_origin **origin);

/* Launches a kernel; the first launch of a new one may also put its binary on disk. */
gpu_status fp_built_launch(fp_kernels *kernels, fp_built *built, const fp_arg *args, unsigned count, size_t groups,
                           size_t group_size);

#endif
