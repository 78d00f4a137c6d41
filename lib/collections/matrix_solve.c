/* Systems of linear equations: solutions, inverses and determinants.
 *
 * Note [solving]: Gaussian elimination by panels of columns, with partial pivoting. The matrix and the right sides are
 * one array, transposed: first the columns of the matrix, then those of the right sides. So a panel is the beginning of
 * the array, and an exchange of equations moves elements inside each row of the array. A step factors the panel, solves
 * a triangular system for the first equations of all columns behind it, and subtracts a product from the other
 * equations. These are the array of the next step. The solution then follows from the last panel to the first. Nothing
 * waits: a column without a pivot is a deferred error. */
#include "collections/matrix.h"

#include "base/error.h"
#include "base/memory.h"
#include "host/apply.h"
#include "host/numbers.h"
#include "kernel/type.h"
#include "ops/lu.h"
#include "ops/multiply.h"
#include "planning/eval.h"

#include <string.h>

/* One step of the elimination. */
typedef struct step {
    fp_node *factors, *order;
    fp_node *solved; /* the first equations of the columns behind the panel, a row each */
    size_t rows, width;
} step;

typedef struct equations {
    const fp_numbers *numbers;
    fp_operator *sum;   /* of products */
    fp_node *columns;   /* those that are left */
    size_t rows, sides; /* equations that are left, and right sides */
    fp_deferred *singular;
    step *steps;
    size_t count;
} equations;

/* Computes a node, and drops the one that it takes the place of. */
static gpu_status replace(fp_node **old, fp_node *fresh)
{
    fp_node_drop(*old);
    *old = fresh;
    return fresh ? fp_node_eval(fresh, FP_REASON_SECOND) : fp_last_status();
}

/* ---- equations in another order ---- */

static void pick(const fp_applied *applied, const fp_stretch *s)
{
    const fp_operator *op = applied->op;
    const size_t size = applied->result->size;
    const unsigned char *rest = fp_node_memory(fp_captured_named(op, "rest")->array);
    const uint64_t *order = fp_node_memory(fp_captured_named(op, "order")->array);
    uint64_t pitch;
    memcpy(&pitch, fp_captured_named(op, "pitch")->bytes, sizeof pitch);
    for (size_t e = 0; e < s->count; e++) {
        const uint64_t row = fp_operator_place(op, FP_PLACE_ROW, s->index + e);
        const uint64_t from = row * pitch + order[fp_operator_place(op, FP_PLACE_COLUMN, s->index + e)];
        memcpy(s->out + e * s->out_stride, rest + from * size, size);
    }
}

/* Binds the reading of `columns` elements of each row of `rest`, which has `pitch`, in this order. */
static gpu_status bind_pick(fp_node *rest, fp_node *order, uint64_t pitch, size_t columns, fp_operator **out)
{
    gpu_array handles[] = {{.g = rest->g, .node = rest}, {.g = rest->g, .node = order}};
    const gpu_array *arrays[] = {&handles[0], &handles[1]};
    const gpu_capture of = {"rest", &arrays[0], GPU_CAPTURE_ARRAY, sizeof *arrays},
                      by = {"order", &arrays[1], GPU_CAPTURE_ARRAY, sizeof *arrays},
                      wide = {"pitch", &pitch, GPU_ULONG, sizeof pitch};
    const gpu_operator op = {.snippet = "rest[row * pitch + order[column]]",
                             .captures = (const gpu_capture *const[]){&of, &by, &wide, NULL}};
    const unsigned traits = FP_OPERATOR_INDEX | FP_OPERATOR_BUILTIN | FP_OPERATOR_PLACED;
    const fp_operator_kind kind = {fp_operation(), 1, traits, {GPU_ULONG}, rest->type};
    gpu_status status = fp_operator_bind(rest->g, &op, &kind, out);
    if (status) return status;
    (*out)->columns = columns;
    (*out)->native = pick;
    return GPU_OK;
}

/* `count` equations of all columns behind the panel, from number `first` on in the order of the pivots. */
static fp_node *pick_equations(const equations *e, const step *s, size_t first, size_t count)
{
    const size_t behind = e->rows - s->width + e->sides;
    fp_operator *op;
    fp_node *rest = fp_node_slice(e->columns, s->width * e->rows, behind * e->rows), *picked = NULL;
    fp_node *order = rest ? fp_node_slice(s->order, first, count) : NULL;
    fp_node *places = order ? fp_node_range(rest->g, GPU_ULONG, behind * count) : NULL;
    if (places && !bind_pick(rest, order, e->rows, count, &op)) picked = fp_node_map(rest->type, op, &places, 1);
    fp_node_drop(rest);
    fp_node_drop(order);
    fp_node_drop(places);
    return picked;
}

/* ---- elimination ---- */

/* from - a * b; NULL on failure. */
static fp_node *subtract_product(const equations *e, fp_node *from, fp_node *a, fp_node *b, const size_t *shape)
{
    const fp_builtin subtract = {.text = "x - y", .native = e->numbers->difference};
    fp_node *product = NULL, *result = NULL;
    fp_operator *op;
    if (!from || !a || !b || fp_multiply_matrices(a, b, shape, e->sum, &product)) return NULL;
    if (!fp_operator_builtin(from->g, &subtract, &op))
        result = fp_node_map(from->type, op, (fp_node *const[]){from, product}, 2);
    fp_node_drop(product);
    return result;
}

static gpu_status factor_panel(equations *e, step *s, size_t first)
{
    const size_t shape[] = {e->rows, s->width};
    fp_node *panel = fp_node_slice(e->columns, 0, s->width * e->rows), *both[2] = {NULL};
    gpu_status status = panel ? fp_lu(panel, shape, first, e->singular, both) : fp_last_status();
    s->factors = both[0];
    s->order = both[1];
    fp_node_drop(panel);
    return status;
}

static gpu_status solve_first(const equations *e, step *s)
{
    const size_t shape[] = {e->rows - s->width + e->sides, s->width, e->rows};
    fp_node *picked = pick_equations(e, s, 0, s->width);
    gpu_status status = picked ? fp_triangular(picked, shape, s->factors, false, &s->solved) : fp_last_status();
    fp_node_drop(picked);
    return status;
}

/* The other equations, without the unknowns of the panel. The product reads each factor many times, so they are copied
 * out of the view first. */
static gpu_status reduce_others(equations *e, const step *s)
{
    const size_t others = e->rows - s->width, shape[] = {others + e->sides, s->width, others};
    const fp_strides below = {others, s->width, e->rows, 1};
    fp_node *picked = pick_equations(e, s, s->width, others);
    fp_node *lower = fp_node_strided(s->factors, s->width, &below);
    gpu_status status = lower ? fp_node_eval(lower, FP_REASON_SECOND) : fp_last_status();
    if (!status) status = replace(&e->columns, subtract_product(e, picked, s->solved, lower, shape));
    fp_node_drop(picked);
    fp_node_drop(lower);
    return status;
}

/* A panel of `e->rows` equations. */
static gpu_status eliminate_panel(equations *e, size_t first)
{
    step *s = &e->steps[e->count++];
    *s = (step){.rows = e->rows, .width = e->rows < FP_PANEL ? e->rows : FP_PANEL};
    const size_t others = e->rows - s->width;
    gpu_status status = factor_panel(e, s, first);
    if (!status && others + e->sides) status = solve_first(e, s);
    if (!status && others) status = reduce_others(e, s);
    e->rows = others;
    return status;
}

static gpu_status eliminate(equations *e)
{
    const size_t all = e->rows;
    e->steps = fp_alloc_array(all / FP_PANEL + 1, sizeof *e->steps);
    gpu_status status = e->steps ? GPU_OK : fp_fail_memory();
    while (!status && e->rows) status = eliminate_panel(e, all - e->rows);
    return status;
}

/* ---- solution ---- */

/* The right sides of a panel, without the unknowns behind it, which are `solution`. */
static fp_node *reduce_sides(const equations *e, const step *s, fp_node *solution)
{
    const size_t behind = s->rows - s->width, shape[] = {e->sides, behind, s->width};
    fp_node *sides = fp_node_slice(s->solved, behind * s->width, e->sides * s->width);
    if (!sides || !behind) return sides;
    fp_node *known = fp_matrix_transposed(solution, behind, e->sides);
    fp_node *upper = known ? fp_node_slice(s->solved, 0, behind * s->width) : NULL;
    fp_node *reduced = subtract_product(e, sides, known, upper, shape);
    fp_node_drop(sides);
    fp_node_drop(known);
    fp_node_drop(upper);
    return reduced;
}

/* Puts the unknowns of a panel before those behind it. */
static gpu_status substitute(const equations *e, const step *s, fp_node **solution)
{
    const size_t shape[] = {e->sides, s->width, s->rows};
    fp_node *sides = reduce_sides(e, s, *solution), *turned = NULL, *unknowns = NULL;
    gpu_status status = sides ? fp_triangular(sides, shape, s->factors, true, &turned) : fp_last_status();
    if (!status) unknowns = fp_matrix_transposed(turned, e->sides, s->width);
    fp_node *all = unknowns && *solution ? fp_node_concat(unknowns, *solution) : fp_node_keep(unknowns);
    if (!status) status = replace(solution, all);
    fp_node_drop(sides);
    fp_node_drop(turned);
    fp_node_drop(unknowns);
    return status;
}

/* No unknowns, or no right sides: the failures of the matrix remain. */
static gpu_status solve_nothing(const equations *e, fp_node **solution)
{
    fp_node *columns = e->columns;
    *solution = fp_node_buffer(columns->g, columns->type, 0, NULL, 0);
    gpu_status status = *solution ? fp_node_inherit(*solution, columns) : fp_last_status();
    return status || !e->count ? status : fp_node_inherit(*solution, e->steps[0].factors);
}

static gpu_status solve_back(const equations *e, fp_node **solution)
{
    if (!e->count || !e->sides) return solve_nothing(e, solution);
    gpu_status status = GPU_OK;
    for (size_t k = e->count; k-- && !status;) status = substitute(e, &e->steps[k], solution);
    return status;
}

/* ---- systems ---- */

/* The columns of the matrix and of the right sides, one after the other. `sides` may be NULL. */
static fp_node *join_columns(fp_node *matrix, fp_node *sides, size_t rows, size_t columns)
{
    fp_node *of_matrix = fp_matrix_transposed(matrix, rows, rows);
    fp_node *of_sides = of_matrix && sides ? fp_matrix_transposed(sides, rows, columns) : NULL;
    fp_node *joined = of_sides ? fp_node_concat(of_matrix, of_sides) : sides ? NULL : fp_node_keep(of_matrix);
    fp_node_drop(of_sides);
    fp_node_drop(of_matrix);
    return joined;
}

/* The bytes of the array must be countable. */
static gpu_status check_size(gpu_type type, size_t rows, size_t sides)
{
    size_t length, bytes;
    gpu_status status = fp_matrix_length(rows, sides > SIZE_MAX - rows ? SIZE_MAX : rows + sides, &length);
    return status ? status : fp_array_bytes(type, length, &bytes);
}

static gpu_status begin(equations *e, fp_node *matrix, fp_node *sides, size_t rows, size_t columns)
{
    *e = (equations){.numbers = fp_numbers_of(matrix->type), .rows = rows, .sides = columns};
    gpu_status status = check_size(matrix->type, rows, columns);
    if (!status) status = fp_matrix_sum_of_products(matrix->g, matrix->type, &e->sum);
    return status ? status : replace(&e->columns, join_columns(matrix, sides, rows, columns));
}

static void end(equations *e)
{
    for (size_t k = 0; k < e->count; k++) {
        fp_node_drop(e->steps[k].factors);
        fp_node_drop(e->steps[k].order);
        fp_node_drop(e->steps[k].solved);
    }
    fp_free(e->steps);
    fp_node_drop(e->columns);
    fp_operator_drop(e->sum);
    fp_deferred_settle(e->singular);
}

static gpu_status report_columns(equations *e, gpu *g)
{
    e->singular = fp_deferred_range(g, SIZE_MAX);
    if (!e->singular) return fp_last_status();
    fp_deferred_say(e->singular, FP_TEXT_OF_COLUMNS);
    return GPU_OK;
}

static gpu_status solve(fp_node *matrix, fp_node *sides, size_t rows, size_t columns, fp_node **solution)
{
    equations e;
    gpu_status status = begin(&e, matrix, sides, rows, columns);
    if (!status) status = report_columns(&e, matrix->g);
    if (!status) status = eliminate(&e);
    if (!status) status = solve_back(&e, solution);
    end(&e);
    return status;
}

/* numbers: rows of the matrix, and right sides. */
static gpu_status run_solve(const fp_task *task, fp_node **result)
{
    return solve(task->inputs[0], task->inputs[1], task->numbers[0], task->numbers[1], result);
}

/* Row k of the identity is a part of 0 ... 0 1 0 ... 0, in which the 1 stands at place n - 1. */
static fp_node *make_identity(gpu *g, const fp_numbers *numbers, size_t n)
{
    static const unsigned char zero[sizeof(gpu_double2)];
    fp_node *zeros = fp_node_fill(g, numbers->type, zero, n ? n - 1 : 0);
    fp_node *one = zeros ? fp_node_fill(g, numbers->type, numbers->one, 1) : NULL;
    fp_node *begin = one ? fp_node_concat(zeros, one) : NULL;
    fp_node *all = begin ? fp_node_concat(begin, zeros) : NULL;
    fp_node *identity = all ? fp_node_strided(all, n, &(fp_strides){n, n - 1, (size_t)0 - 1, 1}) : NULL;
    fp_node_drop(zeros);
    fp_node_drop(one);
    fp_node_drop(begin);
    fp_node_drop(all);
    return identity;
}

static gpu_status run_inverse(const fp_task *task, fp_node **result)
{
    const size_t n = task->numbers[0];
    fp_node *m = task->inputs[0], *identity = make_identity(m->g, fp_numbers_of(m->type), n);
    gpu_status status = identity ? solve(m, identity, n, n, result) : fp_last_status();
    fp_node_drop(identity);
    return status;
}

/* ---- determinants ---- */

/* The product of the panels' determinants, each behind its factors. */
static fp_node *multiply_panels(const equations *e)
{
    const fp_node *columns = e->columns;
    fp_node *product = fp_node_fill(columns->g, columns->type, e->numbers->one, 1);
    for (size_t k = 0; k < e->count && product; k++) {
        const step *s = &e->steps[k];
        fp_node *one = fp_node_slice(s->factors, s->rows * s->width, 1), *before = product;
        fp_operator *times = fp_operator_keep(e->sum->map);
        product = one ? fp_node_map(columns->type, times, (fp_node *const[]){before, one}, 2) : NULL;
        if (!one) fp_operator_drop(times);
        fp_node_drop(before);
        fp_node_drop(one);
    }
    return product;
}

/* A buffer; NULL on failure. */
static fp_node *make_determinant(fp_node *matrix, size_t rows)
{
    equations e;
    gpu_status status = begin(&e, matrix, NULL, rows, 0);
    if (!status) status = eliminate(&e);
    fp_node *determinant = status ? NULL : multiply_panels(&e);
    end(&e);
    return determinant ? fp_node_unless(fp_node_eval(determinant, FP_REASON_ASKED), determinant) : NULL;
}

/* ---- calls ---- */

static gpu_status check_square(const gpu_matrix *m)
{
    if (!fp_numbers_of(m->array.node->type))
        return fp_fail(GPU_E_TYPE, "the elements are %s: they must be float, double, GPU_FLOAT2 or GPU_DOUBLE2",
                       m->array.node->type->name);
    if (m->rows == m->columns) return GPU_OK;
    return fp_fail(GPU_E_ARGUMENT, "the matrix 'm' is %zu by %zu: it must have as many rows as columns", m->rows,
                   m->columns);
}

static gpu_status take(fp_task *task, const gpu_matrix *m)
{
    gpu_status status = fp_matrix_input(task, m, "m");
    if (!status) status = check_square(m);
    if (!status) task->numbers[0] = task->numbers[1] = m->rows;
    if (!status) task->one = m->rows == 1;
    return status;
}

static gpu_status take_sides(fp_task *task, const gpu_matrix *m, const gpu_matrix *b)
{
    gpu_status status = fp_matrix_input(task, b, "b");
    if (!status && !gpu_type_equal(m->array.node->type, b->array.node->type))
        status = fp_fail(GPU_E_TYPE, "the elements of 'm' are %s, and those of 'b' are %s", m->array.node->type->name,
                         b->array.node->type->name);
    if (!status && m->rows != b->rows)
        status = fp_fail(GPU_E_ARGUMENT, "the matrix 'm' has %zu rows, and 'b' has %zu: they must be as many", m->rows,
                         b->rows);
    if (status) return status;
    task->numbers[1] = b->columns;
    task->one = m->rows == 1 && b->columns == 1;
    return GPU_OK;
}

gpu_matrix *gpu_matrix_solve_op(const gpu_matrix *m, const gpu_matrix *b, const gpu_place *place)
{
    gpu *g = fp_first_gpu(fp_matrix_gpu(m), fp_matrix_gpu(b));
    fp_entry entry = fp_entry_begin(g, "gpu_matrix_solve", place);
    fp_task task = {.run = run_solve};
    gpu_status status = take(&task, m);
    if (!status) status = take_sides(&task, m, b);
    return fp_matrix_end(&entry, &task, status, task.numbers[0], task.numbers[1]);
}

gpu_matrix *gpu_matrix_inverse_op(const gpu_matrix *m, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_matrix_gpu(m), "gpu_matrix_inverse", place);
    fp_task task = {.run = run_inverse};
    gpu_status status = take(&task, m);
    return fp_matrix_end(&entry, &task, status, task.numbers[0], task.numbers[1]);
}

gpu_status gpu_matrix_determinant_op(const gpu_matrix *m, const gpu_output *out, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_matrix_gpu(m), "gpu_matrix_determinant", place);
    gpu_status status = fp_matrix_check(m, "m");
    if (!status) status = check_square(m);
    if (!status) status = fp_check_output(out, m->array.node->type);
    fp_node *determinant = status ? NULL : make_determinant(m->array.node, m->rows);
    if (!status) status = determinant ? fp_node_read_once(&entry, determinant, out->pointer) : fp_last_status();
    return fp_entry_end(&entry, status);
}
