#include "cl/internal.h"

#include <string.h>

struct fp_kernel {
    fp_program *program;
    cl_kernel kernel;
    char name[];
};

/* Otherwise drivers notice it at the launch, and PoCL ends the process then. */
static gpu_status check_local_memory(const fp_kernel *kernel, fp_device *device)
{
    cl_ulong bytes = 0;
    cl_int code = FP_CL(device, clGetKernelWorkGroupInfo(kernel->kernel, device->id, CL_KERNEL_LOCAL_MEM_SIZE,
                                                         sizeof bytes, &bytes, NULL));
    if (code != CL_SUCCESS) return fp_call_fail(code, "asking for the local memory of \"%s\"", kernel->name);
    if (bytes <= device->capabilities.local_bytes) return GPU_OK;
    return fp_fail(GPU_E_TYPE,
                   "elements are too large: \"%s\" needs %llu bytes of local memory for a work-group, and this device "
                   "has %zu; use smaller elements, or indices of them",
                   kernel->name, (unsigned long long)bytes, device->capabilities.local_bytes);
}

gpu_status fp_kernel_new(fp_program *program, const char *name, fp_kernel **out)
{
    size_t bytes = strlen(name) + 1;
    fp_kernel *kernel = fp_alloc(sizeof *kernel + bytes);
    if (!kernel) return fp_fail_memory();
    memcpy(kernel->name, name, bytes);
    cl_int code;
    FP_CL_NEW(program->device, kernel->kernel, code, clCreateKernel(program->program, name, &code));
    gpu_status status = code == CL_SUCCESS ? check_local_memory(kernel, program->device)
                                           : fp_call_fail(code, "clCreateKernel for \"%s\"", name);
    if (status != GPU_OK) {
        if (kernel->kernel) (void)FP_CL_ALWAYS(program->device, clReleaseKernel(kernel->kernel));
        fp_free(kernel);
        return status;
    }
    atomic_fetch_add_explicit(&program->references, 1, memory_order_relaxed);
    kernel->program = program;
    FP_COUNT(program->device, live_kernels, 1);
    *out = kernel;
    return GPU_OK;
}

void fp_kernel_free(fp_kernel *kernel)
{
    if (!kernel) return;
    fp_device *device = kernel->program->device;
    (void)FP_CL_ALWAYS(device, clReleaseKernel(kernel->kernel));
    FP_COUNT(device, live_kernels, -1);
    fp_program_free(kernel->program);
    fp_free(kernel);
}

static gpu_status set_args(fp_kernel *kernel, const fp_arg *args, unsigned count)
{
    fp_device *device = kernel->program->device;
    for (unsigned k = 0; k < count; k++) {
        cl_mem mem = NULL;
        gpu_status status = args[k].buffer ? fp_buffer_mem(args[k].buffer, &mem) : GPU_OK;
        if (status) return status;
        const void *value = args[k].value ? args[k].value : &mem;
        size_t bytes = args[k].value ? args[k].bytes : sizeof mem;
        cl_int code = FP_CL(device, clSetKernelArg(kernel->kernel, k, bytes, value));
        if (code != CL_SUCCESS)
            return fp_call_fail(code, "clSetKernelArg for argument %u (%zu bytes) of \"%s\"", k, bytes, kernel->name);
    }
    return GPU_OK;
}

static size_t largest_buffer(const fp_arg *args, unsigned count)
{
    size_t largest = 0;
    for (unsigned k = 0; k < count; k++)
        if (args[k].buffer && args[k].buffer->bytes > largest) largest = args[k].buffer->bytes;
    return largest;
}

static cl_int enqueue(fp_kernel *kernel, size_t items, size_t group_size)
{
    fp_device *device = kernel->program->device;
    cl_event launch;
    cl_int code = FP_CL(device, clEnqueueNDRangeKernel(device->queue, kernel->kernel, 1, NULL, &items, &group_size, 0,
                                                       NULL, device->times.wanted ? &launch : NULL));
    if (code == CL_SUCCESS && device->times.wanted) fp_kernel_times_add(device, launch);
    return code;
}

gpu_status fp_kernel_launch(fp_kernel *kernel, const fp_arg *args, unsigned count, size_t groups, size_t group_size)
{
    fp_device *device = kernel->program->device;
    size_t items;
    if (!fp_multiply(groups, group_size, &items))
        return fp_fail(GPU_E_RANGE, "\"%s\" cannot run %zu work-groups of %zu items", kernel->name, groups, group_size);
    gpu_status status = set_args(kernel, args, count);
    if (status != GPU_OK) return status;
    cl_int code = enqueue(kernel, items, group_size);
    if (fp_device_relieve(device, code)) code = enqueue(kernel, items, group_size);
    if (code != CL_SUCCESS)
        return fp_call_fail(code, "launching \"%s\" on %zu work-groups of %zu items, its largest buffer %zu bytes,",
                            kernel->name, groups, group_size, largest_buffer(args, count));
    FP_COUNT(device, kernels_launched, 1);
    return GPU_OK;
}
