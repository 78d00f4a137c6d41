/* gpu_merge: the last step of a merge sort. */
#include "ops/merge.h"
#include "base/error.h"
#include "ops/move.h"
#include "ops/order.h"
#include "planning/eval.h"

#include <firepile/merge.h>

/* numbers[0]: the elements of the left array. */
static gpu_status run_joined(const fp_task *task, fp_node **result)
{
    const fp_node *epilogue = task->epilogue, *node = task->ready->node;
    const fp_order order = fp_task_order(task);
    fp_request r = {.primitive = &fp_merge_two,
                    .input = *task->ready,
                    .order = &order,
                    .number = task->numbers[0],
                    .epilogue = task->epilogue,
                    .outputs = {{.type = epilogue ? epilogue->type : node->type,
                                 .extent = FP_ALIGNED,
                                 .length = task->ready->length}},
                    .output_count = 1};
    return fp_execute(&r, result);
}

/* Delays the merge of both arrays, joined. */
gpu_status fp_merge(fp_node *a, fp_node *b, fp_node **result)
{
    fp_task joined = {.run = run_joined, .delayed = true, .g = a->g};
    gpu_status status = fp_order_natural(a->g, a->type, NULL, false, &joined.order);
    joined.op = joined.order.less;
    fp_node *both = status ? NULL : fp_join(a, b, &joined.numbers[0]);
    if (both) {
        joined.inputs[joined.input_count++] = both;
        fp_task_gives(&joined, both->type);
        status = fp_task_run(&joined, result);
    } else if (!status) {
        status = fp_last_status();
    }
    fp_node_drop(both);
    fp_order_end(&joined.order);
    return status;
}

gpu_status fp_merge_pairs(fp_node *keys, fp_node *values, size_t of_a, const fp_order *order, fp_node **results)
{
    fp_operator *less = order->less;
    fp_ready input;
    fp_node *pairs = fp_pairs_prepare(keys, values, order, &input);
    if (!pairs) return fp_last_status();
    fp_request r = {.primitive = &fp_merge_two,
                    .input = input,
                    .ops = &less,
                    .op_count = !order->natural,
                    .operand = order->key,
                    .order = order,
                    .number = of_a,
                    .outputs = {{.type = keys->type, .extent = FP_ALIGNED, .length = input.length},
                                {.type = values->type, .extent = FP_ALIGNED, .length = input.length}},
                    .output_count = 2};
    gpu_status status = fp_execute(&r, results);
    fp_node_drop(pairs);
    return status;
}

static gpu_status run_merge(const fp_task *task, fp_node **result)
{
    return fp_merge(task->inputs[0], task->inputs[1], result);
}

gpu_array *gpu_merge_op(const gpu_array *a, const gpu_array *b, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_first_gpu(fp_array_gpu(a), fp_array_gpu(b)), "gpu_merge", place);
    fp_task task = {.run = run_merge};
    gpu_status status = fp_join_inputs(&task, a, b);
    if (!status) status = fp_order_check(a->node->type);
    return fp_task_array(&entry, &task, status);
}
