#include "ops/search.h"

#include "base/error.h"
#include "host/host.h"
#include "planning/eval.h"
#include "planning/execute.h"
#include "planning/plan.h"

#include <firepile/select.h>

/* GPU: the elements that an item tests before it asks whether there is a hit already. */
enum { ITEMS_PER_THREAD = 16 };

/* GPU: the tiles that a group tests before it asks, once all groups have had one. */
enum { TURN = 4 };

/* GPU: work-items of a group. A larger group takes as long to agree as to test. */
enum { GROUP = 256 };

/* The index of no element, in kernels and on the host. */
#define NOWHERE UINT64_MAX

/* The first output gets the index. Two outputs get the numbers of elements before it, and from it on. */
static gpu_status launch(fp_request *r)
{
    const gpu *g = r->input.node->g;
    const fp_policy *policy = &g->policy;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "search", GPU_UINT, &r->input);
    if (status) return status;
    unsigned group = fp_group_of(policy, GROUP);
    size_t items_per_thread = policy->cpu ? policy->least_chunk : ITEMS_PER_THREAD, groups;
    fp_plan_slot(plan, "FP_ITEMS_PER_THREAD", items_per_thread);
    fp_plan_slot(plan, "FP_TURN", policy->cpu ? 1 : TURN);
    fp_plan_slot(plan, "FP_SPLIT", r->output_count > 1);
    fp_chunk_of(r->input.length, group * items_per_thread, policy->cpu ? policy->most_chunks : policy->resident / group,
                &groups);
    uint64_t counters[FP_OUTPUTS];
    fp_arg args[1 + FP_OUTPUTS * FP_COUNT_ARGS] = {{.buffer = g->ticket}};
    for (unsigned k = 0; k < r->output_count; k++)
        fp_count_args(r->outputs[k].count, &counters[k], args + 1 + k * FP_COUNT_ARGS);
    return fp_plan_launch(plan, args, 1 + r->output_count * FP_COUNT_ARGS, groups, group);
}

static const fp_primitive operation = {.name = "search", .launch = launch, .run = fp_host_search, .small = true};

/* Makes `wanted` counts. Their value is `none` if there are no flags. */
static gpu_status search(fp_node *flags, unsigned wanted, size_t none, fp_count **counts)
{
    fp_request r = {
        .primitive = &operation, .outputs = {{.extent = FP_COUNTED}, {.extent = FP_COUNTED}}, .output_count = wanted};
    gpu_status status = fp_node_prepare(flags, NULL, 0, &r.input);
    if (!status) status = fp_execute(&r, NULL);
    for (unsigned k = 0; k < wanted && !status; k++) {
        counts[k] = r.outputs[k].count ? r.outputs[k].count : fp_count_known(none);
        if (!counts[k]) status = fp_last_status();
    }
    return status;
}

fp_operator_kind fp_predicate_kind(gpu_type type)
{
    return (fp_operator_kind){fp_operation(), 1, FP_OPERATOR_INDEX | FP_OPERATOR_DECIDES, {type}, NULL};
}

gpu_status fp_predicate_bind(const gpu_array *a, const gpu_operator *pred, fp_operator **out)
{
    gpu_status status = fp_array_check(a, "a");
    if (status) return status;
    const fp_operator_kind kind = fp_predicate_kind(a->node->type);
    return fp_operator_bind(a->g, pred, &kind, out);
}

static fp_node *flags_of(fp_node *node, fp_operator *op)
{
    op->predicate = true;
    return fp_node_map(GPU_UINT, op, &node, 1);
}

/* Waits without the lock: nobody else has the count. */
static gpu_status read_index(fp_entry *entry, const fp_node *flags, const fp_count *found, size_t *index)
{
    uint64_t value;
    gpu_status status = fp_deferred_check(flags->deferred);
    if (status) return status;
    fp_entry_unlock(entry);
    status = fp_count_read(found, &value);
    fp_entry_relock(entry);
    if (!status) *index = value == NOWHERE ? GPU_NOT_FOUND : (size_t)value;
    return status;
}

gpu_status fp_search_read(fp_entry *entry, fp_node *node, fp_operator *op, size_t *index)
{
    fp_node *flags = flags_of(node, op);
    return flags ? fp_search_flags(entry, flags, index) : fp_last_status();
}

gpu_status fp_search_flags(fp_entry *entry, fp_node *flags, size_t *index)
{
    fp_count *found = NULL;
    gpu_status status = search(flags, 1, NOWHERE, &found);
    if (!status) status = read_index(entry, flags, found, index);
    fp_count_drop(found);
    fp_node_drop(flags);
    return status;
}

gpu_status fp_search_split(fp_node *node, fp_operator *op, fp_count **counts, fp_deferred **deferred)
{
    fp_node *flags = flags_of(node, op);
    gpu_status status = flags ? search(flags, 2, 0, counts) : fp_last_status();
    *deferred = status ? NULL : fp_deferred_keep(flags->deferred);
    fp_node_drop(flags);
    for (unsigned k = 0; k < 2 && status; k++) {
        fp_count_drop(counts[k]);
        counts[k] = NULL;
    }
    return status;
}
