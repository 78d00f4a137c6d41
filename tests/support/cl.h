/* What the tests of lib/cl share. */
#ifndef TEST_SUPPORT_CL_H
#define TEST_SUPPORT_CL_H

#include "support/support.h"

#include "cl/internal.h"

#include <string.h>

static inline gpu_stats stats_of(fp_device *device)
{
    gpu_stats stats = {0};
    fp_device_stats(device, &stats);
    return stats;
}

static inline void ok(gpu_status status)
{
    cr_assert_eq(status, GPU_OK, "%s", gpu_error());
}

static inline void fails(gpu_status status, gpu_status expected, const char *part)
{
    cr_assert_eq(status, expected, "%s, not %s: %s", gpu_status_name(status), gpu_status_name(expected), gpu_error());
    cr_assert(strstr(gpu_error(), part), "\"%s\" is not in: %s", part, gpu_error());
}

static inline fp_device *opened(void)
{
    fp_device *device = NULL;
    ok(fp_device_open(NULL, &device));
    return device;
}

static inline void nothing_lives(void)
{
    gpu_stats stats = stats_of(NULL);
    cr_assert_eq(stats.live_gpus, 0);
    cr_assert_eq(stats.live_buffers, 0);
    cr_assert_eq(stats.live_programs, 0);
    cr_assert_eq(stats.live_kernels, 0);
}

static inline void closed(fp_device *device)
{
    fp_device_close(device);
    nothing_lives();
}

static inline fp_buffer *buffer_of(fp_device *device, size_t bytes)
{
    fp_buffer *buffer = NULL;
    ok(fp_buffer_new(device, bytes, &buffer));
    cr_assert_geq(fp_buffer_bytes(buffer), bytes);
    return buffer;
}

#endif
