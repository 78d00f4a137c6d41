#include "host/internal.h"

#include <string.h>

/* Computes each result from the one before it and an element. The first result is the start, or the first element. */
static gpu_status scan_in_a_row(fp_node *node, const fp_applied *op, const void *start, unsigned char *to)
{
    fp_walk walk;
    fp_block block;
    size_t size = node->type->size, done = 0;
    gpu_status status = fp_walk_begin(&walk, node);
    while (!status && fp_walk_next(&walk, &block)) {
        if (!done) memcpy(to, start ? start : block.elements, size);
        size_t used = !done++ && !start, left = block.count - used;
        /* An exclusive scan has no result behind the last element. */
        if (start && walk.at == walk.length) left--;
        fp_apply(op, &(fp_stretch){.out = to + size,
                                   .out_stride = size,
                                   .in = {to, block.elements + used * size},
                                   .stride = {size, size},
                                   .count = left});
        to += left * size;
    }
    fp_walk_end(&walk);
    return status;
}

gpu_status fp_host_scan(const fp_request *r)
{
    fp_node *node = r->input.node;
    fp_applied applied = fp_applied_to_two(r->ops[0], node->type);
    gpu_status status = fp_apply_begin(&applied);
    if (status) return status;
    status = scan_in_a_row(node, &applied, r->start, fp_output_memory(r, 0));
    fp_apply_end(&applied);
    return status;
}
