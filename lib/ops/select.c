/* Filter and its kin: what a predicate selects. */
#include "base/error.h"
#include "ops/search.h"
#include "ops/two.h"

#include <firepile/select.h>

static gpu_status bind(const gpu_array *a, const gpu_operator *pred, const char *operation, fp_operator **out)
{
    gpu_status status = fp_array_check(a, "a");
    return status ? status : fp_operator_bind(a->g, pred, &(fp_role){operation, 1, true, false}, out);
}

/* ---- filter, find_if ---- */

static fp_node *filter(const gpu_array *a, const gpu_operator *pred, const char *operation, bool indices)
{
    fp_operator *op;
    return bind(a, pred, operation, &op) ? NULL : fp_node_filter(&a->node, 1, op, indices);
}

gpu_array *gpu_filter_op(const gpu_array *a, const gpu_operator *pred)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_filter", fp_place_of(pred));
    return fp_array_end(&entry, filter(a, pred, "gpu_filter", false));
}

gpu_array *gpu_find_if_op(const gpu_array *a, const gpu_operator *pred)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_find_if", fp_place_of(pred));
    return fp_array_end(&entry, filter(a, pred, "gpu_find_if", true));
}

/* ---- find, index_of ---- */

/* x == value */
static gpu_status equals(const gpu_array *a, const gpu_value *value, const char *operation, fp_operator **out)
{
    gpu_status status = fp_array_check(a, "a");
    if (status) return status;
    gpu_type type = a->node->type;
    if (type->kind == GPU_KIND_STRUCT)
        return fp_fail(GPU_E_TYPE, "struct %s has no == of its own: give a predicate to %s_if", type->name, operation);
    status = fp_check_value(value, type, "value");
    if (status) return status;
    const gpu_capture wanted = {"value", value->pointer, type, type->size};
    const gpu_operator op = {.snippet = type->width > 1 ? "all(x == value)" : "x == value",
                             .captures = (const gpu_capture *const[]){&wanted, NULL}};
    return fp_operator_bind(a->g, &op, &(fp_role){operation, 1, false, true}, out);
}

static fp_node *find(const gpu_array *a, const gpu_value *value)
{
    fp_operator *op;
    return equals(a, value, "gpu_find", &op) ? NULL : fp_node_filter(&a->node, 1, op, true);
}

gpu_array *gpu_find_op(const gpu_array *a, const gpu_value *value, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_find", place);
    return fp_array_end(&entry, find(a, value));
}

/* Takes over `op`. */
static gpu_status index_of(fp_entry *entry, const gpu_array *a, fp_operator *op, size_t *index)
{
    if (index) return fp_search_read(entry, a->node, op, index);
    fp_operator_free(op);
    return fp_fail(GPU_E_ARGUMENT, "the output pointer is NULL");
}

gpu_status gpu_index_of_op(const gpu_array *a, const gpu_value *value, size_t *index, const gpu_place *place)
{
    fp_operator *op;
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_index_of", place);
    gpu_status status = equals(a, value, "gpu_index_of", &op);
    return fp_entry_end(&entry, status ? status : index_of(&entry, a, op, index));
}

gpu_status gpu_index_if_op(const gpu_array *a, const gpu_operator *pred, size_t *index)
{
    fp_operator *op;
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_index_if", fp_place_of(pred));
    gpu_status status = bind(a, pred, "gpu_index_if", &op);
    return fp_entry_end(&entry, status ? status : index_of(&entry, a, op, index));
}

/* ---- unique ---- */

static fp_node *unique(const gpu_array *a)
{
    if (fp_array_check(a, "a")) return NULL;
    gpu_type type = a->node->type;
    if (type->kind == GPU_KIND_STRUCT) {
        fp_fail(GPU_E_TYPE, "struct %s has no == of its own: map to a key, or use gpu_filter", type->name);
        return NULL;
    }
    fp_node *before = fp_node_before(a->node);
    fp_operator *op;
    const gpu_operator differs = {.snippet = type->width > 1 ? "i == 0 || any(x != y)" : "i == 0 || x != y"};
    gpu_status status =
        before ? fp_operator_bind(a->g, &differs, &(fp_role){"gpu_unique", 2, true, true}, &op) : fp_last_status();
    fp_node *result = status ? NULL : fp_node_filter((fp_node *const[]){a->node, before}, 2, op, false);
    fp_node_drop(before);
    return result;
}

gpu_array *gpu_unique_op(const gpu_array *a, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_unique", place);
    return fp_array_end(&entry, unique(a));
}

/* ---- two results ---- */

static gpu_status split(const gpu_array *a, const gpu_operator *pred, fp_node **nodes)
{
    fp_node *kept = filter(a, pred, "gpu_partition", false);
    if (!kept) return fp_last_status();
    gpu_status status = fp_node_split(kept, &nodes[0], &nodes[1]);
    fp_node_drop(kept);
    return status;
}

gpu_status gpu_partition_op(const gpu_array *a, const gpu_operator *pred, gpu_array **yes, gpu_array **no)
{
    fp_node *nodes[2] = {NULL};
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_partition", fp_place_of(pred));
    gpu_status status = fp_two_check(yes, no);
    if (!status) status = split(a, pred, nodes);
    return fp_two_end(&entry, status, nodes, yes, no);
}

/* The elements before the first that the predicate does not select, and the others: views. */
static gpu_status span(const gpu_array *a, const gpu_operator *pred, const char *operation, fp_node **nodes)
{
    fp_operator *op;
    fp_count *prefix, *rest;
    fp_risk *risk;
    gpu_status status = bind(a, pred, operation, &op);
    if (status) return status;
    op->negated = true;
    status = fp_search_split(a->node, op, &prefix, &rest, &risk);
    if (status) return status;
    nodes[0] = fp_node_view(a->node, NULL, prefix);
    nodes[1] = fp_node_view(a->node, prefix, rest);
    for (int k = 0; k < 2 && !status; k++)
        status = nodes[k] ? fp_risk_join(a->g, &nodes[k]->risk, risk) : fp_last_status();
    fp_count_drop(prefix);
    fp_count_drop(rest);
    fp_risk_drop(risk);
    return status;
}

gpu_status gpu_span_op(const gpu_array *a, const gpu_operator *pred, gpu_array **prefix, gpu_array **rest)
{
    fp_node *nodes[2] = {NULL};
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_span", fp_place_of(pred));
    gpu_status status = fp_two_check(prefix, rest);
    if (!status) status = span(a, pred, "gpu_span", nodes);
    return fp_two_end(&entry, status, nodes, prefix, rest);
}

static gpu_array *one_of_span(const gpu_array *a, const gpu_operator *pred, const char *operation, int which)
{
    fp_node *nodes[2] = {NULL};
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), operation, fp_place_of(pred));
    gpu_status status = span(a, pred, operation, nodes);
    fp_node_drop(nodes[1 - which]);
    if (status) fp_node_drop(nodes[which]);
    return fp_array_end(&entry, status ? NULL : nodes[which]);
}

gpu_array *gpu_take_while_op(const gpu_array *a, const gpu_operator *pred)
{
    return one_of_span(a, pred, "gpu_take_while", 0);
}

gpu_array *gpu_drop_while_op(const gpu_array *a, const gpu_operator *pred)
{
    return one_of_span(a, pred, "gpu_drop_while", 1);
}
