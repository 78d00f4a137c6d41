/* Built programs on disk. A doubtful entry counts as none. */
#ifndef FP_KERNEL_DISK_H
#define FP_KERNEL_DISK_H

#include "base/text.h"
#include "cl/device.h"

#include <stdio.h>

typedef struct fp_disk {
    char *folder;       /* NULL: no cache */
    uint64_t most;      /* bytes of all entries, about */
    uint64_t untrimmed; /* bytes that may be stored before the folder is looked through again */
    bool reported;      /* the trace says why the folder is not used */
    FILE *trace;        /* or NULL */
} fp_disk;

/* FIREPILE_CACHE=off, a folder, or unset: $XDG_CACHE_HOME/firepile, else $HOME/.cache/firepile, else none.
 * FIREPILE_CACHE_MB bounds it; GPU_E_ARGUMENT if that is no number. */
gpu_status fp_disk_open(fp_disk *disk, FILE *trace);
void fp_disk_close(fp_disk *disk);

/* The key: source, options, device, driver, platform and firepile's version. They decide what a binary is. */
void fp_disk_key(const fp_capabilities *capabilities, const char *source, const char *options, fp_text *key);

/* Appends the binary kept under `key`; false if there is none, or a doubtful one. Removes a damaged entry, and leaves
 * an entry alone that somebody else could have written. */
bool fp_disk_find(fp_disk *disk, const fp_text *key, fp_text *binary);

/* Keeps a binary. It is no failure if it cannot be written. Now and then removes the least recently used entries,
 * whatever version of the library or of a driver they are from. */
void fp_disk_keep(fp_disk *disk, const fp_text *key, const void *binary, size_t bytes);

/* How many entries there are, and their bytes. */
size_t fp_disk_usage(const fp_disk *disk, uint64_t *bytes);

/* Removes them; returns how many could be removed. */
size_t fp_disk_clear(const fp_disk *disk);

/* Removes an entry whose binary the driver refused. */
void fp_disk_forget(const fp_disk *disk, const fp_text *key);

#endif
