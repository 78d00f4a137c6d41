#include "expressions/fault.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static fp_fault out_of_memory = {1, GPU_E_MEMORY, "the host is out of memory", "", ""};

/* Fault and texts are one block. */
static fp_fault *fault_alloc(void)
{
    const char *const texts[3] = {gpu_error(), gpu_error_log(), gpu_error_source()};
    const char *copies[3];
    size_t bytes[3], total = 0;
    for (int k = 0; k < 3; k++) total += bytes[k] = strlen(texts[k]) + 1;
    fp_fault *fault = fp_alloc(sizeof *fault + total);
    if (!fault) return &out_of_memory;
    char *at = (char *)(fault + 1);
    for (int k = 0; k < 3; at += bytes[k++]) copies[k] = memcpy(at, texts[k], bytes[k]);
    *fault = (fp_fault){1, fp_last_status(), copies[0], copies[1], copies[2]};
    return fault;
}

gpu_status fp_fault_fail(const fp_fault *fault)
{
    fp_fail_again(fault->status, fault->text);
    if (*fault->source) fp_fail_log(fault->log, fault->source);
    return fault->status;
}

/* Arrays that are made from an array in error share its fault, so the last one is kept. */
fp_fault *fp_fault_new(gpu *g)
{
    fp_fault *last = g->last_fault;
    if (!last || last->status != fp_last_status() || strcmp(last->text, gpu_error()) != 0) {
        fp_fault_drop(last);
        g->last_fault = fault_alloc();
    }
    if (g->last_fault != &out_of_memory) g->last_fault->references++;
    return g->last_fault;
}

void fp_fault_set(fp_fault_slot *slot, fp_fault *fault)
{
    fp_fault *none = NULL;
    if (!atomic_compare_exchange_strong(slot, &none, fault)) fp_fault_drop(fault);
}

fp_fault *fp_fault_of(const fp_fault_slot *slot)
{
    return atomic_load_explicit(slot, memory_order_acquire);
}

void fp_fault_drop(fp_fault *fault)
{
    if (fault && fault != &out_of_memory && --fault->references == 0) fp_free(fault);
}
