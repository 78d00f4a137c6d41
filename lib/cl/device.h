/* A device: its context, its queue and its capabilities. lib/cl is the only layer that includes <CL/cl.h>, so its types
 * are opaque to the layers above. */
#ifndef FP_CL_DEVICE_H
#define FP_CL_DEVICE_H

#include <firepile/device.h>
#include <stdbool.h>

typedef struct fp_device fp_device;

enum { FP_TEXT_BYTES = 256 };

/* The properties of a device for the layers above. Longer texts are cut. */
typedef struct fp_capabilities {
    char name[FP_TEXT_BYTES];
    char vendor[FP_TEXT_BYTES];
    char driver[FP_TEXT_BYTES]; /* CL_DRIVER_VERSION */
    char platform[FP_TEXT_BYTES];
    char platform_version[FP_TEXT_BYTES];
    const char *header_guard; /* of the header that the driver reads for each program; NULL: it reads none */
    bool host;                /* this process itself: there is no context, and no program can be built */
    bool cpu;                 /* wants CPU shapes */
    bool nvidia;              /* inline PTX works */
    bool has_double;
    bool exact_division; /* -cl-fp32-correctly-rounded-divide-sqrt is accepted */
    bool reorders_loops; /* its compiler reorders floating sums and products in loops */
    bool host_visible;   /* fp_buffer_new_host_visible places buffers in the host's memory */
    bool gives_binaries; /* fp_program_binary may ask for binaries */
    bool slow_binaries;  /* the driver compiles again for a binary */
    bool fetches_ahead;  /* its compiler is clang for a CPU, with __builtin_prefetch */
    bool calls_kernels;  /* a kernel may call another that has local memory, which OpenCL leaves to the driver */
    size_t compute_units;
    size_t max_group;       /* work-items of a work-group */
    size_t local_bytes;     /* local memory of a work-group */
    uint64_t memory_bytes;  /* of the device */
    size_t parameter_bytes; /* of a kernel's arguments together */
} fp_capabilities;

/* Opens the device of `selector` (see gpu_open); NULL means FIREPILE_DEVICE. The host device takes no OpenCL call: its
 * buffers are plain memory. */
gpu_status fp_device_open(const char *selector, fp_device **out);

/* Adopts the user's cl_context and cl_command_queue, retaining both. */
gpu_status fp_device_adopt(void *context, void *queue, fp_device **out);

/* Waits, then frees pool, staging, queue and context. Buffers, programs and kernels must be gone. NULL is fine. */
void fp_device_close(fp_device *device);

size_t fp_device_list(gpu_device_info *infos, size_t max);

const fp_capabilities *fp_device_capabilities(const fp_device *device);
void *fp_device_queue(fp_device *device); /* the cl_command_queue, borrowed; NULL on the host device */

/* GPU_E_DEVICE if the parent process had used a driver before it forked, unless it is the host device. */
gpu_status fp_device_check(const fp_device *device);

/* Test hook: the device has no more than so many bytes of local memory, from now on. */
void fp_device_limit_local(fp_device *device, size_t bytes);

gpu_status fp_device_finish(fp_device *device);

/* Driver time is measured (stats.driver_ns) while this is on. */
void fp_device_time_calls(fp_device *device, bool on);

/* Adds the counters of this layer to *stats; for NULL the sums over all devices of the process, closed ones
 * included. */
void fp_device_stats(fp_device *device, gpu_stats *stats);

/* Test hook: a CPU has host-visible buffers from now on, in its own memory, as a GPU may have. Others stay as they are:
 * the host cannot read a GPU's memory. */
void fp_device_pretend_host_visible(fp_device *device);

/* Test hook: the k-th OpenCL call from now on fails with CL_OUT_OF_RESOURCES without being made; 0 turns that off.
 * Releases never fail. Returns how many calls were left before the failure (0: it has happened). */
unsigned long fp_cl_fail_at(unsigned long k);
/* The same, and the calls behind it fail, too. A launch or a transfer that fails once is tried again. */
unsigned long fp_cl_fail_from(unsigned long k);

#endif
