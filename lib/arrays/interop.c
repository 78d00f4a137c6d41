#include <firepile/interop.h>

#include "arrays/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "expressions/types.h"
#include "planning/eval.h"

gpu *gpu_open_with(cl_context context, cl_command_queue queue)
{
    return fp_gpu_adopt(context, queue);
}

static fp_node *wrap(gpu *g, gpu_type type, cl_mem mem, size_t n)
{
    size_t bytes;
    fp_buffer *buffer;
    if (fp_gpu_check_type(g, &type) || fp_buffer_wrap(g->device, mem, &buffer)) return NULL;
    fp_node *node = NULL;
    if (fp_multiply(n, type->size, &bytes) && bytes <= fp_buffer_bytes(buffer)) {
        node = fp_node_buffer(g, type, n, buffer, 0);
    } else {
        fp_fail(GPU_E_RANGE, "the buffer has %zu bytes, too few for %zu elements of %zu", fp_buffer_bytes(buffer), n,
                type->size);
    }
    fp_buffer_drop(buffer);
    return node;
}

gpu_array *gpu_array_wrap_op(gpu *g, gpu_type type, cl_mem mem, size_t n, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(g, "gpu_array_wrap", place);
    return fp_array_end(&entry, wrap(g, type, mem, n));
}

cl_mem gpu_array_mem(const gpu_array *a, size_t *first)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_array_mem", NULL);
    gpu_status status = fp_array_check(a, "a");
    if (!status) status = fp_node_eval(a->node, FP_REASON_ASKED);
    if (!status) status = fp_hold_end();
    cl_mem mem = NULL;
    if (!status && a->node->buffer) {
        mem = fp_buffer_expose(a->node->buffer);
        if (first && mem) *first = a->node->first;
    }
    fp_entry_end(&entry, status);
    return mem;
}

cl_command_queue gpu_queue(gpu *g)
{
    if (!g) return NULL;
    fp_gpu_send(g);
    return fp_device_queue(g->device);
}
