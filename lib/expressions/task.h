/* Operations as data. One that makes arrays fills in a task, which is run at once, unless some of its arrays stand for
 * what comes later (gpu_symbol): then it is kept, and each call of the function that gpu_compile makes runs it again. A
 * delayed one (FP_NODE_TASK) is run when its result is needed. */
#ifndef FP_EXPRESSIONS_TASK_H
#define FP_EXPRESSIONS_TASK_H

#include "expressions/entry.h"
#include "expressions/node.h"

enum { FP_RESULTS = 2, FP_TASK_VALUES = 2, FP_TASK_NUMBERS = 2 };

typedef struct fp_task fp_task;

struct fp_task {
    /* Makes the results, which are the caller's, also those that are there after a failure. */
    gpu_status (*run)(const fp_task *task, fp_node **results);
    bool delayed; /* it has one result, and is run when that is needed, */
    size_t block; /* each element of which is made of so many of the input; 0: of one */
    /* Delayed: while it runs, maps, one over the other, over its result, which are applied to it as it is stored: the
     * run's result is theirs. NULL: there are none. */
    fp_node *epilogue;
    /* Delayed: while it runs, its input, prepared with what the operator captured. */
    const fp_ready *ready;
    /* Brings the result, which is one element, to the host, unlocking the call; NULL: by reading it. */
    gpu_status (*read)(fp_entry *entry, const fp_task *task, void *out);
    const char *operation; /* of one that is kept: a literal, */
    gpu_place place;       /* and where the call stands */
    gpu *g;
    unsigned references;
    unsigned input_count, result_count;
    fp_node *inputs[FP_INPUTS];
    gpu_type results[FP_RESULTS];
    fp_operator *op; /* NULL: none */
    /* What else the operation was given, as its run understands it. */
    fp_order order; /* without the operator */
    gpu_type type;
    size_t numbers[FP_TASK_NUMBERS];
    const void *values[FP_TASK_VALUES]; /* elements of the first input's type, or NULL */
    bool one;                           /* the result has one element, */
    bool aligned;                       /* or as many as the inputs have */
    uint64_t visit;                     /* the walk that came by last, */
    size_t slot;                        /* and what it gave the first result */
};

/* A kept task. */
fp_task *fp_task_keep(fp_task *task);
void fp_task_drop(fp_task *task);

#endif
