/* The structures that the files of lib/cl share, and the wrapper of every OpenCL call. */
#ifndef FP_CL_INTERNAL_H
#define FP_CL_INTERNAL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "base/error.h"
#include "base/memory.h"
#include "cl/hold.h"
#include "cl/program.h"

#include <pthread.h>
#include <stdatomic.h>

/* The fields of gpu_stats that this layer counts. */
#define FP_COUNTERS(X)                                                                                                 \
    X(kernels_launched)                                                                                                \
    X(programs_built)                                                                                                  \
    X(programs_loaded)                                                                                                 \
    X(buffers_created)                                                                                                 \
    X(buffers_reused)                                                                                                  \
    X(bytes_uploaded)                                                                                                  \
    X(bytes_downloaded)                                                                                                \
    X(waits)                                                                                                           \
    X(driver_calls)                                                                                                    \
    X(driver_ns)                                                                                                       \
    X(kernel_ns)                                                                                                       \
    X(live_gpus)                                                                                                       \
    X(live_buffers)                                                                                                    \
    X(live_programs)                                                                                                   \
    X(live_kernels)

typedef struct fp_counters {
#define FP_COUNTER(name) _Atomic uint64_t name;
    FP_COUNTERS(FP_COUNTER)
#undef FP_COUNTER
} fp_counters;

extern fp_counters fp_totals; /* of all devices of the process, closed ones included */

#define FP_ADD(counter, amount) ((void)atomic_fetch_add_explicit(&(counter), (uint64_t)(amount), memory_order_relaxed))
#define FP_COUNT(device, counter, amount)                                                                              \
    (FP_ADD(fp_totals.counter, amount), FP_ADD((device)->counters.counter, amount))

/* A member of a circular list; a list is a link too, its head. */
typedef struct fp_link {
    struct fp_link *previous;
    struct fp_link *next;
} fp_link;

enum {
    FP_POOL_STEPS = 8, /* sizes from one power of two to the next */
    FP_POOL_LEAST_LOG = 12,
    FP_POOL_LEAST = 1 << FP_POOL_LEAST_LOG,
    FP_POOL_BUCKETS = (64 - FP_POOL_LEAST_LOG) * FP_POOL_STEPS,
    FP_POOL_HOST_VISIBLE = FP_POOL_BUCKETS, /* the list of buffers in the host's memory, which have the least size */
    FP_POOL_LISTS
};

/* Free buffers, each in the list of its size and in the list of all, newest first. */
typedef struct fp_pool {
    pthread_mutex_t lock;
    fp_link by_size[FP_POOL_LISTS];
    fp_link by_age;
    uint64_t bytes;
    uint64_t most_bytes;
} fp_pool;

/* How large transfers are cut. */
typedef struct fp_staging_sizes {
    size_t least_bytes; /* smaller transfers are not staged; SIZE_MAX: none is */
    size_t slot_bytes;
    size_t threads;     /* each has two slots */
    size_t small_bytes; /* downloads up to this size wait in pinned memory of their own; 0: none does */
} fp_staging_sizes;

/* Pinned host memory, mapped at its first use and kept. */
typedef struct fp_pinned {
    pthread_mutex_t lock; /* held while it is in use */
    cl_mem mem;
    char *bytes; /* NULL: not mapped yet */
} fp_pinned;

typedef struct fp_staging {
    fp_staging_sizes sizes;
    fp_pinned slots; /* of staged transfers */
    fp_pinned small; /* of small downloads */
} fp_staging;

enum { FP_PENDING_LAUNCHES = 64 };

/* The launches whose times on the device are not known yet, oldest first. */
typedef struct fp_kernel_times {
    bool wanted; /* the queue profiles */
    pthread_mutex_t lock;
    size_t count;
    cl_event pending[FP_PENDING_LAUNCHES];
} fp_kernel_times;

/* clCreateBuffer with a second word of flags: the extension cl_nv_create_buffer. */
typedef cl_mem (*fp_create_host_visible)(cl_context context, cl_mem_flags flags, cl_bitfield place, size_t bytes,
                                         void *host, cl_int *code);

struct fp_device {
    cl_context context; /* NULL with queue and id: the host device */
    cl_command_queue queue;
    cl_device_id id;
    fp_create_host_visible create_host_visible; /* NULL: capabilities.host_visible is false */
    fp_capabilities capabilities;
    fp_counters counters;
    _Atomic uint64_t used_bytes; /* of all live buffers */
    atomic_bool timed;
    fp_pool pool;
    fp_staging staging;
    fp_kernel_times times;
};

struct fp_buffer {
    fp_device *device;
    cl_mem mem;             /* NULL on the host device and of small arrays */
    _Atomic(void *) memory; /* the contents in the host's memory, or NULL */
    fp_buffer *copy;        /* of the memory, on the device, once a kernel needs it */
    cl_event copying;       /* the command that fills the copy */
    size_t bytes;           /* of the memory or the cl_mem */
    size_t asked;           /* the size that its owner asked for */
    char *shown;            /* in the host's memory: mapped as long as the buffer lives; else NULL */
    uint32_t turn;          /* of the last launch that announced its end there (Note [announced values]) */
    bool announced;         /* the launch that writes it announces its end */
    bool cut;               /* made shorter: its size hardly comes again */
    atomic_uint references;
    atomic_bool pooled; /* goes back to the pool: made there, and never shown to the user */
    fp_link by_size;    /* both links: while it is free */
    fp_link by_age;
};

struct fp_program {
    fp_device *device;
    cl_program program;
    atomic_uint references; /* the owner's and one of each kernel */
};

/* An OpenCL call that returns its code. It is counted, timed on demand, and refused when a test says so, in a forked
 * process (Note [forks] in call.c), and when commands fail that were held back (cl/hold.h). `device` is NULL where
 * there is none yet. */
#define FP_CL(device, call)                                                                                            \
    (fp_call_refused() ? CL_OUT_OF_RESOURCES : fp_hold_end() ? FP_UNSENT : FP_CL_SENT(device, call))

/* The same for a call that returns an object and leaves its code in `code`; a failure leaves the object as it was. */
#define FP_CL_NEW(device, object, code, call) ((code) = FP_CL(device, ((object) = (call), (code))))

/* The same for a call that no test refuses: a release. */
#define FP_CL_ALWAYS(device, call) ((void)fp_hold_end(), FP_CL_SENT(device, call))

/* A call that is counted, timed and made. Nothing is held back any longer. */
#define FP_CL_SENT(device, call) (fp_call_begin(device) ? fp_call_end((device), (call)) : FP_FORKED)

/* The codes, none of OpenCL's, of a call that was not made: in a forked process, and because commands that were held
 * back failed. */
enum { FP_FORKED = -10000, FP_UNSENT = -10001 };

/* A test has asked for the failure of a call, and has not taken that back. */
extern atomic_bool fp_refuses;
bool fp_refuses_this(void); /* Is this the call? Counts it. */

static inline bool fp_call_refused(void)
{
    return atomic_load_explicit(&fp_refuses, memory_order_relaxed) && fp_refuses_this();
}

bool fp_call_begin(fp_device *device);
cl_int fp_call_end(fp_device *device, cl_int code);

/* Is this a forked process, which makes no OpenCL call? The other reports it: GPU_E_DEVICE. */
bool fp_forked(void);
gpu_status fp_fail_forked(void);

/* Reports a failed call: the text made of `format`, the code's name, and what to do if one can say. */
gpu_status fp_call_fail(cl_int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "CL_OUT_OF_RESOURCES"; never NULL. */
const char *fp_code_name(cl_int code);

/* If `code` may mean that memory ran out, gives the pool's memory back, waits until the driver can use it, and returns
 * true: the caller tries once more. */
bool fp_device_relieve(fp_device *device, cl_int code);

/* Takes host-visible buffers away from a device if the host does not see there what a command has written. Waits for
 * that command. */
void fp_device_check_host_visible(fp_device *device);

/* Does a selector mean the host device? The other finds the OpenCL device that it means. */
bool fp_device_selects_host(const char *selector);
gpu_status fp_device_select(const char *selector, cl_device_id *out);

/* Asks the driver; 0 and "" stand for what it does not tell. Returns the first failure. `device` as in FP_CL. */
cl_int fp_device_ask(fp_device *device, cl_device_id id, gpu_device_kind *kind, fp_capabilities *out);

/* May a program's binary be requested? The platform's name and version decide. */
bool fp_platform_gives_binaries(const char *name, const char *version);

/* The contents on the device, copied there if need be. */
gpu_status fp_buffer_mem(fp_buffer *buffer, cl_mem *out);

/* Starts an upload of the whole of `memory`. The other waits until it has been read. */
gpu_status fp_upload_start(fp_buffer *to, const void *memory, size_t bytes, cl_event *done);
void fp_upload_end(fp_device *device, cl_event done);

/* Gives a buffer's memory back to where it came from. */
void fp_buffer_free(fp_buffer *buffer);

void fp_pool_start(fp_device *device);
void fp_pool_end(fp_device *device);

/* The size to allocate for `bytes`, so that requests of nearly the same size share buffers. */
size_t fp_pool_round(size_t bytes);

/* A free buffer of `bytes` (FP_POOL_LEAST at least) or up to twice that, or one in the host's memory; or NULL. */
fp_buffer *fp_pool_take(fp_device *device, size_t bytes);
fp_buffer *fp_pool_take_host_visible(fp_device *device);
void fp_pool_give(fp_buffer *buffer);

void fp_staging_start(fp_device *device);
void fp_staging_end(fp_device *device);

void fp_kernel_times_end(fp_device *device);

/* Takes over the event of a launch. */
void fp_kernel_times_add(fp_device *device, cl_event launch);

/* Counts the launches that have ended. */
void fp_kernel_times_collect(fp_device *device);

/* Test hook: stages by other sizes from now on, on any device. */
void fp_staging_resize(fp_device *device, fp_staging_sizes sizes);

#endif
