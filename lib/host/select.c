#include "host/internal.h"

#include <string.h>

/* ---- selections ---- */

typedef struct output {
    unsigned char *at;
    uint64_t count;
} output;

static void put(output *out, const void *elements, size_t count, size_t size)
{
    memcpy(out->at, elements, count * size);
    out->at += count * size;
    out->count += count;
}

/* Puts the elements of the last block that the filter at the root dropped. */
static void put_others(const fp_walk *walk, output *out, size_t size)
{
    const fp_walked *filter = &walk->nodes[walk->root];
    const fp_block *from = &walk->nodes[filter->inputs[0]].block;
    for (size_t k = 0; k < from->count; k++)
        if (!filter->flags[k]) put(out, from->elements + k * size, 1, size);
}

void fp_output_learn(const fp_output *to, uint64_t count)
{
    fp_buffer_cut(to->buffer, (size_t)count * to->type->size);
    fp_count_learn(to->count, count);
}

gpu_status fp_host_select(const fp_request *r)
{
    fp_walk walk;
    fp_block block;
    fp_node *node = r->input.node;
    const bool splits = r->output_count > 1;
    output yes = {.at = fp_output_memory(r, 0)}, no = {.at = fp_output_memory(r, 1)};
    gpu_status status = fp_walk_begin(&walk, node);
    while (!status && fp_walk_next(&walk, &block)) {
        put(&yes, block.elements, block.count, node->type->size);
        if (splits) put_others(&walk, &no, node->type->size);
    }
    fp_walk_end(&walk);
    if (!status) fp_output_learn(&r->outputs[0], yes.count);
    if (!status && splits) fp_output_learn(&r->outputs[1], no.count);
    return status;
}

/* ---- search ---- */

static size_t first_set(const fp_block *block)
{
    size_t k = 0;
    for (uint32_t flag = 0; k < block->count; k++) {
        memcpy(&flag, block->elements + k * sizeof flag, sizeof flag);
        if (flag) break;
    }
    return k;
}

gpu_status fp_host_search(const fp_request *r)
{
    const bool splits = r->output_count > 1;
    fp_walk walk;
    fp_block block;
    size_t before = 0;
    bool hit = false;
    gpu_status status = fp_walk_begin(&walk, r->input.node);
    while (!status && !hit && fp_walk_next(&walk, &block)) {
        size_t place = first_set(&block);
        hit = place < block.count;
        before += place;
    }
    size_t length = walk.length;
    fp_walk_end(&walk);
    if (status) return status;
    fp_count_learn(r->outputs[0].count, hit || splits ? before : UINT64_MAX);
    if (splits) fp_count_learn(r->outputs[1].count, length - before);
    return GPU_OK;
}
