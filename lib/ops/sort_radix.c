/* Radix sort, from the last 8 bits of the keys to the first. A digit takes one pass where groups may wait for each
 * other and warps match digits. Elsewhere digits are counted, scanned and moved. */
#include "base/error.h"
#include "ops/order.h"
#include "ops/scan.h"
#include "planning/eval.h"
#include "planning/execute.h"
#include "planning/lookback.h"

enum { DIGIT_BITS = 8 };

/* GPU: the most elements of a work-item. Each has one of 32 bits. */
enum { MOST_ITEMS_PER_THREAD = 16 };

typedef struct radix {
    fp_ready from;
    fp_node *moved[2]; /* the elements after the passes of even and of odd number, or NULL */
    fp_request *request;
    const fp_order *order;
    fp_operator *add;
    gpu_type count; /* the type of counts */
    unsigned group;
    unsigned items_per_thread;
    uint64_t chunk; /* elements of a tile */
    size_t tiles;
    fp_node *differ;      /* the places of the first pass, which tell the digits that differ; else NULL */
    fp_node *begins;      /* onesweep: the first place of each digit, for all passes, and the digits that differ */
    fp_node *tile_status; /* onesweep: the status words of tiles; else NULL */
} radix;

/* An element takes `size` bytes of local memory, which is filled in so many rounds. */
static void choose_tiles(radix *r, unsigned group, unsigned most_items_per_thread, size_t size, size_t most_bytes,
                         unsigned rounds)
{
    const fp_policy *policy = &r->from.node->g->policy;
    size_t n = r->from.length;
    r->count = n <= UINT32_MAX ? GPU_UINT : GPU_ULONG;
    r->group = 1;
    if (policy->cpu) {
        r->chunk = fp_chunk_of(n, policy->least_chunk, policy->most_chunks, &r->tiles);
        return;
    }
    r->group = group;
    while (r->group > policy->warp && r->group * size > most_bytes) r->group /= 2;
    size_t items_per_thread = most_bytes / (r->group * size) * rounds;
    r->items_per_thread = items_per_thread < 1                       ? 1
                          : items_per_thread < most_items_per_thread ? (unsigned)items_per_thread
                                                                     : most_items_per_thread;
    r->chunk = (uint64_t)r->group * r->items_per_thread;
    r->tiles = fp_ceiling(n, r->chunk);
}

static uint32_t passes_of(const radix *r)
{
    return (uint32_t)(8 * r->order->key->size / DIGIT_BITS);
}

static gpu_status plan_begin(fp_plan **out, const radix *r, const char *template)
{
    const fp_policy *policy = &r->from.node->g->policy;
    gpu_status status = fp_plan_begin(out, template, r->from.node->type, &r->from);
    if (status) return status;
    fp_plan *plan = *out;
    fp_digit_slots(plan, r->order);
    fp_plan_slot(plan, "FP_PASSES", passes_of(r));
    if (policy->cpu) return GPU_OK;
    fp_plan_slot(plan, "FP_ITEMS_PER_THREAD", r->items_per_thread);
    fp_plan_slot(plan, "FP_ORDERED", true);
    fp_plan_slot(plan, "FP_WARP", policy->warp);
    return GPU_OK;
}

/* ---- counted, scanned, moved ---- */

/* Launches one of the two kernels of a digit. `counts` are counts or places. `moves`: it has an output. */
static gpu_status launch_pass(const radix *r, const char *template, uint32_t pass, fp_buffer *counts, bool moves,
                              const fp_node *to)
{
    fp_plan *plan;
    gpu_status status = plan_begin(&plan, r, template);
    if (status) return status;
    fp_plan_name(plan, "FP_COUNT", r->count);
    if (moves) fp_sorted_slots(plan, r->request, to);
    fp_buffer *differ = r->differ ? r->differ->buffer : counts;
    fp_arg args[4 + FP_SORTED_ARGS] = {
        {FP_ARG_VALUE(pass)}, {FP_ARG_VALUE(r->chunk)}, {.buffer = differ}, {.buffer = counts}};
    const unsigned count = moves ? 4 + fp_sorted_args(r->request, to, args + 4) : 4;
    return fp_plan_launch(plan, args, count, r->tiles, r->group);
}

/* The place of the first element with each digit, for each tile. */
static fp_node *find_places(const radix *r, uint32_t pass)
{
    const uint64_t zero = 0, rows = FP_DIGITS + (pass ? 0 : passes_of(r));
    fp_node *counts = fp_temporary(r->from.node->g, r->count, rows * r->tiles, NULL), *places = NULL;
    if (counts && !launch_pass(r, "sort_radix_upsweep", pass, counts->buffer, false, NULL))
        places = fp_scan(counts, r->add, &zero);
    fp_node_drop(counts);
    return places;
}

static gpu_status move_digit(radix *r, uint32_t pass, const fp_node *to)
{
    fp_node *places = find_places(r, pass);
    if (!pass) r->differ = fp_node_keep(places);
    gpu_status status =
        places ? launch_pass(r, "sort_radix_downsweep", pass, places->buffer, true, to) : fp_last_status();
    fp_node_drop(places);
    return status;
}

/* ---- in one pass for each digit ---- */

/* The work-items of a group, and the most elements of an item. With more, an H200 has registers for one group at a
 * time, and takes a third longer. Wide keys and values pass through local memory in two rounds. Values of more than 10
 * bytes make smaller tiles. */
enum { ONESWEEP_GROUP = 384, ONESWEEP_ITEMS = 21, NARROW = 4 };

/* If large tiles left half of the compute units idle, a pass would take as long as one of them. On an H200 the least
 * times of 16,384 ulongs were 104 microseconds with 21 elements an item and 78 with 11 in one run, 90 with 14 and 80
 * with 8 in another. Narrow keys alone keep their tiles: up to 2^17 of them are merged. */
enum { ONESWEEP_FEW_ITEMS = 8 };

/* Elements of an item that counts. */
enum { HISTOGRAM_ITEMS = 8 };

/* The local memory for a tile. */
static size_t onesweep_bytes(const gpu *g)
{
    return g->capabilities->local_bytes / 12 * 11;
}

/* Keys and values pass through local memory one after the other. */
static size_t staged_bytes(const fp_order *order)
{
    return order->value && order->value->size > order->key->size ? order->value->size : order->key->size;
}

static unsigned rounds_of(const radix *r)
{
    return staged_bytes(r->order) > NARROW ? 2 : 1;
}

static bool can_onesweep(const gpu *g, size_t length, const fp_order *order)
{
    const fp_policy *policy = &g->policy;
    return policy->look_back && policy->warp == 32 && policy->group >= ONESWEEP_GROUP && length <= UINT32_MAX &&
           ONESWEEP_GROUP * staged_bytes(order) <= onesweep_bytes(g);
}

static unsigned onesweep_items(const radix *r)
{
    const size_t tiles = r->from.length / (ONESWEEP_GROUP * ONESWEEP_ITEMS);
    const bool few = tiles < r->from.node->g->capabilities->compute_units / 2;
    return few && (r->order->value || rounds_of(r) > 1) ? ONESWEEP_FEW_ITEMS : ONESWEEP_ITEMS;
}

static gpu_status count_digits(const radix *r)
{
    const gpu *g = r->from.node->g;
    fp_plan *plan;
    radix counting = *r;
    counting.items_per_thread = HISTOGRAM_ITEMS;
    gpu_status status = plan_begin(&plan, &counting, "sort_radix_histogram");
    if (status) return status;
    const uint64_t from = FP_TICKETS, words = FP_DIGITS * r->tiles;
    const fp_arg args[] = {{.buffer = g->ticket},
                           {FP_ARG_VALUE(from)},
                           {.buffer = r->begins->buffer},
                           {.buffer = r->tile_status->buffer},
                           {FP_ARG_VALUE(words)}};
    size_t groups;
    fp_chunk_of(r->from.length, (size_t)r->group * HISTOGRAM_ITEMS, g->policy.resident / r->group, &groups);
    return fp_plan_launch(plan, args, 5, groups, r->group);
}

static gpu_status onesweep_digit(const radix *r, uint32_t pass, const fp_node *to)
{
    fp_plan *plan;
    gpu_status status = plan_begin(&plan, r, "sort_radix_onesweep");
    if (status) return status;
    fp_sorted_slots(plan, r->request, to);
    fp_plan_slot(plan, "FP_ROUNDS", rounds_of(r));
    fp_plan_name(plan, "FP_MOVED", r->order->value ? r->order->value : r->order->key);
    fp_plan_slot(plan, "FP_TICKETS", !r->from.node->g->policy.in_order);
    const uint32_t number = 1 + 2 * pass;
    fp_arg args[5 + FP_SORTED_ARGS] = {{FP_ARG_VALUE(pass)},
                                       {.buffer = r->from.node->g->ticket},
                                       {.buffer = r->begins->buffer},
                                       {.buffer = r->tile_status->buffer},
                                       {FP_ARG_VALUE(number)}};
    return fp_plan_launch(plan, args, 5 + fp_sorted_args(r->request, to, args + 5), r->tiles, r->group);
}

/* ---- digit by digit ---- */

/* Makes a temporary of pairs in two buffers. With keys side by side, half the bytes are read to rank them. */
static fp_node *make_pairs(const radix *r)
{
    gpu *g = r->from.node->g;
    fp_node *keys = fp_temporary(g, r->order->key, r->from.length, r->from.count);
    fp_node *values = keys ? fp_temporary(g, r->order->value, r->from.length, r->from.count) : NULL;
    fp_node *pairs = values ? fp_pairs(keys, values) : NULL;
    fp_node_drop(keys);
    fp_node_drop(values);
    return pairs;
}

static gpu_status make_temporary(const radix *r, fp_node **out)
{
    const bool in_two = r->tile_status && r->order->value;
    return in_two ? fp_node_give(make_pairs(r), out) : fp_sort_step(r->request, false, out);
}

/* Makes the output of a pass. Passes in the middle swap two temporaries. */
static gpu_status make_output(radix *r, uint32_t pass, fp_node **to)
{
    fp_node **moved = &r->moved[pass % 2];
    const bool last = pass + 1 == passes_of(r);
    if (last) fp_node_drop(*moved);
    if (last) *moved = NULL;
    gpu_status status = GPU_OK;
    if (last || !*moved) status = last ? fp_sort_step(r->request, true, moved) : make_temporary(r, moved);
    *to = *moved;
    return status;
}

/* Each pass reads what the one before it has moved. The last pass fills the outputs. */
static gpu_status sort_digits(radix *r)
{
    gpu_status status = GPU_OK;
    for (uint32_t pass = 0; pass < passes_of(r) && !status; pass++) {
        fp_node *to = NULL;
        status = make_output(r, pass, &to);
        if (!status) status = r->tile_status ? onesweep_digit(r, pass, to) : move_digit(r, pass, to);
        if (to) r->from = fp_node_made(to);
    }
    return status;
}

static gpu_status sort_by_counts(radix *r)
{
    const fp_policy *policy = &r->from.node->g->policy;
    choose_tiles(r, fp_group_of(policy, policy->tile_group), MOST_ITEMS_PER_THREAD, r->from.node->type->size,
                 policy->tile, 1);
    gpu_status status = fp_operator_bind_own(r->from.node->g, "a + b", NULL, &r->add);
    if (!status) status = sort_digits(r);
    fp_operator_drop(r->add);
    fp_node_drop(r->differ);
    return status;
}

static gpu_status sort_by_onesweep(radix *r)
{
    gpu *g = r->from.node->g;
    choose_tiles(r, ONESWEEP_GROUP, onesweep_items(r), staged_bytes(r->order), onesweep_bytes(g), rounds_of(r));
    r->begins = fp_temporary(g, GPU_UINT, passes_of(r) * FP_DIGITS + 1, NULL);
    if (r->begins) r->tile_status = fp_temporary(g, GPU_ULONG, r->tiles * FP_DIGITS, NULL);
    gpu_status status = r->tile_status ? count_digits(r) : fp_last_status();
    if (!status) status = sort_digits(r);
    fp_node_drop(r->begins);
    fp_node_drop(r->tile_status);
    return status;
}

/* The last digit's pass applies the epilogue. */
static gpu_status launch(fp_request *request)
{
    const fp_ready *input = &request->input;
    radix r = {.from = *input, .request = request, .order = request->order};
    const bool onesweep = can_onesweep(input->node->g, input->length, r.order);
    gpu_status status = onesweep ? sort_by_onesweep(&r) : sort_by_counts(&r);
    fp_node_drop(r.moved[0]);
    fp_node_drop(r.moved[1]);
    return status;
}

const fp_primitive fp_sort_radix = {.name = "radix", .launch = launch, FP_SORT_COMPARES};
