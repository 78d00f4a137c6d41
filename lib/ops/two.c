#include "ops/two.h"

#include "base/error.h"

gpu_status fp_two_check(gpu_array **one, gpu_array **two)
{
    return one && two ? GPU_OK : fp_fail(GPU_E_ARGUMENT, "an output pointer is NULL: both arrays are made");
}

gpu_status fp_two_end(fp_entry *entry, gpu_status status, fp_node *const *nodes, gpu_array **one, gpu_array **two)
{
    gpu_array *arrays[2];
    for (int k = 0; k < 2; k++) {
        if (status) fp_node_drop(nodes[k]);
        arrays[k] = fp_array_new(entry->g, status ? NULL : nodes[k]);
        if (!status) status = gpu_array_status(arrays[k]);
    }
    if (one) *one = arrays[0];
    if (two) *two = arrays[1];
    return fp_entry_end(entry, status);
}
