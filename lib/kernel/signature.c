#include "kernel/signature.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/definition.h"
#include "kernel/lex.h"
#include "kernel/type.h"

#include <string.h>

/* A declaration while it is read: "const particle p", or the return type, which has no name. */
typedef struct declaration {
    const gpu_definition *function;
    bool is_parameter, is_first;
    fp_slice text;
    fp_slice name;
    fp_text type; /* its words, one blank between, without those that do not matter to a caller */
    bool global, local, constant, pointer;
} declaration;

static gpu_status refuse(const declaration *d, fp_slice what, const char *why)
{
    const gpu_definition *f = d->function;
    return fp_fail(GPU_E_TYPE, "%s (%s:%d) cannot be %s: %s \"%.*s\": '%.*s' %s", f->name, fp_definition_file(f),
                   f->place.line, f->kind == GPU_DEFINES_KERNEL ? "a kernel" : "an operator",
                   d->is_parameter ? "its parameter" : "its result", (int)d->text.length, d->text.bytes,
                   (int)what.length, what.bytes, why);
}

static bool is_qualifier(fp_slice word)
{
    return fp_slice_is(word, "const") || fp_slice_is(word, "volatile") || fp_slice_is(word, "register") ||
           fp_slice_is(word, "restrict");
}

static bool is_device_function(const declaration *d)
{
    return d->function->kind == GPU_DEFINES_DEVICE_FUNCTION;
}

static bool is_kernel(const declaration *d)
{
    return d->function->kind == GPU_DEFINES_KERNEL;
}

/* Adds a word that stands before the name. */
static void add_word(declaration *d, fp_slice word)
{
    bool global = fp_slice_is(word, "GPU_GLOBAL") || fp_slice_is(word, "__global") ||
                  (fp_slice_is(word, "global") && is_device_function(d));
    const bool local = fp_slice_is(word, "GPU_LOCAL_MEMORY") && is_kernel(d);
    d->global |= global;
    d->local |= local;
    d->constant |= fp_slice_is(word, "const") && !d->pointer;
    if (!word.length || global || local || is_qualifier(word)) return;
    if (d->type.length) fp_text_put(&d->type, " ");
    fp_text_add(&d->type, word.bytes, word.length);
}

static gpu_status refuse_token(const declaration *d, fp_slice token)
{
    return refuse(d, token,
                  "is not expected: only values are passed, and captured arrays; write a type and a name, or "
                  "GPU_GLOBAL const float *name");
}

/* A pointer leads to a captured array, whose elements nobody changes; the first one may lead to a stencil's element. */
static gpu_status check_pointer(const declaration *d)
{
    if (is_kernel(d) && d->pointer != (d->global || d->local))
        return refuse(d, d->text,
                      "is no parameter of a kernel: write GPU_GLOBAL const float *name for an array, GPU_GLOBAL float "
                      "*name for a result, GPU_LOCAL_MEMORY float *name for local memory, float name for a value");
    if (is_kernel(d)) return GPU_OK;
    if (d->pointer && !d->global && !(d->is_first && d->constant))
        return refuse(d, d->name,
                      "is a pointer, and captured arrays lie in global memory: write GPU_GLOBAL const float *name");
    if (d->pointer && !d->constant)
        return refuse(d, d->name,
                      "points to elements that could be changed, and captured arrays are not: write "
                      "GPU_GLOBAL const float *name");
    return d->global && !d->pointer ? refuse_token(d, d->text) : GPU_OK;
}

/* Splits the text: the words of the type, then a parameter's name. */
static gpu_status split(declaration *d)
{
    fp_slice last = {"", 0};
    for (size_t at = 0;;) {
        fp_token t = fp_lex(d->text.bytes, at);
        if (t.kind == FP_TOKEN_END || t.offset >= d->text.length) break;
        fp_slice token = fp_token_slice(d->text.bytes, t);
        add_word(d, last);
        bool star = fp_token_is(d->text.bytes, t, '*') && d->is_parameter && !d->pointer;
        if (t.kind != FP_TOKEN_WORD && !star) return refuse_token(d, token);
        d->pointer |= star;
        last = star ? (fp_slice){"", 0} : token;
        at = t.offset + t.length;
    }
    if (d->is_parameter) {
        d->name = last;
    } else {
        add_word(d, last);
    }
    if (d->type.failed) return fp_fail_memory();
    gpu_status status = check_pointer(d);
    return status || d->type.length ? status : refuse(d, last, "stands alone: write a type and a name");
}

/* Types that functions may have and elements may not. */
static gpu_type other_type(fp_slice name)
{
    static const struct {
        const char *name;
        gpu_type small, large; /* as wide as an address */
    } others[] = {{"bool", &fp_type_bool, &fp_type_bool}, {"_Bool", &fp_type_bool, &fp_type_bool},
                  {"size_t", GPU_UINT, GPU_ULONG},        {"uintptr_t", GPU_UINT, GPU_ULONG},
                  {"ptrdiff_t", GPU_INT, GPU_LONG},       {"intptr_t", GPU_INT, GPU_LONG}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (fp_slice_is(name, others[k].name)) return sizeof(size_t) == 8 ? others[k].large : others[k].small;
    return NULL;
}

/* "long" has 8 bytes on devices. On hosts where it has less, the function's type is another one. */
static bool is_shorter_on_host(fp_slice type)
{
    const char *first = strstr(type.bytes, "long");
    bool is_long = fp_slice_is(type, "ulong") || (first && !strstr(first + 4, "long"));
    return sizeof(long) != 8 && is_long;
}

/* Refuses a type that has another meaning on the host, or none. */
static gpu_status check_both_sides(const declaration *d, fp_slice type, gpu_type found)
{
    if (is_device_function(d)) return GPU_OK;
    if (found->width > 1 && strncmp(type.bytes, "gpu_", 4))
        return refuse(d, type, "is a type of the device alone: write gpu_ before it");
    if (fp_type_is_scalar(found) && is_shorter_on_host(type))
        return refuse(d, type, "has other sizes on host and device: write int64_t or uint64_t");
    return GPU_OK;
}

static gpu_status refuse_type(const declaration *d, fp_slice type)
{
    if (fp_slice_is(type, "void"))
        return refuse(d, type, "is no type of a value: an operator returns what it computes");
    if (is_device_function(d))
        return refuse(d, type,
                      "is no element type: write char ... double, float4 or its like, bool, size_t, or the name of a "
                      "GPU_STRUCT");
    return refuse(d, type,
                  "is no type of both host and device: write char ... double, int8_t ... uint64_t, bool, "
                  "size_t, gpu_float4 or its like, or the name of a GPU_STRUCT");
}

static gpu_status find_type(const declaration *d, gpu_type *out)
{
    fp_slice type = {fp_text_string(&d->type), d->type.length};
    *out = other_type(type);
    if (!*out) *out = fp_type_named(type.bytes, type.length);
    if (*out) return check_both_sides(d, type, *out);
    const gpu_definition *found;
    fp_slice name = strncmp(type.bytes, "struct ", 7) ? type : (fp_slice){type.bytes + 7, type.length - 7};
    gpu_status status = fp_definition_find(name.bytes, name.length, d->function->place.unit, &found);
    if (status) return status;
    if (!found || found->kind != GPU_DEFINES_STRUCT) return refuse_type(d, type);
    return fp_definition_type(found, out);
}

static gpu_status read_declaration(declaration *d, gpu_type *type)
{
    gpu_status status = split(d);
    if (!status) status = find_type(d, type);
    fp_text_free(&d->type);
    return status;
}

static gpu_status read_parameter(fp_signature *s, const char *text, size_t begin, size_t end)
{
    begin = fp_lex(text, begin).offset;
    declaration d = {
        .function = s->function, .is_parameter = true, .is_first = !s->count, .text = {text + begin, end - begin}};
    if (s->count == FP_MOST_PARAMETERS)
        return refuse(&d, d.text, "is one parameter too many: pass a struct with more than one of them");
    gpu_type type;
    gpu_status status = read_declaration(&d, &type);
    if (!status)
        s->parameters[s->count++] = (fp_function_parameter){.name = d.name.bytes,
                                                            .length = d.name.length,
                                                            .type = type,
                                                            .array = d.global,
                                                            .near = d.pointer && !d.global && !d.local,
                                                            .local = d.local,
                                                            .written = d.pointer && !d.constant};
    return status;
}

/* "()" and "(void)" */
static bool is_empty(const char *text)
{
    fp_token first = fp_lex(text, 1);
    if (fp_token_is_word(text, first, "void")) first = fp_next(text, first);
    return fp_token_is(text, first, ')');
}

/* "(float a, float b)" */
static gpu_status read_parameters(fp_signature *s)
{
    const char *text = s->function->parameters;
    gpu_status status = GPU_OK;
    size_t begin = fp_lex(text, 0).offset + 1, depth = 1;
    if (is_empty(text)) return GPU_OK;
    for (fp_token t = fp_lex(text, begin); t.kind != FP_TOKEN_END && !status; t = fp_next(text, t)) {
        depth += fp_token_in(text, t, "([");
        depth -= fp_token_in(text, t, ")]");
        bool ends = (fp_token_is(text, t, ',') && depth == 1) || depth == 0;
        if (ends) status = read_parameter(s, text, begin, t.offset);
        if (ends) begin = t.offset + 1;
        if (depth == 0) break;
    }
    return status;
}

gpu_status fp_signature_new(const gpu_definition *function, fp_signature **out)
{
    fp_signature *made = fp_alloc(sizeof *made + FP_MOST_PARAMETERS * sizeof *made->parameters);
    if (!made) return fp_fail_memory();
    declaration d = {.function = function, .text = {function->result, strlen(function->result)}};
    made->function = function;
    /* A kernel returns nothing, and is called as if that were an int. */
    made->result = GPU_INT;
    gpu_status status = is_kernel(&d) ? GPU_OK : read_declaration(&d, &made->result);
    if (!status) status = read_parameters(made);
    if (status) fp_signature_free(made);
    if (!status) *out = made;
    return status;
}

void fp_signature_free(fp_signature *signature)
{
    if (signature) fp_call_free(signature->call);
    fp_free(signature);
}
