#include "base/error.h"
#include "host/host.h"
#include "kernel/type.h"
#include "ops/reduce.h"
#include "planning/eval.h"
#include "planning/execute.h"
#include "planning/plan.h"
#include "planning/task.h"

/* Blocks up to this many elements are a work-item's job on a GPU, longer ones that of several. Operators that may round
 * combine these blocks from left to right on every device, as the host does. So they do all blocks of small arrays
 * (Note [serial order] in lib/ops/reduce.c). */
enum { SERIAL_BLOCK = 32 };

static bool is_serial(const fp_ready *input, size_t block)
{
    const fp_node *node = input->node;
    return block <= SERIAL_BLOCK || (fp_type_rounds(node->type) && input->length <= node->g->policy.serial);
}

/* The shape of a launch. */
typedef struct shape {
    size_t blocks, block; /* the number of blocks, and their elements */
    size_t parts, height; /* of a block, and their elements */
    size_t groups, chunk; /* CPU: the parts of a group */
    unsigned group;
    bool even;   /* all blocks are whole */
    bool serial; /* blocks are combined from left to right */
} shape;

/* A group has as many items as a short block. Small groups leave others time to load while one combines its items. */
static unsigned group_of(const gpu *g, gpu_type type, size_t block)
{
    enum { LEAST = 32, ITEMS_PER_THREAD = 64 };
    unsigned group = fp_reduce_group(g, type->size);
    while (group > LEAST && group / 2 * ITEMS_PER_THREAD >= block) group /= 2;
    return group;
}

/* Few long blocks are divided, so that there is work for all of a device. */
static void divide(shape *s, const gpu *g, gpu_type type)
{
    enum { ITEMS_PER_THREAD = 16 };
    const fp_policy *policy = &g->policy;
    const unsigned group = fp_reduce_group(g, type->size);
    const size_t groups = policy->cpu ? policy->most_chunks : policy->resident / group;
    const size_t least = policy->cpu ? policy->least_chunk : (size_t)ITEMS_PER_THREAD * group;
    if (2 * s->blocks <= groups) s->height = fp_chunk_of(s->block, least, groups / s->blocks, &s->parts);
}

static void choose_groups(shape *s, const gpu *g, gpu_type type)
{
    const fp_policy *policy = &g->policy;
    const size_t pieces = s->blocks * s->parts;
    s->group = s->serial ? fp_reduce_group(g, type->size) : group_of(g, type, s->height);
    if (policy->cpu)
        s->chunk = fp_chunk_of(pieces, policy->least_chunk / s->height + 1, policy->most_chunks, &s->groups);
    else
        fp_chunk_of(s->serial ? fp_ceiling(pieces, s->group) : pieces, 1, policy->resident / s->group, &s->groups);
}

static shape choose_shape(const fp_ready *input, size_t block, bool counted)
{
    const fp_node *node = input->node;
    shape s = {.blocks = fp_ceiling(input->length, block),
               .block = block,
               .parts = 1,
               .height = block,
               .even = !counted && input->length % block == 0,
               .serial = is_serial(input, block)};
    if (s.even && !s.serial) divide(&s, node->g, node->type);
    choose_groups(&s, node->g, node->type);
    return s;
}

/* The elements of a vector on a GPU: all parts begin and end with one. */
static unsigned vector_of(const fp_plan *plan, const fp_request *r, const shape *s)
{
    const gpu_type type = r->outputs[0].type;
    const unsigned vector = fp_reduce_vector(&plan->g->policy, type);
    const bool fits = s->even && s->block % vector == 0 && s->height % vector == 0;
    return fits && !s->serial && fp_operator_commutes(r->ops[0], type) ? vector : 1;
}

/* Stores one value a part. */
static gpu_status launch_parts(const fp_ready *input, const fp_request *r, const shape *s, const fp_node *parts)
{
    const gpu_type type = input->node->type;
    const fp_policy *policy = &input->node->g->policy;
    fp_count *count = parts ? NULL : r->outputs[0].count;
    const uint64_t sizes[] = {s->block, s->parts, s->height, s->chunk};
    const size_t most = policy->serial > SERIAL_BLOCK ? policy->serial : SERIAL_BLOCK;
    uint64_t counter;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "block_reduce", type, input);
    if (status) return status;
    fp_plan_combine(plan, r->ops[0], type);
    fp_reduce_slots(plan, !fp_operator_commutes(r->ops[0], type), s->serial ? 1 : FP_CHAINS, type, false);
    fp_plan_slot(plan, "FP_SERIAL_MOST", s->serial && fp_type_rounds(type) ? most : 0);
    fp_plan_slot(plan, "FP_PARTS", s->parts > 1);
    if (!policy->cpu) fp_plan_vectors(plan, vector_of(plan, r, s));
    if (!policy->cpu) fp_plan_slot(plan, "FP_SERIAL", s->serial);
    fp_arg args[5 + FP_COUNT_ARGS] = {{FP_ARG_VALUE(sizes[0])},
                                      {FP_ARG_VALUE(sizes[1])},
                                      {FP_ARG_VALUE(sizes[2])},
                                      {FP_ARG_VALUE(sizes[3])},
                                      {.buffer = parts ? parts->buffer : r->outputs[0].buffer}};
    if (count) fp_count_args(count, &counter, args + 5);
    return fp_plan_launch(plan, args, count ? 5 + FP_COUNT_ARGS : 5, s->groups, s->group);
}

/* ---- through local memory ---- */

/* How a GPU's group combines short blocks: kernels/gpu/block_reduce_staged.cl. */
typedef struct staging {
    unsigned group;
    size_t loads; /* of a work-item at once */
    size_t tile;  /* elements in local memory */
} staging;

static staging choose_staging(const fp_policy *policy, size_t size)
{
    enum { GROUP = 128, MOST_LOADS = 16 };
    const size_t loads = policy->flight / size;
    staging s = {.group = policy->group < GROUP ? policy->group : GROUP,
                 .loads = loads < 1            ? 1
                          : loads < MOST_LOADS ? loads
                                               : MOST_LOADS};
    s.tile = s.group * s.loads;
    return s;
}

/* Measured on an H200, 2^28 floats: blocks of 7 take 0.32 ms and 0.36 when staged, of 16 0.56 and 0.31, of 33 1.89 and
 * 0.34, of 500 0.41 and 0.36, of 1000 0.29 and 0.37. Large structs leave no room for a block. */
static bool is_staged(const fp_policy *policy, size_t size, size_t block)
{
    enum { LEAST = 8, MOST = 512 };
    const size_t tile = choose_staging(policy, size).tile;
    return !policy->cpu && block > LEAST && block <= MOST && block <= tile && tile * size / 32 * 33 <= policy->tile;
}

/* Stores one value a block. As many work-items combine a block as a group has for each. */
static gpu_status launch_staged(const fp_request *r)
{
    const fp_node *node = r->input.node;
    const fp_policy *policy = &node->g->policy;
    const staging s = choose_staging(policy, node->type->size);
    fp_count *count = r->outputs[0].count;
    const uint32_t block = (uint32_t)r->number, share = (uint32_t)(s.tile / block);
    uint32_t shift = 0;
    while (!is_serial(&r->input, block) && 2 * share << shift <= s.group) shift++;
    const uint32_t piece = (uint32_t)fp_ceiling(block, (size_t)1 << shift);
    size_t groups;
    fp_chunk_of(fp_ceiling(fp_ceiling(r->input.length, block), share), 1, policy->resident / s.group, &groups);
    uint64_t counter;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "block_reduce_staged", node->type, &r->input);
    if (status) return status;
    fp_plan_combine(plan, r->ops[0], node->type);
    fp_plan_slot(plan, "FP_IN_FLIGHT", s.loads);
    fp_arg args[5 + FP_COUNT_ARGS] = {{FP_ARG_VALUE(block)},
                                      {FP_ARG_VALUE(share)},
                                      {FP_ARG_VALUE(shift)},
                                      {FP_ARG_VALUE(piece)},
                                      {.buffer = r->outputs[0].buffer}};
    if (count) fp_count_args(count, &counter, args + 5);
    return fp_plan_launch(plan, args, count ? 5 + FP_COUNT_ARGS : 5, groups, s.group);
}

/* ---- the operation ---- */

/* The parts of a block are a block themselves. */
static gpu_status launch(fp_request *r)
{
    fp_node *node = r->input.node;
    if (is_staged(&node->g->policy, node->type->size, r->number)) return launch_staged(r);
    shape s = choose_shape(&r->input, r->number, r->outputs[0].count != NULL);
    if (s.parts == 1) return launch_parts(&r->input, r, &s, NULL);
    fp_node *parts = fp_temporary(node->g, node->type, s.blocks * s.parts, NULL);
    gpu_status status = parts ? launch_parts(&r->input, r, &s, parts) : fp_last_status();
    if (!status) {
        const fp_ready input = fp_node_made(parts);
        s.block = s.height = s.parts;
        s.parts = 1;
        choose_groups(&s, node->g, node->type);
        status = launch_parts(&input, r, &s, NULL);
    }
    fp_node_drop(parts);
    return status;
}

static const fp_primitive block_reduction = {.name = "block reduce", .launch = launch, .run = fp_host_block_reduce};

gpu_status fp_block_reduce(const fp_ready *input, fp_operator *op, size_t block, fp_node **result)
{
    fp_request r = {.primitive = &block_reduction,
                    .input = *input,
                    .ops = &op,
                    .op_count = 1,
                    .number = block,
                    .outputs = {{.type = input->node->type,
                                 .extent = input->count ? FP_COUNTED : FP_FIXED,
                                 .length = fp_ceiling(input->length, block)}},
                    .output_count = 1};
    return fp_execute(&r, result);
}

/* It is not delayed where the device alone knows how many blocks there are. */
static gpu_status run(const fp_task *task, fp_node **result)
{
    fp_operator *op = task->op;
    fp_ready own;
    if (task->ready) return fp_block_reduce(task->ready, op, task->block, result);
    gpu_status status = fp_node_prepare(task->inputs[0], &op, 1, &own);
    return status ? status : fp_block_reduce(&own, op, task->block, result);
}

gpu_array *gpu_block_reduce_op(const gpu_array *a, size_t block, const gpu_operator *op)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_block_reduce", fp_place_of(op));
    fp_task task = {.run = run, .delayed = true, .block = block};
    gpu_status status = fp_task_input(&task, a, "a");
    if (!status && block == 0) status = fp_fail(GPU_E_ARGUMENT, "the block is 0: it must have at least one element");
    if (!status) status = fp_task_bind_combiner(&task, op, a->node->type);
    return fp_task_array(&entry, &task, status);
}
