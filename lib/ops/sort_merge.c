/* Merge sort: runs, then pairs of runs. gpu_merge is its last step alone. */
#include "base/error.h"
#include "ops/order.h"
#include "planning/eval.h"
#include "planning/execute.h"
#include "planning/plan.h"

/* CPU: elements that insertion sorts fastest, and those of a run at least: fewer are not worth handing out. */
enum { INSERTED = 16, LEAST_RUN = 1024 };

/* GPU: a group sorts or merges a tile in local memory. A shape is the work-items of a group, and the bytes of an item's
 * elements. A sort takes the first shape whose tile holds all elements, else the last. Larger groups, and more elements
 * to an item, wait longer for local memory. The last tile is large, so that elements go through memory fewer times. It
 * is held in registers. */
static const struct {
    unsigned group, bytes_per_thread;
} tile_shapes[] = {{512, 36}, {1024, 20}, {1024, 36}, {256, 68}};

/* GPU: items that look for a tile's bound together, and bounds of a group at most. */
enum { PROBES = 16, BOUNDS = 8 };

/* GPU: a group merges several tiles, whose bounds it finds at the same time, if the device is then left this many
 * groups for each that it holds at once. */
enum { GROUPS_QUEUED = 2 };

/* GPU: work-items of a group that shares nothing. */
enum { GROUP = 128 };

/* The elements go from array to array, and at last into the result. */
typedef struct merging {
    fp_request *request;
    const fp_node *node; /* the elements to sort */
    size_t length;       /* their number */
    const fp_order *order;
    unsigned group; /* GPU: work-items of a tile, and elements of each */
    unsigned items_per_thread;
    uint64_t run; /* elements of the runs that are sorted first; GPU: of a tile */
    fp_node *from;
    fp_counter counter; /* where the kernels say that the order contradicts itself */
} merging;

/* An odd number of elements for an item, of about this many bytes. */
static unsigned odd_items_per_thread(const merging *m, size_t bytes)
{
    unsigned most = m->node->g->policy.tile_items_per_thread;
    size_t items_per_thread = bytes / m->node->type->size;
    return 1 | (items_per_thread < most ? (unsigned)items_per_thread : most);
}

static void choose_tile(merging *m, bool sorts)
{
    const fp_policy *policy = &m->node->g->policy;
    const size_t size = m->node->type->size;
    const size_t shapes = sizeof tile_shapes / sizeof *tile_shapes;
    bool holds_all = false;
    for (size_t k = sorts ? 0 : shapes - 1; k < shapes && !holds_all; k++) {
        m->group = fp_group_of(policy, tile_shapes[k].group);
        m->items_per_thread = odd_items_per_thread(m, tile_shapes[k].bytes_per_thread);
        m->run = (uint64_t)m->group * m->items_per_thread;
        holds_all = m->length <= m->run && m->run * size <= policy->tile;
    }
    for (; m->group > 2 && m->run * size > policy->tile; m->run /= 2) m->group /= 2;
}

static void choose_runs(merging *m)
{
    const gpu *g = m->node->g;
    size_t each = fp_ceiling(m->length, 2 * g->capabilities->compute_units);
    size_t most = g->policy.tile / 2 / m->node->type->size;
    m->group = 1;
    m->run = INSERTED;
    while (2 * m->run <= most && (m->run < LEAST_RUN || m->run < each)) m->run *= 2;
}

static gpu_status plan_begin(fp_plan **plan, const merging *m, const char *template, const fp_ready *from,
                             const fp_node *to)
{
    gpu_status status = fp_plan_begin(plan, template, m->node->type, from);
    if (status) return status;
    fp_plan_name(*plan, "FP_KEY", m->order->key);
    fp_sorted_slots(*plan, m->request, to);
    return GPU_OK;
}

/* On a CPU the elements of a run go back and forth between `to` and `other`; if they are not stored as they are, inside
 * `other`. */
static bool is_staged(const merging *m, const fp_node *to)
{
    return !to && (m->order->value || m->request->epilogue);
}

static gpu_status launch_runs(const merging *m, fp_buffer *other, const fp_node *to)
{
    fp_plan *plan;
    gpu_status status = plan_begin(&plan, m, "sort_merge_runs", &m->request->input, to);
    if (status) return status;
    fp_order_slots(plan, m->order);
    const bool cpu = m->node->g->policy.cpu;
    if (cpu) fp_plan_slot(plan, "FP_RUN", INSERTED);
    if (cpu) fp_plan_slot(plan, "FP_STAGED", is_staged(m, to));
    if (!cpu) fp_plan_slot(plan, "FP_ITEMS_PER_THREAD", m->items_per_thread);
    fp_arg args[2 + FP_SORTED_ARGS] = {{FP_ARG_VALUE(m->run)}, {.buffer = other}};
    unsigned own = cpu ? 2 : 0;
    return fp_plan_launch(plan, args, own + fp_sorted_args(m->request, to, args + own), fp_ceiling(m->length, m->run),
                          m->group);
}

static gpu_status sort_runs(const merging *m, const fp_node *to)
{
    gpu *g = m->node->g;
    if (!g->policy.cpu) return launch_runs(m, NULL, to);
    fp_node *other = fp_temporary(g, m->node->type, is_staged(m, to) ? 2 * m->length : m->length, NULL);
    gpu_status status = other ? launch_runs(m, other->buffer, to) : fp_last_status();
    fp_node_drop(other);
    return status;
}

/* How items of a GPU's group share the search for the bounds of its tiles; returns the tiles. */
static uint64_t choose_bounds(const merging *m, fp_plan *plan)
{
    unsigned probes = m->group < 4 * PROBES ? (m->group + 3) / 4 : PROBES, bounds = m->group / probes;
    if (bounds > BOUNDS) bounds = BOUNDS;
    fp_plan_slot(plan, "FP_ITEMS_PER_THREAD", m->items_per_thread);
    fp_plan_slot(plan, "FP_PROBES", probes);
    fp_plan_slot(plan, "FP_BOUNDS", bounds);
    size_t queued = GROUPS_QUEUED * fp_ceiling(m->node->g->policy.resident, m->group);
    size_t tiles = fp_ceiling(m->length, m->run) / queued;
    return tiles < 1 ? 1 : tiles < bounds ? tiles : bounds - 1;
}

/* `two`: runs of any lengths, the left one of `width` elements. */
static gpu_status merge(const merging *m, const fp_ready *from, uint64_t width, bool two, const fp_node *to)
{
    fp_plan *plan;
    gpu_status status = plan_begin(&plan, m, "sort_merge", from, to);
    if (status) return status;
    fp_order_slots(plan, m->order);
    fp_plan_slot(plan, "FP_TWO", two);
    bool cpu = m->node->g->policy.cpu;
    uint64_t tiles = cpu ? 1 : choose_bounds(m, plan), chunk = cpu ? m->run : tiles;
    const uint64_t counter = 2 * m->counter.index;
    fp_arg args[4 + FP_SORTED_ARGS] = {{FP_ARG_VALUE(width)},
                                       {FP_ARG_VALUE(chunk)},
                                       {.buffer = fp_counter_buffer(m->counter)},
                                       {FP_ARG_VALUE(counter)}};
    return fp_plan_launch(plan, args, 4 + fp_sorted_args(m->request, to, args + 4),
                          fp_ceiling(m->length, tiles * m->run), m->group);
}

/* All elements of the input, if the order contradicted itself. */
static gpu_status restore(const merging *m)
{
    const fp_policy *policy = &m->node->g->policy;
    fp_plan *plan;
    gpu_status status = plan_begin(&plan, m, "sort_merge_restore", &m->request->input, NULL);
    if (status) return status;
    size_t groups;
    unsigned group = fp_group_of(policy, GROUP);
    uint64_t chunk = policy->cpu ? fp_chunk_of(m->length, policy->least_chunk, policy->most_chunks, &groups)
                                 : fp_chunk_of(m->length, group, policy->resident / group, &groups);
    const uint64_t counter = 2 * m->counter.index;
    fp_arg args[3 + FP_SORTED_ARGS] = {
        {FP_ARG_VALUE(chunk)}, {.buffer = fp_counter_buffer(m->counter)}, {FP_ARG_VALUE(counter)}};
    return fp_plan_launch(plan, args, 3 + fp_sorted_args(m->request, NULL, args + 3), groups, group);
}

static gpu_status merge_runs(const merging *m, uint64_t width, const fp_node *to)
{
    const fp_ready from = fp_node_made(m->from);
    return merge(m, &from, width, false, to);
}

/* Sorts runs, for a width of 0, or merges runs of `width`. The new array takes the place of m->from; in the last step
 * it is the result. */
static gpu_status step(merging *m, uint64_t width, bool last)
{
    fp_node *to = NULL;
    gpu_status status = fp_sort_step(m->request, last, &to);
    if (!status) status = width ? merge_runs(m, width, to) : sort_runs(m, to);
    fp_node_drop(m->from);
    m->from = to;
    return status;
}

static gpu_status sort(merging *m)
{
    size_t n = m->length;
    bool last = m->run >= n;
    gpu_status status = step(m, 0, last);
    for (uint64_t width = m->run; !last && !status; width *= 2) {
        last = 2 * width >= n;
        status = step(m, width, last);
    }
    if (!status && m->run < n && !m->order->natural) status = restore(m);
    return status;
}

static gpu_status begin(fp_request *r, bool sorts, merging *out)
{
    *out = (merging){.request = r, .node = r->input.node, .length = r->input.length, .order = r->order};
    if (out->node->g->policy.cpu) choose_runs(out);
    if (!out->node->g->policy.cpu) choose_tile(out, sorts);
    return fp_counter_new(out->node->g, true, &out->counter);
}

/* The last step applies the epilogue, and so does what restores after it. */
static gpu_status launch(fp_request *r)
{
    merging m;
    gpu_status status = begin(r, true, &m);
    if (status) return status;
    status = sort(&m);
    fp_counter_free(m.counter, r->order->natural || m.run >= m.length);
    fp_node_drop(m.from);
    return status;
}

const fp_primitive fp_sort_merge = {.name = "merge", .launch = launch, FP_SORT_COMPARES};

/* ---- two arrays ---- */

/* Arrays that are not sorted may set the counter. */
static gpu_status launch_two(fp_request *r)
{
    merging m;
    gpu_status status = begin(r, false, &m);
    if (status) return status;
    status = merge(&m, &r->input, r->number, true, NULL);
    fp_counter_free(m.counter, false);
    return status;
}

/* The host sorts both arrays together, which has the same result. */
const fp_primitive fp_merge_two = {.name = "merge two", .launch = launch_two, .run = fp_host_sort, .decides = true};
