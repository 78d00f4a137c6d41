/** Opening a device, waiting for it, and what it has done so far.
 *
 * A `gpu` is one OpenCL device with its context, its queue, its memory pool and its built kernels. Several threads may
 * use one at once. Everything made on it is freed by gpu_close.
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
 * `selector` is NULL, "gpu", "cpu", "accelerator", "host", an index into gpu_devices, or a part of a device's or a
 * platform's name in any case. NULL takes what $FIREPILE_DEVICE says; when that is unset or empty, the best: a GPU,
 * then an accelerator, then a CPU. The host is taken only where it is asked for by its name.
 *
 * The host device runs operations in plain C, on the calling thread, where there is no OpenCL platform at all; a
 * debugger can step into an operator, and the address sanitizer (-fsanitize=address) sees one that reads past the end
 * of a captured array. It is not among gpu_devices.
 *   Operators   are GPU_FUNCTIONs, which take what is captured by name, or recognised texts: an operand alone ("x",
 *               "i", "b"); where elements are combined a + b, a * b, min, max, fmin, fmax, & | ^, and in maps of two
 *               arrays of one type the same of x and y; as comparators of scalars a < b, a > b, a <= b, a >= b. Any
 *               other text is GPU_E_SNIPPET.
 *   Operations  all but those of firepile/interop.h, which are GPU_E_DEVICE.
 *   Order       floating reductions combine runs of 1024 elements from left to right, then the runs as a balanced tree;
 *               scans and runs of equal keys go from left to right. Integers have the same bits as on every device.
 *
 * Forks     drivers do not work in the child of a fork whose parent has used one: there all that needs one, gpu_open
 *           included, is GPU_E_DEVICE, gpu_close frees memory only, and the host device works. A process forks while no
 *           other of its threads is in a call of this library, or its child calls exec.
 * Cost      creates a context and a queue; on PoCL 35 to 50 ms, most of it the driver starting up.
 * Owner     the caller, until gpu_close.
 * Errors    NULL, and gpu_error() says what was found and which package to install (GPU_E_DEVICE), or what the driver
 *           refused. Every function accepts a NULL gpu and treats it as in error.
 */
GPU_API gpu *gpu_open(const char *selector);

/** Frees everything that was made on `g`, arrays and scopes included, after waiting for its work. NULL is fine. */
GPU_API void gpu_close(gpu *g);

/** Waits until the device has done all it was told, and reports the first failure since the last wait. */
GPU_API gpu_status gpu_finish(gpu *g);

/** The device's name; "" for NULL. Valid until gpu_close. */
GPU_API const char *gpu_device_name(const gpu *g);

typedef enum gpu_device_kind { GPU_DEVICE_CPU, GPU_DEVICE_GPU, GPU_DEVICE_ACCELERATOR } gpu_device_kind;

/** What gpu_devices tells of a device. */
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
 * Fills at most `max` of `infos` (which may be NULL if `max` is 0) and returns how many devices there are, 0 if there
 * is no platform or no device; then gpu_error() says which package to install.
 *
 * Example
 *     gpu_device_info infos[8];
 *     size_t count = gpu_devices(infos, 8);
 *     for (size_t k = 0; k < count && k < 8; k++) printf("%zu: %s\n", k, infos[k].name);
 */
GPU_API size_t gpu_devices(gpu_device_info *infos, size_t max);

/** Counters since gpu_open. The live_ ones are numbers of objects that exist now. */
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
    uint64_t kernel_ns;    /**< time that kernels which have ended ran on the device; counted only if gpu_open_with was
                                given a queue with CL_QUEUE_PROFILING_ENABLE */
    uint64_t operations_verified; /**< with FIREPILE_VERIFY: computed on both sides and compared */
    uint64_t launches_unverified; /**< and kernels whose results could not be */
    uint64_t live_gpus;
    uint64_t live_arrays;
    uint64_t live_buffers;
    uint64_t live_programs;
    uint64_t live_kernels;
} gpu_stats;

/** Copies the counters of `g`. For NULL: those of all gpus of the process together, the closed ones included, so that
 * after the last gpu_close every live_ counter is 0. */
GPU_API gpu_status gpu_get_stats(const gpu *g, gpu_stats *stats);

GPU_END_DECLS
#endif
