#include "host/internal.h"

#include <string.h>

gpu_status fp_host_map(fp_node *node, fp_buffer *out)
{
    fp_walk walk;
    fp_block block;
    unsigned char *to = fp_buffer_memory(out);
    gpu_status status = fp_walk_begin(&walk, node);
    while (!status && fp_walk_next(&walk, &block)) {
        size_t bytes = block.count * node->type->size;
        memcpy(to, block.elements, bytes);
        to += bytes;
    }
    fp_walk_end(&walk);
    return status;
}
