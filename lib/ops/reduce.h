/* Reduction as the operations built on it use it. The gpu is locked throughout. */
#ifndef FP_OPS_REDUCE_H
#define FP_OPS_REDUCE_H

#include "array/array.h"

#include <firepile/reduce.h>

/* Operators that combine elements of one type: of its reduction, several make a tuple. */
typedef struct fp_combiners {
    fp_operator *op[GPU_REDUCE_ALL_MAX];
    unsigned count;
} fp_combiners;

/* Does the operator commute on this type: recognised, or by the user's word? */
bool fp_operator_commutes(const fp_operator *op, gpu_type type);

/* Writes the operator's identity for this type; false if it has none. */
bool fp_operator_identity(const fp_operator *op, gpu_type type, void *out);

/* GPU_E_EMPTY. */
gpu_status fp_fail_empty(void);

/* A node of one element, the reduction of `node`, which is not empty. `start` (of the element type) may be NULL. */
gpu_status fp_reduce_node(fp_node *node, const fp_combiners *ops, const void *start, fp_node **out);

/* The reduction of `node` to the host by one of the library's own snippets, which commutes; of an empty node the
 * operator's identity, if it is known. Returns with the gpu locked. */
gpu_status fp_reduce_own(fp_entry *entry, fp_node *node, const char *snippet, const char *operation, void *out);

/* The work-items of a group that reduces elements of `size` bytes. */
unsigned fp_reduce_group(const gpu *g, size_t size);

/* The slots of kernels/block/reduce.cl for elements of `size` bytes, but those of fp_plan_units. */
void fp_reduce_slots(struct fp_plan *plan, bool ordered, size_t size);

#endif
