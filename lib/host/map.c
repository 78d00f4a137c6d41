#include "host/internal.h"

#include <string.h>

gpu_status fp_host_copy(fp_node *node, void *out)
{
    unsigned char *to = out;
    fp_walk walk;
    fp_block block;
    gpu_status status = fp_walk_begin(&walk, node);
    while (!status && fp_walk_next(&walk, &block)) {
        size_t bytes = block.count * node->type->size;
        memcpy(to, block.elements, bytes);
        to += bytes;
    }
    fp_walk_end(&walk);
    return status;
}

gpu_status fp_host_map(const fp_request *r)
{
    return fp_host_copy(r->input.node, fp_output_memory(r, 0));
}
