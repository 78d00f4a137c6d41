/* Reduce and scan over runs of equal keys. */
#include "ops/by_key.h"
#include "array/lookback.h"
#include "base/error.h"
#include "host/host.h"
#include "ops/reduce.h"
#include "ops/two.h"

#include <firepile/by_key.h>

/* One call: what goes in, and what comes out. */
typedef struct by_key {
    const char *operation;
    fp_operator *op;
    fp_node *pairs; /* of value, key, and whether a run begins; */
    fp_ready input; /* which is them once they are prepared */
    gpu_type key;
    gpu_type value;
    gpu_type result; /* of values that come out */
    bool running;    /* one value for each element, and no keys */
    fp_lookback lookback;
    fp_buffer *out;
    fp_buffer *keys;
    fp_count *count; /* of runs */
} by_key;

/* ---- pairs ---- */

gpu_status fp_keyed_inputs(fp_task *task, const gpu_array *keys, const gpu_array *values)
{
    gpu_status status = fp_task_input(task, keys, "keys");
    if (!status) status = fp_task_input(task, values, "values");
    if (status || keys->g == values->g) return status;
    return fp_fail(GPU_E_ARGUMENT, "keys and values belong to different gpus");
}

gpu_status fp_keyed_lengths(const fp_task *task)
{
    fp_node *keys = task->inputs[0], *values = task->inputs[1];
    if (fp_node_same_extent(keys, values)) return GPU_OK;
    size_t of_keys, of_values;
    gpu_status status = fp_node_settle(keys, &of_keys);
    if (!status) status = fp_node_settle(values, &of_values);
    if (status || of_keys == of_values) return status;
    return fp_fail(GPU_E_ARGUMENT, "there are %zu keys and %zu values, and there must be equally many", of_keys,
                   of_values);
}

static gpu_status check_keys(const gpu_array *keys)
{
    gpu_type type = keys->node->type;
    if (type->kind != GPU_KIND_STRUCT) return GPU_OK;
    return fp_fail(GPU_E_TYPE, "struct %s has no == of its own: map the keys to scalars or vectors", type->name);
}

static gpu_status make_pairs(by_key *k, fp_node *keys, fp_node *values)
{
    const gpu_operator op = {
        .snippet = k->key->width > 1 ? "{ fp_result p; p.v0 = x; p.w0 = y; p.mark0 = i == 0 || any(y != z); return p; }"
                                     : "{ fp_result p; p.v0 = x; p.w0 = y; p.mark0 = i == 0 || y != z; return p; }"};
    gpu_type pair = fp_pair_type(k->value, k->key, true);
    fp_node *before = pair ? fp_node_before(keys) : NULL;
    fp_operator *bound;
    gpu_status status =
        before
            ? fp_operator_bind(
                  keys->g, &op,
                  &(fp_role){.operation = k->operation, .operands = 3, .traits = FP_ROLE_INDEX | FP_ROLE_OWN}, &bound)
            : fp_last_status();
    if (!status) k->pairs = fp_node_map(pair, bound, (fp_node *const[]){values, keys, before}, 3);
    fp_node_drop(before);
    return k->pairs ? GPU_OK : fp_last_status();
}

/* ---- launching ---- */

static gpu_status launch(const by_key *k, unsigned sweep)
{
    const gpu *g = k->pairs->g;
    fp_plan *plan;
    fp_arg args[FP_LOOKBACK_ARGS + 2 + FP_COUNT_ARGS];
    gpu_status status = fp_plan_begin(&plan, "by_key", k->value, &k->input);
    if (status) return status;
    fp_plan_combine(plan, k->op, k->value);
    fp_plan_name(plan, "FP_KEY", k->key);
    fp_plan_name(plan, "FP_RESULT", k->result);
    fp_plan_slot(plan, "FP_RUNNING", k->running);
    fp_plan_slot(plan, "FP_SERIAL_MOST", fp_serial_most(plan, k->value));
    fp_plan_slot(plan, "FP_SMALL", k->input.length <= UINT32_MAX);
    if (g->policy.cpu) fp_plan_slot(plan, "FP_ORDERED", true);
    if (g->policy.cpu) fp_plan_slot(plan, "FP_LANES", 1);
    fp_lookback_slots(plan, &k->lookback, false, sweep);
    unsigned count = fp_lookback_args(g, &k->lookback, args);
    args[count++] = (fp_arg){.buffer = k->out};
    uint64_t cell;
    if (!k->running) {
        args[count++] = (fp_arg){.buffer = k->keys};
        fp_count_args(k->count, &cell, args + count);
        count += FP_COUNT_ARGS;
    }
    return fp_plan_launch(plan, args, count, k->lookback.tiles, k->lookback.group);
}

static gpu_status make_outputs(by_key *k)
{
    gpu *g = k->pairs->g;
    gpu_status status = fp_elements_new(g, k->result, k->input.length, &k->out);
    if (status || k->running) return status;
    k->count = fp_count_new(g);
    return k->count ? fp_elements_new(g, k->key, k->input.length, &k->keys) : fp_last_status();
}

static fp_host_keyed on_host(const by_key *k)
{
    return (fp_host_keyed){.op = k->op,
                           .value = k->value,
                           .key = k->key,
                           .result = k->result,
                           .out = k->out,
                           .keys = k->keys,
                           .count = k->count};
}

/* The size of a value beside the number of runs. */
static size_t run_bytes(gpu_type value, bool few)
{
    size_t heads = few ? sizeof(uint32_t) : sizeof(uint64_t), align = value->align > heads ? value->align : heads;
    size_t end = fp_ceiling(value->size, heads) * heads + heads;
    return fp_ceiling(end, align) * align;
}

static gpu_status compute(by_key *k)
{
    gpu *g = k->pairs->g;
    gpu_status status = make_outputs(k);
    const fp_host_keyed call = on_host(k);
    if (!status && g->host) return fp_host_by_key(k->pairs, &call);
    /* A value is staged with a bit, or a word where there are no warps, that says whether a run begins there. */
    size_t bytes = run_bytes(k->value, k->input.length <= UINT32_MAX), staged = k->value->size + sizeof(uint32_t);
    if (!status) status = fp_lookback_begin(g, k->input.length, staged, true, bytes, &k->lookback);
    for (unsigned sweep = 0; sweep < fp_lookback_sweeps(g) && !status; sweep++) status = launch(k, sweep);
    return status ? status : fp_verify_by_key(k->pairs, k->op, &call, fp_lookback_sweeps(g));
}

static gpu_status make_nothing(const by_key *k, fp_node **nodes)
{
    nodes[0] = fp_node_result(k->result, 0, NULL, NULL, k->pairs, k->op);
    nodes[1] = k->running ? NULL : fp_node_result(k->key, 0, NULL, NULL, k->pairs, k->op);
    return nodes[0] && (k->running || nodes[1]) ? GPU_OK : fp_last_status();
}

static void by_key_end(by_key *k)
{
    fp_lookback_end(&k->lookback);
    fp_buffer_drop(k->out);
    fp_buffer_drop(k->keys);
    fp_count_drop(k->count);
    fp_node_drop(k->pairs);
}

/* The nodes of values and, unless it is running, of keys. */
static gpu_status run(by_key *k, fp_node *keys, fp_node *values, fp_node **nodes)
{
    k->key = keys->type;
    k->value = values->type;
    if (!k->result) k->result = k->value;
    gpu_status status = make_pairs(k, keys, values);
    if (!status) status = fp_node_prepare(k->pairs, &k->op, 1, &k->input);
    if (!status && !k->input.length) return make_nothing(k, nodes);
    if (!status) status = compute(k);
    if (status) return status;
    /* The host, or verifying, may know by now how many there are. */
    size_t length = fp_node_most(k->pairs);
    fp_count *count = k->running ? fp_node_count(k->pairs) : k->count;
    nodes[0] = fp_node_result(k->result, length, k->out, count, k->pairs, k->op);
    if (!k->running) nodes[1] = fp_node_result(k->key, length, k->keys, k->count, k->pairs, k->op);
    return nodes[0] && (k->running || nodes[1]) ? GPU_OK : fp_last_status();
}

gpu_status fp_reduce_by_key(const char *operation, fp_operator *op, fp_node *keys, fp_node *values, gpu_type result,
                            fp_node **nodes)
{
    by_key call = {.operation = operation, .op = op, .result = result};
    gpu_status status = run(&call, keys, values, nodes);
    by_key_end(&call);
    return status;
}

/* ---- the operations ---- */

static gpu_status run_reduce(const fp_task *task, fp_node **nodes)
{
    gpu_status status = fp_keyed_lengths(task);
    if (status) return status;
    return fp_reduce_by_key("gpu_reduce_by_key", task->op, task->inputs[0], task->inputs[1], NULL, nodes);
}

static gpu_status take(fp_task *task, const gpu_array *keys, const gpu_array *values, const gpu_operator *op,
                       const char *operation)
{
    gpu_status status = fp_keyed_inputs(task, keys, values);
    if (!status) status = check_keys(keys);
    return status ? status
                  : fp_task_bind(task, op, &(fp_role){operation, 2, 0, {values->node->type}, values->node->type});
}

static gpu *gpu_of(const gpu_array *keys, const gpu_array *values)
{
    return keys ? fp_array_gpu(keys) : fp_array_gpu(values);
}

gpu_status gpu_reduce_by_key_op(const gpu_array *keys, const gpu_array *values, const gpu_operator *op, gpu_array **k,
                                gpu_array **v)
{
    fp_entry entry = fp_entry_begin(gpu_of(keys, values), "gpu_reduce_by_key", fp_place_of(op));
    fp_task task = {.run = run_reduce};
    gpu_status status = fp_two_check(k, v);
    if (!status) status = take(&task, keys, values, op, "gpu_reduce_by_key");
    if (!status) fp_task_gives_two(&task, values->node->type, keys->node->type);
    return fp_two_end(&entry, &task, status, v, k);
}

/* Lengths are sums of ones, which have 32 bits on their way where those are enough. */
static gpu_status run_runs(const fp_task *task, fp_node **nodes)
{
    static const char operation[] = "gpu_runs";
    const gpu_operator sum = {.snippet = "a + b"}, one = {.snippet = "1"};
    fp_operator *to_one, *add = NULL;
    fp_node *keys = task->inputs[0];
    gpu_status status = fp_operator_bind(
        keys->g, &one, &(fp_role){.operation = operation, .operands = 1, .traits = FP_ROLE_OWN}, &to_one);
    gpu_type sum_type = fp_node_most(keys) <= UINT32_MAX ? GPU_UINT : GPU_ULONG;
    fp_node *ones = status ? NULL : fp_node_map(sum_type, to_one, &keys, 1);
    if (!ones) return fp_last_status();
    status =
        fp_operator_bind(keys->g, &sum, &(fp_role){.operation = operation, .operands = 2, .traits = FP_ROLE_OWN}, &add);
    if (!status) status = fp_reduce_by_key(operation, add, keys, ones, GPU_ULONG, nodes);
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

static gpu_status run_scan(const fp_task *task, fp_node **result)
{
    by_key call = {.operation = "gpu_scan_by_key", .running = true, .op = task->op};
    fp_node *nodes[2] = {NULL};
    gpu_status status = fp_keyed_lengths(task);
    if (!status) status = run(&call, task->inputs[0], task->inputs[1], nodes);
    by_key_end(&call);
    *result = nodes[0];
    return status;
}

gpu_array *gpu_scan_by_key_op(const gpu_array *keys, const gpu_array *values, const gpu_operator *op)
{
    fp_entry entry = fp_entry_begin(gpu_of(keys, values), "gpu_scan_by_key", fp_place_of(op));
    fp_task task = {.run = run_scan};
    gpu_status status = take(&task, keys, values, op, "gpu_scan_by_key");
    if (!status) fp_task_gives(&task, values->node->type);
    return fp_array_end(&entry, fp_task_result(&task, status));
}
