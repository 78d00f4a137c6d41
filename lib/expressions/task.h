/* Operations as data. One that makes arrays fills in a task, which is run at once, unless some of its arrays stand for
 * what comes later (gpu_symbol): then it is kept, and each call of the function that gpu_compile makes runs it again. A
 * delayed one (FP_NODE_TASK) is run when its result is needed. */
#ifndef FP_EXPRESSIONS_TASK_H
#define FP_EXPRESSIONS_TASK_H

#include "expressions/entry.h"
#include "expressions/node.h"

enum { FP_RESULTS = GPU_SPAWN_RESULTS, FP_TASK_VALUES = 2, FP_TASK_NUMBERS = 5 };

typedef struct fp_task fp_task;

struct fp_task {
    /* Makes the results, which are the caller's, also those that are there after a failure. */
    gpu_status (*run)(const fp_task *task, fp_node **results);
    bool delayed; /* it has one result, and is run when that is needed */
    size_t block; /* the elements of the input for each of the result; 0: one */
    /* While a delayed task runs: maps that are applied as the result is stored, the last of a chain. The run's result
     * is theirs. NULL: there are none. */
    fp_node *epilogue;
    /* While a delayed task runs: its input, prepared with the operator's captures. */
    const fp_ready *ready;
    /* Reads a result of one element, unlocking the call. NULL: the result is run and read. */
    gpu_status (*read)(fp_entry *entry, const fp_task *task, void *out);
    const char *operation; /* of a kept task: a literal */
    gpu_place place;       /* of the call, for a kept task */
    gpu *g;
    unsigned references;
    unsigned input_count, result_count;
    fp_node *inputs[FP_INPUTS];
    gpu_type results[FP_RESULTS];
    fp_operator *op; /* NULL: none */
    /* Other arguments of the operation, for its run. */
    fp_order order; /* without the operator */
    gpu_type type;
    size_t numbers[FP_TASK_NUMBERS];
    const void *values[FP_TASK_VALUES]; /* elements of the first input's type, or NULL */
    bool one;                           /* the result has one element */
    bool aligned;                       /* the result has as many elements as the inputs */
    uint64_t visit;                     /* the last walk that visited it */
    size_t slot;                        /* of its first result, in that walk */
};

/* A kept task. */
fp_task *fp_task_keep(fp_task *task);
void fp_task_drop(fp_task *task);

#endif
