#include "expressions/handle.h"

#include "base/error.h"
#include "expressions/entry.h"

fp_fault fp_fault_no_gpu = {1, GPU_E_ARGUMENT,
                            "the array was made on a NULL gpu or from a NULL array: gpu_open failed?", "", ""};
fp_fault fp_fault_no_memory = {1, GPU_E_MEMORY, "the host is out of memory", "", ""};
gpu_array fp_array_no_gpu = {.fault = &fp_fault_no_gpu};
gpu_array fp_array_no_memory = {.fault = &fp_fault_no_memory};

gpu *fp_array_gpu(const gpu_array *a)
{
    return a ? a->g : NULL;
}

static const fp_fault *fault_of(const gpu_array *a)
{
    const fp_fault *own = fp_fault_of(&a->fault);
    return own || !a->node ? own : fp_fault_of(&a->node->fault);
}

/* Does it carry no failure? */
static gpu_status check_fault(const gpu_array *a, const char *which)
{
    if (!a) return fp_fail(GPU_E_ARGUMENT, "the array '%s' is NULL", which);
    const fp_fault *fault = fault_of(a);
    if (fault == &fp_fault_no_gpu) return fp_fail_no_gpu();
    return fault ? fp_fault_fail(fault) : GPU_OK;
}

gpu_status fp_array_accept(const gpu_array *a, const char *which)
{
    gpu_status status = check_fault(a, which);
    return status ? status : fp_device_check(a->g->device);
}

gpu_status fp_array_check(const gpu_array *a, const char *which)
{
    gpu_status status = fp_array_accept(a, which);
    if (status || a->node->kind != FP_NODE_SYMBOL) return status;
    return fp_fail(GPU_E_ARGUMENT,
                   "the array '%s' is a symbol or made of one, and has elements only in calls of the function that "
                   "gpu_compile makes of it; gpu_reduced is gpu_reduce for such arrays",
                   which);
}

gpu_status gpu_array_status(const gpu_array *a)
{
    if (!a) return GPU_E_ARGUMENT;
    const fp_fault *fault = fault_of(a);
    return fault ? fault->status : GPU_OK;
}

const char *gpu_array_error(const gpu_array *a)
{
    if (!a) return "the array is NULL";
    const fp_fault *fault = fault_of(a);
    return fault ? fault->text : "";
}

gpu_type gpu_type_of(const gpu_array *a)
{
    fp_enter("gpu_type_of", NULL);
    return check_fault(a, "a") ? NULL : a->node->type;
}
