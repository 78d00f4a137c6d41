#include "ops/two.h"

#include "arrays/array.h"
#include "base/error.h"

gpu_status fp_two_check(gpu_array **one, gpu_array **two)
{
    return one && two ? GPU_OK : fp_fail(GPU_E_ARGUMENT, "an output pointer is NULL: both arrays are made");
}

gpu_status fp_two_end(fp_entry *entry, fp_task *task, gpu_status status, gpu_array **one, gpu_array **two)
{
    gpu_array *arrays[2];
    fp_node *nodes[FP_RESULTS] = {NULL};
    status = fp_task_end(task, status, nodes);
    for (int k = 0; k < 2; k++) {
        arrays[k] = fp_array_new(entry->g, nodes[k]);
        if (!status) status = gpu_array_status(arrays[k]);
    }
    if (one) *one = arrays[0];
    if (two) *two = arrays[1];
    return fp_entry_end(entry, status);
}
