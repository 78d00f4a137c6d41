/* The schedule of an array, printed. */
#include "base/error.h"
#include "expressions/entry.h"
#include "expressions/handle.h"
#include "planning/schedule.h"

#include <firepile/explain.h>
#include <inttypes.h>
#include <string.h>

typedef struct explanation {
    fp_schedule schedule;
    unsigned step;     /* the one that is printed, from 1 on */
    unsigned launches; /* of kernels and of the host */
    unsigned runs;     /* of the host */
    unsigned domains;  /* so far (Note [domains]) */
    uint64_t read, written;
    bool at_most;  /* bytes are a bound, since only the device knows a length */
    bool captures; /* reads of captured arrays are not known */
    bool moves;    /* moves between the kernels of a sort are not known */
    fp_text text;
} explanation;

/* Is it a buffer before the step that is printed? */
static bool is_buffer(explanation *e, fp_node *node)
{
    return fp_schedule_is_buffer(&e->schedule, node, e->step - 1);
}

/* ---- telling ---- */

static const char *const reasons[] = {
    [FP_REASON_NONE] = "",
    [FP_REASON_ASKED] = "asked for",
    [FP_REASON_SECOND] = "it is consumed a second time",
    [FP_REASON_SLICED] = "what needs it, slices of it among them, needs more elements than it has",
    [FP_REASON_CAPTURED] = "an operator captures it, and may read it at any place",
    [FP_REASON_GATHERED] = "a gather or a search reads it at any place",
    [FP_REASON_AROUND] = "a stencil reads its elements several times",
    [FP_REASON_TURNED] = "what follows reads the columns of a large matrix",
    [FP_REASON_LONG] = "the chain is longer than one kernel may be",
    [FP_REASON_ENDED] = "what follows the selection needs its places, or another array beside it",
    [FP_REASON_WHOLE] = "its kernels do not apply what follows as they store it",
    [FP_REASON_COMPILED] = "gpu_compile needs it",
    [FP_REASON_WIDE] = "its elements are needed at too many places",
};

/* Does the device alone know the length? */
static bool is_counted(fp_node *node)
{
    return fp_node_selection(node) || fp_node_count(node) || fp_node_filters(node);
}

static void put_extent(explanation *e, fp_node *node)
{
    fp_text_print(&e->text, "%s%zu %s", is_counted(node) ? "at most " : "", node->length, node->type->name);
}

static void put_first_line(fp_text *out, const fp_operator *op)
{
    const char *text = op->snippet->text;
    int length = (int)strcspn(text, "\n");
    fp_text_print(out, ": %.*s%s", length, text, text[length] ? " ..." : "");
}

static void put_call(fp_text *out, const char *operation, const gpu_place *place)
{
    if (place->file) fp_text_print(out, "%s:%d: ", place->file, place->line);
    fp_text_put(out, operation);
}

/* An operator and its place. */
static void put_operator(explanation *e, const fp_operator *op)
{
    put_call(&e->text, op->operation, &op->place);
    put_first_line(&e->text, op);
    for (unsigned k = 0; k < op->count; k++) {
        if (!op->captured[k].array || op->captured[k].large || op->captured[k].length) continue;
        fp_text_print(&e->text, "; captures %s, ", op->captured[k].name);
        put_extent(e, op->captured[k].array);
        e->captures = true;
    }
}

static void put_launch(explanation *e, unsigned number, bool on_host)
{
    fp_text_print(&e->text, on_host ? "run %u on the host" : "kernel %u", number);
}

/* The next `count` launches. */
static void put_launches(explanation *e, unsigned count, bool on_host)
{
    const unsigned first = e->launches + 1;
    e->launches += count;
    if (count > 1) fp_text_print(&e->text, "kernels %u to %u", first, e->launches);
    if (count == 1) put_launch(e, first, on_host);
}

static void put_buffer(explanation *e, fp_node *node)
{
    fp_node *whole = fp_schedule_fact(&e->schedule, node)->part ? node->inputs[0] : node;
    const fp_fact known = *fp_schedule_fact(&e->schedule, whole);
    if (known.made) fp_text_put(&e->text, "what ");
    if (known.made) put_launch(e, e->schedule.steps[known.made - 1].number, known.on_host);
    fp_text_put(&e->text, known.made ? " made, " : "a buffer of ");
    put_extent(e, node);
    if (!known.made && node->reason) fp_text_print(&e->text, ", computed before: %s", reasons[node->reason]);
}

static void put_node(explanation *e, fp_node *node)
{
    static const char *const names[] = {[FP_NODE_RANGE] = "a range",
                                        [FP_NODE_FILL] = "one value",
                                        [FP_NODE_SLICE] = "a part",
                                        [FP_NODE_REVERSE] = "from the last to the first",
                                        [FP_NODE_PREVIOUS] = "the element before each",
                                        [FP_NODE_CONCAT] = "one after the other",
                                        [FP_NODE_STRIDED] = "a view",
                                        [FP_NODE_GATHER] = "a gather",
                                        [FP_NODE_FIND] = "a search"};
    bool own = node->kind == FP_NODE_TASK && node->op->builtin;
    if (own) put_call(&e->text, node->made.task->operation, &node->made.task->place);
    bool applies = node->op && node->kind != FP_NODE_FIND;
    if (applies && !own) put_operator(e, node->op);
    if (applies) return;
    fp_text_print(&e->text, "%s, ", names[node->kind]);
    put_extent(e, node);
    if (!fp_node_source(node)) return;
    fp_text_put(&e->text, ", from ");
    put_buffer(e, node->gather.source);
}

/* A node at this depth of a kernel, and the nodes below. */
static void put_steps(explanation *e, fp_node *node, unsigned depth)
{
    fp_fact *fact = fp_schedule_fact(&e->schedule, node);
    bool shown = fact->shown == e->step, buffer = is_buffer(e, node);
    fact->shown = e->step;
    for (unsigned k = 0; k <= depth; k++) fp_text_put(&e->text, "  ");
    if (buffer) put_buffer(e, node);
    if (!buffer) put_node(e, node);
    fp_text_put(&e->text, shown ? ", as above\n" : "\n");
    for (int k = 0; !buffer && !shown && k < FP_INPUTS && node->inputs[k]; k++)
        put_steps(e, node->inputs[k], depth + 1);
}

/* A search halves its source until one element is left, and reads that. */
static void add_search(explanation *e, const fp_node *node, size_t length)
{
    const fp_node *source = node->gather.source;
    uint64_t reads = 1;
    for (size_t n = source->length; n; n /= 2) reads++;
    e->read += length * reads * source->type->size;
    e->at_most = true;
}

/* Adds the bytes that are read for `length` elements. A domain reads each element once. */
static void add_reads(explanation *e, fp_node *node, size_t length, unsigned domain)
{
    fp_fact *fact = fp_schedule_fact(&e->schedule, node);
    if (fact->domain == domain) return;
    fact->domain = domain;
    bool buffer = is_buffer(e, node);
    bool moves = node->kind == FP_NODE_SLICE || node->kind == FP_NODE_REVERSE || node->kind == FP_NODE_CONCAT ||
                 node->kind == FP_NODE_STRIDED;
    if (buffer || node->kind == FP_NODE_GATHER) e->read += (uint64_t)length * node->type->size;
    if (!buffer && node->kind == FP_NODE_FIND) add_search(e, node, length);
    for (int k = 0; !buffer && k < FP_INPUTS && node->inputs[k]; k++) {
        fp_node *input = node->inputs[k];
        const bool whole = length > input->length || (node->kind == FP_NODE_TASK && node->made.task->block);
        add_reads(e, input, whole ? input->length : length, moves ? ++e->domains : domain);
    }
}

static void put_step(explanation *e, fp_scheduled *step)
{
    fp_node *node = step->node;
    const bool on_host = step->seen.on_host, selects = fp_schedule_is_selection(&e->schedule, node, e->step - 1);
    const bool moves = step->seen.moves && step->seen.launches > 1;
    put_launches(e, on_host ? 1 : step->seen.launches, on_host);
    step->number = e->launches;
    fp_text_put(&e->text, selects ? ", a selection, " : ", ");
    put_extent(e, node);
    fp_text_print(&e->text, ": %s\n", reasons[step->reason]);
    e->at_most |= is_counted(node);
    e->moves |= moves && !on_host;
    put_steps(e, node, 0);
    for (unsigned k = 0; k < (on_host || moves ? 1 : step->seen.launches); k++)
        add_reads(e, node, node->length, ++e->domains);
    e->runs += on_host;
    e->written += (uint64_t)node->length * node->type->size;
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

/* Are the elements in the host's memory? */
static bool is_on_host(explanation *e, fp_node *node)
{
    const fp_fact *fact = fp_schedule_fact(&e->schedule, node);
    return fact->made ? fact->on_host : node->buffer && fp_buffer_memory(node->buffer);
}

/* Does the host wait for the length? It does not if it selects itself. */
static bool asks_length(explanation *e, fp_node *node)
{
    fp_node *stored = fp_node_stored_extent(node);
    const bool selects = fp_node_selection(node) || (stored && fp_node_count(node));
    if (!selects || !node->length) return fp_node_count(node);
    while (!is_buffer(e, node)) node = node->inputs[0];
    return !is_on_host(e, node);
}

static void put_waits(explanation *e, fp_node *node, fp_text *out)
{
    const struct {
        bool waits;
        const char *what;
    } all[] = {{asks_length(e, node), "the length"},
               {fp_deferred_waits(node->deferred), "what may fail on the device"},
               {node->length && !is_on_host(e, node), "the elements"}};
    unsigned times = 0, printed = 0;
    bool joined = all[1].waits && all[2].waits, is_short = fp_node_is_short(node);
    for (unsigned k = 0; k < 3; k++) times += all[k].waits && !e->schedule.g->capabilities->host;
    if (times && joined && is_short) times--;
    const char *most = times && joined && all[0].waits && !is_short ? "at most " : "";
    fp_text_print(out, "gpu_read waits %s%u time%s", most, times, times == 1 ? "" : "s");
    for (unsigned k = 0; k < 3 && times; k++)
        if (all[k].waits) fp_text_print(out, "%s for %s", printed++ ? "," : ":", all[k].what);
    fp_text_put(out, "\n");
}

static void put_schedule(explanation *e, fp_node *node, fp_text *out)
{
    const fp_schedule *s = &e->schedule;
    for (e->step = 1; e->step <= s->count; e->step++)
        if (!s->steps[e->step - 1].part) put_step(e, &s->steps[e->step - 1]);
    if (!e->launches) put_buffer(e, node);
    put_totals(e, out);
    put_waits(e, node, out);
}

static void explain(fp_node *node, fp_text *out)
{
    explanation e = {.step = 1};
    fp_schedule_begin(&e.schedule, node->g);
    fp_schedule_node(&e.schedule, node, FP_REASON_ASKED);
    if (e.schedule.fault)
        fp_text_print(out, "it cannot be computed: %s\n", e.schedule.fault->text);
    else if (!e.schedule.failed)
        put_schedule(&e, node, out);
    if (e.schedule.failed || e.text.failed) out->failed = true;
    fp_text_free(&e.text);
    fp_schedule_end(&e.schedule);
}

/* ---- what comes later ---- */

static void put_task(fp_text *out, fp_task *task, uint64_t visit);

static void put_tasks_of(fp_text *out, const fp_task *task, uint64_t visit)
{
    for (unsigned k = 0; k < task->input_count; k++)
        if (task->inputs[k]->kind == FP_NODE_SYMBOL) put_task(out, task->inputs[k]->made.task, visit);
    for (unsigned k = 0; task->op && k < task->op->count; k++) {
        fp_node *array = task->op->captured[k].array;
        if (array && array->kind == FP_NODE_SYMBOL) put_task(out, array->made.task, visit);
    }
}

/* Prints each task once, after its inputs. */
static void put_task(fp_text *out, fp_task *task, uint64_t visit)
{
    if (task->visit == visit) return;
    task->visit = visit;
    put_tasks_of(out, task, visit);
    fp_text_put(out, "  ");
    put_call(out, task->operation, &task->place);
    if (task->op) put_first_line(out, task->op);
    fp_text_print(out, " (%s)\n", task->results[0]->name);
}

static void explain_later(fp_node *node, fp_text *out)
{
    fp_text_put(out, "it has elements only in calls of the function that gpu_compile makes of it, which are\n");
    put_task(out, node->made.task, ++node->g->serial);
}

const char *gpu_explain(const gpu_array *a)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_explain", NULL);
    fp_text *text = fp_thread_text();
    if (gpu_array_status(a))
        fp_text_print(text, "it is in error: %s\n", gpu_array_error(a));
    else if (a->node->kind == FP_NODE_SYMBOL)
        explain_later(a->node, text);
    else
        explain(a->node, text);
    fp_entry_end(&entry, text->failed ? fp_fail_memory() : GPU_OK);
    return text->failed ? "the host is out of memory" : fp_text_string(text);
}
