#include "expressions/entry.h"

#include "base/clock.h"
#include "base/error.h"

#include <inttypes.h>

/* The thread with the lock holds the launches that are held back. */
static void lock(fp_entry *entry)
{
    pthread_mutex_lock(&entry->g->lock);
    if (entry->g->send) fp_hold(entry->g->send, entry->g);
    entry->locked = true;
}

static void unlock(fp_entry *entry)
{
    if (entry->locked) pthread_mutex_unlock(&entry->g->lock);
    entry->locked = false;
}

fp_entry fp_entry_begin(gpu *g, const char *operation, const gpu_place *place)
{
    fp_enter(operation, place);
    fp_entry entry = {.g = g};
    if (!g) return entry;
    lock(&entry);
    if (g->trace) {
        fp_device_stats(g->device, &entry.before);
        entry.host_runs = g->host_runs;
        entry.start_ns = fp_now_ns();
    }
    return entry;
}

void fp_entry_unlock(fp_entry *entry)
{
    (void)fp_hold_end();
    unlock(entry);
}

void fp_entry_relock(fp_entry *entry)
{
    if (entry->g && !entry->locked) lock(entry);
}

/* The work that was done: kernels on the device, or runs in plain C on the host. */
static void trace_runs(const fp_entry *entry, const gpu_stats *now, char *out, size_t room)
{
    const gpu_stats *before = &entry->before;
    const gpu *g = entry->g;
    uint64_t runs = g->host_runs - entry->host_runs;
    int at = g->capabilities->host ? 0
                                   : snprintf(out, room, "kernels %" PRIu64 ", built %" PRIu64 ", loaded %" PRIu64 "%s",
                                              now->kernels_launched - before->kernels_launched,
                                              now->programs_built - before->programs_built,
                                              now->programs_loaded - before->programs_loaded, runs ? ", " : "");
    if (g->capabilities->host || runs) at += snprintf(out + at, room - (size_t)at, "on the host: runs %" PRIu64, runs);
    if (!g->capabilities->host && runs && !g->verify)
        snprintf(out + at, room - (size_t)at, " of at most %zu elements", g->policy.host_max);
    if (!g->capabilities->host && runs && g->verify) snprintf(out + at, room - (size_t)at, " to compare");
}

static void trace(const fp_entry *entry, gpu_status status)
{
    gpu_stats now = {0};
    uint64_t ns = fp_now_ns() - entry->start_ns;
    fp_device_stats(entry->g->device, &now);
    uint64_t driver_ns = now.driver_ns - entry->before.driver_ns;
    char place[512], runs[256];
    fp_place_text(place, sizeof place);
    trace_runs(entry, &now, runs, sizeof runs);
    fprintf(entry->g->trace,
            "%s%s: %s, driver %.3f ms, host %.3f ms, waits %" PRIu64 ", up %" PRIu64 " B, down %" PRIu64
            " B, buffers %" PRIu64 "+%" PRIu64 "%s%s\n",
            place, fp_operation(), runs, (double)driver_ns * 1e-6, (double)(ns > driver_ns ? ns - driver_ns : 0) * 1e-6,
            now.waits - entry->before.waits, now.bytes_uploaded - entry->before.bytes_uploaded,
            now.bytes_downloaded - entry->before.bytes_downloaded, now.buffers_created - entry->before.buffers_created,
            now.buffers_reused - entry->before.buffers_reused, status ? ", " : "",
            status ? gpu_status_name(status) : "");
}

gpu_status fp_entry_end(fp_entry *entry, gpu_status status)
{
    const gpu_status held = fp_hold_leave();
    if (!status) status = held;
    if (entry->g && entry->g->trace) trace(entry, status);
    unlock(entry);
    fp_leave();
    return status;
}

gpu_status fp_fail_text(gpu_status status, fp_text *text)
{
    status = text->failed ? fp_fail_memory() : fp_fail(status, "%s", text->bytes);
    fp_text_free(text);
    return status;
}

/* Programs often go on with the NULL of gpu_open. Later failures repeat the reason. */
static _Thread_local char why_null[1024] = "gpu_open failed, or was not called";

void fp_note_no_gpu(void)
{
    snprintf(why_null, sizeof why_null, "%s", gpu_error());
}

gpu_status fp_fail_no_gpu(void)
{
    return fp_fail(GPU_E_ARGUMENT, "the gpu or an array is NULL: %s", why_null);
}
