/* The one funnel through which every failure passes. */
#ifndef FP_BASE_ERROR_H
#define FP_BASE_ERROR_H

#include "base/text.h"

#include <firepile/status.h>

/* Says which operation this thread is in and where its caller stands (`place` may be NULL); failures begin with it.
 * Every public function calls it first. `operation` is a literal. */
void fp_enter(const char *operation, const gpu_place *place);

/* Ends what fp_enter began: the caller's texts may go, with the shared object that they are in. */
void fp_leave(void);

/* What fp_enter last said. */
const char *fp_operation(void);

/* Where the caller stands, as fp_enter was told; file NULL: that is not known. */
gpu_place fp_call_place(void);

/* "main.c:12: ", or "" where the caller's place is not known. */
void fp_place_text(char *out, size_t room);

/* Makes the text of this thread's failure and returns `status`: "main.c:12: gpu_map: ...". Keeps no log. */
gpu_status fp_fail(gpu_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* GPU_E_MEMORY for host memory. */
gpu_status fp_fail_memory(void);

/* Makes `text` the text of this thread's failure as it stands: a failure that an array carries. */
gpu_status fp_fail_again(gpu_status status, const char *text);

/* Attaches a build log and a source to the failure just made. */
void fp_fail_log(const char *log, const char *source);

/* A text of this thread for its public functions to return, empty at first each time; freed when the thread ends. */
fp_text *fp_thread_text(void);

/* The status of this thread's last failure. */
gpu_status fp_last_status(void);

#endif
