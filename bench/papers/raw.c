#include "papers.h"

#include <stdlib.h>
#include <string.h>

void raw_check(cl_int status, const char *call)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "bench-papers: %s failed with OpenCL status %d\n", call, (int)status);
    exit(2);
}

static void device_text(cl_device_id device, cl_device_info what, char *text, size_t bytes)
{
    raw_check(clGetDeviceInfo(device, what, bytes - 1, text, NULL), "clGetDeviceInfo");
}

/* The library picks the device; here it is found again by its name. */
static cl_device_id device_named(const char *name)
{
    cl_platform_id platforms[16];
    cl_uint platform_count = 0;
    raw_check(clGetPlatformIDs(16, platforms, &platform_count), "clGetPlatformIDs");
    for (cl_uint p = 0; p < platform_count && p < 16; p++) {
        cl_device_id devices[16];
        cl_uint count = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &count) != CL_SUCCESS) continue;
        for (cl_uint d = 0; d < count && d < 16; d++) {
            char text[256] = "";
            device_text(devices[d], CL_DEVICE_NAME, text, sizeof text);
            if (strstr(text, name)) return devices[d];
        }
    }
    fprintf(stderr, "bench-papers: no OpenCL device is called \"%s\"\n", name);
    exit(2);
}

static void read_facts(raw *r)
{
    cl_platform_id platform;
    cl_device_type type;
    cl_uint units;
    device_text(r->device, CL_DEVICE_NAME, r->name, sizeof r->name);
    device_text(r->device, CL_DRIVER_VERSION, r->driver, sizeof r->driver);
    raw_check(clGetDeviceInfo(r->device, CL_DEVICE_TYPE, sizeof type, &type, NULL), "clGetDeviceInfo");
    raw_check(clGetDeviceInfo(r->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL), "clGetDeviceInfo");
    raw_check(clGetDeviceInfo(r->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof r->max_group, &r->max_group, NULL),
              "clGetDeviceInfo");
    raw_check(clGetDeviceInfo(r->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL), "clGetDeviceInfo");
    raw_check(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof r->platform - 1, r->platform, NULL),
              "clGetPlatformInfo");
    r->cpu = type & CL_DEVICE_TYPE_CPU;
    r->compute_units = units;
}

bool raw_open(raw *r, const char *selector, const char *kernels)
{
    *r = (raw){.kernels = kernels};
    gpu *chosen = gpu_open(selector);
    if (!chosen) return false;
    r->device = device_named(gpu_device_name(chosen));
    gpu_close(chosen);
    read_facts(r);
    cl_int status;
    r->context = clCreateContext(NULL, 1, &r->device, NULL, NULL, &status);
    raw_check(status, "clCreateContext");
    r->queue = clCreateCommandQueue(r->context, r->device, 0, &status);
    raw_check(status, "clCreateCommandQueue");
    return true;
}

static void release(cl_mem *buffer)
{
    if (*buffer) clReleaseMemObject(*buffer);
    *buffer = NULL;
}

void raw_close(raw *r)
{
    release(&r->partial[0]);
    release(&r->partial[1]);
    release(&r->result);
    release(&r->ticket);
    if (r->queue) clReleaseCommandQueue(r->queue);
    if (r->context) clReleaseContext(r->context);
}

cl_mem raw_buffer(raw *r, size_t bytes)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(r->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    raw_check(status, "clCreateBuffer");
    return buffer;
}

void raw_write(raw *r, cl_mem buffer, const void *data, size_t bytes)
{
    raw_check(clEnqueueWriteBuffer(r->queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL), "clEnqueueWriteBuffer");
}

void raw_read(raw *r, cl_mem buffer, void *data, size_t bytes)
{
    raw_check(clEnqueueReadBuffer(r->queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL), "clEnqueueReadBuffer");
}

void raw_reserve(raw *r, size_t n)
{
    size_t places = n + r->max_group; /* a launch is rounded up to whole work-groups */
    r->partial[0] = raw_buffer(r, places * sizeof(float));
    r->partial[1] = raw_buffer(r, places * sizeof(float));
    r->result = raw_buffer(r, RAW_RESULTS * sizeof(float));
    r->ticket = raw_buffer(r, sizeof(cl_uint));
    raw_write(r, r->ticket, &(cl_uint){0}, sizeof(cl_uint));
}

/* The text of a file, for the caller to free. */
static char *read_text(const char *folder, const char *file)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f = fopen(path, "rb");
    long length = -1;
    if (f && !fseek(f, 0, SEEK_END)) length = ftell(f);
    char *text = length < 0 ? NULL : calloc((size_t)length + 1, 1);
    if (!text || fseek(f, 0, SEEK_SET) || fread(text, 1, (size_t)length, f) != (size_t)length) {
        fprintf(stderr, "bench-papers: cannot read %s; --source names the folder of the kernels\n", path);
        exit(2);
    }
    fclose(f);
    return text;
}

static void build(raw *r, cl_program program, const char *file, const char *options)
{
    if (clBuildProgram(program, 1, &r->device, options, NULL, NULL) == CL_SUCCESS) return;
    char log[16384] = "";
    clGetProgramBuildInfo(program, r->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fprintf(stderr, "bench-papers: %s does not compile with %s:\n%s\n", file, options, log);
    exit(2);
}

cl_kernel raw_kernel(raw *r, const char *file, const char *name, const char *options)
{
    char *texts[] = {read_text(r->kernels, "portable.cl"), read_text(r->kernels, file)};
    cl_int status;
    cl_program program = clCreateProgramWithSource(r->context, 2, (const char **)texts, NULL, &status);
    raw_check(status, "clCreateProgramWithSource");
    build(r, program, file, options);
    cl_kernel kernel = clCreateKernel(program, name, &status);
    raw_check(status, "clCreateKernel");
    clReleaseProgram(program);
    free(texts[0]);
    free(texts[1]);
    return kernel;
}

void raw_argument(cl_kernel kernel, cl_uint index, const void *value, size_t bytes)
{
    raw_check(clSetKernelArg(kernel, index, bytes, value), "clSetKernelArg");
}

void raw_launch(cl_command_queue queue, cl_kernel kernel, size_t groups, size_t group, cl_event *event)
{
    size_t items = groups * group;
    raw_check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, event), "clEnqueueNDRangeKernel");
}
