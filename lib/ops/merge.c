/* Merge sort: runs, then pairs of runs. */
#include "array/plan.h"
#include "base/error.h"
#include "ops/order.h"

/* CPU: elements that insertion sorts fastest, and those of a run at least: fewer are not worth handing out. */
enum { INSERTED = 16, LEAST_RUN = 1024 };

/* GPU: a tile is what a group sorts or merges in local memory. Its work-items at most, and the bytes of an item's elements. The
 * larger the tile, the fewer times all elements go through memory; but they are held in registers. */
enum { TILE_GROUP = 256, PART_BYTES = 68 };

/* GPU: all elements that fit into one tile of as many items as a group can have are sorted soonest by few to an item. */
enum { ONE_TILE_BYTES = 20 };

/* GPU: items that look for a tile's bound together, and bounds of a group at most. */
enum { PROBES = 16, BOUNDS = 8 };

/* GPU: a group merges several tiles, whose bounds are looked for at the same time, as long as there are so many groups for each that
 * the device holds at once. */
enum { GROUPS_QUEUED = 2 };

/* GPU: work-items of a group that shares nothing. */
enum { GROUP = 128 };

/* The elements go back and forth between two buffers. */
typedef struct merging {
    fp_node *input;
    const fp_order *order;
    unsigned group; /* GPU: work-items of a tile, and elements of each */
    unsigned part;
    uint64_t run; /* elements of the runs that are sorted first; GPU: of a tile */
    fp_node *from;
    fp_node *to;
    fp_cell cell; /* where the kernels say that the order contradicts itself */
} merging;

static size_t ceiling(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

/* An odd number of elements for an item, of about so many bytes. */
static unsigned odd_part(const merging *m, size_t bytes)
{
    unsigned most = m->input->g->policy.tile_part;
    size_t part = bytes / m->input->type->size;
    return 1 | (part < most ? (unsigned)part : most);
}

static void choose_tile(merging *m)
{
    const gpu *g = m->input->g;
    const fp_policy *policy = &g->policy;
    size_t size = m->input->type->size, bytes = policy->tile;
    m->group = policy->group;
    m->part = odd_part(m, ONE_TILE_BYTES);
    if (m->input->length > (size_t)m->group * m->part || m->group * m->part * size > bytes) {
        m->group = policy->group < TILE_GROUP ? policy->group : TILE_GROUP;
        m->part = odd_part(m, PART_BYTES);
    }
    while (m->group > 2 && m->group * m->part * size > bytes) m->group /= 2;
    m->run = (uint64_t)m->group * m->part;
}

static void choose_runs(merging *m)
{
    const gpu *g = m->input->g;
    size_t each = ceiling(m->input->length, 2 * g->facts->compute_units);
    size_t most = g->policy.tile / 2 / m->input->type->size;
    m->group = 1;
    m->run = INSERTED;
    while (2 * m->run <= most && (m->run < LEAST_RUN || m->run < each)) m->run *= 2;
}

static gpu_status launch_runs(const merging *m)
{
    bool cpu = m->input->g->policy.cpu;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "sort_runs", m->input->type, m->input);
    if (status) return status;
    fp_order_slots(plan, m->order);
    const fp_arg on_cpu[] = {
        {.value = &m->run, .bytes = sizeof m->run}, {.buffer = m->to->buffer}, {.buffer = m->from->buffer}};
    const fp_arg on_gpu[] = {{.buffer = m->to->buffer}};
    if (cpu) fp_plan_slot(plan, "FP_RUN", INSERTED);
    if (!cpu) fp_plan_slot(plan, "FP_PART", m->part);
    return fp_plan_launch(plan, cpu ? on_cpu : on_gpu, cpu ? 3 : 1, ceiling(m->input->length, m->run), m->group);
}

/* How items of a GPU's group share the search for the bounds of its tiles; returns the tiles. */
static uint64_t choose_bounds(const merging *m, fp_plan *plan)
{
    unsigned probes = m->group < 4 * PROBES ? (m->group + 3) / 4 : PROBES, bounds = m->group / probes;
    if (bounds > BOUNDS) bounds = BOUNDS;
    fp_plan_slot(plan, "FP_PART", m->part);
    fp_plan_slot(plan, "FP_PROBES", probes);
    fp_plan_slot(plan, "FP_BOUNDS", bounds);
    size_t queued = GROUPS_QUEUED * ceiling(m->input->g->policy.resident, m->group);
    size_t tiles = ceiling(m->input->length, m->run) / queued;
    return tiles < 1 ? 1 : tiles < bounds ? tiles : bounds - 1;
}

static gpu_status launch_merge(const merging *m, uint64_t width)
{
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "merge", m->input->type, m->from);
    if (status) return status;
    fp_order_slots(plan, m->order);
    bool cpu = m->input->g->policy.cpu;
    uint64_t tiles = cpu ? 1 : choose_bounds(m, plan), share = cpu ? m->run : tiles;
    const uint64_t cell = 2 * m->cell.index;
    const fp_arg args[] = {{.value = &width, .bytes = sizeof width},
                           {.value = &share, .bytes = sizeof share},
                           {.buffer = fp_cell_buffer(m->cell)},
                           {.value = &cell, .bytes = sizeof cell},
                           {.buffer = m->to->buffer}};
    return fp_plan_launch(plan, args, 5, ceiling(m->input->length, tiles * m->run), m->group);
}

/* All elements of the input, if the order contradicted itself. */
static gpu_status launch_restore(const merging *m)
{
    const fp_policy *policy = &m->input->g->policy;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "sort_restore", m->input->type, m->input);
    if (status) return status;
    size_t groups;
    unsigned group = policy->cpu ? 1 : policy->group < GROUP ? policy->group : GROUP;
    uint64_t share = policy->cpu ? fp_share(m->input->length, policy->least_chunk, policy->most_chunks, &groups)
                                 : fp_share(m->input->length, group, policy->resident / group, &groups);
    const uint64_t cell = 2 * m->cell.index;
    const fp_arg args[] = {{.value = &share, .bytes = sizeof share},
                           {.buffer = fp_cell_buffer(m->cell)},
                           {.value = &cell, .bytes = sizeof cell},
                           {.buffer = m->to->buffer}};
    return fp_plan_launch(plan, args, 4, groups, group);
}

static void swap(merging *m)
{
    fp_node *sorted = m->to;
    m->to = m->from;
    m->from = sorted;
}

static gpu_status sort(merging *m)
{
    gpu_status status = launch_runs(m);
    for (uint64_t width = m->run; width < m->input->length && !status; width *= 2) {
        swap(m);
        status = launch_merge(m, width);
    }
    if (!status && m->run < m->input->length && !m->order->natural) status = launch_restore(m);
    return status;
}

static fp_node *new_buffer(const merging *m)
{
    fp_buffer *buffer;
    if (fp_elements_new(m->input->g, m->input->type, m->input->length, &buffer)) return NULL;
    fp_node *node =
        fp_node_result(m->input->type, m->input->length, buffer, fp_node_count(m->input), m->input, m->order->less);
    fp_buffer_drop(buffer);
    return node;
}

fp_node *fp_sort_merge(fp_node *node, const fp_order *order)
{
    merging m = {.input = node, .order = order};
    if (node->g->policy.cpu) choose_runs(&m);
    if (!node->g->policy.cpu) choose_tile(&m);
    if (fp_cell_new(node->g, true, &m.cell)) return NULL;
    m.to = new_buffer(&m);
    m.from = m.to ? new_buffer(&m) : NULL;
    gpu_status status = m.from ? sort(&m) : fp_last_status();
    fp_cell_free(m.cell, order->natural || m.run >= node->length);
    fp_node_drop(m.from);
    if (!status) return m.to;
    fp_node_drop(m.to);
    return NULL;
}
