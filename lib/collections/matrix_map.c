/* Maps of matrices: of all elements, of two matrices, of a triangle or a diagonal, of neighbours, of all pairs of two
 * arrays. */
#include "collections/matrix.h"

#include "base/error.h"
#include "expressions/types.h"
#include "ops/stencil.h"
#include "planning/eval.h"

static const char *const names[] = {"a", "b"};

/* Binds an operator that may use row and column. */
static gpu_status bind(fp_task *task, const gpu_operator *op, gpu_type result, size_t columns, fp_region region)
{
    fp_operator_kind kind = {fp_operation(), task->input_count, FP_OPERATOR_INDEX | FP_OPERATOR_PLACED, {NULL}, result};
    for (unsigned k = 0; k < task->input_count; k++) kind.types[k] = task->inputs[k]->type;
    gpu_status status = fp_task_bind(task, op, &kind);
    if (status) return status;
    task->op->columns = columns;
    task->op->region = region;
    return GPU_OK;
}

static gpu_status check_shapes(const gpu_matrix *a, const gpu_matrix *b)
{
    if (a->rows == b->rows && a->columns == b->columns) return GPU_OK;
    return fp_fail(GPU_E_ARGUMENT, "the matrices 'a' and 'b' are %zu by %zu and %zu by %zu: they need one shape",
                   a->rows, a->columns, b->rows, b->columns);
}

static gpu_matrix *map(const gpu_matrix *const *of, unsigned count, const char *operation, gpu_type type,
                       const gpu_operator *op, fp_region region)
{
    gpu *g = fp_matrix_gpu(of[0]) || count == 1 ? fp_matrix_gpu(of[0]) : fp_matrix_gpu(of[1]);
    fp_entry entry = fp_entry_begin(g, operation, fp_place_of(op));
    fp_task task = {.run = fp_run_map, .aligned = true};
    gpu_status status = GPU_OK;
    for (unsigned k = 0; k < count && !status; k++) status = fp_matrix_input(&task, of[k], count > 1 ? names[k] : "m");
    if (!status && count > 1) status = check_shapes(of[0], of[1]);
    if (!status && !type) type = task.inputs[0]->type;
    if (!status) status = fp_gpu_check_type(g, &type);
    if (!status) status = bind(&task, op, type, of[0]->columns, region);
    if (!status) fp_task_gives(&task, type);
    return fp_matrix_end(&entry, &task, status, status ? 0 : of[0]->rows, status ? 0 : of[0]->columns);
}

gpu_matrix *gpu_matrix_map_op(const gpu_matrix *m, gpu_type type, const gpu_operator *op)
{
    return map(&m, 1, "gpu_matrix_map", type, op, FP_REGION_ALL);
}

gpu_matrix *gpu_matrix_map2_op(const gpu_matrix *a, const gpu_matrix *b, gpu_type type, const gpu_operator *op)
{
    return map((const gpu_matrix *const[]){a, b}, 2, "gpu_matrix_map2", type, op, FP_REGION_ALL);
}

gpu_matrix *gpu_matrix_map_lower_op(const gpu_matrix *m, const gpu_operator *op)
{
    return map(&m, 1, "gpu_matrix_map_lower", NULL, op, FP_REGION_LOWER);
}

gpu_matrix *gpu_matrix_map_upper_op(const gpu_matrix *m, const gpu_operator *op)
{
    return map(&m, 1, "gpu_matrix_map_upper", NULL, op, FP_REGION_UPPER);
}

gpu_matrix *gpu_matrix_map_diagonal_op(const gpu_matrix *m, const gpu_operator *op)
{
    return map(&m, 1, "gpu_matrix_map_diagonal", NULL, op, FP_REGION_DIAGONAL);
}

gpu_matrix *gpu_matrix_map_antidiagonal_op(const gpu_matrix *m, const gpu_operator *op)
{
    return map(&m, 1, "gpu_matrix_map_antidiagonal", NULL, op, FP_REGION_ANTIDIAGONAL);
}

/* ---- neighbours ---- */

gpu_matrix *gpu_matrix_stencil_op(const gpu_matrix *m, size_t radius, const gpu_edge *edge, const gpu_operator *op)
{
    fp_entry entry = fp_entry_begin(fp_matrix_gpu(m), "gpu_matrix_stencil", fp_place_of(op));
    fp_task task = {0};
    gpu_status status = fp_matrix_input(&task, m, "m");
    if (!status) status = fp_stencil_set(&task, radius, edge, op, FP_OPERATOR_PLACED);
    if (!status) task.op->columns = m->columns;
    return fp_matrix_end(&entry, &task, status, status ? 0 : m->rows, status ? 0 : m->columns);
}

/* ---- two arrays ---- */

/* numbers: rows and columns. Each row has one element of `a`, and each column one of `b`. */
static gpu_status run_outer(const fp_task *task, fp_node **result)
{
    const size_t rows = task->numbers[0], columns = task->numbers[1];
    fp_node *x = fp_node_strided(task->inputs[0], rows, &(fp_strides){columns, 0, 1, 0});
    fp_node *y = x ? fp_node_strided(task->inputs[1], rows, &(fp_strides){columns, 0, 0, 1}) : NULL;
    fp_node *const both[] = {x, y};
    if (y) *result = fp_node_map(task->results[0], fp_operator_keep(task->op), both, 2);
    fp_node_drop(x);
    fp_node_drop(y);
    return *result ? GPU_OK : fp_last_status();
}

static gpu_status take_array(fp_task *task, const gpu_array *a, const char *which, size_t *length)
{
    gpu_status status = fp_array_check(a, which);
    if (!status && task->g && task->g != a->g)
        status = fp_fail(GPU_E_ARGUMENT, "the arrays 'a' and '%s' belong to different gpus", which);
    if (!status) status = fp_task_input(task, a, which);
    return status ? status : fp_node_wait_length(a->node, length);
}

gpu_matrix *gpu_matrix_outer_op(const gpu_array *a, const gpu_array *b, const gpu_operator *op)
{
    gpu *g = fp_first_gpu(fp_array_gpu(a), fp_array_gpu(b));
    fp_entry entry = fp_entry_begin(g, "gpu_matrix_outer", fp_place_of(op));
    fp_task task = {.run = run_outer};
    size_t *shape = task.numbers, length;
    gpu_status status = take_array(&task, a, "a", &shape[0]);
    if (!status) status = take_array(&task, b, "b", &shape[1]);
    if (!status) status = fp_matrix_length(shape[0], shape[1], &length);
    if (!status) status = bind(&task, op, task.inputs[0]->type, shape[1], FP_REGION_ALL);
    return fp_matrix_end(&entry, &task, status, shape[0], shape[1]);
}
