/* y = 23 x over an array, in raw OpenCL. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char *source = "__kernel void scale(__global const float *x, __global float *y, ulong n)\n"
                            "{\n"
                            "    size_t i = get_global_id(0);\n"
                            "    if (i < n) y[i] = x[i] * 23;\n"
                            "}\n";

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

static void build(cl_program program, cl_device_id device)
{
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) == CL_SUCCESS) return;
    char log[8192] = "";
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fprintf(stderr, "%s\n", log);
    exit(1);
}

int main(void)
{
    enum { N = 1 << 20 };
    static float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)(i % 10);

    cl_int status;
    cl_device_id device = first_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    build(program, device);
    cl_kernel kernel = clCreateKernel(program, "scale", &status);
    check(status, "clCreateKernel");

    cl_mem input = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof x, x, &status);
    check(status, "clCreateBuffer");
    cl_mem output = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof y, NULL, &status);
    check(status, "clCreateBuffer");

    cl_ulong n = N;
    check(clSetKernelArg(kernel, 0, sizeof input, &input), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof output, &output), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof n, &n), "clSetKernelArg");
    size_t group = 256, items = (N + group - 1) / group * group;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, output, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL), "clEnqueueReadBuffer");
    printf("%g\n", (double)y[N - 1]);

    clReleaseMemObject(output);
    clReleaseMemObject(input);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
