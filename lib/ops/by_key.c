/* Reduce and scan over runs of equal keys. */
#include "ops/by_key.h"
#include "arrays/array.h"
#include "base/error.h"
#include "expressions/types.h"
#include "host/host.h"
#include "ops/reduce.h"
#include "planning/eval.h"
#include "planning/execute.h"
#include "planning/lookback.h"

#include <firepile/by_key.h>

/* ---- pairs ---- */

gpu *fp_keyed_gpu(const gpu_array *keys, const gpu_array *values)
{
    return keys ? fp_array_gpu(keys) : fp_array_gpu(values);
}

gpu_status fp_keyed_accept(const gpu_array *keys, const gpu_array *values)
{
    gpu_status status = fp_array_accept(keys, "keys");
    if (!status) status = fp_array_accept(values, "values");
    if (status || keys->g == values->g) return status;
    return fp_fail(GPU_E_ARGUMENT, "keys and values belong to different gpus");
}

gpu_status fp_keyed_inputs(fp_task *task, const gpu_array *keys, const gpu_array *values)
{
    gpu_status status = fp_keyed_accept(keys, values);
    if (!status) status = fp_task_input(task, keys, "keys");
    return status ? status : fp_task_input(task, values, "values");
}

gpu_status fp_keyed_lengths(const fp_task *task)
{
    return fp_node_check_lengths(task->inputs[0], "keys", task->inputs[1], "values");
}

static gpu_status check_keys(const gpu_array *keys)
{
    gpu_type type = keys->node->type;
    if (type->kind != GPU_KIND_STRUCT) return GPU_OK;
    return fp_fail(GPU_E_TYPE, "struct %s has no == of its own: map the keys to scalars or vectors", type->name);
}

/* A pair has a value, its key, and a mark where a run begins. z is the key before, or the mark that was given. */
static fp_node *make_pairs(fp_node *keys, fp_node *values, fp_node *marks)
{
    const char *text = marks ? "{ fp_result p; p.v0 = x; p.w0 = y; p.mark0 = z || i == 0; return p; }"
                       : keys->type->width > 1
                           ? "{ fp_result p; p.v0 = x; p.w0 = y; p.mark0 = i == 0 || any(y != z); return p; }"
                           : "{ fp_result p; p.v0 = x; p.w0 = y; p.mark0 = i == 0 || y != z; return p; }";
    gpu_type pair = fp_pair_type(values->type, keys->type, true);
    fp_node *third = !pair ? NULL : marks ? fp_node_keep(marks) : fp_node_previous(keys);
    fp_node *pairs = third ? fp_node_map_own(pair, text, NULL, (fp_node *const[]){values, keys, third}, 3) : NULL;
    fp_node_drop(third);
    return pairs;
}

fp_node *fp_pair_with_index(fp_node *values, fp_node *keys)
{
    static const char text[] = "{ fp_result p; p.v0 = x; p.w0 = (ulong)y; return p; }";
    const gpu_type pair = fp_pair_type(values->type, GPU_ULONG, false);
    return pair ? fp_node_map_own(pair, text, NULL, (fp_node *const[]){values, keys}, 2) : NULL;
}

/* ---- launching ---- */

static gpu_status launch_pass(const fp_request *r, const fp_lookback *lookback, unsigned pass)
{
    const gpu *g = r->input.node->g;
    const bool running = r->output_count == 1;
    fp_plan *plan;
    fp_arg args[FP_LOOKBACK_ARGS + 2 + FP_COUNT_ARGS];
    uint64_t counter;
    gpu_status status = fp_plan_begin(&plan, "by_key", r->operand, &r->input);
    if (status) return status;
    fp_plan_combine(plan, r->ops[0], r->operand);
    fp_plan_name(plan, "FP_KEY", r->key);
    fp_plan_name(plan, "FP_RESULT", r->outputs[0].type);
    fp_plan_slot(plan, "FP_RUNNING", running);
    fp_plan_slot(plan, "FP_SERIAL_MOST", fp_serial_most(plan, fp_request_rounds(r)));
    fp_plan_name(plan, "FP_INDEX", r->input.length <= UINT32_MAX ? GPU_UINT : GPU_ULONG);
    if (g->policy.cpu) fp_reduce_slots(plan, true, 1, r->operand, false);
    fp_lookback_slots(plan, lookback, false, pass);
    unsigned count = fp_lookback_args(g, lookback, args);
    for (unsigned k = 0; k < r->output_count; k++) args[count++] = (fp_arg){.buffer = r->outputs[k].buffer};
    if (!running) {
        fp_count_args(r->outputs[0].count, &counter, args + count);
        count += FP_COUNT_ARGS;
    }
    return fp_plan_launch(plan, args, count, lookback->tiles, lookback->group);
}

/* The bytes of a value with the number of runs beside it. */
static size_t run_bytes(gpu_type value, bool few)
{
    size_t heads = few ? sizeof(uint32_t) : sizeof(uint64_t), align = value->align > heads ? value->align : heads;
    size_t end = fp_round_up(value->size, heads) + heads;
    return fp_round_up(end, align);
}

static gpu_status launch(fp_request *r)
{
    /* A value is staged with its key, if that is stored, and with the mark of its run: a bit, or a word where there are
     * no warps. */
    const gpu *g = r->input.node->g;
    size_t bytes = run_bytes(r->operand, r->input.length <= UINT32_MAX);
    size_t staged = r->operand->size + (r->output_count > 1 ? r->key->size : 0);
    if (g->policy.warp == 1) staged += sizeof(uint32_t);
    return fp_lookback_run(r, staged, true, bytes, launch_pass);
}

static const fp_primitive by_key = {.name = "by key", .launch = launch, .run = fp_host_by_key, .small = true};

gpu_status fp_combine_by_key(fp_operator *op, fp_node *keys, fp_node *values, fp_node *marks, gpu_type type,
                             bool running, fp_node **results)
{
    fp_ready input;
    fp_node *pairs = make_pairs(keys, values, marks);
    gpu_status status = pairs ? fp_node_prepare(pairs, &op, 1, &input) : fp_last_status();
    if (!status) {
        fp_request r = {.primitive = &by_key,
                        .input = input,
                        .ops = &op,
                        .op_count = 1,
                        .operand = values->type,
                        .key = keys->type,
                        .outputs = {{.type = type, .extent = running ? FP_ALIGNED : FP_COUNTED, .length = input.length},
                                    {.type = keys->type, .extent = FP_SHARED, .length = input.length}},
                        .output_count = running ? 1 : 2};
        status = fp_execute(&r, results);
    }
    fp_node_drop(pairs);
    return status;
}

/* ---- the operations ---- */

static gpu_status run(const fp_task *task, bool running, fp_node **results)
{
    fp_node *keys = task->inputs[0], *values = task->inputs[1];
    gpu_status status = fp_keyed_lengths(task);
    return status ? status : fp_combine_by_key(task->op, keys, values, NULL, values->type, running, results);
}

static gpu_status run_reduce(const fp_task *task, fp_node **results)
{
    return run(task, false, results);
}

static gpu_status run_scan(const fp_task *task, fp_node **result)
{
    return run(task, true, result);
}

static gpu_status take(fp_task *task, const gpu_array *keys, const gpu_array *values, const gpu_operator *op)
{
    gpu_status status = fp_keyed_inputs(task, keys, values);
    if (!status) status = check_keys(keys);
    return status ? status : fp_task_bind_combiner(task, op, values->node->type);
}

gpu_status gpu_reduce_by_key_op(const gpu_array *keys, const gpu_array *values, const gpu_operator *op, gpu_array **k,
                                gpu_array **v)
{
    fp_entry entry = fp_entry_begin(fp_keyed_gpu(keys, values), "gpu_reduce_by_key", fp_place_of(op));
    fp_task task = {.run = run_reduce};
    gpu_status status = fp_two_check(k, v);
    if (!status) status = take(&task, keys, values, op);
    if (!status) fp_task_gives_two(&task, values->node->type, keys->node->type);
    return fp_two_end(&entry, &task, status, v, k);
}

/* Lengths are sums of ones. Kernels add them in 32 bits where those are enough. */
static gpu_status run_runs(const fp_task *task, fp_node **results)
{
    fp_operator *add = NULL;
    fp_node *keys = task->inputs[0];
    gpu_type sum_type = fp_node_most(keys) <= UINT32_MAX ? GPU_UINT : GPU_ULONG;
    fp_node *ones = fp_node_map_own(sum_type, "1", NULL, &keys, 1);
    if (!ones) return fp_last_status();
    gpu_status status = fp_operator_bind_own(keys->g, "a + b", NULL, &add);
    if (!status) status = fp_combine_by_key(add, keys, ones, NULL, GPU_ULONG, false, results);
    fp_operator_drop(add);
    fp_node_drop(ones);
    return status;
}

gpu_status gpu_runs_op(const gpu_array *a, gpu_array **values, gpu_array **lengths, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_runs", place);
    fp_task task = {.run = run_runs};
    gpu_status status = fp_two_check(values, lengths);
    if (!status) status = fp_task_input(&task, a, "keys");
    if (!status) status = check_keys(a);
    if (!status) fp_task_gives_two(&task, GPU_ULONG, a->node->type);
    return fp_two_end(&entry, &task, status, lengths, values);
}

gpu_array *gpu_scan_by_key_op(const gpu_array *keys, const gpu_array *values, const gpu_operator *op)
{
    fp_entry entry = fp_entry_begin(fp_keyed_gpu(keys, values), "gpu_scan_by_key", fp_place_of(op));
    fp_task task = {.run = run_scan};
    gpu_status status = take(&task, keys, values, op);
    if (!status) fp_task_gives(&task, values->node->type);
    return fp_task_array(&entry, &task, status);
}
