/* Pipelines as C functions. */
#include "arrays/array.h"
#include "arrays/compiled.h"
#include "arrays/declared.h"
#include "base/error.h"
#include "base/memory.h"
#include "expressions/types.h"
#include "kernel/abi_class.h"
#include "kernel/definition.h"
#include "planning/eval.h"

#include <ctype.h>
#include <firepile/compile.h>
#include <stdio.h>
#include <string.h>

/* ---- symbols ---- */

static gpu_array *symbol(gpu *g, const char *operation, gpu_type type, const gpu_place *place, bool one)
{
    fp_entry entry = fp_entry_begin(g, operation, place);
    return fp_array_end(&entry, fp_gpu_check_type(g, &type) ? NULL : fp_symbol_new(g, type, one));
}

gpu_array *gpu_symbol_op(gpu *g, gpu_type type, const gpu_place *place)
{
    return symbol(g, "gpu_symbol", type, place, false);
}

gpu_array *gpu_symbol_value_op(gpu *g, gpu_type type, const gpu_place *place)
{
    return symbol(g, "gpu_symbol_value", type, place, true);
}

/* A walk over the pipeline. */
typedef struct walk {
    fp_compiled *f;
    uint64_t visit;
    const fp_compiled_symbol *twice; /* the first that was given before; NULL: none */
    fp_task **missing;               /* symbols that are used, and not given */
    size_t missing_count, missing_capacity;
} walk;

/* ---- declarations ---- */

/* The k-th of names that commas separate; its length is 0 if it is no identifier. */
typedef struct name {
    const char *text;
    int length;
} name;

static name name_at(const char *names, size_t k)
{
    int depth = 0;
    const char *at = names ? names : "";
    for (; *at && k; at++) {
        depth += (*at == '(') - (*at == ')');
        k -= *at == ',' && !depth;
    }
    at += strspn(at, " &");
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
    bool ends = !at[length + strspn(at + length, " ")] || at[length + strspn(at + length, " ")] == ',';
    return (name){at, ends && !isdigit((unsigned char)*at) ? (int)length : 0};
}

static gpu_status refuse(const walk *w, const fp_task *symbol, const char *called, const char *why)
{
    fp_text text = {0};
    fp_text_print(&text, "the symbol %s%s", called, *called ? " " : "");
    if (symbol->place.file) fp_text_print(&text, "of %s:%d ", symbol->place.file, symbol->place.line);
    fp_text_print(&text, "%s; expected is a function ", why);
    fp_declared_put(&text, w->f, w->missing, w->missing_count);
    return fp_fail_text(GPU_E_ARGUMENT, &text);
}

/* ---- taking symbols ---- */

enum { LONGEST = 64 };

static void put_name(char *out, name n, const char *otherwise, size_t k)
{
    if (n.length && n.length < LONGEST) snprintf(out, LONGEST, "%.*s", n.length, n.text);
    if (!n.length || n.length >= LONGEST) snprintf(out, LONGEST, "%s%zu", otherwise, k);
}

/* "norm", the names of the symbols, and the caller's file, in one block. */
static gpu_status take_names(fp_compiled *f, const char *names, const gpu_place *place)
{
    const char *file = place && place->file ? place->file : "";
    size_t bytes = (f->symbol_count + 1) * LONGEST;
    char *at = f->name = fp_alloc(bytes + strlen(file) + 1);
    if (!at) return fp_fail_memory();
    if (*file) f->place = (gpu_place){.file = strcpy(at + bytes, file), .line = place->line};
    put_name(at, name_at(names, 0), "function", 1);
    for (size_t k = 0; k < f->symbol_count; k++) {
        at += LONGEST;
        put_name(at, name_at(names, k + 2), "a", k + 1);
        f->symbols[k].name = at;
    }
    return GPU_OK;
}

static gpu_status take_symbol(walk *w, size_t k, const gpu_array *a)
{
    fp_compiled_symbol *s = &w->f->symbols[k];
    gpu_status status = fp_array_accept(a, s->name);
    if (status) return status;
    if (a->node->kind != FP_NODE_SYMBOL || a->node->made.task->run)
        return fp_fail(GPU_E_ARGUMENT, "'%s' is no symbol: gpu_symbol and gpu_symbol_value make some", s->name);
    if (a->g != w->f->g) return fp_fail(GPU_E_ARGUMENT, "the symbol '%s' belongs to another gpu", s->name);
    s->symbol = fp_task_keep(a->node->made.task);
    s->class = fp_abi_class_pointer;
    if (!s->symbol->one) return GPU_OK;
    const char *why_not;
    status = fp_abi_class_of(s->symbol->results[0], &s->class);
    if (status || fp_abi_class_check(&s->class, &why_not)) return status;
    return fp_fail(GPU_E_TYPE, "the symbol '%s' is a value of type %s, which %s", s->name, s->symbol->results[0]->name,
                   why_not);
}

static gpu_status take_symbols(walk *w, const gpu_array *const *symbols, const char *names, const gpu_place *place)
{
    fp_compiled *f = w->f;
    f->symbols = fp_alloc_array(f->symbol_count + 1, sizeof *f->symbols);
    if (!f->symbols) return fp_fail_memory();
    gpu_status status = take_names(f, names, place);
    for (size_t k = 0; k < f->symbol_count && !status; k++) status = take_symbol(w, k, symbols[k]);
    for (size_t k = 0; k < f->symbol_count && !status; k++) {
        fp_task *symbol = f->symbols[k].symbol;
        if (symbol->visit == w->visit && !w->twice) w->twice = &f->symbols[k];
        if (symbol->visit != w->visit) symbol->slot = k;
        symbol->visit = w->visit;
    }
    return status;
}

/* ---- steps ---- */

static gpu_status add_missing(walk *w, fp_task *symbol)
{
    fp_task **new = FP_PUSH(w->missing, w->missing_count, w->missing_capacity);
    if (!new) return fp_fail_memory();
    *new = symbol;
    symbol->visit = w->visit;
    symbol->slot = SIZE_MAX;
    return GPU_OK;
}

static gpu_status visit_symbol(walk *w, fp_task *symbol)
{
    if (symbol->visit != w->visit) return add_missing(w, symbol);
    if (symbol->slot < w->f->symbol_count) w->f->symbols[symbol->slot].used = true;
    return GPU_OK;
}

/* Adds an array that exists already. Ranges and single values stay as they are. Others are computed now. */
static gpu_status add_made(walk *w, fp_node *node, size_t *slot)
{
    fp_compiled *f = w->f;
    bool described = node->kind == FP_NODE_RANGE || (node->kind == FP_NODE_FILL && node->value);
    gpu_status status = described ? GPU_OK : fp_node_eval(node, FP_REASON_COMPILED);
    if (status) return status;
    fp_compiled_made *new = FP_PUSH(f->made, f->made_count, f->made_capacity);
    if (!new) return fp_fail_memory();
    *slot = f->slot_count++;
    *new = (fp_compiled_made){fp_node_keep(node), *slot};
    return GPU_OK;
}

static gpu_status visit(walk *w, fp_task *task);

static gpu_status visit_node(walk *w, fp_node *node, size_t *slot)
{
    if (node->kind != FP_NODE_SYMBOL) return add_made(w, node, slot);
    gpu_status status = visit(w, node->made.task);
    *slot = node->made.task->slot + node->made.result;
    return status;
}

/* Has each call an operator of its own: for arrays that come later, or for reports? */
static bool is_made_anew(const fp_operator *op)
{
    bool later = op && op->reports;
    for (unsigned k = 0; op && k < op->count; k++)
        later |= op->captured[k].array && op->captured[k].array->kind == FP_NODE_SYMBOL;
    return later;
}

static gpu_status visit_captured(walk *w, const fp_operator *op, fp_compiled_step *step)
{
    gpu_status status = GPU_OK;
    if (!op || !is_made_anew(op)) return op ? fp_operator_prepare(op) : GPU_OK;
    step->captured = fp_alloc_array(op->count, sizeof *step->captured);
    if (!step->captured) return fp_fail_memory();
    if (op->count > w->f->most_captured) w->f->most_captured = op->count;
    for (unsigned k = 0; k < op->count && !status; k++)
        if (op->captured[k].array) status = visit_node(w, op->captured[k].array, &step->captured[k]);
    return status;
}

static gpu_status add_step(walk *w, const fp_compiled_step *step)
{
    fp_compiled *f = w->f;
    fp_compiled_step *new = FP_PUSH(f->steps, f->step_count, f->step_capacity);
    if (!new) return fp_fail_memory();
    *new = *step;
    fp_task_keep(step->task)->slot = new->result = f->slot_count;
    f->slot_count += step->task->result_count;
    return GPU_OK;
}

static gpu_status visit(walk *w, fp_task *task)
{
    if (!task->run) return visit_symbol(w, task);
    if (task->visit == w->visit) return GPU_OK;
    task->visit = w->visit;
    fp_compiled_step step = {.task = task};
    gpu_status status = GPU_OK;
    for (unsigned k = 0; k < task->input_count && !status; k++)
        status = visit_node(w, task->inputs[k], &step.inputs[k]);
    if (!status) status = visit_captured(w, task->op, &step);
    if (!status) status = add_step(w, &step);
    if (status) fp_free(step.captured);
    return status;
}

static gpu_status check_symbols(const walk *w)
{
    const fp_compiled *f = w->f;
    if (w->missing_count) return refuse(w, w->missing[0], "", "is used, and not given");
    if (w->twice) return refuse(w, w->twice->symbol, w->twice->name, "is given twice");
    for (size_t k = 0; k < f->symbol_count; k++)
        if (!f->symbols[k].used) return refuse(w, f->symbols[k].symbol, f->symbols[k].name, "is given, and not used");
    return GPU_OK;
}

/* ---- compiling ---- */

/* The arguments of a call of gpu_compile or gpu_compile_all. */
typedef struct request {
    const gpu_array *const *results;
    size_t result_count;
    const gpu_array *const *symbols;
    size_t symbol_count;
    const char *names;
    const gpu_place *place;
    const gpu_definition *declared; /* the function's GPU_COMPILED; NULL: it has none */
} request;

static gpu_status make_closure(fp_compiled *f)
{
    const size_t count = f->result_count + f->symbol_count;
    if (count > FP_MOST_PARAMETERS)
        return fp_fail(GPU_E_ARGUMENT, "there are %zu symbols, and a function has at most %d parameters",
                       f->symbol_count, FP_MOST_PARAMETERS);
    fp_abi_class classes[FP_MOST_PARAMETERS];
    for (size_t k = 0; k < f->result_count; k++) classes[k] = fp_abi_class_pointer;
    for (size_t k = 0; k < f->symbol_count; k++) classes[f->result_count + k] = f->symbols[k].class;
    return fp_closure_make(classes, count, fp_compiled_call, f, &f->closure);
}

static gpu_status check_result(const gpu_array *result, const gpu *g)
{
    gpu_status status = fp_array_accept(result, "result");
    if (status) return status;
    if (result->g != g) return fp_fail(GPU_E_ARGUMENT, "the results belong to different gpus");
    if (result->node->kind != FP_NODE_SYMBOL)
        return fp_fail(GPU_E_ARGUMENT, "the result is made of no symbol: gpu_read reads it");
    if (result->node->made.task->run) return GPU_OK;
    return fp_fail(GPU_E_ARGUMENT, "the result is a bare symbol, and there is nothing to compute");
}

static gpu_status visit_results(walk *w, const gpu_array *const *results)
{
    gpu_status status = GPU_OK;
    for (size_t k = 0; k < w->f->result_count; k++) {
        fp_compiled_result *r = &w->f->results[k];
        r->one = results[k]->node->made.task->one;
        r->type = results[k]->node->type;
    }
    for (size_t k = 0; k < w->f->result_count && !status; k++)
        status = visit_node(w, results[k]->node, &w->f->results[k].slot);
    return status;
}

static gpu_status fill(walk *w, const request *q)
{
    fp_compiled *f = w->f;
    const char *operation = fp_operation();
    gpu_status status = take_symbols(w, q->symbols, q->names, q->place);
    if (!status) status = visit_results(w, q->results);
    if (!status) status = check_symbols(w);
    if (!status && q->declared) status = fp_declared_check(q->declared, f);
    if (status) return status;
    status = fp_compiled_rehearse(f);
    fp_enter(operation, &f->place);
    return status ? status : make_closure(f);
}

static gpu_status compile(const request *q, void **code)
{
    gpu *g = q->results[0]->g;
    fp_compiled *f = fp_alloc(sizeof *f);
    if (!f) return fp_fail_memory();
    *f = (fp_compiled){
        .g = g, .result_count = q->result_count, .symbol_count = q->symbol_count, .slot_count = q->symbol_count};
    walk w = {.f = f, .visit = ++g->serial};
    gpu_status status = fill(&w, q);
    fp_free(w.missing);
    if (status) {
        fp_compiled_free(f);
        return status;
    }
    f->next = g->compiled;
    g->compiled = f;
    *code = fp_closure_code(f->closure);
    return GPU_OK;
}

static gpu_status compile_into(void *function, size_t size, request *q)
{
    void *code = NULL;
    gpu_status status = GPU_OK;
    if (!function || size != sizeof code)
        return fp_fail(GPU_E_ARGUMENT, "the first argument is the address of a function pointer: &norm, after "
                                       "gpu_status (*norm)(...)");
    if (!q->result_count || q->result_count > GPU_RESULTS_MAX)
        return fp_fail(GPU_E_ARGUMENT, "there are %zu results; 1 to %d are possible", q->result_count, GPU_RESULTS_MAX);
    q->declared = fp_definition_at(function);
    for (size_t k = 0; k < q->result_count && !status; k++)
        status = check_result(q->results[k], fp_array_gpu(q->results[0]));
    if (!status) status = compile(q, &code);
    if (!status) memcpy(function, &code, sizeof code);
    return status;
}

gpu_status gpu_compile_op(void *function, size_t size, const gpu_array *result, const gpu_array *const *symbols,
                          size_t count, const char *names, const gpu_place *place)
{
    request q = {&result, 1, symbols, count, names, place, NULL};
    fp_entry entry = fp_entry_begin(fp_array_gpu(result), "gpu_compile", place);
    return fp_entry_end(&entry, compile_into(function, size, &q));
}

gpu_status gpu_compile_all_op(void *function, size_t size, const gpu_results *results, const gpu_array *const *symbols,
                              size_t count, const char *names, const gpu_place *place)
{
    request q = {results ? results->list : NULL, results ? results->count : 0, symbols, count, names, place, NULL};
    fp_entry entry = fp_entry_begin(q.result_count ? fp_array_gpu(q.results[0]) : NULL, "gpu_compile_all", place);
    return fp_entry_end(&entry, compile_into(function, size, &q));
}
