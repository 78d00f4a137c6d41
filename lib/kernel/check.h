/* The checks that a snippet passes before a compiler sees it. */
#ifndef FP_KERNEL_CHECK_H
#define FP_KERNEL_CHECK_H

#include "kernel/words.h"

#include <firepile/define.h>
#include <firepile/status.h>
#include <stddef.h>

/* GPU_E_SNIPPET unless `text` is an expression or a body; *body tells which. */
gpu_status fp_snippet_check(const char *text, bool *body);

/* The same for a kernel's: it is a body, and returns nothing. */
gpu_status fp_kernel_text_check(const char *text);

/* The same rules for a function's text. GPU_E_SNIPPET also for a parameter that has the name of a word of OpenCL C, and
 * for such a variable in a function that is host code too: a device would refuse it. `parameters` are the names of the
 * parameters, `body` the words of function->body. */
gpu_status fp_function_text_check(const gpu_definition *function, const fp_words *parameters, const fp_words *body);

/* Is the word in the list " one two three "? */
bool fp_word_in_list(const char *list, const char *word, size_t length);

/* Does the name begin with fp_ or FP_, as the library's own do? */
bool fp_is_reserved(const char *name, size_t length);

/* Is this the name of a type of OpenCL C, or of one that host code uses: int, float4, int32_t, gpu_float4? */
bool fp_is_type_name(const char *name, size_t length);

/* Is this a word of OpenCL C and not of C: half, local, float4? */
bool fp_is_word_of_devices(const char *name, size_t length);

/* Is this a word of OpenCL C? No value and no member can have its name. */
bool fp_is_keyword(const char *name, size_t length);

#endif
