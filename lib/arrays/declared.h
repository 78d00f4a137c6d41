/* The declarations of functions that gpu_compile makes. */
#ifndef FP_ARRAYS_DECLARED_H
#define FP_ARRAYS_DECLARED_H

#include "arrays/compiled.h"

#include <firepile/define.h>

/* "gpu_status (*norm)(float *out, const gpu_array *v, float p)", for the symbols that are used and those that are
 * missing. */
void fp_declared_put(fp_text *out, const fp_compiled *f, fp_task *const *missing, size_t missing_count);

/* GPU_E_TYPE if a GPU_COMPILED declares other parameters than the function has. */
gpu_status fp_declared_check(const gpu_definition *declared, const fp_compiled *f);

#endif
