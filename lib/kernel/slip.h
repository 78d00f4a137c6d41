/* Checks for texts that compile and do not mean what was meant. */
#ifndef FP_KERNEL_SLIP_H
#define FP_KERNEL_SLIP_H

#include <firepile/define.h>
#include <stdbool.h>

/* GPU_E_SNIPPET for a comma whose left side does nothing, as in (x, y) for (float2)(x, y). */
gpu_status fp_slip_check(const char *text, bool body);

/* Is the value of an expression what it assigns, as in x = 2? Refuses that where yes or no is meant: GPU_E_SNIPPET. */
bool fp_slip_assigns(const char *text);
gpu_status fp_slip_refuse_decision(const char *text);

#endif
