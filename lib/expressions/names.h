/* The names in an operator's text, and of what it captures. */
#ifndef FP_EXPRESSIONS_NAMES_H
#define FP_EXPRESSIONS_NAMES_H

#include "expressions/operator.h"

/* Is it no capture but GPU_COMMUTATIVE? */
static inline bool fp_is_mark(const gpu_capture *capture)
{
    return capture == GPU_COMMUTATIVE;
}

/* Of a kernel's space; 0: it is no kernel. */
static inline unsigned fp_space_dimensions(const fp_operator_kind *kind)
{
    return !(kind->traits & FP_OPERATOR_KERNEL) ? 0 : kind->traits & FP_OPERATOR_SQUARE ? 2 : 1;
}

/* Does the operator capture something by this name? */
bool fp_captures_name(const gpu_operator *op, const char *name, size_t length);

/* GPU_E_ARGUMENT for a captured value that is called as an operand or a place is. */
gpu_status fp_check_captured_names(const gpu_operator *op, const fp_operator_kind *kind);

/* Checks a text: variables that are called as something else is, operands of other operations, an assignment where a
 * comparison is meant. fp_function_check checks functions. GPU_E_SNIPPET. */
gpu_status fp_check_text(const fp_snippet *snippet, const gpu_operator *op, const fp_operator_kind *kind);

#endif
