/* The host device: lib/array and lib/ops call these where they launch a kernel on others. All is done when they return.
 * The gpu is locked throughout. */
#ifndef FP_HOST_HOST_H
#define FP_HOST_HOST_H

#include "array/node.h"

gpu_status fp_host_new(fp_host **out);
void fp_host_free(fp_host *host);

/* How often something was run; 0 for NULL. */
uint64_t fp_host_runs(const fp_host *host);

/* GPU_E_DEVICE for an operation, "gpu_sort", that only other devices have. */
gpu_status fp_host_fail(const char *operation);

/* The elements of a node that is no selection. */
gpu_status fp_host_map(fp_node *node, fp_buffer *out);

/* The elements that a selection keeps, and, unless that is NULL, those that a filter does not. */
gpu_status fp_host_select(fp_node *node, const fp_destination *kept, const fp_destination *others);

/* A reduction of elements by one operator or several. */
typedef struct fp_host_reduction {
    fp_operator *const *ops;
    unsigned count;
    const void *start;    /* of the first operator; NULL: none */
    const void *identity; /* what is stored of no elements; NULL: zeros */
    bool marked;          /* behind the values follows a mark that tells whether there were elements */
    fp_buffer *out;       /* gets one value after the other */
} fp_host_reduction;

gpu_status fp_host_reduce(fp_node *node, const fp_host_reduction *reduction);

/* The scan of a node, exclusive if there is a start. */
gpu_status fp_host_scan(fp_node *node, const fp_operator *op, const void *start, fp_buffer *out);

/* `found` becomes the index of the first flag that is not zero, UINT64_MAX if there is none; or, with `rest`, both become the
 * numbers of flags before it and from it on. */
gpu_status fp_host_search(fp_node *flags, const fp_count *found, const fp_count *rest);

#endif
