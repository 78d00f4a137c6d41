/* Bounds the size of a folder. */
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
    DIR *folder; /* NULL: it cannot be read */
    entry *list;
    size_t count, capacity;
    uint64_t bytes; /* of all */
    bool complete;  /* memory did not run out */
} listing;

static bool add(listing *files, const char *name, const struct stat *status)
{
    char *copy = fp_copy_text(name);
    entry *new = copy ? FP_PUSH(files->list, files->count, files->capacity) : NULL;
    if (new) *new = (entry){copy, (uint64_t)status->st_size, status->st_mtim};
    if (new) files->bytes += new->bytes;
    if (!new) fp_free(copy);
    return new;
}

static listing read_folder(const char *path, bool (*takes)(const char *name))
{
    listing files = {.folder = opendir(path), .complete = true};
    struct stat status;
    if (!files.folder) return files;
    for (const struct dirent *e; files.complete && (e = readdir(files.folder));) {
        if (!takes(e->d_name) || fstatat(dirfd(files.folder), e->d_name, &status, AT_SYMLINK_NOFOLLOW)) continue;
        if (S_ISREG(status.st_mode)) files.complete = add(&files, e->d_name, &status);
    }
    return files;
}

static int compare_use(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    if (a->used.tv_sec != b->used.tv_sec) return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
    return a->used.tv_nsec < b->used.tv_nsec ? -1 : a->used.tv_nsec > b->used.tv_nsec;
}

/* Other processes may do this at the same time: a file that is already gone counts as removed. */
static bool remove_file(listing *files, size_t k)
{
    files->bytes -= files->list[k].bytes;
    return !unlinkat(dirfd(files->folder), files->list[k].name, 0) || errno == ENOENT;
}

static void forget(listing *files)
{
    for (size_t k = 0; k < files->count; k++) fp_free(files->list[k].name);
    fp_free(files->list);
    if (files->folder) closedir(files->folder);
}

size_t fp_folder_usage(const char *path, bool (*takes)(const char *name), uint64_t *bytes)
{
    listing files = read_folder(path, takes);
    *bytes = files.bytes;
    forget(&files);
    return files.count;
}

size_t fp_folder_clear(const char *path, bool (*takes)(const char *name))
{
    listing files = read_folder(path, takes);
    size_t removed = 0;
    for (size_t k = 0; k < files.count; k++) removed += remove_file(&files, k);
    forget(&files);
    return removed;
}

size_t fp_folder_trim(const char *path, bool (*takes)(const char *name), uint64_t most, uint64_t keep)
{
    listing files = read_folder(path, takes);
    size_t removed = 0;
    if (files.complete && files.bytes > most) {
        qsort(files.list, files.count, sizeof *files.list, compare_use);
        for (size_t k = 0; files.bytes > keep && k < files.count; k++) removed += remove_file(&files, k);
    }
    forget(&files);
    return removed;
}
