/* Radix sort: from the last 8 bits of the keys to the first. Where groups may wait for each other and warps match
 * digits, each time in one pass; elsewhere counted, scanned and moved. */
#include "array/lookback.h"
#include "base/error.h"
#include "ops/order.h"
#include "ops/scan.h"

enum { DIGIT_BITS = 8 };

/* Elements of a GPU's work-item at most: a bit stands for each in 32. */
enum { MOST_PART = 16 };

typedef struct radix {
    fp_ready from;
    fp_node *moved; /* by a pass, for the next: of what `from` is; else NULL */
    const fp_order *order;
    fp_sorted *sorted; /* what the last digit's pass fills */
    fp_operator *add;
    gpu_type count; /* the type of counts */
    unsigned group;
    unsigned part;
    uint64_t share; /* elements of a tile */
    size_t tiles;
    fp_buffer *begins; /* where a digit takes one pass: of each digit's elements, for all passes */
    fp_buffer *flags;  /* that tiles tell each other their counts by; else NULL */
} radix;

static void choose_tiles(radix *r, unsigned group, unsigned most_part, size_t most_bytes)
{
    const fp_policy *policy = &r->from.node->g->policy;
    size_t n = r->from.length, size = r->from.node->type->size;
    r->count = n <= UINT32_MAX ? GPU_UINT : GPU_ULONG;
    r->group = 1;
    if (policy->cpu) {
        r->share = fp_share(n, policy->least_chunk, policy->most_chunks, &r->tiles);
        return;
    }
    r->group = group;
    while (r->group > policy->warp && r->group * size > most_bytes) r->group /= 2;
    size_t part = most_bytes / (r->group * size);
    r->part = part < 1 ? 1 : part < most_part ? (unsigned)part : most_part;
    r->share = (uint64_t)r->group * r->part;
    r->tiles = fp_ceiling(n, r->share);
}

static gpu_status plan_begin(fp_plan **out, const radix *r, const char *template)
{
    const fp_policy *policy = &r->from.node->g->policy;
    gpu_status status = fp_plan_begin(out, template, r->from.node->type, &r->from);
    if (status) return status;
    fp_plan *plan = *out;
    fp_digit_slots(plan, r->order);
    if (policy->cpu) return GPU_OK;
    fp_plan_slot(plan, "FP_PART", r->part);
    fp_plan_slot(plan, "FP_ORDERED", true);
    fp_plan_slot(plan, "FP_WARP", policy->warp);
    return GPU_OK;
}

/* ---- counted, scanned, moved ---- */

/* One of the two kernels of a digit, that has places or counts for its own argument and, if it moves, an output. */
static gpu_status launch(const radix *r, const char *template, uint32_t shift, fp_buffer *counts, const fp_sorted *to)
{
    fp_plan *plan;
    gpu_status status = plan_begin(&plan, r, template);
    if (status) return status;
    fp_plan_name(plan, "FP_COUNT", r->count);
    if (to) fp_sorted_slots(plan, to);
    fp_arg args[3 + FP_SORTED_ARGS] = {
        {.value = &shift, .bytes = sizeof shift}, {.value = &r->share, .bytes = sizeof r->share}, {.buffer = counts}};
    return fp_plan_launch(plan, args, to ? 3 + fp_sorted_args(to, args + 3) : 3, r->tiles, r->group);
}

/* Where the first element with each digit goes, of each tile. */
static fp_node *find_places(const radix *r, uint32_t shift)
{
    gpu *g = r->from.node->g;
    const uint64_t zero = 0;
    size_t length = FP_DIGITS * r->tiles;
    fp_buffer *counts;
    if (fp_buffer_new(g->device, length * r->count->size, &counts)) return NULL;
    fp_node *node = fp_node_buffer(g, r->count, length, counts, 0), *places = NULL;
    if (node && !launch(r, "radix_count", shift, counts, NULL)) places = fp_scan(node, r->add, &zero);
    fp_buffer_drop(counts);
    fp_node_drop(node);
    return places;
}

static gpu_status move_digit(const radix *r, uint32_t shift, const fp_sorted *to)
{
    fp_node *places = find_places(r, shift);
    gpu_status status = places ? launch(r, "radix_move", shift, places->buffer, to) : fp_last_status();
    fp_node_drop(places);
    return status;
}

/* ---- in one pass for each digit ---- */

/* Work-items of a group, and elements of an item at most: with more, an H100 has registers for one group at a time, and
 * takes up to 1.6 times as long. The digits of floating keys take more of them. */
enum { SWEPT_GROUP = 384, SWEPT_PART = 23, SWEPT_FLOATING = 20 };

/* Elements of an item that counts. */
enum { COUNTED_PART = 8 };

/* Local memory for a tile: there is little beside it. */
static size_t swept_bytes(const gpu *g)
{
    return g->facts->local_bytes / 12 * 11;
}

static bool can_sweep(const fp_node *node, size_t length)
{
    const fp_policy *policy = &node->g->policy;
    return policy->look_back && policy->warp == 32 && policy->group >= SWEPT_GROUP && length <= UINT32_MAX &&
           SWEPT_GROUP * node->type->size <= swept_bytes(node->g);
}

static gpu_status count_digits(const radix *r)
{
    const gpu *g = r->from.node->g;
    fp_plan *plan;
    radix counting = *r;
    counting.part = COUNTED_PART;
    gpu_status status = plan_begin(&plan, &counting, "radix_begins");
    if (status) return status;
    fp_plan_slot(plan, "FP_PASSES", r->order->key->size);
    const uint64_t from = FP_TICKETS, cells = FP_DIGITS * r->tiles;
    const fp_arg args[] = {{.buffer = g->ticket},
                           {.value = &from, .bytes = sizeof from},
                           {.buffer = r->begins},
                           {.buffer = r->flags},
                           {.value = &cells, .bytes = sizeof cells}};
    size_t groups;
    fp_share(r->from.length, (size_t)r->group * COUNTED_PART, g->policy.resident / r->group, &groups);
    return fp_plan_launch(plan, args, 5, groups, r->group);
}

static gpu_status sweep_digit(const radix *r, uint32_t shift, const fp_sorted *to)
{
    fp_plan *plan;
    gpu_status status = plan_begin(&plan, r, "radix_sweep");
    if (status) return status;
    fp_sorted_slots(plan, to);
    const uint32_t number = 1 + 2 * (shift / DIGIT_BITS);
    fp_arg args[5 + FP_SORTED_ARGS] = {{.value = &shift, .bytes = sizeof shift},
                                       {.buffer = r->from.node->g->ticket},
                                       {.buffer = r->begins},
                                       {.buffer = r->flags},
                                       {.value = &number, .bytes = sizeof number}};
    return fp_plan_launch(plan, args, 5 + fp_sorted_args(to, args + 5), r->tiles, r->group);
}

/* ---- digit by digit ---- */

/* What a pass has moved is what the next one reads; the last one fills r->sorted. */
static gpu_status sort_digits(radix *r)
{
    const uint32_t bits = 8 * (uint32_t)r->order->key->size;
    gpu_status status = GPU_OK;
    for (uint32_t shift = 0; shift < bits && !status; shift += DIGIT_BITS) {
        fp_sorted moved = {.value = NULL}, *to = shift + DIGIT_BITS < bits ? &moved : r->sorted;
        status = fp_sorted_new(to, &r->from, r->order);
        if (!status) status = r->flags ? sweep_digit(r, shift, to) : move_digit(r, shift, to);
        fp_node_drop(r->moved);
        r->moved = moved.nodes[0];
        if (r->moved) r->from = fp_node_made(r->moved);
    }
    return status;
}

static gpu_status sort_by_counts(radix *r)
{
    const gpu_operator add = {.snippet = "a + b"};
    const fp_policy *policy = &r->from.node->g->policy;
    choose_tiles(r, policy->group < policy->tile_group ? policy->group : policy->tile_group, MOST_PART, policy->tile);
    gpu_status status = fp_operator_bind(
        r->from.node->g, &add, &(fp_role){.operation = "gpu_sort", .operands = 2, .traits = FP_ROLE_OWN}, &r->add);
    if (!status) status = sort_digits(r);
    fp_operator_drop(r->add);
    return status;
}

static gpu_status sort_by_sweeps(radix *r)
{
    fp_device *device = r->from.node->g->device;
    bool floating = r->order->key->kind == GPU_KIND_FLOATING;
    choose_tiles(r, SWEPT_GROUP, floating ? SWEPT_FLOATING : SWEPT_PART, swept_bytes(r->from.node->g));
    size_t begins = r->order->key->size * FP_DIGITS * sizeof(uint32_t);
    gpu_status status = fp_buffer_new(device, begins, &r->begins);
    if (!status) status = fp_buffer_new(device, r->tiles * FP_DIGITS * sizeof(uint64_t), &r->flags);
    if (!status) status = count_digits(r);
    if (!status) status = sort_digits(r);
    fp_buffer_drop(r->begins);
    fp_buffer_drop(r->flags);
    return status;
}

static gpu_status sort(const fp_ready *input, const fp_order *order, fp_sorted *sorted)
{
    radix r = {.from = *input, .order = order, .sorted = sorted};
    gpu_status status = can_sweep(input->node, input->length) ? sort_by_sweeps(&r) : sort_by_counts(&r);
    fp_node_drop(r.moved);
    return status;
}

/* The last digit's move finishes. */
static fp_foreseen foresee(const fp_node *node, size_t length, const fp_order *order)
{
    unsigned digits = (unsigned)order->key->size;
    unsigned launches = can_sweep(node, length) ? 1 + digits : digits * (2 + fp_lookback_sweeps(node->g));
    return (fp_foreseen){.finishes = true, .launches = launches};
}

const fp_algorithm fp_sort_radix = {sort, foresee};
