/* The elements of an expression: a map of them all, or a selection. */
#include "planning/elements.h"

#include "base/error.h"
#include "host/host.h"
#include "kernel/type.h"
#include "planning/execute.h"
#include "planning/lookback.h"

/* GPU: work-items of a group. Small groups keep a device evenly busy. Those of short arrays are as large as those of
 * reductions, so that they are joined with them. */
enum { MAP_GROUP = 256 };

static size_t largest_element(const fp_plan *plan)
{
    const size_t read = fp_plan_largest_read(plan), size = plan->type->size;
    return size > read ? size : read;
}

static unsigned map_group(const fp_plan *plan)
{
    const fp_policy *policy = &plan->g->policy;
    const bool is_short = policy->meeting && plan->length <= FP_SHORT;
    const bool joins = is_short && policy->group * largest_element(plan) <= policy->scratch;
    return joins ? policy->group : fp_group_of(policy, MAP_GROUP);
}

/* GPU: so few elements of a work-item may be twice as many in a stencil. */
enum { FEW = 8 };

/* GPU: the elements of a work-item. With several vectors each, a map takes up to a seventh longer on an H200; a stencil
 * takes a sixteenth less. */
static unsigned vector_of(const fp_plan *plan)
{
    unsigned vector = fp_type_is_scalar(plan->type) ? fp_vector_of(&plan->g->policy, largest_element(plan)) : 1;
    return fp_plan_has_stencils(plan) && vector < FEW ? 2 * vector : vector;
}

/* ---- transposes ---- */

/* Note [transposes]: a view whose columns are neighbours in memory, a transpose, is stored tile by tile
 * (transpose.cl), with all maps around it. Row by row, each element would read a cache line of its own. A CPU's tile of
 * floats has 256 bytes of each row, so that several cache lines share the look-up of their page. */
enum { CPU_SIDE = 64, CPU_ACROSS = 16, CPU_BYTES = 1 << 15, GPU_SIDE = 32, GPU_GROUP = 128, LEAST_SIDE = 32 };

static bool is_turned(const fp_node *view)
{
    const fp_strides *s = &view->strides;
    const bool beside = s->row_step == 1 || s->row_step == (size_t)0 - 1;
    return beside && s->column_step != 1 && s->columns >= LEAST_SIDE && view->length / s->columns >= LEAST_SIDE;
}

/* The columns of such a view at the places of the node; 0: there is none. */
static size_t turned_columns(const fp_node *node)
{
    size_t columns = 0;
    if (node->kind == FP_NODE_STRIDED) return is_turned(node) ? node->strides.columns : 0;
    for (int k = 0; k < FP_INPUTS && node->inputs[k] && fp_node_stays(node) && !columns; k++)
        columns = turned_columns(node->inputs[k]);
    return columns;
}

static gpu_status launch_transpose(const fp_ready *input, size_t columns, fp_buffer *out)
{
    const fp_policy *policy = &input->node->g->policy;
    const gpu_type type = input->node->type;
    const uint64_t shape[] = {input->length / columns, columns};
    const size_t room = policy->cpu ? CPU_BYTES : fp_tile_room(policy);
    uint32_t in_line; /* groups of a column on a CPU, of a row on a GPU */
    const fp_arg args[] = {
        {FP_ARG_VALUE(shape[0])}, {FP_ARG_VALUE(shape[1])}, {FP_ARG_VALUE(in_line)}, {.buffer = out}};
    const unsigned group = fp_group_of(policy, GPU_GROUP);
    unsigned side = policy->cpu ? CPU_SIDE : GPU_SIDE;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "transpose", type, input);
    if (status) return status;
    fp_plan_places(plan, columns);
    while (side > 1 && side * (side + 1) * type->size > room) side /= 2;
    while (!policy->cpu && side > group) side /= 2;
    const size_t down = fp_ceiling(shape[0], side);
    const size_t across = fp_ceiling(columns, policy->cpu ? (size_t)side * CPU_ACROSS : side);
    in_line = (uint32_t)(policy->cpu ? down : across);
    fp_plan_slot(plan, "FP_SIDE", side);
    if (policy->cpu) fp_plan_slot(plan, "FP_ACROSS", CPU_ACROSS);
    return fp_plan_launch(plan, args, 4, down * across, group);
}

/* ---- maps ---- */

/* The work-groups of a stencil of a matrix. Each computes a block, so that rows which it has read serve their
 * neighbours. Each work-item has elements of one column. */
static size_t count_blocks(fp_plan *plan, size_t group, unsigned vector)
{
    enum { MOST_ACROSS = 64 };
    const size_t columns = plan->split.columns, rows = plan->length / columns;
    size_t across = 1;
    while (across < columns && across < MOST_ACROSS && across < group) across *= 2;
    fp_plan_slot(plan, "FP_ACROSS", across);
    return fp_ceiling(columns, across) * fp_ceiling(rows, group / across * vector);
}

gpu_status fp_launch_map(const fp_ready *input, fp_buffer *out)
{
    const size_t columns = turned_columns(input->node);
    if (columns) return launch_transpose(input, columns, out);
    const fp_policy *policy = &input->node->g->policy;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "map", input->node->type, input);
    if (status) return status;
    fp_plan_edges(plan);
    size_t groups, chunk;
    const unsigned group = map_group(plan), shared = fp_plan_shared(plan);
    const fp_arg args[] = {{.buffer = out}, {FP_ARG_VALUE(chunk)}};
    if (policy->cpu) {
        fp_plan_slot(plan, "FP_VECTOR", shared);
        chunk = fp_chunk_of(input->length, policy->least_chunk * shared, policy->most_chunks, &groups);
        return fp_plan_launch(plan, args, 2, groups, group);
    }
    unsigned vector = vector_of(plan);
    fp_plan_vectors(plan, vector);
    groups = plan->split.dimensions == 2 ? count_blocks(plan, group, vector)
                                         : fp_ceiling(input->length, (size_t)group * vector);
    return fp_plan_launch(plan, args, 1, groups, group);
}

gpu_status fp_launch_fill(gpu *g, gpu_type type, const void *value, size_t length, fp_buffer *out)
{
    fp_node *fill = fp_node_fill(g, type, value, length);
    gpu_status status = fill ? fp_launch_map(&(fp_ready){.node = fill, .length = length}, out) : fp_last_status();
    fp_node_drop(fill);
    return status;
}

static gpu_status launch_map(fp_request *r)
{
    return fp_launch_map(&r->input, r->outputs[0].buffer);
}

static const fp_primitive map_operation = {.name = "map", .launch = launch_map, .run = fp_host_map, .small = true};

/* ---- selections ---- */

enum { DESTINATION_ARGS = 1 + FP_COUNT_ARGS };

static gpu_status launch_pass(const fp_request *r, const fp_lookback *lookback, unsigned pass)
{
    const gpu *g = r->input.node->g;
    fp_plan *plan;
    fp_arg args[FP_LOOKBACK_ARGS + FP_OUTPUTS * DESTINATION_ARGS];
    uint64_t counters[FP_OUTPUTS];
    gpu_status status = fp_plan_begin(&plan, "select", r->input.node->type, &r->input);
    if (status) return status;
    fp_plan_slot(plan, "FP_SPLIT", r->output_count > 1);
    fp_plan_name(plan, "FP_INDEX", lookback->size == sizeof(uint32_t) ? GPU_UINT : GPU_ULONG);
    fp_lookback_slots(plan, lookback, false, pass);
    unsigned count = fp_lookback_args(g, lookback, args);
    for (unsigned k = 0; k < r->output_count; k++, count += DESTINATION_ARGS) {
        args[count] = (fp_arg){.buffer = r->outputs[k].buffer};
        fp_count_args(r->outputs[k].count, &counters[k], args + count + 1);
    }
    return fp_plan_launch(plan, args, count, lookback->tiles, lookback->group);
}

static gpu_status launch_select(fp_request *r)
{
    size_t counted = r->input.length <= UINT32_MAX ? sizeof(uint32_t) : sizeof(uint64_t);
    return fp_lookback_run(r, r->input.node->type->size, false, counted, launch_pass);
}

/* It decides: an inexact operator may keep another element. */
static const fp_primitive select_operation = {
    .name = "select", .launch = launch_select, .run = fp_host_select, .small = true, .decides = true};

fp_request fp_selection_of(const fp_ready *input, unsigned outputs)
{
    const fp_output kept = {.type = input->node->type, .extent = FP_COUNTED, .length = input->length};
    return (fp_request){
        .primitive = &select_operation, .input = *input, .outputs = {kept, kept}, .output_count = outputs};
}

static fp_request map_of(const fp_ready *input)
{
    return (fp_request){.primitive = &map_operation,
                        .input = *input,
                        .outputs = {{.type = input->node->type, .extent = FP_ALIGNED, .length = input->length}},
                        .output_count = 1};
}

fp_request fp_elements_of(const fp_ready *input)
{
    return input->selection ? fp_selection_of(input, 1) : map_of(input);
}

bool fp_node_runs_on_host(fp_node *node, const fp_supposed *supposed)
{
    gpu *g = node->g;
    const fp_ready input = {node, fp_node_most(node), fp_node_count(node), fp_node_selection(node)};
    const fp_request r = fp_elements_of(&input);
    g->supposed = supposed;
    const bool on_host = fp_runs_on_host(&r);
    g->supposed = NULL;
    return on_host;
}
