/* The lowest index of an element that a predicate selects. The gpu is locked. */
#ifndef FP_OPS_SEARCH_H
#define FP_OPS_SEARCH_H

#include "arrays/array.h"

/* To the host, unlocking the gpu; GPU_NOT_FOUND if there is none. Takes over `op`. Or of a node of ones and zeros,
 * taken over. */
gpu_status fp_search_flags(fp_entry *entry, fp_node *flags, size_t *index);
gpu_status fp_search_read(fp_entry *entry, fp_node *node, fp_operator *op, size_t *index);

/* How many elements stand before that one, and how many from it on, on the device: all and none if there is none; and
 * what may have gone wrong with that. Takes over `op`. */
gpu_status fp_search_split(fp_node *node, fp_operator *op, fp_count **counts, fp_deferred **deferred);

#endif
