/** Devices: opening one, waiting for it, its counters.
 *
 * A `gpu` is one OpenCL device with its context, its queue, its memory pool and its built kernels. Several threads may
 * use one at once. gpu_close frees everything made on it.
 *
 * Example
 *     gpu *device = gpu_open(NULL);
 *     if (!device) fprintf(stderr, "%s\n", gpu_error());
 *     printf("%s\n", gpu_device_name(device));
 *     gpu_close(device);
 */
#ifndef FIREPILE_DEVICE_H
#define FIREPILE_DEVICE_H

#include <firepile/status.h>

GPU_BEGIN_DECLS

typedef struct gpu gpu;

/** Opens a device.
 *
 * `selector` is one of these:
 * - NULL or "": the value of $FIREPILE_DEVICE. If that is unset or empty, a GPU, else an accelerator, else a CPU
 * - "gpu", "cpu", "accelerator": the first device of that kind
 * - an index into gpu_devices
 * - a part of a device's or a platform's name, in any case
 * - "host": the host device, which is never a default and is not among gpu_devices
 *
 * The host device runs operations in plain C on the calling thread, and needs no OpenCL platform. A debugger can step
 * into an operator. The address sanitizer (-fsanitize=address) reports an operator that reads past the end of a
 * captured array.
 *   Operators   GPU_FUNCTIONs, with their captures, and recognised texts. Any other text is GPU_E_SNIPPET. Recognised:
 *               - expressions of scalars, of up to about fifteen operators: operands, i, numbers, captured scalars,
 *                 captured arrays of which only element 0 or the length is read, GPU_CONSTANTs, at(k) of gpu_stencil
 *                 and at(dy, dx) of gpu_matrix_stencil with numbers, scalar members of structs and of vectors (x.mass,
 *                 x.x), parentheses, casts to scalar types, and all operators of C but assignments, ++, --, &x, *x,
 *                 sizeof and the comma
 *               - a struct of up to 16 such values, each for a scalar member: (pair){a.sum + b.sum, a.count + b.count}
 *               - such expressions of vectors of one width, and of scalars that are no operands, without ?:, &&, ||, !
 *                 and members. Their scalars are ints, longs (signed or not), floats or doubles
 *               - a vector of such scalars: (float2)(x, y), (float4)(0)
 *               - of two operands of one type: min, max, fmin, fmax
 *               - the same, and + * & | ^, of vectors; an operand alone, of any type
 *   Open in C   an integer divided by zero gives 0, and the least one by -1 wraps around. A floating number becomes the
 *               nearest integer of the type, and NaN becomes 0.
 *   Operations  all except those of firepile/interop.h, which are GPU_E_DEVICE.
 *   Order       floating reductions combine runs of 1024 elements from left to right, then the runs as a balanced tree.
 *               Scans and runs of equal keys go from left to right. Integers have the same bits as on every device.
 *
 * Forks     Drivers do not work in the child of a fork if the parent has used one. In that child, gpu_open and every
 *           call that needs the driver is GPU_E_DEVICE, gpu_close only frees memory, and the host device works. Fork
 *           while no other thread is in a call of this library, or let the child call exec.
 * Cost      creates a context and a queue: on PoCL 35 to 50 ms, mostly the driver's start.
 * Owner     the caller, until gpu_close.
 * Errors    NULL. gpu_error() lists the devices found and names the package to install (GPU_E_DEVICE), or has the
 *           driver's failure. Every function accepts a NULL gpu and treats it as in error. */
GPU_API gpu *gpu_open(const char *selector);

/** Waits for the work of `g`, then frees everything made on it, arrays and scopes included. NULL is fine. */
GPU_API void gpu_close(gpu *g);

/** Waits for all submitted work, and reports the first failure since the last wait. */
GPU_API gpu_status gpu_finish(gpu *g);

/** The device's name; "" for NULL. Valid until gpu_close. */
GPU_API const char *gpu_device_name(const gpu *g);

typedef enum gpu_device_kind { GPU_DEVICE_CPU, GPU_DEVICE_GPU, GPU_DEVICE_ACCELERATOR } gpu_device_kind;

/** A device, as gpu_devices lists it. */
typedef struct gpu_device_info {
    char name[128];
    char platform[128];
    char driver[64];
    gpu_device_kind kind;
    unsigned compute_units;
    uint64_t memory_bytes;
    bool has_double;
} gpu_device_info;

/** Lists the devices of all platforms in the order of their indices.
 *
 * Fills at most `max` of `infos`, which may be NULL if `max` is 0. Returns the number of devices. If that is 0, there
 * is no platform or no device, and gpu_error() names the package to install.
 *
 * Example
 *     gpu_device_info infos[8];
 *     size_t count = gpu_devices(infos, 8);
 *     for (size_t k = 0; k < count && k < 8; k++) printf("%zu: %s\n", k, infos[k].name);
 */
GPU_API size_t gpu_devices(gpu_device_info *infos, size_t max);

/** Counters since gpu_open. The live_ counters are numbers of objects that exist now. */
typedef struct gpu_stats {
    uint64_t kernels_launched;
    uint64_t programs_built;  /**< compiled from source by the driver */
    uint64_t programs_loaded; /**< taken from the cache on disk */
    uint64_t kernels_found;   /**< taken from the cache in memory */
    uint64_t buffers_created;
    uint64_t buffers_reused; /**< taken from the pool */
    uint64_t bytes_uploaded;
    uint64_t bytes_downloaded;
    uint64_t waits;        /**< times the host waited for the device */
    uint64_t driver_calls; /**< OpenCL calls made */
    uint64_t driver_ns;    /**< time inside them; counted only while FIREPILE_TRACE is set */
    uint64_t kernel_ns;    /**< device time of the kernels that have ended; counted only if gpu_open_with was given a
                                queue with CL_QUEUE_PROFILING_ENABLE */
    uint64_t operations_verified; /**< with FIREPILE_VERIFY: computed on both sides and compared */
    uint64_t launches_unverified; /**< with FIREPILE_VERIFY: kernels whose results could not be compared */
    uint64_t live_gpus;
    uint64_t live_arrays;
    uint64_t live_buffers;
    uint64_t live_programs;
    uint64_t live_kernels;
} gpu_stats;

/** Copies the counters of `g`. NULL gives the sum over all gpus of the process, closed ones included: after the last
 * gpu_close every live_ counter is 0. Launches that were held back (docs/fusion.md) are made first, and counted. */
GPU_API gpu_status gpu_get_stats(const gpu *g, gpu_stats *stats);

GPU_END_DECLS
#endif
