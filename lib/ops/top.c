/* The largest elements, and those with values, without sorting all. */
#include "base/error.h"
#include "ops/by_key.h"
#include "ops/order.h"
#include "planning/eval.h"
#include "planning/task.h"

/* A sample of so many elements estimates the k-th largest. */
enum { SAMPLE = 4096 };

/* Arrays are sorted that are short, or of which k is a large share. */
enum { SHORT = 1 << 16, MANY_OF = 16 };

static fp_node *sort_descending(fp_node *node)
{
    fp_order order;
    gpu_status status = fp_order_natural(node->g, node->type, NULL, true, &order);
    fp_node *sorted = status ? NULL : fp_sort(node, &order);
    fp_order_end(&order);
    return sorted;
}

/* The first k elements in order, or all. */
static fp_node *sort_some(fp_node *node, size_t length, size_t k)
{
    fp_node *sorted = sort_descending(node);
    fp_node *first = sorted ? fp_node_slice(sorted, 0, k < length ? k : length) : NULL;
    fp_node_drop(sorted);
    return first;
}

/* Chooses an element such that probably at least k are not less, and not many more. */
static gpu_status choose_bound(fp_node *node, size_t length, size_t k, void *bound)
{
    size_t expected = (size_t)((double)k / (double)length * (double)SAMPLE), margin = expected / 4 + 16;
    fp_node *chosen = fp_node_every(node, length / SAMPLE, SAMPLE), *sorted = chosen ? sort_descending(chosen) : NULL;
    gpu_status status = sorted ? GPU_OK : fp_last_status();
    size_t size = node->type->size;
    if (!status) status = fp_buffer_download(sorted->buffer, (expected + margin) * size, bound, size);
    fp_node_drop(chosen);
    fp_node_drop(sorted);
    return status;
}

/* The elements for which `text` is not zero, or their indices, and how many there are. */
static fp_node *those(fp_node *node, const char *text, const void *bound, bool indices, size_t *length)
{
    const gpu_capture value = {"bound", bound, node->type, node->type->size};
    fp_operator *pred;
    if (fp_operator_bind_own(node->g, text, (const gpu_capture *const[]){&value, NULL}, &pred)) return NULL;
    fp_node *kept = fp_node_filter(&node, 1, pred, indices);
    if (!kept || !fp_node_wait_length(kept, length)) return kept;
    fp_node_drop(kept);
    return NULL;
}

/* For very many elements equal to the bound: the larger ones in order, then as many equal ones as are missing. */
static fp_node *above_and_equal(fp_node *node, size_t length, const void *bound, size_t k)
{
    size_t greater, same;
    fp_node *above = those(node, "x > bound", bound, false, &greater), *result = NULL;
    if (!above || greater >= k) {
        fp_node_drop(above);
        return above ? sort_some(node, length, k) : NULL;
    }
    fp_node *equal = those(node, "x == bound", bound, false, &same), *sorted = equal ? sort_descending(above) : NULL;
    fp_node *rest = sorted ? fp_node_slice(equal, 0, k - greater) : NULL;
    if (rest) result = fp_node_concat(sorted, rest);
    fp_node_drop(above);
    fp_node_drop(equal);
    fp_node_drop(sorted);
    fp_node_drop(rest);
    return result;
}

static fp_node *top_of_many(fp_node *node, size_t length, size_t k)
{
    unsigned char bound[sizeof(uint64_t)];
    size_t chosen;
    if (choose_bound(node, length, k, bound)) return NULL;
    fp_node *candidates = those(node, "x >= bound", bound, false, &chosen);
    if (!candidates) return NULL;
    fp_node *result = chosen < k            ? sort_some(node, length, k)
                      : chosen > length / 2 ? above_and_equal(node, length, bound, k)
                                            : sort_some(candidates, chosen, k);
    fp_node_drop(candidates);
    return result;
}

static bool is_few(size_t length, size_t k)
{
    return length <= SHORT || k > length / MANY_OF;
}

/* numbers[0]: k. The elements are read more than once. */
static gpu_status run(const fp_task *task, fp_node **result)
{
    fp_node *node = task->inputs[0];
    size_t k = task->numbers[0], length;
    gpu_status status = fp_node_eval(node, FP_REASON_ASKED);
    if (!status) status = fp_node_wait_length(node, &length);
    if (status) return status;
    if (!k) return fp_node_give(fp_node_buffer(node->g, node->type, 0, NULL, 0), result);
    return fp_node_give(is_few(length, k) ? sort_some(node, length, k) : top_of_many(node, length, k), result);
}

gpu_array *gpu_top_op(const gpu_array *a, size_t k, const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_array_gpu(a), "gpu_top", place);
    fp_task task = {.run = run, .numbers = {k}};
    gpu_status status = fp_task_input(&task, a, "a");
    if (!status) status = fp_check_scalars(a->node->type);
    return fp_task_array(&entry, &task, status);
}

/* ---- keys with values ---- */

/* The first k pairs in order, or all. */
static gpu_status sort_some_pairs(fp_node *const *pairs, size_t length, size_t k, fp_node **results)
{
    fp_node *sorted[2] = {NULL};
    gpu_status status = fp_sort_by_keys(pairs[0], pairs[1], true, pairs[1]->type, &sorted[0], &sorted[1]);
    for (int n = 0; n < 2 && !status; n++)
        status = fp_node_give(fp_node_slice(sorted[n], 0, k < length ? k : length), &results[n]);
    fp_node_drop(sorted[0]);
    fp_node_drop(sorted[1]);
    return status;
}

/* The same for the pairs at `places` alone. */
static gpu_status sort_some_at(fp_node *const *pairs, fp_node *places, size_t length, size_t k, fp_node **results)
{
    fp_node *chosen[] = {fp_node_gather(pairs[0], places), fp_node_gather(pairs[1], places)};
    gpu_status status = chosen[0] && chosen[1] ? sort_some_pairs(chosen, length, k, results) : fp_last_status();
    fp_node_drop(chosen[0]);
    fp_node_drop(chosen[1]);
    return status;
}

/* All pairs are sorted if the bound was chosen badly, or if very many keys are equal to it. */
static gpu_status top_of_many_pairs(fp_node *const *pairs, size_t length, size_t k, fp_node **results)
{
    unsigned char bound[sizeof(uint64_t)];
    size_t chosen;
    if (choose_bound(pairs[0], length, k, bound)) return fp_last_status();
    fp_node *places = those(pairs[0], "x >= bound", bound, true, &chosen);
    if (!places) return fp_last_status();
    const bool narrows = chosen >= k && chosen <= length / 2;
    gpu_status status =
        narrows ? sort_some_at(pairs, places, chosen, k, results) : sort_some_pairs(pairs, length, k, results);
    fp_node_drop(places);
    return status;
}

static gpu_status no_pairs(fp_node *const *pairs, fp_node **results)
{
    for (int n = 0; n < 2; n++) results[n] = fp_node_buffer(pairs[n]->g, pairs[n]->type, 0, NULL, 0);
    return results[0] && results[1] ? GPU_OK : fp_last_status();
}

/* numbers[0]: k. The keys are read more than once. */
static gpu_status run_pairs(const fp_task *task, fp_node **results)
{
    fp_node *const *pairs = task->inputs;
    size_t k = task->numbers[0], length;
    gpu_status status = fp_keyed_lengths(task);
    if (!status) status = fp_node_eval(pairs[0], FP_REASON_ASKED);
    if (!status) status = fp_node_wait_length(pairs[0], &length);
    if (status) return status;
    return !k                  ? no_pairs(pairs, results)
           : is_few(length, k) ? sort_some_pairs(pairs, length, k, results)
                               : top_of_many_pairs(pairs, length, k, results);
}

gpu_status gpu_top_pairs_op(const gpu_array *keys, const gpu_array *values, size_t count, gpu_array **k, gpu_array **v,
                            const gpu_place *place)
{
    fp_entry entry = fp_entry_begin(fp_keyed_gpu(keys, values), "gpu_top_pairs", place);
    fp_task task = {.run = run_pairs, .numbers = {count}};
    gpu_status status = fp_two_check(k, v);
    if (!status) status = fp_keyed_inputs(&task, keys, values);
    if (!status) status = fp_order_check(keys->node->type);
    if (!status) fp_task_gives_two(&task, keys->node->type, values->node->type);
    return fp_two_end(&entry, &task, status, k, v);
}
