#include "host/internal.h"

#include <string.h>

gpu_status fp_host_scatter(const fp_request *r)
{
    fp_walk walk;
    fp_block block;
    fp_node *pairs = r->input.node;
    const gpu_type type = r->outputs[0].type;
    const size_t second = fp_pair_second(type, GPU_ULONG), length = r->outputs[0].length;
    unsigned char *into = fp_output_memory(r, 0);
    gpu_status status = length ? fp_host_copy(r->into.node, into) : GPU_OK;
    if (!status) status = fp_walk_begin(&walk, pairs);
    if (status) return status;
    for (size_t first = 0; fp_walk_next(&walk, &block); first += block.count) {
        for (size_t k = 0; k < block.count; k++) {
            const unsigned char *pair = block.elements + k * pairs->type->size;
            uint64_t at;
            memcpy(&at, pair + second, sizeof at);
            if (at < length) memcpy(into + at * type->size, pair, type->size);
            if (at >= length) fp_deferred_report(r->deferred, first + k);
        }
    }
    fp_walk_end(&walk);
    return GPU_OK;
}

/* The host stores the last of several values for one place, a device any of them: the one that is there, if there is
 * one. */
gpu_status fp_host_reconcile_scatter(const fp_request *host, const unsigned char *there, bool *excused)
{
    fp_walk walk;
    fp_block block;
    fp_node *pairs = host->input.node;
    const gpu_type type = host->outputs[0].type;
    const size_t second = fp_pair_second(type, GPU_ULONG), length = host->outputs[0].length;
    unsigned char *out = fp_output_memory(host, 0);
    gpu_status status = fp_walk_begin(&walk, pairs);
    *excused = false;
    while (!status && fp_walk_next(&walk, &block)) {
        for (size_t k = 0; k < block.count; k++) {
            const unsigned char *pair = block.elements + k * pairs->type->size;
            uint64_t at;
            memcpy(&at, pair + second, sizeof at);
            if (at >= length || memcmp(pair, there + at * type->size, type->size)) continue;
            memcpy(out + at * type->size, pair, type->size);
        }
    }
    fp_walk_end(&walk);
    return status;
}
