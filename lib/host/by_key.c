#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

typedef struct by_key {
    fp_applied applied;
    gpu_type type, key;        /* of values and keys */
    gpu_type result;           /* of the stored values; scalars are converted to it */
    size_t pair, second, mark; /* bytes of a pair, and the offsets of its key and its mark */
    unsigned char *value;      /* of the run so far: room of its own, or the last stored value if all are stored */
    unsigned char *out, *keys; /* the next places; no keys: each element has a value */
    uint64_t count;            /* of runs */
} by_key;

static bool begins(const by_key *b, const unsigned char *pair)
{
    uint32_t mark;
    memcpy(&mark, pair + b->mark, sizeof mark);
    return mark != 0;
}

/* A reduction stores the value of a run that is over. */
static void end_run(by_key *b)
{
    if (!b->count) return;
    if (b->result == b->type) memcpy(b->out, b->value, b->type->size);
    if (b->result != b->type) fp_convert(b->type, b->value, b->result, b->out);
    b->out += b->result->size;
}

static void begin_run(by_key *b, const unsigned char *pair)
{
    if (b->keys) {
        end_run(b);
        memcpy(b->keys, pair + b->second, b->key->size);
        b->keys += b->key->size;
    } else {
        b->value = b->out;
        b->out += b->type->size;
    }
    fp_copy_element(b->value, pair, b->type->size);
    b->count++;
}

static void go_on(by_key *b, const unsigned char *pairs, size_t count)
{
    size_t step = b->keys ? 0 : b->type->size;
    fp_apply(&b->applied, &(fp_stretch){.out = b->value + step,
                                        .out_stride = step,
                                        .in = {b->value, pairs},
                                        .stride = {step, b->pair},
                                        .count = count});
    b->value += count * step;
    b->out += count * step;
}

static void add(by_key *b, const fp_block *block)
{
    const unsigned char *at = block->elements, *end = at + block->count * b->pair;
    while (at < end) {
        const unsigned char *first = at;
        while (at < end && !begins(b, at)) at += b->pair;
        if (at > first) go_on(b, first, (size_t)(at - first) / b->pair);
        if (at == end) return;
        begin_run(b, at);
        at += b->pair;
    }
}

static gpu_status run_in_a_row(by_key *b, fp_node *pairs)
{
    fp_walk walk;
    fp_block block;
    gpu_status status = fp_walk_begin(&walk, pairs);
    while (!status && fp_walk_next(&walk, &block)) add(b, &block);
    fp_walk_end(&walk);
    if (!status && b->keys) end_run(b);
    return status;
}

gpu_status fp_host_by_key(const fp_request *r)
{
    fp_node *pairs = r->input.node;
    const gpu_type value = r->operand, key = r->key;
    by_key b = {.applied = fp_applied_to_two(r->ops[0], value),
                .type = value,
                .key = key,
                .result = r->outputs[0].type,
                .pair = pairs->type->size,
                .second = fp_pair_second(value, key),
                .mark = fp_pair_mark(value, key),
                .out = fp_output_memory(r, 0),
                .keys = fp_output_memory(r, 1)};
    gpu_status status = fp_apply_begin(&b.applied);
    if (status) return status;
    unsigned char *room = fp_alloc(value->size);
    b.value = room;
    status = room ? run_in_a_row(&b, pairs) : fp_fail_memory();
    for (unsigned k = 0; k < r->output_count && !status && b.keys; k++) fp_output_learn(&r->outputs[k], b.count);
    fp_free(room);
    fp_apply_end(&b.applied);
    return status;
}
