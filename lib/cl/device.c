#include "cl/internal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* These fill a property; `code` is the first failure so far and stands. */
static cl_int ask(fp_device *device, cl_int code, cl_device_info what, void *out, size_t bytes)
{
    return code != CL_SUCCESS ? code : FP_CL(device, clGetDeviceInfo(device->id, what, bytes, out, NULL));
}

static cl_int ask_text(fp_device *device, cl_int code, cl_device_info what, char *out)
{
    return code != CL_SUCCESS ? code : fp_device_text(device, device->id, what, out, FP_TEXT_BYTES);
}

static cl_int learn_texts(fp_device *device)
{
    cl_platform_id platform = NULL;
    cl_int code = ask(device, CL_SUCCESS, CL_DEVICE_PLATFORM, &platform, sizeof platform);
    code = ask_text(device, code, CL_DEVICE_NAME, device->name);
    code = ask_text(device, code, CL_DEVICE_VENDOR, device->vendor);
    code = ask_text(device, code, CL_DRIVER_VERSION, device->driver);
    if (code == CL_SUCCESS)
        code = fp_platform_text(device, platform, CL_PLATFORM_NAME, device->platform, FP_TEXT_BYTES);
    if (code == CL_SUCCESS)
        code = fp_platform_text(device, platform, CL_PLATFORM_VERSION, device->platform_version, FP_TEXT_BYTES);
    return code;
}

static cl_int learn_numbers(fp_device *device)
{
    fp_capabilities *capabilities = &device->capabilities;
    cl_device_type type = 0;
    cl_uint units = 0;
    cl_ulong local_bytes = 0;
    cl_device_fp_config floats = 0, doubles = 0;
    cl_int code = ask(device, CL_SUCCESS, CL_DEVICE_TYPE, &type, sizeof type);
    code = ask(device, code, CL_DEVICE_MAX_COMPUTE_UNITS, &units, sizeof units);
    code = ask(device, code, CL_DEVICE_LOCAL_MEM_SIZE, &local_bytes, sizeof local_bytes);
    code = ask(device, code, CL_DEVICE_SINGLE_FP_CONFIG, &floats, sizeof floats);
    code = ask(device, code, CL_DEVICE_DOUBLE_FP_CONFIG, &doubles, sizeof doubles);
    code = ask(device, code, CL_DEVICE_GLOBAL_MEM_SIZE, &device->memory_bytes, sizeof device->memory_bytes);
    code = ask(device, code, CL_DEVICE_MAX_WORK_GROUP_SIZE, &capabilities->max_group, sizeof capabilities->max_group);
    code = ask(device, code, CL_DEVICE_MAX_PARAMETER_SIZE, &capabilities->parameter_bytes,
               sizeof capabilities->parameter_bytes);
    capabilities->cpu = fp_device_kind(type) == GPU_DEVICE_CPU;
    capabilities->has_double = doubles != 0;
    capabilities->exact_division = (floats & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    capabilities->compute_units = units;
    capabilities->local_bytes = (size_t)local_bytes;
    capabilities->memory_bytes = device->memory_bytes;
    return code;
}

static bool is_pocl(const char *version, const char *wanted)
{
    static const char mark[] = " PoCL ";
    const char *at = strstr(version, mark);
    size_t length = at ? strspn(at + strlen(mark), "0123456789.") : 0;
    return at && strlen(wanted) == length && memcmp(at + strlen(mark), wanted, length) == 0;
}

/* For a binary PoCL compiles each kernel once more, for work-groups of any size. In PoCL 6.0 that ends the process,
 * inside LLVM, with kernels that work otherwise. So of PoCL those versions are asked with which all tests have been
 * run; the others find in PoCL's own cache what was built before. */
bool fp_platform_gives_binaries(const char *name, const char *version)
{
    return is_pocl(version, "3.1") || !strstr(name, "Portable Computing Language");
}

/* PoCL 3.1 includes this header in each program, which takes longer to read than most programs take to compile. Version
 * 6.0 declares functions as they are named. */
const char *fp_platform_header_guard(const char *version)
{
    return is_pocl(version, "3.1") ? "_OPENCL_H_" : NULL;
}

static gpu_status learn(fp_device *device)
{
    cl_int code = learn_texts(device);
    if (code == CL_SUCCESS) code = learn_numbers(device);
    if (code != CL_SUCCESS) return fp_call_fail(code, "asking the driver about the device %s", device->name);
    fp_capabilities *capabilities = &device->capabilities;
    capabilities->name = device->name;
    capabilities->vendor = device->vendor;
    capabilities->driver = device->driver;
    capabilities->platform = device->platform;
    capabilities->platform_version = device->platform_version;
    capabilities->nvidia = strstr(device->vendor, "NVIDIA") || strstr(device->platform, "NVIDIA");
    capabilities->gives_binaries = fp_platform_gives_binaries(device->platform, device->platform_version);
    capabilities->slow_binaries = strstr(device->platform, "Portable Computing Language");
    capabilities->header_guard = fp_platform_header_guard(device->platform_version);
    return GPU_OK;
}

/* What is known of a device is known. */
static void start(fp_device *device)
{
    fp_pool_start(device);
    fp_staging_start(device);
    FP_COUNT(device, live_gpus, 1);
}

/* NVIDIA's driver alone is asked: others need not know what they do not have. */
static void find_host_visible(fp_device *device)
{
    cl_platform_id platform = NULL;
    if (!device->capabilities.nvidia) return;
    if (ask(device, CL_SUCCESS, CL_DEVICE_PLATFORM, &platform, sizeof platform) != CL_SUCCESS) return;
    void *found = clGetExtensionFunctionAddressForPlatform(platform, "clCreateBufferNV");
    memcpy(&device->create_host_visible, &found, sizeof found); /* C converts no pointer to one to a function */
    device->capabilities.host_visible = found != NULL;
}

static cl_mem create_anywhere(cl_context context, cl_mem_flags flags, cl_bitfield place, size_t bytes, void *host,
                              cl_int *code)
{
    (void)place;
    return clCreateBuffer(context, flags, bytes, host, code);
}

void fp_device_pretend_host_visible(fp_device *device)
{
    device->create_host_visible = create_anywhere;
    device->capabilities.host_visible = true;
}

/* The part of opening and adopting that is the same: all but context and queue. */
static gpu_status device_new(cl_device_id id, fp_device **out)
{
    fp_device *device = fp_alloc(sizeof *device);
    if (!device) return fp_fail_memory();
    device->id = id;
    gpu_status status = learn(device);
    if (status != GPU_OK) {
        fp_free(device);
        return status;
    }
    find_host_visible(device);
    start(device);
    *out = device;
    return GPU_OK;
}

/* The sizes are those of a device with one thread, whose arguments are bounded by nothing. */
static gpu_status open_host(fp_device **out)
{
    fp_device *device = fp_alloc(sizeof *device);
    if (!device) return fp_fail_memory();
    device->memory_bytes = (cl_ulong)sysconf(_SC_PHYS_PAGES) * (cl_ulong)sysconf(_SC_PAGESIZE);
    device->capabilities = (fp_capabilities){.name = "host",
                                             .vendor = "",
                                             .driver = "",
                                             .platform = "",
                                             .platform_version = "",
                                             .host = true,
                                             .cpu = true,
                                             .has_double = true,
                                             .exact_division = true,
                                             .compute_units = 1,
                                             .max_group = 1,
                                             .memory_bytes = device->memory_bytes,
                                             .parameter_bytes = SIZE_MAX};
    snprintf(device->name, sizeof device->name, "%s", device->capabilities.name);
    start(device);
    *out = device;
    return GPU_OK;
}

static gpu_status make_queue(fp_device *device)
{
    cl_int code;
    FP_CL_NEW(device, device->context, code, clCreateContext(NULL, 1, &device->id, NULL, NULL, &code));
    if (code != CL_SUCCESS) return fp_call_fail(code, "clCreateContext for the device %s", device->name);
    FP_CL_NEW(device, device->queue, code, clCreateCommandQueue(device->context, device->id, 0, &code));
    if (code != CL_SUCCESS) return fp_call_fail(code, "clCreateCommandQueue for the device %s", device->name);
    return GPU_OK;
}

gpu_status fp_device_open(const char *selector, fp_device **out)
{
    if (fp_device_selects_host(selector)) return open_host(out);
    cl_device_id id;
    fp_device *device;
    gpu_status status = fp_device_select(selector, &id);
    if (status == GPU_OK) status = device_new(id, &device);
    if (status != GPU_OK) return status;
    status = make_queue(device);
    if (status == GPU_OK)
        *out = device;
    else
        fp_device_close(device);
    return status;
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

gpu_status fp_device_adopt(void *context, void *queue, fp_device **out)
{
    if (!context || !queue) return fp_fail(GPU_E_ARGUMENT, "the %s is NULL", context ? "queue" : "context");
    cl_device_id id;
    fp_device *device;
    bool profiles = false;
    gpu_status status = inspect_queue(context, queue, &id, &profiles);
    if (status == GPU_OK) status = device_new(id, &device);
    if (status != GPU_OK) return status;
    status = retain_queue(device, context, queue);
    if (status == GPU_OK && profiles) status = fp_kernel_times_start(device);
    if (status == GPU_OK)
        *out = device;
    else
        fp_device_close(device);
    return status;
}

/* Also closes one that was opened in part. */
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
    if (device->capabilities.host) return GPU_OK; /* all is done when a call returns */
    cl_int code = FP_CL(device, clFinish(device->queue));
    fp_kernel_times_collect(device->times);
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

void fp_device_stats(const fp_device *device, gpu_stats *stats)
{
    const fp_counters *counters = device ? &device->counters : &fp_totals;
    if (device) fp_kernel_times_collect(device->times);
#define ADD_COUNTER(name) stats->name += atomic_load_explicit(&counters->name, memory_order_relaxed);
    FP_COUNTERS(ADD_COUNTER)
#undef ADD_COUNTER
}
