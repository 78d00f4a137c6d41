/* Handles: what the user holds. */
#ifndef FP_EXPRESSIONS_HANDLE_H
#define FP_EXPRESSIONS_HANDLE_H

#include "expressions/node.h"

struct gpu_array {
    gpu *g;           /* NULL for the immortal ones */
    gpu_scope *scope; /* with its neighbours */
    gpu_array *previous, *next;
    fp_node *node;       /* NULL if in error */
    fp_fault_slot fault; /* NULL unless in error */
    /* Drops the other members of a collection, whose first one is this handle. NULL: it is an array, and has none. */
    void (*release)(gpu_array *a);
};

/* Stand for arrays that cannot exist: there is no gpu to own them, or no memory for a handle. */
extern gpu_array fp_array_no_gpu, fp_array_no_memory;
/* Their faults, for collections that cannot exist. */
extern fp_fault fp_fault_no_gpu, fp_fault_no_memory;

/* Makes the failure that an array carries this thread's failure again; GPU_OK if there is none. NULL is GPU_E_ARGUMENT,
 * and so is an array whose elements come later (gpu_symbol). `which` names the argument. */
gpu_status fp_array_check(const gpu_array *a, const char *which);
/* The same, but accepts an array whose elements come later. */
gpu_status fp_array_accept(const gpu_array *a, const char *which);

/* The gpu of an array, NULL if it has none. */
gpu *fp_array_gpu(const gpu_array *a);

/* The gpu of a call with two arguments: the first one's, unless that has none. */
static inline gpu *fp_first_gpu(gpu *one, gpu *other)
{
    return one ? one : other;
}

#endif
