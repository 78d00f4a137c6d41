/* The host device: lib/array and lib/ops call these where they launch a kernel on others. All is done when they return.
 * The gpu is locked throughout. */
#ifndef FP_HOST_HOST_H
#define FP_HOST_HOST_H

#include "array/order.h"

gpu_status fp_host_new(fp_host **out);
void fp_host_free(fp_host *host);

/* How often something was run; 0 for NULL. */
uint64_t fp_host_runs(const fp_host *host);

/* GPU_E_DEVICE for an operation, "gpu_sort", that only other devices have. */
gpu_status fp_host_fail(const char *operation);

/* Nodes of an expression, each counted as often as it is computed at other places; one with more has parts computed
 * first. */
enum { FP_HOST_WIDTH = 64 };

/* Does the host compute a node, or what `count` operators combine its elements to: on the host device all, on others
 * what is small (Note [small arrays])? Comes after fp_node_prepare, and then the results of what is called below are in
 * buffers of fp_buffer_new_here and counts of fp_count_known. */
bool fp_host_takes(fp_node *node, fp_operator *const *ops, unsigned count);

/* Would it, if others were computed already: `made` tells whether one is, and then whether by the host. NULL: none
 * are. */
typedef struct fp_supposed {
    bool (*made)(void *context, fp_node *node, bool *here);
    void *context;
} fp_supposed;
bool fp_host_would_take(fp_node *node, fp_operator *const *ops, unsigned count, const fp_supposed *supposed);

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
    unsigned char *out;   /* gets one value after the other */
} fp_host_reduction;

gpu_status fp_host_reduce(fp_node *node, const fp_host_reduction *reduction);

/* The scan of a node from left to right, exclusive if there is a start. */
gpu_status fp_host_scan(fp_node *node, const fp_operator *op, const void *start, unsigned char *out);

/* The reduction of each `block` elements, the last ones maybe fewer. */
gpu_status fp_host_block_reduce(fp_node *node, const fp_operator *op, size_t block, fp_buffer *out);

/* Runs of equal keys, of pairs of a value, a key, and a mark that is not zero where a run begins (fp_pair_type). */
typedef struct fp_host_keyed {
    const fp_operator *op;
    gpu_type value, key;
    gpu_type result; /* of the values that are stored, to which scalars are converted */
    fp_buffer *out;  /* one value for each run, */
    fp_buffer *keys; /* and its key; NULL: a value for each element, of the run up to there */
    fp_count *count;
} fp_host_keyed;

gpu_status fp_host_by_key(fp_node *pairs, const fp_host_keyed *call);

/* How many elements fall into each of `bins` bins from `low` to `high`, and, behind those counts, how many into
 * none. */
gpu_status fp_host_histogram(fp_node *node, const void *low, const void *high, uint32_t bins, fp_buffer *out);

/* Stores each value of pairs, of `type`, at its index, a ulong, among the `length` elements at `into`; of one out of
 * range, reports the position. */
gpu_status fp_host_scatter(fp_node *pairs, gpu_type type, unsigned char *into, size_t length, const fp_risk *risk);

/* `found` becomes the index of the first flag that is not zero, UINT64_MAX if there is none; or, with `rest`, both
 * become the numbers of flags before it and from it on. */
gpu_status fp_host_search(fp_node *flags, fp_count *found, fp_count *rest);

/* A new buffer, the elements in order; of a node that is no selection, whose length is known, and not 0. Stable. */
gpu_status fp_host_sort(fp_node *node, const fp_order *order, fp_buffer **out);

/* Puts the keys of sorted pairs, unless `keys` is NULL, and the values, which become of `type`, into these buffers. */
void fp_host_apart(const fp_node *pairs, const fp_buffer *sorted, const fp_order *order, gpu_type type, fp_buffer *keys,
                   fp_buffer *values);

/* Tries a comparator on all triples of the node's elements, which are in a buffer; what is broken goes to the cell as
 * kernels/law.cl says. */
gpu_status fp_host_law(const fp_node *node, const fp_operator *less, fp_cell broken);

/* ---- both sides ---- */

/* With FIREPILE_VERIFY: compares what `launches` kernels left with what the functions above compute, where they can
 * (Note [verifying]). A difference is GPU_E_SNIPPET, with its place, the values and the operator. */
gpu_status fp_verify_map(fp_node *node, fp_buffer *out);
gpu_status fp_verify_block_reduce(fp_node *node, fp_operator *op, size_t block, fp_buffer *out);
gpu_status fp_verify_select(fp_node *node, const fp_destination *kept, const fp_destination *others, unsigned launches);
gpu_status fp_verify_reduce(fp_node *node, const fp_host_reduction *reduction, fp_buffer *out);
gpu_status fp_verify_scan(fp_node *node, fp_operator *op, const void *start, unsigned launches, fp_buffer *out);
gpu_status fp_verify_search(fp_node *flags, const fp_count *found, const fp_count *rest);
gpu_status fp_verify_by_key(fp_node *pairs, fp_operator *op, const fp_host_keyed *call, unsigned launches);
gpu_status fp_verify_histogram(fp_node *node, const void *low, const void *high, uint32_t bins, fp_node *counts,
                               fp_node *outside, uint64_t launches);
/* What `pairs` have made of `into`. Of several values for one place any may be there. */
gpu_status fp_verify_scatter(fp_node *pairs, fp_node *into, const fp_node *copy, const fp_risk *risk);
/* `stable`: elements that are alike keep their places. `values` NULL: no pairs; else `keys` may be. */
gpu_status fp_verify_sort(fp_node *node, const fp_order *order, bool stable, const fp_node *keys, const fp_node *values,
                          uint64_t launches);
gpu_status fp_verify_law(fp_node *node, fp_operator *less, uint32_t broken);

#endif
