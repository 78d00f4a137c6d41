#include "host/internal.h"

#include "base/error.h"

#include <string.h>

void fp_deferred_report(const fp_deferred *deferred, size_t position)
{
    fp_cell cell = fp_deferred_cell(deferred);
    uint64_t *cells = fp_buffer_memory(fp_cell_buffer(cell));
    if (!cells) return; /* the device has reported it */
    uint32_t *seen = (uint32_t *)(cells + cell.index);
    uint32_t wrong = ~(uint32_t)(position < UINT32_MAX - 1 ? position : UINT32_MAX - 1);
    if (wrong > *seen) *seen = wrong;
}

gpu_status fp_host_fail(const char *operation)
{
    return fp_fail(GPU_E_DEVICE, "the host device does not have %s yet: open an OpenCL device for it", operation);
}
