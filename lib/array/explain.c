/* What computing a node would do, told and not done: compute, prepare_inputs and prepare_for go the ways of
 * lib/array/eval.c, and note in facts what those would change in nodes. */
#include "array/array.h"
#include "array/execute.h"
#include "array/lookback.h"
#include "array/task.h"
#include "base/error.h"
#include "base/memory.h"
#include "host/host.h"

#include <firepile/explain.h>
#include <inttypes.h>
#include <string.h>

/* What a node would be by now. */
typedef struct fact {
    uint64_t consumer;
    unsigned launch; /* that made it a buffer; 0: it is none, or was one before */
    bool here;       /* on the host */
    unsigned shown;  /* the last launch that it was told of as a part of */
    unsigned domain; /* the last one in which its bytes were counted */
} fact;

typedef struct explanation {
    gpu *g;
    uint64_t visit;
    fact *facts;
    size_t count, capacity;
    fact none;         /* when memory has run out */
    unsigned launches; /* kernels, and */
    unsigned runs;     /* those of the host among them */
    unsigned domains;  /* places, in a kernel, at which the steps below a slice and its like are computed */
    uint64_t read, written;
    bool at_most;  /* bytes, as only the device knows a length */
    bool captures; /* and what is read of captured arrays is not known, */
    bool moves;    /* nor what sorts move between their first kernel and their last */
    const fp_fault *fault;
    fp_text text;
} explanation;

/* Valid until the next call. */
static fact *fact_of(explanation *e, fp_node *node)
{
    if (node->explained == e->visit) return &e->facts[node->fact];
    fact *list = fp_grow(e->facts, e->count, &e->capacity, sizeof *list);
    if (!list) e->text.failed = true;
    if (!list) return &e->none;
    e->facts = list;
    list[e->count] = (fact){.consumer = node->consumer};
    node->explained = e->visit;
    node->fact = (unsigned)e->count++;
    return &list[node->fact];
}

static bool is_buffer(explanation *e, fp_node *node);

/* Will it be a part of a buffer (fp_node_become_part)? */
static bool is_part(explanation *e, fp_node *node)
{
    return node->kind == FP_NODE_SHIFT && !node->start && !fact_of(e, node)->launch && is_buffer(e, node->inputs[0]);
}

static bool is_buffer(explanation *e, fp_node *node)
{
    return node->kind == FP_NODE_BUFFER || fact_of(e, node)->launch || is_part(e, node);
}

static bool is_selection(explanation *e, fp_node *node)
{
    while (node->kind == FP_NODE_MAP && !is_buffer(e, node)) node = node->inputs[0];
    return (node->kind == FP_NODE_FILTER || node->kind == FP_NODE_WHERE) && !is_buffer(e, node);
}

/* The task that a node, which is prepared, is or has maps over; NULL: none. */
static fp_node *task_below(explanation *e, fp_node *node)
{
    while (node->kind == FP_NODE_MAP && !is_buffer(e, node)) node = node->inputs[0];
    return node->kind == FP_NODE_TASK && !is_buffer(e, node) ? node : NULL;
}

/* ---- telling ---- */

static const char *const reasons[] = {
    [FP_REASON_NONE] = "",
    [FP_REASON_ASKED] = "asked for",
    [FP_REASON_SECOND] = "it is consumed a second time",
    [FP_REASON_SLICED] = "what needs it, slices of it among them, needs more elements than it has",
    [FP_REASON_CAPTURED] = "an operator captures it, and may read it at any place",
    [FP_REASON_GATHERED] = "a gather reads it at any place",
    [FP_REASON_LONG] = "the chain is longer than one kernel may be",
    [FP_REASON_ENDED] = "what follows the selection needs its places, or another array beside it",
    [FP_REASON_WHOLE] = "its kernels do not apply what follows as they store it",
    [FP_REASON_COMPILED] = "gpu_compile needs it",
    [FP_REASON_WIDE] = "its elements are needed at too many places",
};

/* Does the device alone know the length? */
static bool is_counted(fp_node *node)
{
    return fp_node_selection(node) || fp_node_count(node);
}

static void put_extent(explanation *e, fp_node *node)
{
    fp_text_print(&e->text, "%s%zu %s", is_counted(node) ? "at most " : "", node->length, node->type->name);
}

static void put_first_line(explanation *e, const fp_operator *op)
{
    const char *text = op->snippet->text;
    int length = (int)strcspn(text, "\n");
    fp_text_print(&e->text, ": %.*s%s", length, text, text[length] ? " ..." : "");
}

static void put_call(explanation *e, const char *operation, const gpu_place *place)
{
    if (place->file) fp_text_print(&e->text, "%s:%d: ", place->file, place->line);
    fp_text_put(&e->text, operation);
}

/* An operator, and where it stands. */
static void put_operator(explanation *e, const fp_operator *op)
{
    put_call(e, op->operation, &op->place);
    put_first_line(e, op);
    for (unsigned k = 0; k < op->count; k++) {
        if (!op->captured[k].array || op->captured[k].large) continue;
        fp_text_print(&e->text, "; captures %s, ", op->captured[k].name);
        put_extent(e, op->captured[k].array);
        e->captures = true;
    }
}

static void put_launch(explanation *e, unsigned number, bool here)
{
    fp_text_print(&e->text, here ? "run %u on the host" : "kernel %u", number);
}

/* The next ones, of which there are `count`. */
static void put_launches(explanation *e, unsigned count, bool here)
{
    const unsigned first = e->launches + 1;
    e->launches += count;
    if (count > 1) fp_text_print(&e->text, "kernels %u to %u", first, e->launches);
    if (count == 1) put_launch(e, first, here);
}

static void put_buffer(explanation *e, fp_node *node)
{
    const fact known = *fact_of(e, is_part(e, node) ? node->inputs[0] : node);
    if (known.launch) fp_text_put(&e->text, "what ");
    if (known.launch) put_launch(e, known.launch, known.here);
    fp_text_put(&e->text, known.launch ? " made, " : "a buffer of ");
    put_extent(e, node);
    if (!known.launch && node->reason) fp_text_print(&e->text, ", computed before: %s", reasons[node->reason]);
}

static void put_node(explanation *e, fp_node *node)
{
    static const char *const names[] = {[FP_NODE_RANGE] = "a range",
                                        [FP_NODE_FILL] = "one value",
                                        [FP_NODE_SHIFT] = "a part",
                                        [FP_NODE_REVERSE] = "from the last to the first",
                                        [FP_NODE_BEFORE] = "the element before each",
                                        [FP_NODE_CONCAT] = "one after the other",
                                        [FP_NODE_GATHER] = "a gather"};
    bool own = node->kind == FP_NODE_TASK && node->op->own;
    if (own) put_call(e, node->task->operation, &node->task->place);
    if (node->op && !own) put_operator(e, node->op);
    if (node->op) return;
    fp_text_print(&e->text, "%s, ", names[node->kind]);
    put_extent(e, node);
    if (!node->source) return;
    fp_text_put(&e->text, ", from ");
    put_buffer(e, node->source);
}

/* A node that stands `depth` deep in a kernel, and those it is computed from. */
static void put_steps(explanation *e, fp_node *node, unsigned depth)
{
    bool shown = fact_of(e, node)->shown == e->launches, buffer = is_buffer(e, node);
    fact_of(e, node)->shown = e->launches;
    for (unsigned k = 0; k <= depth; k++) fp_text_put(&e->text, "  ");
    if (buffer) put_buffer(e, node);
    if (!buffer) put_node(e, node);
    fp_text_put(&e->text, shown ? ", as above\n" : "\n");
    for (int k = 0; !buffer && !shown && k < FP_INPUTS && node->inputs[k]; k++)
        put_steps(e, node->inputs[k], depth + 1);
}

/* What is read for `length` elements, each once for a place where it is needed. */
static void add_reads(explanation *e, fp_node *node, size_t length, unsigned domain)
{
    fact *known = fact_of(e, node);
    if (known->domain == domain) return;
    known->domain = domain;
    bool buffer = is_buffer(e, node);
    bool moves = node->kind == FP_NODE_SHIFT || node->kind == FP_NODE_REVERSE || node->kind == FP_NODE_CONCAT;
    if (buffer || node->source) e->read += (uint64_t)length * node->type->size;
    for (int k = 0; !buffer && k < FP_INPUTS && node->inputs[k]; k++) {
        fp_node *input = node->inputs[k];
        const bool whole = length > input->length || (node->kind == FP_NODE_TASK && node->task->block);
        add_reads(e, input, whole ? input->length : length, moves ? ++e->domains : domain);
    }
}

/* ---- the plan ---- */

static void compute(explanation *e, fp_node *node, fp_reason reason);

/* What fp_plan_launch leaves in the nodes of its plan. */
static void mark_consumers(explanation *e, fp_node *node)
{
    for (int k = 0; !is_buffer(e, node) && k < FP_INPUTS && node->inputs[k]; k++) {
        fact *input = fact_of(e, node->inputs[k]);
        if (fp_node_consumes(node) && !input->consumer) input->consumer = node->id;
        mark_consumers(e, node->inputs[k]);
    }
}

/* What the host device computes first (Note [wide expressions]); the width of what is left. */
static size_t narrow(explanation *e, fp_node *node)
{
    size_t width = 1;
    if (is_buffer(e, node)) return width;
    for (int k = 0; k < FP_INPUTS && node->inputs[k]; k++) width += narrow(e, node->inputs[k]);
    if (width <= FP_HOST_WIDTH || node->op || !node->inputs[0]) return width;
    for (int k = 0; k < FP_INPUTS && node->inputs[k]; k++) compute(e, node->inputs[k], FP_REASON_WIDE);
    return 1 + FP_INPUTS;
}

static bool is_made(void *context, fp_node *node, bool *here)
{
    const fact known = *fact_of(context, node);
    *here = known.here;
    return known.launch;
}

static fp_foreseen foresee_node(explanation *e, fp_node *node)
{
    const fp_supposed supposed = {is_made, e};
    const bool selects = is_selection(e, node);
    return (fp_foreseen){.on_host = fp_node_runs_on_host(node, &supposed),
                         .launches = selects ? fp_lookback_sweeps(e->g) : 1};
}

static fp_foreseen foresee_task(explanation *e, fp_node *made, fp_node *maps)
{
    const fp_supposed supposed = {is_made, e};
    fp_foreseen seen = fp_task_foresee(made, maps, &supposed);
    seen.moves = seen.moves && seen.launches > 1;
    return seen;
}

static void launch(explanation *e, fp_node *node, const fp_foreseen *seen, fp_reason reason)
{
    const bool here = seen->on_host;
    if (here) narrow(e, node);
    put_launches(e, here ? 1 : seen->launches, here);
    fp_text_put(&e->text, is_selection(e, node) ? ", a selection, " : ", ");
    put_extent(e, node);
    fp_text_print(&e->text, ": %s\n", reasons[reason]);
    e->at_most |= is_counted(node);
    e->moves |= seen->moves;
    put_steps(e, node, 0);
    for (unsigned k = 0; k < (here || seen->moves ? 1 : seen->launches); k++)
        add_reads(e, node, node->length, ++e->domains);
    e->runs += here;
    e->written += (uint64_t)node->length * node->type->size;
    mark_consumers(e, node);
    fact *made = fact_of(e, node);
    made->launch = e->launches;
    made->here = here;
}

static void prepare_inputs(explanation *e, fp_node *node, bool stores);

static void compute(explanation *e, fp_node *node, fp_reason reason)
{
    if (!e->fault) e->fault = fp_fault_of(&node->fault);
    fp_node_count(node);
    if (e->fault || is_buffer(e, node) || !node->length) return;
    prepare_inputs(e, node, true);
    if (e->fault || is_buffer(e, node)) return;
    fp_node *made = task_below(e, node);
    fp_foreseen seen = made ? foresee_task(e, made, node) : foresee_node(e, node);
    if (made && made != node && !seen.epilogue) {
        compute(e, made, FP_REASON_WHOLE);
        seen = foresee_node(e, node);
    }
    if (!e->fault) launch(e, node, &seen, reason);
}

static void prepare_for(explanation *e, fp_node *node, uint64_t consumer, bool stores)
{
    if (!e->fault) e->fault = fp_fault_of(&node->fault);
    if (e->fault || is_buffer(e, node)) return;
    uint64_t before = fact_of(e, node)->consumer;
    if (fp_node_costs(node) && before && before != consumer)
        compute(e, node, FP_REASON_SECOND);
    else if (fp_node_is_sliced(node))
        compute(e, node, FP_REASON_SLICED);
    else if (node->kind == FP_NODE_TASK && !stores)
        compute(e, node, FP_REASON_WHOLE);
    else
        prepare_inputs(e, node, stores);
}

static void prepare_inputs(explanation *e, fp_node *node, bool stores)
{
    bool maps = stores && node->kind == FP_NODE_MAP && !node->inputs[1];
    for (unsigned k = 0; node->op && k < node->op->count; k++)
        if (node->op->captured[k].array) compute(e, node->op->captured[k].array, FP_REASON_CAPTURED);
    if (node->source) compute(e, node->source, FP_REASON_GATHERED);
    for (int k = 0; k < FP_INPUTS && node->inputs[k]; k++)
        prepare_for(e, node->inputs[k], fp_node_consumes(node) ? node->id : fact_of(e, node->inputs[k])->consumer,
                    maps);
}

/* ---- the whole ---- */

static void put_totals(explanation *e, fp_text *out)
{
    const char *most = e->at_most ? "at most " : "", *text = fp_text_string(&e->text);
    unsigned kernels = e->launches - e->runs;
    if (!e->launches) fp_text_print(out, "0 kernels: it is computed\n  %s\n", text);
    if (!e->launches) return;
    if (kernels) fp_text_print(out, "%u kernel%s%s", kernels, kernels > 1 ? "s" : "", e->runs ? ", " : "");
    if (e->runs) fp_text_print(out, "%u run%s on the host", e->runs, e->runs > 1 ? "s" : "");
    fp_text_print(out, ": %s%" PRIu64 " bytes read%s, %s%" PRIu64 " written%s\n%s", most, e->read,
                  e->captures ? " beside captured arrays" : "", most, e->written,
                  e->moves ? " beside what sorts move in between" : "", text);
}

/* Is what is read in the host's memory? */
static bool is_here(explanation *e, fp_node *node)
{
    if (is_part(e, node)) node = node->inputs[0];
    bool made = fact_of(e, node)->launch;
    return made ? fact_of(e, node)->here : node->buffer && fp_buffer_memory(node->buffer);
}

/* Does the host have to ask for the length? Not if it has done the selection itself. */
static bool asks_length(explanation *e, fp_node *node)
{
    if (!fp_node_selection(node) || !node->length) return fp_node_count(node);
    while (!is_buffer(e, node)) node = node->inputs[0];
    return !is_here(e, node);
}

static void put_waits(explanation *e, fp_node *node, fp_text *out)
{
    const struct {
        bool waits;
        const char *what;
    } all[] = {{asks_length(e, node), "the length"},
               {fp_risk_waits(node->risk), "what may fail on the device"},
               {node->length && !is_here(e, node), "the elements"}};
    unsigned times = 0, told = 0;
    bool joined = all[1].waits && all[2].waits, is_short = fp_node_is_short(node);
    for (unsigned k = 0; k < 3; k++) times += all[k].waits && !e->g->facts->host;
    if (times && joined && is_short) times--;
    const char *most = times && joined && all[0].waits && !is_short ? "at most " : "";
    fp_text_print(out, "gpu_read waits %s%u time%s", most, times, times == 1 ? "" : "s");
    for (unsigned k = 0; k < 3 && times; k++)
        if (all[k].waits) fp_text_print(out, "%s for %s", told++ ? "," : ":", all[k].what);
    fp_text_put(out, "\n");
}

void fp_node_explain(fp_node *node, fp_text *out)
{
    explanation e = {.g = node->g, .visit = ++node->g->serial};
    compute(&e, node, FP_REASON_ASKED);
    if (e.fault) {
        fp_text_print(out, "it cannot be computed: %s\n", e.fault->text);
    } else {
        if (!e.launches) put_buffer(&e, node);
        put_totals(&e, out);
        put_waits(&e, node, out);
    }
    if (e.text.failed) out->failed = true;
    fp_text_free(&e.text);
    fp_free(e.facts);
}

/* ---- what comes later ---- */

static void put_task(explanation *e, fp_task *task);

static void put_tasks_of(explanation *e, const fp_task *task)
{
    for (unsigned k = 0; k < task->input_count; k++)
        if (task->inputs[k]->kind == FP_NODE_LATER) put_task(e, task->inputs[k]->task);
    for (unsigned k = 0; task->op && k < task->op->count; k++) {
        fp_node *array = task->op->captured[k].array;
        if (array && array->kind == FP_NODE_LATER) put_task(e, array->task);
    }
}

/* Once each, after those that it is given. */
static void put_task(explanation *e, fp_task *task)
{
    if (task->visit == e->visit) return;
    task->visit = e->visit;
    put_tasks_of(e, task);
    fp_text_put(&e->text, "  ");
    put_call(e, task->operation, &task->place);
    if (task->op) put_first_line(e, task->op);
    fp_text_print(&e->text, " (%s)\n", task->results[0]->name);
}

static void explain_later(fp_node *node, fp_text *out)
{
    explanation e = {.g = node->g, .visit = ++node->g->serial};
    put_task(&e, node->task);
    fp_text_print(out, "it has elements only in calls of the function that gpu_compile makes of it, which are\n%s",
                  fp_text_string(&e.text));
    if (e.text.failed) out->failed = true;
    fp_text_free(&e.text);
}

const char *gpu_explain(const gpu_array *a)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_explain", NULL);
    fp_text *text = fp_thread_text();
    if (gpu_array_status(a))
        fp_text_print(text, "it is in error: %s\n", gpu_array_error(a));
    else if (a->node->kind == FP_NODE_LATER)
        explain_later(a->node, text);
    else
        fp_node_explain(a->node, text);
    fp_entry_end(&entry, text->failed ? fp_fail_memory() : GPU_OK);
    return text->failed ? "the host is out of memory" : fp_text_string(text);
}
