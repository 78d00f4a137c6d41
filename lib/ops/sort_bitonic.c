/* Bitonic sort, in place in a buffer of its own. */
#include "base/error.h"
#include "ops/order.h"
#include "planning/eval.h"
#include "planning/plan.h"

/* CPU: the bytes of a tile in which steps are fused, and the steps of a pass. 3 steps are a fourth faster, but their
 * kernel takes three times as long to build. */
enum { TILE = 1 << 15, CPU_STEPS = 2 };

/* GPU: the most steps of a pass. */
enum { STEPS = 4 };

/* GPU: the most work-items of a group with a tile, and of one without. */
enum { TILE_GROUP = 512, GROUP = 128 };

typedef struct bitonic {
    const fp_node *node; /* the input */
    size_t length;       /* of the input */
    const fp_order *order;
    fp_node *data;
    unsigned group; /* work-items of a tile */
    unsigned steps; /* of a pass */
    uint64_t tile;  /* elements in which steps are fused, a power of two */
} bitonic;

static void choose_tile(bitonic *b)
{
    const fp_policy *policy = &b->node->g->policy;
    size_t size = b->node->type->size;
    b->group = 1;
    b->steps = 1;
    if (policy->cpu) {
        b->steps = CPU_STEPS;
        b->tile = 1 << b->steps;
        while (2 * b->tile * size <= TILE) b->tile *= 2;
        return;
    }
    while (b->steps < STEPS && 2u << b->steps <= policy->tile_items_per_thread &&
           (size << b->steps) * 2 <= policy->tile_item)
        b->steps++;
    b->group = fp_group_of(policy, TILE_GROUP);
    while (b->group > 1 && (b->group * size << b->steps) > policy->tile) b->group /= 2;
    b->tile = (uint64_t)b->group << b->steps;
}

static gpu_status begin(const bitonic *b, const fp_ready *from, const char *template, fp_plan **plan)
{
    gpu_status status = fp_plan_begin(plan, template, b->node->type, from);
    if (status) return status;
    fp_order_slots(*plan, b->order);
    fp_plan_slot(*plan, "FP_STEPS", b->steps);
    return GPU_OK;
}

/* One launch. `flag`: the first step flips, or all stages are fused. */
static gpu_status launch(const bitonic *b, fp_plan *plan, uint64_t width, uint32_t flag, uint64_t chunk, size_t groups,
                         unsigned group)
{
    const fp_arg args[] = {
        {FP_ARG_VALUE(width)}, {FP_ARG_VALUE(flag)}, {FP_ARG_VALUE(chunk)}, {.buffer = b->data->buffer}};
    return fp_plan_launch(plan, args, 4, groups, group);
}

static gpu_status pass(const bitonic *b, uint64_t width, bool flip)
{
    const fp_policy *policy = &b->node->g->policy;
    size_t blocks = fp_ceiling(b->length, width), items = blocks * (width >> b->steps), groups;
    fp_plan *plan;
    const fp_ready data = fp_node_made(b->data);
    gpu_status status = begin(b, &data, "sort_bitonic", &plan);
    if (status) return status;
    if (policy->cpu) {
        uint64_t chunk =
            fp_chunk_of(items, fp_ceiling(policy->least_chunk, 1u << b->steps), policy->most_chunks, &groups);
        return launch(b, plan, width, flip, chunk, groups, 1);
    }
    unsigned group = fp_group_of(policy, GROUP);
    fp_plan_name(plan, "FP_INDEX", blocks * width <= (size_t)1 << 31 ? GPU_UINT : GPU_ULONG);
    return launch(b, plan, width, flip, 1, fp_ceiling(items, group), group);
}

static gpu_status fused_passes(const bitonic *b, const fp_ready *from, uint64_t width, bool all)
{
    fp_plan *plan;
    gpu_status status = begin(b, from, "sort_bitonic_tile", &plan);
    if (status) return status;
    if (!b->node->g->policy.cpu)
        fp_plan_slot(plan, "FP_WARP", b->group < b->node->g->policy.warp ? 1 : b->node->g->policy.warp);
    return launch(b, plan, width, all, b->tile, fp_ceiling(b->length, b->tile), b->group);
}

static gpu_status sort(const bitonic *b, const fp_ready *input)
{
    const fp_ready data = fp_node_made(b->data);
    gpu_status status = fused_passes(b, input, b->tile, true);
    for (uint64_t stage = 2 * b->tile; stage < 2 * b->length && !status; stage *= 2) {
        uint64_t width = stage;
        for (; width > b->tile && !status; width >>= b->steps) status = pass(b, width, width == stage);
        if (!status) status = fused_passes(b, &data, width, false);
    }
    return status;
}

/* Sorts in place. Passes of a CPU's chunk may overwrite each other's elements, so there is no epilogue. */
static gpu_status launch_all(fp_request *r)
{
    gpu_status status = fp_sort_step(r, true, NULL);
    if (status) return status;
    const fp_node *node = r->input.node;
    bitonic b = {.node = node, .length = r->input.length, .order = r->order};
    choose_tile(&b);
    b.data = fp_node_buffer(node->g, node->type, b.length, r->outputs[0].buffer, 0);
    if (!b.data) return fp_last_status();
    b.data->count = fp_count_keep(r->input.count);
    status = sort(&b, &r->input);
    fp_node_drop(b.data);
    return status;
}

const fp_primitive fp_sort_bitonic = {.name = "bitonic", .launch = launch_all, FP_SORT_COMPARES};
