#include "array/lookback.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* The flags' buffer, cleared once: launches have numbers, and a flag that holds an older one counts as not set. */
static gpu_status clear_flags(gpu *g, size_t bytes)
{
    void *zeros = fp_alloc(bytes);
    if (!zeros) return fp_fail_memory();
    gpu_status status = fp_buffer_upload(g->flags, 0, zeros, bytes);
    fp_free(zeros);
    g->launches = 0;
    return status;
}

static gpu_status make_flags(gpu *g, size_t cells)
{
    size_t bytes = cells * sizeof(uint64_t);
    bool enough = g->flags && fp_buffer_bytes(g->flags) >= bytes;
    if (enough && g->launches < UINT32_MAX) return GPU_OK;
    if (!enough) {
        fp_buffer *flags;
        gpu_status status = fp_buffer_new(g->device, bytes, &flags);
        if (status) return status;
        fp_buffer_drop(g->flags);
        g->flags = flags;
    }
    gpu_status status = clear_flags(g, fp_buffer_bytes(g->flags));
    if (!status) return GPU_OK;
    fp_buffer_drop(g->flags);
    g->flags = NULL;
    return status;
}

/* A tile's elements stand in local memory, and of each item the total of its part and what it looks back on. */
static void choose_tile(const fp_policy *policy, size_t staged, bool odd, fp_lookback *out)
{
    unsigned group = policy->group < policy->tile_group ? policy->group : policy->tile_group;
    while (group > 1 && 3 * group * staged > 2 * policy->tile) group /= 2;
    unsigned part = policy->tile_part;
    while (part > 1 && group * part * staged > policy->tile) part /= 2;
    out->group = group;
    out->part = odd && part > 1 ? part - 1 : part;
    out->share = (uint64_t)group * out->part;
}

gpu_status fp_lookback_begin(gpu *g, size_t length, size_t staged, bool odd, size_t size, fp_lookback *out)
{
    const fp_policy *policy = &g->policy;
    *out = (fp_lookback){.group = 1, .size = size};
    if (policy->cpu) {
        size_t share = policy->tile / staged;
        out->share = share > policy->least_chunk ? share : policy->least_chunk;
    } else {
        choose_tile(policy, staged, odd, out);
    }
    out->tiles = length / out->share + (length % out->share != 0);
    size_t cells = out->tiles + out->tiles / out->group + 1;
    gpu_status status = make_flags(g, cells);
    if (!status && size > sizeof(uint32_t)) status = fp_buffer_new(g->device, cells * size, &out->values);
    if (!status) out->launch = ++g->launches;
    return status;
}

void fp_lookback_end(fp_lookback *lookback)
{
    fp_buffer_drop(lookback->values);
}

unsigned fp_lookback_sweeps(const gpu *g)
{
    return g->policy.look_back ? 1 : 2;
}

void fp_lookback_slots(fp_plan *plan, const fp_lookback *lookback, bool start, unsigned sweep)
{
    const fp_policy *policy = &plan->g->policy;
    fp_plan_slot(plan, "FP_PACKED", lookback->size <= sizeof(uint32_t));
    fp_plan_slot(plan, "FP_START", start);
    if (policy->cpu) return;
    fp_plan_slot(plan, "FP_SWEEP", policy->look_back ? 0 : sweep + 1);
    fp_plan_slot(plan, "FP_PART", lookback->part);
    fp_plan_slot(plan, "FP_ORDERED", true);
    bool warps = lookback->size <= FP_MOST_SHUFFLED && lookback->group >= policy->warp;
    fp_plan_slot(plan, "FP_WARP", warps ? policy->warp : 1);
}

unsigned fp_lookback_args(const gpu *g, const fp_lookback *lookback, fp_arg *out)
{
    const fp_arg args[FP_LOOKBACK_ARGS] = {{.buffer = g->flags},
                                           {.buffer = lookback->values ? lookback->values : g->flags},
                                           {.value = &lookback->launch, .bytes = sizeof lookback->launch},
                                           {.buffer = g->ticket},
                                           {.value = &lookback->share, .bytes = sizeof lookback->share}};
    memcpy(out, args, sizeof args);
    return g->policy.cpu ? FP_LOOKBACK_ARGS : FP_LOOKBACK_ARGS - 1;
}
