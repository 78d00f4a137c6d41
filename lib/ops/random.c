/* Random elements and random orders. */
#include "kernel/random.h"

#include "arrays/array.h"
#include "base/error.h"
#include "expressions/types.h"
#include "kernel/type.h"
#include "planning/eval.h"
#include "planning/task.h"

#include <firepile/random.h>

/* A map of a constant array of the seed: x is that, and i the place. */
static fp_node *map_seed(gpu *g, gpu_type type, uint64_t seed, size_t n, const gpu_operator *op, unsigned traits)
{
    const fp_operator_kind kind = {.operation = fp_operation(),
                                   .operands = 1,
                                   .traits = FP_OPERATOR_INDEX | FP_OPERATOR_BUILTIN | traits,
                                   .result = type};
    fp_operator *bound;
    fp_node *seeds = fp_node_fill(g, GPU_ULONG, &seed, n);
    fp_node *made = seeds && !fp_operator_bind(g, op, &kind, &bound) ? fp_node_map(type, bound, &seeds, 1) : NULL;
    fp_node_drop(seeds);
    return made;
}

/* ---- elements ---- */

static const char *uniform(gpu_type type)
{
    if (type == GPU_FLOAT) return FP_RANDOM_FLOAT;
    return type == GPU_DOUBLE ? FP_RANDOM_DOUBLE : fp_type_is_scalar(type) ? FP_RANDOM_INTEGER : NULL;
}

static const char *normal(gpu_type type)
{
    return type == GPU_FLOAT ? FP_NORMAL_FLOAT : type == GPU_DOUBLE ? FP_NORMAL_DOUBLE : NULL;
}

static fp_node *draw(gpu *g, gpu_type type, size_t n, uint64_t seed, const char *(*text_of)(gpu_type),
                     const char *which)
{
    if (!g) fp_fail_no_gpu();
    if (!g || fp_gpu_check_type(g, &type)) return NULL;
    const gpu_place call = fp_call_place();
    const gpu_operator op = {.snippet = text_of(type), .place = &(gpu_place){.file = call.file, .line = call.line}};
    if (op.snippet) return map_seed(g, type, seed, n, &op, FP_OPERATOR_SHARES);
    fp_fail(GPU_E_TYPE, "random elements are %s, and %s is neither: map them to it", which, type->name);
    return NULL;
}

gpu_array *gpu_random_op(gpu *g, gpu_type type, size_t n, uint64_t seed, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(g, "gpu_random", place);
    return fp_array_end(&entry, draw(g, type, n, seed, uniform, "integers or floating numbers"));
}

gpu_array *gpu_random_normal_op(gpu *g, gpu_type type, size_t n, uint64_t seed, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(g, "gpu_random_normal", place);
    return fp_array_end(&entry, draw(g, type, n, seed, normal, "floats or doubles"));
}

/* ---- orders ---- */

/* Bits that the places of n elements have. */
static uint32_t bits_of(uint64_t n)
{
    uint32_t bits = FP_LEAST_SHUFFLED;
    while (n > 1 && (n - 1) >> bits) bits++;
    return bits;
}

/* The first `count` places of a permutation of `length`. Seeds that differ little have keys that differ much. */
static fp_node *places(gpu *g, uint64_t seed, uint64_t length, size_t count)
{
    const uint32_t bits = bits_of(length);
    const gpu_place call = fp_call_place();
    const gpu_capture many = {"length", &length, GPU_ULONG, sizeof length},
                      wide = {"bits", &bits, GPU_UINT, sizeof bits};
    const gpu_operator op = {.snippet = FP_SHUFFLED,
                             .captures = (const gpu_capture *const[]){&many, &wide, NULL},
                             .place = &(gpu_place){.file = call.file, .line = call.line}};
    return map_seed(g, GPU_ULONG, fp_random_bits(seed, 0, sizeof seed), count, &op, 0);
}

static fp_node *pick(fp_node *node, uint64_t seed, size_t length, size_t count)
{
    fp_node *indices = places(node->g, seed, length, count);
    fp_node *picked = indices ? fp_node_gather(node, indices) : NULL;
    fp_node_drop(indices);
    return picked;
}

/* numbers: the seed. */
static gpu_status run_shuffle(const fp_task *task, fp_node **result)
{
    size_t length;
    gpu_status status = fp_node_wait_length(task->inputs[0], &length);
    if (status) return status;
    return fp_node_give(pick(task->inputs[0], task->numbers[0], length, length), result);
}

gpu_array *gpu_shuffle_op(const gpu_array *a, uint64_t seed, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_shuffle", place);
    fp_task task = {.run = run_shuffle, .aligned = true, .numbers = {seed}};
    return fp_task_array(&entry, &task, fp_task_input(&task, a, "a"));
}

/* numbers: the seed, and how many. */
static gpu_status run_sample(const fp_task *task, fp_node **result)
{
    size_t length, k = task->numbers[1];
    gpu_status status = fp_node_wait_length(task->inputs[0], &length);
    if (!status && k > length)
        status = fp_fail(GPU_E_ARGUMENT,
                         "a sample of %zu elements without replacement needs as many: the array has %zu", k, length);
    if (status) return status;
    return fp_node_give(pick(task->inputs[0], task->numbers[0], length, k), result);
}

gpu_array *gpu_sample_op(const gpu_array *a, size_t k, uint64_t seed, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_sample", place);
    fp_task task = {.run = run_sample, .one = k == 1, .numbers = {seed, k}};
    return fp_task_array(&entry, &task, fp_task_input(&task, a, "a"));
}
