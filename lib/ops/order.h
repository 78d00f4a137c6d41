/* Sorting as the operations built on it use it. The gpu is locked throughout. */
#ifndef FP_OPS_ORDER_H
#define FP_OPS_ORDER_H

#include "array/array.h"
#include "array/order.h"
#include "array/task.h"

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
/* The same of what is ready; maps over the result finish it, unless they are NULL. */
fp_node *fp_sort_ready(const fp_ready *input, const fp_order *order, gpu_sort_algorithm algorithm, fp_node *finish);
fp_foreseen fp_sort_foresee(fp_node *node, const fp_order *order, gpu_sort_algorithm algorithm);

/* Pairs of the elements of two nodes of one extent. */
fp_node *fp_pair_up(fp_node *v, fp_node *w, const char *operation);

/* Pairs in order, taken apart: new nodes of their keys, unless `keys` is NULL, and of their values, which become of
 * `type`. On failure both stay as they are. */
gpu_status fp_sort_pairs(fp_node *pairs, const fp_order *order, gpu_type type, fp_node **keys, fp_node **values);

/* ---- algorithms ---- */

/* The arrays that a sort makes. */
typedef struct fp_sorted {
    gpu_type value;    /* NULL: one of the elements; else of pairs one of values, of this type, */
    bool keys;         /* and one of keys */
    fp_node *finish;   /* of elements: maps over them that are stored instead; NULL: none */
    fp_node *nodes[2]; /* elements or keys; values */
} fp_sorted;

/* Makes them, for as many elements as the input has. On failure some may be there, too: fp_sorted_drop. */
gpu_status fp_sorted_new(fp_sorted *sorted, const fp_ready *input, const fp_order *order);
void fp_sorted_drop(fp_sorted *sorted);

/* The slots of kernels/block/apart.cl, all but FP_KEY, and the finish; and the arguments, whose number is returned. */
void fp_sorted_slots(struct fp_plan *plan, const fp_sorted *sorted);
enum { FP_SORTED_ARGS = 2 };
unsigned fp_sorted_args(const fp_sorted *sorted, fp_arg *args);

/* Makes and fills what is sorted of an input that is not empty; and says what `length` elements of such a node take. */
typedef struct fp_algorithm {
    gpu_status (*sort)(const fp_ready *input, const fp_order *order, fp_sorted *sorted);
    fp_foreseen (*foresee)(const fp_node *node, size_t length, const fp_order *order);
} fp_algorithm;

extern const fp_algorithm fp_sort_merge, fp_sort_radix, fp_sort_enumerate;
/* Elements alone, unfinished. */
extern const fp_algorithm fp_sort_bitonic;
/* Are these few enough to be enumerated? */
bool fp_sort_enumerates(const gpu *g, size_t length, const fp_order *order);

/* The slots of kernels/block/merge.cl; and of kernels/block/digit.cl, for an order of the key's own. */
void fp_order_slots(struct fp_plan *plan, const fp_order *order);
void fp_digit_slots(struct fp_plan *plan, const fp_order *order);

/* `count` elements of a node, `stride` apart. */
fp_node *fp_node_every(fp_node *node, size_t stride, size_t count);

#endif
