/* Build logs of every driver's compiler, turned into a failure that points into the user's own text. */
#ifndef FP_KERNEL_LOG_H
#define FP_KERNEL_LOG_H

#include "kernel/source.h"

/* Reports what `log` says of `assembled`: GPU_E_SNIPPET with the operator's or definition's own line and a caret;
 * *origin (may stay NULL) becomes whose text it was. */
gpu_status fp_log_report(const fp_source *source, const char *assembled, const char *log, const fp_origin **origin);

#endif
