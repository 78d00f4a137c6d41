#include "cl/internal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The items of a group and its local memory on the host device, for kernels that are functions. */
enum { HOST_GROUP = 1024, HOST_LOCAL = 1 << 20 };

static bool is_pocl_3_1(const char *version)
{
    static const char mark[] = " PoCL 3.1";
    const char *at = strstr(version, mark);
    return at && !strspn(at + strlen(mark), "0123456789.");
}

/* PoCL compiles each kernel once more for a binary, for work-groups of any size. In PoCL 6.0 that ends the process,
 * inside LLVM, for kernels that work otherwise. So binaries are requested only from the version that passes all tests.
 * The others find earlier builds in PoCL's own cache. */
bool fp_platform_gives_binaries(const char *name, const char *version)
{
    return is_pocl_3_1(version) || !strstr(name, "Portable Computing Language");
}

/* PoCL 3.1 includes this header in each program. Reading it takes longer than compiling most programs. Version 6.0
 * declares functions as they are named. */
static const char *header_guard(const char *version)
{
    return is_pocl_3_1(version) ? "_OPENCL_H_" : NULL;
}

/* A device may claim several types; oclgrind's claims all. */
static gpu_device_kind kind_of(cl_device_type type)
{
    if (type & CL_DEVICE_TYPE_CPU) return GPU_DEVICE_CPU;
    return type & CL_DEVICE_TYPE_GPU ? GPU_DEVICE_GPU : GPU_DEVICE_ACCELERATOR;
}

static cl_int ask_text(fp_device *device, cl_device_id id, cl_platform_id platform, cl_uint what, char *out)
{
    char text[1024] = "";
    cl_int code = platform ? FP_CL(device, clGetPlatformInfo(platform, what, sizeof text, text, NULL))
                           : FP_CL(device, clGetDeviceInfo(id, what, sizeof text, text, NULL));
    snprintf(out, FP_TEXT_BYTES, "%s", text);
    return code;
}

static cl_int first_failure(cl_int first, cl_int code)
{
    return first != CL_SUCCESS ? first : code;
}

static cl_int ask_numbers(fp_device *device, cl_device_id id, cl_platform_id *platform, gpu_device_kind *kind,
                          fp_capabilities *out)
{
    cl_device_type type = 0;
    cl_uint units = 0;
    cl_ulong local_bytes = 0;
    cl_device_fp_config floats = 0, doubles = 0;
    const struct {
        cl_device_info what;
        void *out;
        size_t bytes;
    } numbers[] = {{CL_DEVICE_PLATFORM, platform, sizeof *platform},
                   {CL_DEVICE_TYPE, &type, sizeof type},
                   {CL_DEVICE_MAX_COMPUTE_UNITS, &units, sizeof units},
                   {CL_DEVICE_LOCAL_MEM_SIZE, &local_bytes, sizeof local_bytes},
                   {CL_DEVICE_SINGLE_FP_CONFIG, &floats, sizeof floats},
                   {CL_DEVICE_DOUBLE_FP_CONFIG, &doubles, sizeof doubles},
                   {CL_DEVICE_GLOBAL_MEM_SIZE, &out->memory_bytes, sizeof out->memory_bytes},
                   {CL_DEVICE_MAX_WORK_GROUP_SIZE, &out->max_group, sizeof out->max_group},
                   {CL_DEVICE_MAX_PARAMETER_SIZE, &out->parameter_bytes, sizeof out->parameter_bytes}};
    cl_int first = CL_SUCCESS;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        first = first_failure(
            first, FP_CL(device, clGetDeviceInfo(id, numbers[k].what, numbers[k].bytes, numbers[k].out, NULL)));
    *kind = kind_of(type);
    out->cpu = *kind == GPU_DEVICE_CPU;
    out->has_double = doubles != 0;
    out->exact_division = (floats & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    out->compute_units = units;
    out->local_bytes = (size_t)local_bytes;
    return first;
}

cl_int fp_device_ask(fp_device *device, cl_device_id id, gpu_device_kind *kind, fp_capabilities *out)
{
    cl_platform_id platform = NULL;
    cl_int code = ask_numbers(device, id, &platform, kind, out);
    code = first_failure(code, ask_text(device, id, NULL, CL_DEVICE_NAME, out->name));
    code = first_failure(code, ask_text(device, id, NULL, CL_DEVICE_VENDOR, out->vendor));
    code = first_failure(code, ask_text(device, id, NULL, CL_DRIVER_VERSION, out->driver));
    code = first_failure(code, ask_text(device, id, platform, CL_PLATFORM_NAME, out->platform));
    code = first_failure(code, ask_text(device, id, platform, CL_PLATFORM_VERSION, out->platform_version));
    out->nvidia = strstr(out->vendor, "NVIDIA") || strstr(out->platform, "NVIDIA");
    out->gives_binaries = fp_platform_gives_binaries(out->platform, out->platform_version);
    out->reorders_loops = out->cpu && strstr(out->platform, "Intel(R)");
    out->slow_binaries = strstr(out->platform, "Portable Computing Language");
    out->fetches_ahead = out->cpu && out->slow_binaries;
    out->calls_kernels = out->nvidia || is_pocl_3_1(out->platform_version);
    out->header_guard = header_guard(out->platform_version);
    return code;
}

/* Only NVIDIA's driver is asked: others may not handle a function that they do not have. */
static void find_host_visible(fp_device *device)
{
    cl_platform_id platform = NULL;
    if (!device->capabilities.nvidia) return;
    if (FP_CL(device, clGetDeviceInfo(device->id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL))) return;
    void *found = clGetExtensionFunctionAddressForPlatform(platform, "clCreateBufferNV");
    memcpy(&device->create_host_visible, &found, sizeof found); /* C converts no data to a function pointer */
    device->capabilities.host_visible = found != NULL;
}

/* The host looks at such a buffer while kernels run. That is right only if its mapping is the memory itself, and no
 * copy. */
void fp_device_check_host_visible(fp_device *device)
{
    const uint32_t word = 0x7e57ed;
    fp_buffer *buffer = NULL;
    bool is_direct = !fp_buffer_new_host_visible(device, sizeof word, &buffer) && buffer->shown;
    if (is_direct)
        is_direct = FP_CL(device, clEnqueueWriteBuffer(device->queue, buffer->mem, CL_TRUE, 0, sizeof word, &word, 0,
                                                       NULL, NULL)) == CL_SUCCESS &&
                    !memcmp(buffer->shown, &word, sizeof word);
    fp_buffer_drop(buffer);
    if (is_direct) return;
    device->create_host_visible = NULL;
    device->capabilities.host_visible = false;
}

static cl_mem create_anywhere(cl_context context, cl_mem_flags flags, cl_bitfield place, size_t bytes, void *host,
                              cl_int *code)
{
    (void)place;
    return clCreateBuffer(context, flags, bytes, host, code);
}

void fp_device_pretend_host_visible(fp_device *device)
{
    if (!device->capabilities.cpu) return;
    device->create_host_visible = create_anywhere;
    device->capabilities.host_visible = true;
}

static fp_device *start(fp_device *device)
{
    fp_pool_start(device);
    fp_staging_start(device);
    pthread_mutex_init(&device->times.lock, NULL);
    FP_COUNT(device, live_gpus, 1);
    return device;
}

/* The host device is a device with one thread, whose arguments are unbounded. */
static gpu_status open_host(fp_device **out)
{
    fp_device *device = fp_alloc(sizeof *device);
    if (!device) return fp_fail_memory();
    device->capabilities = (fp_capabilities){.name = "host",
                                             .host = true,
                                             .cpu = true,
                                             .has_double = true,
                                             .exact_division = true,
                                             .compute_units = 1,
                                             .max_group = HOST_GROUP,
                                             .local_bytes = HOST_LOCAL,
                                             .parameter_bytes = SIZE_MAX};
    device->capabilities.memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    *out = start(device);
    return GPU_OK;
}

static gpu_status make_queue(fp_device *device)
{
    cl_int code;
    FP_CL_NEW(device, device->context, code, clCreateContext(NULL, 1, &device->id, NULL, NULL, &code));
    if (code != CL_SUCCESS) return fp_call_fail(code, "clCreateContext for the device %s", device->capabilities.name);
    FP_CL_NEW(device, device->queue, code, clCreateCommandQueue(device->context, device->id, 0, &code));
    if (code != CL_SUCCESS)
        return fp_call_fail(code, "clCreateCommandQueue for the device %s", device->capabilities.name);
    return GPU_OK;
}

static gpu_status retain_queue(fp_device *device, cl_context context, cl_command_queue queue)
{
    cl_int code = FP_CL(device, clRetainContext(context));
    if (code != CL_SUCCESS) return fp_call_fail(code, "clRetainContext on the context given");
    device->context = context;
    code = FP_CL(device, clRetainCommandQueue(queue));
    if (code != CL_SUCCESS) return fp_call_fail(code, "clRetainCommandQueue on the queue given");
    device->queue = queue;
    return GPU_OK;
}

/* Opens a device with the user's queue, or with a new one. */
static gpu_status open_device(cl_device_id id, cl_context context, cl_command_queue queue, bool profiles,
                              fp_device **out)
{
    fp_device *device = fp_alloc(sizeof *device);
    if (!device) return fp_fail_memory();
    device->id = id;
    device->times.wanted = profiles;
    gpu_device_kind kind;
    cl_int code = fp_device_ask(device, id, &kind, &device->capabilities);
    if (code != CL_SUCCESS) {
        gpu_status status = fp_call_fail(code, "asking the driver about the device %s", device->capabilities.name);
        fp_free(device);
        return status;
    }
    find_host_visible(device);
    start(device);
    gpu_status status = queue ? retain_queue(device, context, queue) : make_queue(device);
    /* The user's queue may be full of work. */
    if (!status && !queue && device->create_host_visible) fp_device_check_host_visible(device);
    if (status) fp_device_close(device);
    if (!status) *out = device;
    return status;
}

gpu_status fp_device_open(const char *selector, fp_device **out)
{
    cl_device_id id;
    if (fp_device_selects_host(selector)) return open_host(out);
    gpu_status status = fp_device_select(selector, &id);
    return status ? status : open_device(id, NULL, NULL, false, out);
}

/* Checks the user's queue and finds its device. */
static gpu_status inspect_queue(cl_context context, cl_command_queue queue, cl_device_id *id, bool *profiles)
{
    cl_context owner = NULL;
    cl_command_queue_properties properties = 0;
    cl_int code = FP_CL(NULL, clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof owner, &owner, NULL));
    if (code == CL_SUCCESS)
        code = FP_CL(NULL, clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
    if (code == CL_SUCCESS) code = FP_CL(NULL, clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof *id, id, NULL));
    if (code != CL_SUCCESS) return fp_call_fail(code, "clGetCommandQueueInfo on the queue given");
    if (owner != context) return fp_fail(GPU_E_ARGUMENT, "the queue belongs to another context than the one given");
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return fp_fail(GPU_E_ARGUMENT, "the queue is out-of-order; give one that was made without "
                                       "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE");
    *profiles = properties & CL_QUEUE_PROFILING_ENABLE;
    return GPU_OK;
}

gpu_status fp_device_adopt(void *context, void *queue, fp_device **out)
{
    if (!context || !queue) return fp_fail(GPU_E_ARGUMENT, "the %s is NULL", context ? "queue" : "context");
    cl_device_id id;
    bool profiles = false;
    gpu_status status = inspect_queue(context, queue, &id, &profiles);
    return status ? status : open_device(id, context, queue, profiles, out);
}

/* Also closes a device that was opened in part. */
void fp_device_close(fp_device *device)
{
    if (!device) return;
    if (device->queue) (void)FP_CL_ALWAYS(device, clFinish(device->queue));
    fp_kernel_times_end(device);
    fp_staging_end(device);
    fp_pool_end(device);
    if (device->queue) (void)FP_CL_ALWAYS(device, clReleaseCommandQueue(device->queue));
    if (device->context) (void)FP_CL_ALWAYS(device, clReleaseContext(device->context));
    FP_COUNT(device, live_gpus, -1);
    fp_free(device);
}

const fp_capabilities *fp_device_capabilities(const fp_device *device)
{
    return &device->capabilities;
}

void *fp_device_queue(fp_device *device)
{
    return device->queue;
}

gpu_status fp_device_check(const fp_device *device)
{
    return device->capabilities.host || !fp_forked() ? GPU_OK : fp_fail_forked();
}

void fp_device_limit_local(fp_device *device, size_t bytes)
{
    if (bytes < device->capabilities.local_bytes) device->capabilities.local_bytes = bytes;
}

gpu_status fp_device_finish(fp_device *device)
{
    FP_COUNT(device, waits, 1);
    if (device->capabilities.host) return GPU_OK; /* its calls return when all is done */
    cl_int code = FP_CL(device, clFinish(device->queue));
    fp_kernel_times_collect(device);
    return code == CL_SUCCESS ? GPU_OK : fp_call_fail(code, "clFinish");
}

bool fp_device_relieve(fp_device *device, cl_int code)
{
    if (code != CL_MEM_OBJECT_ALLOCATION_FAILURE && code != CL_OUT_OF_RESOURCES && code != CL_OUT_OF_HOST_MEMORY)
        return false;
    fp_pool_trim(device);
    FP_COUNT(device, waits, 1);
    if (device->queue) (void)FP_CL(device, clFinish(device->queue));
    return true;
}

void fp_device_time_calls(fp_device *device, bool on)
{
    atomic_store_explicit(&device->timed, on, memory_order_relaxed);
}

void fp_device_stats(fp_device *device, gpu_stats *stats)
{
    const fp_counters *counters = device ? &device->counters : &fp_totals;
    if (device) fp_kernel_times_collect(device);
#define ADD_COUNTER(name) stats->name += atomic_load_explicit(&counters->name, memory_order_relaxed);
    FP_COUNTERS(ADD_COUNTER)
#undef ADD_COUNTER
}
