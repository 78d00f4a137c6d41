#include "planning/schedule.h"

#include "base/memory.h"
#include "expressions/chain.h"
#include "planning/elements.h"
#include "planning/lookback.h"
#include "planning/task.h"

void fp_schedule_begin(fp_schedule *s, gpu *g)
{
    *s = (fp_schedule){.g = g, .visit = ++g->serial};
    if (!g->schedule) return;
    s->facts = g->schedule->facts;
    s->fact_capacity = g->schedule->fact_capacity;
    s->steps = g->schedule->steps;
    s->capacity = g->schedule->capacity;
    *g->schedule = (fp_schedule){.g = NULL};
}

/* Keeps the larger memory. */
void fp_schedule_end(fp_schedule *s)
{
    gpu *g = s->g;
    if (!g->schedule) g->schedule = fp_alloc(sizeof *g->schedule);
    if (g->schedule && !g->schedule->facts && !g->schedule->steps) {
        *g->schedule = *s;
        return;
    }
    fp_free(s->facts);
    fp_free(s->steps);
}

void fp_schedules_free(gpu *g)
{
    if (!g->schedule) return;
    fp_free(g->schedule->facts);
    fp_free(g->schedule->steps);
    fp_free(g->schedule);
    g->schedule = NULL;
}

fp_fact *fp_schedule_fact(fp_schedule *s, fp_node *node)
{
    if (node->scheduled == s->visit) return &s->facts[node->fact];
    fp_fact *fact = FP_PUSH(s->facts, s->fact_count, s->fact_capacity);
    if (!fact) s->failed = true;
    if (!fact) return &s->none;
    *fact = (fp_fact){.consumer = node->consumer};
    node->scheduled = s->visit;
    node->fact = (unsigned)(s->fact_count - 1);
    return fact;
}

bool fp_schedule_is_buffer(fp_schedule *s, fp_node *node, unsigned steps)
{
    const unsigned made = fp_schedule_fact(s, node)->made;
    return node->kind == FP_NODE_BUFFER || (made && made <= steps);
}

static bool is_buffer(fp_schedule *s, fp_node *node)
{
    return fp_schedule_is_buffer(s, node, (unsigned)s->count);
}

bool fp_schedule_is_selection(fp_schedule *s, fp_node *node, unsigned steps)
{
    while (node->kind == FP_NODE_MAP && !fp_schedule_is_buffer(s, node, steps)) node = node->inputs[0];
    return fp_node_filters(node) && !fp_schedule_is_buffer(s, node, steps);
}

/* The task of a node, or below the maps that it is; NULL: none. The node's inputs are scheduled. */
static fp_node *task_below(fp_schedule *s, fp_node *node)
{
    while (node->kind == FP_NODE_MAP && !is_buffer(s, node)) node = node->inputs[0];
    return node->kind == FP_NODE_TASK && !is_buffer(s, node) ? node : NULL;
}

/* ---- steps ---- */

static void add_step(fp_schedule *s, const fp_scheduled *step)
{
    fp_scheduled *new = FP_PUSH(s->steps, s->count, s->capacity);
    if (!new) s->failed = true;
    if (!new) return;
    *new = *step;
    fp_fact *made = fp_schedule_fact(s, step->node);
    made->made = (unsigned)s->count;
    made->part = step->part;
    made->on_host = step->seen.on_host;
}

/* Notes the consumers that the launch leaves in the nodes. */
static void mark_consumers(fp_schedule *s, fp_node *node)
{
    for (int k = 0; !is_buffer(s, node) && k < FP_INPUTS && node->inputs[k]; k++) {
        fp_fact *input = fp_schedule_fact(s, node->inputs[k]);
        if (fp_node_consumes(node) && !input->consumer) input->consumer = node->id;
        mark_consumers(s, node->inputs[k]);
    }
}

static bool is_made(void *context, fp_node *node, bool *on_host)
{
    const fp_fact fact = *fp_schedule_fact(context, node);
    *on_host = fact.on_host;
    return fact.made;
}

/* Foresees the task `made` with the maps up to `node`; NULL: the node's elements are computed. */
static fp_foreseen foresee(fp_schedule *s, fp_node *made, fp_node *node)
{
    const fp_supposed supposed = {is_made, s};
    if (made) return fp_task_foresee(made, node, &supposed);
    const bool selects = fp_schedule_is_selection(s, node, (unsigned)s->count);
    return (fp_foreseen){.on_host = fp_node_runs_on_host(node, &supposed),
                         .launches = selects ? fp_lookback_passes(s->g) : 1};
}

static bool is_over(const fp_schedule *s)
{
    return s->fault || s->failed;
}

/* Note [wide expressions]: the host computes an input once for each slice, reversal or the like over it. A kernel has
 * one function. If this adds up, the inputs are computed first. So is that of a view: the host would compute it one
 * element at a time. Returns the width that is left. */
static size_t narrow(fp_schedule *s, fp_node *node)
{
    size_t width = 1;
    if (is_buffer(s, node)) return width;
    for (int k = 0; k < FP_INPUTS && node->inputs[k]; k++) width += narrow(s, node->inputs[k]);
    const bool scattered = node->kind == FP_NODE_STRIDED && !is_buffer(s, node->inputs[0]);
    if ((width <= FP_HOST_WIDTH && !scattered) || node->op || !node->inputs[0]) return width;
    for (int k = 0; k < FP_INPUTS && node->inputs[k]; k++) fp_schedule_node(s, node->inputs[k], FP_REASON_WIDE);
    return 1 + FP_INPUTS;
}

static void schedule_inputs(fp_schedule *s, fp_node *node, bool stores);

/* Note [epilogues]: the last launch of a delayed task applies maps over it as it stores, if it can. Maps are fused into
 * a task only if each has one input, none has another consumer, and the last one is being stored. Other consumers read
 * elements at any place, so the task's result becomes a buffer first. */
static void compute(fp_schedule *s, fp_node *node, fp_reason reason)
{
    fp_node *made = task_below(s, node);
    fp_scheduled step = {.node = node, .task = made, .reason = reason};
    step.seen = foresee(s, made, node);
    if (made && made != node && !step.seen.epilogue) {
        fp_schedule_node(s, made, FP_REASON_WHOLE);
        step.task = NULL;
        step.seen = foresee(s, NULL, node);
    }
    if (is_over(s)) return;
    if (step.seen.on_host) narrow(s, node);
    mark_consumers(s, node);
    add_step(s, &step);
}

/* A task becomes a buffer even without elements: kernels that read it beside other arrays have no text for tasks. */
static void schedule_one(fp_schedule *s, fp_node *node, fp_reason reason)
{
    if (!s->fault) s->fault = fp_fault_of(&node->fault);
    fp_node_count(node);
    if (is_over(s) || is_buffer(s, node) || (!node->length && node->kind != FP_NODE_TASK)) return;
    schedule_inputs(s, node, true);
    if (!is_over(s) && !is_buffer(s, node)) compute(s, node, reason);
}

static bool is_due(fp_schedule *s, fp_node *node)
{
    return node->stored && node->length && !is_buffer(s, node);
}

/* A stored node below that is not scheduled yet; NULL: there is none. */
static fp_node *find_stored(fp_schedule *s, fp_node *node)
{
    fp_node *found = NULL;
    if (!node->stored_below || is_buffer(s, node) || fp_schedule_fact(s, node)->clear) return NULL;
    for (int k = 0; k <= FP_INPUTS && !found; k++) {
        fp_node *input = k < FP_INPUTS ? node->inputs[k] : fp_node_source(node);
        if (input) found = is_due(s, input) ? input : find_stored(s, input);
    }
    for (unsigned k = 0; node->op && k < node->op->count && !found; k++) {
        fp_node *array = node->op->captured[k].array;
        if (array) found = is_due(s, array) ? array : find_stored(s, array);
    }
    fp_schedule_fact(s, node)->clear = !found;
    return found;
}

/* Note [depth]: chains of any length are cut as they are made. Recursion goes from one cut to the next, and a loop from
 * cut to cut. */
static void schedule_stored(fp_schedule *s, fp_node *node)
{
    fp_node **stack = NULL;
    size_t count = 0, capacity = 0;
    for (;;) {
        fp_node *top = count ? stack[count - 1] : node, *below = is_over(s) ? NULL : find_stored(s, top);
        if (!below && !count) break;
        if (!below) schedule_one(s, stack[--count], top->reason);
        if (!below) continue;
        fp_node **new = FP_PUSH(stack, count, capacity);
        if (!new) s->failed = true;
        if (new) *new = below;
    }
    fp_free(stack);
}

void fp_schedule_node(fp_schedule *s, fp_node *node, fp_reason reason)
{
    schedule_stored(s, node);
    schedule_one(s, node, node->stored ? node->reason : reason);
}

/* Note [consumers]: a node is fused into its first consumer, a node or a launch, and becomes a buffer at its second.
 * The first consumer may be computed again, to become a buffer itself, and stays the first. A slice is no consumer: it
 * computes the elements it needs, and becomes a buffer by itself; but see Note [slices] in lib/expressions/chain.c.
 * `stores`: the result is stored (Note [epilogues]). */
static void schedule_for(fp_schedule *s, fp_node *node, uint64_t consumer, bool stores)
{
    if (!s->fault) s->fault = fp_fault_of(&node->fault);
    if (is_over(s) || is_buffer(s, node)) return;
    const uint64_t before = fp_schedule_fact(s, node)->consumer;
    const fp_reason reason = node->stored ? node->reason : fp_node_ends(node, before, consumer, stores);
    if (reason)
        schedule_one(s, node, reason);
    else
        schedule_inputs(s, node, stores);
}

static void schedule_inputs(fp_schedule *s, fp_node *node, bool stores)
{
    const bool maps = stores && node->kind == FP_NODE_MAP && !node->inputs[1];
    if (node->op) fp_schedule_captured(s, node->op);
    if (fp_node_source(node)) schedule_one(s, fp_node_source(node), FP_REASON_GATHERED);
    for (int k = 0; k < FP_INPUTS && node->inputs[k]; k++) {
        fp_node *input = node->inputs[k];
        schedule_for(s, input, fp_node_consumes(node) ? node->id : fp_schedule_fact(s, input)->consumer, maps);
    }
    if (!is_over(s) && fp_node_can_be_part(node) && is_buffer(s, node->inputs[0]) && node->inputs[0]->length)
        add_step(s, &(fp_scheduled){.node = node,
                                    .part = true,
                                    .seen = {.on_host = fp_schedule_fact(s, node->inputs[0])->on_host}});
}

/* A result that starts as a copy is computed from the expression. On the host device kernels of the user's own read
 * buffers. */
static void schedule_array(fp_schedule *s, const fp_captured *c)
{
    if (c->part == GPU_PART_FROM || (c->own_element && !s->g->capabilities->host))
        fp_schedule_input(s, c->array, false);
    else
        schedule_one(s, c->array, FP_REASON_CAPTURED);
}

void fp_schedule_captured(fp_schedule *s, const fp_operator *op)
{
    for (unsigned k = 0; k < op->count; k++)
        if (op->captured[k].array) schedule_array(s, &op->captured[k]);
}

void fp_schedule_input(fp_schedule *s, fp_node *node, bool selections)
{
    schedule_stored(s, node);
    if (!selections && fp_schedule_is_selection(s, node, (unsigned)s->count)) schedule_one(s, node, FP_REASON_ENDED);
    schedule_for(s, node, 0, false);
    if (s->g->capabilities->host && !is_over(s)) narrow(s, node);
}

void fp_schedule_inputs(fp_schedule *s, fp_node *node)
{
    schedule_stored(s, node);
    schedule_inputs(s, node, false);
}
