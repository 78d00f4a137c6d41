#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "expressions/entry.h"
#include "kernel/check.h"
#include "kernel/type.h"

#include <string.h>

/* ---- functions ---- */

/* Bytes of a converted argument, whatever its type. */
enum { SLOT = 16 };

const void *fp_node_memory(const fp_node *node)
{
    return node->buffer ? (unsigned char *)fp_buffer_memory(node->buffer) + node->first * node->type->size : NULL;
}

/* Binds a parameter that is no operand: a captured value, the same for all elements, or a place. */
static void bind_other(fp_applied *a, size_t k)
{
    const fp_function_parameter *p = &a->signature->parameters[k];
    const fp_captured *c = fp_operator_captured(a->op, p->name, p->length);
    unsigned char *slot = a->slots + k * SLOT;
    a->arguments[k] = slot;
    if (!c && a->around && fp_is_stride(a->op->placed, p->name, p->length)) {
        fp_convert(GPU_ULONG, &(uint64_t){a->line}, p->type, slot);
    } else if (!c) {
        a->places[fp_place_named(a->op->placed, p->name, p->length)] = k;
    } else if (p->array) {
        const void *elements = fp_node_memory(c->array);
        memcpy(slot, &elements, sizeof elements);
    } else {
        const uint64_t length = c->length ? fp_node_most(c->array) : 0;
        const void *value = c->length ? &length : c->large ? fp_node_memory(c->array) : c->bytes;
        if (gpu_type_equal(p->type, c->type) && !c->length)
            a->arguments[k] = value;
        else
            fp_convert(c->type, value, p->type, slot);
    }
}

static void bind_function(fp_applied *a)
{
    const fp_signature *s = a->signature;
    for (size_t k = 0; k < s->count; k++) {
        if (k < a->operands) a->as_is[k] = gpu_type_equal(s->parameters[k].type, a->types[k]) && !s->parameters[k].near;
        if (k >= a->operands) bind_other(a, k);
    }
}

/* The slots, the value and the lists are one block, each aligned as malloc does. */
static gpu_status make_room(fp_applied *a)
{
    size_t count = a->signature->count, value = fp_round_up(a->signature->result->size, SLOT);
    a->slots = fp_alloc(count * (SLOT + sizeof *a->arguments + sizeof *a->strides) + value);
    if (!a->slots) return fp_fail_memory();
    a->value = a->slots + count * SLOT;
    a->arguments = (const unsigned char **)(void *)(a->value + value);
    a->strides = (size_t *)(void *)(a->arguments + count);
    memset(a->strides, 0, count * sizeof *a->strides);
    return GPU_OK;
}

/* Stores values that need a conversion. */
static void store(const fp_applied *a, const void *values, unsigned char *out, size_t count)
{
    const gpu_type given = a->signature->result;
    bool flags[FP_BLOCK];
    if (!a->op->predicate) {
        fp_conversion_of(given, a->result)(values, out, count);
        return;
    }
    fp_conversion_of(given, &fp_type_bool)(values, flags, count);
    for (size_t e = 0; e < count; e++) flags[e] = flags[e] != a->op->negated;
    fp_conversion_of(&fp_type_bool, a->result)(flags, out, count);
}

/* Room for the scalars of a block. */
typedef uint64_t scalars[FP_BLOCK];

static void set_argument(const fp_applied *a, size_t k, const void *elements, size_t stride)
{
    a->arguments[k] = elements;
    a->strides[k] = stride;
}

static void convert_argument(const fp_applied *a, size_t k, gpu_type type, const void *elements, size_t count,
                             void *room)
{
    const gpu_type wanted = a->signature->parameters[k].type;
    fp_conversion_of(type, wanted)(elements, room, count);
    set_argument(a, k, room, wanted->size);
}

static void place_argument(const fp_applied *a, fp_place_name place, uint64_t first, size_t count, uint64_t *room)
{
    scalars places;
    for (size_t e = 0; e < count; e++) places[e] = fp_operator_place(a->op, place, first + e);
    convert_argument(a, a->places[place], GPU_ULONG, places, count, room);
}

/* The addresses of elements that are neighbours. */
static void point_argument(const fp_applied *a, size_t k, const unsigned char *elements, size_t stride, size_t count,
                           const unsigned char **room)
{
    for (size_t e = 0; e < count; e++) room[e] = elements + e * stride;
    set_argument(a, k, room, sizeof *room);
}

/* If arguments or results are converted, these are at most FP_BLOCK elements. */
static void call_block(const fp_applied *a, const fp_stretch *s)
{
    scalars operands[FP_INPUTS], places[FP_PLACES], values;
    const unsigned char *pointers[FP_BLOCK];
    for (unsigned k = 0; k < a->operands; k++) {
        if (a->as_is[k]) set_argument(a, k, s->in[k], s->stride[k]);
        if (a->signature->parameters[k].near)
            point_argument(a, k, s->in[k], s->stride[k], s->count, pointers);
        else if (!a->as_is[k])
            convert_argument(a, k, a->types[k], s->in[k], s->count, operands[k]);
    }
    for (unsigned p = 0; p < FP_PLACES; p++)
        if (a->places[p]) place_argument(a, (fp_place_name)p, s->index, s->count, places[p]);
    fp_call_loop(a->call, &(fp_loop_places){.out = a->converts ? (unsigned char *)values : s->out,
                                            .out_stride = a->converts ? a->signature->result->size : s->out_stride,
                                            .in = a->arguments,
                                            .stride = a->strides,
                                            .count = s->count,
                                            .value = a->value});
    if (a->converts) store(a, values, s->out, s->count);
}

/* Are all elements passed on as they are? */
static bool is_plain(const fp_applied *a)
{
    bool plain = !a->converts;
    for (unsigned p = 0; p < FP_PLACES; p++) plain = plain && !a->places[p];
    for (unsigned k = 0; k < a->operands; k++) plain = plain && a->as_is[k];
    return plain;
}

static size_t block_of(const fp_applied *a, const fp_stretch *s)
{
    bool together = s->out_stride == a->result->size && s->in[0] != s->out && s->in[0] + s->out_stride != s->out;
    for (unsigned k = 0; k < a->operands; k++) together = together && s->stride[k] == a->types[k]->size;
    return together ? FP_BLOCK : 1;
}

void fp_apply_blocks(const fp_applied *a, const fp_stretch *s, fp_native *of_block)
{
    const size_t block = block_of(a, s);
    fp_stretch part = *s;
    for (size_t left = s->count; left; left -= part.count) {
        part.count = left < block ? left : block;
        of_block(a, &part);
        part.out += part.count * s->out_stride;
        part.index += part.count;
        for (unsigned k = 0; k < a->operands; k++) part.in[k] += part.count * s->stride[k];
    }
}

void fp_apply_lanes(const fp_applied *a, const fp_stretch *s, fp_native *of_block)
{
    const size_t size = fp_type_scalar(a->result)->size, lanes = a->result->size / size;
    const size_t block = block_of(a, s) == FP_BLOCK ? s->count : 1;
    fp_applied of_lanes = *a;
    fp_stretch part = *s;
    of_lanes.result = fp_type_scalar(a->result);
    part.out_stride = size;
    part.count = block * lanes;
    for (unsigned k = 0; k < a->operands; k++) of_lanes.types[k] = fp_type_scalar(a->types[k]);
    for (unsigned k = 0; k < a->operands; k++) part.stride[k] = of_lanes.types[k]->size;
    for (size_t e = 0; e < s->count; e += block) {
        part.out = s->out + e * s->out_stride;
        for (unsigned k = 0; k < a->operands; k++) part.in[k] = s->in[k] + e * s->stride[k];
        fp_apply_blocks(&of_lanes, &part, of_block);
    }
}

static void call(const fp_applied *a, const fp_stretch *s)
{
    if (is_plain(a))
        call_block(a, s);
    else
        fp_apply_blocks(a, s, call_block);
}

/* ---- all operators ---- */

gpu_status fp_host_fail(const char *operation)
{
    return fp_fail(GPU_E_DEVICE, "the host device does not have %s yet: open an OpenCL device for it", operation);
}

/* A failure begins with the operation that needed the operator. It names the operator's own operation if that is
 * another one. */
static gpu_status fail_text(const fp_operator *op, const fp_expression *x)
{
    const char *text = op->snippet->text;
    const int length = (int)strcspn(text, "\n"), shown = length < 60 ? length : 60;
    fp_text out = {0};
    if (op->builtin) return fp_host_fail(op->operation);
    if (op->place.file && strcmp(op->operation, fp_operation()))
        fp_text_print(&out, "%s:%d: in %s: ", op->place.file, op->place.line, op->operation);
    if (x->wrong) {
        fp_text_put(&out, x->wrong);
        fp_snippet_point(text, x->wrong_at, &out);
    } else {
        fp_text_print(&out, "the operator \"%.*s%s\" does not run on the host: make it a GPU_FUNCTION ", shown, text,
                      text[shown] ? "..." : "");
        fp_text_put(&out, "(firepile/device.h lists the texts that do)");
    }
    return fp_fail_text(GPU_E_SNIPPET, &out);
}

/* A bool needs no conversion to a flag. */
static bool is_stored_as_is(const fp_applied *a)
{
    gpu_type given = a->signature->result;
    if (a->op->predicate) return given == &fp_type_bool && a->result == GPU_UCHAR && !a->op->negated;
    return gpu_type_equal(given, a->result);
}

fp_applied fp_applied_to(const fp_node *node)
{
    if (node->kind == FP_NODE_FIND) return fp_applied_to_two(node->op, node->inputs[0]->type);
    fp_applied a = {.op = node->op,
                    .result = fp_node_filters(node) ? GPU_UCHAR : node->type,
                    .combines = node->op->combines,
                    .around = node->kind == FP_NODE_STENCIL};
    for (; a.operands < FP_INPUTS && node->inputs[a.operands]; a.operands++)
        a.types[a.operands] = node->inputs[a.operands]->type;
    return a;
}

fp_applied fp_applied_to_one(const fp_request *r, unsigned k)
{
    return (fp_applied){.op = r->maps[k], .result = r->types[k], .types = {r->input.node->type}, .operands = 1};
}

fp_applied fp_applied_to_two(const fp_operator *op, gpu_type type)
{
    return (fp_applied){
        .op = op, .result = op->predicate ? GPU_UCHAR : type, .types = {type, type}, .operands = 2, .combines = true};
}

fp_applied fp_applied_to_map(const fp_operator *op, gpu_type type)
{
    return (fp_applied){.op = op->map, .result = type, .types = {type, type}, .operands = 2};
}

static gpu_status begin_text(fp_applied *a)
{
    fp_expression expression = {.wrong = NULL};
    if (!fp_native_find(a, &expression)) return fail_text(a->op, &expression);
    return a->native == fp_expression_apply ? fp_expression_begin(a, &expression) : GPU_OK;
}

gpu_status fp_apply_begin(fp_applied *a)
{
    const fp_snippet *snippet = a->op->snippet;
    if (!snippet->function) return begin_text(a);
    a->signature = snippet->signature;
    gpu_status status = fp_host_call(snippet->signature, &a->call);
    if (!status) status = make_room(a);
    if (status) return status;
    bind_function(a);
    a->converts = !is_stored_as_is(a);
    return GPU_OK;
}

void fp_apply(const fp_applied *applied, const fp_stretch *s)
{
    if (applied->native)
        applied->native(applied, s);
    else
        call(applied, s);
}

bool fp_comes_before(const fp_applied *less, const unsigned char *a, const unsigned char *b)
{
    unsigned char yes;
    fp_apply(less, &(fp_stretch){.out = &yes, .in = {a, b}, .count = 1});
    return yes;
}

void fp_apply_end(fp_applied *applied)
{
    fp_free(applied->slots);
    applied->slots = NULL;
}
