/* Computes the terms of expressions (Note [expressions on the host]). */
#include "base/error.h"
#include "base/memory.h"
#include "host/internal.h"

#include <string.h>

/* The room of a term. */
enum { ROOM = FP_BLOCK * sizeof(uint64_t) };

static void fill(const void *value, size_t size, unsigned char *out)
{
    for (size_t e = 0; e < FP_BLOCK; e++) memcpy(out + e * size, value, size);
}

/* The terms' rooms and the expression are one block. */
gpu_status fp_expression_begin(fp_applied *a, const fp_expression *x)
{
    static const uint64_t none;
    a->slots = fp_alloc(x->count * ROOM + sizeof *x);
    if (!a->slots) return fp_fail_memory();
    a->expression = memcpy(a->slots + x->count * ROOM, x, sizeof *x);
    for (unsigned k = 0; k < x->count; k++) {
        const fp_term *t = &x->terms[k];
        const bool is_length = t->kind == FP_TERM_ELEMENT && t->captured->length;
        const uint64_t length = is_length ? fp_node_most(t->captured->array) : 0;
        const unsigned char *element =
            t->kind == FP_TERM_ELEMENT && !is_length ? fp_node_memory(t->captured->array) : NULL;
        if (t->kind == FP_TERM_CONSTANT) fill(t->bytes, t->type->size, a->slots + k * ROOM);
        if (t->kind != FP_TERM_ELEMENT) continue;
        const void *value = is_length ? &length : element ? (const void *)(element + t->offset) : &none;
        fill(value, t->type->size, a->slots + k * ROOM);
    }
    return GPU_OK;
}

static void fill_places(const fp_operator *op, fp_place_name place, uint64_t first, size_t count, uint64_t *out)
{
    for (size_t e = 0; e < count; e++) out[e] = fp_operator_place(op, place, first + e);
}

/* Copies scalars that lie `from_stride` and `to_stride` bytes apart. */
static void copy_members(const unsigned char *from, size_t from_stride, unsigned char *to, size_t to_stride,
                         size_t size, size_t count)
{
    for (size_t e = 0; e < count; e++) fp_copy_element(to + e * to_stride, from + e * from_stride, size);
}

/* The bytes between members are zero. */
static void store_members(const fp_applied *a, const fp_stretch *s, const void *const *at)
{
    const fp_expression *x = a->expression;
    for (size_t e = 0; e < s->count; e++) memset(s->out + e * s->out_stride, 0, a->result->size);
    for (const fp_stored *m = x->members; m < x->members + x->member_count; m++) {
        const size_t size = x->terms[m->term].type->size;
        copy_members(at[m->term], size, s->out + m->offset, s->out_stride, size, s->count);
    }
}

/* Terms of a block: the last one becomes the result, or some are its members. */
static void compute_block(const fp_applied *a, const fp_stretch *s)
{
    const fp_expression *x = a->expression;
    const void *at[FP_MOST_TERMS];
    for (unsigned k = 0; k < x->count; k++) {
        const fp_term *t = &x->terms[k];
        const unsigned *in = t->in;
        void *out = k + 1 == x->count && !x->member_count ? s->out : a->slots + k * ROOM;
        at[k] = out;
        if (t->kind == FP_TERM_OPERAND) at[k] = s->in[in[0]];
        if (t->kind == FP_TERM_NEIGHBOUR) at[k] = s->in[0] + t->away * (ptrdiff_t)t->type->size;
        if (t->kind == FP_TERM_MEMBER)
            copy_members(s->in[in[0]] + t->offset, s->stride[in[0]], out, t->type->size, t->type->size, s->count);
        if (t->kind == FP_TERM_PLACE) fill_places(a->op, t->place, s->index, s->count, out);
        if (t->kind == FP_TERM_CONVERT) t->convert(at[in[0]], out, s->count);
        if (t->kind == FP_TERM_COMPUTE) t->compute(at[in[0]], at[in[1]], out, s->count);
        if (t->kind == FP_TERM_CHOOSE) fp_compute_choose(at[in[0]], at[in[1]], at[in[2]], t->type->size, out, s->count);
    }
    if (x->member_count) store_members(a, s, at);
}

void fp_expression_apply(const fp_applied *a, const fp_stretch *s)
{
    if (a->result->width > 1 && !a->expression->member_count)
        fp_apply_lanes(a, s, compute_block);
    else
        fp_apply_blocks(a, s, compute_block);
}
