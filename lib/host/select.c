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

/* Those of the last block that the root, a filter, has dropped. */
static void put_others(const fp_walk *walk, output *out, size_t size)
{
    const fp_walked *filter = &walk->nodes[walk->root];
    const fp_block *from = &walk->nodes[filter->inputs[0]].block;
    for (size_t k = 0; k < from->count; k++)
        if (!filter->flags[k]) put(out, from->elements + k * size, 1, size);
}

/* The room was for all that may be kept. */
static void tell(const fp_destination *to, uint64_t count, size_t size)
{
    fp_buffer_cut(to->buffer, (size_t)count * size);
    fp_count_tell(to->count, count);
}

gpu_status fp_host_select(fp_node *node, const fp_destination *kept, const fp_destination *others)
{
    fp_walk walk;
    fp_block block;
    size_t size = node->type->size;
    output yes = {.at = fp_buffer_memory(kept->buffer)};
    output no = {.at = others ? fp_buffer_memory(others->buffer) : NULL};
    gpu_status status = fp_walk_begin(&walk, node);
    while (!status && fp_walk_next(&walk, &block)) {
        put(&yes, block.elements, block.count, size);
        if (others) put_others(&walk, &no, size);
    }
    fp_walk_end(&walk);
    if (!status) tell(kept, yes.count, size);
    if (!status && others) tell(others, no.count, size);
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

gpu_status fp_host_search(fp_node *flags, fp_count *found, fp_count *rest)
{
    fp_walk walk;
    fp_block block;
    size_t before = 0;
    bool hit = false;
    gpu_status status = fp_walk_begin(&walk, flags);
    while (!status && !hit && fp_walk_next(&walk, &block)) {
        size_t place = first_set(&block);
        hit = place < block.count;
        before += place;
    }
    size_t length = walk.length;
    fp_walk_end(&walk);
    if (status) return status;
    fp_count_tell(found, hit || rest ? before : UINT64_MAX);
    if (rest) fp_count_tell(rest, length - before);
    return GPU_OK;
}
