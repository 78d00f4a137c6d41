/* Device memory: reference-counted buffers from a pool, and transfers. All functions are thread-safe. */
#ifndef FP_CL_BUFFER_H
#define FP_CL_BUFFER_H

#include "cl/device.h"

typedef struct fp_buffer fp_buffer;

/* At least `bytes` (> 0) of device memory, contents undefined; on the host device exactly so many. The pool gives a
 * free buffer that fits well. When the device is out of memory, empties the pool, finishes the queue and tries again.
 * The device runs commands in order, so a buffer that commands still use may be dropped and handed out at once.
 * GPU_E_MEMORY names the bytes asked for and the bytes in use. */
gpu_status fp_buffer_new(fp_device *device, size_t bytes, fp_buffer **out);

/* The same for a few bytes that kernels write and the host then reads. The driver may be able to place a buffer in the
 * host's memory (capabilities.host_visible), if it has at most FP_SHOWN_BYTES. Reading it is no copy then. Kernels read
 * it slowly. */
gpu_status fp_buffer_new_host_visible(fp_device *device, size_t bytes, fp_buffer **out);

/* The contents of a buffer in the host's memory, which kernels may be writing to; NULL for others. */
const char *fp_buffer_shown(const fp_buffer *buffer);

/* The next launch writes to a buffer of fp_buffer_new_host_visible. Returns the turn that it stores behind the contents
 * (kernels/block/gpu/announce.cl); the next download waits for that. 0: it stores none. */
uint32_t fp_buffer_announce(fp_buffer *buffer);

/* Where the turn lies, and the bytes before it. Contents that reached it could look like a turn. */
enum { FP_TURN_WORD = 1023, FP_SHOWN_BYTES = FP_TURN_WORD * sizeof(uint32_t) };

/* Exactly `bytes` (> 0) of the host's memory, for small arrays, with what is at `data` unless that is NULL. No OpenCL
 * call is made until a kernel, or the user, is given the buffer. Then the device gets a copy, by a command that does
 * not wait. So the contents must be written before, and only read from then on. */
gpu_status fp_buffer_new_on_host(fp_device *device, size_t bytes, const void *data, fp_buffer **out);

/* Gives back what lies behind the first `bytes` of the host's memory. Nobody else may have seen the buffer. */
void fp_buffer_cut(fp_buffer *buffer, size_t bytes);

/* The user's cl_mem, retained. GPU_E_ARGUMENT if it is none or of another context; GPU_E_DEVICE on the host device. */
gpu_status fp_buffer_wrap(fp_device *device, void *mem, fp_buffer **out);

/* Another reference; drop releases one, and the last gives the memory back to the pool. NULL is fine for drop. */
fp_buffer *fp_buffer_keep(fp_buffer *buffer);
void fp_buffer_drop(fp_buffer *buffer);

/* The cl_mem, borrowed; the buffer never returns to the pool from here on, so that the user may retain it. NULL and
 * GPU_E_DEVICE on the host device. */
void *fp_buffer_expose(fp_buffer *buffer);
bool fp_buffer_is_exposed(const fp_buffer *buffer); /* or wrapped: the user's commands may write to it */

/* The contents in the host's memory, aligned as malloc does: on the host device, and of fp_buffer_new_on_host until
 * fp_buffer_expose. Else NULL. */
void *fp_buffer_memory(const fp_buffer *buffer);

/* Gives a buffer memory with its contents, which nobody may change from now on. Waits for the device. GPU_E_DEVICE for
 * a buffer that the user has. */
gpu_status fp_buffer_fetch(fp_buffer *buffer);

size_t fp_buffer_bytes(const fp_buffer *buffer);

/* Frees all pooled memory. */
void fp_pool_trim(fp_device *device);

/* Blocking copies. On GPUs several threads copy large ones through pinned staging memory, so that pageable memory comes
 * near the pinned rate. upload returns when `data` may be reused. */
gpu_status fp_buffer_upload(fp_buffer *buffer, size_t offset, const void *data, size_t bytes);
gpu_status fp_buffer_download(fp_buffer *buffer, size_t offset, void *data, size_t bytes);
/* Fills a buffer of the device, of 8-byte words, with zeros. Does not wait. */
gpu_status fp_buffer_clear(fp_buffer *buffer);

/* Does not wait: `data` must never change. */
gpu_status fp_buffer_upload_begin(fp_buffer *buffer, size_t offset, const void *data, size_t bytes);

/* Copies to the host that may still be under way. Their bytes are there after fp_pending_wait, or after a download that
 * waited for them as well; before, their targets must stay. A plain download may not wait: it reads the host's memory
 * directly. */
typedef struct fp_pending {
    fp_device *device; /* NULL: nothing is under way */
} fp_pending;

/* A few bytes (> 0) that come later. */
gpu_status fp_buffer_download_begin(fp_buffer *buffer, size_t offset, void *data, size_t bytes, fp_pending *pending);
/* A download that also waits for what is pending: one wait for both. Nothing is pending afterwards, also on failure. */
gpu_status fp_buffer_download_last(fp_buffer *buffer, size_t offset, void *data, size_t bytes, fp_pending *pending);
gpu_status fp_pending_wait(fp_pending *pending);

#endif
