/* A folder that must not grow without end. */
#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct entry {
    char *name;
    uint64_t bytes;
    struct timespec used;
} entry;

typedef struct listing {
    entry *list;
    size_t count, capacity;
    uint64_t bytes; /* of all */
} listing;

static bool add(listing *files, const char *name, const struct stat *status)
{
    entry *list = fp_grow(files->list, files->count, &files->capacity, sizeof *list);
    if (!list) return false;
    files->list = list;
    list[files->count] = (entry){fp_copy_text(name), (uint64_t)status->st_size, status->st_mtim};
    if (!list[files->count].name) return false;
    files->bytes += list[files->count++].bytes;
    return true;
}

static bool read_folder(DIR *folder, bool (*takes)(const char *name), listing *files)
{
    struct stat status;
    for (const struct dirent *e; (e = readdir(folder));) {
        if (!takes(e->d_name) || fstatat(dirfd(folder), e->d_name, &status, AT_SYMLINK_NOFOLLOW)) continue;
        if (S_ISREG(status.st_mode) && !add(files, e->d_name, &status)) return false;
    }
    return true;
}

static int compare_use(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    if (a->used.tv_sec != b->used.tv_sec) return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
    return a->used.tv_nsec < b->used.tv_nsec ? -1 : a->used.tv_nsec > b->used.tv_nsec;
}

/* Other processes may do the same at the same time: a file that is gone already counts as removed. */
static bool remove_file(DIR *folder, listing *files, size_t k)
{
    files->bytes -= files->list[k].bytes;
    return !unlinkat(dirfd(folder), files->list[k].name, 0) || errno == ENOENT;
}

static size_t remove_oldest(DIR *folder, listing *files, uint64_t keep)
{
    size_t removed = 0;
    if (files->count) qsort(files->list, files->count, sizeof *files->list, compare_use);
    for (size_t k = 0; files->bytes > keep && k < files->count; k++) removed += remove_file(folder, files, k);
    return removed;
}

static void forget(DIR *folder, listing *files)
{
    for (size_t k = 0; k < files->count; k++) fp_free(files->list[k].name);
    fp_free(files->list);
    closedir(folder);
}

size_t fp_folder_usage(const char *path, bool (*takes)(const char *name), uint64_t *bytes)
{
    DIR *folder = opendir(path);
    listing files = {0};
    *bytes = 0;
    if (!folder) return 0;
    (void)read_folder(folder, takes, &files);
    *bytes = files.bytes;
    forget(folder, &files);
    return files.count;
}

size_t fp_folder_clear(const char *path, bool (*takes)(const char *name))
{
    DIR *folder = opendir(path);
    listing files = {0};
    size_t removed = 0;
    if (!folder) return 0;
    (void)read_folder(folder, takes, &files);
    for (size_t k = 0; k < files.count; k++) removed += remove_file(folder, &files, k);
    forget(folder, &files);
    return removed;
}

size_t fp_folder_trim(const char *path, bool (*takes)(const char *name), uint64_t most, uint64_t keep)
{
    DIR *folder = opendir(path);
    listing files = {0};
    size_t removed = 0;
    if (!folder) return 0;
    if (read_folder(folder, takes, &files) && files.bytes > most) removed = remove_oldest(folder, &files, keep);
    forget(folder, &files);
    return removed;
}
