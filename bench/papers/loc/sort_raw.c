/* An array in order, in raw OpenCL: a bitonic sort, of a power of two of elements, a launch for each stride. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 20, GROUP = 256 };

static const char *source = "__kernel void order(__global float *x, uint size, uint stride)\n"
                            "{\n"
                            "    uint k = get_global_id(0), i = 2 * k - (k & (stride - 1));\n"
                            "    float a = x[i], b = x[i + stride];\n"
                            "    if ((a > b) == ((i & size) == 0)) {\n"
                            "        x[i] = b;\n"
                            "        x[i + stride] = a;\n"
                            "    }\n"
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

static void sort(cl_command_queue queue, cl_kernel kernel)
{
    size_t group = GROUP, items = N / 2;
    for (cl_uint size = 2; size <= N; size *= 2) {
        for (cl_uint stride = size / 2; stride > 0; stride /= 2) {
            check(clSetKernelArg(kernel, 1, sizeof size, &size), "clSetKernelArg");
            check(clSetKernelArg(kernel, 2, sizeof stride, &stride), "clSetKernelArg");
            check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
        }
    }
}

int main(void)
{
    static float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)((i * 7919L) % N);

    cl_int status;
    cl_device_id device = first_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    build(program, device);
    cl_kernel kernel = clCreateKernel(program, "order", &status);
    check(status, "clCreateKernel");

    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof x, x, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    sort(queue, kernel);
    check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL), "clEnqueueReadBuffer");
    printf("from %g to %g\n", (double)y[0], (double)y[N - 1]);

    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
