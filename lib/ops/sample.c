#include "ops/sample.h"

#include "arrays/read.h"
#include "base/error.h"
#include "base/memory.h"
#include "ops/order.h"
#include "planning/eval.h"

gpu_status fp_sample_take(fp_node *node, size_t most, fp_sample *out)
{
    *out = (fp_sample){.stride = 1};
    gpu_status status = fp_node_wait_length(node, &out->length);
    if (status) return status;
    bool part = out->length > most;
    if (part) out->stride = out->length / most;
    if (part) out->length = most;
    out->node = part ? fp_node_every(node, out->stride, most) : fp_node_keep(node);
    if (!out->node) return fp_last_status();
    status = fp_node_eval(out->node, FP_REASON_ASKED);
    return status ? status : fp_node_check(out->node);
}

gpu_status fp_sample_read(fp_sample *sample)
{
    const fp_node *node = sample->node;
    size_t size = node->type->size;
    gpu_status status = fp_value_layout_new(node->type, &sample->layout);
    if (status) return status;
    sample->elements = fp_alloc_array(sample->length, size);
    if (!sample->elements) return fp_fail_memory();
    return fp_buffer_download(node->buffer, node->first * size, sample->elements, sample->length * size);
}

void fp_sample_drop(fp_sample *sample)
{
    fp_node_drop(sample->node);
    fp_value_layout_free(sample->layout);
    fp_free(sample->elements);
}

void fp_sample_name(const fp_sample *sample, const size_t *places, unsigned count, fp_text *out)
{
    size_t size = sample->node->type->size;
    for (unsigned k = 0; k < count; k++) {
        fp_text_print(out, "%s%c = ", k ? ", " : "", 'a' + (int)k);
        fp_value_layout_write(sample->layout, sample->elements + places[k] * size, out);
        fp_text_print(out, " (element %zu)", places[k] * sample->stride);
    }
}
