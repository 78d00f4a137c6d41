#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

typedef struct bins {
    const fp_request *r;
    fp_applied applied;
    size_t size, second, count;
    unsigned char *values, *marks;
} bins;

static void combine(const bins *b, const void *left, const unsigned char *right, unsigned char *out)
{
    fp_apply(&b->applied, &(fp_stretch){.out = out, .in = {left, right}, .count = 1});
}

static void add(const bins *b, const unsigned char *pair, size_t place)
{
    uint64_t key;
    memcpy(&key, pair + b->second, sizeof key);
    unsigned char *value = b->values + key * b->size;
    if (key >= b->count) {
        fp_deferred_report(b->r->deferred, place);
    } else if (b->marks[key]) {
        combine(b, value, pair, value);
    } else {
        memcpy(value, pair, b->size);
        b->marks[key] = 1;
    }
}

/* Bins without elements have the identity, if there is one. */
static void clear(const bins *b)
{
    for (size_t k = 0; b->r->identity && k < b->count; k++) {
        memcpy(b->values + k * b->size, b->r->identity, b->size);
        b->marks[k] = 1;
    }
}

static void put_start(const bins *b)
{
    for (size_t k = 0; k < b->count; k++) {
        unsigned char *value = b->values + k * b->size;
        if (b->marks[k]) combine(b, b->r->start, value, value);
        if (!b->marks[k]) memcpy(value, b->r->start, b->size);
    }
}

static gpu_status add_all(const bins *b)
{
    fp_walk walk;
    fp_block block;
    fp_node *pairs = b->r->input.node;
    clear(b);
    gpu_status status = fp_walk_begin(&walk, pairs);
    for (size_t first = 0; !status && fp_walk_next(&walk, &block); first += block.count)
        for (size_t k = 0; k < block.count; k++) add(b, block.elements + k * pairs->type->size, first + k);
    fp_walk_end(&walk);
    if (!status) put_start(b);
    return status;
}

gpu_status fp_host_bins(const fp_request *r)
{
    const gpu_type type = r->operand;
    bins b = {.r = r,
              .applied = fp_applied_to_two(r->ops[0], type),
              .size = type->size,
              .second = fp_pair_second(type, GPU_ULONG),
              .count = r->number,
              .values = fp_output_memory(r, 0),
              .marks = fp_alloc(r->number)};
    if (!b.marks) return fp_fail_memory();
    gpu_status status = fp_apply_begin(&b.applied);
    if (!status) status = add_all(&b);
    fp_apply_end(&b.applied);
    fp_free(b.marks);
    return status;
}
