#include "ops/search.h"

#include "array/plan.h"
#include "base/error.h"
#include "host/host.h"

#include <firepile/select.h>

/* GPU: elements that an item looks at before it asks whether somebody was faster. */
enum { PART = 16 };

/* GPU: tiles that a group looks at before it asks, when there are so many that all groups have had one. */
enum { TURN = 4 };

/* Work-items of a GPU's group: a large one takes as long to agree as to look. */
enum { GROUP = 256 };

/* The index of what is not there, as kernels and the host have it. */
#define NOWHERE UINT64_MAX

/* The index goes to `found`; or the numbers of elements before it and from it on to `found` and `rest`. */
static gpu_status launch(const fp_ready *flags, const fp_count *found, const fp_count *rest)
{
    const gpu *g = flags->node->g;
    const fp_policy *policy = &g->policy;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "search", GPU_UINT, flags);
    if (status) return status;
    unsigned group = policy->cpu ? 1 : policy->group < GROUP ? policy->group : GROUP;
    size_t part = policy->cpu ? policy->least_chunk : PART, groups;
    fp_plan_slot(plan, "FP_PART", part);
    fp_plan_slot(plan, "FP_TURN", policy->cpu ? 1 : TURN);
    fp_plan_slot(plan, "FP_SPLIT", rest != NULL);
    fp_share(flags->length, group * part, policy->cpu ? policy->most_chunks : policy->resident / group, &groups);
    uint64_t cells[2];
    fp_arg args[1 + 2 * FP_COUNT_ARGS] = {{.buffer = g->ticket}};
    fp_count_args(found, &cells[0], args + 1);
    if (rest) fp_count_args(rest, &cells[1], args + 1 + FP_COUNT_ARGS);
    return fp_plan_launch(plan, args, 1 + (rest ? 2 : 1) * FP_COUNT_ARGS, groups, group);
}

static fp_count *new_count(gpu *g, bool here)
{
    return here ? fp_count_known(0) : fp_count_new(g);
}

/* Makes the counts, of which `rest` may be NULL. */
static gpu_status search(const fp_ready *input, fp_count **found, fp_count **rest)
{
    fp_node *flags = input->node;
    gpu *g = flags->g;
    const bool here = fp_host_takes(flags, NULL, 0);
    *found = new_count(g, here);
    if (*found && rest) *rest = new_count(g, here);
    if (!*found || (rest && !*rest)) return fp_last_status();
    fp_count *of_rest = rest ? *rest : NULL;
    if (here) return fp_host_search(flags, *found, of_rest);
    gpu_status status = launch(input, *found, of_rest);
    return status ? status : fp_verify_search(flags, *found, of_rest);
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
    gpu_status status = fp_risk_check(flags->risk);
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
    fp_ready input;
    fp_count *found = NULL;
    gpu_status status = fp_node_prepare(flags, NULL, 0, &input);
    if (!status && !input.length) found = fp_count_known(NOWHERE);
    if (!status && input.length) status = search(&input, &found, NULL);
    if (!status && !found) status = fp_last_status();
    if (!status) status = read_index(entry, flags, found, index);
    fp_count_drop(found);
    fp_node_drop(flags);
    return status;
}

/* The numbers for an array that has no elements. */
static gpu_status split_nothing(fp_count **before, fp_count **rest)
{
    *before = fp_count_known(0);
    *rest = fp_count_known(0);
    return *before && *rest ? GPU_OK : fp_last_status();
}

static gpu_status split(fp_node *flags, fp_count **before, fp_count **rest)
{
    fp_ready input;
    gpu_status status = fp_node_prepare(flags, NULL, 0, &input);
    if (status) return status;
    return input.length ? search(&input, before, rest) : split_nothing(before, rest);
}

gpu_status fp_search_split(fp_node *node, fp_operator *op, fp_count **before, fp_count **rest, fp_risk **risk)
{
    fp_node *flags = flags_of(node, op);
    *before = *rest = NULL;
    gpu_status status = flags ? split(flags, before, rest) : fp_last_status();
    *risk = status ? NULL : fp_risk_keep(flags->risk);
    fp_node_drop(flags);
    if (!status) return GPU_OK;
    fp_count_drop(*before);
    fp_count_drop(*rest);
    return status;
}
