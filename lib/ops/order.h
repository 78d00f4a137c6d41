/* Sorting as the operations built on it use it. The gpu is locked throughout. */
#ifndef FP_OPS_ORDER_H
#define FP_OPS_ORDER_H

#include "array/array.h"

#include <firepile/sort.h>

/* How elements are ordered. */
typedef struct fp_order {
    fp_operator *less; /* of two keys; owned */
    gpu_type key;
    bool keyed; /* elements are pairs of a key and a value, of which keys are compared; else they are their own keys */
    bool natural; /* `less` is the key's own order, descending or not */
    bool descending;
} fp_order;

/* The own order of a key; GPU_E_TYPE unless it is a scalar. */
gpu_status fp_order_natural(gpu *g, gpu_type key, bool keyed, bool descending, const char *operation, fp_order *out);

/* By the user's comparator; with neither text nor function, the own order. */
gpu_status fp_order_by(gpu *g, gpu_type key, bool keyed, const gpu_sort_options *options, const gpu_operator *less,
                       const char *operation, fp_order *out);

void fp_order_end(fp_order *order);

/* "a before b" in the own order of a scalar type, for trusted snippets: of the operands named. */
const char *fp_order_text(gpu_type type, bool descending);

/* A new node, the elements in order; NULL on failure. */
fp_node *fp_sort(fp_node *node, const fp_order *order, gpu_sort_algorithm algorithm);
fp_node *fp_sort_merge(fp_node *node, const fp_order *order);
fp_node *fp_sort_radix(fp_node *node, const fp_order *order);
fp_node *fp_sort_bitonic(fp_node *node, const fp_order *order);

/* The slots of kernels/block/merge.cl. */
void fp_order_slots(struct fp_plan *plan, const fp_order *order);

/* `count` elements of a node, `stride` apart. */
fp_node *fp_node_every(fp_node *node, size_t stride, size_t count);

/* Pairs of the elements of two nodes of one extent; and a member of pairs, "x.v0" or "x.w0", as an array of `type`. */
fp_node *fp_pair_up(fp_node *v, fp_node *w, const char *operation);
fp_node *fp_unpair(fp_node *pairs, const char *member, gpu_type type, const char *operation);

#endif
