/* Note [columns]: the columns of a matrix are combined row by row, as the rows lie in memory. Parts of the rows are
 * combined by work-groups of their own, and a second launch combines the parts. Elements stay in order, so operators
 * need not commute. Operators that may round combine up to SERIAL_ROWS rows, and small matrices, in one part from the
 * top down: the bits are those of a loop in C. */
#include "base/error.h"
#include "host/host.h"
#include "kernel/type.h"
#include "ops/reduce.h"
#include "planning/eval.h"
#include "planning/execute.h"
#include "planning/plan.h"

enum { SERIAL_ROWS = 32 };

/* CPU: the bytes of a row that a work-item combines. Its totals stay in the first cache. There are fewer parts than
 * chunks, because each has a row of totals. */
enum { ROW_BYTES = 4096, CHUNKS_OF_PART = 4 };

/* GPU: work-items of a group, the most of them in a column, and the fewest rows of each. */
enum { GROUP = 256, MOST_DOWN = 8, LEAST_ROWS = 16 };

/* GPU: the most columns of a work-item. Few long rows give it few loads to have under way. */
enum { MOST_COLUMNS = 4 };

/* The shape of a launch. */
typedef struct shape {
    size_t across;  /* work-items of a row, or a CPU's columns */
    size_t columns; /* of a work-item */
    size_t down;    /* work-items of a column */
    size_t height;  /* rows of a part */
    size_t parts, strips;
} shape;

static bool is_serial(const fp_ready *input, size_t rows)
{
    return fp_type_rounds(input->node->type) && (rows <= SERIAL_ROWS || input->length <= input->node->g->policy.serial);
}

/* Chooses the number of parts. `groups` work-groups keep the device busy. */
static void divide(shape *s, size_t rows, size_t columns, size_t least, size_t groups)
{
    s->strips = fp_ceiling(columns, s->across * s->columns);
    s->height = fp_chunk_of(rows, least, groups > s->strips ? groups / s->strips : 1, &s->parts);
}

static shape shape_on_cpu(const fp_policy *policy, size_t rows, size_t columns, size_t size)
{
    shape s = {.across = size < ROW_BYTES ? ROW_BYTES / size : 1, .columns = 1, .down = 1};
    const size_t width = columns < s.across ? columns : s.across;
    divide(&s, rows, columns, policy->least_chunk / width + 1, fp_ceiling(policy->most_chunks, CHUNKS_OF_PART));
    return s;
}

static shape shape_on_gpu(const gpu *g, size_t rows, size_t columns, size_t size)
{
    const size_t most = fp_reduce_group(g, size), group = most < GROUP ? most : GROUP;
    size_t down = 1;
    while (2 * down <= group && 2 * down * LEAST_ROWS <= rows && (2 * down <= MOST_DOWN || group / down >= 2 * columns))
        down *= 2;
    const size_t groups = g->policy.resident / group;
    shape s = {.across = 1, .columns = 1, .down = down};
    while (s.across < columns && 2 * s.across * down <= group) s.across *= 2;
    while (down == 1 && s.columns < MOST_COLUMNS && 2 * s.columns * size <= g->policy.wide &&
           2 * s.columns * s.across * groups <= columns)
        s.columns *= 2;
    divide(&s, rows, columns, s.down * LEAST_ROWS, groups);
    return s;
}

static shape choose_shape(const fp_ready *input, size_t columns)
{
    const gpu *g = input->node->g;
    const size_t rows = input->length / columns, size = input->node->type->size;
    shape s = g->policy.cpu ? shape_on_cpu(&g->policy, rows, columns, size) : shape_on_gpu(g, rows, columns, size);
    if (!is_serial(input, rows)) return s;
    s.down = s.parts = 1;
    s.height = rows;
    return s;
}

static gpu_status launch_parts(const fp_ready *input, const fp_request *r, const shape *s, fp_buffer *out)
{
    const gpu_type type = input->node->type;
    const uint64_t columns = r->number, rows = input->length / columns, height = s->height;
    const uint32_t across = (uint32_t)s->strips;
    const fp_arg args[] = {
        {FP_ARG_VALUE(rows)}, {FP_ARG_VALUE(columns)}, {FP_ARG_VALUE(height)}, {FP_ARG_VALUE(across)}, {.buffer = out}};
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "reduce_columns", type, input);
    if (status) return status;
    fp_plan_places(plan, columns);
    fp_plan_combine(plan, r->ops[0], type);
    fp_plan_slot(plan, "FP_ACROSS", s->across);
    if (plan->g->policy.cpu) return fp_plan_launch(plan, args, 5, s->strips * s->parts, 1);
    fp_plan_slot(plan, "FP_DOWN", s->down);
    fp_plan_slot(plan, "FP_ITEMS_PER_THREAD", s->columns);
    return fp_plan_launch(plan, args, 5, s->strips * s->parts, (unsigned)(s->across * s->down));
}

/* The parts are rows of a matrix, which one group a strip combines. */
static gpu_status combine_parts(fp_node *parts, const fp_request *r, shape s)
{
    const fp_ready input = fp_node_made(parts);
    s.height = s.parts;
    s.parts = 1;
    return launch_parts(&input, r, &s, r->outputs[0].buffer);
}

static gpu_status launch(fp_request *r)
{
    fp_node *node = r->input.node;
    const shape s = choose_shape(&r->input, r->number);
    if (s.parts == 1) return launch_parts(&r->input, r, &s, r->outputs[0].buffer);
    fp_node *parts = fp_temporary(node->g, node->type, s.parts * r->number, NULL);
    gpu_status status = parts ? launch_parts(&r->input, r, &s, parts->buffer) : fp_last_status();
    if (!status) status = combine_parts(parts, r, s);
    fp_node_drop(parts);
    return status;
}

static const fp_primitive column_reduction = {
    .name = "reduce columns", .launch = launch, .run = fp_host_reduce_columns};

gpu_status fp_reduce_columns(const fp_ready *input, fp_operator *op, size_t columns, fp_node **result)
{
    fp_request r = {.primitive = &column_reduction,
                    .input = *input,
                    .ops = &op,
                    .op_count = 1,
                    .number = columns,
                    .outputs = {{.type = input->node->type, .extent = FP_FIXED, .length = columns}},
                    .output_count = 1};
    return fp_execute(&r, result);
}
