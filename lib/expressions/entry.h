/* Public calls. */
#ifndef FP_EXPRESSIONS_ENTRY_H
#define FP_EXPRESSIONS_ENTRY_H

#include "base/text.h"
#include "expressions/gpu.h"

/* One public call, from fp_entry_begin to fp_entry_end. It holds the gpu's lock until fp_entry_unlock. FIREPILE_TRACE
 * prints a line for each. */
typedef struct fp_entry {
    gpu *g;
    bool locked;
    uint64_t start_ns;
    gpu_stats before;
    uint64_t host_runs; /* before the call */
} fp_entry;

/* Enters `operation` and locks g (may be NULL). */
fp_entry fp_entry_begin(gpu *g, const char *operation, const gpu_place *place);
/* Before a wait: sends the launches that are held back (lib/planning/sequence.h), and unlocks. */
void fp_entry_unlock(fp_entry *entry);
/* Locks again what fp_entry_unlock unlocked. */
void fp_entry_relock(fp_entry *entry);
/* Unlocks and traces. Returns `status`, or why launches that were held back failed. */
gpu_status fp_entry_end(fp_entry *entry, gpu_status status);

/* Fails with this text, and frees it. */
gpu_status fp_fail_text(gpu_status status, fp_text *text);

/* GPU_E_ARGUMENT for a NULL gpu, with the reason why this thread's last gpu_open failed: fp_note_no_gpu notes it. */
gpu_status fp_fail_no_gpu(void);
void fp_note_no_gpu(void);

#endif
