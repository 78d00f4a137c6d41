/* Functions as operators: what they declare against what they are given.
 *
 * Note [functions]: all of this is asked when the call is made, of every function, whatever device there is and
 * however many elements: nothing of it may depend on which side computes. A scalar is converted only where its new
 * type holds each of its values; an integer may become a floating number, which rounds it, and the index any
 * integer. Snippets convert as C does. */
#include "expressions/node.h"

#include "base/error.h"
#include "base/text.h"
#include "expressions/entry.h"
#include "expressions/types.h"
#include "kernel/signature.h"
#include "kernel/type.h"

#include <string.h>

/* A parameter and its argument. */
typedef struct argument {
    const gpu_definition *function;
    const fp_function_parameter *parameter;
    gpu_type type;
    bool array;
    bool near;
    bool captured;
} argument;

/* May a value of `from` be passed as one of `type`, or returned? */
static bool converts(gpu_type type, gpu_type from)
{
    return gpu_type_equal(type, from) ||
           (fp_type_is_scalar(type) && fp_type_is_scalar(from) && fp_type_holds(type, from));
}

/* ---- messages ---- */

/* "GPU_FLOAT2", "GPU_TYPE(particle)" */
static void put_macro(fp_text *out, gpu_type type)
{
    bool is_struct = type->kind == GPU_KIND_STRUCT;
    fp_text_put(out, is_struct ? "GPU_TYPE(" : "GPU_");
    for (const char *c = type->name; *c; c++)
        fp_text_print(out, "%c", *c >= 'a' && *c <= 'z' && !is_struct ? *c - 'a' + 'A' : *c);
    if (is_struct) fp_text_put(out, ")");
}

/* "float", "gpu_float2": as the function would declare it. */
static void put_declared(fp_text *out, const gpu_definition *function, gpu_type type)
{
    bool vector = type->kind != GPU_KIND_STRUCT && type->width > 1;
    fp_text_print(out, "%s%s", vector && function->kind == GPU_DEFINES_FUNCTION ? "gpu_" : "", type->name);
}

/* "weigh(float x) (main.c:3)" */
static void put_function(fp_text *out, const gpu_definition *f)
{
    fp_text_print(out, "%s%s (%s:%d)", f->name, f->parameters, f->place.file ? f->place.file : "(unknown file)",
                  f->place.line);
}

/* ": ", and why two scalars do not fit. */
static void put_reason(fp_text *out, gpu_type type, gpu_type from)
{
    fp_text_put(out, ": ");
    if (fp_type_is_scalar(type) && fp_type_is_scalar(from))
        fp_text_print(out, "%s does not hold all values of %s; ", type->name, from->name);
}

static void put_advice(fp_text *out, const argument *a)
{
    const fp_function_parameter *p = a->parameter;
    if (p->array || a->array) fp_text_put(out, ": ");
    if (!p->array && !a->array) put_reason(out, p->type, a->type);
    fp_text_put(out, "declare it as ");
    if (a->array) fp_text_put(out, "GPU_GLOBAL const ");
    put_declared(out, a->function, a->type);
    fp_text_print(out, "%s%.*s, or ", a->array ? " *" : " ", (int)p->length, p->name);
    if (p->array != a->array || (a->captured && !a->array)) {
        fp_text_print(out, "capture %s", p->array ? "a gpu_array of " : "a ");
        put_declared(out, a->function, p->type);
    } else {
        fp_text_put(out, "convert the elements first: gpu_map_to(array, ");
        if (p->type == &fp_type_bool) fp_text_put(out, "GPU_UCHAR");
        if (p->type != &fp_type_bool) put_macro(out, p->type);
        fp_text_put(out, ", ...)");
    }
}

static gpu_status refuse_argument(const argument *a)
{
    fp_text text = {0};
    const fp_function_parameter *p = a->parameter;
    fp_text_print(&text, "the parameter '%.*s' of ", (int)p->length, p->name);
    put_function(&text, a->function);
    fp_text_print(&text, " is %s %s, and gets %s%s", p->array ? "an array of" : "of type", p->type->name,
                  a->array ? "an array of " : "", a->type->name);
    put_advice(&text, a);
    return fp_fail_text(GPU_E_TYPE, &text);
}

static bool fits_near(const argument *a)
{
    return a->near && a->parameter->near && gpu_type_equal(a->parameter->type, a->type);
}

static gpu_status refuse_near(const argument *a)
{
    fp_text text = {0};
    const fp_function_parameter *p = a->parameter;
    const int length = (int)p->length;
    fp_text_print(&text, "the parameter '%.*s' of ", length, p->name);
    put_function(&text, a->function);
    fp_text_put(&text, a->near ? " gets the neighbours of an element: declare it as const "
                               : " is a pointer, which only stencils pass: declare it as ");
    put_declared(&text, a->function, a->type);
    fp_text_print(&text, a->near ? " *%.*s" : " %.*s", length, p->name);
    if (!a->near) fp_text_put(&text, ", or of a captured array as GPU_GLOBAL const ");
    if (!a->near) put_declared(&text, a->function, p->type);
    if (!a->near) fp_text_print(&text, " *%.*s", length, p->name);
    return fp_fail_text(GPU_E_TYPE, &text);
}

/* The call names the type of the result, or an output has it, or it is the type of the operands. */
static void put_result_advice(fp_text *out, const gpu_definition *f, gpu_type given, const fp_operator_kind *kind)
{
    bool map = strstr(kind->operation, "_map"), output = strstr(kind->operation, "_reduce_all");
    gpu_type wanted = given == &fp_type_bool ? GPU_UCHAR : given;
    fp_text_put(out, "declare it as ");
    put_declared(out, f, kind->result);
    if (output && map) {
        fp_text_print(out, ", or take an output of type %s", wanted->name);
    } else if (kind->traits & FP_OPERATOR_INDEX) {
        fp_text_print(out, ", or keep what it returns: %s%s(..., ", kind->operation, map ? "_to" : "");
        put_macro(out, wanted);
        fp_text_print(out, ", %s)", f->name);
    } else {
        fp_text_put(out, ", or make elements of its type first: gpu_map_to(array, ");
        put_macro(out, wanted);
        fp_text_put(out, ", ...)");
    }
}

static gpu_status refuse_result(const gpu_definition *f, gpu_type given, const fp_operator_kind *kind)
{
    fp_text text = {0};
    fp_text_put(&text, "the result of ");
    put_function(&text, f);
    fp_text_print(&text, " is of type %s, and ", given->name);
    if (kind->result) {
        fp_text_print(&text, "the elements are %s", kind->result->name);
        put_reason(&text, kind->result, given);
        put_result_advice(&text, f, given, kind);
    } else {
        fp_text_print(&text, "%s asks for yes or no: return a bool or another scalar", kind->operation);
    }
    return fp_fail_text(GPU_E_TYPE, &text);
}

/* "gpu_reduce passes 2 values" */
static void put_passed(fp_text *out, const fp_operator_kind *kind)
{
    fp_text_print(out, "%s passes ", kind->operation);
    if (kind->traits & FP_OPERATOR_KEYED)
        fp_text_put(out, "a key and a value");
    else if (kind->traits & FP_OPERATOR_AROUND)
        fp_text_put(out, "a pointer to an element among its neighbours");
    else
        fp_text_print(out, "%u value%s", kind->operands, kind->operands == 1 ? "" : "s");
}

static gpu_status refuse_count(const fp_signature *s, const fp_operator_kind *kind)
{
    fp_text text = {0};
    const char *other = fp_operation_of(kind, s->count);
    fp_text_put(&text, "the operator ");
    put_function(&text, s->function);
    fp_text_print(&text, " takes %zu value%s, and ", s->count, s->count == 1 ? "" : "s");
    put_passed(&text, kind);
    if (other) fp_text_print(&text, ": call %s, which passes %zu", other, s->count);
    return fp_fail_text(GPU_E_ARGUMENT, &text);
}

static bool is_place(const fp_function_parameter *p, const fp_operator_kind *kind)
{
    const bool placed = kind->traits & FP_OPERATOR_PLACED;
    if (kind->traits & FP_OPERATOR_AROUND && fp_is_stride(placed, p->name, p->length)) return true;
    return (kind->traits & FP_OPERATOR_INDEX) && fp_place_named(placed, p->name, p->length) < FP_PLACES;
}

/* Is the parameter a captured value or a place? */
static bool is_known(const fp_operator *op, const fp_function_parameter *p, const fp_operator_kind *kind)
{
    return is_place(p, kind) || fp_operator_captured(op, p->name, p->length);
}

static gpu_status refuse_missing(const fp_operator *op, const fp_function_parameter *p, const fp_operator_kind *kind)
{
    const fp_signature *s = op->snippet->signature;
    fp_text text = {0};
    size_t values = kind->operands;
    for (size_t k = kind->operands; k < s->count; k++) values += !is_known(op, &s->parameters[k], kind);
    const int length = (int)p->length;
    const bool is_letter = p->length == 1 && strchr("xyziab", *p->name);
    const char *other = fp_operation_of(kind, values);
    fp_text_put(&text, "the operator ");
    put_function(&text, s->function);
    fp_text_print(&text, " has a parameter '%.*s' that is no operand: ", length, p->name);
    put_passed(&text, kind);
    if (p->length == 1 && *p->name == 'i') fp_text_put(&text, " and no index");
    if (other) fp_text_print(&text, "; call %s, which passes %zu", other, values);
    if (!is_letter)
        fp_text_print(&text, "%s capture a value of that name with GPU_ARG(%.*s)", other ? ", or" : ";", length,
                      p->name);
    else if (!other)
        fp_text_print(&text, "; to capture a value, call it something else than '%c'", *p->name);
    return fp_fail_text(GPU_E_ARGUMENT, &text);
}

/* ---- checks ---- */

static gpu_status check_type(gpu *g, gpu_type type)
{
    return fp_gpu_check_type(g, &type);
}

static gpu_status check_argument(gpu *g, const argument *a)
{
    const fp_function_parameter *p = a->parameter;
    if (p->near || a->near) return fits_near(a) ? check_type(g, p->type) : refuse_near(a);
    bool fits = p->array == a->array && (a->array ? gpu_type_equal(p->type, a->type) : converts(p->type, a->type));
    return fits ? check_type(g, p->type) : refuse_argument(a);
}

/* Each parameter is an operand, a captured value or a place. */
static gpu_status check_names(const fp_operator *op, const fp_operator_kind *kind)
{
    const fp_signature *s = op->snippet->signature;
    if (s->count < kind->operands) return refuse_count(s, kind);
    for (size_t k = kind->operands; k < s->count; k++) {
        const fp_function_parameter *p = &s->parameters[k];
        if (!is_known(op, p, kind)) return refuse_missing(op, p, kind);
    }
    return GPU_OK;
}

/* A place may become any scalar. */
static gpu_status check_other(gpu *g, const fp_operator *op, const fp_function_parameter *p)
{
    const fp_captured *c = fp_operator_captured(op, p->name, p->length);
    if (!c && !p->array && fp_type_is_scalar(p->type) && p->type != &fp_type_bool) return check_type(g, p->type);
    const argument a = {.function = op->snippet->function,
                        .parameter = p,
                        .type = c ? c->type : GPU_ULONG,
                        .array = c && c->array && !c->large && !c->length,
                        .captured = c != NULL};
    return check_argument(g, &a);
}

static gpu_status check_result(gpu *g, const fp_signature *s, const fp_operator_kind *kind)
{
    bool fits = kind->result ? converts(kind->result, s->result) : fp_type_is_scalar(s->result);
    return fits ? check_type(g, s->result) : refuse_result(s->function, s->result, kind);
}

gpu_status fp_function_check(gpu *g, const fp_operator *op, const fp_operator_kind *kind)
{
    const fp_signature *s = op->snippet->signature;
    gpu_status status = check_names(op, kind);
    for (size_t k = 0; k < s->count && !status; k++) {
        const fp_function_parameter *p = &s->parameters[k];
        gpu_type given = k < kind->operands && kind->types[k] ? kind->types[k] : kind->types[0];
        if (k < kind->operands)
            status =
                check_argument(g, &(argument){s->function, p, given, false, kind->traits & FP_OPERATOR_AROUND, false});
        if (k >= kind->operands) status = check_other(g, op, p);
    }
    if (!status) status = check_result(g, s, kind);
    for (size_t k = 0; k < op->snippet->struct_count && !status; k++) status = check_type(g, op->snippet->structs[k]);
    return status;
}
