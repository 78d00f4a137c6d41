#include "kernel/disk.h"

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
enum { FORMAT = 1 };

void fp_disk_open(fp_disk *disk)
{
    const char *cache = getenv("FIREPILE_CACHE"), *base;
    fp_text folder = {0};
    disk->folder = NULL;
    if (cache && !strcmp(cache, "off")) return;
    if (cache && *cache) {
        fp_text_put(&folder, cache);
    } else if ((base = getenv("XDG_CACHE_HOME")) && *base) {
        fp_text_print(&folder, "%s/firepile", base);
    } else if ((base = getenv("HOME")) && *base) {
        fp_text_print(&folder, "%s/.cache/firepile", base);
    }
    if (folder.failed) fp_text_free(&folder);
    disk->folder = folder.bytes;
}

void fp_disk_close(fp_disk *disk)
{
    fp_free(disk->folder);
    disk->folder = NULL;
}

void fp_disk_key(const fp_facts *facts, const char *source, const char *options, fp_text *key)
{
    const char *const fields[] = {FIREPILE_VERSION,        options,       facts->name,
                                  facts->vendor,           facts->driver, facts->platform,
                                  facts->platform_version, source};
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

bool fp_disk_find(const fp_disk *disk, const fp_text *key, fp_text *binary)
{
    fp_text path = {0}, entry = {0};
    bool found = false;
    if (entry_path(disk, key, &path) && fp_file_read(path.bytes, &entry)) {
        size_t bytes;
        const char *at = verify(&entry, key, &bytes);
        if (at) fp_text_add(binary, at, bytes);
        if (!at) unlink(path.bytes);
        found = at && !binary->failed;
    }
    fp_text_free(&path);
    fp_text_free(&entry);
    return found;
}

void fp_disk_keep(const fp_disk *disk, const fp_text *key, const void *binary, size_t bytes)
{
    fp_text path = {0}, entry = {0};
    if (bytes && entry_path(disk, key, &path) && fp_folder_make(disk->folder)) {
        header h = {.format = FORMAT,
                    .key_bytes = key->length,
                    .binary_bytes = bytes,
                    .checksum = checksum(key->bytes, key->length, binary, bytes)};
        memcpy(h.magic, magic, sizeof magic);
        fp_text_add(&entry, &h, sizeof h);
        fp_text_add(&entry, key->bytes, key->length);
        fp_text_add(&entry, binary, bytes);
        if (!entry.failed) fp_file_write(path.bytes, entry.bytes, entry.length);
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
