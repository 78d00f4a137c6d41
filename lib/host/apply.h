/* What the host's side of a primitive is written with: elements in memory, and operators that are applied to them. An
 * operation has its `run` beside its `launch` in lib/ops, unless other files of lib/host need it too. */
#ifndef FP_HOST_APPLY_H
#define FP_HOST_APPLY_H

#include "expressions/request.h"
#include "expressions/types.h"
#include "kernel/signature.h"

/* All elements of a node that is no selection, to `out`. */
gpu_status fp_host_copy(fp_node *node, void *out);

/* So many elements to compute. Strides are in bytes; a stride of 0 means one element for all. */
typedef struct fp_stretch {
    unsigned char *out;
    size_t out_stride;
    const unsigned char *in[FP_INPUTS];
    size_t stride[FP_INPUTS];
    size_t count;
    uint64_t index; /* of the first */
} fp_stretch;

typedef struct fp_applied fp_applied;

/* An operator for operands and results of these types. */
struct fp_applied {
    const fp_operator *op;
    gpu_type result;
    gpu_type types[FP_INPUTS];
    unsigned operands;
    fp_native *native;             /* NULL: the function is called */
    const fp_signature *signature; /* of the function, */
    const fp_call *call;           /* and the way to call it */
    bool as_is[FP_INPUTS];         /* operands that are not converted */
    bool converts;                 /* the function's value is not stored as it is */
    size_t index;                  /* the parameter that is the index; 0: there is none */
    void **arguments;              /* one block of memory: where the function's arguments are, */
    unsigned char *slots;          /* room for those that are converted, */
    unsigned char *value;          /* and for its value */
};

/* GPU_E_SNIPPET for a text that is not recognised. The types fit those of a function, as was checked when the call
 * was made (Note [functions] in lib/expressions/function.c). `combines`: the operands are called a and b. */
gpu_status fp_apply_begin(const fp_operator *op, gpu_type result, const gpu_type *types, unsigned operands,
                          bool combines, fp_applied *out);
void fp_apply(const fp_applied *applied, const fp_stretch *s);
void fp_apply_end(fp_applied *applied);

/* Of `count` scalars, `stride` bytes apart: numbers of as many bits as those have, in the same order. NaN has the
 * largest, and -0 that of 0. */
typedef void fp_ranks(const unsigned char *in, size_t stride, size_t count, uint64_t *out);
fp_ranks *fp_ranks_of(gpu_type scalar);

/* C's conversion of a scalar; fp_type_bool is one. */
void fp_convert(gpu_type from, const void *in, gpu_type to, void *out);

#endif
