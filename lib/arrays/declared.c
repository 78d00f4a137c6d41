#include "arrays/declared.h"

#include "base/error.h"
#include "kernel/definition.h"
#include "kernel/lex.h"
#include "kernel/type.h"

/* ---- writing ---- */

static const char *c_type(gpu_type type)
{
#define NAME(name, NAME, T, kind)                                                                                      \
    if (type == GPU_##NAME) return #T;
    GPU_SCALAR_MAP(NAME)
#undef NAME
    return type->name;
}

static void put_type(fp_text *out, gpu_type type)
{
    bool vector = type->kind != GPU_KIND_STRUCT && type->width > 1;
    fp_text_print(out, "%s%s", vector ? "gpu_" : "", c_type(type));
}

static void put_result(fp_text *out, const fp_compiled *f, size_t k)
{
    const fp_compiled_result *r = &f->results[k];
    fp_text_put(out, k ? ", " : "");
    if (r->one) put_type(out, r->type);
    fp_text_put(out, r->one ? " *" : "gpu_array **");
    if (f->result_count == 1) fp_text_put(out, "out");
    if (f->result_count > 1) fp_text_print(out, "out%zu", k + 1);
}

static void put_parameter(fp_text *out, const fp_task *symbol, const char *called)
{
    fp_text_put(out, ", ");
    if (symbol->one) put_type(out, symbol->results[0]);
    fp_text_print(out, "%s%s", symbol->one ? " " : "const gpu_array *", called);
}

void fp_declared_put(fp_text *out, const fp_compiled *f, fp_task *const *missing, size_t missing_count)
{
    fp_text_print(out, "gpu_status (*%s)(", f->name);
    for (size_t k = 0; k < f->result_count; k++) put_result(out, f, k);
    for (size_t k = 0; k < f->symbol_count; k++)
        if (f->symbols[k].used) put_parameter(out, f->symbols[k].symbol, f->symbols[k].name);
    for (size_t k = 0; k < missing_count; k++) put_parameter(out, missing[k], "missing");
    fp_text_put(out, ")");
}

/* ---- reading ---- */

/* A parameter as C declares it. */
typedef struct declared {
    fp_text type;  /* its words, without qualifiers and the parameter's name */
    size_t before; /* the bytes of `type` without its last word */
    unsigned stars;
    bool named; /* a name stands behind the stars */
} declared;

static bool is_ignored(fp_slice word)
{
    return fp_slice_is(word, "const") || fp_slice_is(word, "volatile") || fp_slice_is(word, "restrict") ||
           fp_slice_is(word, "struct") || fp_slice_is(word, "register");
}

static void take_token(declared *d, const char *text, fp_token t)
{
    const fp_slice word = fp_token_slice(text, t);
    d->stars += fp_token_in(text, t, "*[");
    if (t.kind != FP_TOKEN_WORD || is_ignored(word)) return;
    d->named |= d->stars > 0;
    if (d->stars) return;
    d->before = d->type.length;
    if (d->before) fp_text_put(&d->type, " ");
    fp_text_add(&d->type, word.bytes, word.length);
}

/* Reads the parameter at `at`, which becomes that of the next one. False: there is none. */
static bool read_parameter(const char *text, size_t *at, declared *d)
{
    unsigned depth = 0;
    fp_token t = fp_lex(text, *at);
    if (t.kind == FP_TOKEN_END || fp_token_is(text, t, ')')) return false;
    for (; t.kind != FP_TOKEN_END; t = fp_next(text, t)) {
        if (!depth && fp_token_in(text, t, ",)")) break;
        depth += fp_token_in(text, t, "([");
        depth -= fp_token_in(text, t, ")]");
        take_token(d, text, t);
    }
    *at = t.offset + fp_token_is(text, t, ',');
    return true;
}

static gpu_type type_named(const char *name, size_t length, const void *unit)
{
    const gpu_definition *found;
    gpu_type type = fp_type_named(name, length);
    if (!type && fp_slice_is((fp_slice){name, length}, "size_t")) type = sizeof(size_t) == 8 ? GPU_ULONG : GPU_UINT;
    if (type || fp_definition_find(name, length, unit, &found) || !found || found->kind != GPU_DEFINES_STRUCT)
        return type;
    return fp_definition_type(found, &type) ? NULL : type;
}

/* Is it a pointer of this many levels to the type? A type of NULL stands for gpu_array. */
static bool is_declared(const declared *d, gpu_type type, unsigned stars, const void *unit)
{
    const char *text = fp_text_string(&d->type);
    if (d->stars != stars) return false;
    if (!type) return fp_slice_is((fp_slice){text, d->type.length}, "gpu_array");
    gpu_type found = type_named(text, d->type.length, unit);
    if (!found && d->before && !d->stars) found = type_named(text, d->before, unit);
    return found && gpu_type_equal(found, type);
}

static bool is_parameter(const fp_compiled *f, size_t k, const declared *d, const void *unit)
{
    if (k < f->result_count) {
        const fp_compiled_result *r = &f->results[k];
        return r->one ? is_declared(d, r->type, 1, unit) : is_declared(d, NULL, 2, unit);
    }
    const fp_task *symbol = f->symbols[k - f->result_count].symbol;
    return symbol->one ? is_declared(d, symbol->results[0], 0, unit) : is_declared(d, NULL, 1, unit);
}

gpu_status fp_declared_check(const gpu_definition *declaration, const fp_compiled *f)
{
    const char *text = declaration->parameters;
    const size_t count = f->result_count + f->symbol_count;
    size_t at = fp_lex(text, 0).offset + 1, k = 0;
    bool fits = true, failed = false;
    for (declared d = {.stars = 0}; read_parameter(text, &at, &d); d = (declared){.stars = 0}, k++) {
        fits = fits && k < count && is_parameter(f, k, &d, declaration->place.unit);
        failed |= d.type.failed;
        fp_text_free(&d.type);
    }
    if (failed) return fp_fail_memory();
    if (fits && k == count) return GPU_OK;
    fp_text message = {0};
    fp_text_print(&message, "%s%s, declared in %s:%d, does not fit: expected is ", declaration->name, text,
                  fp_definition_file(declaration), declaration->place.line);
    fp_declared_put(&message, f, NULL, 0);
    return fp_fail_text(GPU_E_TYPE, &message);
}
