#include "host/signature.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/definition.h"
#include "kernel/layout_tree.h"
#include "kernel/lex.h"
#include "kernel/passed.h"
#include "kernel/type.h"

#include <string.h>

const gpu_type_info fp_type_bool = {
    .name = "bool", .size = sizeof(bool), .align = _Alignof(bool), .kind = GPU_KIND_UNSIGNED, .width = 1};

/* A declaration while it is read: "const particle p", or the return type, which has no name. */
typedef struct declaration {
    const gpu_definition *function;
    bool is_parameter;
    fp_slice text;
    fp_slice name;
    fp_text type; /* its words, without those that change nothing for a caller, one blank between */
    bool global, constant, pointer;
} declaration;

typedef struct reader {
    const gpu_definition *function;
    size_t count;
    fp_function_parameter parameters[FP_MOST_PARAMETERS];
    fp_passed passed[FP_MOST_PARAMETERS];
} reader;

static gpu_status refuse(const declaration *d, fp_slice what, const char *why)
{
    const gpu_definition *f = d->function;
    return fp_fail(GPU_E_TYPE, "%s (%s:%d) cannot be called on the host: %s \"%.*s\": '%.*s' %s", f->name,
                   f->place.file ? f->place.file : "(unknown file)", f->place.line,
                   d->is_parameter ? "its parameter" : "its result", (int)d->text.length, d->text.bytes,
                   (int)what.length, what.bytes, why);
}

static bool is(fp_slice s, const char *string)
{
    return strlen(string) == s.length && memcmp(s.bytes, string, s.length) == 0;
}

static bool is_qualifier(fp_slice word)
{
    return is(word, "const") || is(word, "volatile") || is(word, "register") || is(word, "restrict");
}

/* A word that stands before the name. */
static void add_word(declaration *d, fp_slice word)
{
    bool global = is(word, "GPU_GLOBAL") || is(word, "__global");
    d->global |= global;
    d->constant |= is(word, "const") && !d->pointer;
    if (!word.length || global || is_qualifier(word)) return;
    if (d->type.length) fp_text_put(&d->type, " ");
    fp_text_add(&d->type, word.bytes, word.length);
}

static gpu_status refuse_token(const declaration *d, fp_slice token)
{
    return refuse(d, token,
                  "is not expected: only values are passed, and captured arrays; write a type and a name, or "
                  "GPU_GLOBAL const float *name");
}

/* Takes the text apart: words of the type, then the name if there is to be one. */
static gpu_status split(declaration *d)
{
    fp_slice last = {"", 0};
    for (size_t at = 0;;) {
        fp_token t = fp_lex(d->text.bytes, at);
        if (t.kind == FP_TOKEN_END || t.offset >= d->text.length) break;
        fp_slice token = {d->text.bytes + t.offset, t.length};
        add_word(d, last);
        bool star = fp_token_is(d->text.bytes, t, '*') && d->is_parameter && d->global && d->constant && !d->pointer;
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
    if (d->global != d->pointer) return refuse_token(d, d->text);
    return d->type.length ? GPU_OK : refuse(d, last, "stands alone: write a type and a name");
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
        if (is(name, others[k].name)) return sizeof(size_t) == 8 ? others[k].large : others[k].small;
    return NULL;
}

/* "long" has 8 bytes on devices, and on hosts where it has less the function's type is another one. */
static bool is_shorter_here(fp_slice type)
{
    const char *first = strstr(type.bytes, "long");
    bool is_long = is(type, "ulong") || (first && !strstr(first + 4, "long"));
    return sizeof(long) != 8 && is_long;
}

static gpu_status find_type(const declaration *d, gpu_type *out)
{
    fp_slice type = {fp_text_string(&d->type), d->type.length};
    *out = other_type(type);
    if (!*out) *out = fp_type_named(type.bytes, type.length);
    if (*out && (*out)->width > 1 && strncmp(type.bytes, "gpu_", 4))
        return refuse(d, type, "is a type of the device alone: write gpu_ before it");
    if (*out && fp_type_is_scalar(*out) && is_shorter_here(type))
        return refuse(d, type, "has other sizes on host and device: write int64_t or uint64_t");
    if (*out) return GPU_OK;
    const gpu_definition *found;
    fp_slice name = strncmp(type.bytes, "struct ", 7) ? type : (fp_slice){type.bytes + 7, type.length - 7};
    gpu_status status = fp_definition_find(name.bytes, name.length, d->function->place.unit, &found);
    if (status) return status;
    if (!found || found->kind != GPU_DEFINES_STRUCT)
        return refuse(d, type,
                      "is no type of both host and device: write char ... double, int8_t ... uint64_t, bool, "
                      "size_t, gpu_float4 or its like, or the name of a GPU_STRUCT");
    *out = found->type;
    return GPU_OK;
}

static gpu_status describe(const declaration *d, gpu_type type, fp_passed *out)
{
    *out = fp_passed_pointer;
    if (d->pointer) return GPU_OK;
    gpu_status status = fp_passed_of(type, out);
    const char *why_not;
    if (status || fp_passed_check(out, &why_not)) return status;
    return refuse(d, (fp_slice){fp_text_string(&d->type), d->type.length}, why_not);
}

static gpu_status read_declaration(declaration *d, gpu_type *type, fp_passed *passed)
{
    gpu_status status = split(d);
    if (!status) status = find_type(d, type);
    if (!status) status = describe(d, *type, passed);
    fp_text_free(&d->type);
    return status;
}

static gpu_status read_parameter(reader *r, const char *text, size_t begin, size_t end)
{
    begin = fp_lex(text, begin).offset;
    declaration d = {.function = r->function, .is_parameter = true, .text = {text + begin, end - begin}};
    if (r->count == FP_MOST_PARAMETERS)
        return refuse(&d, d.text, "is one parameter too many: pass a struct with more than one of them");
    fp_function_parameter *p = &r->parameters[r->count];
    gpu_status status = read_declaration(&d, &p->type, &r->passed[r->count]);
    if (status) return status;
    p->name = d.name.bytes;
    p->length = d.name.length;
    p->array = d.pointer;
    r->count++;
    return GPU_OK;
}

/* "()" and "(void)" */
static bool is_empty(const char *text)
{
    fp_token first = fp_lex(text, 1), second = fp_lex(text, first.offset + first.length);
    bool is_void = is((fp_slice){text + first.offset, first.length}, "void");
    return fp_token_is(text, first, ')') || (is_void && fp_token_is(text, second, ')'));
}

/* "(float a, float b)" */
static gpu_status read_parameters(reader *r)
{
    const char *text = r->function->parameters;
    gpu_status status = GPU_OK;
    size_t begin = fp_lex(text, 0).offset + 1, depth = 1;
    if (is_empty(text)) return GPU_OK;
    for (fp_token t = fp_lex(text, begin); t.kind != FP_TOKEN_END && !status; t = fp_lex(text, t.offset + t.length)) {
        depth += fp_token_is(text, t, '(') || fp_token_is(text, t, '[');
        depth -= fp_token_is(text, t, ')') || fp_token_is(text, t, ']');
        bool ends = (fp_token_is(text, t, ',') && depth == 1) || depth == 0;
        if (ends) status = read_parameter(r, text, begin, t.offset);
        if (ends) begin = t.offset + 1;
        if (depth == 0) break;
    }
    return status;
}

static gpu_status signature_new(const reader *r, gpu_type result, const fp_passed *passed, fp_signature **out)
{
    fp_signature *made = fp_alloc(sizeof *made + r->count * sizeof *made->parameters);
    if (!made) return fp_fail_memory();
    gpu_status status = fp_call_make(r->function->address, passed, r->passed, r->count, &made->call);
    if (status) {
        fp_free(made);
        return status;
    }
    made->function = r->function;
    made->result = result;
    made->count = r->count;
    memcpy(made->parameters, r->parameters, r->count * sizeof *made->parameters);
    *out = made;
    return GPU_OK;
}

static gpu_status read_function(const gpu_definition *f, fp_signature **out)
{
    gpu_type type;
    fp_passed result;
    reader r = {.function = f};
    if (f->kind != GPU_DEFINES_FUNCTION)
        return fp_fail(GPU_E_ARGUMENT, "%s (%s:%d) has no host side: define it with GPU_FUNCTION", f->name,
                       f->place.file ? f->place.file : "(unknown file)", f->place.line);
    declaration d = {.function = f, .text = {f->result, strlen(f->result)}};
    gpu_status status = read_declaration(&d, &type, &result);
    if (!status) status = read_parameters(&r);
    return status ? status : signature_new(&r, type, &result, out);
}

gpu_status fp_signature_of(fp_signatures *table, const gpu_definition *function, const fp_signature **out)
{
    unsigned long generation = fp_definition_generation();
    fp_signature **chain = &table->chains[fp_hash(&function, sizeof function, 0) % FP_SIGNATURE_CHAINS], *made;
    for (const fp_signature *s = *chain; s; s = s->next) {
        if (s->function != function || s->generation != generation) continue;
        *out = s;
        return GPU_OK;
    }
    gpu_status status = read_function(function, &made);
    if (status) return status;
    made->generation = generation;
    made->next = *chain;
    *out = *chain = made;
    return GPU_OK;
}

void fp_signatures_free(fp_signatures *table)
{
    for (size_t k = 0; k < FP_SIGNATURE_CHAINS; k++) {
        for (fp_signature *s = table->chains[k], *next; s; s = next) {
            next = s->next;
            fp_call_free(s->call);
            fp_free(s);
        }
    }
    *table = (fp_signatures){0};
}
