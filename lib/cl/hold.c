#include "cl/hold.h"

#include <stddef.h>

typedef struct held {
    fp_send send; /* NULL: nothing is held */
    void *context;
    gpu_status status;
} held;

static _Thread_local held mine;

void fp_hold(fp_send send, void *context)
{
    if (mine.context != context) (void)fp_hold_end();
    mine.send = send;
    mine.context = context;
}

gpu_status fp_hold_end(void)
{
    const fp_send send = mine.send;
    mine.send = NULL;
    gpu_status status = send ? send(mine.context) : GPU_OK;
    if (!mine.status) mine.status = status;
    return mine.status;
}

gpu_status fp_hold_leave(void)
{
    gpu_status status = mine.status;
    mine = (held){.send = NULL};
    return status;
}
