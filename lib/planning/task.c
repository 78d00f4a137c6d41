#include "planning/task.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* The most calls in a row: the graph of kept tasks is walked by recursion. */
enum { DEEPEST = 4096 };

static bool is_later(const fp_node *node)
{
    return node && node->kind == FP_NODE_SYMBOL;
}

gpu_status fp_task_input(fp_task *task, const gpu_array *a, const char *which)
{
    gpu_status status = fp_array_accept(a, which);
    if (status) return status;
    task->g = a->g;
    task->inputs[task->input_count++] = a->node;
    return GPU_OK;
}

gpu_status fp_task_bind(fp_task *task, const gpu_operator *op, const fp_operator_kind *kind)
{
    fp_operator_kind later = *kind;
    later.traits |= FP_OPERATOR_SYMBOLS;
    return fp_operator_bind(task->g, op, &later, &task->op);
}

gpu_status fp_task_bind_combiner(fp_task *task, const gpu_operator *op, gpu_type type)
{
    return fp_task_bind(task, op, &(fp_operator_kind){fp_operation(), 2, 0, {type}, type});
}

void fp_task_gives(fp_task *task, gpu_type type)
{
    task->results[task->result_count++] = type;
}

void fp_task_gives_two(fp_task *task, gpu_type one, gpu_type two)
{
    fp_task_gives(task, one);
    fp_task_gives(task, two);
}

/* ---- keeping and running ---- */

static bool has_one(const fp_node *node)
{
    return is_later(node) ? node->made.task->one : node->length == 1 && !fp_node_selection(node) && !node->count;
}

/* 1: nothing comes later. */
static unsigned depth_of(const fp_task *task)
{
    unsigned deepest = 0;
    for (unsigned k = 0; k < task->input_count; k++)
        if (is_later(task->inputs[k]) && task->inputs[k]->depth > deepest) deepest = task->inputs[k]->depth;
    for (unsigned k = 0; task->op && k < task->op->count; k++) {
        const fp_node *array = task->op->captured[k].array;
        if (is_later(array) && array->depth > deepest) deepest = array->depth;
    }
    return deepest + 1;
}

/* A copy in one block with what `task` points to. */
static fp_task *copy(const fp_task *task)
{
    const gpu_place place = fp_call_place();
    const char *file = place.file ? place.file : "";
    size_t size = task->input_count ? task->inputs[0]->type->size : 0, values = FP_TASK_VALUES * size;
    fp_task *kept = fp_alloc(sizeof *kept + values + strlen(file) + 1);
    if (!kept) {
        fp_fail_memory();
        return NULL;
    }
    unsigned char *at = (unsigned char *)(kept + 1);
    *kept = *task;
    for (unsigned k = 0; k < FP_TASK_VALUES; k++, at += size)
        if (task->values[k]) kept->values[k] = memcpy(at, task->values[k], size);
    kept->operation = fp_operation();
    kept->place = place;
    if (place.file) kept->place.file = memcpy(at, file, strlen(file) + 1);
    kept->references = 1;
    for (unsigned k = 0; k < kept->input_count; k++) fp_node_keep(kept->inputs[k]);
    if (kept->op) fp_operator_keep(kept->op);
    return kept;
}

static gpu_status keep(const fp_task *task, fp_node **results)
{
    unsigned depth = depth_of(task);
    if (depth > DEEPEST)
        return fp_fail(GPU_E_ARGUMENT, "more than %d calls follow each other on what begins with a symbol", DEEPEST);
    fp_task *kept = copy(task);
    if (!kept) return fp_last_status();
    kept->one |= kept->aligned;
    for (unsigned k = 0; kept->aligned && k < kept->input_count; k++) kept->one &= has_one(kept->inputs[k]);
    for (unsigned k = 0; k < kept->result_count; k++) {
        results[k] = fp_node_symbol(kept, k);
        if (results[k]) results[k]->depth = depth;
    }
    fp_task_drop(kept);
    for (unsigned k = 0; k < task->result_count; k++)
        if (!results[k]) return fp_last_status();
    return GPU_OK;
}

/* Is the number of blocks not known before? */
static bool is_uncertain(fp_node *node)
{
    return fp_node_selection(node) || fp_node_count(node);
}

gpu_status fp_task_run(fp_task *task, fp_node **results)
{
    if (!task->delayed || (task->block && is_uncertain(task->inputs[0]))) return task->run(task, results);
    fp_task *kept = copy(task);
    results[0] = kept ? fp_node_task(kept) : NULL;
    fp_task_drop(kept);
    return results[0] ? GPU_OK : fp_last_status();
}

gpu_status fp_task_end(fp_task *task, gpu_status status, fp_node **results)
{
    if (!status) status = depth_of(task) > 1 ? keep(task, results) : fp_task_run(task, results);
    for (unsigned k = 0; k < task->result_count && status; k++) {
        fp_node_drop(results[k]);
        results[k] = NULL;
    }
    fp_operator_drop(task->op);
    return status;
}

fp_node *fp_task_result(fp_task *task, gpu_status status)
{
    fp_node *results[FP_RESULTS] = {NULL};
    return fp_task_end(task, status, results) ? NULL : results[0];
}

gpu_status fp_run_map(const fp_task *task, fp_node **result)
{
    return fp_node_give(fp_node_map(task->results[0], fp_operator_keep(task->op), task->inputs, task->input_count),
                        result);
}

gpu_status fp_run_indices(const fp_task *task, fp_node **result)
{
    return fp_node_give(fp_node_filter(task->inputs, task->input_count, fp_operator_keep(task->op), true), result);
}

fp_node *fp_symbol_new(gpu *g, gpu_type type, bool one)
{
    const fp_task symbol = {.g = g, .results = {type}, .result_count = 1, .one = one};
    fp_node *result = NULL;
    return keep(&symbol, &result) ? NULL : result;
}

/* ---- foreseeing ---- */

fp_foreseen fp_task_foresee(fp_node *made, fp_node *maps, const fp_supposed *supposed)
{
    gpu *g = made->g;
    fp_task task = *made->made.task;
    fp_node *input = made->inputs[0], *result = NULL;
    const fp_ready ready = {input, fp_node_most(input), fp_node_count(input), NULL};
    task.ready = &ready;
    task.epilogue = maps == made ? NULL : maps;
    g->counted = (fp_foreseen){false};
    g->supposed = supposed;
    const fp_mode mode = g->mode;
    g->mode = FP_MODE_COUNTS;
    const gpu_status status = task.run(&task, &result);
    g->mode = mode;
    g->supposed = NULL;
    fp_node_drop(result);
    g->counted.epilogue &= !status && !g->verify && !g->counted.on_host;
    return g->counted;
}
