/* Turns the build logs of all drivers into failures that point into the user's own text. */
#ifndef FP_KERNEL_LOG_H
#define FP_KERNEL_LOG_H

#include "kernel/source.h"

/* Reports an error of the log: GPU_E_SNIPPET with the operator's or definition's own line and a caret. *origin becomes
 * the text that it is in, or NULL. */
gpu_status fp_log_report(const fp_source *source, const char *assembled, const char *log, const fp_origin **origin);

#endif
