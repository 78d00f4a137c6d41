/* Bitonic sort, in place in a copy of the input. */
#include "array/plan.h"
#include "ops/order.h"

/* CPU: bytes of a tile in which steps are fused. GPU: work-items of a group at most. */
enum { TILE = 1 << 15, GROUP = 512 };

typedef struct bitonic {
    fp_node *data;
    const fp_order *order;
    unsigned group;
    uint64_t tile; /* elements in which steps are fused, a power of two */
} bitonic;

static void choose_tile(bitonic *b)
{
    const fp_policy *policy = &b->data->g->policy;
    size_t size = b->data->type->size;
    b->group = 1;
    b->tile = 2;
    if (policy->cpu) {
        while (2 * b->tile * size <= TILE) b->tile *= 2;
        return;
    }
    b->group = policy->group < GROUP ? policy->group : GROUP;
    while (b->group > 1 && 2 * b->group * size > policy->tile) b->group /= 2;
    b->tile = 2 * b->group;
}

/* One launch: a step, or fused ones; `flag` says whether the step flips, or whether all stages are fused. */
static gpu_status launch(const bitonic *b, uint64_t width, uint32_t flag, bool fused, uint64_t share, size_t items)
{
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "bitonic", b->data->type, b->data);
    if (status) return status;
    fp_order_slots(plan, b->order);
    fp_plan_slot(plan, "FP_FUSED", fused);
    const fp_arg args[] = {{.value = &width, .bytes = sizeof width},
                           {.value = &flag, .bytes = sizeof flag},
                           {.value = &share, .bytes = sizeof share},
                           {.buffer = b->data->buffer}};
    return fp_plan_launch(plan, args, 4, items / b->group + (items % b->group != 0), b->group);
}

static gpu_status step(const bitonic *b, uint64_t width, bool flip)
{
    const fp_policy *policy = &b->data->g->policy;
    size_t n = b->data->length, exchanges = (n / width + (n % width != 0)) * (width / 2), items = exchanges;
    uint64_t share = policy->cpu ? fp_share(exchanges, policy->least_chunk, policy->most_chunks, &items) : 1;
    return launch(b, width, flip, false, share, items);
}

static gpu_status fused_steps(const bitonic *b, uint64_t width, bool all)
{
    size_t n = b->data->length, tiles = n / b->tile + (n % b->tile != 0);
    return launch(b, width, all, true, b->tile, tiles * b->group);
}

static gpu_status sort(const bitonic *b)
{
    gpu_status status = fused_steps(b, b->tile, true);
    for (uint64_t stage = 2 * b->tile; stage < 2 * b->data->length && !status; stage *= 2) {
        status = step(b, stage, true);
        for (uint64_t width = stage / 2; width > b->tile && !status; width /= 2) status = step(b, width, false);
        if (!status) status = fused_steps(b, b->tile, false);
    }
    return status;
}

fp_node *fp_sort_bitonic(fp_node *node, const fp_order *order)
{
    bitonic b = {.data = fp_node_copy(node), .order = order};
    if (!b.data) return NULL;
    choose_tile(&b);
    if (!sort(&b) && !fp_node_inherit_captured(b.data, order->less)) return b.data;
    fp_node_drop(b.data);
    return NULL;
}
