#include "support/host.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static char vendors[TEST_PATH];

/* The loader looks into the folder at the first OpenCL call of the process. One that is not there makes some loaders
 * look elsewhere. */
void test_host_begin(void)
{
    test_folder_make(vendors);
    setenv("OCL_ICD_VENDORS", vendors, 1);
    unsetenv("FIREPILE_DEVICE");
}

void test_host_end(void)
{
    test_folder_remove(vendors);
}

gpu *test_open_host(void)
{
    gpu *g = gpu_open("host");
    cr_assert(g, "%s", gpu_error());
    return g;
}

size_t test_host_sizes(void)
{
    size_t count = 0;
    while (test_sizes[count] <= test_limit(70000)) count++;
    return count;
}

/* Where memory was given back and asked for again, an allocation that failed is no failure. */
void test_host_faults(gpu_status (*program)(void *), void *want, void *got, size_t bytes)
{
    unsigned long k = 0, failures = 0;
    test_ok(program(want));
    for (bool done = false; !done;) {
        memset(got, 0, bytes);
        fp_memory_fail_at(++k);
        gpu_status status = program(got);
        done = fp_memory_fail_at(0) > 0;
        test_nothing_lives("after a fault");
        cr_assert(!status || (!done && (status == GPU_E_MEMORY || status == GPU_E_ARGUMENT)), "%lu: %s", k,
                  gpu_error());
        cr_assert(status || memcmp(got, want, bytes) == 0, "%lu: no failure, and wrong", k);
        failures += status != GPU_OK;
    }
    cr_assert(k > 60 && failures > 30, "%lu allocations, %lu failures", k, failures);
}
