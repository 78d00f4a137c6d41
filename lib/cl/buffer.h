/* Device memory: reference-counted buffers from a pool, and transfers. All functions are thread-safe. */
#ifndef FP_CL_BUFFER_H
#define FP_CL_BUFFER_H

#include "cl/device.h"

typedef struct fp_buffer fp_buffer;

/* At least `bytes` (> 0) of device memory, contents undefined; of the host device's exactly so many. From the pool if a
 * free buffer fits well; when the device is out of memory the pool is emptied, the queue finished, and the allocation
 * tried again. The device runs commands in order, so a buffer dropped while commands still use it may be handed out at
 * once. GPU_E_MEMORY names the bytes asked for and the bytes in use. */
gpu_status fp_buffer_new(fp_device *device, size_t bytes, fp_buffer **out);

/* The same for a few bytes that kernels write and the host then reads. Where the driver can place a buffer in the
 * host's memory (capabilities.host_visible), reading it is no copy: on an H200 the value of a launch is there after 12
 * us, where a copy takes 13 to 19, since the copy engine looks only now and then whether the launch has ended. Kernels
 * read it slowly. */
gpu_status fp_buffer_new_host_visible(fp_device *device, size_t bytes, fp_buffer **out);

/* Exactly `bytes` (> 0) of the host's memory, with what is at `data` unless that is NULL. What a small array needs: no
 * OpenCL call is made until a kernel, or the user, is given the buffer. Then the device gets a copy, by a command that
 * does not wait. So the contents are written before, and from then on only read. */
gpu_status fp_buffer_new_on_host(fp_device *device, size_t bytes, const void *data, fp_buffer **out);

/* Gives back what lies behind the first `bytes` of the host's memory, which nobody else has seen yet. */
void fp_buffer_cut(fp_buffer *buffer, size_t bytes);

/* The user's cl_mem, retained. GPU_E_ARGUMENT if it is none or of another context; GPU_E_DEVICE on the host device. */
gpu_status fp_buffer_wrap(fp_device *device, void *mem, fp_buffer **out);

/* Another reference; drop releases one, and the last gives the memory back to the pool. NULL is fine for drop. */
fp_buffer *fp_buffer_keep(fp_buffer *buffer);
void fp_buffer_drop(fp_buffer *buffer);

/* The cl_mem, borrowed; the buffer never returns to the pool from here on, so that the user may retain it. NULL and
 * GPU_E_DEVICE on the host device. */
void *fp_buffer_expose(fp_buffer *buffer);

/* Where the contents are in the host's memory, aligned as malloc does: on the host device, and those of
 * fp_buffer_new_on_host until fp_buffer_expose. Else NULL. */
void *fp_buffer_memory(const fp_buffer *buffer);

/* Gives a buffer memory with its contents, which nobody changes from now on: waits for the device. GPU_E_DEVICE for a
 * buffer that the user has. */
gpu_status fp_buffer_fetch(fp_buffer *buffer);

size_t fp_buffer_bytes(const fp_buffer *buffer);

/* Frees all pooled memory. */
void fp_pool_trim(fp_device *device);

/* Blocking copies. On GPUs large ones go through pinned staging memory, several threads copying, so that pageable
 * memory comes near the pinned rate. upload returns when `data` may be reused. */
gpu_status fp_buffer_upload(fp_buffer *buffer, size_t offset, const void *data, size_t bytes);
gpu_status fp_buffer_download(fp_buffer *buffer, size_t offset, void *data, size_t bytes);

/* Does not wait: `data` stays as it is for ever. */
gpu_status fp_buffer_upload_begin(fp_buffer *buffer, size_t offset, const void *data, size_t bytes);

/* Copies to the host that may still be under way. Their bytes are there, and their targets may go, after
 * fp_pending_wait or a download that has waited for them as well. A plain download is no wait: what lies in the host's
 * memory comes without one. */
typedef struct fp_pending {
    fp_device *device; /* NULL: nothing is under way */
} fp_pending;

/* A few bytes (> 0) that come later. */
gpu_status fp_buffer_download_begin(fp_buffer *buffer, size_t offset, void *data, size_t bytes, fp_pending *pending);
/* A download that also waits for what is pending: one wait for both. Nothing is pending afterwards, also on failure. */
gpu_status fp_buffer_download_last(fp_buffer *buffer, size_t offset, void *data, size_t bytes, fp_pending *pending);
gpu_status fp_pending_wait(fp_pending *pending);

#endif
