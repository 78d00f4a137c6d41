/* Reduction, for the operations built on it. The gpu is locked throughout. */
#ifndef FP_OPS_REDUCE_H
#define FP_OPS_REDUCE_H

#include "arrays/array.h"
#include "host/host.h"

#include <firepile/reduce.h>

/* Operators that combine the elements of an array, or what maps make of them. Several reduce to a tuple. */
typedef struct fp_combiners {
    fp_operator *op[2 * GPU_REDUCE_ALL_MAX]; /* and behind them the maps */
    unsigned count;
    bool maps;
    gpu_type types[GPU_REDUCE_ALL_MAX]; /* of what each operator combines */
} fp_combiners;

/* The operators that are to be prepared. */
static inline unsigned fp_combiners_bound(const fp_combiners *ops)
{
    return ops->maps ? 2 * ops->count : ops->count;
}

/* Binds a user's operator that combines two elements of a type. */
gpu_status fp_combiner_bind(gpu *g, const gpu_operator *op, gpu_type type, fp_operator **out);

/* Does the operator commute on this type? It is recognised, or the user says so. */
bool fp_operator_commutes(const fp_operator *op, gpu_type type);

/* Scalars and vectors have identities. */
enum { FP_IDENTITY_WORDS = 4 };

/* Writes the operator's identity for this type; false if it has none. */
bool fp_operator_identity(const fp_operator *op, gpu_type type, void *out);

/* Fails with GPU_E_EMPTY. */
gpu_status fp_fail_empty(void);

/* A reduction on the device. The value is a `marked` tuple if the array may be empty and the operator has no identity.
 * The mark tells whether there were elements. */
typedef struct fp_reduced {
    fp_node *value; /* of one element: of the operator's type, a tuple of several, or marked */
    const fp_combiners *ops;
    bool marked;
} fp_reduced;

/* Reduces ready elements (fp_node_prepare_as with selections), of which there are some. `start` (of the element type,
 * for one operator) may be NULL. `to_host`: the host alone reads the value. */
gpu_status fp_reduce(const fp_ready *input, const fp_combiners *ops, const void *start, bool to_host, fp_reduced *out);

/* Reads the value of operator k into outs[k], unlocking the gpu, and drops the node. GPU_E_EMPTY if there was no
 * element. */
gpu_status fp_reduced_read(fp_entry *entry, const fp_reduced *reduced, void *const *outs);

/* Reduces `node` to the host by an operator of the library's own, which commutes. An empty node gives the operator's
 * identity, if it is known. Returns with the gpu locked. */
gpu_status fp_reduce_builtin(fp_entry *entry, fp_node *node, const fp_builtin *combine, void *out);
gpu_status fp_reduce_own(fp_entry *entry, fp_node *node, const char *snippet, void *out);

/* One value for each `block` elements. Blocks of up to 32 are combined from left to right, on both sides. */
gpu_status fp_block_reduce(const fp_ready *input, fp_operator *op, size_t block, fp_node **result);

/* One value for each column of a matrix that has some rows and `columns`: its elements, combined from the top down. */
gpu_status fp_reduce_columns(const fp_ready *input, fp_operator *op, size_t columns, fp_node **result);

/* The work-items of a group that reduces elements of `size` bytes. */
unsigned fp_reduce_group(const gpu *g, size_t size);

/* The elements of a vector on a GPU. */
unsigned fp_reduce_vector(const fp_policy *policy, gpu_type type);

/* The accumulators of a chunk on a CPU. `several`: the type is the tuple of several operators. */
unsigned fp_reduce_lanes(const fp_policy *policy, gpu_type type, bool several);

/* The number of elements that a plan's kernel combines from left to right: FP_SERIAL_MOST. `rounds`: combining them may
 * round. */
uint64_t fp_serial_most(const struct fp_plan *plan, bool rounds);

/* CPU: the parts of a chunk that are combined in order, side by side. Each application waits for the one before it. */
enum { FP_CHAINS = 4 };

/* The slots of reduce.cl in kernels/block/cpu and kernels/block/gpu for elements of this type, except FP_SERIAL_MOST
 * and those of fp_plan_vectors. `chains` is FP_CHAINS or 1, `several` as above. */
void fp_reduce_slots(struct fp_plan *plan, bool ordered, unsigned chains, gpu_type type, bool several);

#endif
