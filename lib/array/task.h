/* Operations as data. One that makes arrays fills in a task, which is run at once, unless some of its arrays stand for
 * what comes later (gpu_symbol): then it is kept, and each call of the function that gpu_compile makes runs it again. A
 * delayed one (FP_NODE_TASK) is run when its result is needed. */
#ifndef FP_ARRAY_TASK_H
#define FP_ARRAY_TASK_H

#include "array/array.h"
#include "host/host.h"

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

/* Adds an input, an array that may be symbolic; failures name it. */
gpu_status fp_task_input(fp_task *task, const gpu_array *a, const char *which);

/* What running a delayed task would do, with these maps over it or for itself, if what is supposed to be computed were:
 * its launches are counted. */
fp_foreseen fp_task_foresee(fp_node *made, fp_node *maps, const fp_supposed *supposed);

/* Binds the operator. */
gpu_status fp_task_bind(fp_task *task, const gpu_operator *op, const fp_role *role);

/* Says what the results are: called last before the end. */
void fp_task_gives(fp_task *task, gpu_type type);
void fp_task_gives_two(fp_task *task, gpu_type one, gpu_type two);

/* Runs the task, or makes the node that will; the operator stays the caller's. */
gpu_status fp_task_run(fp_task *task, fp_node **results);

/* Runs or keeps the task, and gives up its operator in any case. With a `status` other than GPU_OK that is all. */
gpu_status fp_task_end(fp_task *task, gpu_status status, fp_node **results);
/* The one result; NULL on failure. */
fp_node *fp_task_result(fp_task *task, gpu_status status);

/* A kept task. */
fp_task *fp_task_keep(fp_task *task);
void fp_task_drop(fp_task *task);

/* gpu_symbol and gpu_symbol_value: a task without a run. */
fp_node *fp_symbol_new(gpu *g, gpu_type type, bool one);

#endif
