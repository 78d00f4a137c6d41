/* The parts of a kernel: local memory, results, and operators that it calls. */
#include "base/error.h"
#include "base/hash.h"
#include "expressions/entry.h"
#include "expressions/handle.h"
#include "expressions/types.h"
#include "kernel/definition.h"
#include "kernel/lex.h"

#include <string.h>

const char *fp_kernel_name(unsigned dimensions, const char *name, size_t length)
{
    static const struct {
        const char *name, *token;
        unsigned dimensions;
    } all[] = {{"i", "fp_i", 1},
               {"item", "fp_item", 1},
               {"group", "fp_group", 1},
               {"sync", "fp_sync", 1},
               {"ITEMS", "fp_items", 1},
               {"GROUPS", "fp_groups", 1},
               {"row", "fp_row", 2},
               {"column", "fp_column", 2},
               {"item_row", "fp_item_row", 2},
               {"item_column", "fp_item_column", 2},
               {"ITEM_ROWS", "fp_item_rows", 2},
               {"ITEM_COLUMNS", "fp_item_columns", 2}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].dimensions <= dimensions && fp_is_named(name, length, all[k].name)) return all[k].token;
    return NULL;
}

size_t fp_own_element(const char *text, const fp_word *word)
{
    const fp_token open = fp_lex(text, word->offset + word->length), index = fp_next(text, open);
    const fp_token close = fp_next(text, index);
    const bool is = fp_token_is(text, open, '[') && fp_token_is_word(text, index, "i") && fp_token_is(text, close, ']');
    return is ? close.offset + close.length - word->offset : 0;
}

size_t fp_subscript(const char *name, size_t length)
{
    const fp_token open = fp_lex(name, length);
    return fp_token_is(name, open, '[') ? open.offset + 1 : 0;
}

bool fp_capture_has_length(const gpu_capture *c)
{
    const gpu_part *part = c->type == GPU_CAPTURE_PART ? c->value : NULL;
    return part ? part->kind <= GPU_PART_FROM : c->type == GPU_CAPTURE_ARRAY;
}

/* ---- checks ---- */

static gpu_status check_from(gpu *g, const gpu_array *from, const char *name, bool later)
{
    gpu_status status = later ? fp_array_accept(from, name) : fp_array_check(from, name);
    if (status || fp_array_gpu(from) == g) return status;
    return fp_fail(GPU_E_ARGUMENT, "the array that '%s' starts as belongs to another gpu", name);
}

/* The name of a count is that of its result with this behind it. */
static const char count_suffix[] = "_count";

size_t fp_count_stem(const char *name)
{
    const size_t length = strlen(name), suffix = sizeof count_suffix - 1;
    return length > suffix && !strcmp(name + length - suffix, count_suffix) ? length - suffix : 0;
}

static gpu_status check_count(const gpu_operator *kernel, const char *name)
{
    const size_t stem = fp_count_stem(name);
    for (const gpu_capture *const *at = kernel->captures; *at; at++) {
        const gpu_part *part = (*at)->type == GPU_CAPTURE_PART ? (*at)->value : NULL;
        if (part && part->kind == GPU_PART_RESULT && fp_is_named(name, stem, (*at)->name)) return GPU_OK;
    }
    return fp_fail(GPU_E_ARGUMENT, "GPU_RESULT_COUNT shortens '%.*s', and the kernel has no GPU_RESULT of that name",
                   (int)stem, name);
}

static gpu_status check_elements(gpu *g, const gpu_part *part, const char *name)
{
    gpu_type type = part->type;
    if (!type) return fp_fail(GPU_E_ARGUMENT, "'%s' has no type: pass GPU_FLOAT, or GPU_TYPE(its_struct)", name);
    gpu_status status = fp_gpu_check_type(g, &type);
    if (status || part->kind != GPU_PART_GROUP || part->count) return status;
    return fp_fail(GPU_E_ARGUMENT, "the local memory '%s' has no elements: GPU_GROUP takes 1 or more", name);
}

gpu_status fp_part_check(gpu *g, const gpu_operator *kernel, const gpu_capture *c, bool later)
{
    const gpu_part *part = c->value;
    gpu_status status = GPU_OK;
    if ((unsigned)part->kind - 1 >= GPU_PART_OPERATOR)
        return fp_fail(GPU_E_ARGUMENT, "the part '%s' is of no kind that there is", c->name);
    if (part->kind != GPU_PART_COUNT && fp_captured_is_made(&(fp_captured){.part = part->kind}) && !part->result)
        return fp_fail(GPU_E_ARGUMENT, "the result '%s' has no variable: give GPU_RESULT a gpu_array *", c->name);
    if (part->kind == GPU_PART_OPERATOR && !part->op)
        return fp_fail(GPU_E_ARGUMENT, "the operator '%s' is NULL: pass a snippet or a GPU_FUNCTION", c->name);
    if (part->kind == GPU_PART_FROM) return check_from(g, part->from, c->name, later);
    if (part->kind == GPU_PART_COUNT) status = check_count(kernel, c->name);
    return status ? status : check_elements(g, part, c->name);
}

/* ---- the text ---- */

static gpu_status check_return(const char *text)
{
    for (fp_token t = fp_lex(text, 0); t.kind != FP_TOKEN_END; t = fp_next(text, t))
        if (fp_token_is_word(text, t, "return") && !fp_token_is(text, fp_next(text, t), ';'))
            return fp_snippet_refuse(text, t.offset, "a kernel returns nothing: write \"return;\"");
    return GPU_OK;
}

/* The capture of this name; NULL: there is none. */
static const gpu_capture *capture_named(const gpu_operator *op, const char *name, size_t length)
{
    const gpu_capture *const *at = op->captures;
    while (at && *at && (*at == GPU_COMMUTATIVE || !fp_is_named(name, length, (*at)->name))) at++;
    return at ? *at : NULL;
}

/* The token behind the bracket that closes `open`. *arguments is the number of what commas separate in it. */
static fp_token behind(const char *text, fp_token open, unsigned *arguments)
{
    unsigned depth = 1;
    fp_token t = fp_next(text, open);
    *arguments = !fp_token_is(text, t, ')');
    for (; t.kind != FP_TOKEN_END && depth; t = fp_next(text, t)) {
        depth += fp_token_in(text, t, "([{");
        depth -= fp_token_in(text, t, ")]}");
        *arguments += depth == 1 && fp_token_is(text, t, ',');
    }
    return t;
}

/* Does the text assign to the word, or to an element or a member of it? */
static bool is_assigned(const char *text, const fp_word *w)
{
    unsigned ignored;
    fp_token t = fp_lex(text, w->offset + w->length);
    while (fp_token_in(text, t, "[.")) {
        const bool element = fp_token_is(text, t, '[');
        t = element ? behind(text, t, &ignored) : fp_next(text, fp_next(text, t));
    }
    const char *at = text + t.offset;
    if (fp_token_in(text, t, "=")) return at[1] != '=';
    if (fp_token_in(text, t, "+-") && at[1] == at[0]) return true;
    if (fp_token_in(text, t, "<>")) return at[1] == at[0] && at[2] == '=';
    return fp_token_in(text, t, "+-*/%&|^") && at[1] == '=';
}

/* NAME_length, of a NAME that is captured and has no length? */
static bool is_wrong_length(const gpu_operator *op, const char *name, size_t length)
{
    static const char suffix[] = "_length";
    const size_t bytes = sizeof suffix - 1;
    if (length <= bytes || memcmp(name + length - bytes, suffix, bytes) || capture_named(op, name, length))
        return false;
    const gpu_capture *of = capture_named(op, name, length - bytes);
    return of && !fp_capture_has_length(of);
}

static gpu_status check_assigned(const char *text, const fp_word *w, const gpu_capture *c)
{
    const char *name = text + w->offset;
    const int length = (int)w->length;
    if (c && c->type == GPU_CAPTURE_PART) return GPU_OK;
    if (!c)
        return fp_snippet_refuse(text, w->offset, "'%.*s' cannot be changed: copy it into a variable", length, name);
    if (c->type == GPU_CAPTURE_ARRAY)
        return fp_snippet_refuse(text, w->offset,
                                 "the array '%.*s' is only read: GPU_RESULT_FROM makes a copy that can be written",
                                 length, name);
    return fp_snippet_refuse(text, w->offset, "the value '%.*s' cannot be changed: copy it into a variable", length,
                             name);
}

/* The barrier, and calls of other kernels. */
static gpu_status check_call(const fp_snippet *snippet, const fp_word *w)
{
    const char *text = snippet->text, *name = text + w->offset;
    const gpu_definition *kernel = w->called ? fp_definition_kernel(name, w->length, snippet->unit) : NULL;
    unsigned arguments = 1;
    if (w->called) behind(text, fp_lex(text, w->offset + w->length), &arguments);
    if (fp_is_named(name, w->length, "sync") && arguments)
        return fp_snippet_refuse(text, w->offset, "the barrier is a call: write \"sync();\"");
    if (!kernel) return GPU_OK;
    return fp_snippet_refuse(text, w->offset,
                             "%s (%s:%d) is a GPU_KERNEL, which no kernel calls: write a GPU_FUNCTION for what they "
                             "share",
                             kernel->name, fp_definition_file(kernel), kernel->place.line);
}

static gpu_status check_word(const fp_snippet *snippet, const gpu_operator *op, const fp_word *w, unsigned dimensions)
{
    const char *text = snippet->text, *name = text + w->offset;
    const int length = (int)w->length;
    const gpu_capture *captured = capture_named(op, name, w->length);
    if (fp_kernel_name(2, name, w->length) && !fp_kernel_name(dimensions, name, w->length))
        return fp_snippet_refuse(
            text, w->offset, "'%.*s' is a name of spaces of two dimensions: gpu_space_of_2 makes one", length, name);
    if (is_wrong_length(op, name, w->length))
        return fp_snippet_refuse(
            text, w->offset, "there is no '%.*s': only arrays, results and local memory have a length", length, name);
    const bool known = captured || fp_kernel_name(dimensions, name, w->length);
    if (known && is_assigned(text, w)) return check_assigned(text, w, captured);
    return check_call(snippet, w);
}

gpu_status fp_kernel_check_names(const fp_snippet *snippet, const gpu_operator *op, unsigned dimensions)
{
    gpu_status status = GPU_OK;
    for (size_t k = 0; k < snippet->words.count && !status; k++) {
        const fp_word *w = &snippet->words.list[k];
        const bool defined = snippet->meanings[k] && !capture_named(op, snippet->text + w->offset, w->length);
        if (!w->member && !w->own && !defined) status = check_word(snippet, op, w, dimensions);
    }
    return status ? status : check_return(snippet->text);
}

static gpu_status check_arguments(const char *text, const fp_word *w, const fp_captured *c)
{
    const unsigned wanted = c->called->operands;
    unsigned arguments;
    if (!w->called)
        return fp_snippet_refuse(text, w->offset, "'%s' is an operator, which a kernel only calls: %s(...)", c->name,
                                 c->name);
    behind(text, fp_lex(text, w->offset + w->length), &arguments);
    if (arguments == wanted) return GPU_OK;
    return fp_snippet_refuse(text, w->offset,
                             "the operator '%s' takes %u value%s, and gets %u: a text combines a and b, or maps x, or "
                             "x and y, or x, y and z",
                             c->name, wanted, wanted == 1 ? "" : "s", arguments);
}

gpu_status fp_kernel_check_calls(const fp_operator *kernel)
{
    const fp_snippet *snippet = kernel->snippet;
    gpu_status status = GPU_OK;
    for (size_t k = 0; k < snippet->words.count && !status; k++) {
        const fp_word *w = &snippet->words.list[k];
        const fp_captured *c = fp_operator_captured(kernel, snippet->text + w->offset, w->length);
        if (!w->member && !w->own && c && c->called) status = check_arguments(snippet->text, w, c);
    }
    return status;
}

/* ---- results that are never written ---- */

void fp_kernel_write(const fp_operator *kernel, fp_text *out)
{
    const gpu_definition *d = kernel->snippet->kernel;
    fp_text_put(out, "the kernel");
    if (d) fp_text_print(out, " %s (%s:%d)", d->name, d->place.file, d->place.line);
}

static bool is_filled(const unsigned char *element, size_t size, unsigned char fill)
{
    size_t k = 0;
    while (k < size && element[k] == fill) k++;
    return k == size;
}

gpu_status fp_kernel_check_written(const fp_operator *kernel, const fp_captured *result, size_t length,
                                   const unsigned char *const *runs)
{
    const size_t size = result->type->size;
    fp_text text = {0};
    size_t k = 0;
    while (k < length && !(is_filled(runs[0] + k * size, size, fp_kernel_fill(0)) &&
                           is_filled(runs[1] + k * size, size, fp_kernel_fill(1))))
        k++;
    if (k == length) return GPU_OK;
    fp_text_put(&text, "FIREPILE_CHECK: ");
    fp_kernel_write(kernel, &text);
    fp_text_print(&text, " never writes element %zu of its result '%s', or writes undefined memory there", k,
                  result->name);
    return fp_fail_text(GPU_E_SNIPPET, &text);
}

/* ---- the parameters of a GPU_KERNEL ---- */

static bool is_read(const fp_captured *c)
{
    return !c->part && !c->length && !c->large && (c->array || c->pointed);
}

static bool fits(const fp_function_parameter *p, const fp_captured *c)
{
    const bool made = fp_captured_is_made(c);
    return gpu_type_equal(p->type, c->type) && p->local == (c->part == GPU_PART_GROUP) &&
           p->array == (made || is_read(c)) && (!made || p->written) && (!is_read(c) || !p->written);
}

/* "the parameter 'x' of the kernel add_up (sum.c:7) " */
static void put_parameter(fp_text *out, const gpu_definition *d, const fp_function_parameter *p)
{
    fp_text_print(out, "the parameter '%.*s' of the kernel %s (%s:%d) ", (int)p->length, p->name, d->name,
                  d->place.file, d->place.line);
}

static gpu_status refuse_parameter(const gpu_definition *d, const fp_function_parameter *p, const fp_captured *c)
{
    fp_text text = {0};
    const bool pointer = c->part || is_read(c);
    put_parameter(&text, d, p);
    fp_text_put(&text, "does not fit what it is given: declare it as ");
    if (c->part == GPU_PART_GROUP) fp_text_put(&text, "GPU_LOCAL_MEMORY ");
    if (fp_captured_is_made(c)) fp_text_put(&text, "GPU_GLOBAL ");
    if (is_read(c)) fp_text_put(&text, "GPU_GLOBAL const ");
    fp_text_print(&text, "%s%s %s%s", c->type->width > 1 ? "gpu_" : "",
                  c->type == GPU_UINT    ? "uint32_t"
                  : c->type == GPU_ULONG ? "uint64_t"
                                         : c->type->name,
                  pointer ? "*" : "", c->name);
    return fp_fail_text(GPU_E_TYPE, &text);
}

static gpu_status refuse_missing(const gpu_definition *d, const fp_function_parameter *p)
{
    fp_text text = {0};
    put_parameter(&text, d, p);
    fp_text_print(&text, "is given nothing: pass GPU_ARG(%.*s), GPU_GROUP or GPU_RESULT", (int)p->length, p->name);
    return fp_fail_text(GPU_E_ARGUMENT, &text);
}

gpu_status fp_kernel_check(const fp_operator *kernel)
{
    const gpu_definition *d = kernel->snippet->kernel;
    const fp_signature *s = kernel->snippet->kernel_signature;
    for (size_t k = 0; k < s->count; k++) {
        const fp_function_parameter *p = &s->parameters[k];
        const fp_captured *c = fp_operator_captured(kernel, p->name, p->length);
        if (!c) return refuse_missing(d, p);
        if (c->part != GPU_PART_OPERATOR && !fits(p, c)) return refuse_parameter(d, p, c);
    }
    for (unsigned k = 0; k < kernel->count; k++)
        if (kernel->captured[k].part == GPU_PART_OPERATOR)
            return fp_fail(GPU_E_ARGUMENT,
                           "the kernel %s takes no operator '%s': a GPU_KERNEL calls GPU_FUNCTIONs by their "
                           "names",
                           d->name, kernel->captured[k].name);
    return GPU_OK;
}

/* ---- names ---- */

static uint64_t hash_text(const char *text, uint64_t seed)
{
    return text ? fp_hash(text, strlen(text) + 1, seed) : seed;
}

/* An operator that a kernel calls is checked by the number of its operands. */
static uint64_t hash_part(const gpu_part *part, uint64_t seed)
{
    uint64_t hash = fp_hash(&part->kind, sizeof part->kind, seed);
    if (part->op) hash = hash_text(part->op->snippet, fp_hash(&part->op->function, sizeof part->op->function, hash));
    return hash;
}

uint64_t fp_operator_names(const gpu_operator *op, const fp_operator_kind *kind)
{
    uint64_t hash = fp_hash(&kind->traits, sizeof kind->traits, kind->operands);
    for (const gpu_capture *const *at = op->captures; at && *at; at++) {
        const gpu_capture *c = *at;
        hash = hash_text(c->name, fp_hash(&c->type, sizeof c->type, hash));
        if (c->type == GPU_CAPTURE_PART && c->value) hash = hash_part(c->value, hash);
    }
    return hash ? hash : 1;
}
