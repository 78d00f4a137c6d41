#include "cl/internal.h"

#include <string.h>

/* What an argument was set to last. Most launches of a kernel differ in nothing but a buffer, and drivers take about
 * 0.1 us for each argument set. */
typedef struct fp_seen {
    uint64_t serial; /* of the buffer */
    size_t bytes;    /* 0: not set yet, or too long to remember */
    unsigned char value[16];
} fp_seen;

struct fp_kernel {
    fp_program *program;
    cl_kernel kernel;
    atomic_size_t max_group; /* 0: not asked yet */
    fp_seen *seen;
    unsigned seen_count;
    char name[];
};

static gpu_status create(fp_kernel *kernel, fp_program *program)
{
    cl_int code;
    FP_CL_NEW(program->device, kernel->kernel, code, clCreateKernel(program->program, kernel->name, &code));
    return code == CL_SUCCESS ? GPU_OK : fp_call_fail(code, "clCreateKernel for \"%s\"", kernel->name);
}

gpu_status fp_kernel_new(fp_program *program, const char *name, fp_kernel **out)
{
    size_t bytes = strlen(name) + 1;
    fp_kernel *kernel = fp_alloc(sizeof *kernel + bytes);
    if (!kernel) return fp_fail_memory();
    memcpy(kernel->name, name, bytes);
    gpu_status status = create(kernel, program);
    if (status != GPU_OK) {
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
    fp_free(kernel->seen);
    fp_free(kernel);
}

/* When the driver does not say, the device's limit stands, and the launch reports what is wrong. */
size_t fp_kernel_max_group(fp_kernel *kernel)
{
    fp_device *device = kernel->program->device;
    size_t most = atomic_load_explicit(&kernel->max_group, memory_order_relaxed);
    if (most != 0) return most;
    cl_int code = FP_CL(device, clGetKernelWorkGroupInfo(kernel->kernel, device->id, CL_KERNEL_WORK_GROUP_SIZE,
                                                         sizeof most, &most, NULL));
    if (code != CL_SUCCESS) return device->facts.max_group;
    atomic_store_explicit(&kernel->max_group, most, memory_order_relaxed);
    return most;
}

/* The memory of what is set; NULL when there is none, and then every argument is set. */
static fp_seen *seen_args(fp_kernel *kernel, unsigned count)
{
    if (kernel->seen_count >= count) return kernel->seen;
    fp_seen *grown = fp_resize(kernel->seen, count * sizeof *grown);
    if (!grown) return NULL;
    memset(grown + kernel->seen_count, 0, (count - kernel->seen_count) * sizeof *grown);
    kernel->seen = grown;
    kernel->seen_count = count;
    return grown;
}

/* Serials and not handles, which drivers use again. */
static fp_seen describe(const fp_arg *arg)
{
    fp_seen now = {.bytes = arg->value ? arg->bytes : sizeof(cl_mem)};
    if (!arg->value) {
        now.serial = arg->buffer ? arg->buffer->serial : UINT64_MAX;
    } else if (arg->bytes <= sizeof now.value) {
        memcpy(now.value, arg->value, arg->bytes);
    } else {
        now.bytes = 0;
    }
    return now;
}

static bool is_set(const fp_seen *seen, const fp_seen *now)
{
    return now->bytes && seen->bytes == now->bytes && seen->serial == now->serial &&
           !memcmp(seen->value, now->value, sizeof now->value);
}

static gpu_status set_args(fp_kernel *kernel, const fp_arg *args, unsigned count)
{
    fp_device *device = kernel->program->device;
    fp_seen *seen = seen_args(kernel, count);
    for (unsigned k = 0; k < count; k++) {
        const fp_seen now = describe(&args[k]);
        if (seen && is_set(&seen[k], &now)) continue;
        cl_mem mem = args[k].buffer ? args[k].buffer->mem : NULL;
        const void *value = args[k].value ? args[k].value : &mem;
        size_t bytes = args[k].value ? args[k].bytes : sizeof mem;
        if (seen) seen[k].bytes = 0;
        cl_int code = FP_CL(device, clSetKernelArg(kernel->kernel, k, bytes, value));
        if (code != CL_SUCCESS)
            return fp_call_fail(code, "clSetKernelArg for argument %u (%zu bytes) of \"%s\"", k, bytes, kernel->name);
        if (seen) seen[k] = now;
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
    return FP_CL(device,
                 clEnqueueNDRangeKernel(device->queue, kernel->kernel, 1, NULL, &items, &group_size, 0, NULL, NULL));
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
