/* Sorting as the operations built on it use it. The gpu is locked throughout. */
#ifndef FP_OPS_ORDER_H
#define FP_OPS_ORDER_H

#include "array/array.h"
#include "array/order.h"

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

/* A new node, the elements in order; NULL on failure. */
fp_node *fp_sort(fp_node *node, const fp_order *order, gpu_sort_algorithm algorithm);

/* Pairs of the elements of two nodes of one extent. */
fp_node *fp_pair_up(fp_node *v, fp_node *w, const char *operation);

/* Pairs in order, taken apart: new nodes of their keys, unless `keys` is NULL, and of their values, which become of `type`. On failure
 * both stay as they are. */
gpu_status fp_sort_pairs(fp_node *pairs, const fp_order *order, gpu_type type, fp_node **keys, fp_node **values);

/* ---- algorithms ---- */

/* The arrays that a sort makes. */
typedef struct fp_sorted {
    gpu_type value;    /* NULL: one of the elements; else of pairs one of values, of this type, */
    bool keys;         /* and one of keys */
    fp_node *nodes[2]; /* elements or keys; values */
} fp_sorted;

/* Makes them, for as many elements as `from` has. On failure some may be there, too: fp_sorted_drop. */
gpu_status fp_sorted_new(fp_sorted *sorted, fp_node *from, const fp_order *order);
void fp_sorted_drop(fp_sorted *sorted);

/* The slots of kernels/block/apart.cl, all but FP_KEY; and the arguments, whose number is returned. */
void fp_sorted_slots(struct fp_plan *plan, const fp_sorted *sorted);
enum { FP_SORTED_ARGS = 2 };
unsigned fp_sorted_args(const fp_sorted *sorted, fp_arg *args);

/* Fill what they make of a node that is not empty. */
gpu_status fp_sort_merge(fp_node *node, const fp_order *order, fp_sorted *sorted);
gpu_status fp_sort_radix(fp_node *node, const fp_order *order, fp_sorted *sorted);
/* Are these few enough for this one? */
bool fp_sort_enumerates(const fp_node *node, const fp_order *order);
gpu_status fp_sort_enumerate(fp_node *node, const fp_order *order, fp_sorted *sorted);
/* The elements. */
fp_node *fp_sort_bitonic(fp_node *node, const fp_order *order);

/* The slots of kernels/block/merge.cl; and of kernels/block/digit.cl, for an order of the key's own. */
void fp_order_slots(struct fp_plan *plan, const fp_order *order);
void fp_digit_slots(struct fp_plan *plan, const fp_order *order);

/* `count` elements of a node, `stride` apart. */
fp_node *fp_node_every(fp_node *node, size_t stride, size_t count);

#endif
