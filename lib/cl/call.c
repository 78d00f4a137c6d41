#include "cl/internal.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>

fp_counters fp_totals;

atomic_bool fp_refuses;
static atomic_ulong calls_left;
static atomic_bool failure_stays, all_fail;
static _Thread_local uint64_t began;

static unsigned long fail_at(unsigned long k, bool stays)
{
    atomic_store(&failure_stays, stays);
    atomic_store(&all_fail, false);
    atomic_store(&fp_refuses, k > 0);
    return atomic_exchange(&calls_left, k);
}

unsigned long fp_cl_fail_at(unsigned long k)
{
    return fail_at(k, false);
}

unsigned long fp_cl_fail_from(unsigned long k)
{
    return fail_at(k, true);
}

bool fp_refuses_this(void)
{
    unsigned long left = atomic_load_explicit(&calls_left, memory_order_relaxed);
    while (left != 0 && !atomic_compare_exchange_weak(&calls_left, &left, left - 1)) {
    }
    if (left == 1 && atomic_load(&failure_stays)) atomic_store(&all_fail, true);
    return left == 1 || atomic_load_explicit(&all_fail, memory_order_relaxed);
}

/* Note [forks]: the child of a fork has its parent's memory, and only the thread that forked. Drivers hand work to
 * their threads, so a call would wait for ever. If a process has made an OpenCL call, its children make none, not even
 * releases: calls return FP_FORKED there, which is reported as GPU_E_DEVICE. */
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

#define OUTSIDE "a snippet may have indexed outside an array"
#define SMALLER "free arrays that are no longer needed, or work in smaller pieces"
#define REINSTALL "check the driver's installation"

typedef struct code_text {
    cl_int code;
    const char *name;
    const char *advice;
} code_text;

/* clang-format off */
#define WITHOUT_ADVICE(X)                                                                                              \
    X(SUCCESS) X(DEVICE_NOT_FOUND) X(MEM_COPY_OVERLAP) X(BUILD_PROGRAM_FAILURE) X(MISALIGNED_SUB_BUFFER_OFFSET)        \
    X(LINK_PROGRAM_FAILURE) X(INVALID_VALUE) X(INVALID_DEVICE_TYPE) X(INVALID_PLATFORM) X(INVALID_DEVICE)              \
    X(INVALID_CONTEXT) X(INVALID_QUEUE_PROPERTIES) X(INVALID_HOST_PTR) X(INVALID_MEM_OBJECT) X(INVALID_BINARY)         \
    X(INVALID_BUILD_OPTIONS) X(INVALID_PROGRAM) X(INVALID_PROGRAM_EXECUTABLE) X(INVALID_KERNEL_NAME)                   \
    X(INVALID_KERNEL_DEFINITION) X(INVALID_KERNEL) X(INVALID_ARG_INDEX) X(INVALID_ARG_VALUE) X(INVALID_ARG_SIZE)       \
    X(INVALID_KERNEL_ARGS) X(INVALID_WORK_DIMENSION) X(INVALID_WORK_GROUP_SIZE) X(INVALID_WORK_ITEM_SIZE)              \
    X(INVALID_GLOBAL_OFFSET) X(INVALID_EVENT_WAIT_LIST) X(INVALID_EVENT) X(INVALID_OPERATION)                          \
    X(INVALID_GLOBAL_WORK_SIZE)
#define CODE(name) CL_##name, "CL_" #name
#define ROW(name) {CODE(name), ""},
static const code_text codes[] = {
    WITHOUT_ADVICE(ROW)
    {CODE(DEVICE_NOT_AVAILABLE), "another process may hold the device"},
    {CODE(COMPILER_NOT_AVAILABLE), REINSTALL},
    {CODE(LINKER_NOT_AVAILABLE), REINSTALL},
    {CODE(MEM_OBJECT_ALLOCATION_FAILURE), SMALLER},
    {CODE(INVALID_BUFFER_SIZE), SMALLER},
    {CODE(OUT_OF_HOST_MEMORY), "the driver ran out of host memory; " SMALLER},
    {CODE(OUT_OF_RESOURCES), OUTSIDE ", or the device lacks registers, local memory or memory"},
    {CODE(EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST), "an earlier command failed: " OUTSIDE},
    {CODE(INVALID_COMMAND_QUEUE), "an earlier command may have failed: " OUTSIDE},
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

gpu_status fp_call_fail(cl_int code, const char *format, ...)
{
    if (code == FP_FORKED) return fp_fail_forked();
    if (code == FP_UNSENT) return fp_hold_end(); /* which has reported it */
    char what[512];
    va_list values;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    const code_text *text = code_find(code);
    const char *separator = *text->advice ? "; " : "";
    const bool memory =
        code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE;
    return fp_fail(memory ? GPU_E_MEMORY : GPU_E_DRIVER, "%s failed with %s (%d)%s%s", what, text->name, code,
                   separator, text->advice);
}
