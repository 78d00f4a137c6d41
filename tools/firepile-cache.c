/* firepile-cache: shows, warms and clears the library's cache of built kernels. */
#include "kernel/disk.h"

#include "base/error.h"
#include "base/file.h"

#include <firepile.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: firepile-cache [show]            the folder, its entries and their size\n"
    "       firepile-cache warm [TYPE...]    builds the standard operations on these types, on every device\n"
    "       firepile-cache clear             removes all entries\n"
    "\n"
    "The types are int, uint, long, ulong, float and double; without one, all of them are built. Later processes find\n"
    "these programs, also if they use a part of them. FIREPILE_CACHE says where the cache is, FIREPILE_CACHE_MB how\n"
    "large it gets. Standard operations are reductions, scans, sorts and moves, with the elements' own operators.\n"
    "Drivers have caches of their own, which warming fills too, and which are not cleared.\n";

/* ---- show and clear ---- */

static int show(const fp_disk *disk)
{
    uint64_t bytes;
    size_t entries = fp_disk_usage(disk, &bytes);
    printf("%s: %zu entries, %.1f of %" PRIu64 " MB\n", disk->folder, entries, (double)bytes / (1 << 20),
           disk->most >> 20);
    return 0;
}

static int clear(const fp_disk *disk)
{
    uint64_t bytes;
    size_t removed = fp_disk_clear(disk), left = fp_disk_usage(disk, &bytes);
    printf("%s: %zu entries removed\n", disk->folder, removed);
    if (left) fprintf(stderr, "firepile-cache: %zu entries cannot be removed: is the folder yours?\n", left);
    return left ? 1 : 0;
}

/* ---- warm ---- */

/* Long enough for the device, and for each kernel that many elements take. */
enum { ELEMENTS = 100000, FEW = 100 };

static bool run_values(gpu_array *x)
{
    uint64_t value[2];
    size_t index;
    bool sorted;
    void *out = value;
    return !gpu_sum(x, out) && !gpu_min(x, out) && !gpu_max(x, out) && !gpu_product(x, out) && !gpu_argmin(x, &index) &&
           !gpu_argmax(x, &index) && !gpu_is_sorted(x, &sorted) && !gpu_reduce(x, "a + b", out);
}

static bool is_done(gpu_array *a)
{
    return !gpu_array_status(gpu_eval(a));
}

static bool run_arrays(gpu *g, gpu_array *x)
{
    gpu_array *places = gpu_range(g, GPU_UINT, ELEMENTS), *sorted = gpu_eval(gpu_sort(x)), *keys, *values;
    bool done = is_done(sorted) && is_done(gpu_scan(x, "a + b")) && is_done(gpu_reverse(x)) &&
                is_done(gpu_concat(x, x)) && is_done(gpu_gather(x, places)) && is_done(gpu_scatter(x, places, x)) &&
                is_done(gpu_top(x, FEW)) && is_done(gpu_argsort(x)) && is_done(gpu_lower_bound(sorted, x)) &&
                is_done(gpu_unique(sorted));
    done = done && !gpu_sort_pairs(x, places, &keys, &values) && is_done(values);
    done = done && !gpu_runs(sorted, &keys, &values) && is_done(values);
    return done && !gpu_reduce_by_key(sorted, x, "a + b", &keys, &values) && is_done(values);
}

static bool warm_type(gpu *g, gpu_type type)
{
    gpu_scope *scope = gpu_scope_begin(g);
    gpu_array *x = gpu_eval(gpu_map_to(gpu_range(g, GPU_UINT, ELEMENTS), type, "x * 7919 % 100003"));
    bool done = run_values(x) && run_arrays(g, x);
    if (!done) fprintf(stderr, "firepile-cache: %s: %s\n", type->name, gpu_error());
    gpu_scope_end(scope);
    return done;
}

static const gpu_type types[] = {GPU_INT, GPU_UINT, GPU_LONG, GPU_ULONG, GPU_FLOAT, GPU_DOUBLE};
enum { TYPES = sizeof types / sizeof *types };

static bool are_types(char *const *names)
{
    for (; *names; names++) {
        size_t k = 0;
        while (k < TYPES && strcmp(types[k]->name, *names)) k++;
        if (k < TYPES) continue;
        fprintf(stderr, "firepile-cache: there is no type %s; --help names them\n", *names);
        return false;
    }
    return true;
}

static bool is_wanted(gpu_type type, char *const *names)
{
    bool any = !*names;
    for (; *names; names++) any |= !strcmp(*names, type->name);
    return any;
}

static bool warm_device(size_t index, const gpu_device_info *info, char *const *names)
{
    char selector[24];
    snprintf(selector, sizeof selector, "%zu", index);
    gpu *g = gpu_open(selector);
    bool done = g != NULL;
    if (!g) fprintf(stderr, "firepile-cache: %s: %s\n", info->name, gpu_error());
    for (size_t k = 0; done && k < TYPES; k++)
        if (is_wanted(types[k], names) && (types[k] != GPU_DOUBLE || info->has_double)) done = warm_type(g, types[k]);
    gpu_stats stats = {0};
    if (done && !gpu_get_stats(g, &stats))
        printf("%s: %" PRIu64 " programs built, %" PRIu64 " were there\n", info->name, stats.programs_built,
               stats.programs_loaded);
    gpu_close(g);
    return done;
}

/* Also drivers that take long for it give their binaries: later processes are what this is for. */
static int warm(char *const *names)
{
    enum { MOST = 16 };
    gpu_device_info infos[MOST];
    if (!are_types(names)) return 2;
    size_t count = gpu_devices(infos, MOST);
    bool done = count > 0;
    if (!count) fprintf(stderr, "firepile-cache: %s\n", gpu_error());
    setenv("FIREPILE_BINARIES", "1", 0);
    for (size_t k = 0; k < count && k < MOST; k++) done = warm_device(k, &infos[k], names) && done;
    return done ? 0 : 1;
}

static int run(const char *verb, char *const *rest, const fp_disk *disk)
{
    const char *why_not = fp_folder_distrust(disk->folder);
    if (why_not) {
        fprintf(stderr, "firepile-cache: %s is not used: %s\n", disk->folder, why_not);
        return 1;
    }
    if (!strcmp(verb, "warm")) return warm(rest);
    if (!strcmp(verb, "clear") && !*rest) return clear(disk);
    if (!strcmp(verb, "show") && !*rest) return show(disk);
    fputs(usage, stderr);
    return 2;
}

int main(int argc, char **argv)
{
    fp_disk disk;
    const char *verb = argc > 1 ? argv[1] : "show";
    if (!strcmp(verb, "--help")) return fputs(usage, stdout) == EOF;
    if (fp_disk_open(&disk, stderr)) {
        fprintf(stderr, "firepile-cache: %s\n", gpu_error());
        return 2;
    }
    int status = 2;
    if (disk.folder) status = run(verb, argv + (argc > 2 ? 2 : argc), &disk);
    if (!disk.folder)
        fprintf(stderr, "firepile-cache: there is no cache: FIREPILE_CACHE is off, FIREPILE_CACHE_MB is 0, or there is "
                        "no home\n");
    fp_disk_close(&disk);
    if (fflush(stdout)) status = 2;
    return status;
}
