/* The one funnel through which every failure passes. */
#ifndef FP_BASE_ERROR_H
#define FP_BASE_ERROR_H

#include "base/text.h"

#include <firepile/status.h>

/* Sets this thread's operation and the place of its caller (`place` may be NULL); failures begin with them. Every
 * public function calls it first. `operation` is a literal. */
void fp_enter(const char *operation, const gpu_place *place);

/* Forgets the caller's place: its texts may go, with the shared object that they are in. */
void fp_leave(void);

/* The operation that fp_enter was given last. */
const char *fp_operation(void);

/* The place that fp_enter was given last; file NULL: it is unknown. */
gpu_place fp_call_place(void);

/* Writes "main.c:12: ", or "" if the caller's place is unknown. */
void fp_place_text(char *out, size_t room);

/* Makes the text of this thread's failure and returns `status`: "main.c:12: gpu_map: ...". Keeps no log. */
gpu_status fp_fail(gpu_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* GPU_E_MEMORY for host memory. */
gpu_status fp_fail_memory(void);

/* Makes `text` the text of this thread's failure, unchanged. Arrays carry such texts. */
gpu_status fp_fail_again(gpu_status status, const char *text);

/* Attaches a build log and a source to the failure just made. */
void fp_fail_log(const char *log, const char *source);

/* A text of this thread for its public functions to return, empty at first each time; freed when the thread ends. */
fp_text *fp_thread_text(void);

/* The status of this thread's last failure. */
gpu_status fp_last_status(void);

#endif
