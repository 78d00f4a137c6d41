#include "array/plan.h"
#include "array/task.h"
#include "base/error.h"
#include "host/host.h"
#include "ops/reduce.h"

/* Blocks up to this many elements are a work-item's job on a GPU, longer ones a group's. */
enum { SERIAL_BLOCK = 32 };

static gpu_status launch(const fp_ready *input, fp_operator *op, size_t block, size_t blocks, fp_buffer *out)
{
    fp_node *node = input->node;
    const gpu *g = node->g;
    const fp_policy *policy = &g->policy;
    fp_plan *plan;
    gpu_status status = fp_plan_begin(&plan, "block_reduce", node->type, input);
    if (status) return status;
    fp_plan_combine(plan, op, node->type);
    fp_reduce_slots(plan, !fp_operator_commutes(op, node->type), node->type);
    size_t groups, share = 1;
    bool serial = block <= SERIAL_BLOCK;
    unsigned group = fp_reduce_group(g, node->type->size);
    while (!serial && group > 32 && group / 2 >= block) group /= 2;
    fp_plan_slot(plan, "FP_SERIAL_MOST", 0);
    if (policy->cpu) {
        share = fp_share(blocks, policy->least_chunk / block + 1, policy->most_chunks, &groups);
    } else {
        fp_plan_units(plan, 1);
        fp_plan_slot(plan, "FP_SERIAL", serial);
        fp_share(serial ? (blocks + group - 1) / group : blocks, 1, policy->resident / group, &groups);
    }
    const uint64_t sizes[] = {block, blocks, share};
    const fp_arg args[] = {{.value = &sizes[0], .bytes = sizeof sizes[0]},
                           {.value = &sizes[1], .bytes = sizeof sizes[1]},
                           {.value = &sizes[2], .bytes = sizeof sizes[2]},
                           {.buffer = out}};
    status = fp_plan_launch(plan, args, 4, groups, group);
    return status ? status : fp_verify_block_reduce(node, op, block, out);
}

static gpu_status compute(const fp_ready *input, fp_operator *op, size_t block, size_t blocks, fp_buffer *out)
{
    if (input->node->g->host) return fp_host_block_reduce(input->node, op, block, out);
    return launch(input, op, block, blocks, out);
}

static gpu_status run(const fp_task *task, fp_node **result)
{
    fp_node *node = task->inputs[0];
    fp_buffer *out = NULL;
    fp_ready input;
    size_t length = 0, block = task->numbers[0];
    gpu_status status = fp_node_settle(node, &length);
    const size_t blocks = fp_ceiling(length, block);
    if (!status && blocks) status = fp_elements_new(node->g, node->type, blocks, &out);
    if (!status) status = fp_node_prepare(node, &task->op, 1, &input);
    if (!status && blocks) status = compute(&input, task->op, block, blocks, out);
    if (!status) *result = fp_node_result(node->type, blocks, out, NULL, node, task->op);
    fp_buffer_drop(out);
    return *result ? GPU_OK : fp_last_status();
}

gpu_array *gpu_block_reduce_op(const gpu_array *a, size_t block, const gpu_operator *op)
{
    static const char operation[] = "gpu_block_reduce";
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), operation, fp_place_of(op));
    fp_task task = {.run = run, .numbers = {block}};
    gpu_status status = fp_task_input(&task, a, "a");
    if (!status && block == 0) status = fp_fail(GPU_E_ARGUMENT, "the block is 0: it must have at least one element");
    if (!status) status = fp_task_bind(&task, op, &(fp_role){operation, 2, 0, {a->node->type}, a->node->type});
    if (!status) fp_task_gives(&task, a->node->type);
    return fp_array_end(&entry, fp_task_result(&task, status));
}
