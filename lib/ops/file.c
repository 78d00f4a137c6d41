/* Arrays in files, block by block. */
#include "base/file.h"
#include "arrays/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "expressions/types.h"
#include "kernel/type.h"
#include "ops/npy.h"
#include "planning/eval.h"

#include <errno.h>
#include <firepile/file.h>
#include <string.h>

enum { BLOCK_BYTES = 8 << 20 };

/* Room for a block of a file with `bytes` bytes of elements. */
static unsigned char *room_for(size_t bytes)
{
    unsigned char *room = fp_alloc(bytes < BLOCK_BYTES ? bytes + 1 : BLOCK_BYTES);
    if (!room) fp_fail_memory();
    return room;
}

static size_t block_at(size_t at, size_t bytes)
{
    return bytes - at < BLOCK_BYTES ? bytes - at : BLOCK_BYTES;
}

/* ---- loading ---- */

static void swap_bytes(unsigned char *bytes, size_t n, size_t size)
{
    for (unsigned char *number = bytes; number < bytes + n; number += size) {
        for (size_t k = 0; k < size / 2; k++) {
            const unsigned char byte = number[k];
            number[k] = number[size - 1 - k];
            number[size - 1 - k] = byte;
        }
    }
}

static gpu_status load_blocks(FILE *file, const char *path, const fp_npy *npy, size_t bytes, fp_buffer *buffer)
{
    const long first = ftell(file);
    unsigned char *room = room_for(bytes);
    gpu_status status = room ? GPU_OK : fp_last_status();
    for (size_t at = 0, n; at < bytes && !status; at += n) {
        n = block_at(at, bytes);
        const size_t read = fread(room, 1, n, file);
        if (npy->swapped) swap_bytes(room, n, fp_type_scalar(npy->type)->size);
        status = read < n ? fp_npy_refuse(path, (size_t)first + at + read, "the file ends before the last element")
                          : fp_buffer_upload(buffer, at, room, n);
    }
    fp_free(room);
    return status;
}

static fp_node *load_elements(gpu *g, FILE *file, const char *path)
{
    fp_npy npy;
    size_t bytes;
    fp_buffer *buffer = NULL;
    gpu_status status = fp_npy_read(file, path, &npy);
    if (!status) status = fp_gpu_check_type(g, &npy.type);
    if (!status) status = fp_array_bytes(npy.type, npy.length, &bytes);
    const bool on_host = npy.length <= g->policy.host_max;
    if (!status && npy.length) status = fp_elements_new(g, on_host, npy.type, npy.length, &buffer);
    if (!status && npy.length) status = load_blocks(file, path, &npy, bytes, buffer);
    fp_node *node = status ? NULL : fp_node_buffer(g, npy.type, npy.length, buffer, 0);
    fp_buffer_drop(buffer);
    return node;
}

static fp_node *load(gpu *g, const char *path)
{
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (!file) {
        fp_fail(GPU_E_ARGUMENT, "%s cannot be read: %s", path ? path : "the path",
                path ? strerror(errno) : "it is NULL");
        return NULL;
    }
    fp_node *node = load_elements(g, file, path);
    fclose(file);
    return node;
}

gpu_array *gpu_load_npy_op(gpu *g, const char *path, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(g, "gpu_load_npy", place);
    if (!g) fp_fail_no_gpu();
    return fp_array_end(&entry, g ? load(g, path) : NULL);
}

/* ---- saving ---- */

static gpu_status fail_to_write(const char *path)
{
    return fp_fail(GPU_E_ARGUMENT, "%s cannot be written: %s", path, strerror(errno));
}

/* Elements in a buffer, which is kept. */
typedef struct stretch {
    fp_buffer *buffer;
    size_t offset, bytes;
} stretch;

static gpu_status save_blocks(const stretch *from, fp_file *file, const char *path)
{
    unsigned char *room = room_for(from->bytes);
    gpu_status status = room ? GPU_OK : fp_last_status();
    for (size_t at = 0, n; at < from->bytes && !status; at += n) {
        n = block_at(at, from->bytes);
        status = fp_buffer_download(from->buffer, from->offset + at, room, n);
        if (!status && !fp_file_add(file, room, n)) status = fail_to_write(path);
    }
    fp_free(room);
    return status;
}

static gpu_status save(const stretch *from, const fp_text *header, const char *path)
{
    fp_file file;
    if (!fp_file_begin(&file, path)) return fail_to_write(path);
    gpu_status status = fp_file_add(&file, header->bytes, header->length) ? GPU_OK : fail_to_write(path);
    if (!status) status = save_blocks(from, &file, path);
    const bool done = fp_file_end(&file, path, !status);
    return status || done ? status : fail_to_write(path);
}

static gpu_status prepare(const gpu_array *a, const char *path, fp_text *header, stretch *out)
{
    size_t length;
    gpu_status status = fp_array_check(a, "a");
    if (!status && !path) status = fp_fail(GPU_E_ARGUMENT, "the path is NULL");
    if (!status) status = fp_node_eval(a->node, FP_REASON_ASKED);
    if (!status) status = fp_node_wait_length(a->node, &length);
    if (!status) status = fp_deferred_check(a->node->deferred);
    if (!status) status = fp_npy_write(a->node->type, length, header);
    if (status) return status;
    const fp_node *node = a->node;
    *out = (stretch){.offset = node->first * node->type->size, .bytes = length * node->type->size};
    if (node->buffer) out->buffer = fp_buffer_keep(node->buffer);
    return GPU_OK;
}

gpu_status gpu_save_npy_op(const gpu_array *a, const char *path, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_save_npy", place);
    fp_text header = {0};
    stretch from;
    gpu_status status = prepare(a, path, &header, &from);
    fp_entry_unlock(&entry);
    if (!status) {
        status = save(&from, &header, path);
        fp_buffer_drop(from.buffer);
    }
    fp_text_free(&header);
    return fp_entry_end(&entry, status);
}
