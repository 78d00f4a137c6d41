#include "cl/internal.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct candidate {
    cl_device_id id;
    gpu_device_info info;
} candidate;

typedef struct candidates {
    candidate *items;
    size_t count;
} candidates;

/* The caller's selector, and where it came from. */
typedef struct request {
    const char *text;
    const char *origin; /* "" or "FIREPILE_DEVICE=" */
} request;

static const char *const kind_names[] = {
    [GPU_DEVICE_CPU] = "cpu", [GPU_DEVICE_GPU] = "gpu", [GPU_DEVICE_ACCELERATOR] = "accelerator"};
static const gpu_device_kind best_first[] = {GPU_DEVICE_GPU, GPU_DEVICE_ACCELERATOR, GPU_DEVICE_CPU};
enum { KINDS = sizeof best_first / sizeof *best_first };

#define INSTALL "for the CPU install pocl-opencl-icd, for a GPU its vendor's driver (NVIDIA: nvidia-opencl-icd)"
#define CHECK_CACHE "if PoCL is installed, its cache ($POCL_CACHE_DIR, $XDG_CACHE_HOME or $HOME) must be writable"

/* A device that does not answer everything can still be chosen by its index. */
static gpu_device_info describe(cl_device_id id)
{
    fp_capabilities told = {.host = false};
    gpu_device_info info = {.has_double = false};
    (void)fp_device_ask(NULL, id, &info.kind, &told);
    snprintf(info.name, sizeof info.name, "%.*s", (int)sizeof info.name - 1, told.name);
    snprintf(info.driver, sizeof info.driver, "%.*s", (int)sizeof info.driver - 1, told.driver);
    snprintf(info.platform, sizeof info.platform, "%.*s", (int)sizeof info.platform - 1, told.platform);
    info.compute_units = (unsigned)told.compute_units;
    info.memory_bytes = told.memory_bytes;
    info.has_double = told.has_double;
    return info;
}

/* Appends the devices of a platform. A platform that cannot list its devices has none: another may serve. */
static gpu_status append_platform(candidates *found, cl_platform_id platform)
{
    cl_uint count = 0;
    cl_int code = FP_CL(NULL, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count));
    if (code != CL_SUCCESS || count == 0) return GPU_OK;
    candidate *items = fp_resize(found->items, (found->count + count) * sizeof *items);
    if (!items) return fp_fail_memory();
    found->items = items;
    cl_device_id *ids = fp_alloc_array(count, sizeof *ids);
    if (!ids) return fp_fail_memory();
    code = FP_CL(NULL, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids, NULL));
    for (cl_uint k = 0; code == CL_SUCCESS && k < count; k++)
        items[found->count++] = (candidate){ids[k], describe(ids[k])};
    fp_free(ids);
    return GPU_OK;
}

static gpu_status fail_no_platform(cl_int code)
{
    return fp_fail(GPU_E_DEVICE,
                   "no OpenCL platform was found (clGetPlatformIDs: %s (%d)); " INSTALL "; " CHECK_CACHE
                   "; the device \"host\" needs none",
                   fp_code_name(code), code);
}

static gpu_status append_all(candidates *found)
{
    cl_uint count = 0;
    cl_int code = FP_CL(NULL, clGetPlatformIDs(0, NULL, &count));
    if (code != CL_SUCCESS || count == 0) return fail_no_platform(code);
    cl_platform_id *platforms = fp_alloc_array(count, sizeof *platforms);
    if (!platforms) return fp_fail_memory();
    code = FP_CL(NULL, clGetPlatformIDs(count, platforms, NULL));
    gpu_status status = code == CL_SUCCESS ? GPU_OK : fail_no_platform(code);
    for (cl_uint k = 0; status == GPU_OK && k < count; k++) status = append_platform(found, platforms[k]);
    fp_free(platforms);
    if (status == GPU_OK && found->count == 0)
        status =
            fp_fail(GPU_E_DEVICE, "none of the %u OpenCL platforms has a device; " INSTALL "; " CHECK_CACHE, count);
    return status;
}

/* All devices of all platforms, for the caller to fp_free. One thread at a time: PoCL starts up at the first of these
 * calls, and crashes when two threads make it. */
static gpu_status find_all(candidates *out)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    candidates found = {0};
    if (fp_forked()) return fp_fail_forked();
    pthread_mutex_lock(&lock);
    gpu_status status = append_all(&found);
    pthread_mutex_unlock(&lock);
    if (status) fp_free(found.items);
    if (!status) *out = found;
    return status;
}

size_t fp_device_list(gpu_device_info *infos, size_t max)
{
    candidates found = {0};
    if (find_all(&found) != GPU_OK) return 0;
    for (size_t k = 0; k < found.count && k < max; k++) infos[k] = found.items[k].info;
    fp_free(found.items);
    return found.count;
}

static const candidate *find_kind(const candidates *found, gpu_device_kind kind)
{
    for (size_t k = 0; k < found->count; k++)
        if (found->items[k].info.kind == kind) return &found->items[k];
    return NULL;
}

static const candidate *find_best(const candidates *found)
{
    const candidate *best = NULL;
    for (size_t k = 0; !best && k < KINDS; k++) best = find_kind(found, best_first[k]);
    return best;
}

static const candidate *find_name(const candidates *found, const char *part)
{
    for (size_t k = 0; k < found->count; k++) {
        const gpu_device_info *info = &found->items[k].info;
        if (strcasestr(info->name, part) || strcasestr(info->platform, part)) return &found->items[k];
    }
    return NULL;
}

/* An index too large for strtoul becomes ULONG_MAX, which no device has. */
static const candidate *find_match(const candidates *found, const char *selector)
{
    for (size_t k = 0; k < KINDS; k++)
        if (strcasecmp(selector, kind_names[k]) == 0) return find_kind(found, (gpu_device_kind)k);
    if (selector[strspn(selector, "0123456789")] != '\0') return find_name(found, selector);
    unsigned long index = strtoul(selector, NULL, 10);
    return index < found->count ? &found->items[index] : NULL;
}

static gpu_status fail_no_match(const candidates *found, request wanted)
{
    fp_text list = {0};
    for (size_t k = 0; k < found->count; k++) {
        const gpu_device_info *info = &found->items[k].info;
        fp_text_print(&list, "\n  %zu: %s (%s, %s)", k, info->name, kind_names[info->kind], info->platform);
    }
    fp_fail(GPU_E_DEVICE,
            "no device matches %s\"%s\"; give gpu, cpu, accelerator, host, an index or a part of a name, or install a "
            "driver "
            "(" INSTALL "); found:%s",
            wanted.origin, wanted.text, fp_text_string(&list));
    fp_text_free(&list);
    return GPU_E_DEVICE;
}

static request resolve(const char *selector)
{
    if (selector && *selector) return (request){selector, ""};
    const char *variable = getenv("FIREPILE_DEVICE");
    return (request){variable ? variable : "", "FIREPILE_DEVICE="};
}

bool fp_device_selects_host(const char *selector)
{
    return strcasecmp(resolve(selector).text, "host") == 0;
}

gpu_status fp_device_select(const char *selector, cl_device_id *out)
{
    candidates found = {0};
    gpu_status status = find_all(&found);
    if (status != GPU_OK) return status;
    request wanted = resolve(selector);
    const candidate *match = *wanted.text ? find_match(&found, wanted.text) : find_best(&found);
    if (match)
        *out = match->id;
    else
        status = fail_no_match(&found, wanted);
    fp_free(found.items);
    return status;
}
