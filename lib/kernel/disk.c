#include "kernel/disk.h"

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"

#include <firepile.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An entry: this header, the key, the binary. The checksum covers key and binary, and the key is compared in full. */
typedef struct header {
    char magic[8];
    uint64_t format;
    uint64_t key_bytes;
    uint64_t binary_bytes;
    uint64_t checksum;
} header;

static const char magic[8] = "firepile";
enum { FORMAT = 1, NAME = 32, DEFAULT_MB = 256, MOST_DIGITS = 8 };

static void report(const fp_disk *disk, const char *what, const char *why)
{
    if (disk->trace) fprintf(disk->trace, "FIREPILE_CACHE: %s is not used: %s\n", what, why);
}

/* The value of an environment variable if it is an absolute path, else NULL. The standard for XDG_CACHE_HOME has
 * programs ignore other paths: they would mean another folder in each working directory. */
static const char *absolute(const fp_disk *disk, const char *variable)
{
    const char *path = getenv(variable);
    if (!path || !*path) return NULL;
    if (*path != '/') report(disk, variable, "it is no absolute path");
    return *path == '/' ? path : NULL;
}

static void find_folder(fp_disk *disk)
{
    const char *cache = getenv("FIREPILE_CACHE"), *base;
    fp_text folder = {0};
    if (cache && !strcmp(cache, "off")) return;
    if (cache && *cache) {
        fp_text_put(&folder, cache);
    } else if ((base = absolute(disk, "XDG_CACHE_HOME"))) {
        fp_text_print(&folder, "%s/firepile", base);
    } else if ((base = absolute(disk, "HOME"))) {
        fp_text_print(&folder, "%s/.cache/firepile", base);
    }
    if (folder.failed) fp_text_free(&folder);
    disk->folder = folder.bytes;
}

static gpu_status find_most(fp_disk *disk)
{
    const char *text = getenv("FIREPILE_CACHE_MB");
    disk->most = (uint64_t)DEFAULT_MB << 20;
    if (!text || !*text) return GPU_OK;
    size_t digits = strspn(text, "0123456789");
    disk->most = strtoull(text, NULL, 10) << 20;
    if (!text[digits] && digits <= MOST_DIGITS) return GPU_OK;
    return fp_fail(GPU_E_ARGUMENT, "FIREPILE_CACHE_MB=%s: write a number of megabytes, of at most %d digits", text,
                   MOST_DIGITS);
}

gpu_status fp_disk_open(fp_disk *disk, FILE *trace)
{
    *disk = (fp_disk){.trace = trace};
    gpu_status status = find_most(disk);
    if (!status && disk->most) find_folder(disk);
    return status;
}

/* May the folder's entries be used? Another user could put code there for this one to run. */
static bool is_trusted(fp_disk *disk)
{
    const char *why_not = fp_folder_distrust(disk->folder);
    if (why_not && !disk->reported) report(disk, disk->folder, why_not);
    disk->reported |= why_not != NULL;
    return !why_not;
}

void fp_disk_close(fp_disk *disk)
{
    fp_free(disk->folder);
    disk->folder = NULL;
}

void fp_disk_key(const fp_capabilities *capabilities, const char *source, const char *options, fp_text *key)
{
    const char *const fields[] = {FIREPILE_VERSION,
                                  options,
                                  capabilities->name,
                                  capabilities->vendor,
                                  capabilities->driver,
                                  capabilities->platform,
                                  capabilities->platform_version,
                                  source};
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) fp_text_add(key, fields[k], strlen(fields[k]) + 1);
}

static bool entry_path(const fp_disk *disk, const fp_text *key, fp_text *path)
{
    if (!disk->folder || key->failed) return false;
    fp_text_print(path, "%s/%016llx%016llx", disk->folder, (unsigned long long)fp_hash(key->bytes, key->length, 1),
                  (unsigned long long)fp_hash(key->bytes, key->length, 2));
    return !path->failed;
}

static uint64_t checksum(const void *key, size_t key_bytes, const void *binary, size_t binary_bytes)
{
    return fp_hash(binary, binary_bytes, fp_hash(key, key_bytes, FORMAT));
}

/* Where the binary begins in an entry, or NULL if anything about the entry is wrong. */
static const char *verify(const fp_text *entry, const fp_text *key, size_t *bytes)
{
    header h;
    if (entry->length < sizeof h) return NULL;
    memcpy(&h, entry->bytes, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) != 0 || h.format != FORMAT || h.key_bytes != key->length) return NULL;
    if (h.binary_bytes == 0 || h.binary_bytes > entry->length ||
        entry->length - h.binary_bytes != sizeof h + key->length)
        return NULL;
    const char *stored = entry->bytes + sizeof h, *binary = stored + key->length;
    if (memcmp(stored, key->bytes, key->length) != 0) return NULL;
    if (checksum(stored, key->length, binary, h.binary_bytes) != h.checksum) return NULL;
    *bytes = h.binary_bytes;
    return binary;
}

bool fp_disk_find(fp_disk *disk, const fp_text *key, fp_text *binary)
{
    fp_text path = {0}, entry = {0};
    const char *why_not = NULL;
    bool found = false;
    if (entry_path(disk, key, &path) && is_trusted(disk) && fp_file_read_own(path.bytes, &entry, &why_not)) {
        size_t bytes;
        const char *at = verify(&entry, key, &bytes);
        if (at) fp_text_add(binary, at, bytes);
        if (!at) unlink(path.bytes);
        found = at && !binary->failed;
    }
    if (why_not) report(disk, path.bytes, why_not);
    fp_text_free(&path);
    fp_text_free(&entry);
    return found;
}

/* "0123456789abcdef0123456789abcdef", with ".PID.NUMBER" behind it while the file is written. */
static bool is_entry(const char *name)
{
    size_t digits = strspn(name, "0123456789abcdef");
    return digits == NAME && (!name[digits] || name[digits] == '.') &&
           strspn(name + digits, ".0123456789") == strlen(name + digits);
}

/* Reading the folder takes as long as reading a few entries. So it is read after the first store, and then each time a
 * sixteenth of the allowed bytes has been stored. */
static void trim(fp_disk *disk, uint64_t stored)
{
    uint64_t part = disk->most / 16;
    if (stored < disk->untrimmed) {
        disk->untrimmed -= stored;
        return;
    }
    size_t removed = fp_folder_trim(disk->folder, is_entry, disk->most, disk->most - part);
    if (removed && disk->trace) fprintf(disk->trace, "FIREPILE_CACHE: removed the %zu oldest entries\n", removed);
    disk->untrimmed = part;
}

static void write_entry(const fp_text *key, const void *binary, size_t bytes, fp_text *out)
{
    header h = {.format = FORMAT,
                .key_bytes = key->length,
                .binary_bytes = bytes,
                .checksum = checksum(key->bytes, key->length, binary, bytes)};
    memcpy(h.magic, magic, sizeof magic);
    fp_text_add(out, &h, sizeof h);
    fp_text_add(out, key->bytes, key->length);
    fp_text_add(out, binary, bytes);
}

void fp_disk_keep(fp_disk *disk, const fp_text *key, const void *binary, size_t bytes)
{
    fp_text path = {0}, entry = {0};
    if (bytes && entry_path(disk, key, &path) && fp_folder_make(disk->folder) && is_trusted(disk)) {
        write_entry(key, binary, bytes, &entry);
        if (!entry.failed && fp_file_write(path.bytes, entry.bytes, entry.length)) trim(disk, entry.length);
    }
    fp_text_free(&path);
    fp_text_free(&entry);
}

void fp_disk_forget(const fp_disk *disk, const fp_text *key)
{
    fp_text path = {0};
    if (entry_path(disk, key, &path)) unlink(path.bytes);
    fp_text_free(&path);
}

size_t fp_disk_usage(const fp_disk *disk, uint64_t *bytes)
{
    return fp_folder_usage(disk->folder, is_entry, bytes);
}

size_t fp_disk_clear(const fp_disk *disk)
{
    return fp_folder_clear(disk->folder, is_entry);
}
