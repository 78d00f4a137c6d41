#include "kernel/snippet.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "kernel/check.h"
#include "kernel/definition.h"
#include "kernel/lex.h"
#include "kernel/slip.h"
#include "kernel/source.h"

#include <string.h>

/* Joins the tokens without blanks and comments, "a+b", if they fit. */
static bool condense(const char *text, char *out, size_t room)
{
    size_t used = 0;
    for (fp_token t = fp_lex(text, 0); t.kind != FP_TOKEN_END; t = fp_next(text, t)) {
        if (used + t.length >= room) return false;
        memcpy(out + used, text + t.offset, t.length);
        used += t.length;
    }
    out[used] = '\0';
    return true;
}

static const struct {
    const char *text, *of_xy;
    fp_known known;
} known_operators[] = {
    {"a+b", "x+y", FP_KNOWN_ADD},
    {"a*b", "x*y", FP_KNOWN_MULTIPLY},
    {"a&b", "x&y", FP_KNOWN_AND},
    {"a|b", "x|y", FP_KNOWN_OR},
    {"a^b", "x^y", FP_KNOWN_XOR},
    {"min(a,b)", "min(x,y)", FP_KNOWN_MIN},
    {"max(a,b)", "max(x,y)", FP_KNOWN_MAX},
    {"fmin(a,b)", "fmin(x,y)", FP_KNOWN_FMIN},
    {"fmax(a,b)", "fmax(x,y)", FP_KNOWN_FMAX},
};

/* A helper called min makes min(a, b) the user's own operator. */
static bool names_a_definition(const fp_snippet *snippet)
{
    for (size_t k = 0; k < snippet->words.count; k++) {
        if (snippet->words.list[k].called && snippet->meanings[k]) return true;
    }
    return false;
}

bool fp_snippet_is(const fp_snippet *snippet, const char *expression)
{
    char condensed[16];
    return !snippet->function && !snippet->body && condense(snippet->text, condensed, sizeof condensed) &&
           !strcmp(condensed, expression);
}

static void recognise(fp_snippet *snippet)
{
    for (size_t k = 0; k < sizeof known_operators / sizeof *known_operators; k++) {
        bool of_ab = fp_snippet_is(snippet, known_operators[k].text),
             of_xy = fp_snippet_is(snippet, known_operators[k].of_xy);
        if ((!of_ab && !of_xy) || names_a_definition(snippet)) continue;
        if (of_ab) snippet->known = known_operators[k].known;
        if (of_xy) snippet->known_xy = known_operators[k].known;
    }
}

static void snippet_free(fp_snippet *snippet)
{
    fp_free(snippet->given);
    fp_free(snippet->text);
    fp_free(snippet->words.list);
    fp_free(snippet->meanings);
    fp_signature_free(snippet->signature);
    fp_signature_free(snippet->kernel_signature);
    fp_free(snippet->structs);
    fp_free(snippet->uses);
    fp_free(snippet);
}

/* Puts the function's part of a program together, to find what would be refused there. This happens before its types
 * and those of the arrays are compared, and whether a device will compile it or not. */
static gpu_status read_function(fp_snippet *snippet)
{
    fp_source source = {.failed = false};
    const char *name;
    gpu_status status = fp_signature_new(snippet->function, &snippet->signature);
    if (!status) status = fp_source_function(&source, snippet->function, &name);
    if (!status && source.struct_count) {
        snippet->structs = fp_alloc_array(source.struct_count, sizeof *snippet->structs);
        if (!snippet->structs) status = fp_fail_memory();
    }
    for (size_t k = 0; k < source.struct_count && !status; k++) snippet->structs[k] = source.structs[k].type;
    if (!status) snippet->struct_count = source.struct_count;
    fp_source_free(&source);
    return status;
}

static bool is_parameter(const void *scope, const char *word, size_t length, const char **as)
{
    const fp_signature *s = scope;
    size_t k = 0;
    (void)as;
    while (k < s->count && !(s->parameters[k].length == length && !memcmp(s->parameters[k].name, word, length))) k++;
    return k < s->count;
}

/* Puts the functions that a kernel calls together, for the same reason as read_function. */
static gpu_status read_callees(const fp_snippet *snippet)
{
    fp_source source = {.failed = false};
    const fp_origin origin = {.text = snippet->text,
                              .words = &snippet->words,
                              .unit = snippet->unit,
                              .meanings = snippet->meanings,
                              .binds = is_parameter,
                              .scope = snippet->kernel_signature};
    gpu_status status = fp_source_needs(&source, &origin);
    fp_source_free(&source);
    return status;
}

/* A kernel's text is C too, and is checked as a function's. */
static gpu_status read_kernel(fp_snippet *snippet)
{
    fp_words parameters;
    gpu_status status = fp_signature_new(snippet->kernel, &snippet->kernel_signature);
    if (status) return status;
    if (!fp_parameters_find(snippet->kernel->parameters, &parameters)) return fp_fail_memory();
    status = fp_function_text_check(snippet->kernel, &parameters, &snippet->words);
    fp_free(parameters.list);
    return status ? status : read_callees(snippet);
}

/* Words keep the meaning that they have when the call is made. A definition may go later, and another may take its
 * place. So struct types are kept now. */
static gpu_status find_meanings(fp_snippet *snippet)
{
    const fp_words *words = &snippet->words;
    gpu_type type;
    snippet->meanings = fp_alloc_array(words->count, sizeof *snippet->meanings);
    if (!snippet->meanings) return fp_fail_memory();
    for (size_t k = 0; k < words->count; k++) {
        const fp_word *word = &words->list[k];
        if (word->member) continue;
        const gpu_definition *d = fp_definition_meaning(snippet->text + word->offset, word->length, snippet->unit);
        snippet->meanings[k] = d;
        /* A failure is reported when the word turns out to mean the struct. */
        if (d && d->kind == GPU_DEFINES_STRUCT) (void)!fp_definition_type(d, &type);
    }
    return GPU_OK;
}

/* May the text be spliced into a program? */
static gpu_status check_text(fp_snippet *snippet)
{
    const bool kernel = snippet->use == FP_USE_KERNEL;
    gpu_status status = kernel ? fp_kernel_text_check(snippet->text) : fp_snippet_check(snippet->text, &snippet->body);
    snippet->body |= kernel;
    return status ? status : fp_slip_check(snippet->text, snippet->body);
}

/* Completes a copy of what is wanted. */
static gpu_status fill(fp_snippet *snippet)
{
    const char *given = snippet->given;
    const bool function = snippet->function;
    snippet->given = fp_copy_text(given);
    snippet->text = fp_lex_plain(given);
    if (!snippet->given || !snippet->text) return fp_fail_memory();
    snippet->body = snippet->text[0] == '{';
    gpu_status status = function || snippet->use == FP_USE_OWN ? GPU_OK : check_text(snippet);
    if (status) return status;
    snippet->assigns = !function && !snippet->body && fp_slip_assigns(snippet->text);
    if (!fp_words_find(snippet->text, FP_TEXT_CODE, snippet->unit, &snippet->words)) return fp_fail_memory();
    status = function ? read_function(snippet) : find_meanings(snippet);
    if (!status && snippet->kernel) status = read_kernel(snippet);
    if (status) return status;
    if (function)
        snippet->exactness = fp_function_exactness(snippet->function);
    else
        recognise(snippet);
    if (snippet->kernel) snippet->exactness = fp_kernel_exactness(snippet->kernel, &snippet->words);
    return GPU_OK;
}

static gpu_status refuse_null(fp_snippet_use use)
{
    if (use == FP_USE_KERNEL) return fp_fail(GPU_E_ARGUMENT, "the kernel is NULL: pass a text or a GPU_KERNEL");
    return fp_fail(GPU_E_ARGUMENT, "the operator is NULL: pass a snippet or a GPU_FUNCTION");
}

/* A kernel's text is its body. */
static gpu_status resolve_kernel(const gpu_definition *d, fp_snippet_use use, const char **text,
                                 const gpu_definition **kernel)
{
    const bool is_kernel = d->kind == GPU_DEFINES_KERNEL;
    if (!is_kernel && use != FP_USE_KERNEL) return GPU_OK;
    if (!is_kernel)
        return fp_fail(GPU_E_ARGUMENT, "%s is no kernel: define it with GPU_KERNEL(name, (parameters), { body })",
                       d->name);
    if (use != FP_USE_KERNEL)
        return fp_fail(GPU_E_ARGUMENT, "%s is a GPU_KERNEL, which gpu_spawn alone takes", d->name);
    *kernel = d;
    *text = d->body;
    return fp_definition_check_loaded(d);
}

static gpu_status resolve(const gpu_operator *op, fp_snippet_use use, const char **text,
                          const gpu_definition **function, const gpu_definition **kernel)
{
    *function = *kernel = NULL;
    if (!op || (!op->snippet && !op->function)) return refuse_null(use);
    *text = op->snippet;
    if (op->snippet) return GPU_OK;
    *function = fp_definition_at(op->function);
    if (!*function && fp_definitions_lost()) return fp_fail_memory();
    if (!*function)
        return fp_fail(GPU_E_ARGUMENT, "the operator is neither a snippet nor a GPU_FUNCTION: define it with "
                                       "GPU_FUNCTION(result, name, (parameters), { body })");
    *text = (*function)->name;
    gpu_status status = resolve_kernel(*function, use, text, kernel);
    if (*kernel) *function = NULL;
    return status;
}

static bool grow(fp_snippets *table)
{
    size_t size = table->size ? 2 * table->size : 64;
    fp_snippet **buckets = fp_alloc_array(size, sizeof *buckets);
    if (!buckets) return false;
    for (size_t k = 0; k < table->size; k++) {
        for (fp_snippet *s = table->buckets[k], *next; s; s = next) {
            next = s->next;
            s->next = buckets[s->hash & (size - 1)];
            buckets[s->hash & (size - 1)] = s;
        }
    }
    fp_free(table->buckets);
    table->buckets = buckets;
    table->size = size;
    return true;
}

static fp_snippet *find(const fp_snippets *table, const fp_snippet *wanted)
{
    if (!table->size) return NULL;
    for (fp_snippet *s = table->buckets[wanted->hash & (table->size - 1)]; s; s = s->next)
        if (s->hash == wanted->hash && s->unit == wanted->unit && s->function == wanted->function &&
            s->kernel == wanted->kernel && s->generation == wanted->generation && s->use == wanted->use &&
            !strcmp(s->given, wanted->given))
            return s;
    return NULL;
}

gpu_status fp_snippet_intern(fp_snippets *table, const gpu_operator *op, fp_snippet_use use, fp_snippet **out)
{
    const char *text;
    const gpu_definition *function, *kernel;
    gpu_status status = resolve(op, use, &text, &function, &kernel);
    if (status) return status;
    fp_snippet wanted = {.given = (char *)(uintptr_t)text,
                         .function = function,
                         .kernel = kernel,
                         .use = use,
                         .unit = function    ? function->place.unit
                                 : kernel    ? kernel->place.unit
                                 : op->place ? op->place->unit
                                             : NULL,
                         .generation = fp_definition_generation()};
    wanted.hash = fp_hash(text, strlen(text), (uint64_t)(uintptr_t)wanted.unit ^ (uint64_t)(uintptr_t)function);
    *out = find(table, &wanted);
    if (*out) return GPU_OK;
    if (table->count >= table->size && !grow(table)) return fp_fail_memory();
    fp_snippet *made = fp_alloc(sizeof *made);
    if (!made) return fp_fail_memory();
    *made = wanted;
    status = fill(made);
    if (status) {
        snippet_free(made);
        return status;
    }
    made->id = ++table->count;
    fp_snippet **bucket = &table->buckets[made->hash & (table->size - 1)];
    made->next = *bucket;
    *bucket = *out = made;
    return GPU_OK;
}

void fp_snippets_free(fp_snippets *table)
{
    for (size_t k = 0; k < table->size; k++) {
        for (fp_snippet *s = table->buckets[k], *next; s; s = next) {
            next = s->next;
            snippet_free(s);
        }
    }
    fp_free(table->buckets);
    *table = (fp_snippets){0};
}
