#include "planning/lookback.h"

#include "base/error.h"

#include <string.h>

/* The status words are cleared once: launches have numbers, and a word with an older number counts as not set. */
static gpu_status clear(fp_tile_status *tile_status)
{
    tile_status->launches = 0;
    return fp_buffer_clear(tile_status->buffer);
}

static gpu_status make_tile_status(const gpu *g, fp_tile_status *tile_status, size_t bytes)
{
    bool enough = tile_status->buffer && fp_buffer_bytes(tile_status->buffer) >= bytes;
    if (enough && tile_status->launches < UINT32_MAX) return GPU_OK;
    if (!enough) {
        fp_buffer *buffer;
        gpu_status status = fp_buffer_new(g->device, bytes, &buffer);
        if (status) return status;
        fp_buffer_drop(tile_status->buffer);
        tile_status->buffer = buffer;
    }
    gpu_status status = clear(tile_status);
    if (!status) return GPU_OK;
    fp_buffer_drop(tile_status->buffer);
    tile_status->buffer = NULL;
    return status;
}

/* The elements of an item if larger tiles were fewer than the compute units. */
enum { FEW_ITEMS_PER_THREAD = 8 };

/* Local memory holds the elements of a tile and, for each item, its total and its look-back. */
static void choose_tile(const gpu *g, size_t length, size_t staged, bool odd, fp_lookback *out)
{
    const fp_policy *policy = &g->policy;
    unsigned group = fp_group_of(policy, policy->tile_group);
    while (group > 1 && (4 * group * out->size > policy->tile || group * (staged + 2 * out->size) > policy->tile))
        group /= 2;
    size_t items_per_thread = (policy->tile - 2 * group * out->size) / (group * staged),
           held = policy->tile_item / staged;
    if (items_per_thread > held) items_per_thread = held;
    if (items_per_thread > policy->tile_items_per_thread) items_per_thread = policy->tile_items_per_thread;
    if (items_per_thread > FEW_ITEMS_PER_THREAD && length / (group * items_per_thread) < g->capabilities->compute_units)
        items_per_thread = FEW_ITEMS_PER_THREAD;
    if (items_per_thread < 1) items_per_thread = 1;
    out->group = group;
    out->items_per_thread = (unsigned)(odd && items_per_thread % 2 == 0 ? items_per_thread - 1 : items_per_thread);
    out->chunk = (uint64_t)group * out->items_per_thread;
}

/* Note [packed]: a value beside its status word needs no fence. NVIDIA's devices read and write two words as one. Those
 * have a buffer of their own, so no value is taken for a status word. */
static unsigned words_of(const fp_policy *policy, size_t size)
{
    if (size <= sizeof(uint32_t)) return 1;
    return size <= sizeof(uint64_t) && !policy->cpu && policy->warp > 1 ? 2 : 0;
}

static void choose_shape(const gpu *g, size_t length, size_t staged, bool odd, size_t size, fp_lookback *out)
{
    const fp_policy *policy = &g->policy;
    *out = (fp_lookback){.group = 1, .size = size, .packed = words_of(policy, size)};
    if (policy->cpu) {
        size_t chunk = policy->tile / staged;
        out->chunk = chunk > policy->least_chunk ? chunk : policy->least_chunk;
    } else {
        choose_tile(g, length, staged, odd, out);
    }
    out->tiles = fp_ceiling(length, out->chunk);
}

static gpu_status begin(gpu *g, size_t length, size_t staged, bool odd, size_t size, fp_lookback *out)
{
    choose_shape(g, length, staged, odd, size, out);
    size_t local = g->policy.cpu ? 0 : out->group * (out->items_per_thread * staged + 2 * size);
    if (local > g->capabilities->local_bytes)
        return fp_fail(GPU_E_TYPE,
                       "elements are too large: one of them needs %zu bytes of local memory, and a work-group of this "
                       "device has %zu; use smaller elements, or indices of them",
                       local, g->capabilities->local_bytes);
    size_t states = out->tiles + out->tiles / out->group + 1;
    size_t words = out->packed == 2 ? 2 : 1;
    out->tile_status = &g->tile_status[words - 1];
    if (g->mode) return GPU_OK;
    gpu_status status = make_tile_status(g, out->tile_status, words * states * sizeof(uint64_t));
    if (!status && !out->packed) status = fp_buffer_new(g->device, states * size, &out->values);
    if (!status) out->launch = ++out->tile_status->launches;
    return status;
}

unsigned fp_lookback_passes(const gpu *g)
{
    return g->policy.look_back ? 1 : 2;
}

gpu_status fp_lookback_run(const fp_request *r, size_t staged, bool odd, size_t size, fp_launch_pass *launch)
{
    gpu *g = r->input.node->g;
    fp_lookback lookback;
    gpu_status status = begin(g, r->input.length, staged, odd, size, &lookback);
    for (unsigned k = 0; k < fp_lookback_passes(g) && !status; k++) status = launch(r, &lookback, k);
    fp_buffer_drop(lookback.values);
    return status;
}

static unsigned warp_of(const gpu *g, const fp_lookback *lookback)
{
    bool warps = lookback->size <= FP_MOST_SHUFFLED && lookback->group >= g->policy.warp;
    return warps ? g->policy.warp : 1;
}

void fp_lookback_slots(fp_plan *plan, const fp_lookback *lookback, bool start, unsigned pass)
{
    const fp_policy *policy = &plan->g->policy;
    fp_plan_slot(plan, "FP_PACKED", lookback->packed);
    fp_plan_slot(plan, "FP_START", start);
    if (policy->cpu) return;
    fp_plan_slot(plan, "FP_PASS", policy->look_back ? 0 : pass + 1);
    fp_plan_slot(plan, "FP_TICKETS", !policy->in_order);
    fp_plan_slot(plan, "FP_ITEMS_PER_THREAD", lookback->items_per_thread);
    fp_plan_slot(plan, "FP_ORDERED", true);
    fp_plan_slot(plan, "FP_WARP", warp_of(plan->g, lookback));
}

unsigned fp_lookback_args(const gpu *g, const fp_lookback *lookback, fp_arg *out)
{
    const fp_arg args[FP_LOOKBACK_ARGS] = {
        {.buffer = lookback->tile_status->buffer},
        {.buffer = lookback->values ? lookback->values : lookback->tile_status->buffer},
        {FP_ARG_VALUE(lookback->launch)},
        {.buffer = g->ticket},
        {FP_ARG_VALUE(lookback->chunk)}};
    memcpy(out, args, sizeof args);
    return g->policy.cpu ? FP_LOOKBACK_ARGS : FP_LOOKBACK_ARGS - 1;
}
