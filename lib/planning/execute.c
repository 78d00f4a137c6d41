#include "planning/execute.h"

#include "host/host.h"
#include "planning/sequence.h"

bool fp_runs_on_host(const fp_request *r)
{
    const gpu *g = r->input.node->g;
    if (g->capabilities->host || !r->primitive->small || g->mode == FP_MODE_BUILDS) return g->capabilities->host;
    /* A kernel groups the elements of a selection by their places in its source. */
    bool grouped = r->input.selection && fp_request_rounds(r);
    return !grouped && fp_host_takes(r, g->supposed);
}

fp_node *fp_temporary(gpu *g, gpu_type type, size_t length, fp_count *count)
{
    fp_buffer *buffer = NULL;
    if (fp_elements_new(g, false, type, length, &buffer)) return NULL;
    fp_node *node = fp_node_buffer(g, type, length, buffer, 0);
    if (node) node->count = fp_count_keep(count);
    fp_buffer_drop(buffer);
    return node;
}

static gpu_status launch(fp_request *r)
{
    gpu *g = r->input.node->g;
    const uint64_t unchecked = g->unchecked;
    g->counted.moves |= r->primitive->moves;
    gpu_status status = r->primitive->late ? GPU_OK : fp_make_outputs(r, false);
    if (!status) status = r->primitive->launch(r);
    return status || !g->verify || g->mode ? status : fp_verify(r, g->unchecked - unchecked);
}

static gpu_status run(fp_request *r)
{
    gpu *g = r->input.node->g;
    g->counted.on_host = true;
    if (g->mode == FP_MODE_COUNTS) return GPU_OK;
    gpu_status status = fp_make_outputs(r, true);
    g->host_runs++;
    return status ? status : r->primitive->run(r);
}

gpu_status fp_execute(fp_request *r, fp_node **results)
{
    const bool launches = r->input.length && !fp_runs_on_host(r);
    gpu_status status = launches ? launch(r) : r->input.length ? run(r) : GPU_OK;
    if (!status) status = fp_make_results(r, results);
    for (unsigned k = 0; launches && !status && k < r->output_count; k++)
        if (r->outputs[k].type) fp_sequence_made(results[k]);
    fp_drop_outputs(r, status != GPU_OK);
    return status;
}
