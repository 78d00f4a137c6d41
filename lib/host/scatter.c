#include "host/internal.h"

#include <string.h>

/* Puts the values of pairs to their places. `there`: only those that the device has put there too. */
static gpu_status put_values(const fp_request *r, const unsigned char *there)
{
    fp_walk walk;
    fp_block block;
    fp_node *pairs = r->input.node;
    const gpu_type type = r->outputs[0].type;
    const size_t size = type->size, second = fp_pair_second(type, GPU_ULONG), length = r->outputs[0].length;
    unsigned char *out = fp_output_memory(r, 0);
    gpu_status status = fp_walk_begin(&walk, pairs);
    for (size_t first = 0; !status && fp_walk_next(&walk, &block); first += block.count) {
        for (size_t k = 0; k < block.count; k++) {
            const unsigned char *pair = block.elements + k * pairs->type->size;
            uint64_t at;
            memcpy(&at, pair + second, sizeof at);
            if (at >= length && !there) fp_deferred_report(r->deferred, first + k);
            if (at < length && (!there || !memcmp(pair, there + at * size, size))) memcpy(out + at * size, pair, size);
        }
    }
    fp_walk_end(&walk);
    return status;
}

gpu_status fp_host_scatter(const fp_request *r)
{
    gpu_status status = r->outputs[0].length ? fp_host_copy(r->into.node, fp_output_memory(r, 0)) : GPU_OK;
    return status ? status : put_values(r, NULL);
}

/* The host stores the last of several values for one place, and a device any of them. So the host takes the device's,
 * if that is one of them. */
gpu_status fp_host_reconcile_scatter(const fp_request *host, unsigned output, const unsigned char *there, bool *excused)
{
    (void)output;
    *excused = false;
    return put_values(host, there);
}
