/* firepile/interop.h: the user's own context, queue and buffers. */
#include "support/support.h"

#include <firepile/interop.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a program with OpenCL of its own has. */
typedef struct own {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
} own;

static own own_open(cl_command_queue_properties properties)
{
    own o = {0};
    cl_platform_id platform;
    cl_int code;
    cr_assert_eq(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    cr_assert_eq(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &o.device, NULL), CL_SUCCESS);
    o.context = clCreateContext(NULL, 1, &o.device, NULL, NULL, &code);
    cr_assert_eq(code, CL_SUCCESS);
    o.queue = clCreateCommandQueue(o.context, o.device, properties, &code);
    cr_assert_eq(code, CL_SUCCESS);
    return o;
}

static void own_close(own o)
{
    clReleaseCommandQueue(o.queue);
    clReleaseContext(o.context);
}

static cl_mem buffer_of(own o, const void *data, size_t bytes)
{
    cl_int code;
    cl_mem mem = clCreateBuffer(o.context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    cr_assert_eq(code, CL_SUCCESS);
    cr_assert_eq(clEnqueueWriteBuffer(o.queue, mem, CL_TRUE, 0, bytes, data, 0, NULL, NULL), CL_SUCCESS);
    return mem;
}

static cl_uint context_count(own o)
{
    cl_uint count = 0;
    clGetContextInfo(o.context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL);
    return count;
}

static cl_uint queue_count(own o)
{
    cl_uint count = 0;
    clGetCommandQueueInfo(o.queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL);
    return count;
}

static cl_uint mem_count(cl_mem mem)
{
    cl_uint count = 0;
    clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL);
    return count;
}

/* A driver's own thread lets go of a command's objects just after it says that the command is done: counts are
 * awaited. */
#define count_settles(count, want)                                                                                     \
    do {                                                                                                               \
        for (int tries = 0; (count) != (want) && tries < 5000; tries++) usleep(1000);                                  \
        cr_assert_eq((count), (want), "the count stays at %u", (unsigned)(count));                                     \
    } while (0)

TestSuite(interop, .init = test_needs_opencl);

Test(interop, reference_counts_return)
{
    own o = own_open(0);
    int data[100], sum;
    for (int i = 0; i < 100; i++) data[i] = i;
    cl_uint context = context_count(o), queue = queue_count(o);
    cl_mem mem = buffer_of(o, data, sizeof data);
    gpu *g = gpu_open_with(o.context, o.queue);
    cr_assert(g, "%s", gpu_error());
    cr_assert_eq(gpu_queue(g), o.queue);
    cr_assert(*gpu_device_name(g));
    gpu_array *a = gpu_array_wrap(g, GPU_INT, mem, 100);
    cr_assert_gt(mem_count(mem), 1, "the buffer is not retained");
    test_ok(gpu_sum(gpu_map(a, "x * 2"), &sum));
    cr_assert_eq(sum, 9900);
    gpu_array *view = gpu_slice(a, 10, 10);
    cr_assert_eq(gpu_array_mem(view, NULL), mem);
    test_close(g);
    count_settles(mem_count(mem), 1);
    int back[100];
    cr_assert_eq(clEnqueueReadBuffer(o.queue, mem, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL), CL_SUCCESS);
    cr_assert_eq(memcmp(back, data, sizeof back), 0, "an operation changed the user's buffer");
    clReleaseMemObject(mem);
    count_settles(context_count(o), context);
    count_settles(queue_count(o), queue);
    own_close(o);
}

Test(interop, user_releases_first)
{
    own o = own_open(0);
    int data[] = {1, 2, 3}, sum;
    cl_mem mem = buffer_of(o, data, sizeof data);
    gpu *g = gpu_open_with(o.context, o.queue);
    cr_assert(g, "%s", gpu_error());
    gpu_array *a = gpu_array_wrap(g, GPU_INT, mem, 3), *y = gpu_map(a, "x * x");
    clReleaseMemObject(mem);
    own_close(o);
    gpu_array_free(a);
    test_ok(gpu_sum(y, &sum));
    cr_assert_eq(sum, 14);
    test_close(g);
}

Test(interop, wrapped_buffer_is_read_when_evaluated) /* C14 */
{
    own o = own_open(0);
    float data[50] = {0}, sum = -1;
    cl_mem mem = buffer_of(o, data, sizeof data);
    gpu *g = gpu_open_with(o.context, o.queue);
    gpu_array *a = gpu_array_wrap(g, GPU_FLOAT, mem, 50), *y = gpu_map(a, "x + 1");
    test_array_ok(a);
    for (int i = 0; i < 50; i++) data[i] = 2;
    cl_command_queue other = clCreateCommandQueue(o.context, o.device, 0, NULL);
    clEnqueueWriteBuffer(other, mem, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
    if (!test_eager()) {
        test_ok(gpu_sum(y, &sum));
        cr_assert_eq(sum, 150, "%g", (double)sum);
    }
    test_ok(gpu_sum(a, &sum));
    cr_assert_eq(sum, 100, "%g", (double)sum);
    test_ok(gpu_sum(gpu_slice(a, 0, 10), &sum));
    cr_assert_eq(sum, 20, "%g", (double)sum);
    clReleaseCommandQueue(other);
    test_close(g);
    clReleaseMemObject(mem);
    own_close(o);
}

Test(interop, array_as_buffer)
{
    own o = own_open(0);
    gpu *g = gpu_open_with(o.context, o.queue);
    gpu_array *y = gpu_map(gpu_range(g, GPU_INT, 1000), "x * 3");
    size_t first = 77;
    cl_mem mem = gpu_array_mem(gpu_slice(y, 100, 5), &first);
    cr_assert(mem, "%s", gpu_error());
    int got[5];
    cr_assert_eq(clEnqueueReadBuffer(gpu_queue(g), mem, CL_TRUE, first * sizeof(int), sizeof got, got, 0, NULL, NULL),
                 CL_SUCCESS);
    for (int k = 0; k < 5; k++) cr_assert_eq(got[k], 3 * (100 + k), "element %d: %d", k, got[k]);
    gpu_array *base = gpu_eval(gpu_range(g, GPU_INT, 1000));
    size_t at_base = 77;
    cl_mem of_base = gpu_array_mem(base, &at_base), of_slice = gpu_array_mem(gpu_slice(base, 7, 3), &first);
    cr_assert_eq(of_base, of_slice, "a slice is a view");
    cr_assert_eq(first, at_base + 7);
    /* Retained by the user it outlives the gpu, and nothing else gets that memory. */
    clRetainMemObject(of_base);
    gpu_array_free(base);
    gpu_array *more = gpu_eval(gpu_fill(g, GPU_INT, &(int){-1}, 1000));
    test_array_ok(more);
    test_close(g);
    cr_assert_eq(
        clEnqueueReadBuffer(o.queue, of_base, CL_TRUE, first * sizeof(int), 3 * sizeof(int), got, 0, NULL, NULL),
        CL_SUCCESS);
    cr_assert(got[0] == 7 && got[2] == 9, "%d %d", got[0], got[2]);
    count_settles(mem_count(of_base), 1);
    clReleaseMemObject(of_base);
    own_close(o);
}

Test(interop, wrong_queues)
{
    own o = own_open(0), other = own_open(0);
    cr_assert_null(gpu_open_with(NULL, o.queue));
    cr_assert_null(gpu_open_with(o.context, NULL));
    cr_assert_null(gpu_open_with(NULL, NULL));
    cr_assert(*gpu_error());
    cr_assert_null(gpu_open_with(o.context, other.queue));
    test_has(gpu_error(), "context");
    cl_int code;
    cl_command_queue loose = clCreateCommandQueue(o.context, o.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code == CL_SUCCESS) {
        cr_assert_null(gpu_open_with(o.context, loose));
        test_has(gpu_error(), "order");
        clReleaseCommandQueue(loose);
    }
    cr_assert_eq(context_count(o), context_count(other), "a refused context is still retained");
    test_nothing_lives("after refused queues");
    own_close(o);
    own_close(other);
}

Test(interop, wrong_buffers)
{
    own o = own_open(0), other = own_open(0);
    int data[10] = {0};
    cl_mem mem = buffer_of(o, data, sizeof data), foreign = buffer_of(other, data, sizeof data);
    gpu *g = gpu_open_with(o.context, o.queue);
    cr_assert(g, "%s", gpu_error());
    test_array_ok(gpu_array_wrap(g, GPU_INT, mem, 10));
    test_array_fails(GPU_E_RANGE, gpu_array_wrap(g, GPU_INT, mem, 11));
    test_array_fails(GPU_E_RANGE, gpu_array_wrap(g, GPU_DOUBLE, mem, 6));
    test_array_fails(GPU_E_RANGE, gpu_array_wrap(g, GPU_DOUBLE, mem, SIZE_MAX / 4));
    test_array_fails(GPU_E_ARGUMENT, gpu_array_wrap(g, GPU_INT, NULL, 10));
    test_array_fails(GPU_E_ARGUMENT, gpu_array_wrap(g, NULL, mem, 10));
    test_array_fails(GPU_E_ARGUMENT, gpu_array_wrap(g, GPU_INT, foreign, 10));
    cr_assert_neq(gpu_array_status(gpu_array_wrap(NULL, GPU_INT, mem, 10)), GPU_OK);
    cr_assert_null(gpu_array_mem(NULL, NULL));
    size_t first = 77;
    cr_assert_null(gpu_array_mem(gpu_slice(gpu_range(g, GPU_INT, 3), 2, 2), &first));
    cr_assert_null(gpu_array_mem(gpu_range(g, GPU_INT, 0), &first));
    cr_assert_null(gpu_array_mem(gpu_map(gpu_range(g, GPU_INT, 3), "x + nowhere"), &first));
    cr_assert_eq(first, 77);
    cr_assert_null(gpu_queue(NULL));
    test_close(g);
    count_settles(mem_count(mem), 1);
    clReleaseMemObject(mem);
    clReleaseMemObject(foreign);
    own_close(o);
    own_close(other);
}
