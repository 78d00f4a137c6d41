/* Risks: failures that only the device can find, in what an array was computed from: an index out of range, a value of
 * a selection that kept nothing. Arrays carry their risks on to what is made from them; who waits for an array's
 * elements asks first. Everything here happens under the gpu's lock. */
#ifndef FP_EXPRESSIONS_RISK_H
#define FP_EXPRESSIONS_RISK_H

#include "expressions/cell.h"

typedef struct fp_risk fp_risk;

#define FP_TEXT_EMPTY "the array is empty and the operator has no known identity"
/* What to do about it where the call takes no start. */
#define FP_TEXT_FIRST "put a start in front of the elements with gpu_concat"

/* Indices out of range of `length` elements (SIZE_MAX: the host does not know): the device puts ~position of the first
 * into the cell's first four bytes. The risk stays open until fp_risk_settle says that nothing will be computed any
 * more. NULL when memory runs out. */
fp_risk *fp_risk_range(gpu *g, size_t length);
fp_cell fp_risk_cell(const fp_risk *risk);
void fp_risk_settle(fp_risk *risk);

/* No value: four bytes of a buffer that stay zero then. */
fp_risk *fp_risk_empty(gpu *g, fp_buffer *buffer, size_t offset);

/* Adds `more` to what *risk has (either may be NULL). */
gpu_status fp_risk_join(gpu *g, fp_risk **risk, fp_risk *more);

fp_risk *fp_risk_keep(fp_risk *risk);
void fp_risk_drop(fp_risk *risk);

/* Looks at what was launched so far, and fails if something went wrong: after a wait of its own; or, to share one, in
 * two steps, between which fp_pending_wait or fp_buffer_download_last waits. NULL is fine. */
gpu_status fp_risk_check(fp_risk *risk);
gpu_status fp_risk_fetch(fp_risk *risk, fp_pending *pending);
gpu_status fp_risk_judge(fp_risk *risk, const fp_pending *pending);
/* Would fp_risk_check wait? */
bool fp_risk_waits(const fp_risk *risk);
/* All open risks of a gpu; reports each failure once. */
gpu_status fp_risks_check(gpu *g);

#endif
