#include "ops/lu.h"

#include "base/error.h"
#include "host/host.h"
#include "host/numbers.h"
#include "kernel/type.h"
#include "planning/eval.h"
#include "planning/execute.h"
#include "planning/plan.h"

/* Divisions of floats have one result only where the device's are exact. */
static bool is_comparable(const fp_request *r)
{
    const fp_node *node = r->input.node;
    return fp_type_scalar(node->type) == GPU_DOUBLE || node->g->capabilities->exact_division;
}

static gpu_status begin(fp_plan **plan, const char *template, const fp_request *r)
{
    const gpu_type type = r->input.node->type;
    gpu_status status = fp_plan_begin(plan, template, type, &r->input);
    if (status) return status;
    fp_plan_slot(*plan, "FP_COMPLEX", fp_numbers_of(type)->complex);
    fp_plan_name(*plan, "FP_REAL", fp_type_scalar(type));
    return GPU_OK;
}

/* ---- panels ---- */

static gpu_status launch_lu(fp_request *r)
{
    fp_plan *plan;
    gpu_status status = begin(&plan, "lu", r);
    if (status) return status;
    fp_plan_slot(plan, "FP_REPORTS", r->deferred != NULL);
    const uint64_t rows = r->shape[FP_LU_ROWS], width = r->shape[FP_LU_WIDTH], first = r->number;
    const fp_counter counter = r->deferred ? fp_deferred_counter(r->deferred) : (fp_counter){.slab = NULL};
    const uint64_t index = 2 * (uint64_t)counter.index;
    const fp_arg args[] = {{FP_ARG_VALUE(rows)},
                           {FP_ARG_VALUE(width)},
                           {.buffer = r->outputs[0].buffer},
                           {.buffer = r->outputs[1].buffer},
                           {.buffer = r->deferred ? fp_counter_shown(counter) : NULL},
                           {FP_ARG_VALUE(index)},
                           {FP_ARG_VALUE(first)}};
    const fp_policy *policy = &r->input.node->g->policy;
    return fp_plan_launch(plan, args, r->deferred ? 7 : 4, 1, policy->group);
}

static const fp_primitive panel_factors = {
    .name = "lu", .launch = launch_lu, .run = fp_host_lu, .decides = true, .comparable = is_comparable};

gpu_status fp_lu(fp_node *panel, const size_t *shape, size_t first, fp_deferred *deferred, fp_node **results)
{
    const size_t rows = shape[FP_LU_ROWS], width = shape[FP_LU_WIDTH];
    fp_request r = {.primitive = &panel_factors,
                    .number = first,
                    .shape = {rows, width},
                    .deferred = deferred,
                    .outputs = {{.type = panel->type, .length = rows * width + 1}, {.type = GPU_ULONG, .length = rows}},
                    .output_count = 2};
    gpu_status status = fp_node_prepare(panel, NULL, 0, &r.input);
    return status ? status : fp_execute(&r, results);
}

/* ---- triangles ---- */

/* Work-items of a GPU's group. */
enum { GROUP = 64 };

static gpu_status launch_triangular(fp_request *r)
{
    const fp_policy *policy = &r->input.node->g->policy;
    const unsigned group = fp_group_of(policy, GROUP);
    const uint64_t rows = r->shape[FP_LU_ROWS], width = r->shape[FP_LU_WIDTH], pitch = r->shape[FP_LU_PITCH];
    size_t items;
    const uint64_t chunk = fp_chunk_of(rows, 1, policy->cpu ? policy->most_chunks : rows, &items);
    fp_plan *plan;
    gpu_status status = begin(&plan, "triangular", r);
    if (status) return status;
    fp_plan_slot(plan, "FP_WIDTH", FP_PANEL);
    fp_plan_slot(plan, "FP_UPPER", r->number);
    const fp_arg args[] = {{FP_ARG_VALUE(rows)},
                           {FP_ARG_VALUE(width)},
                           {FP_ARG_VALUE(pitch)},
                           {FP_ARG_VALUE(chunk)},
                           {.buffer = r->into.node->buffer},
                           {.buffer = r->outputs[0].buffer}};
    return fp_plan_launch(plan, args, 6, fp_ceiling(items, group), group);
}

static const fp_primitive substitution = {
    .name = "triangular", .launch = launch_triangular, .run = fp_host_triangular, .comparable = is_comparable};

gpu_status fp_triangular(fp_node *sides, const size_t *shape, fp_node *lu, bool upper, fp_node **result)
{
    const size_t rows = shape[FP_LU_ROWS], width = shape[FP_LU_WIDTH];
    fp_request r = {.primitive = &substitution,
                    .number = upper,
                    .shape = {rows, width, shape[FP_LU_PITCH]},
                    .outputs = {{.type = sides->type, .length = rows * width}},
                    .output_count = 1};
    gpu_status status = fp_node_prepare(lu, NULL, 0, &r.into);
    if (!status) status = fp_node_prepare(sides, NULL, 0, &r.input);
    return status ? status : fp_execute(&r, result);
}
