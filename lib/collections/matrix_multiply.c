/* Products of matrices. */
#include "collections/matrix.h"

#include "base/error.h"
#include "host/numbers.h"
#include "kernel/type.h"
#include "ops/multiply.h"
#include "ops/reduce.h"
#include "planning/eval.h"

/* numbers: the shape. */
static gpu_status run(const fp_task *task, fp_node **result)
{
    return fp_multiply_matrices(task->inputs[0], task->inputs[1], task->numbers, task->op, result);
}

/* A product that is begun: of `a` and of a second factor, which has `inner` rows and `columns`. */
typedef struct product {
    fp_entry entry;
    fp_task task;
    gpu_status status;
} product;

static void set_shape(product *p, const gpu_matrix *a, size_t columns)
{
    size_t length;
    p->task.numbers[FP_SHAPE_ROWS] = a->rows;
    p->task.numbers[FP_SHAPE_INNER] = a->columns;
    p->task.numbers[FP_SHAPE_COLUMNS] = columns;
    p->task.one = a->rows == 1 && columns == 1;
    p->status = fp_matrix_length(a->rows, columns, &length);
}

static product begin(gpu *g, const char *operation, const gpu_place *place)
{
    return (product){.entry = fp_entry_begin(g, operation, place), .task = {.run = run}};
}

static void take_two(product *p, const gpu_matrix *a, const gpu_matrix *b)
{
    p->status = fp_matrix_input(&p->task, a, "a");
    if (!p->status) p->status = fp_matrix_input(&p->task, b, "b");
    if (!p->status) p->status = fp_matrix_same_type(&p->task);
    if (!p->status && a->columns != b->rows)
        p->status =
            fp_fail(GPU_E_ARGUMENT, "the matrix 'a' has %zu columns, and 'b' has %zu rows: they must be as many",
                    a->columns, b->rows);
    if (!p->status) set_shape(p, a, b->columns);
}

/* Binds a map of x and y, and a combiner of a and b, with the same captured values. */
static void bind(product *p, const gpu_operator *map, const gpu_operator *combine)
{
    if (p->status) return;
    fp_operator *of_two = NULL;
    const gpu_type type = p->task.inputs[0]->type;
    fp_operator_kind kind = {fp_operation(), 2, FP_OPERATOR_SYMBOLS | FP_OPERATOR_TERM, {type}, type};
    p->status = fp_operator_bind(p->task.g, map, &kind, &of_two);
    kind.traits = FP_OPERATOR_SYMBOLS;
    if (!p->status) p->status = fp_operator_bind(p->task.g, combine, &kind, &p->task.op);
    if (p->status) fp_operator_drop(of_two);
    if (!p->status) p->task.op->map = of_two;
}

/* Complex numbers are multiplied as such. */
static gpu_status bind_times(gpu *g, gpu_type type, fp_operator **out)
{
    const fp_numbers *numbers = fp_numbers_of(type);
    if (fp_type_is_scalar(type)) return fp_operator_bind_own(g, "x * y", NULL, out);
    if (!numbers)
        return fp_fail(GPU_E_TYPE,
                       "the elements are %s, and %s takes scalars and complex numbers: use gpu_matrix_multiply_by",
                       type->name, fp_operation());
    static const char text[] = "{ fp_result p; p.x = x.x * y.x - x.y * y.y; p.y = x.x * y.y + x.y * y.x; return p; }";
    return fp_operator_builtin(g, &(fp_builtin){.text = text, .native = numbers->product}, out);
}

gpu_status fp_matrix_sum_of_products(gpu *g, gpu_type type, fp_operator **out)
{
    fp_operator *times = NULL;
    gpu_status status = bind_times(g, type, &times);
    if (!status) status = fp_operator_bind_own(g, "a + b", NULL, out);
    if (status) fp_operator_drop(times);
    if (status) return status;
    (*out)->map = times;
    const fp_numbers *numbers = fp_numbers_of(type);
    (*out)->fused = numbers && numbers->add_product;
    return GPU_OK;
}

static void bind_usual(product *p)
{
    if (!p->status) p->status = fp_matrix_sum_of_products(p->task.g, p->task.inputs[0]->type, &p->task.op);
}

static gpu_matrix *end(product *p)
{
    return fp_matrix_end(&p->entry, &p->task, p->status, p->task.numbers[FP_SHAPE_ROWS],
                         p->task.numbers[FP_SHAPE_COLUMNS]);
}

gpu_matrix *gpu_matrix_multiply_op(const gpu_matrix *a, const gpu_matrix *b, const gpu_place *place)
{
    product p = begin(fp_first_gpu(fp_matrix_gpu(a), fp_matrix_gpu(b)), "gpu_matrix_multiply", place);
    take_two(&p, a, b);
    bind_usual(&p);
    return end(&p);
}

gpu_matrix *gpu_matrix_multiply_by_op(const gpu_matrix *a, const gpu_matrix *b, const gpu_operator *map,
                                      const gpu_operator *combine)
{
    product p = begin(fp_first_gpu(fp_matrix_gpu(a), fp_matrix_gpu(b)), "gpu_matrix_multiply_by", fp_place_of(map));
    take_two(&p, a, b);
    bind(&p, map, combine);
    return end(&p);
}

/* ---- a matrix and a vector ---- */

/* A GPU reduces each row by a work-group. Rows are combined as by gpu_matrix_reduce_rows. */
static gpu_status reduce_products(const fp_task *task, fp_node **result)
{
    fp_node *m = task->inputs[0], *v = task->inputs[1];
    const size_t rows = task->numbers[FP_SHAPE_ROWS], columns = task->numbers[FP_SHAPE_INNER];
    fp_node *repeated = fp_node_strided(v, rows, &(fp_strides){columns, 0, 0, 1});
    fp_node *const both[] = {m, repeated};
    fp_operator *map = fp_operator_keep(task->op->map), *add = task->op;
    fp_node *products = NULL;
    fp_ready input;
    if (repeated) products = fp_node_map(m->type, map, both, 2);
    if (!repeated) fp_operator_drop(map);
    gpu_status status = products ? fp_node_prepare(products, &add, 1, &input) : fp_last_status();
    if (!status) status = fp_block_reduce(&input, add, columns, result);
    fp_node_drop(repeated);
    fp_node_drop(products);
    return status;
}

static bool is_for_groups(const fp_task *task)
{
    return !task->g->policy.cpu && task->numbers[FP_SHAPE_ROWS] && task->numbers[FP_SHAPE_INNER];
}

/* The vector's length is compared when the task runs. */
static gpu_status run_apply(const fp_task *task, fp_node **result)
{
    const size_t inner = task->numbers[FP_SHAPE_INNER];
    size_t length = inner;
    gpu_status status = task->g->mode ? GPU_OK : fp_node_wait_length(task->inputs[1], &length);
    if (!status && length != inner)
        status = fp_fail(GPU_E_ARGUMENT,
                         "the matrix has %zu columns, and the array has %zu elements: they must be as "
                         "many",
                         inner, length);
    if (status) return status;
    return is_for_groups(task) ? reduce_products(task, result) : run(task, result);
}

static void take_vector(product *p, const gpu_matrix *m, const gpu_array *v)
{
    p->task.run = run_apply;
    p->status = fp_matrix_input(&p->task, m, "m");
    if (!p->status) p->status = fp_task_input(&p->task, v, "v");
    if (!p->status && m->array.g != v->g)
        p->status = fp_fail(GPU_E_ARGUMENT, "the matrix 'm' and the array 'v' belong to different gpus");
    if (!p->status && !gpu_type_equal(m->array.node->type, v->node->type))
        p->status = fp_fail(GPU_E_TYPE, "the elements of 'm' are %s, and those of 'v' are %s",
                            m->array.node->type->name, v->node->type->name);
    if (!p->status) set_shape(p, m, 1);
}

gpu_array *gpu_matrix_apply_op(const gpu_matrix *m, const gpu_array *v, const gpu_place *place)
{
    product p = begin(fp_first_gpu(fp_matrix_gpu(m), fp_array_gpu(v)), "gpu_matrix_apply", place);
    take_vector(&p, m, v);
    bind_usual(&p);
    if (!p.status) p.task.op->fused = false; /* GPUs combine products by a reduction */
    return fp_task_array(&p.entry, &p.task, p.status);
}
