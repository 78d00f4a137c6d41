/* Parts of the program of a plan. */
#ifndef FP_PLANNING_WRITE_H
#define FP_PLANNING_WRITE_H

#include "planning/plan.h"

/* The part of a program that operators and loads go to. */
static inline fp_text *fp_code(fp_source *source)
{
    return &source->parts[FP_PART_CODE];
}

/* The length of a node whose parameters begin with `parameter`. */
void fp_write_length(fp_node *node, unsigned parameter, char *out, size_t room);

/* The names and types inside an operator's function. */
typedef struct fp_operator_frame {
    const fp_operator *op;
    const char *result;
    const char *types[FP_INPUTS];
    const char *const *names;
    unsigned operands;
    bool index;     /* takes i */
    const char *at; /* of a stencil: the macro of its neighbours */
    fp_reach reach;
    fp_text *name; /* room for the name of a captured value (Note [captured names]) */
} fp_operator_frame;

/* Writes the kernel of the user's own, and the operators that it calls. */
gpu_status fp_write_kernel(const fp_plan *plan, fp_source *source);

/* Writes the function NAMEnumber. */
gpu_status fp_write_operator(const fp_operator_frame *frame, const char *name, unsigned number, fp_source *source);

/* ", fp_p4, fp_p5 + fp_p6": the captured values of an operator. */
void fp_write_captured_args(const fp_operator *op, unsigned parameter, fp_text *out);

/* The kernel's parameters for a captured value. */
unsigned fp_captured_parameters(const fp_captured *captured);

/* The parameter with the report of an operator whose first is `parameter`. */
unsigned fp_report_parameter(const fp_operator *op, unsigned parameter);

/* fp_gK(at, i): element `at` of the source of step K, a gather. */
void fp_write_gather(const fp_plan *plan, unsigned number, const char *type, fp_text *out);

/* fp_bK(x): the place in the source of step K, a search, of an x of this type. */
void fp_write_find(const fp_plan *plan, unsigned number, const char *type, fp_text *out);

/* fp_nK(i, k): the neighbour at i + k of element i of step K, a stencil. In a matrix fp_nK(i, dy, dx). */
void fp_write_neighbours(const fp_plan *plan, unsigned number, const char *type, fp_text *out);

#endif
