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
fp_counter fp_deferred_counter(const fp_deferred *deferred);
void fp_deferred_settle(fp_deferred *deferred);

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
/* Would fp_deferred_check wait? */
bool fp_deferred_waits(const fp_deferred *deferred);
/* Checks all open deferred errors of a gpu. Reports each failure once. */
gpu_status fp_deferred_all_check(gpu *g);

#endif
