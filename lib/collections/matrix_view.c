/* Views of matrices: other places of the same elements (FP_NODE_STRIDED). */
#include "collections/matrix.h"

#include "base/error.h"

static fp_node *view_of(fp_node *node, size_t rows, fp_strides strides)
{
    fp_node *made = fp_node_strided(node, rows, &strides);
    if (made) fp_node_note_slice(made);
    return made;
}

/* numbers: rows, columns, the first place, and the steps to the next row and to the next column. */
static gpu_status run(const fp_task *task, fp_node **result)
{
    const size_t *n = task->numbers;
    return fp_node_give(view_of(task->inputs[0], n[0], (fp_strides){n[1], n[2], n[3], n[4]}), result);
}

fp_node *fp_matrix_transposed(fp_node *node, size_t rows, size_t columns)
{
    return view_of(node, columns, (fp_strides){rows, 0, 1, columns});
}

/* A view that is begun: of the matrix `m`, which was accepted if the status says so. */
typedef struct view {
    fp_entry entry;
    fp_task task;
    gpu_status status;
} view;

static view begin(const gpu_matrix *m, const char *operation, const gpu_place *place)
{
    view v = {.entry = fp_entry_begin(fp_matrix_gpu(m), operation, place), .task = {.run = run}};
    v.status = fp_matrix_input(&v.task, m, "m");
    return v;
}

static void set(view *v, size_t rows, size_t columns, size_t first, size_t row_step, size_t column_step)
{
    const size_t numbers[] = {rows, columns, first, row_step, column_step};
    for (unsigned k = 0; k < 5; k++) v->task.numbers[k] = numbers[k];
    v->task.one = rows == 1 && columns == 1;
}

static gpu_matrix *end(view *v)
{
    return fp_matrix_end(&v->entry, &v->task, v->status, v->task.numbers[0], v->task.numbers[1]);
}

static gpu_array *end_array(view *v)
{
    return fp_task_array(&v->entry, &v->task, v->status);
}

gpu_matrix *gpu_matrix_transpose_op(const gpu_matrix *m, const gpu_place *place)
{
    view v = begin(m, "gpu_matrix_transpose", place);
    if (!v.status) set(&v, m->columns, m->rows, 0, 1, m->columns);
    return end(&v);
}

gpu_matrix *gpu_matrix_flip_rows_op(const gpu_matrix *m, const gpu_place *place)
{
    view v = begin(m, "gpu_matrix_flip_rows", place);
    if (!v.status) set(&v, m->rows, m->columns, (m->rows - 1) * m->columns, 0 - m->columns, 1);
    return end(&v);
}

gpu_matrix *gpu_matrix_flip_columns_op(const gpu_matrix *m, const gpu_place *place)
{
    view v = begin(m, "gpu_matrix_flip_columns", place);
    if (!v.status) set(&v, m->rows, m->columns, m->columns - 1, m->columns, (size_t)0 - 1);
    return end(&v);
}

static gpu_status check_range(const char *what, size_t first, size_t count, size_t all)
{
    if (first <= all && count <= all - first) return GPU_OK;
    return fp_fail(GPU_E_RANGE, "there are no %zu %s from %zu on: the matrix has %zu", count, what, first, all);
}

gpu_matrix *gpu_matrix_block_op(const gpu_matrix *m, size_t row, size_t column, size_t rows, size_t columns,
                                const gpu_place *place)
{
    view v = begin(m, "gpu_matrix_block", place);
    if (!v.status) v.status = check_range("rows", row, rows, m->rows);
    if (!v.status) v.status = check_range("columns", column, columns, m->columns);
    if (!v.status) set(&v, rows, columns, row * m->columns + column, m->columns, 1);
    return end(&v);
}

static gpu_status check_one(const char *what, size_t k, size_t all)
{
    if (k < all) return GPU_OK;
    return fp_fail(GPU_E_RANGE, "there is no %s %zu: the matrix has %zu", what, k, all);
}

gpu_array *gpu_matrix_row_op(const gpu_matrix *m, size_t i, const gpu_place *place)
{
    view v = begin(m, "gpu_matrix_row", place);
    if (!v.status) v.status = check_one("row", i, m->rows);
    if (!v.status) set(&v, 1, m->columns, i * m->columns, 0, 1);
    return end_array(&v);
}

gpu_array *gpu_matrix_column_op(const gpu_matrix *m, size_t j, const gpu_place *place)
{
    view v = begin(m, "gpu_matrix_column", place);
    if (!v.status) v.status = check_one("column", j, m->columns);
    if (!v.status) set(&v, m->rows, 1, j, m->columns, 0);
    return end_array(&v);
}

gpu_array *gpu_matrix_diagonal_op(const gpu_matrix *m, const gpu_place *place)
{
    view v = begin(m, "gpu_matrix_diagonal", place);
    if (!v.status) set(&v, m->rows < m->columns ? m->rows : m->columns, 1, 0, m->columns + 1, 0);
    return end_array(&v);
}
