#include "ops/stencil.h"
#include "arrays/array.h"
#include "arrays/read.h"
#include "base/error.h"
#include "kernel/lex.h"

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

static gpu_status check_radius(size_t radius, gpu_type type, const fp_operator *op)
{
    if (radius > MOST_RADIUS)
        return fp_fail(GPU_E_ARGUMENT, "the radius is %zu, and may be %d at most", radius, MOST_RADIUS);
    const size_t line = 2 * radius + 1, bytes = (op->placed && line <= MOST_BYTES ? line * line : line) * type->size;
    if (!op->snippet->function || bytes <= MOST_BYTES) return GPU_OK;
    return fp_fail(
        GPU_E_ARGUMENT,
        "the neighbourhood of radius %zu has %zu bytes, and a function's may have %d: use a text with at(%s)", radius,
        bytes, MOST_BYTES, op->placed ? "dy, dx" : "k");
}

/* The next ',' or ')' that is in no further parentheses. */
static fp_token end_of_argument(const char *text, fp_token t)
{
    for (int depth = 0; t.kind != FP_TOKEN_END && (depth || !fp_token_in(text, t, ",)")); t = fp_next(text, t))
        depth += fp_token_is(text, t, '(') - fp_token_is(text, t, ')');
    return t;
}

/* The distance that an argument says, if it is a number; else the radius. */
static size_t distance(const char *text, fp_token t, fp_token end, size_t radius)
{
    if (fp_token_in(text, t, "+-")) t = fp_next(text, t);
    if (t.kind != FP_TOKEN_NUMBER || fp_next(text, t).offset != end.offset) return radius;
    return (size_t)strtol(text + t.offset, NULL, 0);
}

/* Reads the call of an `at`: each number in it lies within the radius. *reach grows to hold them. */
static gpu_status check_call(const char *text, const fp_word *word, bool placed, size_t radius, fp_reach *reach)
{
    const fp_token open = fp_lex(text, word->offset + word->length);
    fp_token end = open;
    size_t away[2] = {0, 0}, count = 0;
    do {
        const fp_token first = fp_next(text, end);
        end = end_of_argument(text, first);
        if (count < 2) away[count] = distance(text, first, end, radius);
        count++;
    } while (fp_token_is(text, end, ','));
    if (count != (placed ? 2 : 1))
        return fp_snippet_refuse(text, word->offset, "at takes %s",
                                 placed ? "two numbers here: at(-1, 0) is the element above"
                                        : "one number here: at(-1) is the element before");
    const fp_reach here = placed ? (fp_reach){away[0], away[1]} : (fp_reach){0, away[0]};
    if (here.down > reach->down) reach->down = here.down;
    if (here.across > reach->across) reach->across = here.across;
    if (here.down <= radius && here.across <= radius) return GPU_OK;
    return fp_snippet_refuse(text, word->offset, "at%.*s is outside of the radius %zu",
                             (int)(end.offset + 1 - open.offset), text + open.offset, radius);
}

/* Each `at` of a text is a call. *reach becomes the largest distance that is used: the host makes room for it. */
static gpu_status check_text(const fp_operator *op, size_t radius, fp_reach *reach)
{
    const fp_snippet *snippet = op->snippet;
    const char *text = snippet->text;
    gpu_status status = GPU_OK;
    *reach = snippet->function ? (fp_reach){op->placed ? radius : 0, radius} : (fp_reach){0, 0};
    for (size_t w = 0; w < snippet->words.count && !snippet->function && !status; w++) {
        const fp_word *word = &snippet->words.list[w];
        if (!fp_word_means(text, word, "at")) continue;
        if (word->called)
            status = check_call(text, word, op->placed, radius, reach);
        else
            status = fp_snippet_refuse(text, word->offset, "at is not called: %s this one",
                                       op->placed ? "at(-1, 0) is the element above, at(0, 0)"
                                                  : "at(-1) is the element before, at(0)");
    }
    return status;
}

/* numbers: the reach, the kind of the edge; values[0]: the element outside. */
static gpu_status run(const fp_task *task, fp_node **result)
{
    const size_t *n = task->numbers;
    const fp_reach reach = {n[0], n[1]};
    fp_operator *op = fp_operator_keep(task->op);
    return fp_node_give(fp_node_stencil(task->inputs[0], (gpu_edge_kind)n[2], task->values[0], reach, op), result);
}

static gpu_status bind(fp_task *task, size_t radius, const gpu_operator *op, unsigned traits)
{
    const gpu_type type = task->inputs[0]->type;
    const fp_operator_kind kind = {fp_operation(), 1, FP_OPERATOR_INDEX | FP_OPERATOR_AROUND | traits, {type}, type};
    fp_reach reach;
    gpu_status status = fp_task_bind(task, op, &kind);
    if (!status && fp_captured_named(task->op, "at"))
        status = fp_fail(GPU_E_ARGUMENT, "no captured value can be called 'at' here: it gives the neighbours");
    if (!status) status = check_text(task->op, radius, &reach);
    if (status) return status;
    task->numbers[0] = reach.down;
    task->numbers[1] = reach.across;
    return check_radius(radius, type, task->op);
}

gpu_status fp_stencil_set(fp_task *task, size_t radius, const gpu_edge *edge, const gpu_operator *op, unsigned traits)
{
    const gpu_type type = task->inputs[0]->type;
    task->run = run;
    task->aligned = true;
    gpu_status status = check_edge(edge, type);
    if (!status) status = bind(task, radius, op, traits);
    if (status) return status;
    task->numbers[2] = edge->kind;
    if (edge->kind == GPU_EDGE_KIND_VALUE) task->values[0] = edge->value->pointer;
    return GPU_OK;
}

gpu_array *gpu_stencil_op(const gpu_array *a, size_t radius, const gpu_edge *edge, const gpu_operator *op)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_stencil", fp_place_of(op));
    fp_task task = {0};
    gpu_status status = fp_task_input(&task, a, "a");
    if (!status) status = fp_stencil_set(&task, radius, edge, op, 0);
    return fp_task_array(&entry, &task, status);
}
