/* Elements in memory, and operators that are applied to them: the means of a primitive's host side. An operation has
 * its `run` beside its `launch` in lib/ops, unless other files of lib/host need it too. */
#ifndef FP_HOST_APPLY_H
#define FP_HOST_APPLY_H

#include "expressions/request.h"
#include "expressions/types.h"
#include "host/expression.h"
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

/* An operator, for operands and results of these types. */
struct fp_applied {
    const fp_operator *op;
    gpu_type result;
    gpu_type types[FP_INPUTS];
    unsigned operands;
    bool combines;                   /* the operands are called a and b */
    bool around;                     /* a stencil's: the operand has neighbours */
    size_t line;                     /* around, in a matrix: elements from one row of neighbours to the next */
    fp_native *native;               /* NULL: the function is called */
    unsigned alone;                  /* the operand that is the value, for a text that only names one */
    const fp_expression *expression; /* of a text that is one */
    const fp_signature *signature;   /* of the function */
    const fp_call *call;             /* the way to call it */
    bool as_is[FP_INPUTS];           /* operands that are not converted */
    bool converts;                   /* the function's value is converted as it is stored */
    size_t places[FP_PLACES];        /* the parameters that are the index, row and column; 0: there is none */
    unsigned char *slots; /* room for converted values; one block with the next three, or with the expression */
    unsigned char *value; /* room for the result */
    const unsigned char **arguments; /* where the function's arguments are */
    size_t *strides;                 /* the bytes from one to the next; 0: it is the same for all elements */
};

/* The operator of a node, a request's map for its operator k, and an operator that combines or compares two elements of
 * a type: the types alone. */
fp_applied fp_applied_to(const fp_node *node);
fp_applied fp_applied_to_one(const fp_request *request, unsigned k);
fp_applied fp_applied_to_two(const fp_operator *op, gpu_type type);
/* The map of a product's operator, of two elements of a type. */
fp_applied fp_applied_to_map(const fp_operator *op, gpu_type type);

/* Makes ready to apply it. GPU_E_SNIPPET for a text that is not recognised. The types of a function were checked when
 * the call was made (Note [functions] in lib/expressions/function.c). */
gpu_status fp_apply_begin(fp_applied *applied);
void fp_apply(const fp_applied *applied, const fp_stretch *s);
void fp_apply_end(fp_applied *applied);

/* The elements of a buffer node; NULL if it is empty. */
const void *fp_node_memory(const fp_node *node);

/* Of `count` scalars, `stride` bytes apart: numbers of as many bits as those have, in the same order. NaN has the
 * largest, and -0 that of 0. */
typedef void fp_ranks(const unsigned char *in, size_t stride, size_t count, uint64_t *out);
fp_ranks *fp_ranks_of(gpu_type scalar);

/* C's conversion of a scalar; fp_type_bool is one. */
void fp_convert(gpu_type from, const void *in, gpu_type to, void *out);

/* Stores what a predicate says of element e, or the opposite if the operator is negated. */
void fp_put_flag(const fp_applied *applied, const fp_stretch *s, size_t e, bool yes);

#endif
