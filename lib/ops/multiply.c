/* Note [products]: the input of a product is one matrix after the other, a concatenation that no kernel reads as a
 * whole: fp_load_a and fp_load_b are the loads of its two halves, with the maps of each. Every element is combined in
 * the order of k, on all devices and on the host. So operators need not commute. The library's own product of floats
 * adds each product but the first by a fused multiply-add, on all of them: so its bits are those of a loop of fma. */
#include "ops/multiply.h"

#include "base/error.h"
#include "base/memory.h"
#include "host/apply.h"
#include "host/host.h"
#include "host/numbers.h"
#include "kernel/type.h"
#include "ops/reduce.h"
#include "planning/eval.h"
#include "planning/execute.h"
#include "planning/plan.h"

#include <string.h>

/* ---- the device ---- */

/* The tile of a CPU: rows, values of k, and bytes of a row and of a vector. Tall tiles read less of b, but each core
 * should have some. */
enum { MOST_ROWS = 64, LEAST_ROWS = 16, DEPTH = 32, ROW_BYTES = 256, VECTOR_BYTES = 64, SHARE = 4 };

static size_t cpu_slots(fp_plan *plan, const size_t *shape, gpu_type type)
{
    const size_t least = plan->g->policy.most_chunks / SHARE, size = type->size;
    size_t columns = 1, rows = MOST_ROWS;
    while (columns < shape[FP_SHAPE_COLUMNS] && 2 * columns * size <= ROW_BYTES) columns *= 2;
    const size_t across = fp_ceiling(shape[FP_SHAPE_COLUMNS], columns);
    while (rows > 1 && rows * columns * size > MOST_ROWS * ROW_BYTES) rows /= 2;
    while (rows > LEAST_ROWS && fp_ceiling(shape[FP_SHAPE_ROWS], rows) * across < least) rows /= 2;
    const size_t vector = fp_type_is_scalar(type) ? VECTOR_BYTES / size : 0;
    fp_plan_slot(plan, "FP_ROWS", rows);
    fp_plan_slot(plan, "FP_COLUMNS", columns);
    fp_plan_slot(plan, "FP_DEPTH", DEPTH);
    fp_plan_slot(plan, "FP_VECTOR", vector < columns ? vector : columns);
    return fp_ceiling(shape[FP_SHAPE_ROWS], rows) * across;
}

/* The tile of a GPU: work-items along a side, elements of an item along a side, and values of k. Two tiles are in local
 * memory. */
typedef struct tile {
    unsigned side, results, depth;
} tile;

/* The local memory of both tiles. One has rows with room between them, unless a row is one element. */
static size_t bytes_of(const tile *t, size_t size)
{
    enum { BETWEEN = 4 };
    const size_t edge = t->side * t->results;
    return (2 * edge + (edge > 1 ? BETWEEN : 0)) * t->depth * size;
}

/* More elements of an item take fewer loads from local memory, but there are fewer groups. */
static tile tile_of(const gpu *g, const size_t *shape, size_t size)
{
    const fp_policy *policy = &g->policy;
    const size_t room = fp_tile_room(policy);
    tile t = {16, 8, 8};
    const size_t edge = t.side * t.results;
    const size_t groups = fp_ceiling(shape[FP_SHAPE_ROWS], edge) * fp_ceiling(shape[FP_SHAPE_COLUMNS], edge);
    if (groups < g->capabilities->compute_units) t = (tile){16, 4, 16};
    while (t.side > 1 && t.side * t.side > policy->group) t.side /= 2;
    while (t.depth > 4 && bytes_of(&t, size) > room) t.depth /= 2;
    while (t.results > 1 && bytes_of(&t, size) > room) t.results /= 2;
    while (t.side > 1 && bytes_of(&t, size) > room) t.side /= 2;
    while (t.depth > 1 && bytes_of(&t, size) > room) t.depth /= 2;
    return t;
}

static gpu_status launch(fp_request *r)
{
    fp_node *node = r->input.node;
    const fp_policy *policy = &node->g->policy;
    const size_t size = node->type->size;
    const size_t *shape = r->shape;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "multiply", node->type, &r->input);
    if (status) return status;
    fp_plan_combine(plan, r->ops[0], node->type);
    fp_plan_product(plan, r->ops[0]->map, node->type);
    fp_plan_slot(plan, "FP_FUSED", r->ops[0]->fused);
    const uint64_t rows = shape[FP_SHAPE_ROWS], inner = shape[FP_SHAPE_INNER], columns = shape[FP_SHAPE_COLUMNS];
    const fp_arg args[] = {
        {FP_ARG_VALUE(rows)}, {FP_ARG_VALUE(inner)}, {FP_ARG_VALUE(columns)}, {.buffer = r->outputs[0].buffer}};
    if (policy->cpu) return fp_plan_launch(plan, args, 4, cpu_slots(plan, shape, node->type), 1);
    const tile t = tile_of(node->g, shape, size);
    fp_plan_slot(plan, "FP_SIDE", t.side);
    fp_plan_slot(plan, "FP_RESULTS", t.results);
    fp_plan_slot(plan, "FP_DEPTH", t.depth);
    const size_t edge = t.side * t.results;
    return fp_plan_launch(plan, args, 4, fp_ceiling(rows, edge) * fp_ceiling(columns, edge), t.side * t.side);
}

/* ---- the host ---- */

/* Both matrices, and rows of the result: the totals so far, the next ones, products, and one element many times. */
typedef struct product {
    fp_applied map, combine;
    const fp_numbers *fused; /* NULL: the operators are applied one after the other */
    const size_t *shape;
    size_t size, row_bytes;
    unsigned char *a, *b, *total, *next, *products, *repeated;
} product;

static void apply_to_row(const product *p, const fp_applied *applied, const unsigned char *x, const unsigned char *y,
                         unsigned char *out)
{
    fp_apply(applied, &(fp_stretch){.out = out,
                                    .out_stride = p->size,
                                    .in = {x, y},
                                    .stride = {p->size, p->size},
                                    .count = p->shape[FP_SHAPE_COLUMNS]});
}

/* Row i: the products of a[i][k] and row k of b, one after the other. */
static void multiply_row(product *p, size_t i, unsigned char *out)
{
    const size_t inner = p->shape[FP_SHAPE_INNER], columns = p->shape[FP_SHAPE_COLUMNS];
    for (size_t k = 0; k < inner; k++) {
        const unsigned char *x = p->a + (i * inner + k) * p->size;
        if (k && p->fused) {
            p->fused->add_product(p->total, p->b + k * p->row_bytes, x, columns);
            continue;
        }
        for (size_t c = 0; c < columns; c++) memcpy(p->repeated + c * p->size, x, p->size);
        apply_to_row(p, &p->map, p->repeated, p->b + k * p->row_bytes, k ? p->products : p->total);
        if (!k) continue;
        apply_to_row(p, &p->combine, p->total, p->products, p->next);
        unsigned char *last = p->total;
        p->total = p->next;
        p->next = last;
    }
    memcpy(out, p->total, p->row_bytes);
}

static gpu_status make_room(product *p)
{
    const size_t inner = p->shape[FP_SHAPE_INNER], elements = p->shape[FP_SHAPE_ROWS] * inner;
    const size_t row = p->shape[FP_SHAPE_COLUMNS];
    p->a = fp_alloc_array(elements + (inner + 4) * row, p->size);
    if (!p->a) return fp_fail_memory();
    p->row_bytes = row * p->size;
    p->b = p->a + elements * p->size;
    p->total = p->b + inner * p->row_bytes;
    p->next = p->total + p->row_bytes;
    p->products = p->next + p->row_bytes;
    p->repeated = p->products + p->row_bytes;
    return GPU_OK;
}

static gpu_status run_on_host(const fp_request *r)
{
    const fp_node *both = r->input.node;
    const fp_operator *op = r->ops[0];
    product p = {.shape = r->shape, .size = both->type->size};
    if (op->fused) p.fused = fp_numbers_of(both->type);
    p.combine = fp_applied_to_two(op, both->type);
    p.map = fp_applied_to_map(op, both->type);
    gpu_status status = make_room(&p);
    if (!status) status = fp_apply_begin(&p.map);
    if (!status) status = fp_apply_begin(&p.combine);
    if (!status) status = fp_host_copy(both->inputs[0], p.a);
    if (!status) status = fp_host_copy(both->inputs[1], p.b);
    unsigned char *out = fp_output_memory(r, 0);
    for (size_t i = 0; i < r->shape[FP_SHAPE_ROWS] && !status; i++) multiply_row(&p, i, out + i * p.row_bytes);
    fp_apply_end(&p.map);
    fp_apply_end(&p.combine);
    fp_free(p.a);
    return status;
}

/* ---- the operation ---- */

/* Few products are left to the host. */
static const fp_primitive few = {.name = "small product", .launch = launch, .run = run_on_host, .small = true};
static const fp_primitive many = {.name = "product", .launch = launch, .run = run_on_host};

static bool are_few(const fp_policy *policy, const size_t *shape)
{
    enum { TIMES = 8 };
    size_t results, products;
    return fp_multiply(shape[FP_SHAPE_ROWS], shape[FP_SHAPE_COLUMNS], &results) && results <= policy->host_max &&
           fp_multiply(results, shape[FP_SHAPE_INNER], &products) && products <= TIMES * policy->host_max;
}

/* The product of no elements. */
static gpu_status fill(fp_node *a, fp_operator *op, size_t length, fp_node **result)
{
    uint64_t identity[FP_IDENTITY_WORDS];
    if (!fp_operator_identity(op, a->type, identity))
        return fp_fail(GPU_E_EMPTY, "the inner dimension is 0 and the operator has no known identity");
    return fp_node_give(fp_node_fill(a->g, a->type, identity, length), result);
}

gpu_status fp_multiply_matrices(fp_node *a, fp_node *b, const size_t *shape, fp_operator *op, fp_node **result)
{
    const size_t length = shape[FP_SHAPE_ROWS] * shape[FP_SHAPE_COLUMNS];
    if (length && !shape[FP_SHAPE_INNER]) return fill(a, op, length, result);
    fp_operator *const ops[] = {op, op->map};
    fp_node *both = fp_node_concat(a, b);
    fp_request r = {.primitive = are_few(&a->g->policy, shape) ? &few : &many,
                    .ops = ops,
                    .op_count = 1,
                    .shape = {shape[0], shape[1], shape[2]},
                    .outputs = {{.type = a->type, .extent = FP_FIXED, .length = length}},
                    .output_count = 1};
    gpu_status status = both ? fp_node_prepare(both, ops, 2, &r.input) : fp_last_status();
    if (!length) r.input.length = 0;
    if (!status) status = fp_execute(&r, result);
    fp_node_drop(both);
    return status;
}
