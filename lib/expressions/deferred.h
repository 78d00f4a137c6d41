/* Deferred errors: failures that only the device can find, such as an index out of range, or a value of an empty
 * selection. Arrays pass them on to the arrays made from them. A read checks them first. The gpu is locked throughout.
 * */
#ifndef FP_EXPRESSIONS_DEFERRED_H
#define FP_EXPRESSIONS_DEFERRED_H

#include "expressions/counter.h"

typedef struct fp_deferred fp_deferred;

#define FP_TEXT_EMPTY "the array is empty and the operator has no known identity"
/* The advice for calls that take no start. */
#define FP_TEXT_FIRST "put a start in front of the elements with gpu_concat"

/* Indices out of range of `length` elements (SIZE_MAX: the host does not know). The device stores ~position of the
 * first in the counter's first four bytes. The deferred error stays open until fp_deferred_settle: later kernels may
 * set it. NULL when memory runs out. */
fp_deferred *fp_deferred_range(gpu *g, size_t length);
/* The text of a range: of indices (at first), of keys that a dictionary lacks, of keys for which there is no bin, of
 * columns of a matrix that have no pivot. */
typedef enum fp_range_text { FP_TEXT_OF_INDICES, FP_TEXT_OF_KEYS, FP_TEXT_OF_BINS, FP_TEXT_OF_COLUMNS } fp_range_text;
void fp_deferred_say(fp_deferred *deferred, fp_range_text text);
/* The counter, which kernels find in fp_counter_shown. */
fp_counter fp_deferred_counter(const fp_deferred *deferred);
/* Drops one that no later kernel sets; NULL is fine. */
void fp_deferred_settle(fp_deferred *deferred);

/* Reports of a kernel: the first number that goes beyond its limit, an fp_report. It lies in a buffer of its own,
 * behind `scrap` bytes that anything may overwrite. Stays open as a range does. NULL when memory runs out. */
fp_deferred *fp_deferred_reports(gpu *g, size_t scrap);
typedef struct fp_report {
    uint32_t what; /* 1 for the name that was added first; 0: there is no report */
    uint32_t unused;
    uint64_t number, limit;
} fp_report;
/* Adds a name that may be reported: of an array with subscripts, or of a result that the kernel counts. */
gpu_status fp_deferred_add_name(fp_deferred *deferred, const char *name, bool counted);
/* The buffer and the offset of the report there. NULL in rehearsals. */
fp_buffer *fp_deferred_report_buffer(const fp_deferred *deferred, size_t *offset);

/* No value: four bytes of a buffer stay zero. */
fp_deferred *fp_deferred_empty(gpu *g, fp_buffer *buffer, size_t offset);

/* Adds `more` to what *deferred has (either may be NULL). */
gpu_status fp_deferred_join(gpu *g, fp_deferred **deferred, fp_deferred *more);

fp_deferred *fp_deferred_keep(fp_deferred *deferred);
void fp_deferred_drop(fp_deferred *deferred);

/* Fails if a launch so far has set it. fp_deferred_check waits by itself. The other two share a wait: fp_pending_wait
 * or fp_buffer_download_last comes between them. NULL is fine. */
gpu_status fp_deferred_check(fp_deferred *deferred);
gpu_status fp_deferred_fetch(fp_deferred *deferred, fp_pending *pending);
gpu_status fp_deferred_judge(fp_deferred *deferred, const fp_pending *pending);
/* Has a launch so far set it? Waits, and reports nothing. NULL is fine. */
bool fp_deferred_is_set(fp_deferred *deferred);
/* Would fp_deferred_check wait? */
bool fp_deferred_waits(const fp_deferred *deferred);
/* Checks all open deferred errors of a gpu. Reports each failure once. */
gpu_status fp_deferred_all_check(gpu *g);

#endif
