#include "array/gpu.h"

#include "array/array.h"
#include "array/cell.h"
#include "array/compiled.h"
#include "array/plan.h"
#include "array/risk.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/switch.h"
#include "kernel/definition.h"
#include "kernel/layout.h"
#include "kernel/type.h"

#include <inttypes.h>
#include <stdatomic.h>
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
    g->facts = fp_device_facts(device);
    g->root.g = g;
    g->eager = fp_is_on("FIREPILE_VERIFY") || fp_is_on("FIREPILE_EAGER");
    g->verify = fp_is_on("FIREPILE_VERIFY") && !g->facts->host;
    g->trace = open_trace();
    fp_device_time_calls(device, g->trace != NULL);
    gpu_status status = fp_policy_choose(g->facts, &g->policy);
    if (g->verify) g->policy.small = 0;
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
    fp_enter("gpu_close", NULL);
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
        entry.host_runs = g->host_runs;
        entry.start_ns = fp_now_ns();
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
    uint64_t runs = g->host_runs - entry->host_runs;
    int at = g->facts->host ? 0
                            : snprintf(out, room, "kernels %" PRIu64 ", built %" PRIu64 ", loaded %" PRIu64 "%s",
                                       now->kernels_launched - before->kernels_launched,
                                       now->programs_built - before->programs_built,
                                       now->programs_loaded - before->programs_loaded, runs ? ", " : "");
    if (g->facts->host || runs) at += snprintf(out + at, room - (size_t)at, "on the host: runs %" PRIu64, runs);
    if (!g->facts->host && runs && !g->verify)
        snprintf(out + at, room - (size_t)at, " of at most %zu elements", g->policy.small);
    if (!g->facts->host && runs && g->verify) snprintf(out + at, room - (size_t)at, " to compare");
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
    if (entry->g && entry->g->trace) trace(entry, status);
    fp_entry_unlock(entry);
    fp_leave();
    return status;
}

/* ---- types ---- */

/* Texts are compared too: another description may have come to where one was. */
static bool is_checked(const fp_checked_type *c, gpu_type type, unsigned long generation)
{
    return c->given == type && c->generation == generation && c->unit == type->unit && type->members &&
           c->kept->size == type->size && c->kept->align == type->align && !strcmp(c->kept->name, type->name) &&
           !strcmp(c->kept->members, type->members);
}

static gpu_status check_double(gpu *g, gpu_type type)
{
    fp_layout *layout;
    gpu_status status = fp_layout_parse(type, &layout);
    if (status) return status;
    if (fp_layout_has_double(layout) && !g->facts->has_double)
        status = fp_fail(GPU_E_TYPE, "struct %s has a double, and the device %s has none", type->name, g->facts->name);
    if (!status) status = fp_layout_check(layout, type);
    fp_layout_free(layout);
    return status;
}

/* Where what is known of `type` stands, or will. */
static fp_checked_type *checked_entry(gpu *g, gpu_type type)
{
    for (size_t k = 0; k < g->checked_count; k++)
        if (g->checked_types[k].given == type) return &g->checked_types[k];
    fp_checked_type *grown = fp_resize(g->checked_types, (g->checked_count + 1) * sizeof *grown);
    if (!grown) return NULL;
    g->checked_types = grown;
    return &grown[g->checked_count];
}

static gpu_status check_struct(gpu *g, gpu_type *type)
{
    const unsigned long generation = fp_definition_generation();
    fp_checked_type *entry = checked_entry(g, *type);
    gpu_type kept;
    if (!entry) return fp_fail_memory();
    bool is_new = entry == &g->checked_types[g->checked_count];
    if (is_new || !is_checked(entry, *type, generation)) {
        gpu_status status = fp_type_keep(*type, &kept);
        if (!status) status = check_double(g, kept);
        if (status) return status;
        *entry = (fp_checked_type){*type, (*type)->unit, generation, kept};
        g->checked_count += is_new;
    }
    *type = entry->kept;
    return GPU_OK;
}

gpu_status fp_gpu_check_type(gpu *g, gpu_type *of)
{
    gpu_type type = *of;
    gpu_status status = fp_device_check(g->device);
    if (status) return status;
    if (!type) return fp_fail(GPU_E_ARGUMENT, "the element type is NULL: GPU_FLOAT, GPU_TYPE(name), ...");
    if (type == GPU_CAPTURE_ARRAY) return fp_fail(GPU_E_TYPE, "GPU_CAPTURE_ARRAY is no element type");
    if (fp_type_refused(type)) return fp_fail(GPU_E_TYPE, "no array has elements of the type %s", type->name);
    if (type->kind == GPU_KIND_STRUCT) return check_struct(g, of);
    if (fp_type_is_double(type) && !g->facts->has_double)
        return fp_fail(GPU_E_TYPE, "the device %s has no double: use GPU_FLOAT", g->facts->name);
    return GPU_OK;
}

static size_t align_up(size_t bytes, size_t align)
{
    return (bytes + align - 1) / align * align;
}

/* A struct type in the making: its members' text, the structs among their types, the bytes so far, its alignment. */
typedef struct members {
    fp_text text;
    gpu_type inner[2];
    size_t inner_count;
    size_t size;
    size_t align;
} members;

/* The place of a member's struct type among those of the others. */
static size_t place_of(members *m, gpu_type type)
{
    size_t k = 0;
    while (k < m->inner_count && m->inner[k] != type) k++;
    if (k == m->inner_count) m->inner[m->inner_count++] = type;
    return k;
}

static void add_member(members *m, gpu_type type, const char *name, unsigned number)
{
    if (type->kind == GPU_KIND_STRUCT)
        fp_text_print(&m->text, "fp_%zu %s%u; ", place_of(m, type), name, number);
    else
        fp_text_print(&m->text, "%s%s %s%u; ", type->width > 1 ? "gpu_" : "", type->name, name, number);
    m->size = align_up(m->size, type->align) + type->size;
    if (type->align > m->align) m->align = type->align;
}

/* Frees the members' text. */
static gpu_type made_type(const char *name, members *m)
{
    gpu_type type = NULL;
    const gpu_type_info info = {.name = name,
                                .size = align_up(m->size, m->align),
                                .align = m->align,
                                .kind = GPU_KIND_STRUCT,
                                .width = 1,
                                .members = fp_text_string(&m->text)};
    if (m->text.failed)
        fp_fail_memory();
    else if (fp_type_make(&info, m->inner, m->inner_count, &type))
        type = NULL;
    fp_text_free(&m->text);
    return type;
}

gpu_type fp_tuple_type(gpu_type element, unsigned count, bool marked)
{
    members m = {.size = 0};
    for (unsigned k = 0; k < count; k++) add_member(&m, element, "v", k);
    if (marked) add_member(&m, GPU_UINT, "kept", 0);
    return made_type("fp_tuple", &m);
}

size_t fp_tuple_mark(gpu_type element, unsigned count)
{
    return align_up(count * element->size, GPU_UINT->align);
}

gpu_type fp_pair_type(gpu_type v, gpu_type w, bool marked)
{
    members m = {.size = 0};
    add_member(&m, v, "v", 0);
    add_member(&m, w, "w", 0);
    if (marked) add_member(&m, GPU_UINT, "mark", 0);
    return made_type("fp_pair", &m);
}

size_t fp_pair_second(gpu_type v, gpu_type w)
{
    return align_up(v->size, w->align);
}

size_t fp_pair_mark(gpu_type v, gpu_type w)
{
    return align_up(fp_pair_second(v, w) + w->size, GPU_UINT->align);
}
