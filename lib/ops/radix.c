/* Radix sort: from the last 8 bits of the keys to the first, each time counted, scanned and moved. */
#include "array/plan.h"
#include "base/error.h"
#include "ops/order.h"
#include "ops/scan.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

/* Elements of a GPU's work-item at most: a bit stands for each in 32. */
enum { MOST_PART = 16 };

typedef struct radix {
    fp_node *from;
    const fp_order *order;
    fp_operator *add;
    gpu_type count; /* the type of counts */
    unsigned group;
    unsigned part;
    uint64_t share; /* elements of a tile */
    size_t tiles;
} radix;

static void choose_tiles(radix *r)
{
    const fp_policy *policy = &r->from->g->policy;
    size_t n = r->from->length, size = r->from->type->size;
    r->count = n <= UINT32_MAX ? GPU_UINT : GPU_ULONG;
    r->group = 1;
    if (policy->cpu) {
        r->share = fp_share(n, policy->least_chunk, policy->most_chunks, &r->tiles);
        return;
    }
    r->group = policy->group < policy->tile_group ? policy->group : policy->tile_group;
    while (r->group > policy->warp && r->group * size > policy->tile) r->group /= 2;
    r->part = MOST_PART;
    while (r->part > 1 && r->group * r->part * size > policy->tile) r->part /= 2;
    r->share = (uint64_t)r->group * r->part;
    r->tiles = n / r->share + (n % r->share != 0);
}

static gpu_type bits_of(gpu_type key)
{
    switch (key->size) {
    case 1:
        return GPU_UCHAR;
    case 2:
        return GPU_USHORT;
    case 4:
        return GPU_UINT;
    default:
        return GPU_ULONG;
    }
}

/* One of the two kernels of a digit, that has places or counts for its own argument and, if it moves, an output. */
static gpu_status launch(const radix *r, const char *template, uint32_t shift, fp_buffer *counts, fp_buffer *out)
{
    const fp_policy *policy = &r->from->g->policy;
    const fp_order *order = r->order;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, template, r->from->type, r->from);
    if (status) return status;
    fp_plan_name(plan, "FP_KEY", order->key);
    fp_plan_name(plan, "FP_BITS", bits_of(order->key));
    fp_plan_name(plan, "FP_COUNT", r->count);
    fp_plan_slot(plan, "FP_KEYED", order->keyed);
    fp_plan_slot(plan, "FP_DESCENDING", order->descending);
    fp_plan_slot(plan, "FP_FLOATING", order->key->kind == GPU_KIND_FLOATING);
    fp_plan_slot(plan, "FP_SIGNED", order->key->kind == GPU_KIND_SIGNED);
    if (!policy->cpu) {
        fp_plan_slot(plan, "FP_PART", r->part);
        fp_plan_slot(plan, "FP_ORDERED", true);
        fp_plan_slot(plan, "FP_WARP", policy->warp);
    }
    const fp_arg args[] = {{.value = &shift, .bytes = sizeof shift},
                           {.value = &r->share, .bytes = sizeof r->share},
                           {.buffer = counts},
                           {.buffer = out}};
    return fp_plan_launch(plan, args, out ? 4 : 3, r->tiles, r->group);
}

/* Where the first element with each digit goes, of each tile. */
static fp_node *find_places(const radix *r, uint32_t shift)
{
    gpu *g = r->from->g;
    const uint64_t zero = 0;
    size_t length = DIGITS * r->tiles;
    fp_buffer *counts;
    if (fp_buffer_new(g->device, length * r->count->size, &counts)) return NULL;
    fp_node *node = fp_node_buffer(g, r->count, length, counts, 0), *places = NULL;
    if (node && !launch(r, "radix_count", shift, counts, NULL)) places = fp_scan(node, r->add, &zero);
    fp_buffer_drop(counts);
    fp_node_drop(node);
    return places;
}

static gpu_status move(const radix *r, uint32_t shift, fp_buffer *out)
{
    fp_node *places = find_places(r, shift);
    gpu_status status = places ? launch(r, "radix_move", shift, places->buffer, out) : fp_last_status();
    fp_node_drop(places);
    return status;
}

/* The elements of r->from, in order by the digit at `shift`, as a new node that takes its place. */
static gpu_status sort_digit(radix *r, uint32_t shift)
{
    fp_node *from = r->from;
    fp_buffer *out = NULL;
    gpu_status status = fp_elements_new(from->g, from->type, from->length, &out);
    if (!status) status = move(r, shift, out);
    fp_node *sorted = status ? NULL : fp_node_result(from->type, from->length, out, fp_node_count(from), from, NULL);
    fp_buffer_drop(out);
    if (!sorted) return fp_last_status();
    fp_node_drop(from);
    r->from = sorted;
    return GPU_OK;
}

fp_node *fp_sort_radix(fp_node *node, const fp_order *order)
{
    radix r = {.from = fp_node_keep(node), .order = order};
    const gpu_operator add = {.snippet = "a + b"};
    choose_tiles(&r);
    gpu_status status = fp_operator_bind(node->g, &add, &(fp_role){"gpu_sort", 2, false, true}, &r.add);
    for (uint32_t shift = 0; shift < 8 * order->key->size && !status; shift += DIGIT_BITS)
        status = sort_digit(&r, shift);
    fp_operator_free(r.add);
    if (!status) return r.from;
    fp_node_drop(r.from);
    return NULL;
}
