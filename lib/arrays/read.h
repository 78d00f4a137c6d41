/* Bringing elements to the host. */
#ifndef FP_ARRAYS_READ_H
#define FP_ARRAYS_READ_H

#include "expressions/entry.h"
#include "expressions/node.h"

/* Waits for the node's deferred errors. If one is set, the node is in error. */
gpu_status fp_node_check(fp_node *node);

/* Reads the elements of a node that has some: computes it, unlocks the call, waits. */
gpu_status fp_node_read(fp_entry *entry, fp_node *node, void *out);

/* The same for a buffer node that nobody else needs: takes over the reference. */
gpu_status fp_node_read_once(fp_entry *entry, fp_node *node, void *out);

/* GPU_E_TYPE unless the elements are scalars. The first message is about the one array of a call. */
gpu_status fp_check_scalars(gpu_type type);
gpu_status fp_check_scalars_of(const gpu_array *a, const char *which);

/* GPU_E_ARGUMENT if an output pointer is NULL. */
gpu_status fp_check_pointer(const void *out);
/* GPU_E_TYPE unless the output or the value is of this type. */
gpu_status fp_check_output(const gpu_output *out, gpu_type type);
gpu_status fp_check_value(const gpu_value *value, gpu_type type, const char *which);

#endif
