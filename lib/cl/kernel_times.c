#include "cl/internal.h"

#include <string.h>

void fp_kernel_times_end(fp_device *device)
{
    fp_kernel_times *times = &device->times;
    fp_kernel_times_collect(device);
    for (size_t k = 0; k < times->count; k++) (void)FP_CL_ALWAYS(device, clReleaseEvent(times->pending[k]));
    pthread_mutex_destroy(&times->lock);
}

/* Failed commands have ended too. */
static bool ended(fp_device *device, cl_event launch)
{
    cl_int state = CL_QUEUED;
    cl_int code = FP_CL(device, clGetEventInfo(launch, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    return code == CL_SUCCESS && state <= CL_COMPLETE;
}

/* A time that the driver does not give is left out; that is no failure. */
static void add_time(fp_device *device, cl_event launch)
{
    cl_ulong start = 0, end = 0;
    cl_int code =
        FP_CL(device, clGetEventProfilingInfo(launch, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
    if (code == CL_SUCCESS)
        code = FP_CL(device, clGetEventProfilingInfo(launch, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    if (code == CL_SUCCESS) FP_COUNT(device, kernel_ns, end - start);
}

/* The lock is held. */
static void collect(fp_device *device)
{
    fp_kernel_times *times = &device->times;
    size_t done = 0;
    for (; done < times->count && ended(device, times->pending[done]); done++) {
        add_time(device, times->pending[done]);
        (void)FP_CL_ALWAYS(device, clReleaseEvent(times->pending[done]));
    }
    times->count -= done;
    memmove(times->pending, times->pending + done, times->count * sizeof *times->pending);
}

void fp_kernel_times_collect(fp_device *device)
{
    if (!device->times.wanted) return;
    (void)fp_hold_end(); /* its launches add their times */
    pthread_mutex_lock(&device->times.lock);
    collect(device);
    pthread_mutex_unlock(&device->times.lock);
}

void fp_kernel_times_add(fp_device *device, cl_event launch)
{
    fp_kernel_times *times = &device->times;
    pthread_mutex_lock(&times->lock);
    if (times->count == FP_PENDING_LAUNCHES) {
        (void)FP_CL(device, clWaitForEvents(1, times->pending));
        collect(device);
    }
    if (times->count < FP_PENDING_LAUNCHES)
        times->pending[times->count++] = launch;
    else
        (void)FP_CL_ALWAYS(device, clReleaseEvent(launch));
    pthread_mutex_unlock(&times->lock);
}
