/* Operations in plain C: of the host device, of small arrays, and to verify. All is done when they return. The gpu is
 * locked throughout. */
#ifndef FP_HOST_HOST_H
#define FP_HOST_HOST_H

#include "expressions/request.h"

/* GPU_E_DEVICE for an operation, "gpu_sort", that only other devices have. */
gpu_status fp_host_fail(const char *operation);

/* Nodes of an expression, each counted as often as it is computed at other places; one with more has parts computed
 * first. */
enum { FP_HOST_WIDTH = 64 };

/* Nodes that count as computed: `made` tells whether one is, and then whether by the host. */
typedef struct fp_supposed {
    bool (*made)(void *context, fp_node *node, bool *on_host);
    void *context;
} fp_supposed;

/* Is all that the request reads on the host, small, and computed there with the device's bits (Note [small arrays])?
 * Comes after fp_node_prepare, or some nodes are supposed to be computed. */
bool fp_host_takes(const fp_request *request, const fp_supposed *supposed);

/* ---- operations ---- */

/* Each fills the outputs of a request, which are in the host's memory. */
gpu_status fp_host_map(const fp_request *request);
gpu_status fp_host_select(const fp_request *request);
/* One value for each operator. */
gpu_status fp_host_reduce(const fp_request *request);
gpu_status fp_host_block_reduce(const fp_request *request);
/* From left to right; exclusive if there is a start. */
gpu_status fp_host_scan(const fp_request *request);
/* Runs of equal keys, of pairs of a value, a key, and a mark that is not zero where a run begins (fp_pair_type): a
 * value and a key for each, or, with one output, a value for each element. */
gpu_status fp_host_by_key(const fp_request *request);
/* How many elements fall into each bin, and, behind those counts, how many into none. */
gpu_status fp_host_histogram(const fp_request *request);
/* The elements of `into`, with the values of pairs, each at its index. Reports the position of an index that is out of
 * range. */
gpu_status fp_host_scatter(const fp_request *request);
/* The index of the first flag that is not zero, UINT64_MAX if there is none; with two outputs, the numbers of flags
 * before it and from it on. */
gpu_status fp_host_search(const fp_request *request);
/* Stable. With two outputs pairs are unzipped. */
gpu_status fp_host_sort(const fp_request *request);
/* Tries a comparator on all triples of the elements: what kernels/law.cl writes. */
gpu_status fp_host_law(const fp_request *request);

/* Of several values for one place any may be there. */
gpu_status fp_host_reconcile_scatter(const fp_request *host, const unsigned char *there, bool *excused);
/* A comparator that is no strict weak order excuses any outcome. */
gpu_status fp_host_reconcile_sort(const fp_request *host, const unsigned char *there, bool *excused);

/* With FIREPILE_VERIFY: compares the outputs that `launches` kernels left with the host's, where it can
 * (Note [verifying]). A difference is GPU_E_SNIPPET, with its place, the values and the operator. */
gpu_status fp_verify(const fp_request *request, uint64_t launches);

#endif
