/* Rank sort: one launch sorts few elements by their own order. */
#include "ops/order.h"
#include "planning/plan.h"

/* The work-items of a group, those of a team, and the elements that a team finds the places of. 4096 elements give each
 * multiprocessor of an H100 a group. */
enum { GROUP = 256, TEAM = 32, ITEMS_PER_TEAM = 4 };

/* The most elements, since each is compared with all others, and the most bytes of their keys in local memory. */
enum { MOST = 1 << 13, MOST_BYTES = 1 << 15 };

bool fp_sort_ranks_few(const gpu *g, size_t length, const fp_order *order)
{
    return order->natural && !g->policy.cpu && length <= MOST && length * order->key->size <= MOST_BYTES &&
           MOST_BYTES <= g->capabilities->local_bytes / 4 * 3;
}

static gpu_status launch(fp_request *r)
{
    fp_plan *plan;
    const fp_policy *policy = &r->input.node->g->policy;
    gpu_status status = fp_sort_step(r, true, NULL);
    if (!status) status = fp_plan_begin(&plan, "sort_rank", r->input.node->type, &r->input);
    if (status) return status;
    unsigned group = fp_group_of(policy, GROUP), team = group < TEAM ? group : TEAM;
    unsigned items_per_team = team < ITEMS_PER_TEAM ? team : ITEMS_PER_TEAM;
    size_t most = MOST_BYTES / r->order->key->size;
    fp_digit_slots(plan, r->order);
    fp_sorted_slots(plan, r, NULL);
    fp_plan_slot(plan, "FP_TEAM", team);
    fp_plan_slot(plan, "FP_ITEMS_PER_TEAM", items_per_team);
    fp_plan_slot(plan, "FP_MOST", most < MOST ? most : MOST);
    fp_arg args[FP_SORTED_ARGS];
    unsigned count = fp_sorted_args(r, NULL, args);
    return fp_plan_launch(plan, args, count, fp_ceiling(r->input.length, group / team * items_per_team), group);
}

const fp_primitive fp_sort_rank = {.name = "rank", .launch = launch, FP_SORT_COMPARES};
