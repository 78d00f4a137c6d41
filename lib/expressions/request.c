#include "expressions/request.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/type.h"

bool fp_request_rounds(const fp_request *r)
{
    bool rounds = false;
    for (unsigned k = 0; k < r->op_count; k++) rounds |= fp_type_rounds(fp_operand_at(r, k));
    return rounds;
}

/* ---- memory ---- */

gpu_status fp_array_bytes(gpu_type type, size_t length, size_t *bytes)
{
    if (fp_multiply(length, type->size, bytes)) return GPU_OK;
    return fp_fail(GPU_E_MEMORY, "cannot allocate %zu elements of %zu bytes: that is more than can be addressed",
                   length, type->size);
}

gpu_status fp_elements_new(gpu *g, bool on_host, gpu_type type, size_t length, fp_buffer **out)
{
    size_t bytes;
    gpu_status status = fp_array_bytes(type, length, &bytes);
    *out = NULL;
    if (status || g->mode) return status;
    return on_host ? fp_buffer_new_on_host(g->device, bytes, NULL, out) : fp_buffer_new(g->device, bytes, out);
}

/* ---- outputs ---- */

static gpu_status fill_with_zeros(const fp_output *o)
{
    static const unsigned char zeros[64];
    return fp_buffer_upload_begin(o->buffer, 0, zeros, o->length * o->type->size);
}

static gpu_status make_elements(gpu *g, fp_output *o, bool on_host)
{
    if (!o->type || !o->length) return GPU_OK;
    if (o->host_visible && !on_host) return fp_buffer_new_host_visible(g->device, o->type->size, &o->buffer);
    gpu_status status = fp_elements_new(g, on_host, o->type, o->length, &o->buffer);
    return status || !o->zeroed || !o->buffer || on_host ? status : fill_with_zeros(o);
}

gpu_status fp_make_outputs(fp_request *r, bool on_host)
{
    gpu *g = r->input.node->g;
    gpu_status status = GPU_OK;
    for (unsigned k = 0; k < r->output_count && !status; k++) {
        fp_output *o = &r->outputs[k];
        if (o->extent == FP_COUNTED && !o->count) o->count = on_host ? fp_count_known(0) : fp_count_new(g);
        if (o->extent == FP_SHARED) o->count = fp_count_keep(r->outputs[0].count);
        if (o->extent >= FP_COUNTED && !o->count) return fp_last_status();
        status = make_elements(g, o, on_host);
    }
    return status;
}

void fp_drop_outputs(fp_request *r, bool numbers)
{
    for (unsigned k = 0; k < r->output_count; k++) {
        fp_output *o = &r->outputs[k];
        fp_buffer_drop(o->buffer);
        if (o->type || numbers) fp_count_drop(o->count);
        o->buffer = NULL;
        if (o->type || numbers) o->count = NULL;
    }
}

/* ---- results ---- */

/* The number of elements may be known by now, since verifying waits. */
static fp_node *new_result(const fp_request *r, const fp_output *o)
{
    fp_node *from = r->input.node;
    const bool aligned = o->extent == FP_ALIGNED;
    fp_count *count = aligned ? fp_node_count(from) : o->count;
    const size_t length = r->input.length ? aligned ? fp_node_most(from) : o->length : 0;
    fp_node *node = fp_node_buffer(from->g, o->type, length, o->buffer, 0);
    if (!node) return NULL;
    node->count = fp_count_keep(count);
    gpu_status status = fp_node_inherit(node, from);
    for (unsigned k = 0; k < r->op_count && !status; k++) {
        status = fp_node_inherit_captured(node, r->ops[k]);
        if (!status && r->maps) status = fp_node_inherit_captured(node, r->maps[k]);
    }
    if (!status) status = fp_deferred_join(from->g, &node->deferred, r->deferred);
    return fp_node_unless(status, node);
}

gpu_status fp_make_results(const fp_request *r, fp_node **results)
{
    for (unsigned k = 0; k < r->output_count; k++) {
        if (!r->outputs[k].type) continue;
        results[k] = new_result(r, &r->outputs[k]);
        if (results[k]) continue;
        for (unsigned j = 0; j < k; j++) {
            fp_node_drop(results[j]);
            results[j] = NULL;
        }
        return fp_last_status();
    }
    return GPU_OK;
}
