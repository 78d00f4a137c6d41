#include "ops/reduce.h"

#include "arrays/read.h"
#include "base/error.h"
#include "base/memory.h"
#include "expressions/types.h"
#include "host/host.h"
#include "kernel/type.h"
#include "planning/eval.h"
#include "planning/execute.h"
#include "planning/plan.h"
#include "planning/task.h"

#include <string.h>

/* ---- algebra ---- */

bool fp_operator_commutes(const fp_operator *op, gpu_type type)
{
    if (op->commutative) return true;
    if (type->kind == GPU_KIND_STRUCT) return false;
    const fp_known known = op->snippet->known;
    const bool floating = type->kind == GPU_KIND_FLOATING;
    if (known == FP_KNOWN_ADD || known == FP_KNOWN_MULTIPLY) return true;
    if (known == FP_KNOWN_FMIN || known == FP_KNOWN_FMAX) return floating;
    return known != FP_KNOWN_NONE && !floating;
}

gpu_status fp_combiner_bind(gpu *g, const gpu_operator *op, gpu_type type, fp_operator **out)
{
    return fp_operator_bind(g, op, &(fp_operator_kind){fp_operation(), 2, 0, {type}, type}, out);
}

/* Writes 1 as a scalar of this type. */
static void one(gpu_type scalar, unsigned char *out)
{
    if (scalar == GPU_FLOAT) {
        memcpy(out, &(float){1}, sizeof(float));
    } else if (scalar == GPU_DOUBLE) {
        memcpy(out, &(double){1}, sizeof(double));
    } else {
        memcpy(out, &(uint64_t){1}, scalar->size);
    }
}

bool fp_operator_identity(const fp_operator *op, gpu_type type, void *out)
{
    fp_known known = op->snippet->known;
    bool arithmetic = known == FP_KNOWN_ADD || known == FP_KNOWN_MULTIPLY;
    bool bitwise = known == FP_KNOWN_AND || known == FP_KNOWN_OR || known == FP_KNOWN_XOR;
    if (type->kind == GPU_KIND_STRUCT || !(arithmetic || (bitwise && type->kind != GPU_KIND_FLOATING))) return false;
    gpu_type scalar = fp_type_scalar(type);
    unsigned char *bytes = out;
    memset(bytes, known == FP_KNOWN_AND ? 0xff : 0, type->size);
    for (unsigned k = 0; known == FP_KNOWN_MULTIPLY && k < type->width; k++) one(scalar, bytes + k * scalar->size);
    return true;
}

/* ---- one launch ---- */

/* GPU: the fewest elements of an item that make another group worth its partial result. */
enum { LEAST_ELEMENTS = 16 };

/* The most elements of an item, whose loop is unrolled. A vector of bytes has 16. */
enum { MOST_ITEMS_PER_THREAD = 16 };

/* The most lanes: more make the unrolled kernel longer and no faster. Fewer than eight fill no vector of the floats
 * that structs may have. Several operators at once are as many loops, whose results wait for each other less with twice
 * the lanes. */
enum { MOST_LANES = 32, FEW_LANES = 8 };

unsigned fp_reduce_group(const gpu *g, size_t size)
{
    const fp_policy *policy = &g->policy;
    unsigned group = policy->group, least = size <= FP_MOST_SHUFFLED ? policy->warp : 1;
    while (group > least && group * size > policy->scratch) group /= 2;
    return group;
}

unsigned fp_reduce_lanes(const fp_policy *policy, gpu_type type, bool several)
{
    unsigned lanes = 1;
    if (type->kind == GPU_KIND_STRUCT && !policy->struct_lanes) return lanes;
    while (lanes < MOST_LANES && 2 * lanes * type->size <= policy->lanes * (several || lanes < FEW_LANES ? 2 : 1))
        lanes *= 2;
    return lanes;
}

/* Note [order]: the order in which elements are combined depends on their type, their number and the policy alone. It
 * does not depend on fusion, or on where a slice begins. So FIREPILE_EAGER changes no bit. */

/* The elements of an item in a tile that keeps order. They are in flight together, and a multiple of a vector. */
static unsigned items_per_thread_of(const fp_policy *policy, size_t size)
{
    size_t items_per_thread = policy->flight / size;
    return items_per_thread < 1                       ? 1
           : items_per_thread > MOST_ITEMS_PER_THREAD ? MOST_ITEMS_PER_THREAD
                                                      : (unsigned)items_per_thread;
}

/* Note [serial order]: operators that may round combine up to policy.serial elements from left to right, in reductions,
 * scans and runs of equal keys, on every device and on the host. So small arrays have the bits of a loop in C. A kernel
 * whose length only the device knows has both ways. */
uint64_t fp_serial_most(const fp_plan *plan, bool rounds)
{
    const fp_policy *policy = &plan->g->policy;
    bool applies = policy->cpu || plan->counted || plan->length <= policy->serial;
    return applies && rounds ? policy->serial : 0;
}

void fp_reduce_slots(fp_plan *plan, bool ordered, unsigned chains, gpu_type type, bool several)
{
    const fp_policy *policy = &plan->g->policy;
    fp_plan_slot(plan, "FP_ORDERED", ordered);
    if (policy->cpu) fp_plan_slot(plan, "FP_LANES", fp_reduce_lanes(policy, type, several));
    if (policy->cpu) fp_plan_slot(plan, "FP_ROLL", fp_plan_has_stencils(plan) && fp_plan_has_matrices(plan));
    if (policy->cpu) fp_plan_slot(plan, "FP_CHAINS", chains);
    if (policy->cpu) return;
    fp_plan_slot(plan, "FP_WARP", type->size <= FP_MOST_SHUFFLED ? policy->warp : 1);
    fp_plan_name(plan, "FP_INDEX", plan->length < (size_t)1 << 31 ? GPU_UINT : GPU_ULONG);
    fp_plan_slot(plan, "FP_ITEMS_PER_THREAD", items_per_thread_of(policy, plan->steps[plan->root].node->type->size));
}

/* One wide load reads scalars. */
unsigned fp_reduce_vector(const fp_policy *policy, gpu_type type)
{
    return fp_type_is_scalar(type) ? fp_vector_of(policy, type->size) : 1;
}

/* The shape of a launch. */
typedef struct shape {
    size_t groups;
    size_t chunk;
    uint64_t multiple; /* chunks are multiples of it */
    uint64_t most;     /* the most groups */
    unsigned group;
} shape;

/* There is room for the partial results of so many groups. */
static size_t most_groups(const gpu *g, size_t size)
{
    return g->policy.cpu ? g->policy.most_chunks : g->policy.resident / fp_reduce_group(g, size);
}

/* GPU: the most bytes of a value, and of several together, for which a device has registers for all work-items that it
 * holds. With larger values it runs half of them, and more groups would wait. The elements that are read do not count,
 * so that the order of combination does not depend on fusion. */
enum { MOST_NARROW = 16, MOST_NARROW_TOGETHER = 8, WIDE_SHARE = 2 };

static size_t most_running(const gpu *g, size_t size, bool several)
{
    const bool wide = !g->policy.cpu && size > (several ? MOST_NARROW_TOGETHER : MOST_NARROW);
    return most_groups(g, size) / (wide ? WIDE_SHARE : 1);
}

/* Items have at least two vectors, so each group has work: the vectors that n does not fill are fewer than those of an
 * item. If n is only a bound, there are all groups that a smaller n could need. */
static shape choose_shape(const fp_request *r, bool counted, unsigned vector)
{
    const gpu *g = r->input.node->g;
    const fp_policy *policy = &g->policy;
    const size_t n = r->input.length, size = r->outputs[0].type->size;
    shape s = {.group = fp_reduce_group(g, size), .most = most_running(g, size, r->op_count > 1)};
    size_t elements = 2 * vector > LEAST_ELEMENTS ? 2 * vector : LEAST_ELEMENTS;
    s.multiple = policy->cpu ? policy->least_chunk : s.group * elements;
    s.chunk = fp_chunk_of(n, s.multiple, s.most, &s.groups);
    size_t chunks = fp_ceiling(n, s.multiple);
    if (counted) s.groups = chunks < s.most ? chunks : s.most;
    return s;
}

static bool all_commute(const fp_request *r)
{
    for (unsigned k = 0; k < r->op_count; k++)
        if (!fp_operator_commutes(r->ops[k], fp_operand_at(r, k))) return false;
    return true;
}

/* The elements of a vector, by the largest elements that are combined. */
static unsigned least_vector_of(const fp_request *r)
{
    const fp_policy *policy = &r->input.node->g->policy;
    unsigned least = fp_reduce_vector(policy, fp_operand_of(r));
    for (unsigned k = 0; k < r->op_count; k++) {
        const unsigned vector = fp_reduce_vector(policy, fp_operand_at(r, k));
        if (vector < least) least = vector;
    }
    return least;
}

static gpu_status launch_reduce(const fp_request *r, fp_buffer *partials)
{
    fp_plan *plan;
    const fp_node *node = r->input.node;
    const gpu_type type = r->outputs[0].type;
    gpu_status status = fp_plan_begin(&plan, "reduce", type, &r->input);
    if (status) return status;
    if (r->marked || r->identity) fp_plan_absence(plan, r->identity);
    for (unsigned k = 0; k < r->op_count; k++) {
        fp_plan_combine(plan, r->ops[k], fp_operand_at(r, k));
        if (r->maps) fp_plan_map(plan, r->maps[k]);
    }
    /* A filter is a branch for each element. Wrong guesses take longer than a chain, and more with several chains. */
    fp_reduce_slots(plan, !all_commute(r), r->input.selection ? 1 : FP_CHAINS, type, r->op_count > 1);
    fp_plan_slot(plan, "FP_SERIAL_MOST", fp_serial_most(plan, fp_request_rounds(r)));
    unsigned vector = least_vector_of(r);
    if (!node->g->policy.cpu) fp_plan_vectors(plan, vector);
    if (!node->g->policy.cpu) fp_plan_slot(plan, "FP_TURN_WORD", FP_TURN_WORD);
    fp_plan_slot(plan, "FP_START", r->start != NULL);
    const shape s = choose_shape(r, plan->counted, vector);
    const uint32_t turn = fp_buffer_announce(r->outputs[0].buffer);
    fp_arg args[7];
    unsigned count = 0;
    if (r->start) args[count++] = (fp_arg){.value = r->start, .bytes = type->size};
    args[count++] = (fp_arg){.value = plan->counted ? &s.multiple : &s.chunk, .bytes = sizeof(uint64_t)};
    if (plan->counted) args[count++] = (fp_arg){FP_ARG_VALUE(s.most)};
    args[count++] = (fp_arg){.buffer = partials};
    args[count++] = (fp_arg){.buffer = node->g->ticket};
    args[count++] = (fp_arg){.buffer = r->outputs[0].buffer};
    if (!node->g->policy.cpu) args[count++] = (fp_arg){FP_ARG_VALUE(turn)};
    return fp_plan_launch(plan, args, count, s.groups, s.group);
}

static gpu_status launch(fp_request *r)
{
    gpu *g = r->input.node->g;
    const gpu_type type = r->outputs[0].type;
    fp_node *partials = fp_temporary(g, type, most_groups(g, type->size), NULL);
    gpu_status status = partials ? launch_reduce(r, partials->buffer) : fp_last_status();
    fp_node_drop(partials);
    return status;
}

static const fp_primitive reduction = {.name = "reduce", .launch = launch, .run = fp_host_reduce, .small = true};

/* Makes the start a marked tuple. */
static gpu_status mark_start(const fp_reduced *reduced, fp_request *r, void **block)
{
    if (!r->start || !reduced->marked) return GPU_OK;
    unsigned char *bytes = *block = fp_alloc(r->outputs[0].type->size);
    if (!bytes) return fp_fail_memory();
    memcpy(bytes, r->start, reduced->ops->types[0]->size);
    memcpy(bytes + fp_tuple_mark(reduced->ops->types, 1), &(uint32_t){1}, sizeof(uint32_t));
    r->start = bytes;
    return GPU_OK;
}

static bool is_tuple(const fp_reduced *reduced)
{
    return reduced->ops->count > 1 || reduced->marked;
}

gpu_status fp_reduce(const fp_ready *input, const fp_combiners *ops, const void *start, bool to_host, fp_reduced *out)
{
    uint64_t identity[FP_IDENTITY_WORDS];
    bool uncertain = input->selection || input->count;
    bool neutral = uncertain && ops->count == 1 && fp_operator_identity(ops->op[0], ops->types[0], identity);
    *out = (fp_reduced){.ops = ops, .marked = uncertain && !neutral};
    gpu_type type = is_tuple(out) ? fp_tuple_type(ops->types, ops->count, out->marked) : ops->types[0];
    if (!type) return fp_last_status();
    fp_request r = {.primitive = &reduction,
                    .input = *input,
                    .ops = ops->op,
                    .op_count = ops->count,
                    .types = ops->types,
                    .maps = ops->maps ? ops->op + ops->count : NULL,
                    .start = start,
                    .identity = neutral ? identity : NULL,
                    .marked = out->marked,
                    .outputs = {{.type = type, .length = 1, .host_visible = to_host}},
                    .output_count = 1};
    void *block = NULL;
    gpu_status status = mark_start(out, &r, &block);
    if (!status) status = fp_execute(&r, &out->value);
    fp_free(block);
    return status;
}

/* Takes the values out of their tuple. */
static gpu_status spread(const fp_reduced *reduced, const unsigned char *tuple, void *const *outs)
{
    uint32_t kept = 1;
    if (reduced->marked) memcpy(&kept, tuple + fp_tuple_mark(reduced->ops->types, reduced->ops->count), sizeof kept);
    if (!kept) return fp_fail_empty();
    for (unsigned k = 0; k < reduced->ops->count; k++)
        memcpy(outs[k], tuple + fp_tuple_member(reduced->ops->types, k), reduced->ops->types[k]->size);
    return GPU_OK;
}

gpu_status fp_reduced_read(fp_entry *entry, const fp_reduced *reduced, void *const *outs)
{
    if (!is_tuple(reduced)) return fp_node_read_once(entry, reduced->value, outs[0]);
    unsigned char *tuple = fp_alloc(reduced->value->type->size);
    if (!tuple) {
        fp_node_drop(reduced->value);
        return fp_fail_memory();
    }
    gpu_status status = fp_node_read_once(entry, reduced->value, tuple);
    if (!status) status = spread(reduced, tuple, outs);
    fp_free(tuple);
    return status;
}

/* ---- reduce, fold, reduced ---- */

gpu_status fp_fail_empty(void)
{
    static const char *const statistics[] = {"gpu_mean", "gpu_variance", "gpu_quantile", "gpu_median"};
    const char *operation = fp_operation(), *name = operation + sizeof "gpu_" - 1;
    for (size_t k = 0; k < sizeof statistics / sizeof *statistics; k++)
        if (!strcmp(operation, statistics[k])) return fp_fail(GPU_E_EMPTY, "the array is empty, and has no %s", name);
    if (!strcmp(operation, "gpu_reduce")) return fp_fail(GPU_E_EMPTY, FP_TEXT_EMPTY ": give a start with gpu_fold");
    if (!strcmp(operation, "gpu_min") || !strcmp(operation, "gpu_max"))
        return fp_fail(GPU_E_EMPTY,
                       "the array is empty, and has no such element: gpu_fold(a, &start, \"%s(a, b)\", ...) "
                       "gives a start",
                       name);
    return fp_fail(GPU_E_EMPTY, FP_TEXT_EMPTY ": " FP_TEXT_FIRST);
}

static gpu_status reduce_nothing(fp_node *node, const fp_operator *op, const void *start, void *out)
{
    gpu_status status = fp_node_check(node);
    if (status) return status;
    if (start) memcpy(out, start, node->type->size);
    return start || fp_operator_identity(op, node->type, out) ? GPU_OK : fp_fail_empty();
}

static gpu_status reduce_to_host(fp_entry *entry, fp_node *node, fp_operator *bound, const void *start, void *out)
{
    const fp_combiners ops = {.op = {bound}, .count = 1, .types = {node->type}};
    fp_ready input;
    fp_reduced reduced;
    gpu_status status = fp_node_prepare_as(node, true, ops.op, 1, &input);
    if (!status && !input.length) return reduce_nothing(node, bound, start, out);
    if (!status) status = fp_reduce(&input, &ops, start, true, &reduced);
    return status ? status : fp_reduced_read(entry, &reduced, &out);
}

static gpu_status reduce(const gpu_array *a, const char *operation, const gpu_value *start, const gpu_operator *op,
                         const gpu_output *out)
{
    fp_operator *bound = NULL;
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), operation, fp_place_of(op));
    gpu_status status = fp_array_check(a, "a");
    if (!status) status = fp_combiner_bind(a->g, op, a->node->type, &bound);
    if (!status) status = fp_check_output(out, a->node->type);
    if (!status && start) status = fp_check_value(start, a->node->type, "start");
    if (!status) status = reduce_to_host(&entry, a->node, bound, start ? start->pointer : NULL, out->pointer);
    fp_entry_relock(&entry);
    fp_operator_drop(bound);
    return fp_entry_end(&entry, status);
}

gpu_status gpu_reduce_op(const gpu_array *a, const gpu_operator *op, const gpu_output *out)
{
    return reduce(a, "gpu_reduce", NULL, op, out);
}

gpu_status gpu_fold_op(const gpu_array *a, const gpu_value *start, const gpu_operator *op, const gpu_output *out)
{
    return reduce(a, "gpu_fold", start ? start : &(const gpu_value){0}, op, out);
}

/* Takes the value out of its marked tuple. A deferred error reports that there is none. */
static gpu_status unmark(fp_reduced *reduced)
{
    fp_node *marked = reduced->value;
    gpu_status status = GPU_OK;
    reduced->value = fp_node_map_own(reduced->ops->types[0], "x.v0", NULL, &marked, 1);
    fp_deferred *deferred = fp_deferred_empty(marked->g, marked->buffer, fp_tuple_mark(reduced->ops->types, 1));
    if (reduced->value)
        status = deferred ? fp_deferred_join(marked->g, &reduced->value->deferred, deferred) : fp_last_status();
    fp_deferred_drop(deferred);
    fp_node_drop(marked);
    if (!reduced->value) return fp_last_status();
    if (status) fp_node_drop(reduced->value);
    return status;
}

static gpu_status reduced_nothing(fp_node *node, const fp_operator *op, fp_node **value)
{
    uint64_t identity[FP_IDENTITY_WORDS];
    if (!fp_operator_identity(op, node->type, identity)) return fp_fail_empty();
    return fp_node_give(fp_node_fill_after(node, node->type, identity, 1), value);
}

static gpu_status run_reduced(const fp_task *task, fp_node **value)
{
    const fp_combiners ops = {.op = {task->op}, .count = 1, .types = {task->inputs[0]->type}};
    fp_ready input;
    fp_reduced made;
    gpu_status status = fp_node_prepare_as(task->inputs[0], true, ops.op, 1, &input);
    if (!status && !input.length) return reduced_nothing(input.node, task->op, value);
    if (!status) status = fp_reduce(&input, &ops, NULL, false, &made);
    if (!status && made.marked) status = unmark(&made);
    if (!status) *value = made.value;
    return status;
}

/* A value that nobody else needs goes to the host as that of gpu_reduce does. */
static gpu_status read_reduced(fp_entry *entry, const fp_task *task, void *out)
{
    return reduce_to_host(entry, task->inputs[0], task->op, NULL, out);
}

gpu_array *gpu_reduced_op(const gpu_array *a, const gpu_operator *op)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_reduced", fp_place_of(op));
    fp_task task = {.run = run_reduced, .read = read_reduced, .one = true};
    gpu_status status = fp_task_input(&task, a, "a");
    if (!status) status = fp_task_bind_combiner(&task, op, a->node->type);
    return fp_task_array(&entry, &task, status);
}

gpu_status fp_reduce_builtin(fp_entry *entry, fp_node *node, const fp_builtin *combine, void *out)
{
    fp_builtin builtin = *combine;
    fp_operator *bound = NULL;
    builtin.captures = (const gpu_capture *const[]){GPU_COMMUTATIVE, NULL};
    gpu_status status = fp_operator_builtin(entry->g, &builtin, &bound);
    if (!status) status = reduce_to_host(entry, node, bound, NULL, out);
    fp_entry_relock(entry);
    fp_operator_drop(bound);
    return status;
}

gpu_status fp_reduce_own(fp_entry *entry, fp_node *node, const char *snippet, void *out)
{
    return fp_reduce_builtin(entry, node, &(fp_builtin){.text = snippet}, out);
}
