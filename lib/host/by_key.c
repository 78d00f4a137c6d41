#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

typedef struct by_key {
    fp_applied applied;
    const fp_host_keyed *runs;
    size_t pair, second, mark; /* bytes of a pair, and where its key and its mark lie */
    unsigned char *value; /* of the run up to here: a place of its own, or, while all are stored, the last of them */
    unsigned char *out, *keys; /* where the next ones go */
    uint64_t count;            /* of runs */
} by_key;

static bool begins(const by_key *b, const unsigned char *pair)
{
    uint32_t mark;
    memcpy(&mark, pair + b->mark, sizeof mark);
    return mark != 0;
}

/* Of a reduction: the value of the run that is over, if there was one. */
static void end_run(by_key *b)
{
    const fp_host_keyed *r = b->runs;
    if (!b->count) return;
    if (r->result == r->value) memcpy(b->out, b->value, r->value->size);
    if (r->result != r->value) fp_convert(r->value, b->value, r->result, b->out);
    b->out += r->result->size;
}

static void begin_run(by_key *b, const unsigned char *pair)
{
    const fp_host_keyed *r = b->runs;
    if (r->keys) {
        end_run(b);
        memcpy(b->keys, pair + b->second, r->key->size);
        b->keys += r->key->size;
    } else {
        b->value = b->out;
        b->out += r->value->size;
    }
    memcpy(b->value, pair, r->value->size);
    b->count++;
}

static void go_on(by_key *b, const unsigned char *pairs, size_t count)
{
    size_t step = b->runs->keys ? 0 : b->runs->value->size;
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
    if (!status && b->runs->keys) end_run(b);
    return status;
}

/* The room was for as many runs as pairs. */
static void tell(const fp_host_keyed *r, uint64_t count)
{
    fp_buffer_cut(r->out, (size_t)count * r->result->size);
    fp_buffer_cut(r->keys, (size_t)count * r->key->size);
    fp_count_tell(r->count, count);
}

gpu_status fp_host_by_key(fp_node *pairs, const fp_host_keyed *r)
{
    const gpu_type types[] = {r->value, r->value};
    by_key b = {.runs = r,
                .pair = pairs->type->size,
                .second = fp_pair_second(r->value, r->key),
                .mark = fp_pair_mark(r->value, r->key),
                .out = fp_buffer_memory(r->out),
                .keys = r->keys ? fp_buffer_memory(r->keys) : NULL};
    gpu_status status = fp_apply_begin(r->op, r->value, types, 2, true, &b.applied);
    if (status) return status;
    unsigned char *room = fp_alloc(r->value->size);
    b.value = room;
    status = room ? run_in_a_row(&b, pairs) : fp_fail_memory();
    if (!status && r->keys) tell(r, b.count);
    fp_free(room);
    fp_apply_end(&b.applied);
    return status;
}
