/* The running sums of an array, in raw OpenCL: tiles in local memory, and the same for the sums of the tiles. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 20, GROUP = 256 };

static const char *source =
    "__kernel void scan_tiles(__global const float *x, __global float *y, __global float *sums, ulong n)\n"
    "{\n"
    "    __local float t[256];\n"
    "    size_t i = get_global_id(0), l = get_local_id(0);\n"
    "    t[l] = i < n ? x[i] : 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (size_t s = 1; s < 256; s *= 2) {\n"
    "        float left = l >= s ? t[l - s] : 0;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        t[l] += left;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    if (i < n) y[i] = t[l];\n"
    "    if (l == 255) sums[get_group_id(0)] = t[l];\n"
    "}\n"
    "__kernel void add_sums(__global float *y, __global const float *sums, ulong n)\n"
    "{\n"
    "    size_t i = get_global_id(0), g = get_group_id(0);\n"
    "    if (g > 0 && i < n) y[i] += sums[g - 1];\n"
    "}\n";

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void check(cl_int status, const char *call)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "%s: OpenCL status %d\n", call, (int)status);
    exit(1);
}

static cl_device_id first_device(void)
{
    cl_platform_id platforms[8];
    cl_uint count;
    check(clGetPlatformIDs(8, platforms, &count), "clGetPlatformIDs");
    for (cl_uint p = 0; p < count && p < 8; p++) {
        cl_device_id device;
        if (!clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return device;
    }
    fprintf(stderr, "no OpenCL device\n");
    exit(1);
}

static void build(cl_device_id device)
{
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) == CL_SUCCESS) return;
    char log[8192] = "";
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fprintf(stderr, "%s\n", log);
    exit(1);
}

static cl_mem buffer(size_t bytes)
{
    cl_int status;
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    check(status, "clCreateBuffer");
    return mem;
}

static void launch(const char *name, const cl_mem *buffers, cl_uint count, size_t n)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, "clCreateKernel");
    for (cl_uint k = 0; k < count; k++) check(clSetKernelArg(kernel, k, sizeof(cl_mem), &buffers[k]), "clSetKernelArg");
    check(clSetKernelArg(kernel, count, sizeof(cl_ulong), &(cl_ulong){n}), "clSetKernelArg");
    size_t group = GROUP, items = (n + group - 1) / group * group;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    clReleaseKernel(kernel);
}

/* Each work-group scans its tile; the sums of the tiles are scanned in turn and added to the tiles behind them. */
static void scan(cl_mem x, cl_mem y, size_t n)
{
    size_t groups = (n + GROUP - 1) / GROUP;
    cl_mem sums = buffer(groups * sizeof(cl_float));
    launch("scan_tiles", (cl_mem[]){x, y, sums}, 3, n);
    if (groups > 1) {
        scan(sums, sums, groups);
        launch("add_sums", (cl_mem[]){y, sums}, 2, n);
    }
    clReleaseMemObject(sums);
}

int main(void)
{
    static float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)(i % 10);

    cl_int status;
    cl_device_id device = first_device();
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    build(device);

    cl_mem input = buffer(sizeof x), output = buffer(sizeof y);
    check(clEnqueueWriteBuffer(queue, input, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL), "clEnqueueWriteBuffer");
    scan(input, output, N);
    check(clEnqueueReadBuffer(queue, output, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL), "clEnqueueReadBuffer");
    printf("%g\n", (double)y[N - 1]);

    clReleaseMemObject(output);
    clReleaseMemObject(input);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
