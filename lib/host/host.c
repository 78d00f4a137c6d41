#include "host/internal.h"

#include "base/error.h"
#include "base/memory.h"

gpu_status fp_host_new(fp_host **out)
{
    *out = fp_alloc(sizeof **out);
    return *out ? GPU_OK : fp_fail_memory();
}

void fp_host_free(fp_host *host)
{
    if (!host) return;
    fp_signatures_free(&host->signatures);
    fp_free(host);
}

uint64_t fp_host_runs(const fp_host *host)
{
    return host ? host->runs : 0;
}

gpu_status fp_host_fail(const char *operation)
{
    return fp_fail(GPU_E_DEVICE, "the host device does not have %s yet: open an OpenCL device for it", operation);
}
