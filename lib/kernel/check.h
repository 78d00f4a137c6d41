/* The checks that a snippet passes before a compiler sees it. */
#ifndef FP_KERNEL_CHECK_H
#define FP_KERNEL_CHECK_H

#include "kernel/snippet.h"

/* GPU_E_SNIPPET unless `text` is an expression or a body; *body tells which. */
gpu_status fp_snippet_check(const char *text, bool *body);

/* The same rules for a function's text, and GPU_E_SNIPPET for a parameter, or a variable of a function that is host
 * code too, that is called like a word of OpenCL C: a device would refuse it. `parameters` are their names, `body`
 * the words of function->body. */
gpu_status fp_function_text_check(const gpu_definition *function, const fp_words *parameters, const fp_words *body);

/* Is this a word of OpenCL C, which no value and no member can be called? */
bool fp_is_keyword(const char *name, size_t length);

#endif
