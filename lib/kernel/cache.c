#include "kernel/cache.h"

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/switch.h"
#include "kernel/builtins.h"
#include "kernel/layout.h"
#include "kernel/log.h"

#include <stdlib.h>
#include <string.h>

/* A program may make up new snippets for ever, and kernels must not fill the memory. So beyond MOST kernels, the least
 * recently used one goes. */
enum { BUCKETS = 1024, MOST = 1024 };

/* GPU shapes run on a CPU device in tests only. There the optimiser of PoCL 3.1 mixes up the private structs of
 * work-items. */
static const char *choose_options(const fp_capabilities *capabilities, const fp_policy *policy)
{
    if (capabilities->cpu && !policy->cpu) return "-cl-std=CL1.2 -cl-opt-disable";
    return capabilities->exact_division ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt" : "-cl-std=CL1.2";
}

/* Note [binaries]: PoCL 3.1 compiles a kernel once more for its binary. That takes as long as building and launching it
 * did. PoCL's own cache has the kernel too: a later process takes 12 ms for each program from there, and 2 ms from a
 * binary. So the user decides, by FIREPILE_BINARIES. */
static bool are_binaries_wanted(const fp_capabilities *capabilities)
{
    return !capabilities->slow_binaries || fp_is_on("FIREPILE_BINARIES");
}

gpu_status fp_kernels_open(fp_kernels *kernels, fp_device *device, const fp_policy *policy, FILE *trace)
{
    const fp_capabilities *capabilities = fp_device_capabilities(device);
    kernels->device = device;
    kernels->options = choose_options(capabilities, policy);
    kernels->keeps_binaries = are_binaries_wanted(capabilities);
    kernels->joins = policy->meeting > 0;
    gpu_status status = fp_disk_open(&kernels->disk, trace); /* a wrong setting is an error on every device */
    if (!capabilities->gives_binaries) fp_disk_close(&kernels->disk);
    return status;
}

static void built_free(fp_built *built)
{
    if (!built) return;
    fp_kernel_free(built->kernel);
    fp_program_free(built->program);
    fp_text_free(&built->disk_key);
    fp_text_free(&built->key);
    fp_joinable_free(&built->joinable);
    fp_free(built);
}

void fp_kernels_close(fp_kernels *kernels)
{
    for (size_t k = 0; kernels->buckets && k < BUCKETS; k++) {
        for (fp_built *b = kernels->buckets[k], *next; b; b = next) {
            next = b->next;
            built_free(b);
        }
    }
    fp_free(kernels->buckets);
    fp_disk_close(&kernels->disk);
    *kernels = (fp_kernels){0};
}

fp_built *fp_kernels_find(fp_kernels *kernels, const fp_text *key)
{
    if (!kernels->buckets || key->failed) return NULL;
    uint64_t hash = fp_hash(key->bytes, key->length, 0);
    for (fp_built *b = kernels->buckets[hash % BUCKETS]; b; b = b->next) {
        if (b->hash != hash || b->key.length != key->length || memcmp(b->key.bytes, key->bytes, key->length) != 0)
            continue;
        b->last_use = ++kernels->uses;
        kernels->found++;
        return b;
    }
    return NULL;
}

static void drop_oldest(fp_kernels *kernels)
{
    fp_built **oldest = NULL;
    for (size_t k = 0; k < BUCKETS; k++)
        for (fp_built **b = &kernels->buckets[k]; *b; b = &(*b)->next)
            if (!oldest || (*b)->last_use < (*oldest)->last_use) oldest = b;
    fp_built *gone = *oldest;
    *oldest = gone->next;
    built_free(gone);
    kernels->count--;
}

static gpu_status keep(fp_kernels *kernels, const fp_text *key, fp_built *built)
{
    if (!kernels->buckets) kernels->buckets = fp_alloc_array(BUCKETS, sizeof *kernels->buckets);
    fp_text_add(&built->key, key->bytes, key->length);
    if (!kernels->buckets || built->key.failed) return fp_fail_memory();
    if (kernels->count == MOST) drop_oldest(kernels);
    built->hash = fp_hash(key->bytes, key->length, 0);
    built->number = built->last_use = ++kernels->uses;
    fp_built **bucket = &kernels->buckets[built->hash % BUCKETS];
    built->next = *bucket;
    *bucket = built;
    kernels->count++;
    return GPU_OK;
}

/* FIREPILE_DUMP names a folder that gets every generated source. */
static void dump(const char *function, const fp_text *text)
{
    const char *folder = getenv("FIREPILE_DUMP");
    if (!folder || !*folder) return;
    fp_text path = {0};
    fp_text_print(&path, "%s/%s-%016llx.cl", folder, function,
                  (unsigned long long)fp_hash(text->bytes, text->length, 0));
    if (!path.failed && fp_folder_make(folder)) fp_file_write(path.bytes, text->bytes, text->length);
    fp_text_free(&path);
}

/* Asks the device for its own offsets of the struct that a build log complains about. */
static gpu_status probe(fp_kernels *kernels, const fp_source *source, const fp_struct *type)
{
    size_t members = type->layout->leaf_count;
    fp_text text = {0};
    fp_text_put(&text, "#define FP_LAYOUT_PROBE 1\n");
    for (int part = 0; part <= FP_PART_DEFINITIONS; part++)
        fp_text_add(&text, source->parts[part].bytes, source->parts[part].length);
    fp_layout_write_probe(type->layout, type->name, &text);
    uint64_t *offsets = fp_alloc_array(members + 1, sizeof *offsets);
    fp_program *program = NULL;
    fp_kernel *kernel = NULL;
    fp_buffer *buffer = NULL;
    char *log = NULL;
    gpu_status status = offsets && !text.failed ? GPU_OK : fp_fail_memory();
    if (!status) status = fp_program_build(kernels->device, text.bytes, kernels->options, &program, &log);
    if (log)
        status = fp_fail(GPU_E_LAYOUT, "the device lays struct %s out differently, and its offsets cannot be asked",
                         type->type->name);
    if (!status) status = fp_kernel_new(program, "fp_probe", &kernel);
    if (!status) status = fp_buffer_new(kernels->device, (members + 1) * sizeof *offsets, &buffer);
    if (!status) status = fp_kernel_launch(kernel, &(fp_arg){.buffer = buffer}, 1, 1, 1);
    if (!status) status = fp_buffer_download(buffer, 0, offsets, (members + 1) * sizeof *offsets);
    if (!status) status = fp_layout_compare(type->layout, offsets);
    fp_buffer_drop(buffer);
    fp_kernel_free(kernel);
    fp_program_free(program);
    fp_free(offsets);
    fp_free(log);
    fp_text_free(&text);
    return status;
}

static gpu_status report(fp_kernels *kernels, const fp_source *source, const char *text, const char *log,
                         const fp_origin **origin)
{
    gpu_status status = GPU_OK;
    for (size_t k = 0; k < source->struct_count && !status; k++) {
        fp_text mark = {0};
        fp_text_print(&mark, "fp_layout_%s", source->structs[k].name);
        if (!mark.failed && strstr(log, mark.bytes)) status = probe(kernels, source, &source->structs[k]);
        fp_text_free(&mark);
    }
    if (!status) status = fp_log_report(source, text, log, origin);
    fp_fail_log(log, text);
    return status;
}

/* Note [built-in functions]: PoCL reads a header of 18,000 lines for each program, unless its guard is defined. Then
 * the program declares what it calls, in front of its first line, and defines some of it. What the table lacks, such
 * as functions of images, no program can call. */
static gpu_status build(const fp_kernels *kernels, const fp_text *text, fp_program **out, char **log)
{
    const fp_capabilities *capabilities = fp_device_capabilities(kernels->device);
    if (!capabilities->header_guard) return fp_program_build(kernels->device, text->bytes, kernels->options, out, log);
    fp_text declared = {0}, options = {0};
    fp_text_put(&declared, "#line 1 \"built-in functions\"\n");
    fp_builtins_declare(text->bytes, capabilities->has_double, &declared);
    gpu_status status = fp_builtins_define(text->bytes, capabilities->has_double, &declared);
    fp_text_put(&declared, "#line 1 \"program\"\n");
    fp_text_add(&declared, text->bytes, text->length);
    fp_text_print(&options, "%s -D%s", kernels->options, capabilities->header_guard);
    if (declared.failed || options.failed) status = fp_fail_memory();
    if (!status) status = fp_program_build(kernels->device, declared.bytes, options.bytes, out, log);
    fp_text_free(&declared);
    fp_text_free(&options);
    return status;
}

/* Loads a program from disk. False if it is not there, or of no use. */
static bool load(fp_kernels *kernels, const fp_text *text, fp_built *built, fp_program **out)
{
    fp_text binary = {0};
    fp_disk_key(fp_device_capabilities(kernels->device), text->bytes, kernels->options, &built->disk_key);
    bool loaded = fp_disk_find(&kernels->disk, &built->disk_key, &binary) &&
                  fp_program_load(kernels->device, binary.bytes, binary.length, kernels->options, out);
    if (binary.length && !loaded) fp_disk_forget(&kernels->disk, &built->disk_key);
    fp_text_free(&binary);
    return loaded;
}

static gpu_status make_kernel(fp_kernels *kernels, const fp_source *source, const fp_text *text, const char *function,
                              fp_built *built, const fp_origin **origin)
{
    fp_program *program = NULL;
    bool loaded = load(kernels, text, built, &program);
    gpu_status status = GPU_OK;
    if (!loaded) {
        char *log = NULL;
        status = build(kernels, text, &program, &log);
        if (log) status = report(kernels, source, text->bytes, log, origin);
        fp_free(log);
    }
    if (!status) status = fp_kernel_new(program, function, &built->kernel);
    if (!status && !loaded && kernels->disk.folder && kernels->keeps_binaries) {
        built->program = program;
    } else {
        fp_program_free(program);
        fp_text_free(&built->disk_key);
    }
    return status;
}

gpu_status fp_kernels_build(fp_kernels *kernels, const fp_text *key, const fp_source *source, const char *function,
                            fp_built **out, const fp_origin **origin)
{
    fp_text text = {0};
    *origin = NULL;
    fp_source_assemble(source, &text);
    fp_built *built = fp_alloc(sizeof *built);
    const bool complete = built && !text.failed && !source->failed && !key->failed;
    if (complete) dump(function, &text);
    gpu_status status = complete ? make_kernel(kernels, source, &text, function, built, origin) : fp_fail_memory();
    if (!status && kernels->joins) fp_joinable_read(source, function, &built->joinable);
    if (!status) status = keep(kernels, key, built);
    fp_text_free(&text);
    if (status) built_free(built);
    if (!status) *out = built;
    return status;
}

fp_built *fp_kernels_load(fp_kernels *kernels, const fp_text *key, const fp_source *source, const char *function)
{
    fp_text text = {0};
    fp_program *program = NULL;
    fp_source_assemble(source, &text);
    fp_built *built = kernels->disk.folder ? fp_alloc(sizeof *built) : NULL;
    bool kept = built && !text.failed && load(kernels, &text, built, &program) &&
                !fp_kernel_new(program, function, &built->kernel) && !keep(kernels, key, built);
    fp_program_free(program);
    fp_text_free(&text);
    if (kept) fp_text_free(&built->disk_key);
    if (!kept) built_free(built);
    return kept ? built : NULL;
}

/* PoCL compiles a kernel for its work-group size at the first launch. Only a binary taken after that is complete. */
static void put_on_disk(fp_kernels *kernels, fp_built *built)
{
    void *binary;
    size_t bytes;
    if (fp_device_capabilities(kernels->device)->cpu && fp_device_finish(kernels->device)) return;
    if (fp_program_binary(built->program, &binary, &bytes)) {
        fp_disk_keep(&kernels->disk, &built->disk_key, binary, bytes);
        fp_free(binary);
    }
    fp_program_free(built->program);
    built->program = NULL;
    fp_text_free(&built->disk_key);
}

gpu_status fp_built_launch(fp_kernels *kernels, fp_built *built, const fp_arg *args, unsigned count, size_t groups,
                           size_t group_size)
{
    gpu_status status = fp_kernel_launch(built->kernel, args, count, groups, group_size);
    if (!status && built->program) put_on_disk(kernels, built);
    return status;
}
