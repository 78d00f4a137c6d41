#include "cl/internal.h"

#include "base/clock.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* A transfer is one blocking call, or it is staged. The driver would copy pageable memory with one thread through
 * pinned memory of its own, at a fifth of the bus's rate. Here several threads copy, each with two slots: the processor
 * copies one slot while the bus empties or fills the other. */

enum { MOST_THREADS = 8, SLOTS_EACH = 2 };

/* Downloads of up to this size from a GPU go into pinned memory of their own. On an H200 a map and the read of 16 KB
 * take 15 us instead of the 18 with a blocking read, of 64 KB 20 instead of 25, and of 256 KB 36 instead of 43. */
enum { SMALL_BYTES = 1 << 18 };

typedef struct transfer {
    fp_device *device;
    cl_mem mem;
    char *memory;  /* of contents in the host's memory, instead of mem */
    size_t offset; /* in mem or memory */
    char *host;    /* only read when `upload` */
    size_t bytes;
    bool upload;
    const fp_buffer *shown; /* the buffer, if that is in the host's memory */
} transfer;

/* One thread's part of a staged transfer: the chunks `index`, `index + threads`, ... */
typedef struct share {
    const transfer *whole;
    size_t index;
    size_t threads;
    size_t chunks;
    cl_event pending[SLOTS_EACH]; /* the command that uses the slot */
    cl_int code;                  /* the first failure */
    pthread_t thread;
    bool started;
} share;

static cl_int enqueue(const transfer *t, cl_bool blocking, cl_event *done)
{
    fp_device *device = t->device;
    if (t->memory) {
        memcpy(t->upload ? t->memory + t->offset : t->host, t->upload ? t->host : t->memory + t->offset, t->bytes);
        return CL_SUCCESS;
    }
    if (t->upload)
        return FP_CL(
            device, clEnqueueWriteBuffer(device->queue, t->mem, blocking, t->offset, t->bytes, t->host, 0, NULL, done));
    return FP_CL(device,
                 clEnqueueReadBuffer(device->queue, t->mem, blocking, t->offset, t->bytes, t->host, 0, NULL, done));
}

void fp_staging_start(fp_device *device)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = cores < 4 ? 1 : cores / 2 > MOST_THREADS ? MOST_THREADS : (size_t)cores / 2;
    bool cpu = device->capabilities.cpu;
    device->staging.sizes =
        (fp_staging_sizes){cpu ? SIZE_MAX : (size_t)1 << 20, (size_t)4 << 20, threads, cpu ? 0 : SMALL_BYTES};
    pthread_mutex_init(&device->staging.slots.lock, NULL);
    pthread_mutex_init(&device->staging.small.lock, NULL);
}

static void pinned_free(fp_device *device, fp_pinned *pinned)
{
    if (pinned->bytes)
        (void)FP_CL_ALWAYS(device, clEnqueueUnmapMemObject(device->queue, pinned->mem, pinned->bytes, 0, NULL, NULL));
    if (pinned->mem) (void)FP_CL_ALWAYS(device, clReleaseMemObject(pinned->mem));
    pinned->bytes = NULL;
    pinned->mem = NULL;
}

void fp_staging_end(fp_device *device)
{
    pinned_free(device, &device->staging.slots);
    pinned_free(device, &device->staging.small);
    pthread_mutex_destroy(&device->staging.slots.lock);
    pthread_mutex_destroy(&device->staging.small.lock);
}

void fp_staging_resize(fp_device *device, fp_staging_sizes sizes)
{
    fp_staging *staging = &device->staging;
    pthread_mutex_lock(&staging->slots.lock);
    pinned_free(device, &staging->slots);
    staging->sizes = sizes;
    if (sizes.threads > MOST_THREADS) staging->sizes.threads = MOST_THREADS;
    pthread_mutex_unlock(&staging->slots.lock);
}

/* False when the driver cannot give pinned memory: then the transfer is one blocking call. */
static bool pinned_ready(fp_device *device, fp_pinned *pinned, size_t bytes)
{
    if (pinned->bytes) return true;
    cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
    cl_map_flags both = CL_MAP_READ | CL_MAP_WRITE;
    cl_int code;
    FP_CL_NEW(device, pinned->mem, code, clCreateBuffer(device->context, flags, bytes, NULL, &code));
    if (code != CL_SUCCESS) return false;
    FP_CL_NEW(device, pinned->bytes, code,
              clEnqueueMapBuffer(device->queue, pinned->mem, CL_TRUE, both, 0, bytes, 0, NULL, NULL, &code));
    if (code != CL_SUCCESS) pinned_free(device, pinned);
    return code == CL_SUCCESS;
}

static cl_int wait_and_release(fp_device *device, cl_event event)
{
    cl_int code = FP_CL(device, clWaitForEvents(1, &event));
    (void)FP_CL_ALWAYS(device, clReleaseEvent(event));
    return code;
}

/* The transfer of a chunk from or to a slot. */
static transfer part_of(const share *s, size_t chunk, unsigned turn)
{
    const transfer *t = s->whole;
    const fp_staging *staging = &t->device->staging;
    size_t slot_bytes = staging->sizes.slot_bytes, start = chunk * slot_bytes, left = t->bytes - start;
    return (transfer){.device = t->device,
                      .mem = t->mem,
                      .offset = t->offset + start,
                      .host = staging->slots.bytes + (s->index * SLOTS_EACH + turn) * slot_bytes,
                      .bytes = left < slot_bytes ? left : slot_bytes,
                      .upload = t->upload};
}

/* These three do nothing once the share has failed. */

static void slot_enqueue(share *s, size_t chunk, unsigned turn)
{
    if (s->code != CL_SUCCESS) return;
    const transfer part = part_of(s, chunk, turn);
    s->code = enqueue(&part, CL_FALSE, &s->pending[turn]);
    if (s->code == CL_SUCCESS) s->code = FP_CL(part.device, clFlush(part.device->queue));
}

static void slot_copy(const share *s, size_t chunk, unsigned turn)
{
    if (s->code != CL_SUCCESS) return;
    const transfer part = part_of(s, chunk, turn);
    char *host = s->whole->host + (part.offset - s->whole->offset);
    memcpy(part.upload ? part.host : host, part.upload ? host : part.host, part.bytes);
}

/* This one waits all the same: the slot must not be in use when another transfer takes it. */
static void slot_wait(share *s, unsigned turn)
{
    fp_device *device = s->whole->device;
    if (!s->pending[turn]) return;
    cl_int code = wait_and_release(device, s->pending[turn]);
    if (s->code == CL_SUCCESS) s->code = code;
    s->pending[turn] = NULL;
}

static void upload_share(share *s)
{
    unsigned turn = 0;
    for (size_t k = s->index; k < s->chunks; k += s->threads, turn ^= 1) {
        slot_wait(s, turn);
        slot_copy(s, k, turn);
        slot_enqueue(s, k, turn);
    }
}

static void download_share(share *s)
{
    unsigned turn = 0;
    slot_enqueue(s, s->index, turn);
    for (size_t k = s->index; k < s->chunks; k += s->threads, turn ^= 1) {
        if (s->threads < s->chunks - k) slot_enqueue(s, k + s->threads, turn ^ 1);
        slot_wait(s, turn);
        slot_copy(s, k, turn);
    }
}

static void *run_share(void *argument)
{
    share *s = argument;
    if (s->whole->upload)
        upload_share(s);
    else
        download_share(s);
    for (unsigned turn = 0; turn < SLOTS_EACH; turn++) slot_wait(s, turn);
    return NULL;
}

/* The calling thread does the first share, and the shares of threads that did not start. */
static cl_int run_shares(const transfer *whole, size_t threads, size_t chunks)
{
    share shares[MOST_THREADS];
    for (size_t k = 0; k < threads; k++) {
        shares[k] = (share){.whole = whole, .index = k, .threads = threads, .chunks = chunks};
        shares[k].started = k > 0 && pthread_create(&shares[k].thread, NULL, run_share, &shares[k]) == 0;
    }
    cl_int code = CL_SUCCESS;
    for (size_t k = 0; k < threads; k++)
        if (!shares[k].started) run_share(&shares[k]);
    for (size_t k = 0; k < threads; k++) {
        if (shares[k].started) pthread_join(shares[k].thread, NULL);
        if (code == CL_SUCCESS) code = shares[k].code;
    }
    return code;
}

static cl_int transfer_staged(const transfer *t)
{
    fp_device *device = t->device;
    size_t slot_bytes = device->staging.sizes.slot_bytes, threads = device->staging.sizes.threads;
    size_t chunks = t->bytes / slot_bytes + (t->bytes % slot_bytes != 0);
    /* The calls of other threads send nothing of what this one holds. */
    if (fp_hold_end()) return FP_UNSENT;
    cl_int code = run_shares(t, threads < chunks ? threads : chunks, chunks);
    /* A wait that failed may have left a slot in use. */
    if (code != CL_SUCCESS) (void)FP_CL(device, clFinish(device->queue));
    return code;
}

/* Note [announced values]: the last work-item of a reduction stores its value in the host's memory, and behind it the
 * turn of the launch. The host looks at that word until the turn is there. On an H200 the value of an empty launch is
 * there after 7.5 us, after 9.8 by clFinish, 10.5 by mapping, and 13 to 19 by a copy. A launch that takes long, or
 * fails, is waited for by clFinish. */
enum { LOOK_NS = 1000000 };

/* While calls are timed, the wait is one of them: else it would pass for the host's own work. */
static bool sees_turn(const fp_buffer *buffer)
{
    const _Atomic uint32_t *words = (const _Atomic uint32_t *)(const void *)buffer->shown;
    if (!buffer->announced || atomic_load_explicit(&buffer->device->timed, memory_order_relaxed)) return false;
    const uint64_t end = fp_now_ns() + LOOK_NS;
    while (atomic_load_explicit(&words[FP_TURN_WORD], memory_order_acquire) != buffer->turn)
        if (fp_now_ns() > end) return false;
    return true;
}

static cl_int download_shown(const transfer *t)
{
    fp_device *device = t->device;
    cl_int code = FP_CL(device, clFlush(device->queue));
    if (code == CL_SUCCESS && !sees_turn(t->shown)) code = FP_CL(device, clFinish(device->queue));
    if (code == CL_SUCCESS) memcpy(t->host, t->shown->shown + t->offset, t->bytes);
    return code;
}

/* The lock is held. */
static cl_int download_small(const transfer *t)
{
    fp_device *device = t->device;
    cl_event done;
    const transfer to_pinned = {
        .device = device, .mem = t->mem, .offset = t->offset, .host = device->staging.small.bytes, .bytes = t->bytes};
    cl_int code = enqueue(&to_pinned, CL_FALSE, &done);
    if (code == CL_SUCCESS) code = wait_and_release(device, done);
    if (code == CL_SUCCESS) memcpy(t->host, to_pinned.host, t->bytes);
    return code;
}

/* Through pinned memory. False if that cannot be had, or if another thread's bytes are under way in it. */
static bool attempt_pinned(const transfer *t, bool small, cl_int *code)
{
    fp_staging *staging = &t->device->staging;
    fp_pinned *pinned = small ? &staging->small : &staging->slots;
    if (small && pthread_mutex_trylock(&pinned->lock) != 0) return false;
    if (!small) pthread_mutex_lock(&pinned->lock);
    size_t bytes = small ? SMALL_BYTES : staging->sizes.threads * SLOTS_EACH * staging->sizes.slot_bytes;
    bool ready = pinned_ready(t->device, pinned, bytes);
    if (ready) *code = small ? download_small(t) : transfer_staged(t);
    pthread_mutex_unlock(&pinned->lock);
    return ready;
}

static cl_int attempt(const transfer *t)
{
    const fp_staging_sizes *sizes = &t->device->staging.sizes;
    bool small = !t->upload && t->bytes <= sizes->small_bytes;
    cl_int code;
    if (t->shown && !t->upload) return download_shown(t);
    if ((small || t->bytes >= sizes->least_bytes) && attempt_pinned(t, small, &code)) return code;
    return enqueue(t, CL_TRUE, NULL);
}

/* Some drivers allocate a buffer's memory at its first use, so they may run out of it here. */
static cl_int run(const transfer *t)
{
    if (t->memory) return enqueue(t, CL_TRUE, NULL);
    FP_COUNT(t->device, waits, 1);
    cl_int code = attempt(t);
    return fp_device_relieve(t->device, code) ? attempt(t) : code;
}

static transfer transfer_of(const fp_buffer *buffer, size_t offset, const void *host, size_t bytes, bool upload)
{
    /* Another thread may be making the copy of a buffer that has memory. */
    void *memory = fp_buffer_memory(buffer);
    return (transfer){.device = buffer->device,
                      .mem = memory         ? NULL
                             : buffer->copy ? buffer->copy->mem
                                            : buffer->mem,
                      .memory = memory,
                      .offset = offset,
                      .host = (char *)(uintptr_t)host,
                      .bytes = bytes,
                      .upload = upload,
                      .shown = buffer->shown ? buffer : NULL};
}

/* Reports a failure, or counts the bytes. */
static gpu_status finish(const transfer *t, cl_int code)
{
    if (code != CL_SUCCESS)
        return fp_call_fail(code, "copying %zu bytes %s the device", t->bytes, t->upload ? "to" : "from");
    if (!t->memory && t->upload) FP_COUNT(t->device, bytes_uploaded, t->bytes);
    if (!t->memory && !t->upload) FP_COUNT(t->device, bytes_downloaded, t->bytes);
    return GPU_OK;
}

gpu_status fp_buffer_upload(fp_buffer *buffer, size_t offset, const void *data, size_t bytes)
{
    const transfer t = transfer_of(buffer, offset, data, bytes, true);
    return bytes ? finish(&t, run(&t)) : GPU_OK;
}

gpu_status fp_buffer_download(fp_buffer *buffer, size_t offset, void *data, size_t bytes)
{
    const transfer t = transfer_of(buffer, offset, data, bytes, false);
    return bytes ? finish(&t, run(&t)) : GPU_OK;
}

gpu_status fp_buffer_upload_begin(fp_buffer *buffer, size_t offset, const void *data, size_t bytes)
{
    const transfer t = transfer_of(buffer, offset, data, bytes, true);
    return finish(&t, enqueue(&t, CL_FALSE, NULL));
}

static cl_int fill(fp_device *device, cl_mem mem, size_t bytes)
{
    static const cl_ulong zero;
    return FP_CL(device, clEnqueueFillBuffer(device->queue, mem, &zero, sizeof zero, 0, bytes, 0, NULL, NULL));
}

gpu_status fp_buffer_clear(fp_buffer *buffer)
{
    fp_device *device = buffer->device;
    const size_t bytes = fp_buffer_bytes(buffer);
    cl_int code = fill(device, buffer->mem, bytes);
    if (fp_device_relieve(device, code)) code = fill(device, buffer->mem, bytes);
    return code == CL_SUCCESS ? GPU_OK : fp_call_fail(code, "clearing %zu bytes", bytes);
}

gpu_status fp_upload_start(fp_buffer *to, const void *memory, size_t bytes, cl_event *done)
{
    const transfer t = transfer_of(to, 0, memory, bytes, true);
    cl_int code = enqueue(&t, CL_FALSE, done);
    if (fp_device_relieve(t.device, code)) code = enqueue(&t, CL_FALSE, done);
    return finish(&t, code);
}

void fp_upload_end(fp_device *device, cl_event done)
{
    (void)FP_CL_ALWAYS(device, clWaitForEvents(1, &done));
    (void)FP_CL_ALWAYS(device, clReleaseEvent(done));
}

gpu_status fp_buffer_download_begin(fp_buffer *buffer, size_t offset, void *data, size_t bytes, fp_pending *pending)
{
    const transfer t = transfer_of(buffer, offset, data, bytes, false);
    gpu_status status = finish(&t, enqueue(&t, CL_FALSE, NULL));
    if (!status && !t.memory) pending->device = buffer->device;
    return status;
}

gpu_status fp_pending_wait(fp_pending *pending)
{
    fp_device *device = pending->device;
    pending->device = NULL;
    gpu_status status = device ? fp_device_finish(device) : GPU_OK;
    /* After a failure the targets may go at once. */
    if (status) (void)FP_CL_ALWAYS(device, clFinish(device->queue));
    return status;
}

/* The queue is in order: a blocking download from the device ends after all that was begun before. But an announced
 * value may be there before copies that began after its launch. */
gpu_status fp_buffer_download_last(fp_buffer *buffer, size_t offset, void *data, size_t bytes, fp_pending *pending)
{
    const transfer t = transfer_of(buffer, offset, data, bytes, false);
    if (t.shown && pending->device) {
        gpu_status waited = fp_pending_wait(pending);
        return waited ? waited : finish(&t, download_shown(&t));
    }
    gpu_status status = fp_buffer_download(buffer, offset, data, bytes);
    if (bytes && !t.memory && !status) pending->device = NULL;
    gpu_status waited = fp_pending_wait(pending);
    return status ? status : waited;
}
