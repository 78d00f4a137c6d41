#include "arrays/array.h"
#include "arrays/read.h"
#include "base/error.h"
#include "kernel/lex.h"
#include "planning/task.h"

#include <firepile/stencil.h>

#include <stdlib.h>
#include <string.h>

/* A function's neighbourhood is in private memory. */
enum { MOST_BYTES = 4096, MOST_RADIUS = INT32_MAX };

const gpu_edge gpu_edge_clamp = {GPU_EDGE_KIND_CLAMP, NULL};
const gpu_edge gpu_edge_wrap = {GPU_EDGE_KIND_WRAP, NULL};
const gpu_edge gpu_edge_reflect = {GPU_EDGE_KIND_REFLECT, NULL};

static gpu_status check_edge(const gpu_edge *edge, gpu_type type)
{
    if (!edge)
        return fp_fail(GPU_E_ARGUMENT, "the edge is NULL: pass GPU_EDGE_CLAMP, GPU_EDGE_WRAP, GPU_EDGE_REFLECT or "
                                       "GPU_EDGE_VALUE(&value)");
    if ((unsigned)edge->kind > GPU_EDGE_KIND_VALUE) return fp_fail(GPU_E_ARGUMENT, "there is no edge %d", edge->kind);
    return edge->kind == GPU_EDGE_KIND_VALUE ? fp_check_value(edge->value, type, "edge") : GPU_OK;
}

static gpu_status check_radius(size_t radius, gpu_type type, bool function)
{
    if (radius > MOST_RADIUS)
        return fp_fail(GPU_E_ARGUMENT, "the radius is %zu, and may be %d at most", radius, MOST_RADIUS);
    const size_t bytes = (2 * radius + 1) * type->size;
    if (!function || bytes <= MOST_BYTES) return GPU_OK;
    return fp_fail(GPU_E_ARGUMENT,
                   "the neighbourhood of radius %zu has %zu bytes, and a function's may have %d: use a text with at(k)",
                   radius, bytes, MOST_BYTES);
}

/* The k of "at(k)", if it is a number. */
static bool is_constant(const char *text, const fp_word *word, long *k)
{
    fp_token t = fp_next(text, fp_lex(text, word->offset + word->length));
    const bool minus = fp_token_is(text, t, '-');
    if (minus || fp_token_is(text, t, '+')) t = fp_next(text, t);
    if (t.kind != FP_TOKEN_NUMBER || !fp_token_is(text, fp_next(text, t), ')')) return false;
    *k = strtol(text + t.offset, NULL, 0);
    if (minus) *k = -*k;
    return true;
}

/* Each `at` of a text is a call, and each constant in it lies within the radius. *reach becomes the largest distance
 * that is used: the host makes room for it. */
static gpu_status check_text(const fp_snippet *snippet, size_t radius, size_t *reach)
{
    const char *text = snippet->text;
    *reach = snippet->function ? radius : 0;
    for (size_t w = 0; w < snippet->words.count && !snippet->function; w++) {
        const fp_word *word = &snippet->words.list[w];
        long k;
        if (word->member || word->own || !fp_is_named(text + word->offset, word->length, "at")) continue;
        if (!word->called)
            return fp_snippet_refuse(text, word->offset,
                                     "at is not called: at(-1) is the element before, at(0) this "
                                     "one");
        const size_t away = is_constant(text, word, &k) ? (size_t)labs(k) : radius;
        if (away > *reach) *reach = away;
        if (away > radius)
            return fp_snippet_refuse(text, word->offset, "at(%ld) is outside of the radius %zu", k, radius);
    }
    return GPU_OK;
}

/* numbers[0] becomes the radius that is used. */
static gpu_status bind(fp_task *task, const gpu_operator *op, size_t radius)
{
    const gpu_type type = task->inputs[0]->type;
    const fp_operator_kind kind = {"gpu_stencil", 1, FP_OPERATOR_INDEX | FP_OPERATOR_AROUND, {type}, type};
    gpu_status status = fp_task_bind(task, op, &kind);
    if (!status && fp_operator_captured(task->op, "at", 2))
        status = fp_fail(GPU_E_ARGUMENT, "no captured value can be called 'at' here: it gives the neighbours");
    if (!status) status = check_text(task->op->snippet, radius, &task->numbers[0]);
    return status ? status : check_radius(radius, type, task->op->snippet->function);
}

/* numbers: the radius, the kind of the edge; values[0]: the element outside. */
static gpu_status run(const fp_task *task, fp_node **result)
{
    *result = fp_node_stencil(task->inputs[0], (gpu_edge_kind)task->numbers[1], task->values[0], task->numbers[0],
                              fp_operator_keep(task->op));
    return *result ? GPU_OK : fp_last_status();
}

gpu_array *gpu_stencil_op(const gpu_array *a, size_t radius, const gpu_edge *edge, const gpu_operator *op)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_stencil", fp_place_of(op));
    fp_task task = {.run = run, .aligned = true};
    gpu_status status = fp_task_input(&task, a, "a");
    if (!status) status = check_edge(edge, a->node->type);
    if (!status) status = bind(&task, op, radius);
    if (!status) {
        task.numbers[1] = edge->kind;
        if (edge->kind == GPU_EDGE_KIND_VALUE) task.values[0] = edge->value->pointer;
        fp_task_gives(&task, a->node->type);
    }
    return fp_task_array(&entry, &task, status);
}
