#include "expressions/node.h"

#include "base/error.h"
#include "base/memory.h"
#include "expressions/chain.h"
#include "expressions/task.h"

#include <string.h>

/* ---- making and dropping ---- */

static fp_node *node_new(gpu *g, fp_node_kind kind, gpu_type type, size_t length)
{
    fp_node *node = fp_alloc(sizeof *node);
    if (!node) fp_fail_memory();
    if (!node) return NULL;
    node->g = g;
    node->references = 1;
    node->kind = kind;
    node->type = type;
    node->length = length;
    node->parameter_bytes = 16;
    node->id = ++g->serial;
    return node;
}

fp_node *fp_node_keep(fp_node *node)
{
    if (node) node->references++;
    return node;
}

static void drop_gather(fp_node *node)
{
    fp_node_drop(node->gather.source);
    fp_deferred_settle(node->gather.raises);
}

/* Drops the members that the node has by its kind. It becomes a buffer without elements. */
static void drop_variant(fp_node *node)
{
    if (node->kind == FP_NODE_FILL) fp_free(node->value);
    if (node->kind == FP_NODE_SLICE) fp_count_drop(node->slice.start);
    if (node->kind == FP_NODE_STENCIL) fp_free(node->stencil.outside);
    if (fp_node_source(node)) drop_gather(node);
    if (node->kind == FP_NODE_TASK || node->kind == FP_NODE_SYMBOL) fp_task_drop(node->made.task);
    node->kind = FP_NODE_BUFFER;
    node->first = 0;
}

/* Drops all that a node is computed from. */
static void drop_contents(fp_node *node)
{
    for (int k = 0; k < FP_INPUTS; k++) {
        fp_node_drop(node->inputs[k]);
        node->inputs[k] = NULL;
    }
    fp_operator_drop(node->op);
    fp_buffer_drop(node->buffer);
    fp_count_drop(node->count);
    drop_variant(node);
    node->op = NULL;
    node->buffer = NULL;
    node->count = NULL;
}

void fp_node_become_buffer(fp_node *node, fp_buffer *buffer, fp_count *count)
{
    fp_count *kept = fp_count_keep(count);
    drop_contents(node);
    node->buffer = buffer;
    node->count = kept;
    node->operators = node->depth = 0;
    node->parameter_bytes = 16;
    node->stored = node->stored_below = false;
}

/* A selection gets a count, unless it selects from nothing. */
gpu_status fp_node_store(fp_node *node, fp_reason reason)
{
    if (node->kind == FP_NODE_BUFFER || node->stored) return GPU_OK;
    const bool selects = fp_node_selection(node) && fp_node_most(node);
    fp_count *count = selects ? fp_count_new(node->g) : fp_count_keep(fp_node_count(node));
    if (selects && !count) return fp_last_status();
    fp_count_drop(node->count);
    node->count = count;
    node->stored = true;
    node->reason = reason;
    return GPU_OK;
}

gpu_status fp_node_end_selection(fp_node *node)
{
    return fp_node_selection(node) ? fp_node_store(node, FP_REASON_ENDED) : GPU_OK;
}

/* Dropping a node drops others. A loop does this, since chains may be long. */
void fp_node_drop(fp_node *node)
{
    if (!node || --node->references) return;
    gpu *g = node->g;
    node->next = g->dropped;
    g->dropped = node;
    if (g->drops) return;
    g->drops = true;
    for (fp_node *last = g->dropped; last; last = g->dropped) {
        g->dropped = last->next;
        drop_contents(last);
        fp_deferred_drop(last->deferred);
        fp_fault_drop(fp_fault_of(&last->fault));
        fp_free(last);
    }
    g->drops = false;
}

bool fp_node_can_be_part(const fp_node *node)
{
    return node->kind == FP_NODE_SLICE && !node->slice.start;
}

void fp_node_become_part(fp_node *slice)
{
    const fp_node *whole = slice->inputs[0];
    if (!fp_node_can_be_part(slice) || whole->kind != FP_NODE_BUFFER || !whole->buffer) return;
    const size_t first = whole->first + slice->slice.first;
    fp_node_become_buffer(slice, fp_buffer_keep(whole->buffer), slice->count);
    slice->first = first;
}

void fp_node_note_slice(fp_node *slice)
{
    fp_node *whole = slice->inputs[0];
    if (!whole || slice->length < whole->length - slice->length) return;
    whole->sliced += slice->length;
}

bool fp_node_consumes(const fp_node *node)
{
    return node->kind != FP_NODE_SLICE && node->kind != FP_NODE_PREVIOUS && node->kind != FP_NODE_STRIDED;
}

void fp_node_mark_inputs(fp_node *node)
{
    for (int k = 0; k < FP_INPUTS && node->inputs[k]; k++)
        if (fp_node_consumes(node) && !node->inputs[k]->consumer) node->inputs[k]->consumer = node->id;
}

gpu_status fp_node_inherit(fp_node *node, const fp_node *from)
{
    return fp_deferred_join(node->g, &node->deferred, from->deferred);
}

gpu_status fp_node_inherit_captured(fp_node *node, const fp_operator *op)
{
    gpu_status status = op ? fp_deferred_join(node->g, &node->deferred, op->reports) : GPU_OK;
    if (!status && op && op->map) status = fp_deferred_join(node->g, &node->deferred, op->map->reports);
    for (unsigned k = 0; op && k < op->count && !status; k++)
        if (op->captured[k].array) status = fp_node_inherit(node, op->captured[k].array);
    return status;
}

fp_node *fp_node_buffer(gpu *g, gpu_type type, size_t length, fp_buffer *buffer, size_t first)
{
    fp_node *node = node_new(g, FP_NODE_BUFFER, type, length);
    if (!node) return NULL;
    if (buffer) node->buffer = fp_buffer_keep(buffer);
    node->first = first;
    return node;
}

fp_node *fp_node_unless(gpu_status status, fp_node *node)
{
    if (!status) return node;
    fp_node_drop(node);
    return NULL;
}

gpu_status fp_node_give(fp_node *node, fp_node **result)
{
    *result = node;
    return node ? GPU_OK : fp_last_status();
}

fp_node *fp_node_symbol(fp_task *task, unsigned result)
{
    fp_node *node = node_new(task->g, FP_NODE_SYMBOL, task->results[result], 0);
    if (!node) return NULL;
    node->made.task = fp_task_keep(task);
    node->made.result = result;
    return node;
}

fp_node *fp_node_range(gpu *g, gpu_type type, size_t length)
{
    return node_new(g, FP_NODE_RANGE, type, length);
}

static gpu_status keep_value(fp_node *node, const void *value)
{
    if (node->type->size > FP_MOST_VALUE_BYTES)
        return fp_buffer_new_on_host(node->g->device, node->type->size, value, &node->buffer);
    node->parameter_bytes = node->type->size;
    node->value = fp_alloc(node->type->size);
    if (!node->value) return fp_fail_memory();
    memcpy(node->value, value, node->type->size);
    return GPU_OK;
}

fp_node *fp_node_fill(gpu *g, gpu_type type, const void *value, size_t length)
{
    fp_node *node = node_new(g, FP_NODE_FILL, type, length);
    return node ? fp_node_unless(keep_value(node, value), node) : NULL;
}

fp_node *fp_node_fill_after(const fp_node *before, gpu_type type, const void *value, size_t length)
{
    fp_node *fill = fp_node_fill(before->g, type, value, length);
    return fill ? fp_node_unless(fp_node_inherit(fill, before), fill) : NULL;
}

/* A slice of equal elements is as many of them. */
static fp_node *shorter_fill(const fp_node *fill, size_t length)
{
    if (!fill->buffer) return fp_node_fill(fill->g, fill->type, fill->value, length);
    fp_node *node = node_new(fill->g, FP_NODE_FILL, fill->type, length);
    if (node) node->buffer = fp_buffer_keep(fill->buffer);
    return node;
}

static fp_node *shorter_buffer(const fp_node *buffer, size_t first, size_t length)
{
    fp_node *node =
        fp_node_buffer(buffer->g, buffer->type, length, length ? buffer->buffer : NULL, buffer->first + first);
    if (node) node->deferred = fp_deferred_keep(buffer->deferred);
    return node;
}

static fp_node *node_of(fp_node_kind kind, gpu_type type, size_t length, fp_operator *op, fp_node *const *inputs,
                        unsigned count);

/* A node whose elements are those of its inputs at other places. A selection has no places. */
static fp_node *moved(fp_node_kind kind, size_t length, fp_node *const *inputs, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        if (fp_node_end_selection(inputs[k])) return NULL;
    return node_of(kind, inputs[0]->type, length, NULL, inputs, count);
}

fp_node *fp_node_slice(fp_node *node, size_t first, size_t length)
{
    if (node->kind == FP_NODE_TASK && fp_node_store(node, FP_REASON_WHOLE)) return NULL;
    if (node->kind == FP_NODE_BUFFER) return shorter_buffer(node, first, length);
    if (node->kind == FP_NODE_FILL) return shorter_fill(node, length);
    bool shifted = node->kind == FP_NODE_SLICE && !node->slice.start;
    size_t shift = shifted ? node->slice.first : 0;
    fp_node *slice = moved(FP_NODE_SLICE, length, shifted ? node->inputs : &node, 1);
    if (!slice) return NULL;
    slice->slice.first = first + shift;
    /* The length of a view may have deferred errors of its own. */
    return fp_node_unless(fp_node_inherit(slice, node), slice);
}

fp_node *fp_node_view(fp_node *node, fp_count *first, fp_count *length)
{
    fp_node *view = moved(FP_NODE_SLICE, node->length, &node, 1);
    if (!view) return NULL;
    fp_node_note_slice(view);
    view->slice.start = fp_count_keep(first);
    view->count = fp_count_keep(length);
    return view;
}

fp_node *fp_node_reverse(fp_node *node)
{
    fp_node *reversed = moved(FP_NODE_REVERSE, node->length, &node, 1);
    if (reversed) fp_node_note_slice(reversed);
    return reversed;
}

fp_node *fp_node_previous(fp_node *node)
{
    return moved(FP_NODE_PREVIOUS, node->length, &node, 1);
}

fp_node *fp_node_concat(fp_node *a, fp_node *b)
{
    return moved(FP_NODE_CONCAT, a->length + b->length, (fp_node *const[]){a, b}, 2);
}

/* A view of a slice or of another view is one of the array behind it, if it can be. */
static fp_node *look_through(fp_node *node, size_t rows, fp_strides *s)
{
    if (node->stored) return node;
    if (node->kind == FP_NODE_SLICE && !node->slice.start) s->first += node->slice.first;
    if (node->kind == FP_NODE_SLICE && !node->slice.start) return node->inputs[0];
    if (node->kind != FP_NODE_STRIDED) return node;
    const size_t inner_rows = node->length / node->strides.columns;
    return fp_strides_compose(s, rows, &node->strides, inner_rows, s) ? node->inputs[0] : node;
}

/* A view may repeat elements. Those that cost something are computed once. */
static gpu_status make_ready_for_view(fp_node *node, size_t length)
{
    if (node->kind == FP_NODE_TASK) return fp_node_store(node, FP_REASON_WHOLE);
    const bool repeats = length > node->length && fp_chain_costs(node);
    return repeats ? fp_node_store(node, FP_REASON_SLICED) : GPU_OK;
}

fp_node *fp_node_strided(fp_node *node, size_t rows, const fp_strides *strides)
{
    const size_t length = rows * strides->columns;
    fp_strides s = *strides;
    if (!length) return fp_node_buffer(node->g, node->type, 0, NULL, 0);
    if (node->kind == FP_NODE_FILL) return shorter_fill(node, length);
    fp_node *whole = look_through(node, rows, &s);
    if (make_ready_for_view(whole, length)) return NULL;
    if (fp_strides_are_run(&s, rows)) return fp_node_slice(whole, s.first, length);
    fp_node *view = moved(FP_NODE_STRIDED, length, &whole, 1);
    if (!view) return NULL;
    view->strides = s;
    return fp_node_unless(fp_node_inherit(view, node), view);
}

/* A task needs the places of its input, so a selection ends. */
fp_node *fp_node_task(fp_task *task)
{
    fp_node *input = task->inputs[0];
    if (fp_node_end_selection(input)) return NULL;
    const size_t length = task->block ? fp_ceiling(fp_node_most(input), task->block) : input->length;
    fp_node *node = node_of(FP_NODE_TASK, task->results[0], length, fp_operator_keep(task->op), &input, 1);
    if (node) node->made.task = fp_task_keep(task);
    return node;
}

static gpu_status cut_source(fp_node *source)
{
    return source->depth >= source->g->policy.chain ? fp_node_store(source, FP_REASON_LONG) : GPU_OK;
}

static void set_source(fp_node *node, fp_node *source)
{
    node->gather.source = fp_node_keep(source);
    fp_chain_deepen(node, source);
}

fp_node *fp_node_gather(fp_node *source, fp_node *indices)
{
    if (cut_source(source)) return NULL;
    fp_node *node = moved(FP_NODE_GATHER, indices->length, &indices, 1);
    if (!node) return NULL;
    node->type = source->type;
    set_source(node, source);
    fp_deferred *raises = fp_deferred_range(node->g, fp_node_count(source) ? SIZE_MAX : source->length);
    node->gather.raises = raises;
    gpu_status status = raises ? fp_deferred_join(node->g, &node->deferred, raises) : fp_last_status();
    return fp_node_unless(status ? status : fp_node_inherit(node, source), node);
}

/* A stencil reads each element several times, at places of its own. Each read of a view takes a division. */
static gpu_status make_ready_for_stencil(fp_node *input)
{
    const bool costs = fp_chain_costs(input) || input->kind == FP_NODE_STRIDED;
    gpu_status status = fp_node_end_selection(input);
    return status || !costs ? status : fp_node_store(input, FP_REASON_AROUND);
}

static gpu_status keep_outside(fp_node *node, const void *outside)
{
    node->stencil.outside = outside ? fp_alloc(node->type->size) : NULL;
    if (outside && !node->stencil.outside) return fp_fail_memory();
    if (outside) memcpy(node->stencil.outside, outside, node->type->size);
    return GPU_OK;
}

size_t fp_node_stencil_columns(const fp_node *stencil)
{
    return stencil->op->placed ? stencil->op->columns : stencil->inputs[0]->length;
}

fp_node *fp_node_stencil(fp_node *node, gpu_edge_kind edge, const void *outside, fp_reach reach, fp_operator *op)
{
    if (make_ready_for_stencil(node)) {
        fp_operator_drop(op);
        return NULL;
    }
    fp_node *stencil = node_of(FP_NODE_STENCIL, node->type, node->length, op, &node, 1);
    if (!stencil) return NULL;
    stencil->stencil.edge = edge;
    stencil->stencil.reach = reach;
    return fp_node_unless(keep_outside(stencil, outside), stencil);
}

/* Consumers of a search need a place for each value. A selection has no places. */
fp_node *fp_node_find(fp_node *source, fp_node *values, fp_operator *less)
{
    gpu_status status = cut_source(source);
    if (!status) status = fp_node_end_selection(values);
    if (status) fp_operator_drop(less);
    if (status) return NULL;
    fp_node *node = node_of(FP_NODE_FIND, GPU_ULONG, values->length, less, &values, 1);
    if (!node) return NULL;
    set_source(node, source);
    return fp_node_unless(fp_node_inherit(node, source), node);
}

/* ---- extents ---- */

size_t fp_node_most(fp_node *node)
{
    fp_node_count(node);
    return node->length;
}

fp_node *fp_node_selection(const fp_node *node)
{
    while (node->kind == FP_NODE_MAP && !node->stored) node = node->inputs[0];
    return fp_node_filters(node) && !node->stored ? (fp_node *)node : NULL;
}

/* Replaces a count that the host knows by its number. */
static void learn(fp_count **count, size_t *number)
{
    if (!*count || !(*count)->known) return;
    *number = (*count)->value;
    fp_count_drop(*count);
    *count = NULL;
}

fp_count *fp_node_count(fp_node *node)
{
    if (node->kind == FP_NODE_RANGE || node->kind == FP_NODE_FILL || node->kind == FP_NODE_CONCAT) return NULL;
    if (node->kind == FP_NODE_STRIDED) return NULL;
    if (node->kind == FP_NODE_TASK && node->made.task->block) return NULL;
    if (node->kind != FP_NODE_BUFFER && node->kind != FP_NODE_SLICE && !node->stored) {
        fp_count *count = fp_node_count(node->inputs[0]);
        node->length = node->inputs[0]->length;
        return count;
    }
    if (node->kind == FP_NODE_SLICE) learn(&node->slice.start, &node->slice.first);
    learn(&node->count, &node->length);
    return node->count;
}

fp_node *fp_node_stored_extent(fp_node *node)
{
    const bool blocks = node->kind == FP_NODE_TASK && node->made.task->block;
    const bool own =
        node->kind == FP_NODE_BUFFER || node->kind == FP_NODE_SLICE || node->kind == FP_NODE_STRIDED || blocks;
    if (node->stored && node->kind != FP_NODE_BUFFER) return node;
    return own || !node->inputs[0] || node->kind == FP_NODE_CONCAT ? NULL : fp_node_stored_extent(node->inputs[0]);
}

/* Another copy of so many bytes takes less than another wait: on PoCL 6 us against 30. */
enum { SHORT_BYTES = 1 << 16 };

bool fp_node_is_short(const fp_node *node)
{
    return node->length <= SHORT_BYTES / node->type->size;
}

bool fp_node_same_extent(fp_node *a, fp_node *b)
{
    const fp_count *of_a = fp_node_count(a), *of_b = fp_node_count(b);
    const fp_node *selection = fp_node_selection(a);
    if (selection != fp_node_selection(b)) return false;
    return selection || (of_a == of_b && (of_a || a->length == b->length));
}

/* Note [selections]: maps over a selection belong to it if they need the elements alone. A selection is stored if an
 * operator uses `i`, the place in the result, or if not all inputs come from this selection. */
static gpu_status end_selections(fp_node *const *inputs, unsigned count, const fp_operator *op)
{
    bool one = !fp_operator_uses_index(op);
    for (unsigned k = 1; k < count; k++) one = one && fp_node_selection(inputs[k]) == fp_node_selection(inputs[0]);
    gpu_status status = GPU_OK;
    for (unsigned k = 0; k < count && !one && !status; k++) status = fp_node_end_selection(inputs[k]);
    return status;
}

static gpu_status finish(fp_node *node, fp_node *const *inputs, unsigned count)
{
    gpu_status status = node->op ? end_selections(inputs, count, node->op) : GPU_OK;
    for (unsigned k = 0; k < count; k++) {
        node->inputs[k] = fp_node_keep(inputs[k]);
        inputs[k]->used |= fp_node_consumes(node) && node->kind != FP_NODE_REVERSE;
    }
    for (unsigned k = 0; k < count && !status; k++) status = fp_node_inherit(node, inputs[k]);
    if (!status) status = fp_node_inherit_captured(node, node->op);
    if (!status) status = fp_chain_shorten(node);
    /* An input may be stored now, and so leave the selection of the others. */
    return status || !node->op ? status : end_selections(inputs, count, node->op);
}

/* A node with inputs. Takes over the operator, if there is one. */
static fp_node *node_of(fp_node_kind kind, gpu_type type, size_t length, fp_operator *op, fp_node *const *inputs,
                        unsigned count)
{
    fp_node *node = node_new(inputs[0]->g, kind, type, length);
    if (!node) fp_operator_drop(op);
    if (!node) return NULL;
    node->op = op;
    return fp_node_unless(finish(node, inputs, count), node);
}

fp_node *fp_node_map(gpu_type type, fp_operator *op, fp_node *const *inputs, unsigned count)
{
    return node_of(FP_NODE_MAP, type, inputs[0]->length, op, inputs, count);
}

fp_node *fp_node_map_own(gpu_type type, const char *snippet, const gpu_capture *const *captures, fp_node *const *inputs,
                         unsigned count)
{
    fp_operator *op;
    if (fp_operator_bind_own(inputs[0]->g, snippet, captures, &op)) return NULL;
    return fp_node_map(type, op, inputs, count);
}

/* Indices are places in the inputs, so the inputs' own selections end. */
fp_node *fp_node_filter(fp_node *const *inputs, unsigned count, fp_operator *op, bool indices)
{
    gpu_status status = GPU_OK;
    for (unsigned k = 0; k < count && indices && !status; k++) status = fp_node_end_selection(inputs[k]);
    if (status) fp_operator_drop(op);
    if (status) return NULL;
    op->predicate = true;
    return node_of(indices ? FP_NODE_INDICES : FP_NODE_FILTER, indices ? GPU_ULONG : inputs[0]->type, inputs[0]->length,
                   op, inputs, count);
}
