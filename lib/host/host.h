/* Primitives in plain C, for the host device, for small arrays and for verifying. All is done when they return. The gpu
 * is locked throughout. */
#ifndef FP_HOST_HOST_H
#define FP_HOST_HOST_H

#include "expressions/request.h"

/* GPU_E_DEVICE for an operation, "gpu_sort", that only other devices have. */
gpu_status fp_host_fail(const char *operation);

/* The most nodes of an expression, each counted for each domain that computes it. A wider one has parts computed first.
 * */
enum { FP_HOST_WIDTH = 64 };

/* Nodes that count as computed. `made` says whether one does, and whether by the host. */
typedef struct fp_supposed {
    bool (*made)(void *context, fp_node *node, bool *on_host);
    void *context;
} fp_supposed;

/* Does the host compute a request, since all that it reads is there and small, and both sides have the same bits (Note
 * [small arrays])? Comes after fp_node_prepare, unless some nodes are supposed to be computed. */
bool fp_host_takes(const fp_request *request, const fp_supposed *supposed);

/* ---- operations ---- */

/* Each fills the outputs of a request, which are in the host's memory. */
gpu_status fp_host_map(const fp_request *request);
gpu_status fp_host_select(const fp_request *request);
/* One value for each operator. */
gpu_status fp_host_reduce(const fp_request *request);
gpu_status fp_host_block_reduce(const fp_request *request);
/* One value for each of `number` columns. */
gpu_status fp_host_reduce_columns(const fp_request *request);
/* From left to right; exclusive if there is a start. */
gpu_status fp_host_scan(const fp_request *request);
/* Combines runs of equal keys. A pair has a value, a key, and a mark that is not zero where a run begins
 * (fp_pair_type). Each run gets a value and a key; with one output, each element gets a value. */
gpu_status fp_host_by_key(const fp_request *request);
/* Counts the elements of each bin. The last count is that of the elements outside all bins. */
gpu_status fp_host_histogram(const fp_request *request);
/* Combines the values of pairs in the bins of their keys. Reports the position of a key out of range. */
gpu_status fp_host_bins(const fp_request *request);
/* Copies `into`, and puts the value of each pair at its index. Reports the position of an index out of range. */
gpu_status fp_host_scatter(const fp_request *request);
/* Finds the first flag that is not zero: its index, or UINT64_MAX. Two outputs get the numbers of flags before it, and
 * from it on. */
gpu_status fp_host_search(const fp_request *request);
/* Stable. With two outputs pairs are unzipped. */
gpu_status fp_host_sort(const fp_request *request);
/* The LU factors of a panel, its determinant, and the order of its rows (kernels/lu.cl). `number` is the place of its
 * first column in the matrix, and `shape` has its rows and columns. Reports a column without a pivot, if there is a
 * deferred error. */
gpu_status fp_host_lu(const fp_request *request);
/* Substitution by the triangle of the factors `into` (kernels/triangular.cl): the upper one if `number` is not 0.
 * `shape` has the rows of the input, its columns, and the rows of the factors. */
gpu_status fp_host_triangular(const fp_request *request);
/* Tries a comparator on all triples of the elements, as kernels/law.cl does. */
gpu_status fp_host_law(const fp_request *request);

/* Runs a kernel of the user's own. `number` items form a group, `shape` is groups, rows of groups and rows of items.
 * GPU_E_DEVICE for a text, which only devices run. */
gpu_status fp_host_spawn(const fp_request *request);

/* Elements that depend on the order of the items, or that no item writes, may be anything. */
gpu_status fp_host_reconcile_spawn(const fp_request *host, unsigned output, const unsigned char *there, bool *excused);

/* Any of several values for one place is right. */
gpu_status fp_host_reconcile_scatter(const fp_request *host, unsigned output, const unsigned char *there,
                                     bool *excused);
/* A comparator that is no strict weak order excuses any outcome. */
gpu_status fp_host_reconcile_sort(const fp_request *host, unsigned output, const unsigned char *there, bool *excused);

/* With FIREPILE_VERIFY: compares the outputs of `launches` kernels with the host's, if it can (Note [verifying]). A
 * difference is GPU_E_SNIPPET, with its place, the values and the operator. */
gpu_status fp_verify(const fp_request *request, uint64_t launches);

#endif
