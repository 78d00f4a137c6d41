/* Merge sort: runs, then pairs of runs. */
#include "array/plan.h"
#include "base/error.h"
#include "ops/order.h"

/* Elements that insertion sorts fastest, of a CPU's work-item; and of a GPU's at most. */
enum { INSERTED = 16, MOST_PART = 8 };

/* A CPU's runs have so many elements at least: fewer are not worth handing out. */
enum { LEAST_RUN = 1024 };

/* Elements that a GPU's work-item merges, and work-items of a group that shares nothing. */
enum { MERGED = 8, GROUP = 128 };

/* The elements go back and forth between two buffers. */
typedef struct merging {
    fp_node *input;
    const fp_order *order;
    unsigned group; /* of sort_runs */
    unsigned part;
    uint64_t run; /* elements, a power of two times `part` */
    fp_node *from;
    fp_node *to;
    fp_cell cell; /* where the kernels say that the order contradicts itself */
} merging;

static size_t ceiling(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

static void choose_runs(merging *m)
{
    const gpu *g = m->input->g;
    const fp_policy *policy = &g->policy;
    size_t size = m->input->type->size;
    m->group = 1;
    if (policy->cpu) {
        size_t each = ceiling(m->input->length, 2 * g->facts->compute_units), most = policy->tile / 2 / size;
        m->run = INSERTED;
        while (2 * m->run <= most && (m->run < LEAST_RUN || m->run < each)) m->run *= 2;
        return;
    }
    m->group = policy->group < policy->tile_group ? policy->group : policy->tile_group;
    while (m->group > 1 && m->group * size > policy->tile) m->group /= 2;
    m->part = MOST_PART;
    while (m->part > 1 && m->group * m->part * size > policy->tile) m->part /= 2;
    m->run = (uint64_t)m->group * m->part;
}

static gpu_status launch_runs(const merging *m)
{
    const gpu *g = m->input->g;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "sort_runs", m->input->type, m->input);
    if (status) return status;
    fp_order_slots(plan, m->order);
    const uint64_t cell = 2 * m->cell.index;
    const fp_arg on_cpu[] = {
        {.value = &m->run, .bytes = sizeof m->run}, {.buffer = m->to->buffer}, {.buffer = m->from->buffer}};
    const fp_arg on_gpu[] = {
        {.buffer = fp_cell_buffer(m->cell)}, {.value = &cell, .bytes = sizeof cell}, {.buffer = m->to->buffer}};
    if (g->policy.cpu) fp_plan_slot(plan, "FP_RUN", INSERTED);
    if (!g->policy.cpu) fp_plan_slot(plan, "FP_PART", m->part);
    return fp_plan_launch(plan, g->policy.cpu ? on_cpu : on_gpu, 3, ceiling(m->input->length, m->run), m->group);
}

static gpu_status launch_merge(const merging *m, uint64_t width)
{
    const fp_policy *policy = &m->input->g->policy;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "merge", m->input->type, m->from);
    if (status) return status;
    fp_order_slots(plan, m->order);
    uint64_t share = policy->cpu ? m->run : m->run < MERGED ? m->run : MERGED;
    const uint64_t cell = 2 * m->cell.index;
    unsigned group = policy->cpu ? 1 : policy->group < GROUP ? policy->group : GROUP;
    const fp_arg args[] = {{.value = &width, .bytes = sizeof width},
                           {.value = &share, .bytes = sizeof share},
                           {.buffer = fp_cell_buffer(m->cell)},
                           {.value = &cell, .bytes = sizeof cell},
                           {.buffer = m->to->buffer}};
    return fp_plan_launch(plan, args, 5, ceiling(m->input->length, share * group), group);
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
    bool merged = !m->input->g->policy.cpu || m->run < m->input->length;
    if (!status && merged && !m->order->natural) status = launch_restore(m);
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
    choose_runs(&m);
    if (fp_cell_new(node->g, true, &m.cell)) return NULL;
    m.to = new_buffer(&m);
    m.from = m.to ? new_buffer(&m) : NULL;
    gpu_status status = m.from ? sort(&m) : fp_last_status();
    fp_cell_free(m.cell, order->natural);
    fp_node_drop(m.from);
    if (!status) return m.to;
    fp_node_drop(m.to);
    return NULL;
}
