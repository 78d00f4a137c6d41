/* Primitives, the parallel operations that all others are made of, as data: a constant descriptor says how one is
 * computed, a request what of. */
#ifndef FP_EXPRESSIONS_REQUEST_H
#define FP_EXPRESSIONS_REQUEST_H

#include "expressions/node.h"

enum { FP_OUTPUTS = GPU_SPAWN_RESULTS };

/* The number of elements of an output. */
typedef enum fp_extent {
    FP_FIXED,   /* `length` */
    FP_ALIGNED, /* as many as the input */
    FP_COUNTED, /* a number that is found out, at most `length` */
    FP_SHARED   /* as many as the first output, which is counted */
} fp_extent;

typedef struct fp_output {
    gpu_type type; /* NULL: the number is all that is wanted */
    fp_extent extent;
    size_t length;     /* elements that there is room for */
    bool host_visible; /* the host alone reads it */
    bool zeroed;       /* it begins as zeros */
    fp_buffer *buffer;
    fp_count *count; /* COUNTED, SHARED; may be there already */
} fp_output;

typedef struct fp_request fp_request;

/* A primitive: constant. */
typedef struct fp_primitive {
    const char *name;
    gpu_status (*launch)(fp_request *request);     /* on the device */
    gpu_status (*run)(const fp_request *request);  /* on the host, into its memory */
    bool small;                                    /* the host computes small arrays (Note [small arrays]) */
    bool late;                                     /* the launch makes the outputs itself: fp_make_outputs */
    bool decides;                                  /* a bit of an element may change all that comes out */
    bool moves;                                    /* several launches read and write all elements */
    bool (*comparable)(const fp_request *request); /* has it one outcome? NULL: it has */
    /* Called if both sides differ. `host` has the host's outputs, `there` is one of the device's. Copies elements that
     * are as right from there, or excuses all of them. NULL: differences are failures. */
    gpu_status (*reconcile)(const fp_request *host, unsigned output, const unsigned char *there, bool *excused);
} fp_primitive;

/* One computation. What the primitive does not have stays zero. */
struct fp_request {
    const fp_primitive *primitive;
    fp_ready input;
    fp_operator *const *ops; /* combine or compare elements, */
    unsigned op_count;
    gpu_type operand;         /* of this type; NULL: the input's */
    const gpu_type *types;    /* several: that of each operator's elements; NULL: `operand` */
    fp_operator *const *maps; /* each makes the elements of an operator from those of the input; NULL: there are none */
    gpu_type key;             /* by key: of keys */
    const fp_order *order;    /* of a sort */
    const void *start;        /* the value before all elements */
    const void *identity;     /* the value of no elements */
    bool marked;              /* whether there were elements stands behind the value */
    bool unique;              /* no key comes twice */
    bool unstable;            /* equal elements may change places */
    const void *bounds[2];    /* of a histogram */
    size_t number;            /* the elements of a block, or the bins */
    size_t shape[3];          /* of matrices; of a product: rows, inner dimension, columns */
    fp_ready into;            /* a second array: a scatter's copy is one of it */
    fp_node *epilogue;        /* maps that the last launch applies as it stores: their elements come out; NULL: none */
    fp_deferred *deferred;    /* what may fail on the device */
    fp_output outputs[FP_OUTPUTS];
    unsigned output_count;
};

/* The type of the operands of the request's operators, if all have the same. */
static inline gpu_type fp_operand_of(const fp_request *r)
{
    return r->operand ? r->operand : r->input.node->type;
}

/* The type of what operator k takes. */
static inline gpu_type fp_operand_at(const fp_request *r, unsigned k)
{
    return r->types ? r->types[k] : fp_operand_of(r);
}

/* May combining the elements round, so that the order shows? */
bool fp_request_rounds(const fp_request *request);

/* The outputs' buffers and counts; on failure some are there, too. */
gpu_status fp_make_outputs(fp_request *request, bool on_host);
/* Without `numbers`, counts that are no array's length stay. */
void fp_drop_outputs(fp_request *request, bool numbers);
/* results[k] becomes a node of output k, if that has elements. On failure there are none. */
gpu_status fp_make_results(const fp_request *request, fp_node **results);

/* The memory of an output that the host fills; NULL if there is none. */
static inline void *fp_output_memory(const fp_request *r, unsigned k)
{
    return k < r->output_count && r->outputs[k].buffer ? fp_buffer_memory(r->outputs[k].buffer) : NULL;
}

/* The bytes of an array; GPU_E_MEMORY if no machine could address them. */
gpu_status fp_array_bytes(gpu_type type, size_t length, size_t *bytes);
/* A buffer for so many elements, more than none; `on_host`: for what the host computes. */
gpu_status fp_elements_new(gpu *g, bool on_host, gpu_type type, size_t length, fp_buffer **out);

#endif
