#include "planning/plan.h"

#include "base/error.h"
#include "base/memory.h"
#include "host/host.h"
#include "kernel/definition.h"
#include "kernel/type.h"
#include "planning/sequence.h"

#include <string.h>

static void key_add(fp_plan *plan, const void *bytes, size_t n)
{
    fp_text_add(&plan->key, bytes, n);
}

static void key_pointer(fp_plan *plan, const void *pointer)
{
    key_add(plan, &pointer, sizeof pointer);
}

/* ---- parameters ---- */

static void add_parameter(fp_plan *plan, fp_parameter parameter)
{
    fp_parameter *new = FP_PUSH(plan->parameters, plan->parameter_count, plan->parameter_capacity);
    plan->failed |= !new;
    if (new) *new = parameter;
}

/* An element index or a length. */
static void add_size(fp_plan *plan, size_t size)
{
    add_parameter(plan, (fp_parameter){.type = GPU_ULONG, .size = size});
}

static void add_elements(fp_plan *plan, const fp_node *node)
{
    add_parameter(plan, (fp_parameter){.type = node->type, .pointer = true, .arg = {.buffer = node->buffer}});
    add_size(plan, node->kind == FP_NODE_BUFFER ? node->first : 0);
}

/* A device counter: its buffer, and its index there. */
static void add_count(fp_plan *plan, const fp_count *count)
{
    fp_buffer *counters = fp_counter_buffer(count->counter);
    add_parameter(plan, (fp_parameter){.type = GPU_ULONG, .pointer = true, .arg = {.buffer = counters}});
    add_size(plan, count->counter.index);
}

/* A length or a first element that the host or only the device knows. */
static void add_extent(fp_plan *plan, size_t length, const fp_count *count)
{
    key_add(plan, count ? "?" : "!", 1);
    if (count) add_count(plan, count);
    if (!count) add_size(plan, length);
}

static void add_length(fp_plan *plan, fp_node *node)
{
    const fp_count *count = fp_node_count(node);
    add_extent(plan, node->length, count);
}

static void add_value(fp_plan *plan, gpu_type type, const void *bytes)
{
    add_parameter(plan, (fp_parameter){.type = type, .arg = {.value = bytes, .bytes = type->size}});
}

static void add_operator(fp_plan *plan, const fp_operator *op);

/* The word that the kernel counts in, the device counter that gets the number, and its limit. */
static void add_counted(fp_plan *plan, const fp_captured *c)
{
    const fp_captured *of = fp_part_shortened(plan->kernel, c);
    fp_arg count[FP_COUNT_ARGS];
    uint64_t index;
    fp_count_args(plan->outputs[of->output].count, &index, count);
    add_parameter(plan,
                  (fp_parameter){.counter = true, .type = c->type, .arg.buffer = plan->outputs[c->output].buffer});
    for (unsigned k = 0; k < FP_COUNT_ARGS - 1; k++)
        add_parameter(plan, (fp_parameter){.counter = true, .type = GPU_ULONG, .arg = count[k]});
    add_size(plan, index);
    add_size(plan, of->extent);
}

/* A part of a kernel. */
static void add_part(fp_plan *plan, const fp_captured *c)
{
    const uint32_t kind = c->part;
    key_add(plan, &kind, sizeof kind);
    if (c->part == GPU_PART_GROUP) key_add(plan, &c->extent, sizeof c->extent);
    if (c->part == GPU_PART_OPERATOR) add_operator(plan, c->called);
    if (c->part == GPU_PART_COUNT) add_counted(plan, c);
    if (c->part == GPU_PART_RESULT || c->part == GPU_PART_FROM)
        add_parameter(plan,
                      (fp_parameter){.made = true, .type = c->type, .arg.buffer = plan->outputs[c->output].buffer});
    if (c->part == GPU_PART_RESULT && c->checked) add_size(plan, c->extent);
    if (c->part == GPU_PART_FROM && c->checked) add_length(plan, c->array);
}

/* The report is the last parameter of an operator, whose parameters begin with `first`. Arrays without elements have no
 * buffers. */
static void add_report(fp_plan *plan, const fp_operator *op, size_t first)
{
    size_t offset;
    fp_buffer *buffer = fp_deferred_report_buffer(op->reports, &offset);
    for (size_t k = first; k < plan->parameter_count; k++) {
        fp_parameter *p = &plan->parameters[k];
        if ((p->pointer || p->made) && !p->arg.buffer) p->arg.buffer = buffer;
    }
    add_parameter(plan, (fp_parameter){.counter = true, .type = GPU_ULONG, .arg.buffer = buffer});
    add_size(plan, offset / sizeof(uint64_t));
    plan->reports = true;
}

/* The key and the parameters of an operator's captures. */
static void add_operator(fp_plan *plan, const fp_operator *op)
{
    const uint32_t numbers[] = {op->snippet->id, op->predicate, op->negated, op->combines,
                                op->keyed,       op->region,    op->count,   op->reports != NULL};
    const size_t first = plan->parameter_count;
    key_add(plan, numbers, sizeof numbers);
    for (unsigned k = 0; k < op->count; k++) {
        const fp_captured *c = &op->captured[k];
        key_add(plan, c->checked ? "c" : "u", 1);
        key_pointer(plan, c->type);
        key_add(plan,
                fp_captured_is_fused(c) ? "~"
                : c->length             ? "#"
                : c->large              ? "&"
                : c->array              ? "*"
                : c->pointed            ? "@"
                                        : "=",
                1);
        key_add(plan, c->name, strlen(c->name) + 1);
        const bool fused = fp_captured_is_fused(c);
        if (c->part) add_part(plan, c);
        if (fused) key_add(plan, &c->array->step, sizeof c->array->step);
        if (c->part || fused) continue;
        if (c->length) add_length(plan, c->array);
        if (c->array && !c->length) add_elements(plan, c->array);
        if (c->checked) add_length(plan, c->array);
        if (!c->array) add_value(plan, c->type, c->bytes);
    }
    if (op->reports) add_report(plan, op, first);
}

/* ---- steps ---- */

static void add_stencil(fp_plan *plan, fp_node *node)
{
    add_operator(plan, node->op);
    key_add(plan, &node->stencil.reach, sizeof node->stencil.reach);
    key_add(plan, &node->stencil.edge, sizeof node->stencil.edge);
    if (node->op->placed) add_size(plan, node->op->columns ? node->length / node->op->columns : 0);
    if (!node->op->placed) add_length(plan, node->inputs[0]);
    if (node->stencil.outside) add_value(plan, node->type, node->stencil.outside);
}

/* The device stores the position of a wrong index in the counter. */
static void add_gather(fp_plan *plan, const fp_node *node)
{
    fp_counter counter = fp_deferred_counter(node->gather.raises);
    fp_buffer *counters = fp_counter_shown(counter);
    add_elements(plan, node->gather.source);
    add_length(plan, node->gather.source);
    add_parameter(plan, (fp_parameter){.counter = true, .type = GPU_UINT, .arg = {.buffer = counters}});
    add_size(plan, counter.index);
}

/* Programs have steps of 1 as constants, so that compilers see neighbours. */
static void add_view(fp_plan *plan, const fp_strides *strides)
{
    const uint32_t steps[] = {strides->row_step == 1, strides->column_step == 1};
    key_add(plan, steps, sizeof steps);
    add_size(plan, strides->columns);
    add_size(plan, strides->first);
    add_size(plan, strides->row_step);
    add_size(plan, strides->column_step);
}

/* The parameters of a node's own. */
static void add_own(fp_plan *plan, fp_node *node)
{
    switch (node->kind) {
    case FP_NODE_BUFFER:
        add_elements(plan, node);
        break;
    case FP_NODE_FILL:
        if (node->buffer) add_elements(plan, node);
        if (!node->buffer) add_value(plan, node->type, node->value);
        break;
    case FP_NODE_SLICE:
        fp_node_count(node);
        add_extent(plan, node->slice.first, node->slice.start);
        break;
    case FP_NODE_REVERSE:
    case FP_NODE_CONCAT:
        add_length(plan, node->inputs[0]);
        break;
    case FP_NODE_STRIDED:
        add_view(plan, &node->strides);
        break;
    case FP_NODE_GATHER:
        add_gather(plan, node);
        break;
    case FP_NODE_FIND:
        add_elements(plan, node->gather.source);
        add_length(plan, node->gather.source);
        add_operator(plan, node->op);
        break;
    case FP_NODE_MAP:
    case FP_NODE_FILTER:
    case FP_NODE_INDICES:
        add_operator(plan, node->op);
        break;
    case FP_NODE_STENCIL:
        add_stencil(plan, node);
        break;
    case FP_NODE_RANGE:
    case FP_NODE_PREVIOUS:
    case FP_NODE_TASK:
    case FP_NODE_SYMBOL:
        break;
    }
}

/* A task stands for the value that the template is about to store. */
static unsigned add_step(fp_plan *plan, fp_node *node)
{
    if (node->visit == plan->visit) return node->step;
    fp_step step = {.node = node};
    for (int k = 0; k < FP_INPUTS && node->inputs[k] && node->kind != FP_NODE_TASK; k++)
        step.inputs[k] = add_step(plan, node->inputs[k]);
    step.parameter = (unsigned)plan->parameter_count;
    const uint32_t numbers[] = {node->kind, step.inputs[0], step.inputs[1], step.inputs[2]};
    key_add(plan, numbers, sizeof numbers);
    key_pointer(plan, node->type);
    add_own(plan, node);
    fp_step *new = FP_PUSH(plan->steps, plan->step_count, plan->step_capacity);
    if (!new) plan->failed = true;
    if (!new) return 0;
    *new = step;
    node->visit = plan->visit;
    node->step = (unsigned)(plan->step_count - 1);
    return node->step;
}

static fp_plan *plan_of(gpu *g)
{
    if (!g->plan) g->plan = fp_alloc(sizeof *g->plan);
    if (!g->plan) fp_fail_memory();
    return g->plan;
}

gpu_status fp_plan_begin(fp_plan **out, const char *template, gpu_type type, const fp_ready *input)
{
    gpu *g = input->node->g;
    fp_plan *plan = plan_of(g);
    if (!plan) return fp_last_status();
    plan->g = g;
    plan->template = template;
    plan->type = type;
    plan->slot_count = plan->combine_count = plan->name_count = 0;
    plan->absence = FP_ABSENCE_NONE;
    plan->compares = plan->has_epilogue = plan->multiplies = plan->placed = plan->reports = false;
    plan->split = (fp_split){.dimensions = 0};
    plan->kernel = NULL;
    plan->length = input->length;
    plan->counted = input->count != NULL;
    plan->step_count = plan->parameter_count = 0;
    plan->failed = false;
    plan->wide = 1;
    plan->visit = ++g->serial;
    fp_text_clear(&plan->key);
    unsigned long generation = fp_definition_generation();
    key_add(plan, template, strlen(template) + 1);
    key_add(plan, &generation, sizeof generation);
    key_pointer(plan, type);
    add_extent(plan, input->length, input->count);
    plan->root = add_step(plan, input->node);
    *out = plan;
    return GPU_OK;
}

void fp_plan_combine(fp_plan *plan, const fp_operator *op, gpu_type type)
{
    plan->combines[plan->combine_count++] =
        (fp_combine){.op = op, .type = type, .parameter = (unsigned)plan->parameter_count};
    key_pointer(plan, type);
    add_operator(plan, op);
}

/* The key of anything else that may come here begins with a pointer to something. */
void fp_plan_map(fp_plan *plan, const fp_operator *map)
{
    fp_combine *combine = &plan->combines[plan->combine_count - 1];
    combine->map = map;
    combine->map_parameter = (unsigned)plan->parameter_count;
    key_pointer(plan, NULL);
    add_operator(plan, map);
}

void fp_plan_compare(fp_plan *plan, const fp_operator *less, gpu_type type)
{
    fp_plan_combine(plan, less, type);
    plan->compares = true;
}

void fp_plan_product(fp_plan *plan, const fp_operator *op, gpu_type type)
{
    plan->product = (fp_combine){.op = op, .type = type, .parameter = (unsigned)plan->parameter_count};
    plan->multiplies = true;
    add_operator(plan, op);
}

void fp_plan_kernel(fp_plan *plan, const fp_operator *kernel, const fp_output *outputs, size_t group_columns)
{
    plan->kernel = kernel;
    plan->outputs = outputs;
    for (unsigned k = 0; k < kernel->count; k++)
        if (fp_captured_is_fused(&kernel->captured[k])) add_step(plan, kernel->captured[k].array);
    key_add(plan, &kernel->dimensions, sizeof kernel->dimensions);
    add_size(plan, group_columns);
    plan->kernel_parameter = (unsigned)plan->parameter_count;
    add_operator(plan, kernel);
}

void fp_plan_epilogue(fp_plan *plan, fp_node *maps)
{
    plan->epilogue = add_step(plan, maps);
    plan->has_epilogue = true;
}

void fp_plan_name(fp_plan *plan, const char *name, gpu_type type)
{
    plan->names[plan->name_count++] = (fp_name){name, type};
    key_pointer(plan, name);
    key_pointer(plan, type);
}

void fp_plan_absence(fp_plan *plan, const void *identity)
{
    plan->absence = identity ? FP_ABSENCE_NEUTRAL : FP_ABSENCE_MARKED;
    plan->neutral = (unsigned)plan->parameter_count;
    key_add(plan, &plan->absence, sizeof plan->absence);
    if (identity) add_value(plan, plan->type, identity);
}

void fp_plan_slot(fp_plan *plan, const char *name, uint64_t value)
{
    _Static_assert(sizeof(fp_slot) == sizeof(char *) + sizeof(uint64_t), "a key gets no padding");
    const fp_slot slot = {name, value};
    plan->slots[plan->slot_count++] = slot;
    key_add(plan, &slot, sizeof slot);
}

/* ---- width ---- */

bool fp_plan_reads_scalars(const fp_plan *plan)
{
    for (size_t k = 0; k < plan->step_count; k++) {
        const fp_node *node = plan->steps[k].node;
        if (node->kind == FP_NODE_BUFFER && !fp_type_is_scalar(node->type)) return false;
    }
    return true;
}

static bool is_aligned(const fp_plan *plan, size_t width)
{
    for (size_t k = 0; k < plan->step_count; k++) {
        const fp_node *node = plan->steps[k].node;
        if (node->kind == FP_NODE_BUFFER && node->first % width != 0) return false;
        if (node->kind == FP_NODE_SLICE && (node->slice.start || node->slice.first % width != 0)) return false;
        if (node->kind == FP_NODE_REVERSE || node->kind == FP_NODE_PREVIOUS || node->kind == FP_NODE_CONCAT ||
            node->kind == FP_NODE_STENCIL || node->kind == FP_NODE_STRIDED)
            return false;
    }
    return true;
}

static bool shares(const fp_node *node)
{
    return node->kind == FP_NODE_MAP && node->op->shares;
}

unsigned fp_plan_shared(const fp_plan *plan)
{
    size_t most = 1;
    for (size_t k = 0; k < plan->step_count; k++) {
        const fp_node *node = plan->steps[k].node;
        if (shares(node) && FP_SHARED_BYTES / node->type->size > most) most = FP_SHARED_BYTES / node->type->size;
    }
    return (unsigned)most;
}

size_t fp_plan_largest_read(const fp_plan *plan)
{
    size_t largest = 0;
    for (size_t k = 0; k < plan->step_count; k++) {
        const fp_node *node = plan->steps[k].node;
        if ((node->kind == FP_NODE_BUFFER || shares(node)) && node->type->size > largest) largest = node->type->size;
    }
    return largest;
}

/* A kernel that reads nothing needs nothing in flight. Long chains of computed elements keep NVIDIA's compiler busy for
 * ever. */
void fp_plan_vectors(fp_plan *plan, unsigned vector)
{
    size_t bytes = fp_plan_largest_read(plan), in_flight = bytes ? plan->g->policy.flight / (vector * bytes) : 1;
    bool wide = vector > 1 && bytes && fp_plan_reads_scalars(plan) && is_aligned(plan, vector);
    plan->wide = wide ? vector : 1;
    fp_plan_slot(plan, "FP_VECTOR", vector);
    fp_plan_slot(plan, "FP_WIDE", wide);
    fp_plan_slot(plan, "FP_IN_FLIGHT", in_flight < 1 ? 1 : in_flight > 16 ? 16 : in_flight);
}

/* ---- edges ---- */

/* Adds a stencil. False: its edges are at other places than those of the stencils before. */
static bool add_margin(fp_split *split, const fp_step *step)
{
    const fp_node *node = step->node;
    const fp_reach *reach = &node->stencil.reach;
    const unsigned dimensions = node->op->placed ? 2 : 1;
    if (step->moved || (split->dimensions && split->dimensions != dimensions)) return false;
    if (split->dimensions == 2 && split->columns != node->op->columns) return false;
    split->dimensions = dimensions;
    split->columns = node->op->columns;
    split->columns_parameter = step->parameter;
    if (reach->down > split->margin.down) split->margin.down = reach->down;
    if (reach->across > split->margin.across) split->margin.across = reach->across;
    return true;
}

/* The margins of all stencils. No dimensions if there are none, or if they differ. */
static fp_split split_of(fp_plan *plan)
{
    fp_split split = {.dimensions = 0};
    for (size_t k = 0; k < plan->step_count; k++) plan->steps[k].moved = false;
    for (size_t k = plan->step_count; k-- > 0;) {
        const fp_step *step = &plan->steps[k];
        const fp_node *node = step->node;
        if (node->kind == FP_NODE_STENCIL && !add_margin(&split, step)) return (fp_split){.dimensions = 0};
        for (unsigned n = 0; n < FP_INPUTS && node->inputs[n]; n++)
            plan->steps[step->inputs[n]].moved |= step->moved || !fp_node_stays(node);
    }
    return split;
}

bool fp_plan_has_stencils(const fp_plan *plan)
{
    for (size_t k = 0; k < plan->step_count; k++)
        if (plan->steps[k].node->kind == FP_NODE_STENCIL) return true;
    return false;
}

bool fp_plan_has_matrices(const fp_plan *plan)
{
    for (size_t k = 0; k < plan->step_count; k++) {
        const fp_node *node = plan->steps[k].node;
        if (node->kind == FP_NODE_STRIDED || (node->op && node->op->placed)) return true;
    }
    return false;
}

void fp_plan_edges(fp_plan *plan)
{
    static const uint32_t all = 1;
    plan->split = split_of(plan);
    fp_plan_slot(plan, "FP_SPLIT", plan->split.dimensions);
    fp_plan_slot(plan, "FP_MARGIN", plan->split.margin.across);
    fp_plan_slot(plan, "FP_MARGIN_DOWN", plan->split.margin.down);
    if (!plan->split.dimensions) return;
    plan->split.edges = (unsigned)plan->parameter_count;
    add_value(plan, GPU_UINT, &all);
}

/* ---- places ---- */

void fp_plan_places(fp_plan *plan, size_t columns)
{
    plan->placed = true;
    for (size_t k = 0; k < plan->step_count; k++) {
        fp_step *step = &plan->steps[k];
        step->placed = step->node->kind == FP_NODE_STRIDED && step->node->strides.columns == columns;
        key_add(plan, &step->placed, sizeof step->placed);
    }
}

/* ---- launching ---- */

/* The compiler refused an operator's text, so its node is in error. */
static void blame(fp_plan *plan, const void *op)
{
    for (size_t k = 0; op && k < plan->step_count; k++) {
        fp_node *node = plan->steps[k].node;
        if (node->op == op) fp_fault_set(&node->fault, fp_fault_new(plan->g));
    }
}

static gpu_status build(fp_plan *plan, fp_built **built)
{
    fp_source source = {.failed = false};
    fp_text function = {0};
    const fp_origin *origin = NULL;
    fp_text_print(&function, "fp_%s", plan->template);
    gpu_status status = function.failed ? fp_fail_memory() : fp_plan_write(plan, &source);
    if (!status) status = fp_kernels_build(&plan->g->kernels, &plan->key, &source, function.bytes, built, &origin);
    if (origin) blame(plan, origin->owner);
    fp_text_free(&function);
    fp_source_free(&source);
    return status;
}

static const fp_arg *all_args(fp_plan *plan, const fp_arg *args, unsigned count)
{
    size_t n = plan->parameter_count;
    while (plan->arg_capacity < n + count)
        if (!fp_make_room(&plan->args, plan->arg_capacity, &plan->arg_capacity, sizeof *plan->args)) return NULL;
    for (size_t k = 0; k < n; k++) {
        fp_parameter *p = &plan->parameters[k];
        bool is_size = !p->pointer && !p->counter && !p->made && !p->arg.value;
        plan->args[k] = is_size ? (fp_arg){FP_ARG_VALUE(p->size)} : p->arg;
    }
    memcpy(plan->args + n, args, count * sizeof *args);
    return plan->args;
}

static void mark_consumer(fp_node *root, uint64_t consumer)
{
    if (!root->consumer) root->consumer = consumer;
    root->used = true;
}

/* Notes the consumer of each node. Another consumer makes the node a buffer next time. */
static void mark_consumers(fp_plan *plan, uint64_t consumer)
{
    for (size_t k = 0; k < plan->step_count; k++) fp_node_mark_inputs(plan->steps[k].node);
    mark_consumer(plan->steps[plan->root].node, consumer);
    for (unsigned k = 0; plan->kernel && k < plan->kernel->count; k++)
        if (fp_captured_is_fused(&plan->kernel->captured[k])) mark_consumer(plan->kernel->captured[k].array, consumer);
}

/* Drivers check this late or not at all. */
static gpu_status check_bytes(const fp_plan *plan, const fp_arg *args, size_t count)
{
    size_t bytes = 0, most = plan->g->capabilities->parameter_bytes;
    for (size_t k = 0; k < count; k++) bytes += args[k].value ? args[k].bytes : sizeof(void *);
    if (bytes <= most) return GPU_OK;
    return fp_fail(GPU_E_ARGUMENT,
                   "the arguments of the kernel take %zu bytes, and %s allows %zu: capture fewer values, "
                   "or an array of them",
                   bytes, plan->g->capabilities->name, most);
}

gpu_status fp_plan_launch(fp_plan *plan, const fp_arg *args, unsigned count, size_t groups, size_t group_size)
{
    gpu *g = plan->g;
    if (g->capabilities->host) return fp_host_fail(fp_operation());
    if (g->mode == FP_MODE_COUNTS) {
        g->counted.launches++;
        g->counted.epilogue |= plan->has_epilogue;
        return GPU_OK;
    }
    if (!groups) return fp_fail(GPU_E_INTERNAL, "a launch of fp_%s without work-groups", plan->template);
    fp_plan_slot(plan, "FP_CPU", g->policy.cpu);
    fp_plan_slot(plan, "FP_WG", group_size);
    fp_plan_slot(plan, "FP_COUNTED", plan->counted);
    if (plan->failed || plan->key.failed) return fp_fail_memory();
    const fp_arg *all = all_args(plan, args, count);
    unsigned total = (unsigned)plan->parameter_count + count;
    if (!all) return fp_fail_memory();
    gpu_status status = check_bytes(plan, all, total);
    fp_built *built = status ? NULL : fp_kernels_find(&g->kernels, &plan->key);
    if (!status && !built) status = build(plan, &built);
    if (!status && g->mode == FP_MODE_BUILDS) return GPU_OK;
    if (!status) status = fp_sequence_launch(g, &(fp_launch){built, all, total, groups, group_size}, plan->length);
    if (!status) mark_consumers(plan, ++g->serial);
    if (!status) g->unchecked += g->verify;
    return status;
}

void fp_plan_free(fp_plan *plan)
{
    if (!plan) return;
    fp_free(plan->steps);
    fp_free(plan->parameters);
    fp_free(plan->args);
    fp_text_free(&plan->key);
    fp_free(plan);
}
