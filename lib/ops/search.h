/* The lowest index of an element that a predicate selects. The gpu is locked. */
#ifndef FP_OPS_SEARCH_H
#define FP_OPS_SEARCH_H

#include "arrays/array.h"

/* The kind of a user's predicate. Binds one, of an array that is checked first. */
fp_operator_kind fp_predicate_kind(gpu_type type);
gpu_status fp_predicate_bind(const gpu_array *a, const gpu_operator *pred, fp_operator **out);

/* The predicate x == value, of elements of a type. */
gpu_status fp_equals_bind(gpu *g, gpu_type type, const gpu_value *value, fp_operator **out);

/* Brings the index to the host, unlocking the gpu; GPU_NOT_FOUND if there is none. Takes over `op`, or a node of ones
 * and zeros. */
gpu_status fp_search_flags(fp_entry *entry, fp_node *flags, size_t *index);
gpu_status fp_search_read(fp_entry *entry, fp_node *node, fp_operator *op, size_t *index);

/* Counts the elements before that one, and those from it on: all and none if there is none. The counts carry a deferred
 * error. Takes over `op`. */
gpu_status fp_search_split(fp_node *node, fp_operator *op, fp_count **counts, fp_deferred **deferred);

#endif
