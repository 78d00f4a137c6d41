/* Elements to other places. */
#include "array/array.h"
#include "array/plan.h"
#include "base/error.h"
#include "host/host.h"

#include <firepile/move.h>

/* Work-items of a GPU's group that shares nothing. */
enum { GROUP = 256 };

/* The gpu of the first array that has one. */
static gpu *gpu_of(const gpu_array *a, const gpu_array *b)
{
    return fp_array_gpu(a) ? fp_array_gpu(a) : fp_array_gpu(b);
}

static gpu_status same_gpu(const gpu_array *a, const gpu_array *b, const char *names)
{
    return a->g == b->g ? GPU_OK : fp_fail(GPU_E_ARGUMENT, "%s belong to different gpus", names);
}

static gpu_status check_indices(const gpu_array *indices)
{
    gpu_status status = fp_array_check(indices, "indices");
    if (status) return status;
    gpu_type type = indices->node->type;
    bool integer = type->kind == GPU_KIND_SIGNED || type->kind == GPU_KIND_UNSIGNED;
    if (integer && type->width == 1) return GPU_OK;
    return fp_fail(GPU_E_TYPE, "indices are integers, and these are %s", type->name);
}

/* ---- gather ---- */

static fp_node *gather(const gpu_array *a, const gpu_array *indices)
{
    gpu_status status = fp_array_check(a, "a");
    if (!status) status = check_indices(indices);
    if (!status) status = same_gpu(a, indices, "the array and its indices");
    /* The device compares an index with a length; the host's is of no use to a selection's reader. */
    if (!status) status = fp_node_select(a->node);
    return status ? NULL : fp_node_gather(a->node, indices->node);
}

gpu_array *gpu_gather_op(const gpu_array *a, const gpu_array *indices, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(gpu_of(a, indices), "gpu_gather", place);
    return fp_array_end(&entry, gather(a, indices));
}

/* ---- scatter ---- */

/* Each element beside its index. */
static fp_node *place(fp_node *indices, fp_node *elements)
{
    const gpu_operator op = {.snippet = "{ fp_result p; p.v0 = x; p.w0 = (ulong)y; return p; }"};
    gpu_type pair = fp_gpu_pair_type(indices->g, elements->type, GPU_ULONG, false);
    fp_operator *bound;
    if (!pair || fp_operator_bind(indices->g, &op, &(fp_role){"gpu_scatter", 2, false, true}, &bound)) return NULL;
    return fp_node_map(pair, bound, (fp_node *const[]){elements, indices}, 2);
}

static gpu_status launch_scatter(fp_node *pairs, fp_node *into, const fp_risk *risk)
{
    const fp_policy *policy = &pairs->g->policy;
    fp_plan *plan;
    if (pairs->g->host) return fp_host_scatter(pairs, into, risk);
    gpu_status status = fp_plan_begin(&plan, "scatter", into->type, pairs);
    if (status) return status;
    size_t groups;
    unsigned group = policy->cpu ? 1 : policy->group < GROUP ? policy->group : GROUP;
    uint64_t share = policy->cpu ? fp_share(pairs->length, policy->least_chunk, policy->most_chunks, &groups)
                                 : fp_share(pairs->length, 1, policy->resident, &groups);
    if (!policy->cpu) groups = (groups + group - 1) / group;
    const uint64_t length = into->length, cell = 2 * fp_risk_cell(risk).index;
    const fp_arg args[] = {{.value = &share, .bytes = sizeof share},
                           {.value = &length, .bytes = sizeof length},
                           {.buffer = into->buffer},
                           {.buffer = fp_cell_buffer(fp_risk_cell(risk))},
                           {.value = &cell, .bytes = sizeof cell}};
    return fp_plan_launch(plan, args, 5, groups, group);
}

static gpu_status check_lengths(const gpu_array *indices, const gpu_array *a)
{
    if (fp_node_same_extent(indices->node, a->node)) return GPU_OK;
    gpu_status status = fp_node_settle(indices->node);
    if (!status) status = fp_node_settle(a->node);
    if (status || indices->node->length == a->node->length) return status;
    return fp_fail(GPU_E_ARGUMENT, "there are %zu indices and %zu elements, and there must be equally many",
                   indices->node->length, a->node->length);
}

static gpu_status check_scatter(const gpu_array *into, const gpu_array *indices, const gpu_array *a)
{
    gpu_status status = fp_array_check(into, "into");
    if (!status) status = check_indices(indices);
    if (!status) status = fp_array_check(a, "a");
    if (!status) status = same_gpu(into, indices, "the arrays 'into' and 'indices'");
    if (!status) status = same_gpu(into, a, "the arrays 'into' and 'a'");
    if (!status && !gpu_type_equal(into->node->type, a->node->type))
        status = fp_fail(GPU_E_TYPE, "elements of type %s cannot go into an array of %s", a->node->type->name,
                         into->node->type->name);
    if (!status) status = check_lengths(indices, a);
    /* What it is a copy of must have a length that the kernel can be told. */
    return status ? status : fp_node_settle(into->node);
}

/* Places the pairs in `copy`, which takes on the risk. */
static gpu_status scatter_into(fp_node *copy, fp_node *pairs)
{
    fp_node_count(pairs);
    if (!pairs->length) return GPU_OK;
    fp_risk *risk = fp_risk_range(copy->g, copy->length);
    gpu_status status = risk ? fp_node_prepare(pairs) : fp_last_status();
    if (!status) status = launch_scatter(pairs, copy, risk);
    if (!status) status = fp_node_inherit(copy, pairs);
    if (!status) status = fp_risk_join(copy->g, &copy->risk, risk);
    if (risk) fp_risk_settle(risk);
    fp_risk_drop(risk);
    return status;
}

static fp_node *scatter(const gpu_array *into, const gpu_array *indices, const gpu_array *a)
{
    if (check_scatter(into, indices, a)) return NULL;
    fp_node *copy = fp_node_copy(into->node), *pairs = copy ? place(indices->node, a->node) : NULL;
    gpu_status status = pairs ? scatter_into(copy, pairs) : fp_last_status();
    fp_node_drop(pairs);
    if (!status) return copy;
    fp_node_drop(copy);
    return NULL;
}

gpu_array *gpu_scatter_op(const gpu_array *into, const gpu_array *indices, const gpu_array *a, const gpu_place *place)
{
    gpu *g = fp_array_gpu(into) ? fp_array_gpu(into) : gpu_of(indices, a);
    fp_entry entry = fp_entry_begin(g, "gpu_scatter", place);
    return fp_array_end(&entry, scatter(into, indices, a));
}

/* ---- reverse, concat ---- */

static fp_node *reverse(const gpu_array *a)
{
    return fp_array_check(a, "a") ? NULL : fp_node_reverse(a->node);
}

gpu_array *gpu_reverse_op(const gpu_array *a, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_reverse", place);
    return fp_array_end(&entry, reverse(a));
}

static fp_node *concat(const gpu_array *a, const gpu_array *b)
{
    gpu_status status = fp_array_check(a, "a");
    if (!status) status = fp_array_check(b, "b");
    if (!status) status = same_gpu(a, b, "the arrays 'a' and 'b'");
    if (!status && !gpu_type_equal(a->node->type, b->node->type))
        status = fp_fail(GPU_E_TYPE, "the arrays 'a' and 'b' have elements of type %s and %s: map one to the other's",
                         a->node->type->name, b->node->type->name);
    if (!status) status = fp_node_settle(a->node);
    if (!status) status = fp_node_settle(b->node);
    if (!status && a->node->length > SIZE_MAX - b->node->length)
        status = fp_fail(GPU_E_RANGE, "there are no arrays of %zu and %zu elements together", a->node->length,
                         b->node->length);
    return status ? NULL : fp_node_concat(a->node, b->node);
}

gpu_array *gpu_concat_op(const gpu_array *a, const gpu_array *b, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(gpu_of(a, b), "gpu_concat", place);
    return fp_array_end(&entry, concat(a, b));
}
