/* Several reductions in one pass, each of the elements or of what a map makes of them. */
#include "arrays/read.h"
#include "base/error.h"
#include "expressions/types.h"
#include "kernel/type.h"
#include "ops/reduce.h"
#include "planning/eval.h"

/* gpu_reduce_all and gpu_map_reduce_all. */
typedef struct form {
    const char *operation;
    size_t most; /* reductions */
    bool maps;
} form;

static const form plain = {"gpu_reduce_all", GPU_REDUCE_ALL_MAX, false};
static const form mapped = {"gpu_map_reduce_all", GPU_MAP_REDUCE_ALL_MAX, true};

/* ---- binding ---- */

static void free_operators(fp_combiners *ops)
{
    for (unsigned k = 0; k < 2 * GPU_REDUCE_ALL_MAX; k++) fp_operator_drop(ops->op[k]);
}

/* The type of a map's elements is that of its output. */
static gpu_status find_type(gpu *g, const gpu_output *out, size_t number, gpu_type *type)
{
    const fp_refused *refused = out->type && out->type != &gpu_refused_array ? fp_type_refused(out->type) : NULL;
    if (!out->pointer) return fp_fail(GPU_E_ARGUMENT, "the output pointer is NULL");
    if (refused)
        return fp_fail(GPU_E_TYPE, "output number %zu points to %s: %s", number, refused->type->name, refused->value);
    if (!out->type || out->type == &gpu_refused_array)
        return fp_fail(GPU_E_TYPE,
                       "output number %zu is no scalar and no vector, and a map has the type of its output: use "
                       "gpu_map_to and gpu_reduce for structs",
                       number);
    *type = out->type;
    return fp_gpu_check_type(g, type);
}

/* Binds operator k, and its map. */
static gpu_status bind_one(const gpu_array *a, const form *f, const gpu_map_reduction *r, size_t k, fp_combiners *ops)
{
    const gpu_type element = a->node->type;
    gpu_type *type = &ops->types[k];
    *type = element;
    gpu_status status = f->maps ? find_type(a->g, &r->out, k + 1, type) : fp_check_output(&r->out, element);
    const fp_operator_kind kind = {f->operation, 1, FP_OPERATOR_INDEX, {element}, *type};
    if (!status && f->maps) status = fp_operator_bind(a->g, &r->map, &kind, &ops->op[ops->count + k]);
    return status ? status : fp_combiner_bind(a->g, &r->op, *type, &ops->op[k]);
}

static gpu_status bind(const gpu_array *a, const form *f, const gpu_map_reduction *reductions, size_t count,
                       fp_combiners *ops)
{
    gpu_status status = fp_array_check(a, "a");
    if (status) return status;
    if (!reductions || count == 0 || count > f->most)
        return fp_fail(GPU_E_ARGUMENT, "there are %zu reductions; 1 to %zu are possible in one pass", count, f->most);
    ops->count = (unsigned)count;
    ops->maps = f->maps;
    for (size_t k = 0; k < count && !status; k++) status = bind_one(a, f, &reductions[k], k, ops);
    return status;
}

/* ---- computing ---- */

/* Writes the values of no elements. */
static gpu_status identities(const fp_combiners *ops, void *const *outs)
{
    uint64_t identity[FP_IDENTITY_WORDS];
    for (unsigned k = 0; k < ops->count; k++)
        if (!fp_operator_identity(ops->op[k], ops->types[k], identity)) return fp_fail_empty();
    for (unsigned k = 0; k < ops->count; k++) fp_operator_identity(ops->op[k], ops->types[k], outs[k]);
    return GPU_OK;
}

/* A place in a selection is known when its elements are in a buffer. */
static bool use_places(const fp_combiners *ops)
{
    bool use = false;
    for (unsigned k = ops->count; k < fp_combiners_bound(ops); k++) use |= fp_operator_uses_index(ops->op[k]);
    return use;
}

static gpu_status compute(fp_entry *entry, fp_node *node, const fp_combiners *ops, void *const *outs)
{
    fp_ready input;
    fp_reduced reduced;
    gpu_status status = fp_node_prepare_as(node, !use_places(ops), ops->op, fp_combiners_bound(ops), &input);
    if (!status && !input.length) status = fp_node_check(node);
    if (!status && !input.length) return identities(ops, outs);
    if (!status) status = fp_reduce(&input, ops, NULL, true, &reduced);
    if (status) return status;
    status = fp_reduced_read(entry, &reduced, outs);
    return status == GPU_E_EMPTY && reduced.marked ? identities(ops, outs) : status;
}

static gpu_status reduce_all(const gpu_array *a, const form *f, const gpu_map_reduction *reductions, size_t count)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), f->operation, reductions ? reductions->op.place : NULL);
    fp_combiners ops = {.count = 0};
    void *outs[GPU_REDUCE_ALL_MAX];
    gpu_status status = bind(a, f, reductions, count, &ops);
    for (unsigned k = 0; k < ops.count; k++) outs[k] = reductions[k].out.pointer;
    if (!status) status = compute(&entry, a->node, &ops, outs);
    fp_entry_relock(&entry);
    free_operators(&ops);
    return fp_entry_end(&entry, status);
}

gpu_status gpu_map_reduce_all_op(const gpu_array *a, const gpu_map_reduction *reductions, size_t count)
{
    return reduce_all(a, &mapped, reductions, count);
}

gpu_status gpu_reduce_all_op(const gpu_array *a, const gpu_reduction *reductions, size_t count)
{
    gpu_map_reduction list[GPU_REDUCE_ALL_MAX];
    for (size_t k = 0; reductions && k < count && k < GPU_REDUCE_ALL_MAX; k++)
        list[k] = (gpu_map_reduction){.op = reductions[k].op, .out = reductions[k].out};
    return reduce_all(a, &plain, reductions ? list : NULL, count);
}

/* ---- the macros' arguments ---- */

enum { ROLE_SNIPPET = 1, ROLE_CAPTURE, ROLE_END };

enum { MOST_ITEMS = 24 };

/* The reductions that a macro's items are. */
typedef struct call {
    gpu_map_reduction list[MOST_ITEMS / 2];
    size_t count;
    const gpu_capture *captures[MOST_ITEMS + 1];
} call;

static bool is_over(const gpu_item *item)
{
    return item->role == ROLE_END || item->role == ROLE_CAPTURE;
}

static gpu_operator item_operator(const gpu_item *item, const gpu_capture *const *captures, const gpu_place *place)
{
    bool snippet = item->role == ROLE_SNIPPET;
    return (gpu_operator){snippet ? item->pointer : NULL, snippet ? NULL : item->pointer, captures, place};
}

static gpu_status too_many(void)
{
    return fp_fail(GPU_E_ARGUMENT, "operators, outputs and captured values are more than %d together", MOST_ITEMS);
}

/* Takes a map, if the form has them, an operator and an output, as *items points to. */
static gpu_status take_one(const form *f, const gpu_item **items, const gpu_place *place, call *out)
{
    const gpu_item *op = *items + f->maps, *output = op + 1;
    gpu_map_reduction *r = &out->list[out->count];
    if (out->count == MOST_ITEMS / 2) return too_many();
    if (is_over(op))
        return fp_fail(GPU_E_ARGUMENT,
                       "map number %zu has no operator: each is followed by one and by the address of its result",
                       out->count + 1);
    if (is_over(output))
        return fp_fail(GPU_E_ARGUMENT,
                       "operator number %zu has no output: each is followed by the address of its result",
                       out->count + 1);
    if (f->maps) r->map = item_operator(*items, out->captures, place);
    r->op = item_operator(op, out->captures, place);
    r->out = (gpu_output){(void *)(uintptr_t)output->pointer, output->type, output->size};
    out->count++;
    *items = output + 1;
    return GPU_OK;
}

/* The items are pairs of operator and output, or triples that begin with a map, then captures. */
static gpu_status take_items(const form *f, const gpu_item *items, const gpu_place *place, call *out)
{
    size_t captured = 0;
    gpu_status status = GPU_OK;
    while (!status && !is_over(items)) status = take_one(f, &items, place, out);
    for (; !status && items->role == ROLE_CAPTURE; items++) {
        if (captured == MOST_ITEMS) return too_many();
        out->captures[captured++] = items->pointer;
    }
    if (status || items->role == ROLE_END) return status;
    return fp_fail(GPU_E_ARGUMENT, "captured values come last, after all operators and outputs");
}

static gpu_status reduce_items(const gpu_array *a, const form *f, const gpu_item *items, const gpu_place *place)
{
    call taken = {.count = 0};
    fp_enter(f->operation, place);
    gpu_status status = take_items(f, items, place, &taken);
    return status ? status : reduce_all(a, f, taken.list, taken.count);
}

gpu_status gpu_reduce_all_items(const gpu_array *a, const gpu_item *items, const gpu_place *place)
{
    return reduce_items(a, &plain, items, place);
}

gpu_status gpu_map_reduce_all_items(const gpu_array *a, const gpu_item *items, const gpu_place *place)
{
    return reduce_items(a, &mapped, items, place);
}
