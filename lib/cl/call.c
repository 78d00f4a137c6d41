#include "cl/internal.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>

fp_counters fp_totals;

static atomic_ulong calls_left;
static _Thread_local uint64_t began;

unsigned long fp_cl_fail_at(unsigned long k)
{
    return atomic_exchange(&calls_left, k);
}

bool fp_call_refused(void)
{
    unsigned long left = atomic_load_explicit(&calls_left, memory_order_relaxed);
    while (left != 0 && !atomic_compare_exchange_weak(&calls_left, &left, left - 1)) {
    }
    return left == 1;
}

/* Note [forks]: the child of a fork has the memory of its parent, and of its threads only the one that forked. Drivers
 * have threads that they hand work to, so a call would wait for ever. In a child of a process that has made an OpenCL
 * call none is made, releases included: they return FP_FORKED, which is reported as GPU_E_DEVICE. */
static atomic_bool forked;

static void note_fork(void)
{
    atomic_store_explicit(&forked, true, memory_order_relaxed);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, note_fork);
}

bool fp_forked(void)
{
    return atomic_load_explicit(&forked, memory_order_relaxed);
}

gpu_status fp_fail_forked(void)
{
    return fp_fail(GPU_E_DEVICE,
                   "this process was forked by one that had used an OpenCL driver, whose threads are not copied; open "
                   "devices in the children alone, or use the device \"host\" in them");
}

bool fp_call_begin(fp_device *device)
{
    static pthread_once_t first = PTHREAD_ONCE_INIT;
    if (fp_forked()) return false;
    pthread_once(&first, watch_forks);
    FP_ADD(fp_totals.driver_calls, 1);
    if (!device) return true;
    FP_ADD(device->counters.driver_calls, 1);
    began = atomic_load_explicit(&device->timed, memory_order_relaxed) ? fp_now_ns() : 0;
    return true;
}

cl_int fp_call_end(fp_device *device, cl_int code)
{
    if (device && began) FP_COUNT(device, driver_ns, fp_now_ns() - began);
    return code;
}

typedef struct code_text {
    cl_int code;
    const char *name;
    const char *advice;
} code_text;

#define OUTSIDE "a snippet may have indexed outside an array"
#define SMALLER "free arrays that are no longer needed, or work in smaller pieces"
#define REINSTALL "check the driver's installation"

/* clang-format off */
static const code_text codes[] = {
#define CODE(name, advice) {name, #name, advice},
    CODE(CL_SUCCESS, "")
    CODE(CL_DEVICE_NOT_FOUND, "")
    CODE(CL_DEVICE_NOT_AVAILABLE, "another process may hold the device")
    CODE(CL_COMPILER_NOT_AVAILABLE, REINSTALL)
    CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE, SMALLER)
    CODE(CL_OUT_OF_RESOURCES, OUTSIDE ", or the device lacks registers, local memory or memory")
    CODE(CL_OUT_OF_HOST_MEMORY, "the driver ran out of host memory; " SMALLER)
    CODE(CL_MEM_COPY_OVERLAP, "")
    CODE(CL_BUILD_PROGRAM_FAILURE, "")
    CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET, "")
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an earlier command failed: " OUTSIDE)
    CODE(CL_LINKER_NOT_AVAILABLE, REINSTALL)
    CODE(CL_LINK_PROGRAM_FAILURE, "")
    CODE(CL_INVALID_VALUE, "")
    CODE(CL_INVALID_DEVICE_TYPE, "")
    CODE(CL_INVALID_PLATFORM, "")
    CODE(CL_INVALID_DEVICE, "")
    CODE(CL_INVALID_CONTEXT, "")
    CODE(CL_INVALID_QUEUE_PROPERTIES, "")
    CODE(CL_INVALID_COMMAND_QUEUE, "an earlier command may have failed: " OUTSIDE)
    CODE(CL_INVALID_HOST_PTR, "")
    CODE(CL_INVALID_MEM_OBJECT, "")
    CODE(CL_INVALID_BINARY, "")
    CODE(CL_INVALID_BUILD_OPTIONS, "")
    CODE(CL_INVALID_PROGRAM, "")
    CODE(CL_INVALID_PROGRAM_EXECUTABLE, "")
    CODE(CL_INVALID_KERNEL_NAME, "")
    CODE(CL_INVALID_KERNEL_DEFINITION, "")
    CODE(CL_INVALID_KERNEL, "")
    CODE(CL_INVALID_ARG_INDEX, "")
    CODE(CL_INVALID_ARG_VALUE, "")
    CODE(CL_INVALID_ARG_SIZE, "")
    CODE(CL_INVALID_KERNEL_ARGS, "")
    CODE(CL_INVALID_WORK_DIMENSION, "")
    CODE(CL_INVALID_WORK_GROUP_SIZE, "")
    CODE(CL_INVALID_WORK_ITEM_SIZE, "")
    CODE(CL_INVALID_GLOBAL_OFFSET, "")
    CODE(CL_INVALID_EVENT_WAIT_LIST, "")
    CODE(CL_INVALID_EVENT, "")
    CODE(CL_INVALID_OPERATION, "")
    CODE(CL_INVALID_BUFFER_SIZE, SMALLER)
    CODE(CL_INVALID_GLOBAL_WORK_SIZE, "")
#undef CODE
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR", ""},
    {-9999, "NVIDIA's code for an illegal access", OUTSIDE},
};
/* clang-format on */

static const code_text *code_find(cl_int code)
{
    static const code_text unknown = {0, "a code that OpenCL does not define", ""};
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
        if (codes[k].code == code) return &codes[k];
    return &unknown;
}

const char *fp_code_name(cl_int code)
{
    return code_find(code)->name;
}

static gpu_status status_of(cl_int code)
{
    switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
        return GPU_E_MEMORY;
    default:
        return GPU_E_DRIVER;
    }
}

gpu_status fp_call_fail(cl_int code, const char *format, ...)
{
    if (code == FP_FORKED) return fp_fail_forked();
    char what[512];
    va_list values;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    const code_text *text = code_find(code);
    const char *separator = *text->advice ? "; " : "";
    return fp_fail(status_of(code), "%s failed with %s (%d)%s%s", what, text->name, code, separator, text->advice);
}
