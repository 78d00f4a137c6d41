/* Faults: failures that arrays and nodes carry. */
#ifndef FP_EXPRESSIONS_FAULT_H
#define FP_EXPRESSIONS_FAULT_H

#include "expressions/gpu.h"

#include <stdatomic.h>

/* A failure, shared by the arrays that carry it. */
struct fp_fault {
    unsigned references;
    gpu_status status;
    const char *text;
    const char *log; /* "" unless the compiler refused a program */
    const char *source;
};

/* The fault of a node or an array. It is set once, under the gpu's lock, and read without it. */
typedef _Atomic(fp_fault *) fp_fault_slot;

/* A fault of this thread's last failure. It is the gpu's last fault if that says the same, and an immortal one when
 * memory runs out. */
fp_fault *fp_fault_new(gpu *g);
/* Sets a slot, unless it is set; takes over the reference. */
void fp_fault_set(fp_fault_slot *slot, fp_fault *fault);
fp_fault *fp_fault_of(const fp_fault_slot *slot);
/* Makes it this thread's failure again. */
gpu_status fp_fault_fail(const fp_fault *fault);
void fp_fault_drop(fp_fault *fault);

#endif
