/* Sorting, for the operations built on it. The gpu is locked throughout. */
#ifndef FP_OPS_ORDER_H
#define FP_OPS_ORDER_H

#include "arrays/array.h"
#include "host/host.h"
#include "planning/execute.h"
#include "planning/task.h"

#include <firepile/sort.h>

/* GPU_E_TYPE unless a key is a scalar: others have no order of their own. */
gpu_status fp_order_check(gpu_type key);

/* The own order of a key; GPU_E_TYPE if it has none. A `value` moves with each key, unless it is NULL. */
gpu_status fp_order_natural(gpu *g, gpu_type key, gpu_type value, bool descending, fp_order *out);

/* The order of the user's comparator; without one, the own order. */
gpu_status fp_order_by(gpu *g, gpu_type key, gpu_type value, const gpu_sort_options *options, const gpu_operator *less,
                       fp_order *out);

void fp_order_end(fp_order *order);

/* The order of a task, whose operator is its comparator. */
fp_order fp_task_order(const fp_task *task);

/* GPU_E_ARGUMENT for an algorithm that does not follow such an order. */
gpu_status fp_sort_check(gpu_sort_algorithm algorithm, const fp_order *order);

/* A new node of the elements in order; NULL on failure. */
fp_node *fp_sort(fp_node *node, const fp_order *order);
/* The same for ready elements, by this algorithm. The maps of `epilogue`, unless it is NULL, are applied as the result
 * is stored. */
gpu_status fp_sort_ready(const fp_ready *input, const fp_order *order, gpu_sort_algorithm algorithm, fp_node *epilogue,
                         fp_node **result);

/* A new node of pairs, which are made of keys and values as they are read; NULL on failure. */
fp_node *fp_pairs(fp_node *keys, fp_node *values);

/* The same, and prepares them for a launch by this order. */
fp_node *fp_pairs_prepare(fp_node *keys, fp_node *values, const fp_order *order, fp_ready *out);

/* Sorts keys with values. Makes nodes of the keys, unless `sorted_keys` is NULL, and of the values, converted to
 * `type`. On failure both stay as they are. */
gpu_status fp_sort_pairs(fp_node *keys, fp_node *values, const fp_order *order, gpu_type type, fp_node **sorted_keys,
                         fp_node **sorted_values);

/* The same by the keys' own order. */
gpu_status fp_sort_by_keys(fp_node *keys, fp_node *values, bool descending, gpu_type type, fp_node **sorted_keys,
                           fp_node **sorted_values);

/* Makes one value of each key, in the order of the keys: results[0] becomes the values, results[1] the keys. */
gpu_status fp_group_by_keys(fp_operator *op, fp_node *keys, fp_node *values, fp_node **results);

/* ---- algorithms ---- */

extern const fp_primitive fp_sort_merge, fp_sort_radix, fp_sort_rank, fp_sort_bitonic;

/* The last step of a merge sort alone: the input is two sorted arrays, the left one of `number` elements. */
extern const fp_primitive fp_merge_two;

/* Makes what a step of a sort stores: a temporary for the elements, or in the last step the request's outputs. */
gpu_status fp_sort_step(fp_request *request, bool last, fp_node **temporary);

/* The slots of kernels/block/unzip.cl except FP_KEY, the epilogue, and the arguments. A temporary is a buffer, or pairs
 * of two buffers. Without one they are for the outputs. Returns the number of arguments. */
void fp_sorted_slots(struct fp_plan *plan, const fp_request *request, const fp_node *temporary);
enum { FP_SORTED_ARGS = 2 };
unsigned fp_sorted_args(const fp_request *request, const fp_node *temporary, fp_arg *args);

/* Is the rank sort fastest for so few elements? */
bool fp_sort_ranks_few(const gpu *g, size_t length, const fp_order *order);

/* For descriptors: can the elements stand in one way only? */
bool fp_sort_has_one_outcome(const fp_request *request);
#define FP_SORT_COMPARES                                                                                               \
    .run = fp_host_sort, .late = true, .decides = true, .moves = true, .comparable = fp_sort_has_one_outcome,          \
    .reconcile = fp_host_reconcile_sort

/* The slots of kernels/block/merge.cl, and of kernels/block/digit.cl for the key's own order. */
void fp_order_slots(struct fp_plan *plan, const fp_order *order);
void fp_digit_slots(struct fp_plan *plan, const fp_order *order);

/* `count` elements of a node, `stride` apart. */
fp_node *fp_node_every(fp_node *node, size_t stride, size_t count);

#endif
