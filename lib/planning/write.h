/* Parts of the program of a plan. */
#ifndef FP_PLANNING_WRITE_H
#define FP_PLANNING_WRITE_H

#include "planning/plan.h"

/* The length of a node whose parameters begin with `parameter`. */
void fp_write_length(fp_node *node, unsigned parameter, char *out, size_t room);

/* The kernel's parameters for a captured value. */
unsigned fp_captured_parameters(const fp_captured *captured);

/* fp_gK(at, i): element `at` of the source of step K, a gather. */
void fp_write_gather(const fp_plan *plan, unsigned number, const char *type, fp_text *out);

/* fp_nK(i, k): the neighbour at i + k of element i of step K, a stencil. */
void fp_write_neighbours(const fp_plan *plan, unsigned number, const char *type, fp_text *out);

#endif
