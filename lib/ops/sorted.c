/* Binary searches in sorted arrays, and sets. */
#include "ops/sorted.h"
#include "arrays/array.h"
#include "base/error.h"
#include "expressions/types.h"
#include "host/apply.h"
#include "kernel/type.h"
#include "ops/merge.h"
#include "planning/eval.h"

#include <firepile/sorted.h>

/* Does the element p come before q? NaN is behind all numbers. */
#define BEFORE(p, q) "(" p " < " q ")"
#define FLOATS_BEFORE(p, q) "(" p " < " q " || (" q " != " q " && " p " == " p "))"

/* `place` becomes the first index of `array` whose element `a` does not pass; elements that pass come first. */
#define SEARCH(place, array, passes)                                                                                   \
    "ulong " place " = 0;"                                                                                             \
    "for (ulong high = " array "_size; " place " < high;) {"                                                           \
    "  const ulong middle = (" place " + high) / 2; const fp_operand a = " array "[middle];"                           \
    "  if (" passes ") " place " = middle + 1; else high = middle; } "
#define LOWER(array, before) SEARCH("low", array, before("a", "x"))
#define UPPER(array, before) SEARCH("up", array, "!" before("x", "a"))

/* The rank of an element among those equal to it, and the number of equal ones in the other array. */
/* clang-format off */
#define RANK(before, keeps)                                                                                            \
    "{ ulong rank = i, many;"                                                                                          \
    "  {" LOWER("own", before) "rank -= low; }"                                                                        \
    "  {" LOWER("sorted", before) UPPER("sorted", before) "many = up - low; }"                                         \
    "  return rank " keeps " many; }"
/* clang-format on */

/* ---- the host's side ---- */

static uint64_t rank_of(gpu_type type, const unsigned char *element)
{
    uint64_t rank;
    fp_ranks_of(type)(element, 0, 1, &rank);
    return rank;
}

/* How many elements of the captured array number `number` have a lower rank, or with `equal` none that is higher. */
static uint64_t count_before(const fp_applied *applied, unsigned number, uint64_t rank, bool equal)
{
    const fp_captured *sorted = &applied->op->captured[number];
    const unsigned char *elements = fp_node_memory(sorted->array); /* NULL: there are none */
    uint64_t low = 0, high = sorted->array->length;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const uint64_t other = rank_of(sorted->type, elements + middle * sorted->type->size);
        if (other < rank || (equal && other == rank))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The captured arrays: the one that is searched and, for sets, the array itself. */
enum { SORTED, OWN = 2 };

/* NAME is a native; VALUE, of type T, is made of an element's rank and its index i. */
#define NATIVE(name, T, type, ...)                                                                                     \
    static void name(const fp_applied *applied, const fp_stretch *s)                                                   \
    {                                                                                                                  \
        for (size_t e = 0; e < s->count; e++) {                                                                        \
            const uint64_t rank = rank_of(applied->types[0], s->in[0] + e * s->stride[0]), i = s->index + e;           \
            const T value = __VA_ARGS__;                                                                               \
            (void)i;                                                                                                   \
            fp_convert(type, &value, applied->result, s->out + e * s->out_stride);                                     \
        }                                                                                                              \
    }

static uint64_t count_equal(const fp_applied *applied, uint64_t rank)
{
    return count_before(applied, SORTED, rank, true) - count_before(applied, SORTED, rank, false);
}

NATIVE(find_lower, uint64_t, GPU_ULONG, count_before(applied, SORTED, rank, false))
NATIVE(find_upper, uint64_t, GPU_ULONG, count_before(applied, SORTED, rank, true))
NATIVE(find_equal, bool, &fp_type_bool, count_equal(applied, rank) > 0)
NATIVE(is_in_both, bool, &fp_type_bool, i - count_before(applied, OWN, rank, false) < count_equal(applied, rank))
NATIVE(is_in_one, bool, &fp_type_bool, i - count_before(applied, OWN, rank, false) >= count_equal(applied, rank))

/* ---- operators ---- */

/* A text for integers, one for floating types, and the same on the host. */
typedef struct search {
    const char *integer, *floating;
    fp_native *native;
    bool ranks; /* it searches the array itself too, and has an index */
} search;

#define TEXTS(make, ...) .integer = make(BEFORE, __VA_ARGS__), .floating = make(FLOATS_BEFORE, __VA_ARGS__)
#define LOWER_BOUND(before, end) "{ " LOWER("sorted", before) "return low; " end
#define UPPER_BOUND(before, end) "{ " UPPER("sorted", before) "return up; " end
#define CONTAINS(before, end)                                                                                          \
    "{ " LOWER("sorted", before) "if (low == sorted_size) return 0;"                                                   \
                                 "  const fp_operand a = sorted[low]; return !" before("x", "a") "; " end

/* The searches, by number: numbers[0] of a task. */
enum { FIND_LOWER, FIND_UPPER, FIND_EQUAL, IN_BOTH, IN_ONE };
static const search searches[] = {[FIND_LOWER] = {TEXTS(LOWER_BOUND, "}"), .native = find_lower},
                                  [FIND_UPPER] = {TEXTS(UPPER_BOUND, "}"), .native = find_upper},
                                  [FIND_EQUAL] = {TEXTS(CONTAINS, "}"), .native = find_equal},
                                  [IN_BOTH] = {TEXTS(RANK, "<"), .native = is_in_both, .ranks = true},
                                  [IN_ONE] = {TEXTS(RANK, ">="), .native = is_in_one, .ranks = true}};

/* The library's operator that searches `sorted` and, for ranks, `own`. Waits for their lengths. */
static gpu_status bind_search(size_t number, fp_node *own, fp_node *sorted, fp_operator **out)
{
    const search *what = &searches[number];
    fp_node *nodes[] = {sorted, own};
    static const char *const names[] = {"sorted", "own"}, *const sizes[] = {"sorted_size", "own_size"};
    gpu_array handles[2];
    const gpu_array *arrays[2];
    uint64_t lengths[2];
    gpu_capture captures[4];
    const gpu_capture *all[5] = {NULL};
    for (unsigned k = 0; k <= what->ranks; k++) {
        size_t length;
        gpu_status status = fp_node_wait_length(nodes[k], &length);
        if (status) return status;
        lengths[k] = length;
        handles[k] = (gpu_array){.g = nodes[k]->g, .node = nodes[k]};
        arrays[k] = &handles[k];
        captures[2 * k] = (gpu_capture){names[k], &arrays[k], GPU_CAPTURE_ARRAY, sizeof *arrays};
        captures[2 * k + 1] = (gpu_capture){sizes[k], &lengths[k], GPU_ULONG, sizeof *lengths};
        all[2 * k] = &captures[2 * k];
        all[2 * k + 1] = &captures[2 * k + 1];
    }
    const fp_builtin builtin = {.text = own->type->kind == GPU_KIND_FLOATING ? what->floating : what->integer,
                                .native = what->native,
                                .captures = all};
    return fp_operator_builtin(own->g, &builtin, out);
}

/* ---- both arrays ---- */

/* The task's inputs: `b`, then `a`. */
static gpu_status take_both(fp_task *task, const gpu_array *a, const char *a_is, const gpu_array *b, const char *b_is)
{
    gpu_status status = fp_array_accept(a, a_is);
    if (!status) status = fp_task_input(task, b, b_is);
    if (!status) status = fp_task_input(task, a, a_is);
    if (!status) status = fp_check_scalars_of(a, a_is);
    if (!status) status = fp_check_scalars_of(b, b_is);
    if (status) return status;
    if (a->g != b->g) return fp_fail(GPU_E_ARGUMENT, "'%s' and '%s' belong to different gpus", a_is, b_is);
    gpu_type one = a->node->type, other = b->node->type;
    if (one == other) return GPU_OK;
    return fp_fail(GPU_E_TYPE, "the elements of '%s' are %s, and those of '%s' %s", a_is, one->name, b_is, other->name);
}

static gpu_array *call(const char *operation, const gpu_place *place, fp_task task, const gpu_array *a,
                       const char *a_is, const gpu_array *b, const char *b_is)
{
    fp_entry entry = fp_entry_begin(fp_first_gpu(fp_array_gpu(a), fp_array_gpu(b)), operation, place);
    return fp_task_array(&entry, &task, take_both(&task, a, a_is, b, b_is));
}

/* ---- searches ---- */

static gpu_status run_search(const fp_task *task, fp_node **result)
{
    fp_node *values = task->inputs[0];
    fp_operator *op;
    gpu_status status = bind_search(task->numbers[0], values, task->inputs[1], &op);
    return status ? status : fp_node_give(fp_node_map(task->results[0], op, &values, 1), result);
}

fp_node *fp_upper_bound(fp_node *sorted, fp_node *values)
{
    fp_operator *op;
    return bind_search(FIND_UPPER, values, sorted, &op) ? NULL : fp_node_map(GPU_ULONG, op, &values, 1);
}

static gpu_array *find(const gpu_array *sorted, const gpu_array *values, size_t number, gpu_type result,
                       const char *operation, const gpu_place *place)
{
    const fp_task task = {.run = run_search, .numbers = {number}, .results = {result}, .result_count = 1};
    return call(operation, place, task, sorted, "sorted", values, "values");
}

gpu_array *gpu_lower_bound_op(const gpu_array *sorted, const gpu_array *values, const gpu_place *place)
{
    return find(sorted, values, FIND_LOWER, GPU_ULONG, "gpu_lower_bound", place);
}

gpu_array *gpu_upper_bound_op(const gpu_array *sorted, const gpu_array *values, const gpu_place *place)
{
    return find(sorted, values, FIND_UPPER, GPU_ULONG, "gpu_upper_bound", place);
}

gpu_array *gpu_contains_op(const gpu_array *sorted, const gpu_array *values, const gpu_place *place)
{
    return find(sorted, values, FIND_EQUAL, GPU_UCHAR, "gpu_contains", place);
}

/* ---- sets ---- */

static gpu_status keep(size_t number, fp_node *a, fp_node *b, fp_node **result)
{
    fp_operator *op;
    gpu_status status = bind_search(number, a, b, &op);
    return status ? status : fp_node_give(fp_node_filter(&a, 1, op, false), result);
}

static gpu_status run_keep(const fp_task *task, fp_node **result)
{
    return keep(task->numbers[0], task->inputs[1], task->inputs[0], result);
}

/* What `b` has beyond `a`, merged with `a`. */
static gpu_status run_union(const fp_task *task, fp_node **result)
{
    fp_node *rest = NULL;
    gpu_status status = keep(IN_ONE, task->inputs[0], task->inputs[1], &rest);
    if (!status) status = fp_merge(task->inputs[1], rest, result);
    fp_node_drop(rest);
    return status;
}

gpu_array *gpu_set_union_op(const gpu_array *a, const gpu_array *b, const gpu_place *place)
{
    return call("gpu_set_union", place, (fp_task){.run = run_union}, a, "a", b, "b");
}

gpu_array *gpu_set_intersection_op(const gpu_array *a, const gpu_array *b, const gpu_place *place)
{
    return call("gpu_set_intersection", place, (fp_task){.run = run_keep, .numbers = {IN_BOTH}}, a, "a", b, "b");
}

gpu_array *gpu_set_difference_op(const gpu_array *a, const gpu_array *b, const gpu_place *place)
{
    return call("gpu_set_difference", place, (fp_task){.run = run_keep, .numbers = {IN_ONE}}, a, "a", b, "b");
}
