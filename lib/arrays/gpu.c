#include "expressions/gpu.h"

#include "arrays/array.h"
#include "arrays/compiled.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/switch.h"
#include "expressions/counter.h"
#include "expressions/deferred.h"
#include "planning/plan.h"
#include "planning/schedule.h"
#include "planning/sequence.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening and closing ---- */

/* FIREPILE_TRACE=1 writes to stderr, anything else names a file to append to. */
static FILE *open_trace(void)
{
    const char *trace = getenv("FIREPILE_TRACE");
    if (!trace || !*trace || !strcmp(trace, "0")) return NULL;
    return strcmp(trace, "1") != 0 ? fopen(trace, "a") : stderr;
}

static gpu_status make_ticket(gpu *g)
{
    static const uint32_t zeros[FP_ZEROS];
    gpu_status status = fp_buffer_new(g->device, sizeof zeros, &g->ticket);
    return status ? status : fp_buffer_upload(g->ticket, 0, zeros, sizeof zeros);
}

/* Takes over `device`, which is NULL if opening it failed. */
static gpu *gpu_new(fp_device *device)
{
    if (!device) return NULL;
    gpu *g = fp_alloc(sizeof *g);
    if (!g) {
        fp_device_close(device);
        fp_fail_memory();
        return NULL;
    }
    pthread_mutex_init(&g->lock, NULL);
    g->device = device;
    g->capabilities = fp_device_capabilities(device);
    g->root.g = g;
    g->eager = fp_is_on("FIREPILE_VERIFY") || fp_is_on("FIREPILE_EAGER");
    g->verify = fp_is_on("FIREPILE_VERIFY") && !g->capabilities->host;
    g->trace = open_trace();
    fp_device_time_calls(device, g->trace != NULL);
    gpu_status status = fp_policy_choose(g->capabilities, &g->policy);
    if (g->verify) g->policy.host_max = 0;
    if (!status && !g->policy.cpu) fp_device_pretend_host_visible(device);
    if (!status) status = fp_kernels_open(&g->kernels, device, &g->policy, g->trace);
    if (!status && !make_ticket(g)) return g;
    gpu_close(g);
    return NULL;
}

static gpu *opened(gpu *g)
{
    if (!g) fp_note_no_gpu();
    return g;
}

gpu *gpu_open(const char *selector)
{
    fp_device *device = NULL;
    fp_enter("gpu_open", NULL);
    return opened(fp_device_open(selector, &device) ? NULL : gpu_new(device));
}

gpu *fp_gpu_adopt(void *context, void *queue)
{
    fp_device *device = NULL;
    fp_enter("gpu_open_with", NULL);
    return opened(fp_device_adopt(context, queue, &device) ? NULL : gpu_new(device));
}

/* Sends the launches that are held back. Their arrays carry the fault if they fail. */
static void send_held(gpu *g)
{
    if (g->send) fp_hold(g->send, g);
    (void)fp_hold_end();
    (void)fp_hold_leave();
}

void fp_gpu_send(gpu *g)
{
    pthread_mutex_lock(&g->lock);
    send_held(g);
    pthread_mutex_unlock(&g->lock);
}

void gpu_close(gpu *g)
{
    if (!g) return;
    fp_enter("gpu_close", NULL);
    while (g->scopes) gpu_scope_end(g->scopes);
    pthread_mutex_lock(&g->lock);
    send_held(g);
    fp_scope_clear(&g->root);
    fp_compiled_free(g->compiled);
    fp_fault_drop(g->last_fault);
    fp_plan_free(g->plan);
    fp_buffer_drop(g->ticket);
    for (int k = 0; k < 2; k++) fp_buffer_drop(g->tile_status[k].buffer);
    fp_schedules_free(g);
    fp_sequence_free(g);
    fp_slabs_free(g);
    fp_kernels_close(&g->kernels);
    fp_snippets_free(&g->snippets);
    fp_free(g->checked_types);
    fp_device_close(g->device);
    if (g->trace && g->verify)
        fprintf(g->trace,
                "FIREPILE_VERIFY: compared %" PRIu64 " operations, could not compare %" PRIu64
                " launches, found %" PRIu64 " differences\n",
                g->checked, g->unchecked, g->different);
    if (g->trace && g->trace != stderr) fclose(g->trace);
    pthread_mutex_unlock(&g->lock);
    pthread_mutex_destroy(&g->lock);
    fp_free(g);
}

gpu_status gpu_finish(gpu *g)
{
    fp_entry entry = fp_entry_begin(g, "gpu_finish", NULL);
    if (!g) return fp_fail_no_gpu();
    gpu_status status = fp_deferred_all_check(g);
    fp_entry_unlock(&entry);
    return fp_entry_end(&entry, status ? status : fp_device_finish(g->device));
}

const char *gpu_device_name(const gpu *g)
{
    return g ? g->capabilities->name : "";
}

size_t gpu_devices(gpu_device_info *infos, size_t max)
{
    fp_enter("gpu_devices", NULL);
    return fp_device_list(infos, infos ? max : 0);
}

gpu_status gpu_get_stats(const gpu *g, gpu_stats *stats)
{
    fp_enter("gpu_get_stats", NULL);
    if (!stats) return fp_fail(GPU_E_ARGUMENT, "there is no room for the counters: stats is NULL");
    *stats = (gpu_stats){0};
    if (g) fp_gpu_send((gpu *)(uintptr_t)g);
    fp_device_stats(g ? g->device : NULL, stats);
    stats->kernels_found = g ? g->kernels.found : 0;
    stats->operations_verified = g ? g->checked : 0;
    stats->launches_unverified = g ? g->unchecked : 0;
    stats->live_arrays = g ? g->live_arrays : fp_live_arrays();
    return GPU_OK;
}
