#include "array/gpu.h"

#include "array/array.h"
#include "array/cell.h"
#include "array/compiled.h"
#include "array/plan.h"
#include "array/risk.h"
#include "base/error.h"
#include "base/memory.h"
#include "host/host.h"
#include "kernel/layout.h"
#include "kernel/type.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- opening and closing ---- */

static bool is_on(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

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
    g->facts = fp_device_facts(device);
    g->root.g = g;
    g->eager = is_on("FIREPILE_VERIFY") || is_on("FIREPILE_EAGER");
    g->verify = is_on("FIREPILE_VERIFY") && !g->facts->host;
    g->trace = open_trace();
    fp_device_time_calls(device, g->trace != NULL);
    gpu_status status = fp_policy_choose(g->facts, &g->policy);
    if (g->verify) g->policy.small = 0;
    if (!status) status = fp_host_new(&g->side);
    if (g->facts->host) g->host = g->side;
    if (!status && g->facts->cpu && !g->policy.cpu) fp_device_pretend_near(device);
    if (!status) status = fp_kernels_open(&g->kernels, device, &g->policy, g->trace);
    if (!status && !make_ticket(g)) return g;
    gpu_close(g);
    return NULL;
}

/* Programs often go on with the NULL that gpu_open gave them: what then fails repeats the reason. */
static _Thread_local char why_null[1024] = "gpu_open failed, or was not called";

gpu_status fp_fail_no_gpu(void)
{
    return fp_fail(GPU_E_ARGUMENT, "the gpu or an array is NULL: %s", why_null);
}

static gpu *opened(gpu *g)
{
    if (!g) snprintf(why_null, sizeof why_null, "%s", gpu_error());
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

void gpu_close(gpu *g)
{
    if (!g) return;
    while (g->scopes) gpu_scope_end(g->scopes);
    pthread_mutex_lock(&g->lock);
    fp_scope_clear(&g->root);
    fp_compiled_free(g->compiled);
    fp_fault_drop(g->last_fault);
    fp_plan_free(g->plan);
    fp_buffer_drop(g->ticket);
    for (int k = 0; k < 2; k++) fp_buffer_drop(g->flags[k].buffer);
    fp_slabs_free(g);
    fp_kernels_close(&g->kernels);
    fp_snippets_free(&g->snippets);
    fp_host_free(g->side);
    for (size_t k = 0; k < g->made_count; k++) fp_free(g->made_types[k]);
    fp_free(g->made_types);
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
    gpu_status status = fp_risks_check(g);
    fp_entry_unlock(&entry);
    return fp_entry_end(&entry, status ? status : fp_device_finish(g->device));
}

const char *gpu_device_name(const gpu *g)
{
    return g ? g->facts->name : "";
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
    fp_device_stats(g ? g->device : NULL, stats);
    stats->kernels_found = g ? g->kernels.found : 0;
    stats->operations_verified = g ? g->checked : 0;
    stats->launches_unverified = g ? g->unchecked : 0;
    stats->live_arrays = g ? g->live_arrays : fp_live_arrays();
    return GPU_OK;
}

/* ---- one call ---- */

fp_entry fp_entry_begin(gpu *g, const char *operation, const gpu_place *place)
{
    fp_enter(operation, place);
    fp_entry entry = {.g = g};
    if (!g) return entry;
    pthread_mutex_lock(&g->lock);
    entry.locked = true;
    if (g->trace) {
        fp_device_stats(g->device, &entry.before);
        entry.host_runs = fp_host_runs(g->side);
        entry.start_ns = now_ns();
    }
    return entry;
}

void fp_entry_unlock(fp_entry *entry)
{
    if (entry->locked) pthread_mutex_unlock(&entry->g->lock);
    entry->locked = false;
}

void fp_entry_relock(fp_entry *entry)
{
    if (entry->g && !entry->locked) pthread_mutex_lock(&entry->g->lock);
    entry->locked = entry->g != NULL;
}

/* Where the work was done: kernels on the device, or runs in plain C on the host. */
static void trace_runs(const fp_entry *entry, const gpu_stats *now, char *out, size_t room)
{
    const gpu_stats *before = &entry->before;
    const gpu *g = entry->g;
    uint64_t runs = fp_host_runs(g->side) - entry->host_runs;
    int at = g->host ? 0
                     : snprintf(out, room, "kernels %" PRIu64 ", built %" PRIu64 ", loaded %" PRIu64 "%s",
                                now->kernels_launched - before->kernels_launched,
                                now->programs_built - before->programs_built,
                                now->programs_loaded - before->programs_loaded, runs ? ", " : "");
    if (g->host || runs) at += snprintf(out + at, room - (size_t)at, "on the host: runs %" PRIu64, runs);
    if (!g->host && runs && !g->verify)
        snprintf(out + at, room - (size_t)at, " of at most %zu elements", g->policy.small);
    if (!g->host && runs && g->verify) snprintf(out + at, room - (size_t)at, " to compare");
}

static void trace(const fp_entry *entry, gpu_status status)
{
    gpu_stats now = {0};
    uint64_t ns = now_ns() - entry->start_ns;
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
    if (entry->g && entry->g->trace) trace(entry, status);
    fp_entry_unlock(entry);
    return status;
}

/* ---- types ---- */

static bool is_checked(const gpu *g, gpu_type type)
{
    for (size_t k = 0; k < g->checked_count; k++)
        if (g->checked_types[k] == type) return true;
    return false;
}

static gpu_status check_layout(gpu *g, gpu_type type)
{
    fp_layout *layout;
    gpu_status status = fp_layout_parse(type, &layout);
    if (status) return status;
    if (fp_layout_has_double(layout) && !g->facts->has_double)
        status = fp_fail(GPU_E_TYPE, "struct %s has a double, and the device %s has none", type->name, g->facts->name);
    if (!status) status = fp_layout_check(layout, type);
    fp_layout_free(layout);
    if (status) return status;
    gpu_type *grown = fp_resize(g->checked_types, (g->checked_count + 1) * sizeof(gpu_type));
    if (!grown) return fp_fail_memory();
    g->checked_types = grown;
    grown[g->checked_count++] = type;
    return GPU_OK;
}

gpu_status fp_gpu_check_type(gpu *g, gpu_type type)
{
    gpu_status status = fp_device_check(g->device);
    if (status) return status;
    if (!type) return fp_fail(GPU_E_ARGUMENT, "the element type is NULL: GPU_FLOAT, GPU_TYPE(name), ...");
    if (type == GPU_CAPTURE_ARRAY) return fp_fail(GPU_E_TYPE, "GPU_CAPTURE_ARRAY is no element type");
    if (fp_type_refused(type)) return fp_fail(GPU_E_TYPE, "no array has elements of the type %s", type->name);
    if (type->kind == GPU_KIND_STRUCT) return is_checked(g, type) ? GPU_OK : check_layout(g, type);
    if (fp_type_is_double(type) && !g->facts->has_double)
        return fp_fail(GPU_E_TYPE, "the device %s has no double: use GPU_FLOAT", g->facts->name);
    return GPU_OK;
}

static size_t align_up(size_t bytes, size_t align)
{
    return (bytes + align - 1) / align * align;
}

/* A struct type in the making: its members' text, the bytes so far, its alignment. */
typedef struct members {
    fp_text text;
    size_t size;
    size_t align;
} members;

static void add_member(members *m, gpu_type type, const char *name, unsigned number)
{
    bool vector = type->kind != GPU_KIND_STRUCT && type->width > 1;
    fp_text_print(&m->text, "%s%s %s%u; ", vector ? "gpu_" : "", type->name, name, number);
    m->size = align_up(m->size, type->align) + type->size;
    if (type->align > m->align) m->align = type->align;
}

/* The description and its texts are one block. The C file of `unit` is where struct members are defined. */
static gpu_type_info *new_type(const char *prefix, const members *m, const void *unit)
{
    size_t name_bytes = strlen(prefix) + 1, text_bytes = m->text.length + 1;
    gpu_type_info *type = m->text.failed ? NULL : fp_alloc(sizeof *type + name_bytes + text_bytes);
    if (!type) return NULL;
    char *texts = (char *)(type + 1);
    memcpy(texts, prefix, name_bytes);
    memcpy(texts + name_bytes, m->text.bytes, text_bytes);
    *type = (gpu_type_info){.name = texts,
                            .size = align_up(m->size, m->align),
                            .align = m->align,
                            .kind = GPU_KIND_STRUCT,
                            .width = 1,
                            .members = texts + name_bytes,
                            .unit = unit};
    return type;
}

/* The one type of the gpu that says the same; takes over the members. */
static gpu_type made_type(gpu *g, const char *name, members *m, const void *unit)
{
    gpu_type_info *type = new_type(name, m, unit);
    fp_text_free(&m->text);
    for (size_t k = 0; type && k < g->made_count; k++) {
        if (!gpu_type_equal(g->made_types[k], type) || g->made_types[k]->unit != type->unit) continue;
        fp_free(type);
        return g->made_types[k];
    }
    gpu_type_info **grown = type ? fp_resize(g->made_types, (g->made_count + 1) * sizeof *grown) : NULL;
    if (!grown) {
        fp_free(type);
        fp_fail_memory();
        return NULL;
    }
    g->made_types = grown;
    return grown[g->made_count++] = type;
}

gpu_type fp_gpu_tuple_type(gpu *g, gpu_type element, unsigned count, bool marked)
{
    members m = {.size = 0};
    for (unsigned k = 0; k < count; k++) add_member(&m, element, "v", k);
    if (marked) add_member(&m, GPU_UINT, "kept", 0);
    return made_type(g, "fp_tuple", &m, element->unit);
}

size_t fp_tuple_mark(gpu_type element, unsigned count)
{
    return align_up(count * element->size, GPU_UINT->align);
}

gpu_type fp_gpu_pair_type(gpu *g, gpu_type v, gpu_type w, bool marked)
{
    members m = {.size = 0};
    add_member(&m, v, "v", 0);
    add_member(&m, w, "w", 0);
    if (marked) add_member(&m, GPU_UINT, "mark", 0);
    return made_type(g, "fp_pair", &m, v->unit);
}

size_t fp_pair_second(gpu_type v, gpu_type w)
{
    return align_up(v->size, w->align);
}

size_t fp_pair_mark(gpu_type v, gpu_type w)
{
    return align_up(fp_pair_second(v, w) + w->size, GPU_UINT->align);
}
