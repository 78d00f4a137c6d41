/* The checks that a snippet passes before a compiler sees it. */
#ifndef FP_KERNEL_CHECK_H
#define FP_KERNEL_CHECK_H

#include <firepile/status.h>

/* GPU_E_SNIPPET unless `text` is an expression or a body; *body tells which. */
gpu_status fp_snippet_check(const char *text, bool *body);

/* Is this a word of OpenCL C, which no value and no member can be called? */
bool fp_is_keyword(const char *name, size_t length);

#endif
