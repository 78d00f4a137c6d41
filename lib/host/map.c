#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static gpu_status fill(fp_node *node, unsigned char *to)
{
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

gpu_status fp_host_map(fp_node *node, fp_buffer *out)
{
    return fill(node, fp_buffer_memory(out));
}

gpu_status fp_elements_of(fp_node *node, const unsigned char **elements, void **own)
{
    *own = NULL;
    if (node->kind == FP_NODE_BUFFER) {
        node->g->side->runs++;
        *elements = (unsigned char *)fp_buffer_memory(node->buffer) + node->first * node->type->size;
        return GPU_OK;
    }
    unsigned char *room = *own = fp_alloc_array(node->length, node->type->size);
    *elements = room;
    return room ? fill(node, room) : fp_fail_memory();
}
