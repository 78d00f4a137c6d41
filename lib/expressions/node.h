/* Expressions, the values of arrays. A node holds a buffer, or describes how element i is computed from other nodes.
 * Nodes are shared and counted. The gpu is locked throughout. */
#ifndef FP_EXPRESSIONS_NODE_H
#define FP_EXPRESSIONS_NODE_H

#include "expressions/counter.h"
#include "expressions/deferred.h"
#include "expressions/fault.h"
#include "expressions/operator.h"
#include "expressions/strides.h"

#include <firepile/stencil.h>

typedef enum fp_node_kind {
    FP_NODE_BUFFER,   /* elements first, first + 1, ... of a buffer */
    FP_NODE_RANGE,    /* 0, 1, 2, ... */
    FP_NODE_FILL,     /* one value */
    FP_NODE_SLICE,    /* inputs[0] from element `first` on, or from element `start` on */
    FP_NODE_REVERSE,  /* inputs[0] from the last to the first */
    FP_NODE_PREVIOUS, /* inputs[0][i - 1]; for the first, inputs[0][0] */
    FP_NODE_CONCAT,   /* inputs[0], then inputs[1] */
    FP_NODE_STRIDED,  /* inputs[0] at the places of `strides` */
    FP_NODE_GATHER,   /* source[inputs[0][i]] */
    FP_NODE_FIND,     /* the index of an element of `source` that is equal to inputs[0][i], or FP_NOWHERE */
    FP_NODE_MAP,      /* op(inputs[0][i], ...) */
    FP_NODE_STENCIL,  /* op of inputs[0][i] and its neighbours, in a matrix if op is placed */
    FP_NODE_FILTER,   /* the inputs[0][i] for which op(inputs[0][i], ...) is not zero */
    FP_NODE_INDICES,  /* the i for which it is not zero */
    FP_NODE_TASK,     /* the result of a delayed task, made of inputs[0] by `op` */
    FP_NODE_SYMBOL    /* elements that come later: a symbol, or the result of a task over one */
} fp_node_kind;

/* No index: an element that is not there. */
#define FP_NOWHERE UINT64_MAX

/* The largest distance of a neighbour, in rows and in columns. An array is a matrix of one row. */
typedef struct fp_reach {
    size_t down, across;
} fp_reach;

/* Why a node was computed into a buffer of its own, for gpu_explain. */
typedef enum fp_reason {
    FP_REASON_NONE,     /* it was not: it came as a buffer */
    FP_REASON_ASKED,    /* gpu_eval, a read, or FIREPILE_EAGER */
    FP_REASON_SECOND,   /* a second consumer */
    FP_REASON_SLICED,   /* slices that need more elements than it has */
    FP_REASON_CAPTURED, /* operators read arrays at any place */
    FP_REASON_GATHERED, /* and so do gathers and searches */
    FP_REASON_AROUND,   /* a stencil reads its elements several times */
    FP_REASON_TURNED,   /* an operation along the columns of a large matrix */
    FP_REASON_LONG,     /* the expression was too long for one kernel */
    FP_REASON_ENDED,    /* a selection, whose consumer needs places or another array */
    FP_REASON_WHOLE,    /* a task, whose kernels do not apply what follows */
    FP_REASON_COMPILED, /* gpu_compile */
    FP_REASON_WIDE      /* the host device: the parts of an expression stand at too many places */
} fp_reason;

/* The common part, then what a node has by its kind. */
struct fp_node {
    gpu *g;
    unsigned references;
    fp_node_kind kind;
    gpu_type type;
    size_t length;     /* a bound, if only the device knows it: see fp_node_count */
    fp_count *count;   /* BUFFER, SLICE, stored: the length, if the host does not know it */
    fp_buffer *buffer; /* BUFFER: NULL if it is empty; FILL: the value, if it is large; else NULL */
    fp_node *inputs[FP_INPUTS];
    fp_operator *op;       /* FIND, MAP, STENCIL, FILTER, INDICES, TASK */
    fp_deferred *deferred; /* of all that it is computed from; NULL: none */
    fp_fault_slot fault;   /* computing it failed */

    union {
        size_t first; /* BUFFER */
        void *value;  /* FILL: one element, unless the buffer holds it */
        struct {
            size_t first;
            fp_count *start; /* instead of `first`, if the host does not know that */
        } slice;
        fp_strides strides; /* STRIDED */
        struct {
            fp_node *source;
            fp_deferred *raises; /* GATHER: for indices out of range */
        } gather;                /* GATHER, FIND */
        struct {
            fp_reach reach;
            gpu_edge_kind edge;
            void *outside; /* the element outside of the array, or NULL */
        } stencil;
        struct {
            struct fp_task *task;
            unsigned result; /* SYMBOL: which of the task's results */
        } made;              /* TASK, SYMBOL */
    };

    /* Of the expression: */
    unsigned operators;     /* in it, with this one's */
    size_t parameter_bytes; /* of kernel arguments that it takes */
    unsigned depth;         /* with captured arrays */

    /* Of its consumers: */
    uint64_t id;       /* unique in the gpu */
    uint64_t consumer; /* the node or launch that it was first computed for; 0: none yet */
    size_t sliced;     /* elements of its slices (Note [slices]) */
    bool used;         /* a consumer needs it as a whole */

    /* Of its evaluation: */
    bool stored;       /* it becomes a buffer before any consumer is computed */
    bool stored_below; /* a node that it is computed from is stored */
    fp_reason reason;
    uint64_t visit; /* the plan that visited it last */
    unsigned step;
    uint64_t scheduled; /* the schedule that visited it last */
    unsigned fact;
    fp_node *next; /* of those that are being dropped */
};

/* The array that a gather or a search reads; NULL: the node is neither. */
static inline fp_node *fp_node_source(const fp_node *node)
{
    return node->kind == FP_NODE_GATHER || node->kind == FP_NODE_FIND ? node->gather.source : NULL;
}

/* Is a captured array computed in the kernel that reads it (Note [own elements])? All that it reads is ready. */
static inline bool fp_captured_is_fused(const fp_captured *c)
{
    return c->own_element && !c->length && c->array && c->array->kind != FP_NODE_BUFFER;
}

/* Does the node select elements of its input? */
static inline bool fp_node_filters(const fp_node *node)
{
    return node->kind == FP_NODE_FILTER || node->kind == FP_NODE_INDICES;
}

/* Is element i computed from elements i of the inputs? */
static inline bool fp_node_stays(const fp_node *node)
{
    return (node->op && node->kind != FP_NODE_STENCIL) || node->kind == FP_NODE_GATHER;
}

/* The first element of a slice, if only the device knows it; else NULL. */
static inline fp_count *fp_node_start(const fp_node *node)
{
    return node->kind == FP_NODE_SLICE ? node->slice.start : NULL;
}

/* New nodes, with one reference; NULL and a failure when memory runs out. */
fp_node *fp_node_buffer(gpu *g, gpu_type type, size_t length, fp_buffer *buffer, size_t first);
fp_node *fp_node_range(gpu *g, gpu_type type, size_t length);
fp_node *fp_node_fill(gpu *g, gpu_type type, const void *value, size_t length);
/* A fill that takes on the deferred errors of another node, which has no elements. */
fp_node *fp_node_fill_after(const fp_node *before, gpu_type type, const void *value, size_t length);
fp_node *fp_node_slice(fp_node *node, size_t first, size_t length);
/* A slice from element `first` on, of `length` elements: numbers that only the device knows. */
fp_node *fp_node_view(fp_node *node, fp_count *first, fp_count *length);
fp_node *fp_node_reverse(fp_node *node);
fp_node *fp_node_previous(fp_node *node);
fp_node *fp_node_concat(fp_node *a, fp_node *b);
/* A view with this many rows. The host knows the length of the array, and all places lie in it. */
fp_node *fp_node_strided(fp_node *node, size_t rows, const fp_strides *strides);
fp_node *fp_node_gather(fp_node *source, fp_node *indices);
/* The search for each of `values` in `source`, which `less` sorts; takes over `less`, also on failure. It waits for no
 * length. */
fp_node *fp_node_find(fp_node *source, fp_node *values, fp_operator *less);

/* The operator's values for the elements of `node` and their neighbours. Takes over `op`, also on failure. `outside` is
 * an element for GPU_EDGE_KIND_VALUE. */
fp_node *fp_node_stencil(fp_node *node, gpu_edge_kind edge, const void *outside, fp_reach reach, fp_operator *op);
/* The columns of its input; an array is one row. */
size_t fp_node_stencil_columns(const fp_node *stencil);

/* Takes on the deferred errors of another node, or of the arrays that an operator captured. */
gpu_status fp_node_inherit(fp_node *node, const fp_node *from);
gpu_status fp_node_inherit_captured(fp_node *node, const fp_operator *op);

/* A result of a task that is run later. Keeps the task. */
fp_node *fp_node_symbol(struct fp_task *task, unsigned result);
/* The result of a delayed task. Keeps the task. */
fp_node *fp_node_task(struct fp_task *task);

/* A map over `count` nodes of equal length. Takes over `op`, also on failure. Inputs are stored if the expression would
 * be longer than the policy and the device's argument space allow. */
fp_node *fp_node_map(gpu_type type, fp_operator *op, fp_node *const *inputs, unsigned count);

/* The same by a snippet of the library's own. */
fp_node *fp_node_map_own(gpu_type type, const char *snippet, const gpu_capture *const *captures, fp_node *const *inputs,
                         unsigned count);

/* The elements of inputs[0] for which `op` of all inputs is not zero, or their indices. Takes over `op`, also on
 * failure. */
fp_node *fp_node_filter(fp_node *const *inputs, unsigned count, fp_operator *op, bool indices);

/* The filter that selects the node's elements, the last if there are several; NULL if there is none. */
fp_node *fp_node_selection(const fp_node *node);

/* The count of a node's elements before selection. NULL: the host knows it, and node->length is their number. */
fp_count *fp_node_count(fp_node *node);

/* Does one wait read it, even if it has deferred errors? */
bool fp_node_is_short(const fp_node *node);

/* Do two nodes surely have equally many elements, even if the host does not know how many? */
bool fp_node_same_extent(fp_node *a, fp_node *b);

/* Stores the node: it becomes a buffer before any consumer is computed. Launches nothing now. */
gpu_status fp_node_store(fp_node *node, fp_reason reason);
/* Stores a node that is a selection. */
gpu_status fp_node_end_selection(fp_node *node);
/* The stored node, no buffer yet, from whose number of elements the node's follows; NULL: there is none. */
fp_node *fp_node_stored_extent(fp_node *node);

/* A bound of the number of elements. It may become smaller whenever something is computed. */
size_t fp_node_most(fp_node *node);

/* Note [ready]: computing one node changes facts of others. A length becomes known, a selection becomes a buffer,
 * elements move to the host. So a launch is sized by facts that are read after the last such change. Only functions
 * that prepare a node make an fp_ready, and plans begin with one. */
typedef struct fp_ready {
    fp_node *node;      /* all that it reads is in buffers or in the kernel */
    size_t length;      /* a bound, if only the device knows it */
    fp_count *count;    /* NULL: the host knows the length */
    fp_node *selection; /* of fp_node_selection */
} fp_ready;

/* Counts the elements of a slice or a reversed array for Note [slices]. The library's own slices, which take each
 * element once, are not counted. */
void fp_node_note_slice(fp_node *slice);
/* A slice of a buffer becomes a part of that buffer, if the host knows its first element. */
bool fp_node_can_be_part(const fp_node *node);
void fp_node_become_part(fp_node *slice);

/* Is the node a consumer of its inputs (Note [consumers])? */
bool fp_node_consumes(const fp_node *node);
/* Notes after a launch that the node's inputs were computed for it. */
void fp_node_mark_inputs(fp_node *node);

fp_node *fp_node_keep(fp_node *node);
void fp_node_drop(fp_node *node);
/* The node; after a failure drops it, and returns NULL. */
fp_node *fp_node_unless(gpu_status status, fp_node *node);
/* Makes a new node a result. NULL is the failure that was just made. */
gpu_status fp_node_give(fp_node *node, fp_node **result);

/* Makes a node a buffer, which is taken over. `count` is the length if only the device knows it. */
void fp_node_become_buffer(fp_node *node, fp_buffer *buffer, fp_count *count);

#endif
