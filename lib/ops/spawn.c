/* Kernels of the user's own. */
#include "arrays/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/switch.h"
#include "host/host.h"
#include "planning/elements.h"
#include "planning/eval.h"
#include "planning/execute.h"
#include "planning/plan.h"
#include "planning/task.h"

#include <firepile/spawn.h>
#include <string.h>

/* Items of a group: enough to hide latencies, and few enough for any device. */
enum { SPAWN_GROUP = 256 };

/* The numbers of a task. */
enum { GROUPS, ITEMS, GROUP_ROWS, ITEM_ROWS };

/* ---- spaces ---- */

/* The largest power of two that is at most n > 0. */
static size_t power_within(size_t n)
{
    size_t power = 1;
    while (power <= n / 2) power *= 2;
    return power;
}

static size_t items_of(const gpu *g)
{
    const size_t most = g->capabilities->max_group;
    const size_t group = g->policy.cpu || g->policy.group > SPAWN_GROUP ? SPAWN_GROUP : g->policy.group;
    return power_within(group < most ? group : most);
}

gpu_space gpu_space_of(gpu *g, size_t n)
{
    if (!g) return (gpu_space){0};
    size_t items = items_of(g);
    while (items > 1 && items / 2 >= n) items /= 2;
    return (gpu_space){.groups = n ? fp_ceiling(n, items) : 1, .items = items};
}

gpu_space gpu_space_of_2(gpu *g, size_t rows, size_t columns)
{
    if (!g) return (gpu_space){0};
    const size_t items = items_of(g);
    size_t item_rows = 1;
    while (item_rows * item_rows < items) item_rows *= 2;
    item_rows = item_rows * item_rows > items ? item_rows / 2 : item_rows;
    const size_t item_columns = items / item_rows, group_rows = rows ? fp_ceiling(rows, item_rows) : 1;
    const size_t group_columns = columns ? fp_ceiling(columns, item_columns) : 1;
    return (gpu_space){
        .groups = group_rows * group_columns, .items = items, .group_rows = group_rows, .item_rows = item_rows};
}

static gpu_status check_rows(const gpu_space *s)
{
    if (!s->group_rows && !s->item_rows) return GPU_OK;
    if (!s->group_rows || !s->item_rows)
        return fp_fail(GPU_E_ARGUMENT,
                       "the space has %zu rows of groups and %zu rows of items: a space of two "
                       "dimensions has both, one of one dimension has 0 and 0",
                       s->group_rows, s->item_rows);
    if (s->groups % s->group_rows)
        return fp_fail(GPU_E_ARGUMENT, "%zu groups do not form %zu equal rows", s->groups, s->group_rows);
    if (s->items % s->item_rows)
        return fp_fail(GPU_E_ARGUMENT, "%zu items do not form %zu equal rows", s->items, s->item_rows);
    return GPU_OK;
}

static gpu_status check_space(const gpu *g, const gpu_space *s)
{
    const fp_capabilities *c = g->capabilities;
    if (!s->groups || s->groups > UINT32_MAX)
        return fp_fail(GPU_E_ARGUMENT,
                       "the space has %zu groups, and may have 1 to %u: gpu_space_of(g, n) makes one "
                       "for n elements",
                       s->groups, UINT32_MAX);
    if (!s->items || s->items > c->max_group)
        return fp_fail(GPU_E_ARGUMENT, "the space has %zu items in a group, and %s takes 1 to %zu", s->items, c->name,
                       c->max_group);
    return check_rows(s);
}

/* ---- parts ---- */

static gpu_status check_local_memory(const gpu *g, const fp_operator *kernel)
{
    const fp_capabilities *c = g->capabilities;
    size_t bytes = 0;
    for (unsigned k = 0; k < kernel->count; k++) {
        const fp_captured *part = &kernel->captured[k];
        if (part->part != GPU_PART_GROUP) continue;
        if (part->extent > SIZE_MAX / 2 / part->type->size - bytes / part->type->size) bytes = SIZE_MAX;
        if (bytes < SIZE_MAX) bytes += part->extent * part->type->size;
    }
    if (bytes <= c->local_bytes) return GPU_OK;
    return fp_fail(GPU_E_ARGUMENT, "the kernel asks for %zu bytes of local memory for a group, and %s has %zu", bytes,
                   c->name, c->local_bytes);
}

/* A text that does not name a result cannot write it. */
static gpu_status check_names(const fp_operator *kernel)
{
    const fp_snippet *snippet = kernel->snippet;
    for (unsigned k = 0; k < kernel->count; k++) {
        const fp_captured *c = &kernel->captured[k];
        if (!snippet->function && c->part == GPU_PART_RESULT &&
            !fp_words_name(&snippet->words, c->name, strlen(c->name)))
            return fp_fail(GPU_E_ARGUMENT, "the kernel does not write its result '%s': its text does not name it",
                           c->name);
    }
    return GPU_OK;
}

/* ---- running ---- */

/* A result that starts as a copy has it before the kernel begins. */
static gpu_status copy_inputs(const fp_request *r)
{
    const fp_operator *kernel = r->ops[0];
    gpu_status status = GPU_OK;
    for (unsigned k = 0; k < kernel->count && !status; k++) {
        const fp_captured *c = &kernel->captured[k];
        if (c->part != GPU_PART_FROM) continue;
        const fp_ready from = fp_node_made(c->array);
        if (from.length) status = fp_launch_map(&from, r->outputs[c->output].buffer);
    }
    return status;
}

static gpu_status launch_once(fp_request *r)
{
    const fp_operator *kernel = r->ops[0];
    const gpu *g = r->input.node->g;
    const size_t *space = r->shape, items = r->number, item_rows = space[2];
    fp_plan *plan;
    unsigned counts = 0;
    for (unsigned k = 0; k < kernel->count; k++) counts += kernel->captured[k].part == GPU_PART_COUNT;
    gpu_status status = copy_inputs(r);
    if (!status) status = fp_plan_begin(&plan, "spawn", r->input.node->type, &r->input);
    if (status) return status;
    fp_plan_kernel(plan, kernel, r->outputs, space[1] ? space[0] / space[1] : 1);
    fp_plan_slot(plan, "FP_COUNTS", counts);
    fp_plan_slot(plan, "FP_ITEM_COLUMNS", item_rows ? items / item_rows : 0);
    const fp_arg ticket = {.buffer = g->ticket};
    return fp_plan_launch(plan, &ticket, counts > 0, space[0], items);
}

/* Note [elements never written]: FIREPILE_CHECK=1 runs a kernel twice, and its results begin as another byte each time.
 * An element that keeps that byte in both runs was never written, whatever values the kernel stores. Results that are
 * counted are not looked at, since the order of their elements is open. */
enum { RUNS = 2 };

static bool is_looked_at(const fp_request *r, const fp_captured *c)
{
    return c->part == GPU_PART_RESULT && r->outputs[c->output].buffer && r->outputs[c->output].extent != FP_COUNTED;
}

/* Results begin as the byte of this run, counts as 0. */
static gpu_status fill_results(const fp_request *r, unsigned n, unsigned char *bytes)
{
    static const uint32_t zero;
    const fp_operator *kernel = r->ops[0];
    gpu_status status = GPU_OK;
    for (unsigned k = 0; k < kernel->count && !status; k++) {
        const fp_captured *c = &kernel->captured[k];
        const size_t size = c->extent * c->type->size;
        if (is_looked_at(r, c)) memset(bytes, fp_kernel_fill(n), size);
        if (is_looked_at(r, c)) status = fp_buffer_upload(r->outputs[c->output].buffer, 0, bytes, size);
        if (c->part == GPU_PART_COUNT && !status)
            status = fp_buffer_upload_begin(r->outputs[c->output].buffer, 0, &zero, sizeof zero);
    }
    return status;
}

/* All results, one behind the other. */
static gpu_status read_results(const fp_request *r, unsigned char *bytes)
{
    const fp_operator *kernel = r->ops[0];
    gpu_status status = GPU_OK;
    for (unsigned k = 0; k < kernel->count && !status; k++) {
        const fp_captured *c = &kernel->captured[k];
        if (!is_looked_at(r, c)) continue;
        status = fp_buffer_download(r->outputs[c->output].buffer, 0, bytes, c->extent * c->type->size);
        bytes += c->extent * c->type->size;
    }
    return status;
}

static gpu_status check_written(const fp_request *r, const unsigned char *first, const unsigned char *second)
{
    const fp_operator *kernel = r->ops[0];
    const unsigned char *runs[RUNS] = {first, second};
    gpu_status status = GPU_OK;
    for (unsigned k = 0; k < kernel->count && !status; k++) {
        const fp_captured *c = &kernel->captured[k];
        if (!is_looked_at(r, c)) continue;
        status = fp_kernel_check_written(kernel, c, c->extent, runs);
        for (unsigned n = 0; n < RUNS; n++) runs[n] += c->extent * c->type->size;
    }
    return status;
}

static gpu_status launch_checked(fp_request *r, size_t bytes)
{
    unsigned char *runs[RUNS] = {NULL};
    gpu_status status = GPU_OK;
    for (unsigned n = 0; n < RUNS && !status; n++) {
        runs[n] = fp_alloc(bytes);
        status = runs[n] ? fill_results(r, n, runs[n]) : fp_fail_memory();
        if (!status) status = launch_once(r);
        if (!status) status = read_results(r, runs[n]);
    }
    if (!status) status = check_written(r, runs[0], runs[1]);
    for (unsigned n = 0; n < RUNS; n++) fp_free(runs[n]);
    return status;
}

static gpu_status launch(fp_request *r)
{
    const fp_operator *kernel = r->ops[0];
    size_t bytes = 0;
    for (unsigned k = 0; k < kernel->count; k++)
        if (is_looked_at(r, &kernel->captured[k])) bytes += kernel->captured[k].extent * kernel->captured[k].type->size;
    return bytes && fp_is_on("FIREPILE_CHECK") ? launch_checked(r, bytes) : launch_once(r);
}

static const fp_primitive spawned = {
    .name = "spawn", .launch = launch, .run = fp_host_spawn, .reconcile = fp_host_reconcile_spawn};

/* Counts come last: each makes its result one that is counted. */
static void set_outputs(const fp_operator *kernel, fp_request *r)
{
    for (unsigned k = 0; k < kernel->count; k++) {
        const fp_captured *c = &kernel->captured[k];
        if (!fp_captured_is_made(c)) continue;
        fp_output *o = &r->outputs[c->output];
        *o = (fp_output){.type = c->type, .length = c->extent, .zeroed = c->part == GPU_PART_COUNT};
        if (c->output >= r->output_count) r->output_count = c->output + 1;
        if (c->part != GPU_PART_FROM) continue;
        const fp_ready from = fp_node_made(c->array);
        o->length = from.length;
        o->count = from.count ? fp_count_keep(from.count) : NULL;
    }
    for (unsigned k = 0; k < kernel->count; k++)
        if (kernel->captured[k].part == GPU_PART_COUNT)
            r->outputs[fp_part_shortened(kernel, &kernel->captured[k])->output].extent = FP_COUNTED;
}

/* Fused arrays share the arguments of one kernel. If they take too many, some become buffers. So does a selection
 * without elements, which no schedule computes. */
static gpu_status shorten(const fp_operator *kernel, size_t most)
{
    size_t bytes = 0;
    gpu_status status = GPU_OK;
    for (unsigned k = 0; k < kernel->count && !status; k++) {
        const fp_captured *c = &kernel->captured[k];
        if (!fp_captured_is_fused(c)) continue;
        bytes += c->array->parameter_bytes;
        fp_node_count(c->array);
        const bool nothing = !c->array->length && fp_node_selection(c->array);
        if (bytes > most / 2 || nothing) status = fp_node_eval(c->array, FP_REASON_LONG);
    }
    return status;
}

static gpu_status run(const fp_task *task, fp_node **results)
{
    fp_operator *kernel = task->op;
    const size_t *n = task->numbers;
    fp_request r = {.primitive = &spawned,
                    .ops = &kernel,
                    .op_count = 1,
                    .number = n[ITEMS],
                    .shape = {n[GROUPS], n[GROUP_ROWS], n[ITEM_ROWS]}};
    fp_node *space = fp_node_range(task->g, GPU_ULONG, 1);
    if (!space) return fp_last_status();
    gpu_status status = shorten(kernel, task->g->capabilities->parameter_bytes);
    if (!status) status = fp_node_prepare(space, &kernel, 1, &r.input);
    if (!status) set_outputs(kernel, &r);
    if (!status) status = fp_execute(&r, results);
    fp_node_drop(space);
    return status;
}

/* ---- the call ---- */

static void give_types(fp_task *task)
{
    for (unsigned k = 0; k < task->op->count; k++)
        if (fp_captured_is_made(&task->op->captured[k])) fp_task_gives(task, task->op->captured[k].type);
}

/* Sets the variables of the results, in the order of their outputs. */
static gpu_status set_results(gpu *g, const gpu_operator *kernel, gpu_status status, fp_node **nodes)
{
    unsigned k = 0;
    for (const gpu_capture *const *at = kernel ? kernel->captures : NULL; at && *at; at++) {
        const gpu_part *part = (*at)->type == GPU_CAPTURE_PART ? (*at)->value : NULL;
        if (!part || !fp_captured_is_made(&(fp_captured){.part = part->kind})) continue;
        fp_node *node = k < FP_RESULTS ? nodes[k++] : NULL;
        if (!part->result) fp_node_drop(node);
        if (!part->result) continue;
        *part->result = fp_array_new(g, node);
        if (!status) status = gpu_array_status(*part->result);
    }
    return status;
}

gpu_status gpu_spawn_op(gpu *g, gpu_space space, const gpu_operator *kernel)
{
    fp_entry entry = fp_entry_begin(g, "gpu_spawn", fp_place_of(kernel));
    fp_task task = {.run = run, .g = g, .numbers = {space.groups, space.items, space.group_rows, space.item_rows}};
    fp_node *nodes[FP_RESULTS] = {NULL};
    const fp_operator_kind kind = {.operation = "gpu_spawn",
                                   .traits = FP_OPERATOR_KERNEL | (space.item_rows ? FP_OPERATOR_SQUARE : 0)};
    gpu_status status = g ? check_space(g, &space) : fp_fail_no_gpu();
    if (!status) status = fp_task_bind(&task, kernel, &kind);
    if (!status) status = check_local_memory(g, task.op);
    if (!status) status = check_names(task.op);
    if (!status) give_types(&task);
    status = fp_task_end(&task, status, nodes);
    return fp_entry_end(&entry, set_results(g, kernel, status, nodes));
}
