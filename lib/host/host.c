#include "host/internal.h"

#include "base/error.h"

#include <string.h>

void fp_deferred_report(const fp_deferred *deferred, size_t position)
{
    fp_counter counter = fp_deferred_counter(deferred);
    uint64_t *counters = fp_buffer_memory(fp_counter_buffer(counter));
    if (!counters) return; /* the device has reported it */
    uint32_t *seen = (uint32_t *)(counters + counter.index);
    uint32_t wrong = ~(uint32_t)(position < UINT32_MAX - 1 ? position : UINT32_MAX - 1);
    if (wrong > *seen) *seen = wrong;
}

gpu_status fp_host_fail(const char *operation)
{
    return fp_fail(GPU_E_DEVICE, "the host device does not have %s yet: open an OpenCL device for it", operation);
}
