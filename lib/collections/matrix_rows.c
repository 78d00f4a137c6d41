/* Operations along the rows or the columns of a matrix. */
#include "collections/matrix.h"

#include "base/error.h"
#include "expressions/types.h"
#include "ops/by_key.h"
#include "ops/order.h"
#include "ops/reduce.h"
#include "planning/eval.h"

#include <string.h>

/* An operation on rows. numbers[0] and numbers[1] of its task are their number and length. */
typedef gpu_status run_rows(const fp_task *task, fp_node **result);

/* A large transpose is stored first: to read columns takes longer. */
static gpu_status store_large(fp_node *view)
{
    enum { LARGE = 1 << 16 };
    return view->kind == FP_NODE_STRIDED && view->length >= LARGE ? fp_node_store(view, FP_REASON_TURNED) : GPU_OK;
}

/* The same task for the transpose. The caller owns its input, which is NULL on failure. */
static fp_task turned(const fp_task *task)
{
    fp_task turned = *task;
    turned.inputs[0] = fp_matrix_transposed(task->inputs[0], task->numbers[0], task->numbers[1]);
    turned.numbers[0] = task->numbers[1];
    turned.numbers[1] = task->numbers[0];
    return turned;
}

static gpu_status take(fp_task *task, const gpu_matrix *m)
{
    gpu_status status = fp_matrix_input(task, m, "m");
    if (status) return status;
    task->numbers[0] = m->rows;
    task->numbers[1] = m->columns;
    return GPU_OK;
}

static gpu_status take_combined(fp_task *task, const gpu_matrix *m, const gpu_operator *op)
{
    gpu_status status = take(task, m);
    return status ? status : fp_task_bind_combiner(task, op, m->array.node->type);
}

/* ---- reduce ---- */

static gpu_status run_blocks(const fp_task *task, fp_node **result)
{
    return fp_block_reduce(task->ready, task->op, task->block, result);
}

/* The values of rows without elements. */
static gpu_status fill(const fp_task *task, fp_node **result)
{
    uint64_t identity[FP_IDENTITY_WORDS];
    const gpu_type type = task->inputs[0]->type;
    const char *lines = strstr(fp_operation(), "columns") ? "columns" : "rows";
    if (!task->numbers[0]) return fp_node_give(fp_node_buffer(task->g, type, 0, NULL, 0), result);
    if (!fp_operator_identity(task->op, type, identity))
        return fp_fail(GPU_E_EMPTY, "the matrix has %zu %s without elements, and the operator has no known identity",
                       task->numbers[0], lines);
    return fp_node_give(fp_node_fill(task->g, type, identity, task->numbers[0]), result);
}

/* Makes the result when it is needed. An element of it is made of `block` elements. */
static gpu_status delay(const fp_task *task, run_rows *run, size_t block, fp_node **result)
{
    fp_task delayed = *task;
    delayed.run = run;
    delayed.delayed = true;
    delayed.block = block;
    return fp_task_run(&delayed, result);
}

static gpu_status run_reduce(const fp_task *task, fp_node **result)
{
    if (!task->numbers[0] || !task->numbers[1]) return fill(task, result);
    return delay(task, run_blocks, task->numbers[1], result);
}

static gpu_status run_columns(const fp_task *task, fp_node **result)
{
    return fp_reduce_columns(task->ready, task->op, task->numbers[1], result);
}

/* The columns of a transposed view are rows of its source. */
static gpu_status run_reduce_columns(const fp_task *task, fp_node **result)
{
    const fp_task rows = turned(task);
    if (!rows.inputs[0]) return fp_last_status();
    const bool down = rows.inputs[0]->kind == FP_NODE_STRIDED && rows.numbers[0] && rows.numbers[1];
    gpu_status status = down ? delay(task, run_columns, task->numbers[0], result) : run_reduce(&rows, result);
    fp_node_drop(rows.inputs[0]);
    return status;
}

static gpu_array *reduce(const gpu_matrix *m, const char *operation, run_rows *run, const gpu_operator *op)
{
    fp_entry entry = fp_entry_begin(fp_matrix_gpu(m), operation, fp_place_of(op));
    fp_task task = {.run = run};
    return fp_task_array(&entry, &task, take_combined(&task, m, op));
}

gpu_array *gpu_matrix_reduce_rows_op(const gpu_matrix *m, const gpu_operator *op)
{
    return reduce(m, "gpu_matrix_reduce_rows", run_reduce, op);
}

gpu_array *gpu_matrix_reduce_columns_op(const gpu_matrix *m, const gpu_operator *op)
{
    return reduce(m, "gpu_matrix_reduce_columns", run_reduce_columns, op);
}

/* ---- scan ---- */

/* The row of each element. Divisions of 32 bits take a fraction of the time of those of 64. */
static fp_node *number_rows(const fp_task *task)
{
    const size_t length = task->numbers[0] * task->numbers[1];
    const bool narrow = length <= UINT32_MAX;
    const gpu_type type = narrow ? GPU_UINT : GPU_ULONG;
    const uint32_t few = (uint32_t)task->numbers[1];
    const uint64_t many = task->numbers[1];
    const gpu_capture captured = {"columns", narrow ? (const void *)&few : &many, type, type->size};
    fp_node *range = fp_node_range(task->g, type, length);
    fp_node *rows =
        range ? fp_node_map_own(type, "x / columns", (const gpu_capture *const[]){&captured, NULL}, &range, 1) : NULL;
    fp_node_drop(range);
    return rows;
}

static gpu_status run_scan(const fp_task *task, fp_node **result)
{
    fp_node *values = task->inputs[0], *rows = number_rows(task);
    if (!rows) return fp_last_status();
    gpu_status status = fp_combine_by_key(task->op, rows, values, NULL, values->type, true, result);
    fp_node_drop(rows);
    return status;
}

static gpu_status run_scan_columns(const fp_task *task, fp_node **result)
{
    const fp_task rows = turned(task);
    fp_node *scanned = NULL;
    gpu_status status = rows.inputs[0] ? store_large(rows.inputs[0]) : fp_last_status();
    if (!status) status = run_scan(&rows, &scanned);
    if (!status) status = fp_node_give(fp_matrix_transposed(scanned, rows.numbers[0], rows.numbers[1]), result);
    fp_node_drop(rows.inputs[0]);
    fp_node_drop(scanned);
    return status;
}

static gpu_matrix *scan(const gpu_matrix *m, const char *operation, run_rows *run, const gpu_operator *op)
{
    fp_entry entry = fp_entry_begin(fp_matrix_gpu(m), operation, fp_place_of(op));
    fp_task task = {.run = run};
    gpu_status status = take_combined(&task, m, op);
    return fp_matrix_end(&entry, &task, status, task.numbers[0], task.numbers[1]);
}

gpu_matrix *gpu_matrix_scan_rows_op(const gpu_matrix *m, const gpu_operator *op)
{
    return scan(m, "gpu_matrix_scan_rows", run_scan, op);
}

gpu_matrix *gpu_matrix_scan_columns_op(const gpu_matrix *m, const gpu_operator *op)
{
    return scan(m, "gpu_matrix_scan_columns", run_scan_columns, op);
}

/* ---- sort ---- */

/* Two stable sorts: by the elements, then by their rows. */
static gpu_status run_sort(const fp_task *task, fp_node **result)
{
    fp_node *keys = task->inputs[0], *rows = number_rows(task), *elements = NULL, *places = NULL;
    gpu_status status = rows ? fp_sort_by_keys(keys, rows, false, rows->type, &elements, &places) : fp_last_status();
    if (!status) status = fp_sort_by_keys(places, elements, false, elements->type, NULL, result);
    fp_node_drop(rows);
    fp_node_drop(elements);
    fp_node_drop(places);
    return status;
}

gpu_matrix *gpu_matrix_sort_rows_op(const gpu_matrix *m, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_matrix_gpu(m), "gpu_matrix_sort_rows", place);
    fp_task task = {.run = run_sort};
    gpu_status status = take(&task, m);
    if (!status) status = fp_order_check(m->array.node->type);
    return fp_matrix_end(&entry, &task, status, task.numbers[0], task.numbers[1]);
}
