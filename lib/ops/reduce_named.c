/* Reductions by operators of the library's own: sum, min, argmax, count, ... */
#include "arrays/read.h"
#include "base/error.h"
#include "expressions/types.h"
#include "ops/reduce.h"
#include "ops/search.h"

#include <firepile/define.h>
#include <firepile/select.h>
#include <stdio.h>
#include <string.h>

/* ---- sum, product, min, max ---- */

typedef struct named {
    const char *operation;
    const char *floating; /* the snippet for floating types */
    const char *integer;
} named;

static const char *text_for(const named *what, gpu_type type)
{
    return type->kind == GPU_KIND_FLOATING ? what->floating : what->integer;
}

static gpu_status check(const gpu_array *a, const named *what, const gpu_output *out)
{
    gpu_status status = fp_array_check(a, "a");
    if (status) return status;
    if (a->node->type->kind == GPU_KIND_STRUCT)
        return fp_fail(GPU_E_TYPE, "struct %s has no %s of its own: use gpu_reduce with an operator",
                       a->node->type->name, what->operation + sizeof "gpu_" - 1);
    return fp_check_output(out, a->node->type);
}

static gpu_status reduce_named(const gpu_array *a, const named *what, const gpu_output *out, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), what->operation, place);
    gpu_status status = check(a, what, out);
    if (!status) status = fp_reduce_own(&entry, a->node, text_for(what, a->node->type), out->pointer);
    return fp_entry_end(&entry, status);
}

gpu_status gpu_sum_op(const gpu_array *a, const gpu_output *out, const gpu_place *place)
{
    return reduce_named(a, &(named){"gpu_sum", "a + b", "a + b"}, out, place);
}

gpu_status gpu_product_op(const gpu_array *a, const gpu_output *out, const gpu_place *place)
{
    return reduce_named(a, &(named){"gpu_product", "a * b", "a * b"}, out, place);
}

/* A NaN on either side wins, in every component of a vector. */
gpu_status gpu_min_op(const gpu_array *a, const gpu_output *out, const gpu_place *place)
{
    return reduce_named(a, &(named){"gpu_min", "a != a || a < b ? a : b", "min(a, b)"}, out, place);
}

gpu_status gpu_max_op(const gpu_array *a, const gpu_output *out, const gpu_place *place)
{
    return reduce_named(a, &(named){"gpu_max", "a != a || a > b ? a : b", "max(a, b)"}, out, place);
}

/* ---- argmin, argmax ---- */

/* An element beside its index, for each scalar type. */
#define INDEXED(name, NAME, T, kind) GPU_STRUCT(fp_indexed_##name, T value; uint64_t index;);
GPU_SCALAR_MAP(INDEXED)

static gpu_type indexed_type(gpu_type scalar)
{
#define CASE(name, NAME, T, kind)                                                                                      \
    if (scalar == GPU_##NAME) return GPU_TYPE(fp_indexed_##name);
    GPU_SCALAR_MAP(CASE)
#undef CASE
    return NULL;
}

/* NaN comes first, then the smaller (larger) value, then the lower index. It commutes. */
#define EXTREME(less)                                                                                                  \
    "{ const bool left = (a.value != a.value && b.value == b.value) || a.value " less " b.value;"                      \
    "  const bool right = (b.value != b.value && a.value == a.value) || b.value " less " a.value;"                     \
    "  return right || (!left && b.index < a.index) ? b : a; }"

/* The same for integers. Compilers warn of comparing those with themselves. */
#define INTEGER_EXTREME(less)                                                                                          \
    "{ return b.value " less " a.value || (b.value == a.value && b.index < a.index) ? b : a; }"

static fp_node *with_index(fp_node *node, gpu_type indexed)
{
    char text[128];
    snprintf(text, sizeof text, "{ %s v; v.value = x; v.index = i; return v; }", indexed->name);
    return fp_node_map_own(indexed, text, NULL, &node, 1);
}

static gpu_status find_extreme(fp_entry *entry, const gpu_array *a, const named *what, size_t *index)
{
    gpu_status status = fp_array_check(a, "a");
    if (!status) status = fp_check_pointer(index);
    if (!status) status = fp_check_scalars(a->node->type);
    if (status) return status;
    gpu_type type = a->node->type, indexed = indexed_type(type);
    if (!fp_node_most(a->node)) return fp_fail(GPU_E_EMPTY, "the array is empty");
    unsigned char best[16];
    uint64_t found;
    fp_node *pairs = fp_gpu_check_type(a->g, &indexed) ? NULL : with_index(a->node, indexed);
    status = pairs ? fp_reduce_own(entry, pairs, text_for(what, type), best) : fp_last_status();
    fp_node_drop(pairs);
    if (status) return status;
    memcpy(&found, best + indexed->size - sizeof found, sizeof found);
    *index = (size_t)found;
    return GPU_OK;
}

gpu_status gpu_argmin_op(const gpu_array *a, size_t *index, const gpu_place *place)
{
    const named what = {"gpu_argmin", EXTREME("<"), INTEGER_EXTREME("<")};
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), what.operation, place);
    return fp_entry_end(&entry, find_extreme(&entry, a, &what, index));
}

gpu_status gpu_argmax_op(const gpu_array *a, size_t *index, const gpu_place *place)
{
    const named what = {"gpu_argmax", EXTREME(">"), INTEGER_EXTREME(">")};
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), what.operation, place);
    return fp_entry_end(&entry, find_extreme(&entry, a, &what, index));
}

/* ---- count, any, all ---- */

/* Counts of fewer than 2^32 elements have 32 bits, so twice as many lanes. */
static gpu_status count(fp_entry *entry, const gpu_array *a, const gpu_operator *pred, size_t *out)
{
    uint32_t few = 0;
    uint64_t many = 0;
    fp_operator *bound;
    gpu_status status = fp_check_pointer(out);
    if (!status) status = fp_predicate_bind(a, pred, &bound);
    if (status) return status;
    bound->predicate = true;
    bool fits = fp_node_most(a->node) <= UINT32_MAX;
    fp_node *flags = fp_node_map(fits ? GPU_UINT : GPU_ULONG, bound, &a->node, 1);
    if (!flags) return fp_last_status();
    status = fp_reduce_own(entry, flags, "a + b", fits ? (void *)&few : &many);
    if (!status) *out = (size_t)(fits ? few : many);
    fp_node_drop(flags);
    return status;
}

gpu_status gpu_count_op(const gpu_array *a, const gpu_operator *pred, size_t *out)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_count", fp_place_of(pred));
    return fp_entry_end(&entry, count(&entry, a, pred, out));
}

/* Is the predicate not zero for any element, or for all? The search looks for one that decides. */
static gpu_status decide(fp_entry *entry, const gpu_array *a, const gpu_operator *pred, bool all, bool *out)
{
    size_t index;
    fp_operator *bound;
    gpu_status status = fp_check_pointer(out);
    if (!status) status = fp_predicate_bind(a, pred, &bound);
    if (status) return status;
    bound->negated = all;
    status = fp_search_read(entry, a->node, bound, &index);
    if (!status) *out = (index == GPU_NOT_FOUND) == all;
    return status;
}

gpu_status gpu_any_op(const gpu_array *a, const gpu_operator *pred, bool *out)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_any", fp_place_of(pred));
    return fp_entry_end(&entry, decide(&entry, a, pred, false, out));
}

gpu_status gpu_all_op(const gpu_array *a, const gpu_operator *pred, bool *out)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_all", fp_place_of(pred));
    return fp_entry_end(&entry, decide(&entry, a, pred, true, out));
}
