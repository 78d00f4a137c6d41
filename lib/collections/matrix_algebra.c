/* Conjugate transposes and cross products: maps of views. */
#include "collections/matrix.h"

#include "base/error.h"
#include "host/numbers.h"
#include "kernel/type.h"
#include "planning/eval.h"

/* numbers: rows and columns of the matrix. */
static gpu_status run_conjugate(const fp_task *task, fp_node **result)
{
    const fp_numbers *numbers = fp_numbers_of(task->inputs[0]->type);
    fp_node *turned = fp_matrix_transposed(task->inputs[0], task->numbers[0], task->numbers[1]);
    fp_operator *op = NULL;
    *result = turned;
    if (!turned || !numbers || !numbers->complex) return turned ? GPU_OK : fp_last_status();
    const fp_builtin conjugate = {.text = "{ x.y = -x.y; return x; }", .native = numbers->conjugate};
    gpu_status status = fp_operator_builtin(task->g, &conjugate, &op);
    *result = status ? NULL : fp_node_map(turned->type, op, &turned, 1);
    fp_node_drop(turned);
    return *result ? GPU_OK : fp_last_status();
}

gpu_matrix *gpu_matrix_conjugate_transpose_op(const gpu_matrix *m, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_matrix_gpu(m), "gpu_matrix_conjugate_transpose", place);
    fp_task task = {.run = run_conjugate};
    gpu_status status = fp_matrix_input(&task, m, "m");
    const gpu_type type = status ? NULL : m->array.node->type;
    if (type && !fp_type_is_scalar(type) && !fp_numbers_of(type))
        status = fp_fail(GPU_E_TYPE, "the elements are %s: they must be scalars or complex numbers", type->name);
    task.numbers[0] = status ? 0 : m->rows;
    task.numbers[1] = status ? 0 : m->columns;
    task.one = task.numbers[0] == 1 && task.numbers[1] == 1;
    return fp_matrix_end(&entry, &task, status, task.numbers[1], task.numbers[0]);
}

/* ---- cross products ---- */

/* The columns of n vectors from column `first` on, and then those before it: 3 rows of n elements. */
static fp_node *turn(fp_node *vectors, size_t n, size_t first)
{
    fp_node *from = fp_node_strided(vectors, 3 - first, &(fp_strides){n, first, 1, 3});
    fp_node *before = from ? fp_node_strided(vectors, first, &(fp_strides){n, 0, 1, 3}) : NULL;
    fp_node *all = before ? fp_node_concat(from, before) : NULL;
    fp_node_drop(from);
    fp_node_drop(before);
    return all;
}

static fp_node *map_two(fp_node *x, fp_node *y, const char *text)
{
    fp_node *result = x && y ? fp_node_map_own(x->type, text, NULL, (fp_node *const[]){x, y}, 2) : NULL;
    fp_node_drop(x);
    fp_node_drop(y);
    return result;
}

/* Component k is a[k + 1] * b[k + 2] - a[k + 2] * b[k + 1]; after the last comes the first again. numbers: vectors. */
static gpu_status run_cross(const fp_task *task, fp_node **result)
{
    fp_node *a = task->inputs[0], *b = task->inputs[1];
    const size_t n = task->numbers[0];
    gpu_status status = fp_node_store(a, FP_REASON_SLICED);
    if (!status) status = fp_node_store(b, FP_REASON_SLICED);
    if (status) return status;
    fp_node *products = map_two(turn(a, n, 1), turn(b, n, 2), "x * y");
    fp_node *others = map_two(turn(a, n, 2), turn(b, n, 1), "x * y");
    fp_node *columns = map_two(products, others, "x - y");
    if (columns) *result = fp_matrix_transposed(columns, 3, n);
    fp_node_drop(columns);
    return *result ? GPU_OK : fp_last_status();
}

static gpu_status check_vectors(const gpu_matrix *a, const gpu_matrix *b)
{
    const gpu_type type = a->array.node->type;
    if (!fp_type_is_scalar(type)) return fp_fail(GPU_E_TYPE, "the elements are %s: they must be scalars", type->name);
    if (a->columns == 3 && b->columns == 3 && a->rows == b->rows) return GPU_OK;
    return fp_fail(GPU_E_ARGUMENT,
                   "the matrices 'a' and 'b' are %zu by %zu and %zu by %zu: they need rows of three, and as many",
                   a->rows, a->columns, b->rows, b->columns);
}

gpu_matrix *gpu_matrix_cross_op(const gpu_matrix *a, const gpu_matrix *b, const gpu_place *place)
{
    gpu *g = fp_first_gpu(fp_matrix_gpu(a), fp_matrix_gpu(b));
    fp_entry entry = fp_entry_begin(g, "gpu_matrix_cross", place);
    fp_task task = {.run = run_cross, .aligned = true};
    gpu_status status = fp_matrix_input(&task, a, "a");
    if (!status) status = fp_matrix_input(&task, b, "b");
    if (!status) status = fp_matrix_same_type(&task);
    if (!status) status = check_vectors(a, b);
    task.numbers[0] = status ? 0 : a->rows;
    return fp_matrix_end(&entry, &task, status, task.numbers[0], 3);
}
