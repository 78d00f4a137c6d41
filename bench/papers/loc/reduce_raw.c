/* The sum of an array, in raw OpenCL: a tree in local memory, and the host adds the work-groups' values up. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 20, GROUP = 256, GROUPS = 256 };

static const char *source = "__kernel void sum(__global const float *x, __global float *partial, ulong n)\n"
                            "{\n"
                            "    __local float t[256];\n"
                            "    size_t l = get_local_id(0);\n"
                            "    float value = 0;\n"
                            "    for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) value += x[i];\n"
                            "    t[l] = value;\n"
                            "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                            "    for (size_t s = get_local_size(0) / 2; s > 0; s /= 2) {\n"
                            "        if (l < s) t[l] += t[l + s];\n"
                            "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                            "    }\n"
                            "    if (l == 0) partial[get_group_id(0)] = t[0];\n"
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
    static float x[N], partial[GROUPS];
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
    cl_kernel kernel = clCreateKernel(program, "sum", &status);
    check(status, "clCreateKernel");

    cl_mem input = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof x, x, &status);
    check(status, "clCreateBuffer");
    cl_mem output = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof partial, NULL, &status);
    check(status, "clCreateBuffer");

    cl_ulong n = N;
    check(clSetKernelArg(kernel, 0, sizeof input, &input), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof output, &output), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof n, &n), "clSetKernelArg");
    size_t group = GROUP, items = GROUP * GROUPS;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, output, CL_TRUE, 0, sizeof partial, partial, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    float sum = 0;
    for (int k = 0; k < GROUPS; k++) sum += partial[k];
    printf("%g\n", (double)sum);

    clReleaseMemObject(output);
    clReleaseMemObject(input);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
