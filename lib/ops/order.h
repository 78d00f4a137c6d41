/* Sorting as the operations built on it use it. The gpu is locked throughout. */
#ifndef FP_OPS_ORDER_H
#define FP_OPS_ORDER_H

#include "arrays/array.h"
#include "host/host.h"
#include "planning/execute.h"
#include "planning/task.h"

#include <firepile/sort.h>

/* GPU_E_TYPE unless a key has an order of its own: it is a scalar. */
gpu_status fp_order_check(gpu_type key);

/* The own order of a key; GPU_E_TYPE if it has none. `value`: what moves with it, or NULL. */
gpu_status fp_order_natural(gpu *g, gpu_type key, gpu_type value, bool descending, const char *operation,
                            fp_order *out);

/* By the user's comparator; with neither text nor function, the own order. */
gpu_status fp_order_by(gpu *g, gpu_type key, gpu_type value, const gpu_sort_options *options, const gpu_operator *less,
                       const char *operation, fp_order *out);

void fp_order_end(fp_order *order);

/* "a before b" in the own order of a scalar type, for trusted snippets: of the operands named. */
const char *fp_order_text(gpu_type type, bool descending);

/* GPU_E_ARGUMENT for an algorithm that does not follow such an order. */
gpu_status fp_sort_check(gpu_sort_algorithm algorithm, const fp_order *order);

/* A new node, the elements in order; NULL on failure. */
fp_node *fp_sort(fp_node *node, const fp_order *order, gpu_sort_algorithm algorithm);
/* The same of what is ready; maps over the result are applied as it is stored, unless they are NULL. */
gpu_status fp_sort_ready(const fp_ready *input, const fp_order *order, gpu_sort_algorithm algorithm, fp_node *epilogue,
                         fp_node **result);

/* Pairs of the elements of two nodes of one extent. */
fp_node *fp_pair_up(fp_node *v, fp_node *w, const char *operation);

/* Sorts pairs and unzips them: new nodes of their keys, unless `keys` is NULL, and of their values, which become of
 * `type`. On failure both stay as they are. */
gpu_status fp_sort_pairs(fp_node *pairs, const fp_order *order, gpu_type type, fp_node **keys, fp_node **values);

/* ---- algorithms ---- */

extern const fp_primitive fp_sort_merge, fp_sort_radix, fp_sort_rank, fp_sort_bitonic;

/* What a step of a sort stores: a temporary with the elements; in the last step, for which that is NULL, the request's
 * outputs, which are made then. */
gpu_status fp_sort_step(fp_request *request, bool last, fp_node **temporary);

/* The slots of kernels/block/unzip.cl, all but FP_KEY, and the epilogue; and the arguments, whose number is
 * returned. */
void fp_sorted_slots(struct fp_plan *plan, const fp_request *request, const fp_node *temporary);
enum { FP_SORTED_ARGS = 2 };
unsigned fp_sorted_args(const fp_request *request, const fp_node *temporary, fp_arg *args);

/* Are these few enough for the rank sort? */
bool fp_sort_ranks_few(const gpu *g, size_t length, const fp_order *order);

/* Descriptors: is there one way for the elements to stand? */
bool fp_sort_has_one_outcome(const fp_request *request);
#define FP_SORT_COMPARES                                                                                               \
    .run = fp_host_sort, .late = true, .decides = true, .moves = true, .comparable = fp_sort_has_one_outcome,          \
    .reconcile = fp_host_reconcile_sort

/* The slots of kernels/block/merge.cl; and of kernels/block/digit.cl, for an order of the key's own. */
void fp_order_slots(struct fp_plan *plan, const fp_order *order);
void fp_digit_slots(struct fp_plan *plan, const fp_order *order);

/* `count` elements of a node, `stride` apart. */
fp_node *fp_node_every(fp_node *node, size_t stride, size_t count);

#endif
