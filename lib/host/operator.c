#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/type.h"

#include <string.h>

/* ---- conversions ---- */

/* A scalar in the widest type of its kind. */
typedef struct number {
    gpu_kind kind;
    int64_t s;
    uint64_t u;
    double f;
} number;

static number get(gpu_type type, const void *in)
{
    number n = {.kind = type->kind};
#define GET(name, NAME, T, k)                                                                                          \
    if (type == GPU_##NAME) {                                                                                          \
        T value;                                                                                                       \
        memcpy(&value, in, sizeof value);                                                                              \
        if (n.kind == GPU_KIND_SIGNED) n.s = (int64_t)value;                                                           \
        if (n.kind == GPU_KIND_UNSIGNED) n.u = (uint64_t)value;                                                        \
        if (n.kind == GPU_KIND_FLOATING) n.f = (double)value;                                                          \
    }
    GPU_SCALAR_MAP(GET)
#undef GET
    if (type == &fp_type_bool) n.u = *(const bool *)in;
    return n;
}

/* Values out of range become the nearest integer of the type, and NaN becomes 0, as in OpenCL C's convert_int_sat. C
 * leaves it open. */
static int64_t signed_of(double f, size_t bytes)
{
    const int64_t most = INT64_MAX >> (64 - 8 * bytes);
    const double end = (double)(UINT64_C(1) << (8 * bytes - 1)); /* most + 1 */
    if (f != f) return 0;
    return f >= end ? most : f <= -end ? -most - 1 : (int64_t)f;
}

static uint64_t unsigned_of(double f, size_t bytes)
{
    const uint64_t most = UINT64_MAX >> (64 - 8 * bytes);
    const double end = 2 * (double)(UINT64_C(1) << (8 * bytes - 1));
    return f >= end ? most : f > 0 ? (uint64_t)f : 0;
}

void fp_convert(gpu_type from, const void *in, gpu_type to, void *out)
{
    const number n = get(from, in);
#define PUT(name, NAME, T, k)                                                                                          \
    if (to == GPU_##NAME) {                                                                                            \
        const T real = (k) == GPU_KIND_SIGNED     ? (T)signed_of(n.f, sizeof(T))                                       \
                       : (k) == GPU_KIND_UNSIGNED ? (T)unsigned_of(n.f, sizeof(T))                                     \
                                                  : (T)n.f;                                                            \
        const T value = n.kind == GPU_KIND_SIGNED ? (T)n.s : n.kind == GPU_KIND_UNSIGNED ? (T)n.u : real;              \
        memcpy(out, &value, sizeof value);                                                                             \
    }
    GPU_SCALAR_MAP(PUT)
#undef PUT
    if (to == &fp_type_bool) *(bool *)out = n.s || n.u || n.f != 0;
}

/* ---- functions ---- */

/* Bytes of a converted argument, whatever its type. */
enum { SLOT = 16 };

/* Sets the address of an argument: the value itself, a converted copy, or of a stencil's element its address. */
static void set_argument(const fp_applied *a, size_t k, gpu_type type, const void *value, bool as_is)
{
    if (a->signature->parameters[k].near) {
        a->arguments[k] = memcpy(a->slots + k * SLOT, &value, sizeof value);
        return;
    }
    a->arguments[k] = as_is ? (void *)(uintptr_t)value : a->slots + k * SLOT;
    if (!as_is) fp_convert(type, value, a->signature->parameters[k].type, a->arguments[k]);
}

/* The elements of a captured array; NULL if it is empty. */
static const void *memory_of(const fp_captured *c)
{
    const fp_node *array = c->array;
    return array->buffer ? (unsigned char *)fp_buffer_memory(array->buffer) + array->first * c->type->size : NULL;
}

/* Binds a parameter that is no operand: a captured value, the same for all elements, or the index. */
static void bind_other(fp_applied *a, size_t k)
{
    const fp_function_parameter *p = &a->signature->parameters[k];
    const fp_captured *c = fp_operator_captured(a->op, p->name, p->length);
    if (!c) {
        a->index = k;
    } else if (p->array) {
        const void *elements = memory_of(c);
        a->arguments[k] = memcpy(a->slots + k * SLOT, &elements, sizeof elements);
    } else {
        const uint64_t length = c->length ? fp_node_most(c->array) : 0;
        const bool as_is = gpu_type_equal(p->type, c->type) && !c->length;
        set_argument(a, k, c->type, c->length ? &length : c->large ? memory_of(c) : c->bytes, as_is);
    }
}

static void bind_function(fp_applied *a)
{
    const fp_signature *s = a->signature;
    for (size_t k = 0; k < s->count; k++) {
        if (k < a->operands) a->as_is[k] = gpu_type_equal(s->parameters[k].type, a->types[k]);
        if (k >= a->operands) bind_other(a, k);
    }
}

/* The slots, the value and the list are one block, each aligned as malloc does. */
static gpu_status make_room(fp_applied *a)
{
    size_t count = a->signature->count, value = (a->signature->result->size + SLOT - 1) / SLOT * SLOT;
    a->slots = fp_alloc(count * SLOT + value + count * sizeof *a->arguments);
    if (!a->slots) return fp_fail_memory();
    a->value = a->slots + count * SLOT;
    a->arguments = (void **)(void *)(a->value + value);
    return GPU_OK;
}

static void store(const fp_applied *a, const void *value, unsigned char *out)
{
    bool yes;
    if (a->op->predicate) {
        fp_convert(a->signature->result, value, &fp_type_bool, &yes);
        yes = yes != a->op->negated;
        fp_convert(&fp_type_bool, &yes, a->result, out);
    } else if (a->converts) {
        fp_convert(a->signature->result, value, a->result, out);
    } else {
        memcpy(out, value, a->result->size);
    }
}

/* Calls the function for one element at a time, and converts its value. */
static bool call_and_store(const fp_applied *a, const fp_stretch *s, fp_loop_places *p)
{
    p->out = a->value;
    p->count = 1;
    for (size_t e = 0; e < s->count; e++) {
        if (!fp_call_loop(a->call, p)) return false;
        store(a, a->value, s->out + e * s->out_stride);
        for (size_t k = 0; k < a->signature->count; k++) p->in[k] += p->stride[k];
    }
    return true;
}

/* Calls the function by compiled code for such functions. False: there is none. */
static bool call_loop(const fp_applied *a, const fp_stretch *s)
{
    fp_loop_places p = {.out = s->out, .out_stride = s->out_stride, .count = s->count};
    size_t count = a->signature->count;
    if (a->index || count > FP_LOOP_PARAMETERS) return false;
    for (size_t k = 0; k < count; k++) {
        bool operand = k < a->operands;
        if (operand && (!a->as_is[k] || a->signature->parameters[k].near)) return false;
        p.in[k] = operand ? s->in[k] : a->arguments[k];
        p.stride[k] = operand ? s->stride[k] : 0;
    }
    return a->converts ? call_and_store(a, s, &p) : fp_call_loop(a->call, &p);
}

static void call(const fp_applied *a, const fp_stretch *s)
{
    if (call_loop(a, s)) return;
    for (size_t e = 0; e < s->count; e++) {
        const uint64_t index = s->index + e;
        for (unsigned k = 0; k < a->operands; k++)
            set_argument(a, k, a->types[k], s->in[k] + e * s->stride[k], a->as_is[k]);
        if (a->index) set_argument(a, a->index, GPU_ULONG, &index, false);
        unsigned char *out = s->out + e * s->out_stride;
        bool direct = !a->converts && s->out_stride && s->out != s->in[0] && s->out != s->in[1];
        fp_call_run(a->call, direct ? out : a->value, a->arguments);
        if (!direct) store(a, a->value, out);
    }
}

/* ---- all operators ---- */

gpu_status fp_host_fail(const char *operation)
{
    return fp_fail(GPU_E_DEVICE, "the host device does not have %s yet: open an OpenCL device for it", operation);
}

/* A failure begins with the operation that needed the operator. It names the operator's own operation if that is
 * another one. */
static gpu_status fail_text(const fp_operator *op)
{
    static const char what[] =
        "does not run on the host: make it a GPU_FUNCTION (firepile/device.h lists the texts that do)";
    const char *text = op->snippet->text;
    const int length = (int)strcspn(text, "\n"), shown = length < 60 ? length : 60;
    const char *more = text[shown] ? "..." : "";
    if (op->builtin) return fp_host_fail(op->operation);
    if (!op->place.file || !strcmp(op->operation, fp_operation()))
        return fp_fail(GPU_E_SNIPPET, "the operator \"%.*s%s\" %s", shown, text, more, what);
    return fp_fail(GPU_E_SNIPPET, "%s:%d: in %s: the operator \"%.*s%s\" %s", op->place.file, op->place.line,
                   op->operation, shown, text, more, what);
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
    fp_applied a = {
        .op = node->op, .result = fp_node_filters(node) ? GPU_UCHAR : node->type, .combines = node->op->combines};
    for (; a.operands < FP_INPUTS && node->inputs[a.operands]; a.operands++)
        a.types[a.operands] = node->inputs[a.operands]->type;
    return a;
}

fp_applied fp_applied_to_two(const fp_operator *op, gpu_type type)
{
    return (fp_applied){
        .op = op, .result = op->predicate ? GPU_UCHAR : type, .types = {type, type}, .operands = 2, .combines = true};
}

gpu_status fp_apply_begin(fp_applied *a)
{
    const fp_snippet *snippet = a->op->snippet;
    if (!snippet->function) return fp_native_find(a) ? GPU_OK : fail_text(a->op);
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

void fp_apply_end(fp_applied *applied)
{
    fp_free(applied->slots);
    applied->slots = NULL;
}
