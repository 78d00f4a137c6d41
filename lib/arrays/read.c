/* Bringing elements to the host. */
#include "arrays/array.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/type.h"
#include "planning/eval.h"
#include "planning/sequence.h"

#include <stdio.h>
#include <string.h>

static gpu_status refuse(const char *what, gpu_type given, size_t size, gpu_type type)
{
    const fp_refused *refused = fp_type_refused(given);
    if (refused)
        return fp_fail(GPU_E_TYPE, "%s points to %s, and the elements are %s: %s", what, given->name, type->name,
                       refused->value);
    if (given) return fp_fail(GPU_E_TYPE, "%s points to %s, and the elements are %s", what, given->name, type->name);
    return fp_fail(GPU_E_TYPE,
                   "%s points to %zu bytes of a type that is not ours, and the elements are %s, of %zu bytes", what,
                   size, type->name, type->size);
}

/* A type of the user's own, or an array, may be a struct. The size decides. */
static gpu_status check_pointee(const char *what, gpu_type given, size_t size, gpu_type type)
{
    bool open = !given || given == &gpu_refused_array;
    bool fits = open ? !size || (size == type->size && type->kind == GPU_KIND_STRUCT) : gpu_type_equal(given, type);
    return fits ? GPU_OK : refuse(what, given, size, type);
}

gpu_status fp_check_scalars(gpu_type type)
{
    if (fp_type_is_scalar(type)) return GPU_OK;
    return fp_fail(GPU_E_TYPE, "the elements must be scalars, and are %s", type->name);
}

gpu_status fp_check_scalars_of(const gpu_array *a, const char *which)
{
    if (fp_type_is_scalar(a->node->type)) return GPU_OK;
    return fp_fail(GPU_E_TYPE, "the elements of '%s' must be scalars, and are %s", which, a->node->type->name);
}

gpu_status fp_check_pointer(const void *out)
{
    return out ? GPU_OK : fp_fail(GPU_E_ARGUMENT, "the output pointer is NULL");
}

gpu_status fp_check_output(const gpu_output *out, gpu_type type)
{
    gpu_status status = fp_check_pointer(out ? out->pointer : NULL);
    return status ? status : check_pointee("the output", out->type, out->size, type);
}

gpu_status fp_check_value(const gpu_value *value, gpu_type type, const char *which)
{
    char what[32];
    if (!value || !value->pointer) return fp_fail(GPU_E_ARGUMENT, "the pointer '%s' is NULL", which);
    snprintf(what, sizeof what, "'%s'", which);
    return check_pointee(what, value->type, value->size, type);
}

/* A node's elements without the node: others may free that while this thread waits. */
typedef struct extent {
    fp_buffer *buffer;
    size_t offset;
    size_t bytes;
} extent;

static extent extent_of(const fp_node *node)
{
    const size_t size = node->type->size;
    return (extent){fp_buffer_keep(node->buffer), node->first * size, node->length * size};
}

/* The kernel that is sent may copy the elements for the host. */
static extent shown_of(gpu *g, extent from)
{
    fp_buffer *shown = fp_buffer_memory(from.buffer) ? NULL : fp_sequence_show(g, from.buffer, from.offset, from.bytes);
    if (!shown) return from;
    fp_buffer_drop(from.buffer);
    return (extent){shown, 0, from.bytes};
}

static gpu_status download(fp_entry *entry, extent from, void *out)
{
    fp_entry_unlock(entry);
    gpu_status status = fp_buffer_download(from.buffer, from.offset, out, from.bytes);
    fp_buffer_drop(from.buffer);
    return status;
}

/* May a deferred error have this status? */
static bool is_deferred(gpu_status status)
{
    return status == GPU_E_RANGE || status == GPU_E_EMPTY || status == GPU_E_ARGUMENT;
}

/* `status` is that of the node's deferred error. */
static gpu_status conclude(fp_node *node, gpu_status status)
{
    /* All of a buffer has been computed by now. */
    if (!status && node->kind == FP_NODE_BUFFER) {
        fp_deferred_drop(node->deferred);
        node->deferred = NULL;
    }
    if (is_deferred(status)) fp_fault_set(&node->fault, fp_fault_new(node->g));
    return status;
}

gpu_status fp_node_check(fp_node *node)
{
    return conclude(node, fp_deferred_check(node->deferred));
}

/* One wait fetches the elements and the deferred errors. The user gets the elements only if none is set. */
static gpu_status read_with_deferred(fp_node *node, void *out)
{
    extent from = extent_of(node);
    fp_pending pending = {NULL};
    void *elements = fp_alloc(from.bytes);
    gpu_status status = elements ? fp_deferred_fetch(node->deferred, &pending) : fp_fail_memory();
    if (!status) status = fp_buffer_download_last(from.buffer, from.offset, elements, from.bytes, &pending);
    if (!status) status = fp_deferred_judge(node->deferred, &pending);
    if (!status) memcpy(out, elements, from.bytes);
    fp_free(elements);
    fp_buffer_drop(from.buffer);
    return conclude(node, status);
}

gpu_status fp_node_read(fp_entry *entry, fp_node *node, void *out)
{
    gpu_status status = fp_node_eval(node, FP_REASON_ASKED);
    if (status) return status;
    if (fp_deferred_waits(node->deferred) && fp_node_is_short(node)) return read_with_deferred(node, out);
    status = fp_node_check(node);
    return status ? status : download(entry, shown_of(node->g, extent_of(node)), out);
}

gpu_status fp_node_read_once(fp_entry *entry, fp_node *node, void *out)
{
    if (node->deferred) {
        gpu_status status = read_with_deferred(node, out);
        fp_node_drop(node);
        return status;
    }
    extent from = extent_of(node);
    fp_node_drop(node);
    return download(entry, from, out);
}

static gpu_status read_array(fp_entry *entry, const gpu_array *a, const gpu_output *out, size_t capacity, size_t *n)
{
    size_t length = 0;
    gpu_status status = fp_array_check(a, "a");
    if (!status) status = fp_node_wait_length(a->node, &length);
    if (!status && length) status = fp_check_output(out, a->node->type);
    if (status) return status;
    if (length > capacity)
        return fp_fail(GPU_E_RANGE, "the array has %zu elements, and there is room for %zu", length, capacity);
    status = length ? fp_node_read(entry, a->node, out->pointer) : fp_node_check(a->node);
    if (!status && n) *n = length;
    return status;
}

gpu_status gpu_read_op(const gpu_array *a, const gpu_output *out, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_read", place);
    return fp_entry_end(&entry, read_array(&entry, a, out, SIZE_MAX, NULL));
}

gpu_status gpu_read_n_op(const gpu_array *a, const gpu_output *out, size_t capacity, size_t *n, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_read_n", place);
    gpu_status status = n ? GPU_OK : fp_fail(GPU_E_ARGUMENT, "there is no room for the number of elements: n is NULL");
    return fp_entry_end(&entry, status ? status : read_array(&entry, a, out, capacity, n));
}
