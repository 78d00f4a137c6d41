#include "cl/internal.h"

#include <string.h>

/* Hands out a buffer that nobody else has, for `asked` bytes. */
static fp_buffer *start(fp_buffer *buffer, size_t asked, bool pooled)
{
    fp_device *device = buffer->device;
    buffer->asked = asked;
    atomic_store_explicit(&buffer->references, 1, memory_order_relaxed);
    atomic_store_explicit(&buffer->pooled, pooled, memory_order_relaxed);
    FP_ADD(device->used_bytes, buffer->bytes);
    FP_COUNT(device, live_buffers, 1);
    return buffer;
}

/* Hands out a free buffer of the pool, if there is one. */
static fp_buffer *reuse(fp_buffer *pooled, size_t asked)
{
    if (pooled) FP_COUNT(pooled->device, buffers_reused, 1);
    return pooled ? start(pooled, asked, true) : NULL;
}

/* NVIDIA's driver crashes on absurd sizes, so more than a GPU holds is not requested. The size that PoCL reports is
 * unreliable, and PoCL checks by itself. */
static cl_int allocate(fp_buffer *buffer, size_t bytes)
{
    fp_device *device = buffer->device;
    cl_int code;
    if (!device->capabilities.cpu && bytes > device->capabilities.memory_bytes) return CL_INVALID_BUFFER_SIZE;
    buffer->bytes = bytes;
    FP_CL_NEW(device, buffer->mem, code, clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &code));
    return code;
}

static gpu_status fail_allocation(fp_device *device, size_t bytes, cl_int code)
{
    if (code == FP_FORKED) return fp_fail_forked();
    if (code == FP_UNSENT) return fp_hold_end();
    unsigned long long all = device->capabilities.memory_bytes;
    unsigned long long used = atomic_load_explicit(&device->used_bytes, memory_order_relaxed);
    return fp_fail(GPU_E_MEMORY,
                   "cannot allocate %zu bytes: the device %s holds %llu bytes, this program uses %llu of them; free "
                   "arrays that are no longer needed, or work in smaller pieces (%s (%d))",
                   bytes, device->capabilities.name, all, used, fp_code_name(code), code);
}

/* The second attempt asks for the exact size: rounding may have passed the largest size that the device allows. */
static gpu_status create(fp_device *device, size_t bytes, size_t rounded, fp_buffer **out)
{
    fp_buffer *buffer = fp_alloc(sizeof *buffer);
    if (!buffer) return fp_fail_memory();
    buffer->device = device;
    size_t exact = bytes < FP_POOL_LEAST ? FP_POOL_LEAST : bytes;
    cl_int code = allocate(buffer, rounded);
    if (code == CL_INVALID_BUFFER_SIZE || fp_device_relieve(device, code)) code = allocate(buffer, exact);
    if (code != CL_SUCCESS) {
        fp_free(buffer);
        return fail_allocation(device, bytes, code);
    }
    FP_COUNT(device, buffers_created, 1);
    *out = start(buffer, bytes, true);
    return GPU_OK;
}

/* Note [exact sizes]: a buffer in the host's memory has exactly the bytes that were asked for, also when it comes from
 * the pool. So the address sanitizer sees a GPU_FUNCTION that reads past the end of a captured array. */
static gpu_status create_on_host(fp_device *device, size_t bytes, fp_buffer **out)
{
    fp_buffer *buffer = fp_alloc(sizeof *buffer);
    void *memory = fp_resize(NULL, bytes);
    const bool host = device->capabilities.host;
    if (!memory && host && fp_device_relieve(device, CL_OUT_OF_HOST_MEMORY)) memory = fp_resize(NULL, bytes);
    if (!buffer || !memory) {
        fp_free(buffer);
        fp_free(memory);
        return host ? fail_allocation(device, bytes, CL_OUT_OF_HOST_MEMORY) : fp_fail_memory();
    }
    *buffer = (fp_buffer){.device = device, .memory = memory, .bytes = bytes};
    *out = start(buffer, bytes, true);
    return GPU_OK;
}

/* The host device pools memory from this size on. malloc keeps less, and gives more back to the system. */
enum { HOST_POOLED = 1 << 17 };

static void shorten(fp_buffer *buffer, size_t bytes)
{
    void *memory = bytes < buffer->bytes ? fp_resize(buffer->memory, bytes) : NULL;
    if (!memory) return;
    FP_ADD(buffer->device->used_bytes, bytes - buffer->bytes);
    buffer->memory = memory;
    buffer->bytes = buffer->asked = bytes;
}

/* Refuses more than the machine has: the system would promise it, and end the process later. */
static gpu_status new_on_host(fp_device *device, size_t bytes, fp_buffer **out)
{
    if (bytes > device->capabilities.memory_bytes) return fail_allocation(device, bytes, CL_INVALID_BUFFER_SIZE);
    *out = bytes < HOST_POOLED ? NULL : reuse(fp_pool_take(device, bytes), bytes);
    if (*out) {
        shorten(*out, bytes);
        return GPU_OK;
    }
    gpu_status status = create_on_host(device, bytes, out);
    if (!status) FP_COUNT(device, buffers_created, 1);
    return status;
}

gpu_status fp_buffer_new(fp_device *device, size_t bytes, fp_buffer **out)
{
    if (device->capabilities.host) return new_on_host(device, bytes, out);
    size_t rounded = fp_pool_round(bytes);
    *out = reuse(fp_pool_take(device, rounded), bytes);
    return *out ? GPU_OK : create(device, bytes, rounded, out);
}

/* Maps the buffer for good. Its memory may have been another buffer's, and have a turn of that. The address is the
 * memory's own (fp_device_check_host_visible), so nobody waits for the command. */
static cl_int show(fp_buffer *buffer)
{
    fp_device *device = buffer->device;
    const cl_map_flags both = CL_MAP_READ | CL_MAP_WRITE;
    cl_int code;
    FP_CL_NEW(device, buffer->shown, code,
              clEnqueueMapBuffer(device->queue, buffer->mem, CL_FALSE, both, 0, FP_POOL_LEAST, 0, NULL, NULL, &code));
    if (code == CL_SUCCESS) memset(buffer->shown + FP_SHOWN_BYTES, 0, sizeof buffer->turn);
    return code;
}

/* All are of one size, so that any of them serves. NULL if the driver has no such memory left. */
static fp_buffer *create_host_visible(fp_device *device)
{
    enum { IN_HOST_MEMORY = 1 };
    fp_buffer *buffer = fp_alloc(sizeof *buffer);
    if (!buffer) return NULL;
    *buffer = (fp_buffer){.device = device, .bytes = FP_POOL_LEAST};
    cl_int code;
    FP_CL_NEW(
        device, buffer->mem, code,
        device->create_host_visible(device->context, CL_MEM_READ_WRITE, IN_HOST_MEMORY, FP_POOL_LEAST, NULL, &code));
    if (code == CL_SUCCESS) code = show(buffer);
    if (code != CL_SUCCESS) {
        fp_buffer_free(buffer);
        return NULL;
    }
    FP_COUNT(device, buffers_created, 1);
    return start(buffer, FP_POOL_LEAST, true);
}

gpu_status fp_buffer_new_host_visible(fp_device *device, size_t bytes, fp_buffer **out)
{
    if (!device->create_host_visible || bytes > FP_SHOWN_BYTES) return fp_buffer_new(device, bytes, out);
    *out = reuse(fp_pool_take_host_visible(device), FP_POOL_LEAST);
    if (!*out) *out = create_host_visible(device);
    if (!*out) return fp_buffer_new(device, bytes, out);
    (*out)->announced = false;
    return GPU_OK;
}

const char *fp_buffer_shown(const fp_buffer *buffer)
{
    return buffer->shown;
}

uint32_t fp_buffer_announce(fp_buffer *buffer)
{
    if (!buffer || !buffer->shown) return 0;
    buffer->announced = true;
    buffer->turn += buffer->turn == UINT32_MAX ? 2 : 1; /* never 0 */
    return buffer->turn;
}

gpu_status fp_buffer_new_on_host(fp_device *device, size_t bytes, const void *data, fp_buffer **out)
{
    gpu_status status =
        device->capabilities.host ? new_on_host(device, bytes, out) : create_on_host(device, bytes, out);
    if (!status && data) memcpy((*out)->memory, data, bytes);
    return status;
}

/* A cut buffer does not go to the pool: its size hardly comes again. */
void fp_buffer_cut(fp_buffer *buffer, size_t bytes)
{
    buffer->cut = true;
    shorten(buffer, bytes ? bytes : 1);
}

gpu_status fp_buffer_mem(fp_buffer *buffer, cl_mem *out)
{
    if (!buffer->mem && !buffer->copy) {
        fp_buffer *copy;
        gpu_status status = fp_buffer_new(buffer->device, buffer->bytes, &copy);
        if (status) return status;
        status = fp_upload_start(copy, buffer->memory, buffer->bytes, &buffer->copying);
        if (status) {
            fp_buffer_drop(copy);
            return status;
        }
        buffer->copy = copy;
    }
    *out = buffer->copy ? buffer->copy->mem : buffer->mem;
    return GPU_OK;
}

/* Checks the user's buffer and finds its size. */
static gpu_status inspect(fp_device *device, cl_mem mem, size_t *bytes)
{
    cl_mem_object_type type = 0;
    cl_context owner = NULL;
    cl_int code = FP_CL(device, clGetMemObjectInfo(mem, CL_MEM_TYPE, sizeof type, &type, NULL));
    if (code == CL_SUCCESS) code = FP_CL(device, clGetMemObjectInfo(mem, CL_MEM_CONTEXT, sizeof owner, &owner, NULL));
    if (code == CL_SUCCESS) code = FP_CL(device, clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof *bytes, bytes, NULL));
    if (code != CL_SUCCESS) return fp_call_fail(code, "clGetMemObjectInfo on the cl_mem given");
    if (type != CL_MEM_OBJECT_BUFFER) return fp_fail(GPU_E_ARGUMENT, "the cl_mem is no buffer but an image");
    if (owner != device->context)
        return fp_fail(GPU_E_ARGUMENT, "the cl_mem belongs to another context than the device %s",
                       device->capabilities.name);
    return GPU_OK;
}

static gpu_status fail_no_mem(void)
{
    return fp_fail(GPU_E_DEVICE, "the host device has no cl_mem: it is no OpenCL device");
}

gpu_status fp_buffer_wrap(fp_device *device, void *mem, fp_buffer **out)
{
    if (!mem) return fp_fail(GPU_E_ARGUMENT, "the cl_mem is NULL");
    if (device->capabilities.host) return fail_no_mem();
    size_t bytes;
    gpu_status status = inspect(device, mem, &bytes);
    if (status != GPU_OK) return status;
    fp_buffer *buffer = fp_alloc(sizeof *buffer);
    if (!buffer) return fp_fail_memory();
    cl_int code = FP_CL(device, clRetainMemObject(mem));
    if (code != CL_SUCCESS) {
        fp_free(buffer);
        return fp_call_fail(code, "clRetainMemObject on the cl_mem given");
    }
    *buffer = (fp_buffer){.device = device, .mem = mem, .bytes = bytes};
    *out = start(buffer, bytes, false);
    return GPU_OK;
}

fp_buffer *fp_buffer_keep(fp_buffer *buffer)
{
    atomic_fetch_add_explicit(&buffer->references, 1, memory_order_relaxed);
    return buffer;
}

void fp_buffer_drop(fp_buffer *buffer)
{
    if (!buffer || atomic_fetch_sub_explicit(&buffer->references, 1, memory_order_acq_rel) != 1) return;
    fp_device *device = buffer->device;
    FP_ADD(device->used_bytes, -buffer->bytes);
    FP_COUNT(device, live_buffers, -1);
    if (buffer->copy) {
        fp_upload_end(device, buffer->copying);
        fp_buffer_drop(buffer->copy);
    }
    bool worth = device->capabilities.host ? !buffer->cut && buffer->bytes >= HOST_POOLED : !buffer->memory;
    if (atomic_load_explicit(&buffer->pooled, memory_order_relaxed) && worth)
        fp_pool_give(buffer);
    else
        fp_buffer_free(buffer);
}

void fp_buffer_free(fp_buffer *buffer)
{
    fp_device *device = buffer->device;
    if (buffer->shown)
        (void)FP_CL_ALWAYS(device, clEnqueueUnmapMemObject(device->queue, buffer->mem, buffer->shown, 0, NULL, NULL));
    if (buffer->mem) (void)FP_CL_ALWAYS(device, clReleaseMemObject(buffer->mem));
    fp_free(buffer->memory);
    fp_free(buffer);
}

void *fp_buffer_expose(fp_buffer *buffer)
{
    cl_mem mem;
    if (buffer->device->capabilities.host) {
        fail_no_mem();
        return NULL;
    }
    if (fp_buffer_mem(buffer, &mem)) return NULL;
    /* The user may write to it: the memory's contents are no longer valid. */
    atomic_store_explicit(&buffer->pooled, false, memory_order_relaxed);
    if (buffer->copy) atomic_store_explicit(&buffer->copy->pooled, false, memory_order_relaxed);
    return mem;
}

bool fp_buffer_is_exposed(const fp_buffer *buffer)
{
    return !atomic_load_explicit(&buffer->pooled, memory_order_relaxed);
}

void *fp_buffer_memory(const fp_buffer *buffer)
{
    return atomic_load_explicit(&buffer->pooled, memory_order_relaxed) ? buffer->memory : NULL;
}

gpu_status fp_buffer_fetch(fp_buffer *buffer)
{
    if (!atomic_load_explicit(&buffer->pooled, memory_order_relaxed))
        return fp_fail(GPU_E_DEVICE, "the buffer is the program's own, which may change it");
    void *memory = fp_resize(NULL, buffer->asked);
    gpu_status status = memory ? fp_buffer_download(buffer, 0, memory, buffer->asked) : fp_fail_memory();
    if (status) fp_free(memory);
    if (!status) buffer->memory = memory;
    return status;
}

size_t fp_buffer_bytes(const fp_buffer *buffer)
{
    return buffer->bytes;
}
