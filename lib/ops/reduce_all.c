#include "arrays/read.h"
#include "base/error.h"
#include "base/memory.h"
#include "ops/reduce.h"
#include "planning/eval.h"

#include <string.h>

static void free_operators(fp_combiners *ops)
{
    for (unsigned k = 0; k < ops->count; k++) fp_operator_drop(ops->op[k]);
    ops->count = 0;
}

static gpu_status bind(const gpu_array *a, const gpu_reduction *reductions, size_t count, fp_combiners *ops)
{
    gpu_status status = fp_array_check(a, "a");
    if (status) return status;
    if (!reductions || count == 0 || count > GPU_REDUCE_ALL_MAX)
        return fp_fail(GPU_E_ARGUMENT, "there are %zu reductions; 1 to %d are possible in one pass", count,
                       GPU_REDUCE_ALL_MAX);
    for (size_t k = 0; k < count && !status; k++) {
        status = fp_check_output(&reductions[k].out, a->node->type);
        if (!status) status = fp_combiner_bind(a->g, &reductions[k].op, a->node->type, &ops->op[k]);
        if (!status) ops->count++;
    }
    return status;
}

static gpu_status identities(const fp_combiners *ops, gpu_type type, unsigned char *values)
{
    for (unsigned k = 0; k < ops->count; k++)
        if (!fp_operator_identity(ops->op[k], type, values + k * type->size)) return fp_fail_empty();
    return GPU_OK;
}

/* Writes the values side by side, as in the tuple. */
static gpu_status compute(fp_entry *entry, fp_node *node, const fp_combiners *ops, unsigned char *values)
{
    fp_ready input;
    fp_reduced reduced;
    gpu_status status = fp_node_prepare_as(node, true, ops->op, ops->count, &input);
    if (!status && !input.length) status = fp_node_check(node);
    if (!status && !input.length) return identities(ops, node->type, values);
    if (!status) status = fp_reduce(&input, ops, NULL, true, &reduced);
    if (status) return status;
    status = fp_reduced_read(entry, reduced, values);
    return status == GPU_E_EMPTY && reduced.marked ? identities(ops, reduced.element, values) : status;
}

static gpu_status reduce_all(fp_entry *entry, const gpu_array *a, const gpu_reduction *reductions, size_t count)
{
    fp_combiners ops = {.count = 0};
    gpu_status status = bind(a, reductions, count, &ops);
    size_t size = status ? 0 : a->node->type->size;
    unsigned char *values = status ? NULL : fp_alloc_array(count, size);
    if (!status && !values) status = fp_fail_memory();
    if (!status) status = compute(entry, a->node, &ops, values);
    for (size_t k = 0; k < count && !status; k++) memcpy(reductions[k].out.pointer, values + k * size, size);
    fp_entry_relock(entry);
    fp_free(values);
    free_operators(&ops);
    return status;
}

gpu_status gpu_reduce_all_op(const gpu_array *a, const gpu_reduction *reductions, size_t count)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_reduce_all", reductions ? reductions->op.place : NULL);
    return fp_entry_end(&entry, reduce_all(&entry, a, reductions, count));
}

enum { ROLE_SNIPPET = 1, ROLE_CAPTURE, ROLE_END };

static gpu_operator item_operator(const gpu_item *item, const gpu_capture *const *captures, const gpu_place *place)
{
    bool snippet = item->role == ROLE_SNIPPET;
    return (gpu_operator){snippet ? item->pointer : NULL, snippet ? NULL : item->pointer, captures, place};
}

static gpu_status too_many(int most)
{
    return fp_fail(GPU_E_ARGUMENT, "operators, outputs and captured values are more than %d together", most);
}

/* The items are pairs of operator and output, then captures. */
gpu_status gpu_reduce_all_items(const gpu_array *a, const gpu_item *items, const gpu_place *place)
{
    enum { MOST = 24 };
    gpu_reduction reductions[MOST / 2];
    const gpu_capture *captures[MOST + 1] = {NULL};
    size_t pairs = 0, captured = 0;
    fp_enter("gpu_reduce_all", place);
    for (; items->role != ROLE_END && items->role != ROLE_CAPTURE; items += 2) {
        if (items[1].role == ROLE_END || items[1].role == ROLE_CAPTURE)
            return fp_fail(GPU_E_ARGUMENT,
                           "operator number %zu has no output: each is followed by the address of its result",
                           pairs + 1);
        if (pairs == MOST / 2) return too_many(MOST);
        reductions[pairs].op = item_operator(&items[0], captures, place);
        reductions[pairs++].out = (gpu_output){(void *)(uintptr_t)items[1].pointer, items[1].type, items[1].size};
    }
    for (; items->role == ROLE_CAPTURE; items++) {
        if (captured == MOST) return too_many(MOST);
        captures[captured++] = items->pointer;
    }
    if (items->role != ROLE_END)
        return fp_fail(GPU_E_ARGUMENT, "captured values come last, after all operators and outputs");
    return gpu_reduce_all_op(a, reductions, pairs);
}
