/* Deferred errors: failures that only the device can find, in what an array was computed from: an index out of range, a
 * value of a selection that kept nothing. Arrays carry their deferred errors on to what is made from them; who waits
 * for an array's elements asks first. Everything here happens under the gpu's lock. */
#ifndef FP_EXPRESSIONS_DEFERRED_H
#define FP_EXPRESSIONS_DEFERRED_H

#include "expressions/counter.h"

typedef struct fp_deferred fp_deferred;

#define FP_TEXT_EMPTY "the array is empty and the operator has no known identity"
/* What to do about it where the call takes no start. */
#define FP_TEXT_FIRST "put a start in front of the elements with gpu_concat"

/* Indices out of range of `length` elements (SIZE_MAX: the host does not know): the device puts ~position of the first
 * into the counter's first four bytes. The deferred error stays open until fp_deferred_settle says that nothing will be
 * computed any more. NULL when memory runs out. */
fp_deferred *fp_deferred_range(gpu *g, size_t length);
fp_counter fp_deferred_counter(const fp_deferred *deferred);
void fp_deferred_settle(fp_deferred *deferred);

/* No value: four bytes of a buffer that stay zero then. */
fp_deferred *fp_deferred_empty(gpu *g, fp_buffer *buffer, size_t offset);

/* Adds `more` to what *deferred has (either may be NULL). */
gpu_status fp_deferred_join(gpu *g, fp_deferred **deferred, fp_deferred *more);

fp_deferred *fp_deferred_keep(fp_deferred *deferred);
void fp_deferred_drop(fp_deferred *deferred);

/* Looks at what was launched so far, and fails if something went wrong: after a wait of its own; or, to share one, in
 * two steps, between which fp_pending_wait or fp_buffer_download_last waits. NULL is fine. */
gpu_status fp_deferred_check(fp_deferred *deferred);
gpu_status fp_deferred_fetch(fp_deferred *deferred, fp_pending *pending);
gpu_status fp_deferred_judge(fp_deferred *deferred, const fp_pending *pending);
/* Would fp_deferred_check wait? */
bool fp_deferred_waits(const fp_deferred *deferred);
/* All open deferred errors of a gpu; reports each failure once. */
gpu_status fp_deferred_all_check(gpu *g);

#endif
