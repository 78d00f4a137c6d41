/* Handles: what the user holds. */
#ifndef FP_ARRAY_ARRAY_H
#define FP_ARRAY_ARRAY_H

#include "array/node.h"

struct gpu_array {
    gpu *g;           /* NULL for the immortal ones */
    gpu_scope *scope; /* with its neighbours there */
    gpu_array *previous, *next;
    fp_node *node;       /* NULL if in error */
    fp_fault_slot fault; /* NULL unless in error */
};

/* A handle for a node, in the current scope; takes over the reference. NULL stands for the failure just made: the
 * handle is in error. Never NULL. The gpu is locked, or NULL. */
gpu_array *fp_array_new(gpu *g, fp_node *node);

/* The same as the result of a call, which ends. */
gpu_array *fp_array_end(fp_entry *entry, fp_node *node);

/* The failure an array carries, made this thread's failure again; GPU_OK if there is none. For NULL: GPU_E_ARGUMENT.
 * An array whose elements come
 * later (gpu_symbol) is one. `which` names the argument. */
gpu_status fp_array_check(const gpu_array *a, const char *which);
/* The same, but an array that comes later is none. */
gpu_status fp_array_accept(const gpu_array *a, const char *which);

/* Handles that exist now, in the whole process. */
uint64_t fp_live_arrays(void);

/* The gpu of an array, NULL if it has none. */
gpu *fp_array_gpu(const gpu_array *a);

/* Frees the arrays of a scope; the gpu is locked. */
void fp_scope_clear(gpu_scope *scope);

/* Waits until it is known whether what the node was computed from went wrong; the node is in error then. */
gpu_status fp_node_check(fp_node *node);

/* Is it read in one wait, even if something may have gone wrong? */
bool fp_node_is_short(const fp_node *node);

/* The elements of a node that has some to the host: computes it, unlocks the call, waits. */
gpu_status fp_node_read(fp_entry *entry, fp_node *node, void *out);

/* The same for a buffer node that nobody else needs: takes over the reference. */
gpu_status fp_node_read_once(fp_entry *entry, fp_node *node, void *out);

/* GPU_E_TYPE unless the output or the value is of this type. */
gpu_status fp_check_output(const gpu_output *out, gpu_type type);
gpu_status fp_check_value(const gpu_value *value, gpu_type type, const char *which);

#endif
