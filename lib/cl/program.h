/* Programs and kernels. All functions are thread-safe except fp_kernel_launch: only one thread may use a kernel. */
#ifndef FP_CL_PROGRAM_H
#define FP_CL_PROGRAM_H

#include "cl/buffer.h"

typedef struct fp_program fp_program;
typedef struct fp_kernel fp_kernel;

/* Compiles `source`. If the compiler rejects it, returns GPU_E_SNIPPET without a message, as the caller has the line
 * table; *log is then the build log, for the caller to fp_free. Other failures are reported here and leave *log
 * NULL. */
gpu_status fp_program_build(fp_device *device, const char *source, const char *options, fp_program **out, char **log);

/* A program from a binary made by fp_program_binary on the same device and driver. Any refusal is silent: it returns
 * false, and the caller builds from source. The caller has verified length and checksum: drivers crash on damaged
 * ones. */
bool fp_program_load(fp_device *device, const void *binary, size_t bytes, const char *options, fp_program **out);

/* The binary, for the caller to fp_free. PoCL's is complete only after a first launch. False, without a message, if
 * there is none or capabilities.gives_binaries is false. */
bool fp_program_binary(fp_program *program, void **binary, size_t *bytes);

void fp_program_free(fp_program *program);

/* A kernel keeps its program. */
gpu_status fp_kernel_new(fp_program *program, const char *name, fp_kernel **out);
void fp_kernel_free(fp_kernel *kernel);

/* A kernel argument: a buffer (NULL: a null pointer) if `value` is NULL, else `bytes` at `value`. */
typedef struct fp_arg {
    fp_buffer *buffer;
    const void *value;
    size_t bytes;
} fp_arg;

/* A kernel's argument from a variable that lives until the launch. */
#define FP_ARG_VALUE(variable) .value = &(variable), .bytes = sizeof(variable)

/* Sets all arguments and enqueues one 1-D launch: `groups` work-groups of `group_size` items. When the device is out of
 * memory the pool is trimmed and the launch tried once more. */
gpu_status fp_kernel_launch(fp_kernel *kernel, const fp_arg *args, unsigned count, size_t groups, size_t group_size);

#endif
