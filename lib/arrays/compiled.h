/* Functions that gpu_compile has made. */
#ifndef FP_ARRAYS_COMPILED_H
#define FP_ARRAYS_COMPILED_H

#include "ffi/closure.h"
#include "planning/task.h"

#include <firepile/compile.h>

/* An argument of a call. */
typedef struct fp_compiled_symbol {
    fp_task *symbol;
    const char *name;
    fp_abi_class class;
    bool used;
} fp_compiled_symbol;

typedef struct fp_compiled_result {
    size_t slot;
    gpu_type type; /* of its elements */
    bool one;      /* it has one element */
} fp_compiled_result;

/* A task, with the slots of its inputs and of its first result. */
typedef struct fp_compiled_step {
    fp_task *task;
    size_t result;
    size_t inputs[FP_INPUTS];
    size_t *captured; /* one for each captured value; NULL: none of them comes later */
} fp_compiled_step;

/* An array that the function was made of, and its slot. */
typedef struct fp_compiled_made {
    fp_node *node;
    size_t slot;
} fp_compiled_made;

/* Slots hold the nodes of a call. Those of the symbols come first. */
typedef struct fp_compiled {
    struct fp_compiled *next; /* of the gpu's */
    gpu *g;
    char *name; /* "norm" */
    gpu_place place;
    fp_closure *closure;
    fp_compiled_symbol *symbols;
    size_t symbol_count;
    fp_compiled_made *made;
    size_t made_count, made_capacity;
    fp_compiled_step *steps;
    size_t step_count, step_capacity;
    size_t slot_count;
    size_t most_captured;
    fp_compiled_result results[GPU_RESULTS_MAX];
    size_t result_count;
} fp_compiled;

/* A call. The first arguments point to the places of the results. */
fp_handler fp_compiled_call;

/* A call without launches, which builds the kernels (Note [rehearsals]). Only errors in texts are failures. */
gpu_status fp_compiled_rehearse(fp_compiled *f);

/* For a gpu that is closed. */
void fp_compiled_free(fp_compiled *list);

#endif
