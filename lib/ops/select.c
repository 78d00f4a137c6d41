/* Filter and other operations that a predicate selects by. */
#include "arrays/read.h"
#include "base/error.h"
#include "host/apply.h"
#include "ops/search.h"
#include "planning/eval.h"

#include <firepile/select.h>
#include <string.h>

/* ---- filter, find_if ---- */

static gpu_status run_filter(const fp_task *task, fp_node **result)
{
    return fp_node_give(fp_node_filter(task->inputs, 1, fp_operator_keep(task->op), false), result);
}

/* The array and its predicate. */
static gpu_status take(fp_task *task, const gpu_array *a, const gpu_operator *pred)
{
    gpu_status status = fp_task_input(task, a, "a");
    if (status) return status;
    const fp_operator_kind kind = fp_predicate_kind(a->node->type);
    return fp_task_bind(task, pred, &kind);
}

gpu_array *gpu_filter_op(const gpu_array *a, const gpu_operator *pred)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_filter", fp_place_of(pred));
    fp_task task = {.run = run_filter};
    return fp_task_array(&entry, &task, take(&task, a, pred));
}

gpu_array *gpu_find_if_op(const gpu_array *a, const gpu_operator *pred)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_find_if", fp_place_of(pred));
    fp_task task = {.run = fp_run_indices, .results = {GPU_ULONG}, .result_count = 1};
    return fp_task_array(&entry, &task, take(&task, a, pred));
}

/* ---- find, index_of ---- */

gpu_status fp_equals_bind(gpu *g, gpu_type type, const gpu_value *value, fp_operator **out)
{
    if (type->kind == GPU_KIND_STRUCT)
        return fp_fail(GPU_E_TYPE, "struct %s has no == of its own: give a predicate to %s", type->name,
                       strcmp(fp_operation(), "gpu_find") ? "gpu_index_if" : "gpu_find_if");
    gpu_status status = fp_check_value(value, type, "value");
    if (status) return status;
    const gpu_capture wanted = {"value", value->pointer, type, type->size};
    const char *text = type->width > 1 ? "all(x == value)" : "x == value";
    return fp_operator_bind_own(g, text, (const gpu_capture *const[]){&wanted, NULL}, out);
}

gpu_array *gpu_find_op(const gpu_array *a, const gpu_value *value, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_find", place);
    fp_task task = {.run = fp_run_indices, .results = {GPU_ULONG}, .result_count = 1};
    gpu_status status = fp_task_input(&task, a, "a");
    if (!status) status = fp_equals_bind(a->g, a->node->type, value, &task.op);
    return fp_task_array(&entry, &task, status);
}

/* Takes over `op`. */
static gpu_status index_of(fp_entry *entry, const gpu_array *a, fp_operator *op, size_t *index)
{
    gpu_status status = fp_check_pointer(index);
    if (!status) return fp_search_read(entry, a->node, op, index);
    fp_operator_drop(op);
    return status;
}

gpu_status gpu_index_of_op(const gpu_array *a, const gpu_value *value, size_t *index, const gpu_place *place)
{
    fp_operator *op;
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_index_of", place);
    gpu_status status = fp_array_check(a, "a");
    if (!status) status = fp_equals_bind(a->g, a->node->type, value, &op);
    return fp_entry_end(&entry, status ? status : index_of(&entry, a, op, index));
}

gpu_status gpu_index_if_op(const gpu_array *a, const gpu_operator *pred, size_t *index)
{
    fp_operator *op;
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_index_if", fp_place_of(pred));
    gpu_status status = fp_predicate_bind(a, pred, &op);
    return fp_entry_end(&entry, status ? status : index_of(&entry, a, op, index));
}

/* ---- unique ---- */

static gpu_status run_unique(const fp_task *task, fp_node **result)
{
    fp_node *node = task->inputs[0], *before = fp_node_previous(node);
    fp_operator *op;
    const char *differs = node->type->width > 1 ? "i == 0 || any(x != y)" : "i == 0 || x != y";
    if (before && !fp_operator_bind_own(node->g, differs, NULL, &op))
        *result = fp_node_filter((fp_node *const[]){node, before}, 2, op, false);
    fp_node_drop(before);
    return *result ? GPU_OK : fp_last_status();
}

gpu_array *gpu_unique_op(const gpu_array *a, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_unique", place);
    fp_task task = {.run = run_unique};
    gpu_status status = fp_task_input(&task, a, "a");
    gpu_type type = status ? NULL : a->node->type;
    if (type && type->kind == GPU_KIND_STRUCT)
        status = fp_fail(GPU_E_TYPE, "struct %s has no == of its own: give an operator to gpu_unique_by", type->name);
    return fp_task_array(&entry, &task, status);
}

/* The host's side of `keep_first`. */
static void is_first_of_run(const fp_applied *applied, const fp_stretch *s)
{
    for (size_t e = 0; e < s->count; e++) fp_put_flag(applied, s, e, s->index + e == 0 || !s->in[1][e * s->stride[1]]);
}

/* The elements whose flag is 0, and the first. */
static fp_node *keep_first(fp_node *node, fp_node *flags)
{
    static const fp_builtin first = {.text = "i == 0 || !y", .native = is_first_of_run};
    fp_operator *op;
    if (fp_operator_builtin(node->g, &first, &op)) return NULL;
    return fp_node_filter((fp_node *const[]){node, flags}, 2, op, false);
}

/* The flags say which elements are equal to the one before. The first is compared with itself. */
static gpu_status run_unique_by(const fp_task *task, fp_node **result)
{
    fp_node *node = task->inputs[0], *pair[] = {fp_node_previous(node), node};
    fp_node *flags = pair[0] ? fp_node_map(GPU_UCHAR, fp_operator_keep(task->op), pair, 2) : NULL;
    *result = flags ? keep_first(node, flags) : NULL;
    fp_node_drop(pair[0]);
    fp_node_drop(flags);
    return *result ? GPU_OK : fp_last_status();
}

gpu_array *gpu_unique_by_op(const gpu_array *a, const gpu_operator *equal)
{
    static const char operation[] = "gpu_unique_by";
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), operation, fp_place_of(equal));
    fp_task task = {.run = run_unique_by};
    gpu_status status = fp_task_input(&task, a, "a");
    if (!status)
        status =
            fp_task_bind(&task, equal, &(fp_operator_kind){operation, 2, FP_OPERATOR_DECIDES, {a->node->type}, NULL});
    if (!status) task.op->predicate = task.op->combines = true;
    return fp_task_array(&entry, &task, status);
}

/* ---- two results ---- */

static gpu_status run_partition(const fp_task *task, fp_node **nodes)
{
    fp_node *kept = fp_node_filter(task->inputs, 1, fp_operator_keep(task->op), false);
    if (!kept) return fp_last_status();
    gpu_status status = fp_node_split(kept, nodes);
    fp_node_drop(kept);
    return status;
}

/* Two views: the elements before the first one that is not selected, and the others. */
static gpu_status run_span(const fp_task *task, fp_node **nodes)
{
    fp_node *node = task->inputs[0];
    fp_count *counts[2] = {NULL};
    fp_deferred *deferred;
    task->op->negated = true;
    gpu_status status = fp_search_split(node, fp_operator_keep(task->op), counts, &deferred);
    if (status) return status;
    nodes[0] = fp_node_view(node, NULL, counts[0]);
    nodes[1] = fp_node_view(node, counts[0], counts[1]);
    for (int k = 0; k < 2 && !status; k++)
        status = nodes[k] ? fp_deferred_join(node->g, &nodes[k]->deferred, deferred) : fp_last_status();
    fp_count_drop(counts[0]);
    fp_count_drop(counts[1]);
    fp_deferred_drop(deferred);
    return status;
}

static gpu_status divide(const gpu_array *a, const gpu_operator *pred, const char *operation,
                         gpu_status (*run)(const fp_task *task, fp_node **nodes), gpu_array **one, gpu_array **other)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), operation, fp_place_of(pred));
    fp_task task = {.run = run};
    gpu_status status = fp_two_check(one, other);
    if (!status) status = take(&task, a, pred);
    if (!status) fp_task_gives_two(&task, a->node->type, a->node->type);
    return fp_two_end(&entry, &task, status, one, other);
}

gpu_status gpu_partition_op(const gpu_array *a, const gpu_operator *pred, gpu_array **yes, gpu_array **no)
{
    return divide(a, pred, "gpu_partition", run_partition, yes, no);
}

gpu_status gpu_span_op(const gpu_array *a, const gpu_operator *pred, gpu_array **prefix, gpu_array **rest)
{
    return divide(a, pred, "gpu_span", run_span, prefix, rest);
}

/* numbers[0]: which of the two. */
static gpu_status run_one_of_span(const fp_task *task, fp_node **result)
{
    fp_node *nodes[2] = {NULL};
    gpu_status status = run_span(task, nodes);
    if (!status) *result = fp_node_keep(nodes[task->numbers[0]]);
    for (int k = 0; k < 2; k++) fp_node_drop(nodes[k]);
    return status;
}

static gpu_array *one_of_span(const gpu_array *a, const gpu_operator *pred, const char *operation, size_t which)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), operation, fp_place_of(pred));
    fp_task task = {.run = run_one_of_span, .numbers = {which}};
    return fp_task_array(&entry, &task, take(&task, a, pred));
}

gpu_array *gpu_take_while_op(const gpu_array *a, const gpu_operator *pred)
{
    return one_of_span(a, pred, "gpu_take_while", 0);
}

gpu_array *gpu_drop_while_op(const gpu_array *a, const gpu_operator *pred)
{
    return one_of_span(a, pred, "gpu_drop_while", 1);
}
