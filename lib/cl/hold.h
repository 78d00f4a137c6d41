/* Commands that are held back. The next OpenCL call of the thread that holds them sends them first. */
#ifndef FP_CL_HOLD_H
#define FP_CL_HOLD_H

#include <firepile/status.h>

typedef gpu_status (*fp_send)(void *context);

/* Has `send` called before this thread's next OpenCL call. The commands of another context are sent first. */
void fp_hold(fp_send send, void *context);

/* Sends what this thread holds. Returns the first failure since fp_hold_leave: until that, no OpenCL call is made that
 * may fail. */
gpu_status fp_hold_end(void);

/* This thread holds nothing any longer, and nothing is sent. Returns the first failure. */
gpu_status fp_hold_leave(void);

#endif
