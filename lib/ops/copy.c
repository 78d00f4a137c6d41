/* Arrays from one gpu to another. The locks of two are never held together. */
#include "arrays/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "planning/eval.h"

#include <firepile/copy.h>

static const char operation[] = "gpu_copy_to";

typedef struct elements {
    gpu_type type;
    size_t n;
    void *bytes; /* freed by fp_free */
} elements;

static gpu_status download(fp_entry *entry, const gpu_array *a, elements *out)
{
    size_t bytes;
    gpu_status status = fp_node_wait_length(a->node, &out->n);
    out->type = a->node->type;
    if (!status) status = fp_array_bytes(out->type, out->n, &bytes);
    if (!status && !out->n) return fp_node_check(a->node);
    if (!status && !(out->bytes = fp_alloc(bytes))) status = fp_fail_memory();
    return status ? status : fp_node_read(entry, a->node, out->bytes);
}

/* On its own gpu: the same elements. */
static gpu_array *share(const gpu_array *a, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(a->g, operation, place);
    return fp_array_end(&entry, fp_array_check(a, "a") ? NULL : fp_node_keep(a->node));
}

gpu_array *gpu_copy_to_op(const gpu_array *a, gpu *other, const gpu_place *place)
{
    if (a && other && fp_array_gpu(a) == other) return share(a, place);
    elements from = {.bytes = NULL};
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), operation, place);
    gpu_status status = other ? fp_array_check(a, "a") : fp_fail_no_gpu();
    if (!status) status = download(&entry, a, &from);
    fp_entry_end(&entry, status);
    gpu_array *copy;
    if (status) {
        entry = fp_entry_begin(other, operation, place);
        copy = fp_array_end(&entry, NULL);
    } else {
        copy = gpu_array_from_op(other, from.type, from.bytes, from.n, place);
    }
    fp_free(from.bytes);
    return copy;
}
