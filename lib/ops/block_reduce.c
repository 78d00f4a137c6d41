#include "base/error.h"
#include "host/host.h"
#include "kernel/type.h"
#include "ops/reduce.h"
#include "planning/eval.h"
#include "planning/execute.h"
#include "planning/plan.h"
#include "planning/task.h"

/* Blocks up to this many elements are a work-item's job on a GPU, longer ones a group's. Operators that may round
 * combine these blocks from left to right on every device, as the host does. So they do all blocks of small arrays
 * (Note [serial order] in lib/ops/reduce.c). */
enum { SERIAL_BLOCK = 32 };

static bool is_serial(const fp_ready *input, size_t block)
{
    const fp_node *node = input->node;
    return block <= SERIAL_BLOCK || (fp_type_rounds(node->type) && input->length <= node->g->policy.serial);
}

static gpu_status launch(fp_request *r)
{
    fp_node *node = r->input.node;
    const gpu *g = node->g;
    const fp_policy *policy = &g->policy;
    const size_t block = r->number, blocks = r->outputs[0].length;
    const bool counted = r->outputs[0].count != NULL, serial = is_serial(&r->input, block);
    const size_t most = policy->serial > SERIAL_BLOCK ? policy->serial : SERIAL_BLOCK;
    size_t groups, chunk = 1;
    unsigned group = fp_reduce_group(g, node->type->size);
    uint64_t counter;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "block_reduce", node->type, &r->input);
    if (status) return status;
    fp_plan_combine(plan, r->ops[0], node->type);
    fp_reduce_slots(plan, !fp_operator_commutes(r->ops[0], node->type), node->type);
    fp_plan_slot(plan, "FP_SERIAL_MOST", serial && fp_type_rounds(node->type) ? most : 0);
    while (!serial && group > 32 && group / 2 >= block) group /= 2;
    if (policy->cpu) {
        chunk = fp_chunk_of(blocks, policy->least_chunk / block + 1, policy->most_chunks, &groups);
    } else {
        fp_plan_vectors(plan, 1);
        fp_plan_slot(plan, "FP_SERIAL", serial);
        fp_chunk_of(serial ? (blocks + group - 1) / group : blocks, 1, policy->resident / group, &groups);
    }
    const uint64_t sizes[] = {block, chunk};
    fp_arg args[3 + FP_COUNT_ARGS] = {{.value = &sizes[0], .bytes = sizeof sizes[0]},
                                      {.value = &sizes[1], .bytes = sizeof sizes[1]},
                                      {.buffer = r->outputs[0].buffer}};
    if (counted) fp_count_args(r->outputs[0].count, &counter, args + 3);
    return fp_plan_launch(plan, args, counted ? 3 + FP_COUNT_ARGS : 3, groups, group);
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
    static const char operation[] = "gpu_block_reduce";
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), operation, fp_place_of(op));
    fp_task task = {.run = run, .delayed = true, .block = block};
    gpu_status status = fp_task_input(&task, a, "a");
    if (!status && block == 0) status = fp_fail(GPU_E_ARGUMENT, "the block is 0: it must have at least one element");
    if (!status) status = fp_task_bind(&task, op, &(fp_operator_kind){operation, 2, 0, {a->node->type}, a->node->type});
    if (!status) fp_task_gives(&task, a->node->type);
    return fp_array_end(&entry, fp_task_result(&task, status));
}
